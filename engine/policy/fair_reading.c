/*
 * Design note
 *
 * A reading touches only cells it can get something from. The profile says where each number would
 * have an addition; a release needs a disc with an addition in the same run and a number under the
 * run's length; gray cells need a ready neighbour. All of that is masks, so the loops below run
 * over a handful of cells. Proof   a cell left out has the value 0 in the text, and adding 0 (or
 * multiplying by 1 - 0) changes no sum here, none of which is ever -0. What is added is added in
 * row-major order: bits ascend.
 */
#include "engine/policy/fair_reading.h"

#include <string.h>

#include "engine/rules/lanes.h"

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

void fair_reading_start(struct fair_reading *r, const struct board *b, uint64_t hole,
                        struct profiles *profiles, struct fair_cells *cells)
{
    uint64_t plane[4];
    grid_planes(b, plane);
    for (unsigned i = 0; i < 4; i++) {
        plane[i] &= ~hole;
    }
    uint64_t occupied = plane[0] | plane[1] | plane[2] | plane[3] | hole;
    uint64_t big = plane[2] & ~plane[3];
    uint64_t small = occupied & ~(plane[2] | plane[3] | hole);
    uint64_t two = big & plane[1];
    uint64_t none = big & ~plane[1];
    r->profile = profile_of(profiles, occupied);
    r->cells = cells;
    r->ready = cells->around + 8;
    r->covered = plane[3];
    r->cracked = plane[3] & plane[0];
    r->numbers = occupied & ~(plane[3] | hole);
    r->number[0] = plane[0];
    r->number[1] = plane[1];
    r->number[2] = plane[2];
    r->is[0] = 0;
    r->is[1] = small & ~plane[1];
    r->is[2] = small & ~plane[0];
    r->is[3] = small & plane[1] & plane[0];
    r->is[4] = none & ~plane[0];
    r->is[5] = none & plane[0];
    r->is[6] = two & ~plane[0];
    r->is[7] = two & plane[0];
}

/* Additions, and their sum: term 7. */
double fair_reading_additions(struct fair_reading *r, double table[][8])
{
    const struct profile *p = r->profile;
    double sum = 0.0;
    r->adds = 0;
    for (unsigned v = 1; v <= 7; v++) {
        r->adds |= r->is[v] & p->adds[v];
    }
    for (uint64_t left = r->adds; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned v = fair_number_at(r, bit);
        double addition = table[p->cost[bit][v]][profile_need(p, bit, v)];
        r->ready[bit] = addition;
        sum += addition;
    }
    return sum;
}

/* The discs of a row run or column that have an addition and are not the lowest bit of it. */
static inline uint64_t row_repeats(uint64_t adds)
{
    uint64_t rows = (adds + 0x7f * GRID_COLUMN_ONES) >> 7 & GRID_COLUMN_ONES; /* not empty */
    return adds & (adds - rows);
}

static inline uint64_t column_repeats(uint64_t adds)
{
    uint64_t above = adds << 8;
    above |= above << 8;
    above |= above << 16;
    above |= above << 32;
    return adds & above;
}

/* The occupied cells in a row run with one of `from`: doubling steps to both sides. */
static inline uint64_t fill_rows(uint64_t from, uint64_t occupied)
{
    uint64_t up = from;
    uint64_t down = from;
    uint64_t up_open = occupied;
    uint64_t down_open = occupied;
    up |= up_open & up << 1;
    down |= down_open & down >> 1;
    up_open &= up_open << 1;
    down_open &= down_open >> 1;
    up |= up_open & up << 2;
    down |= down_open & down >> 2;
    up_open &= up_open << 2;
    down_open &= down_open >> 2;
    up |= up_open & up << 4;
    down |= down_open & down >> 4;
    return up | down;
}

/* All cells in a column with one of `from`. */
static inline uint64_t fill_columns(uint64_t from)
{
    from |= from >> 32;
    from |= from >> 16;
    from |= from >> 8;
    return (from & 127u) * GRID_COLUMN_ONES;
}

double fair_reading_ranked(const struct fair_reading *r, uint64_t others, unsigned rank)
{
    if (grid_count(others) < rank) {
        return 0.0;
    }
    double sorted[BOARD_ROWS] = {0};
    for (; others; others &= others - 1) {
        double value = r->ready[grid_lowest(others)];
        for (unsigned at = 0; at < rank; at++) {
            double rest = smaller(sorted[at], value);
            sorted[at] = larger(sorted[at], value);
            value = rest;
        }
    }
    return sorted[rank - 1];
}

/* A release by more than two. */
static double relief(const struct fair_reading *r, uint64_t others, unsigned excess)
{
    return fair_reading_ranked(r, others, excess) * readiness(excess);
}

static inline double largest(const struct fair_reading *r, uint64_t others)
{
    double value = 0.0;
    for (; others; others &= others - 1) {
        value = larger(value, r->ready[grid_lowest(others)]);
    }
    return value;
}

static inline double second_largest(const struct fair_reading *r, uint64_t others)
{
    double first = 0.0;
    double second = 0.0;
    for (; others; others &= others - 1) {
        double value = r->ready[grid_lowest(others)];
        second = larger(second, smaller(first, value));
        first = larger(first, value);
    }
    return second;
}

/* Releases in rows. A number one under its run's length takes the largest addition of the others,
 * two under the second largest, and so on: which needs that many, so few are left to look at.
 * Returns the cells with an excess. */
static uint64_t find_row_releases(struct fair_reading *r)
{
    uint64_t occupied = r->profile->occupied;
    double *release = r->cells->row_release;
    struct fair_excess e = fair_excess_of(r, r->profile->row_length);
    uint64_t one = e.one & fill_rows(r->adds, occupied);
    for (uint64_t left = one; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        release[bit] = largest(r, fair_row_run(occupied, bit) & r->adds & ~self);
    }
    r->releases |= one;
    uint64_t repeats = row_repeats(r->adds);
    if (repeats) {
        uint64_t two = e.two & fill_rows(repeats, occupied);
        uint64_t more = e.more & fill_rows(row_repeats(repeats), occupied);
        for (uint64_t left = two; left; left &= left - 1) {
            unsigned bit = grid_lowest(left);
            uint64_t self = left & (0 - left);
            release[bit] = second_largest(r, fair_row_run(occupied, bit) & r->adds & ~self) * 0.5;
        }
        for (uint64_t left = more; left; left &= left - 1) {
            unsigned bit = grid_lowest(left);
            uint64_t self = left & (0 - left);
            uint64_t run = fair_row_run(occupied, bit);
            release[bit] =
                relief(r, run & r->adds & ~self, grid_count(run) - fair_number_at(r, bit));
        }
        r->releases |= two | more;
    }
    return e.one | e.two | e.more;
}

static uint64_t find_column_releases(struct fair_reading *r)
{
    double *release = r->cells->column_release;
    struct fair_excess e = fair_excess_of(r, r->profile->column_length);
    uint64_t one = e.one & fill_columns(r->adds);
    for (uint64_t left = one; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
        release[bit] = largest(r, column & r->adds & ~self);
    }
    r->releases |= one;
    uint64_t repeats = column_repeats(r->adds);
    if (repeats) {
        uint64_t two = e.two & fill_columns(repeats);
        uint64_t more = e.more & fill_columns(column_repeats(repeats));
        for (uint64_t left = two; left; left &= left - 1) {
            unsigned bit = grid_lowest(left);
            uint64_t self = left & (0 - left);
            uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
            release[bit] = second_largest(r, column & r->adds & ~self) * 0.5;
        }
        for (uint64_t left = more; left; left &= left - 1) {
            unsigned bit = grid_lowest(left);
            uint64_t self = left & (0 - left);
            uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
            unsigned height = r->profile->column_height[grid_column(bit)];
            release[bit] = relief(r, column & r->adds & ~self, height - fair_number_at(r, bit));
        }
        r->releases |= two | more;
    }
    return e.one | e.two | e.more;
}

void fair_reading_releases(struct fair_reading *r)
{
    r->releases = 0;
    r->dead_low = find_row_releases(r) & find_column_releases(r) & (r->is[1] | r->is[2]);
}

double fair_reading_ready(struct fair_reading *r)
{
    struct fair_cells *cells = r->cells;
    double sum = 0.0;
    for (uint64_t left = r->releases; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        double release = readiness_either(cells->row_release[bit], cells->column_release[bit]);
        cells->row_release[bit] = cells->column_release[bit] = 0.0;
        r->ready[bit] = readiness_either(r->ready[bit], release);
        sum += release;
    }
    return sum;
}

static double row_escape(const struct fair_reading *r, unsigned bit, unsigned v)
{
    unsigned need = profile_need(r->profile, bit, v);
    return readiness_either(need ? readiness(need) : 0.0, r->cells->column_release[bit]);
}

static double column_escape(const struct fair_reading *r, unsigned bit, unsigned v)
{
    unsigned cost = r->profile->cost[bit][v];
    return readiness_either(cost ? readiness(cost) : 0.0, r->cells->row_release[bit]);
}

/* Neighbouring ones block each other; each pair counts less the nearer one of them is to leave the
 * line they share. */
double fair_reading_adjacent_ones(const struct fair_reading *r)
{
    uint64_t ones = r->is[1];
    double sum = 0.0;
    for (uint64_t left = ones & (ones >> 1 | ones >> 8); left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        if (ones >> (bit + 1) & 1u) {
            sum += 1.0 - larger(row_escape(r, bit, 1), row_escape(r, bit + 1, 1));
        }
        if (ones >> (bit + 8) & 1u) { /* at most row 7, which is empty */
            sum += 1.0 - larger(column_escape(r, bit, 1), column_escape(r, bit + 8, 1));
        }
    }
    return sum;
}

/* Adds the runs of three and more twos of one line: `step` apart from bit `first` on. */
static void add_two_runs(const struct fair_reading *r, unsigned first, unsigned step, double *sum)
{
    for (unsigned k = 0; k < 7; k++) {
        unsigned length = 0;
        double escape = 0.0;
        for (; k < 7 && (r->is[2] >> (first + k * step) & 1u); k++, length++) {
            unsigned bit = first + k * step;
            escape = larger(escape, step == 1 ? row_escape(r, bit, 2) : column_escape(r, bit, 2));
        }
        if (length > 2) {
            double excess = length - 2;
            *sum += (excess * excess) * (1.0 - escape);
        }
    }
}

double fair_reading_triple_twos(const struct fair_reading *r)
{
    uint64_t twos = r->is[2];
    double sum = 0.0;
    if (!((twos & twos << 1 & twos >> 1) | (twos & twos << 8 & twos >> 8))) {
        return sum;
    }
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        add_two_runs(r, 8 * row, 1, &sum);
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        add_two_runs(r, c, 8, &sum);
    }
    return sum;
}

double fair_reading_dead_low(const struct fair_reading *r)
{
    double sum = 0.0;
    for (uint64_t left = r->dead_low; left; left &= left - 1) {
        sum += 1.0 - r->ready[grid_lowest(left)];
    }
    return sum;
}

/* Gray discs gain from neighbours that are ready to clear, the readiest first: a sorting network
 * puts up and down, then left and right, then both in order. */
void fair_reading_exposures(const struct fair_reading *r, double *ret_cracked, double *ret_solid)
{
    uint64_t near = grid_beside(r->adds | r->releases);
    double solid = 0.0;
    double cracked = 0.0;
    for (uint64_t left = near & r->covered & ~r->cracked; left; left &= left - 1) {
        const double *ready = &r->ready[grid_lowest(left)];
        double high = larger(ready[-8], ready[8]);
        double low = smaller(ready[-8], ready[8]);
        double high2 = larger(ready[-1], ready[1]);
        double low2 = smaller(ready[-1], ready[1]);
        double second = larger(smaller(high, high2), larger(low, low2));
        solid += larger(high, high2) * 0.35 + second * 0.65;
    }
    for (uint64_t left = near & r->cracked; left; left &= left - 1) {
        const double *ready = &r->ready[grid_lowest(left)];
        double high = larger(ready[-8], ready[8]);
        double low = smaller(ready[-8], ready[8]);
        double high2 = larger(ready[-1], ready[1]);
        double low2 = smaller(ready[-1], ready[1]);
        double middle = smaller(high, high2);
        double middle2 = larger(low, low2);
        double closed = 1.0 - larger(high, high2);
        closed = closed * (1.0 - larger(middle, middle2));
        closed = closed * (1.0 - smaller(middle, middle2));
        closed = closed * (1.0 - smaller(low, low2));
        cracked += 1.0 - closed;
    }
    *ret_cracked = cracked;
    *ret_solid = solid;
}

void fair_reading_end(const struct fair_reading *r)
{
    for (unsigned row = 0; row < BOARD_ROWS; row++) { /* cheaper than to look for them */
        memset(r->ready + 8 * row, 0, 8 * sizeof(double));
    }
}
