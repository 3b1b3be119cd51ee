/*
 * reference.h - the turn once more, cell by cell as rules.md words it: slow, obvious, and sharing
 * no code with the engine. Tests hold the engine against it on boards no vector has.
 */
#ifndef TESTS_UNIT_RULES_REFERENCE_H
#define TESTS_UNIT_RULES_REFERENCE_H

#include "engine/base/rng.h"
#include "engine/rules/turn.h"

struct ref_board {
    int cell[7][7]; /* [row][column], row 0 on top */
    int hidden[7][7];
};

struct ref_turn {
    long points;
    unsigned waves, cleared, revealed, cracks;
    bool rose, over;
    int rise;
};

static inline int ref_run(const struct ref_board *b, int row, int c, int down, int right)
{
    int n = 1;
    for (int sign = -1; sign <= 1; sign += 2) {
        int y = row + sign * down;
        int x = c + sign * right;
        while (y >= 0 && y < 7 && x >= 0 && x < 7 && b->cell[y][x]) {
            n++;
            y += sign * down;
            x += sign * right;
        }
    }
    return n;
}

/* Marks what clears; how many. */
static inline unsigned ref_matches(const struct ref_board *b, bool ret_hit[7][7])
{
    unsigned count = 0;
    for (int row = 0; row < 7; row++) {
        for (int c = 0; c < 7; c++) {
            int v = b->cell[row][c];
            ret_hit[row][c] = v >= 1 && v <= 7 &&
                              (ref_run(b, row, c, 1, 0) == v || ref_run(b, row, c, 0, 1) == v);
            count += ret_hit[row][c];
        }
    }
    return count;
}

static inline void ref_gravity(struct ref_board *b)
{
    for (int c = 0; c < 7; c++) {
        int to = 6;
        for (int row = 6; row >= 0; row--) {
            if (b->cell[row][c]) {
                int cell = b->cell[row][c];
                int hidden = b->hidden[row][c];
                b->cell[row][c] = b->hidden[row][c] = 0;
                b->cell[to][c] = cell;
                b->hidden[to--][c] = hidden;
            }
        }
    }
}

static inline bool ref_hit_at(bool hit[7][7], int row, int c)
{
    return row >= 0 && row < 7 && c >= 0 && c < 7 && hit[row][c];
}

/* One wave; false when nothing matched. ask, when set, gives the numbers instead of hidden. */
static inline bool ref_wave(struct ref_board *b, struct ref_turn *t, turn_reveal ask, void *ctx)
{
    bool hit[7][7];
    unsigned count = ref_matches(b, hit);
    if (!count) {
        return false;
    }
    t->waves++;
    t->cleared += count;
    double d = t->waves;
    long each = 0;
    while ((double)(each + 1) * (double)(each + 1) <= 49 * d * d * d * d * d) {
        each++;
    }
    t->points += each * (long)count;
    for (int row = 0; row < 7; row++) {
        for (int c = 0; c < 7; c++) {
            int n = ref_hit_at(hit, row - 1, c) + ref_hit_at(hit, row + 1, c) +
                    ref_hit_at(hit, row, c - 1) + ref_hit_at(hit, row, c + 1);
            int *cell = &b->cell[row][c];
            if (hit[row][c]) {
                *cell = 0;
            } else if (*cell == CELL_SOLID && n == 1) {
                *cell = CELL_CRACKED;
                t->cracks++;
            } else if ((*cell == CELL_SOLID && n >= 2) || (*cell == CELL_CRACKED && n >= 1)) {
                *cell = ask ? (int)ask(ctx, (unsigned)(7 * row + c)) : b->hidden[row][c];
                b->hidden[row][c] = 0;
                t->revealed++;
            }
        }
    }
    ref_gravity(b);
    return true;
}

static inline bool ref_row_full(const struct ref_board *b, int row, bool any)
{
    int n = 0;
    for (int c = 0; c < 7; c++) {
        n += b->cell[row][c] != 0;
    }
    return any ? n > 0 : n == 7;
}

static inline void ref_cascade(struct ref_board *b, struct ref_turn *t, turn_reveal ask, void *ctx)
{
    while (ref_wave(b, t, ask, ctx)) {
    }
    if (!ref_row_full(b, 6, true)) {
        t->points += 70000;
    }
}

static inline void ref_play(struct ref_board *b, int column, int disc, int rise, const uint8_t *row,
                            turn_reveal ask, void *ctx, struct ref_turn *ret)
{
    struct ref_turn t = {.rise = rise - 1};
    int at = 6;
    while (b->cell[at][column]) {
        at--;
    }
    b->cell[at][column] = disc;
    ref_cascade(b, &t, ask, ctx);
    if (t.rise == 0) {
        if (ref_row_full(b, 0, true)) {
            t.over = true;
            *ret = t;
            return;
        }
        for (int y = 0; y < 7; y++) {
            for (int c = 0; c < 7; c++) {
                b->cell[y][c] = y < 6 ? b->cell[y + 1][c] : CELL_SOLID;
                b->hidden[y][c] = y < 6 ? b->hidden[y + 1][c] : ask ? 0 : row[c];
            }
        }
        t.rose = true;
        t.rise = 5;
        t.points += 17000;
        ref_cascade(b, &t, ask, ctx);
    }
    t.over = ref_row_full(b, 0, false);
    *ret = t;
}

/* A packed random board: gray discs with numbers under them, discs that may already match. One in
 * four is nearly full, one in four nearly empty. */
static inline void ref_random(struct rng *rng, struct ref_board *ret)
{
    static const unsigned floors[4] = {0, 0, 0, 4};
    static const unsigned spans[4] = {8, 3, 8, 4};
    unsigned kind = rng_below(rng, 4);
    unsigned gray = rng_below(rng, 10);
    *ret = (struct ref_board){0};
    for (int c = 0; c < 7; c++) {
        int height = (int)(floors[kind] + rng_below(rng, spans[kind]));
        for (int k = 0; k < height; k++) {
            bool covered = rng_below(rng, 10) < gray;
            ret->cell[6 - k][c] = covered ? (int)(8 + rng_below(rng, 2)) : rng_disc(rng);
            ret->hidden[6 - k][c] = covered ? rng_disc(rng) : 0;
        }
    }
}

static inline void ref_pack(const struct ref_board *b, struct board *ret_board,
                            struct board *ret_hidden)
{
    *ret_board = *ret_hidden = (struct board){{0}};
    for (int row = 0; row < 7; row++) {
        for (int c = 0; c < 7; c++) {
            ret_board->col[c] = ret_board->col[c] << 4 | (uint32_t)b->cell[row][c];
            ret_hidden->col[c] = ret_hidden->col[c] << 4 | (uint32_t)b->hidden[row][c];
        }
    }
}

#endif
