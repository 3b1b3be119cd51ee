#include "engine/policy/profile.h"

#include <string.h>

#define RUN_BIT(m, a, b)                                                                           \
    ((((m) >> (a)) & ((1u << ((b) - (a) + 1)) - 1)) == (1u << ((b) - (a) + 1)) - 1)

/* The longest stretch of ones through bit c. */
#define REACH(m, c, k) (RUN_BIT(m, (k) < (c) ? (k) : (c), (k) < (c) ? (c) : (k)) ? 1u << (k) : 0u)
#define RUN(m, c)                                                                                  \
    (REACH(m, c, 0) | REACH(m, c, 1) | REACH(m, c, 2) | REACH(m, c, 3) | REACH(m, c, 4) |          \
     REACH(m, c, 5) | REACH(m, c, 6))
#define ROW(m)                                                                                     \
    {                                                                                              \
        RUN(m, 0), RUN(m, 1), RUN(m, 2), RUN(m, 3), RUN(m, 4), RUN(m, 5), RUN(m, 6), 0             \
    }
#define ROWS4(m)  ROW(m), ROW((m) + 1u), ROW((m) + 2u), ROW((m) + 3u)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4u), ROWS4((m) + 8u), ROWS4((m) + 12u)

const uint8_t profile_runs[128][8] = {ROWS16(0u),  ROWS16(16u), ROWS16(32u), ROWS16(48u),
                                      ROWS16(64u), ROWS16(80u), ROWS16(96u), ROWS16(112u)};

/* For the row at an elevation: byte c is how many discs column c lacks to reach it. */
static uint64_t gaps_of(uint64_t heights, unsigned elevation)
{
    const uint64_t signs = 0x80u * GRID_COLUMN_ONES;
    uint64_t gaps = (elevation * GRID_COLUMN_ONES | signs) - heights;
    uint64_t reached = (gaps & signs) >> 7; /* 1 where the column is not higher than the row */
    return gaps & reached * 0x7fu;
}

/* The least total of the windows of v columns that hold the run start..end of a row and end at gaps
 * or walls; 0: there is none. The run is shorter than v. totals: byte c is the gaps of columns
 * 0..c-1, so the cost of a window is one subtraction. */
static unsigned window_cost(unsigned row_mask, uint64_t totals, unsigned start, unsigned end,
                            unsigned v)
{
    unsigned first = end + 1 > v ? end + 1 - v : 0;
    unsigned last = start < 7 - v ? start : 7 - v;
    unsigned best = 0;
    unsigned framed = row_mask << 1; /* bits 0 and 8 are the walls */
    for (unsigned s = first; s <= last; s++) {
        if ((framed >> s & 1u) || (framed >> (s + v + 1) & 1u)) {
            continue;
        }
        unsigned cost =
            (unsigned)(totals >> (8 * (s + v)) & 255u) - (unsigned)(totals >> (8 * s) & 255u);
        if (best == 0 || cost < best) { /* never 0: the run is shorter, so a column lacks discs */
            best = cost;
        }
    }
    return best;
}

static void fill_row(struct profile_row *r, uint64_t gaps, unsigned mask)
{
    uint64_t totals = gaps * GRID_COLUMN_ONES << 8; /* the product's bytes are running totals */
    memset(r, 0, sizeof(*r));
    r->gaps = gaps;
    r->known = true;
    for (unsigned left = mask; left;) {
        unsigned start = grid_lowest(left);
        unsigned run = profile_runs[mask][start];
        unsigned end = 31u - (unsigned)__builtin_clz(run);
        for (unsigned k = 0; k < 3; k++) {
            r->length[k] |= (uint8_t)((end - start + 1) >> k & 1u ? run : 0);
        }
        for (unsigned v = end - start + 2; v <= 7; v++) {
            unsigned cost = window_cost(mask, totals, start, end, v);
            for (unsigned c = start; c <= end; c++) {
                r->cost[c][v] = (uint8_t)cost;
            }
            r->adds |= cost ? (uint64_t)run << (8 * v) : 0;
        }
        left &= ~run;
    }
}

/* Where a row is remembered; asks for it to be brought near. */
static struct profile_row *row_slot(struct profiles *all, uint64_t gaps)
{
    struct profile_row *r = &all->row[gaps * 0x9e3779b97f4a7c15u >> (64 - PROFILE_ROW_BITS)];
    __builtin_prefetch(r);
    __builtin_prefetch((const char *)r + sizeof(*r) - 1);
    return r;
}

/* A byte a column: how many cells of it are occupied. The product moves bit c of a row to byte c.
 */
static uint64_t heights_of(uint64_t occupied)
{
    uint64_t heights = 0;
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        heights += (occupied >> (8 * row) & 127u) * 0x0002040810204081u & GRID_COLUMN_ONES;
    }
    return heights;
}

/* All cells of the columns whose byte has bit 0 set; the product gathers those bits. */
static uint64_t whole_columns(uint64_t bytes)
{
    return ((bytes & GRID_COLUMN_ONES) * 0x0102040810204080u >> 56) * GRID_COLUMN_ONES;
}

/* Terms 1, 2, 16, 17, the -18 of term 5, and the options of term 18. */
static void fill_terms(struct profile *p, unsigned tallest)
{
    static const uint8_t load[8] = {0, 1, 5, 14, 30, 55, 91, 140}; /* sums of squares */
#define PRESSURE(cube)                                                                             \
    {                                                                                              \
        (cube) / 1.0, (cube) / 2.0, (cube) / 3.0, (cube) / 4.0, (cube) / 5.0                       \
    }
    static const double of_height[8][5] = {PRESSURE(0.0),   PRESSURE(1.0),  PRESSURE(8.0),
                                           PRESSURE(27.0),  PRESSURE(64.0), PRESSURE(125.0),
                                           PRESSURE(216.0), PRESSURE(343.0)};
    double pressure[5] = {0};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned h = p->column_height[c];
        p->points += (h < BOARD_ROWS ? 180 : 0) - 20 * load[h] - 18 * (int32_t)h;
        p->options += h < BOARD_ROWS ? 1u << (4 * (h + 1)) : 0;
        for (unsigned k = 0; k < 5; k++) {
            pressure[k] += of_height[h][k];
        }
    }
    for (unsigned k = 0; k < 5; k++) {
        p->pressure[k + 1] = pressure[k] * -35.0;
    }
    double danger = tallest > 4 ? tallest - 4 : 0;
    p->danger = danger * danger * -1250.0;
}

void profile_fill(struct profiles *all, uint64_t occupied, struct profile *ret)
{
    struct profile *p = ret;
    uint64_t heights = heights_of(occupied);
    unsigned tallest = occupied ? 7 - grid_row(grid_lowest(occupied)) : 0;
    struct profile_row *rows[BOARD_ROWS] = {NULL};
    uint64_t gaps[BOARD_ROWS] = {0};
    for (unsigned row = BOARD_ROWS - tallest; row < BOARD_ROWS; row++) {
        gaps[row] = gaps_of(heights, 7 - row);
        rows[row] = row_slot(all, gaps[row]);
    }
    memset(p, 0, offsetof(struct profile, cost)); /* costs are read for occupied cells only */
    p->occupied = occupied;
    p->known = true;
    memcpy(p->column_height, &heights, sizeof(heights));
    fill_terms(p, tallest);
    for (unsigned k = 0; k < 3; k++) {
        p->column_length[k] = whole_columns(heights >> k) & occupied;
    }
    for (unsigned v = 1; v <= 7; v++) { /* in columns lower than v: not in row 7 - v */
        p->adds[v] = (~(occupied >> (8 * (7 - v))) & 127u) * GRID_COLUMN_ONES & occupied;
    }
    for (unsigned row = BOARD_ROWS - tallest; row < BOARD_ROWS; row++) {
        struct profile_row *r = rows[row];
        if (r->gaps != gaps[row] || !r->known) {
            fill_row(r, gaps[row], (unsigned)(occupied >> (8 * row)) & 127u);
        }
        memcpy(p->cost[8 * row], r->cost, sizeof(r->cost));
        for (unsigned v = 2; v <= 7; v++) {
            p->adds[v] |= (r->adds >> (8 * v) & 127u) << (8 * row);
        }
        for (unsigned k = 0; k < 3; k++) {
            p->row_length[k] |= (uint64_t)r->length[k] << (8 * row);
        }
    }
}
