#include "engine/rules/turn.h"

#define ONES        0x1111111u
#define TABLE_DEPTH 60 /* 49 cells and a rise's 7: no turn has more than 56 waves */

static const int32_t wave_points[TABLE_DEPTH + 1] = {
    0,      7,      39,     109,    224,    391,    617,    907,    1267,   1701,   2213,
    2809,   3491,   4265,   5133,   6099,   7168,   8341,   9622,   11014,  12521,  14146,
    15891,  17758,  19752,  21875,  24128,  26515,  29039,  31702,  34506,  37454,  40548,
    43790,  47184,  50730,  54432,  58291,  62309,  66490,  70835,  75345,  80024,  84872,
    89893,  95088,  100459, 106008, 111738, 117649, 123743, 130023, 136491, 143148, 149996,
    157038, 164273, 171705, 179336, 187166, 195198,
};

int64_t turn_wave_points(unsigned depth)
{
    if (depth <= TABLE_DEPTH) {
        return wave_points[depth];
    }
    uint64_t d = depth;
    uint64_t square = 49 * d * d * d * d * d;
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return (int64_t)root;
}

/* All a running turn needs; hidden or reveal is set. */
struct run {
    struct board *b;
    struct board *hidden;
    turn_reveal reveal;
    void *reveal_ctx;
    const struct turn_watch *watch;
    struct turn *turn;
};

/* One flag (bit 0 of its nibble) a cell, by column. */
struct flags {
    uint32_t col[8];
};

static uint32_t any_bit(uint32_t word)
{
    return (word | word >> 1 | word >> 2 | word >> 3) & ONES;
}

static uint64_t index_mask(const struct flags *f)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        mask |= (uint64_t)(f->col[i % 7] >> (4 * (6 - i / 7)) & 1u) << i;
    }
    return mask;
}

static void show(const struct run *r, struct turn_step step)
{
    if (r->watch) {
        step.board = *r->b;
        r->watch->on_step(r->watch->ctx, &step);
    }
}

/* The discs whose row or column run is their number. */
static uint32_t find_matches(const struct board *b, struct flags *ret)
{
    uint32_t full[8];
    uint32_t left[8];
    uint32_t right = 0;
    uint32_t before = 0;
    uint32_t any = 0;
    for (unsigned c = 0; c < 7; c++) {
        full[c] = any_bit(b->col[c]) * 15;
        before = (before + ONES) & full[c];
        left[c] = before;
    }
    for (unsigned c = 7; c-- > 0;) {
        uint32_t run = left[c] + right;
        right = (right + ONES) & full[c];
        run = (run & full[c]);
        uint32_t height = board_height(b, c) * ONES;
        uint32_t miss = any_bit(b->col[c] ^ run) & any_bit(b->col[c] ^ height);
        ret->col[c] = ~miss & full[c] & ONES;
        any |= ret->col[c];
    }
    return any;
}

static void apply_hits(struct run *r, const struct flags *hit, struct flags *ret_cracked,
                       struct flags *ret_revealed)
{
    struct board *b = r->b;
    for (unsigned c = 0; c < 7; c++) {
        uint32_t n = (hit->col[c] << 4) + (hit->col[c] >> 4) + (c ? hit->col[c - 1] : 0) +
                     (c < 6 ? hit->col[c + 1] : 0);
        uint32_t gray = b->col[c] >> 3 & ONES;
        uint32_t cracked = b->col[c] & gray;
        uint32_t once = any_bit(n);
        uint32_t twice = (n >> 1 | n >> 2) & ONES;
        ret_revealed->col[c] = gray & (twice | (cracked & once));
        ret_cracked->col[c] = gray & ~cracked & once & ~twice;
        r->turn->revealed += (uint32_t)__builtin_popcount(ret_revealed->col[c]);
        r->turn->cracks += (uint32_t)__builtin_popcount(ret_cracked->col[c]);
        b->col[c] += ret_cracked->col[c];
    }
    uint64_t mask = index_mask(ret_revealed);
    for (; mask; mask &= mask - 1) {
        unsigned index = (unsigned)__builtin_ctzll(mask);
        unsigned c = index % 7;
        unsigned shift = 4 * (6 - index / 7);
        uint32_t value;
        if (r->hidden) {
            value = r->hidden->col[c] >> shift & 15u;
            r->hidden->col[c] &= ~(15u << shift);
        } else {
            value = r->reveal(r->reveal_ctx, index);
        }
        b->col[c] = (b->col[c] & ~(15u << shift)) | value << shift;
    }
}

/* Packs the columns; the flags of the cells that moved, where they are now. */
static void settle(struct run *r, const struct flags *gone, struct flags *ret_moved)
{
    for (unsigned c = 0; c < 7; c++) {
        uint32_t lowest = gone->col[c] & (0u - gone->col[c]);
        for (uint32_t left = gone->col[c]; left;) {
            uint32_t bit = left & (0u - left);
            uint32_t below = bit - 1;
            r->b->col[c] = (r->b->col[c] & below) | (r->b->col[c] >> 4 & ~below);
            if (r->hidden) {
                r->hidden->col[c] = (r->hidden->col[c] & below) | (r->hidden->col[c] >> 4 & ~below);
            }
            left = (left ^ bit) >> 4;
        }
        ret_moved->col[c] = lowest ? any_bit(r->b->col[c]) & ~(lowest - 1) : 0;
    }
}

static void cascade(struct run *r)
{
    struct flags hit = {{0}};
    struct flags cracked = {{0}};
    struct flags revealed = {{0}};
    struct flags moved = {{0}};
    while (find_matches(r->b, &hit)) {
        uint32_t wave = ++r->turn->waves;
        uint32_t count = 0;
        for (unsigned c = 0; c < 7; c++) {
            count += (uint32_t)__builtin_popcount(hit.col[c]);
            r->b->col[c] &= ~(hit.col[c] * 15);
        }
        r->turn->cleared += count;
        r->turn->points += count * turn_wave_points(wave);
        show(r, (struct turn_step){.kind = STEP_BURST,
                                   .wave = wave,
                                   .cells = index_mask(&hit),
                                   .points_each = (uint32_t)turn_wave_points(wave)});
        apply_hits(r, &hit, &cracked, &revealed);
        uint64_t c = index_mask(&cracked);
        uint64_t v = index_mask(&revealed);
        if (c | v) {
            show(r, (struct turn_step){.kind = STEP_IMPACT,
                                       .wave = wave,
                                       .cells = c | v,
                                       .cracked = c,
                                       .revealed = v});
        }
        settle(r, &hit, &moved);
        uint64_t m = index_mask(&moved);
        if (m) {
            show(r, (struct turn_step){.kind = STEP_SETTLE, .wave = wave, .cells = m});
        }
    }
    if (board_is_empty(r->b)) {
        r->turn->points += TURN_CLEAR_BONUS;
    }
}

static void rise_row(struct run *r, const uint8_t *row)
{
    for (unsigned c = 0; c < 7; c++) {
        r->b->col[c] = r->b->col[c] << 4 | CELL_SOLID;
        if (r->hidden) {
            r->hidden->col[c] = r->hidden->col[c] << 4 | row[c];
        }
    }
    r->turn->rose = true;
    r->turn->points += TURN_RISE_BONUS;
    show(r, (struct turn_step){.kind = STEP_RISE, .cells = (uint64_t)127 << 42});
}

static bool top_occupied(const struct board *b)
{
    return board_legal(b) != 127;
}

static void play(struct run *r, unsigned column, unsigned disc, uint8_t *rise, const uint8_t *row)
{
    if (column >= 7 || r->b->col[column] >> 24 || disc - 1 > 6 || *rise - 1u > 4) {
        __builtin_trap(); /* callers test board_legal first: a bug of ours */
    }
    unsigned height = board_height(r->b, column);
    r->b->col[column] |= disc << (4 * height);
    show(r, (struct turn_step){.kind = STEP_DROP,
                               .cells = (uint64_t)1 << (7 * (6 - height) + column)});
    cascade(r);
    if (--*rise == 0) {
        if (top_occupied(r->b)) {
            r->turn->over = true;
            return;
        }
        rise_row(r, row);
        *rise = TURN_RISE_EVERY;
        cascade(r);
    }
    r->turn->over = board_legal(r->b) == 0;
}

void turn_hidden(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                 uint8_t *rise, const uint8_t row[BOARD_COLUMNS], const struct turn_watch *watch,
                 struct turn *ret)
{
    struct turn turn = {0};
    struct run r = {.b = b, .hidden = hidden, .watch = watch, .turn = &turn};
    play(&r, column, disc, rise, row);
    *ret = turn;
}

void turn_sampled(struct board *b, unsigned column, unsigned disc, uint8_t *rise,
                  turn_reveal reveal, void *ctx, const struct turn_watch *watch, struct turn *ret)
{
    struct turn turn = {0};
    struct run r = {.b = b, .reveal = reveal, .reveal_ctx = ctx, .watch = watch, .turn = &turn};
    play(&r, column, disc, rise, NULL);
    *ret = turn;
}
