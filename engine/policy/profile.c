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

/* For the row at an elevation: byte c is how many discs columns 0..c-1 lack to reach it. Distances
 * are summed in one word, a byte a column: the multiplication turns gaps into running totals, so
 * the cost of a window is one subtraction. */
static uint64_t gap_totals(uint64_t heights, unsigned elevation)
{
    const uint64_t signs = 0x80u * GRID_COLUMN_ONES;
    uint64_t gaps = (elevation * GRID_COLUMN_ONES | signs) - heights;
    uint64_t reached = (gaps & signs) >> 7; /* 1 where the column is not higher than the row */
    gaps &= reached * 0x7fu;
    return gaps * GRID_COLUMN_ONES << 8;
}

/* The least total of the windows of v columns that hold the run start..end of a row and end at gaps
 * or walls; 0: there is none. The run is shorter than v. */
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

/* Runs, costs and masks of one row. */
static void fill_row(struct profile *p, unsigned row, uint64_t heights)
{
    unsigned mask = (unsigned)(p->occupied >> (8 * row)) & 127u;
    uint64_t totals = gap_totals(heights, 7 - row);
    for (unsigned left = mask; left;) {
        unsigned start = grid_lowest(left);
        unsigned run = profile_runs[mask][start];
        unsigned end = 31u - (unsigned)__builtin_clz(run);
        unsigned length = end - start + 1;
        uint64_t cells = (uint64_t)run << (8 * row);
        uint8_t cost[8] = {0};
        for (unsigned k = 0; k < 3; k++) {
            p->row_length[k] |= length >> k & 1u ? cells : 0;
        }
        for (unsigned v = length + 1; v <= 7; v++) {
            cost[v] = (uint8_t)window_cost(mask, totals, start, end, v);
            p->adds[v] |= cost[v] ? cells : 0;
        }
        for (unsigned c = start; c <= end; c++) {
            memcpy(p->cost[8 * row + c], cost, sizeof(cost));
        }
        left &= ~run;
    }
}

void profile_fill(uint64_t occupied, struct profile *ret)
{
    static const uint8_t load_of_height[8] = {0, 1, 5, 14, 30, 55, 91, 140}; /* sums of squares */
    struct profile *p = ret;
    uint64_t heights = 0;
    unsigned tallest = 0;
    memset(p, 0, offsetof(struct profile, cost)); /* costs are read for occupied cells only */
    p->occupied = occupied;
    p->known = true;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        uint64_t column = GRID_COLUMN_ONES << c & occupied;
        unsigned h = grid_count(column);
        p->column_height[c] = (uint8_t)h;
        heights |= (uint64_t)h << (8 * c);
        tallest = h > tallest ? h : tallest;
        p->points += (h < BOARD_ROWS ? 180 : 0) - 20 * load_of_height[h] - 18 * (int32_t)h;
        p->options += h < BOARD_ROWS ? 1u << (4 * (h + 1)) : 0;
        for (unsigned k = 0; k < 3; k++) {
            p->column_length[k] |= h >> k & 1u ? column : 0;
        }
        for (unsigned v = h + 1; v <= 7; v++) {
            p->adds[v] |= column;
        }
    }
    double danger = tallest > 4 ? tallest - 4 : 0;
    p->danger = danger * danger * -1250.0;
    for (unsigned rise = 1; rise <= 5; rise++) {
        double pressure = 0.0;
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            unsigned h = p->column_height[c];
            pressure += (double)(h * h * h) / (double)rise;
        }
        p->pressure[rise] = pressure * -35.0;
    }
    for (unsigned row = BOARD_ROWS - tallest; row < BOARD_ROWS; row++) {
        fill_row(p, row, heights);
    }
}
