/*
 * The rules on any board that can occur, move after move: the packed turn against the reference
 * that goes cell by cell, against itself with the filmstrip, on the mirror image, with the numbers
 * asked for, and the short way where the board holds no match.
 */
#include "engine/base/cpu.h"
#include "engine/rules/game_wide.h"
#include "engine/rules/wave.h"
#include "tests/fuzz/boards.h"
#include "tests/unit/rules/reference.h"

#define MOVES_MAX 64
#define WAVES_MAX 56 /* each clears a disc: 49 cells and a rise's seven */

struct outcome {
    struct board board, hidden;
    uint8_t rise;
    struct turn turn;
};

static bool same_turn(const struct turn *a, const struct turn *b)
{
    return a->points == b->points && a->waves == b->waves && a->cleared == b->cleared &&
           a->revealed == b->revealed && a->cracks == b->cracks && a->rose == b->rose &&
           a->over == b->over;
}

static bool same_board(const struct board *a, const struct board *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    return same_board(&a->board, &b->board) && same_board(&a->hidden, &b->hidden) &&
           a->rise == b->rise && same_turn(&a->turn, &b->turn);
}

static struct outcome begin(const struct fuzz_state *s)
{
    return (struct outcome){.board = s->at.board, .hidden = s->hidden, .rise = s->at.rise};
}

static struct outcome played(const struct fuzz_state *s, unsigned column,
                             const struct turn_watch *watch)
{
    struct outcome o = begin(s);
    turn_hidden(&o.board, &o.hidden, column, s->at.next, &o.rise, s->row, watch, &o.turn);
    return o;
}

static unsigned discs(const struct board *b)
{
    unsigned n = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        n += board_height(b, c);
    }
    return n;
}

/* What every turn leaves. */
static void check_outcome(const struct fuzz_state *s, const struct outcome *o)
{
    char text[BOARD_TEXT_SIZE];
    struct board again;
    const struct turn *t = &o->turn;
    board_format(&o->board, text);
    D7_CHECK(board_parse(text, BOARD_CELLS, &again) == BOARD_FINE); /* nothing floats */
    D7_CHECK(same_board(&again, &o->board));
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        unsigned under = board_cell(&o->hidden, i);
        D7_CHECK((board_cell(&o->board, i) >= CELL_SOLID) == (under > 0) && under <= 7);
    }
    D7_CHECK(t->points >= 0 && t->waves <= WAVES_MAX && t->cleared >= t->waves);
    D7_CHECK(discs(&o->board) == discs(&s->at.board) + 1 - t->cleared + (t->rose ? 7u : 0u));
    bool failed = s->at.rise == 1 && !t->rose;
    D7_CHECK(o->rise == (failed ? 0 : t->rose ? 5 : s->at.rise - 1));
    D7_CHECK(t->over == (failed || board_legal(&o->board) == 0));
    if (!failed) {
        D7_CHECK(!cells_any(wave_matches(cells_load(&o->board))));
    }
}

static void unpack(const struct fuzz_state *s, struct ref_board *ret)
{
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        ret->cell[i / 7][i % 7] = (int)board_cell(&s->at.board, i);
        ret->hidden[i / 7][i % 7] = (int)board_cell(&s->hidden, i);
    }
}

/* The reference's outcome; `ask` NULL takes the hidden numbers. */
static struct outcome referred(const struct fuzz_state *s, unsigned column, turn_reveal ask,
                               void *ctx)
{
    struct ref_board b;
    struct ref_turn t;
    struct outcome o;
    unpack(s, &b);
    ref_play(&b, (int)column, s->at.next, s->at.rise, s->row, ask, ctx, &t);
    ref_pack(&b, &o.board, &o.hidden);
    o.rise = (uint8_t)t.rise;
    o.turn = (struct turn){t.points, t.waves, t.cleared, t.revealed, t.cracks, t.rose, t.over};
    return o;
}

struct film {
    unsigned bursts, drops, rises;
    uint32_t cleared, cracks, revealed;
    int64_t points;
    struct board last;
};

/* Steps come in order, and none is without effect. */
static void on_step(void *ctx, const struct turn_step *step)
{
    struct film *f = ctx;
    D7_CHECK(step->cells != 0 && step->cells >> BOARD_CELLS == 0);
    f->drops += step->kind == STEP_DROP;
    f->rises += step->kind == STEP_RISE;
    if (step->kind == STEP_BURST) {
        f->bursts++;
        f->cleared += (uint32_t)__builtin_popcountll(step->cells);
        f->points += (int64_t)__builtin_popcountll(step->cells) * step->points_each;
    }
    if (step->kind == STEP_IMPACT) {
        D7_CHECK(step->cells == (step->cracked | step->revealed));
        f->cracks += (uint32_t)__builtin_popcountll(step->cracked);
        f->revealed += (uint32_t)__builtin_popcountll(step->revealed);
    }
    D7_CHECK(step->kind == STEP_DROP || step->kind == STEP_RISE ? step->wave == 0
                                                                : step->wave == f->bursts);
    f->last = step->board;
}

/* The same turn with a picture of each step, which add up to it. */
static void check_film(const struct fuzz_state *s, unsigned column, const struct outcome *plain)
{
    struct film f = {0};
    const struct turn_watch watch = {on_step, &f};
    struct outcome o = played(s, column, &watch);
    const struct turn *t = &o.turn;
    D7_CHECK(same(&o, plain));
    D7_CHECK(f.drops == 1 && f.rises == (t->rose ? 1u : 0u) && f.bursts == t->waves);
    D7_CHECK(f.cleared == t->cleared && f.cracks == t->cracks && f.revealed == t->revealed);
    int64_t bonus = t->points - f.points - (t->rose ? TURN_RISE_BONUS : 0);
    D7_CHECK(bonus == 0 || bonus == TURN_CLEAR_BONUS || bonus == 2 * TURN_CLEAR_BONUS);
    D7_CHECK(!board_is_empty(&o.board) || bonus > 0);
    if (t->waves == 0 || !board_is_empty(&o.board)) {
        D7_CHECK(same_board(&f.last, &o.board));
    }
}

static void check_mirror(const struct fuzz_state *s, unsigned column, const struct outcome *plain)
{
    struct fuzz_state m = *s;
    m.at.board = board_mirrored(&s->at.board);
    m.hidden = board_mirrored(&s->hidden);
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        m.row[c] = s->row[BOARD_COLUMNS - 1 - c];
    }
    struct outcome o = played(&m, BOARD_COLUMNS - 1 - column, NULL);
    o.board = board_mirrored(&o.board);
    o.hidden = board_mirrored(&o.hidden);
    D7_CHECK(same(&o, plain));
}

/* Numbers that depend on how often and where they were asked for. */
static unsigned answer(void *ctx, unsigned index)
{
    uint32_t *state = ctx;
    D7_CHECK(index < BOARD_CELLS);
    *state = mix32(*state + index + 1);
    return *state % 7 + 1;
}

static void check_sampled(const struct fuzz_state *s, unsigned column)
{
    struct fuzz_state bare = *s;
    bare.hidden = (struct board){{0}};
    uint32_t theirs = s->at.next;
    uint32_t ours = theirs;
    struct outcome want = referred(&bare, column, answer, &theirs);
    struct outcome got = begin(&bare);
    turn_sampled(&got.board, column, s->at.next, &got.rise, answer, &ours, NULL, &got.turn);
    D7_CHECK(same(&got, &want) && ours == theirs);
}

/* As a move of a game. */
static void check_short(const struct fuzz_state *s, unsigned column, game_player play,
                        const struct outcome *want)
{
    uint8_t rows[2][BOARD_COLUMNS] = {{0}};
    memcpy(rows[1], s->row, sizeof(rows[1]));
    const struct round r = {1, &s->at.next, 1, (const uint8_t(*)[BOARD_COLUMNS])rows, 2};
    struct game g = {.board = s->at.board, .hidden = s->hidden, .rise = s->at.rise};
    struct outcome o;
    play(&g, &r, column, &o.turn);
    o.board = g.board;
    o.hidden = g.hidden;
    o.rise = g.rise;
    D7_CHECK(same(&o, want));
}

static void check_turn(const struct fuzz_state *s, unsigned column, struct outcome *ret)
{
    struct outcome plain = played(s, column, NULL);
    struct outcome want = referred(s, column, NULL, NULL);
    D7_CHECK(same(&plain, &want));
    check_outcome(s, &plain);
    check_film(s, column, &plain);
    check_mirror(s, column, &plain);
    bool settled = !cells_any(wave_matches(cells_load(&s->at.board)));
    check_sampled(s, column);
    if (settled) {
        check_short(s, column, game_play_plain, &plain);
        if (game_play_wide && cpu_is_wide()) {
            check_short(s, column, game_play_wide, &plain);
        }
    }
    *ret = plain;
}

void fuzz_rules(const uint8_t *bytes, size_t len)
{
    struct fuzz_input in = {bytes, len};
    struct fuzz_state s;
    fuzz_state_read(&in, &s);
    for (unsigned move = 0; move < MOVES_MAX && in.left > 0; move++) {
        unsigned legal = board_legal(&s.at.board);
        struct outcome o;
        if (legal == 0) {
            return;
        }
        check_turn(&s, fuzz_column(&in, legal), &o);
        if (o.turn.over) {
            return;
        }
        s.at.board = o.board;
        s.hidden = o.hidden;
        s.at.rise = o.rise;
        s.at.next = fuzz_disc(&in);
        for (unsigned c = 0; c < BOARD_COLUMNS && s.at.rise == 1; c++) {
            s.row[c] = fuzz_disc(&in);
        }
    }
}
