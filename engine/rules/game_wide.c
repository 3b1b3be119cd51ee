/*
 * Design note
 *
 * The move of round.c, turn.c's turn and wave.h's wave where eight lanes fit in one register:
 * columns 0 to 6 in order, lane 7 always 0. Every column is worked on once (wave.h folds the board
 * and has column 3 twice), and there is half as much to do. The text is another one because the
 * layout is: what differs is explained here, the rest is wave.h's idea and has its names.
 *
 *   neighbours  lanes rotate by 1, 2 and 4. Lane 7 is empty, so nothing comes round the edge: a
 *               flag that lands there finds no gray disc, and no run passes it.
 *   runs        by doubling. After a step of 1, 2 and 4 columns a number holds the length of the
 *               run that ends in its cell as far as 2, 4 and 7; a step adds the number that many
 *               columns away where the run got that far. Both directions count the cell itself.
 *   full        fifteens in the occupied nibbles, kept up through all of the turn. A column is
 *               packed: full + 1 is 16^height, which as a float has 127 + 4*height for its
 *               exponent, and (127 + 4*height) / 4 is height - 1 in its lowest three bits.
 *   drop        the lowest empty nibble of each column is (full * 16 + 15) & ~full; the drop's
 *               matches are wave_drop_matches'.
 */
#include "engine/rules/game_wide.h"

#ifdef __AVX2__

#include <immintrin.h>

#include "engine/rules/wave.h"

#define COLUMNS ((wide){0, 1, 2, 3, 4, 5, 6, 7})
#define INSIDE  ((wide){~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0}) /* all lanes but the empty one */

typedef uint32_t wide __attribute__((vector_size(32)));

/* a and b side by side in each half, from byte n of b on. */
#define ALIGN(a, b, n) ((wide)_mm256_alignr_epi8((__m256i)(a), (__m256i)(b), n))

LANES_FN wide load(const uint32_t *from)
{
    wide v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
}

LANES_FN void store(uint32_t *to, wide v)
{
    __builtin_memcpy(to, &v, sizeof(v));
}

LANES_FN wide all(uint32_t word)
{
    return (wide){word, word, word, word, word, word, word, word};
}

LANES_FN bool any(wide v)
{
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}

/* Bit i: the top bit of lane i. */
LANES_FN unsigned signs(wide v)
{
    return (unsigned)_mm256_movemask_ps((__m256)v);
}

/* The halves change places: a rotation by four lanes. */
LANES_FN wide swap(wide v)
{
    return (wide)_mm256_permute2x128_si256((__m256i)v, (__m256i)v, 1);
}

/* Each lane gets what the lane `table[i] % 8` of v holds. */
LANES_FN wide pick(wide v, wide table)
{
    return (wide)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)table);
}

LANES_FN wide whole(wide flags)
{
    return (flags << 4) - flags;
}

LANES_FN wide full_of(wide x)
{
    wide t = x | x >> 1;
    return whole((t | t >> 2) & WAVE_ONES);
}

LANES_FN wide differ(wide x, wide y)
{
    return ((x ^ y) & WAVE_SEVENS) + WAVE_SEVENS;
}

/* The cells of `where` (flags) whose bit 3 is clear in miss and in the board: those that match. */
LANES_FN wide matching(wide miss, wide x, wide where)
{
    return where & ~((miss | x) >> 3);
}

LANES_FN uint32_t count(wide flags)
{
    uint64_t even = (uint32_t)_mm256_movemask_epi8((__m256i)(flags << 7));
    uint64_t odd = (uint32_t)_mm256_movemask_epi8((__m256i)(flags << 3));
    return (uint32_t)__builtin_popcountll(even << 32 | odd);
}

/* The height of each column in each of its nibbles. */
LANES_FN wide heights(wide full)
{
    const wide number = {1 * WAVE_ONES, 2 * WAVE_ONES, 3 * WAVE_ONES, 4 * WAVE_ONES,
                         5 * WAVE_ONES, 6 * WAVE_ONES, 7 * WAVE_ONES, 0};
    wide power = (wide)_mm256_cvtepi32_ps((__m256i)(full + 1));
    return pick(number, power >> 25);
}

/* The length of the row run of each occupied cell. */
LANES_FN wide row_runs(wide full)
{
    wide one = full & WAVE_ONES;
    wide turned = swap(full);
    /* fifteens where the run to the left, to the right, is at least 2 */
    wide l2 = ALIGN(full, turned, 12) & full;
    wide r2 = ALIGN(turned, full, 4) & full;
    wide left = one + (l2 & WAVE_ONES);
    wide right = one + (r2 & WAVE_ONES);
    /* at least 4 */
    wide l4 = ALIGN(l2, swap(l2), 8) & l2;
    wide r4 = ALIGN(swap(r2), r2, 8) & r2;
    left += ALIGN(left, swap(left), 8) & l2;
    right += ALIGN(swap(right), right, 8) & r2;
    left += swap(left) & l4;
    right += swap(right) & r4;
    return left + right - one;
}

LANES_FN wide matches(wide x, wide full)
{
    wide miss = differ(x, row_runs(full)) & differ(x, heights(full));
    return matching(miss, x, full & WAVE_ONES);
}

LANES_FN wide rise_matches(wide x, wide full)
{
    return matching(differ(x, heights(full)), x, full & WAVE_ONES);
}

/* A sum, not an or: the compiler makes of the or what takes a step longer. */
LANES_FN wide choose(wide where, wide yes, wide no)
{
    return (where & yes) + (~where & no);
}

struct table {
    wide x; /* what is seen */
    wide hidden;
    wide full; /* of x */
};

LANES_FN void settle(struct table *at, wide gone)
{
    do {
        wide below = (gone - 1) & ~gone;
        at->x = choose(below, at->x, at->x >> 4);
        at->hidden = choose(below, at->hidden, at->hidden >> 4);
        at->full = choose(below, at->full, at->full >> 4);
        gone = (gone & (gone - 1)) >> 4;
    } while (any(gone));
}

/* Waves until nothing matches, beginning with `hit`, which is not empty. */
LANES_FN void cascade(struct table *table, wide hit, struct turn *t)
{
    struct table at = *table;
    do {
        uint32_t gone = count(hit);
        t->waves++;
        t->cleared += gone;
        t->points += (int64_t)gone * wave_points[t->waves];
        wide turned = swap(hit);
        wide hits = (hit << 4) + (hit >> 4) + ALIGN(hit, turned, 12) + ALIGN(turned, hit, 4);
        wide gray = at.x >> 3 & WAVE_ONES;
        wide twice = hits >> 1 | hits >> 2;
        wide revealed = gray & (twice | (at.x & hits));
        wide cracked = gray & hits & ~(twice | at.x);
        t->cracks += count(cracked);
        t->revealed += count(revealed);
        wide open = whole(revealed);
        at.x = choose(open, at.hidden, at.x + cracked);
        at.hidden &= ~open;
        settle(&at, hit);
        hit = matches(at.x, at.full);
    } while (any(hit));
    if (!any(at.x)) {
        t->points += TURN_CLEAR_BONUS;
    }
    *table = at;
}

/* Puts the disc there and finds what clears by it. height is the column's before. */
LANES_FN wide drop(struct table *at, unsigned column, unsigned height, unsigned disc)
{
    const wide here = (wide)(all(column) == COLUMNS);
    wide next = (at->full << 4 | 15) & ~at->full;
    at->x |= next & here & all(disc * WAVE_ONES);
    at->full |= next & here;
    wide row = pick(next, all(column)); /* fifteens where the disc came to lie, in every column */
    unsigned empty = signs((wide)((at->full & row) == 0));
    wide value = at->x >> (4 * height) & 15;
    wide run = (wide)(value == load(wave_runs[~empty & 127]));
    wide down = matching(differ(at->x, all((height + 1) * WAVE_ONES)), at->x, here & WAVE_ONES);
    return (run & row & WAVE_ONES) | down;
}

LANES_FN void rise(struct table *at, const uint8_t row[BOARD_COLUMNS])
{
    at->x = at->x << 4 | (CELL_SOLID & INSIDE);
    at->hidden =
        at->hidden << 4 | (wide){row[0], row[1], row[2], row[3], row[4], row[5], row[6], 0};
    at->full = at->full << 4 | (15 & INSIDE);
}

/* Bit c: the top cell of column c is occupied. */
LANES_FN unsigned tops(const struct table *at)
{
    return signs(at->full << 4);
}

static void play(struct game *g, const struct round *r, unsigned column, struct turn *ret)
{
    struct turn t = {0};
    unsigned disc = r->discs[g->moves];
    WAVE_CHECK(column < BOARD_COLUMNS && g->board.col[column] >> 24 == 0);
    WAVE_CHECK(disc - 1 <= 6 && g->rise - 1u <= 4);
    uint32_t word = g->board.col[column];
    unsigned height = (31u - (unsigned)__builtin_clz(word << 4 | 8)) / 4u;
    struct table at = {load(g->board.col), load(g->hidden.col), full_of(load(g->board.col))};
    wide hit = drop(&at, column, height, disc);
    if (any(hit)) {
        cascade(&at, hit, &t);
    }
    if (--g->rise == 0) {
        if (tops(&at)) {
            t.over = true;
            goto out;
        }
        rise(&at, r->rows[g->rises + 1]);
        g->rise = TURN_RISE_EVERY;
        t.rose = true;
        t.points += TURN_RISE_BONUS;
        hit = rise_matches(at.x, at.full);
        if (any(hit)) {
            cascade(&at, hit, &t);
        }
    }
    t.over = tops(&at) == 127;
out:
    store(g->board.col, at.x);
    store(g->hidden.col, at.hidden);
    game_count(g, r, &t);
    *ret = t;
}

const game_player game_play_wide = play;

#else

const game_player game_play_wide = NULL;

#endif
