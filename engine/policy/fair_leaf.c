/*
 * Design note
 *
 * A leaf touches only cells it can get something from. The profile says where each number would
 * have an addition; a release needs a disc with an addition in the same run and a number just under
 * the run's length; gray cells need a ready neighbour. All of that is masks, so the loops below run
 * over a handful of cells.
 * Proof   a cell left out has the value 0 in the text, and adding 0 (or multiplying by 1 - 0)
 * changes no sum here, none of which is ever -0. What is added is added in row-major order: bits
 * ascend. Terms 1-6 are integers far below 2^53, whatever their order.
 */
#include "engine/policy/fair_leaf.h"

#include <string.h>

#include "engine/base/check.h"
#include "engine/rules/lanes.h"

#define HIGH_ROWS 0xffffffffffu /* rows 0-4: elevation 3 and above */

/* A board being read. cell[bit] is that of the grid bit. */
struct reading {
    const struct profile *profile;
    struct fair_cell *cell;
    uint64_t covered;
    uint64_t cracked;
    uint64_t is[8]; /* by number */
    uint64_t low;   /* the bits of the numbers; not meant for gray cells */
    uint64_t middle;
    uint64_t high;
    uint64_t adds; /* discs with an addition */
    uint64_t releases;
};

/* 2^(1-n) for n >= 1. */
static inline double readiness(unsigned n)
{
    uint64_t bits = (uint64_t)(1024u - n) << 52;
    double value = 0.0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline double either(double a, double b)
{
    return 1.0 - (1.0 - a) * (1.0 - b);
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

void fair_leaf_init(struct fair_leaf *l)
{
    memset(l, 0, sizeof(*l)); /* the empty memo is right too: no gray cell, no risk */
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            double elevation = 7 - row;
            double risk = elevation * elevation * (c == 0 || c == 6 ? 1.65 : 1.0);
            l->cover_risk[0][8 * row + c] = risk;
            l->cover_risk[1][8 * row + c] = risk * 0.72;
        }
    }
    for (unsigned cost = 0; cost < D7_COUNT(l->additions); cost++) {
        for (unsigned need = 0; need < 8; need++) {
            l->additions[cost][need] =
                either(cost ? readiness(cost) : 0.0, need ? readiness(need) : 0.0);
        }
    }
}

/* Term 14 and the counts of gray cells: most leaves of a node share them, so they are remembered by
 * their masks. Returns the memo's slot. */
static unsigned gray_of(struct fair_leaf *l, uint64_t covered, uint64_t cracked)
{
    uint64_t hash = (covered ^ cracked * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;
    unsigned slot = (unsigned)(hash >> 40) % FAIR_LEAF_MEMO;
    if (l->memo[slot].covered == covered && l->memo[slot].cracked == cracked) {
        return slot;
    }
    double risk = 0.0;
    for (uint64_t left = covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        risk += l->cover_risk[cracked >> bit & 1u][bit];
    }
    int32_t gray = (int32_t)grid_count(covered);
    int32_t broken = (int32_t)grid_count(cracked);
    l->memo[slot].covered = covered;
    l->memo[slot].cracked = cracked;
    l->memo[slot].risk = risk * -95.0;
    /* the profile counted each as a number */
    l->memo[slot].points = -620 * (gray - broken) - 220 * broken + 18 * gray;
    return slot;
}

static inline unsigned number_at(const struct reading *r, unsigned bit)
{
    return (unsigned)(r->low >> bit & 1u) | (unsigned)(r->middle >> bit & 1u) << 1 |
           (unsigned)(r->high >> bit & 1u) << 2;
}

/* Additions, and their sum: term 7. */
static double find_additions(const struct fair_leaf *l, struct reading *r)
{
    const struct profile *p = r->profile;
    double sum = 0.0;
    r->adds = 0;
    for (unsigned v = 1; v <= 7; v++) {
        r->adds |= r->is[v] & p->adds[v];
    }
    for (uint64_t left = r->adds; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned v = number_at(r, bit);
        double addition = l->additions[p->cost[bit][v]][profile_need(p, bit, v)];
        r->cell[bit].addition = addition;
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

/* The excess-th largest addition of some discs, 0 when there are fewer, times its readiness. */
static double relief(const struct reading *r, uint64_t others, unsigned excess)
{
    double sorted[BOARD_ROWS] = {0};
    for (; others; others &= others - 1) {
        double value = r->cell[grid_lowest(others)].addition;
        for (unsigned at = 0; at < excess; at++) {
            double rest = smaller(sorted[at], value);
            sorted[at] = larger(sorted[at], value);
            value = rest;
        }
    }
    return sorted[excess - 1] * readiness(excess);
}

static inline double largest(const struct reading *r, uint64_t others)
{
    double value = 0.0;
    for (; others; others &= others - 1) {
        value = larger(value, r->cell[grid_lowest(others)].addition);
    }
    return value;
}

static inline uint64_t row_run(uint64_t occupied, unsigned bit)
{
    unsigned shift = bit & ~7u;
    return (uint64_t)profile_runs[occupied >> shift & 127u][grid_column(bit)] << shift;
}

/* Releases in rows. Numbers one under their run's length are most of them, and take the largest;
 * those further under need as many additions beside them. */
static void find_row_releases(struct reading *r)
{
    const struct profile *p = r->profile;
    uint64_t just = 0;
    uint64_t longer = 0;
    for (unsigned v = 1; v <= 6; v++) {
        just |= r->is[v] & p->row_just[v];
        longer |= r->is[v] & p->row_longer[v];
    }
    just &= fill_rows(r->adds, p->occupied);
    uint64_t repeats = row_repeats(r->adds);
    longer &= repeats ? fill_rows(repeats, p->occupied) & ~just : 0;
    for (uint64_t left = just; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        r->cell[bit].row_release = largest(r, row_run(p->occupied, bit) & r->adds & ~self);
    }
    for (uint64_t left = longer; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        uint64_t run = row_run(p->occupied, bit);
        unsigned excess = grid_count(run) - number_at(r, bit);
        r->cell[bit].row_release = relief(r, run & r->adds & ~self, excess);
    }
    r->releases = just | longer;
}

static void find_column_releases(struct reading *r)
{
    const struct profile *p = r->profile;
    uint64_t just = 0;
    uint64_t longer = 0;
    for (unsigned v = 1; v <= 6; v++) {
        just |= r->is[v] & p->column_just[v];
        longer |= r->is[v] & p->column_longer[v];
    }
    just &= fill_columns(r->adds);
    longer &= fill_columns(column_repeats(r->adds)) & ~just;
    for (uint64_t left = just; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
        uint64_t self = left & (0 - left);
        r->cell[bit].column_release = largest(r, column & r->adds & ~self);
    }
    for (uint64_t left = longer; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
        uint64_t self = left & (0 - left);
        unsigned excess = p->column_height[grid_column(bit)] - number_at(r, bit);
        r->cell[bit].column_release = relief(r, column & r->adds & ~self, excess);
    }
    r->releases |= just | longer;
}

/* Releases and ready, and the sum of the releases: term 8. */
static double find_releases(struct reading *r)
{
    double sum = 0.0;
    find_row_releases(r);
    find_column_releases(r);
    for (uint64_t left = r->adds | r->releases; left; left &= left - 1) {
        struct fair_cell *cell = &r->cell[grid_lowest(left)];
        double release = either(cell->row_release, cell->column_release);
        cell->ready = either(cell->addition, release);
        sum += release;
    }
    return sum;
}

static double row_escape(const struct reading *r, unsigned bit, unsigned v)
{
    unsigned need = profile_need(r->profile, bit, v);
    return either(need ? readiness(need) : 0.0, r->cell[bit].column_release);
}

static double column_escape(const struct reading *r, unsigned bit, unsigned v)
{
    unsigned cost = r->profile->cost[bit][v];
    return either(cost ? readiness(cost) : 0.0, r->cell[bit].row_release);
}

/* Neighbouring ones block each other; each pair counts less the nearer one of them is to leave the
 * line they share. */
static double count_adjacent_ones(const struct reading *r)
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
static void add_two_runs(const struct reading *r, unsigned first, unsigned step, double *sum)
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

static double count_triple_twos(const struct reading *r)
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

static double count_dead_low(const struct reading *r)
{
    const struct profile *p = r->profile;
    double sum = 0.0;
    for (uint64_t left = (r->is[1] & p->row_longer[1] & p->column_longer[1]) |
                         (r->is[2] & p->row_longer[2] & p->column_longer[2]);
         left; left &= left - 1) {
        sum += 1.0 - r->cell[grid_lowest(left)].ready;
    }
    return sum;
}

/* Gray discs gain from neighbours that are ready to clear, the readiest first: a sorting network
 * puts up and down, then left and right, then both in order. */
static void find_exposures(const struct reading *r, double *ret_cracked, double *ret_solid)
{
    uint64_t near = grid_beside(r->adds | r->releases);
    double solid = 0.0;
    double cracked = 0.0;
    for (uint64_t left = near & r->covered & ~r->cracked; left; left &= left - 1) {
        const struct fair_cell *cell = &r->cell[grid_lowest(left)];
        double high = larger(cell[-8].ready, cell[8].ready);
        double low = smaller(cell[-8].ready, cell[8].ready);
        double high2 = larger(cell[-1].ready, cell[1].ready);
        double low2 = smaller(cell[-1].ready, cell[1].ready);
        double second = larger(smaller(high, high2), larger(low, low2));
        solid += larger(high, high2) * 0.35 + second * 0.65;
    }
    for (uint64_t left = near & r->cracked; left; left &= left - 1) {
        const struct fair_cell *cell = &r->cell[grid_lowest(left)];
        double high = larger(cell[-8].ready, cell[8].ready);
        double low = smaller(cell[-8].ready, cell[8].ready);
        double high2 = larger(cell[-1].ready, cell[1].ready);
        double low2 = smaller(cell[-1].ready, cell[1].ready);
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

static void forget_cells(const struct reading *r)
{
    for (uint64_t left = r->adds | r->releases; left; left &= left - 1) {
        r->cell[grid_lowest(left)] = (struct fair_cell){0};
    }
}

static void read_board(struct fair_leaf *l, const struct board *b, struct reading *ret)
{
    uint64_t plane[4];
    grid_planes(b, plane);
    uint64_t occupied = plane[0] | plane[1] | plane[2] | plane[3];
    uint64_t big = plane[2] & ~plane[3];
    uint64_t small = occupied & ~(plane[2] | plane[3]);
    uint64_t two = big & plane[1];
    uint64_t none = big & ~plane[1];
    ret->profile = profile_of(&l->profiles, occupied);
    ret->cell = l->cell + 8;
    ret->covered = plane[3];
    ret->cracked = plane[3] & plane[0];
    ret->low = plane[0];
    ret->middle = plane[1];
    ret->high = plane[2];
    ret->is[0] = 0;
    ret->is[1] = small & ~plane[1];
    ret->is[2] = small & ~plane[0];
    ret->is[3] = small & plane[1] & plane[0];
    ret->is[4] = none & ~plane[0];
    ret->is[5] = none & plane[0];
    ret->is[6] = two & ~plane[0];
    ret->is[7] = two & plane[0];
}

/* Terms 6 and 15 in one: both are integers, so their order does not matter. */
static void count_low(const struct reading *r, int32_t *ret_high, int32_t *ret_risk)
{
    static const uint16_t weight[5] = {0x1900 + 1, 0x1000 + 1, 0x0900 + 1, 0x0400, 0x0100};
    uint32_t sum = 0;
    for (uint64_t left = (r->is[1] | r->is[2]) & HIGH_ROWS; left; left &= left - 1) {
        sum += weight[grid_row(grid_lowest(left))];
    }
    *ret_high = (int32_t)(sum & 255u);
    *ret_risk = (int32_t)(sum >> 8);
}

void fair_leaf_read(struct fair_leaf *l, const struct board *b, unsigned rise,
                    struct fair_value *ret)
{
    struct reading r;
    int32_t high_low;
    int32_t low_risk;
    double cracked_exposure;
    double solid_exposure;
    read_board(l, b, &r);
    count_low(&r, &high_low, &low_risk);
    unsigned gray = gray_of(l, r.covered, r.cracked);
    double direct = find_additions(l, &r);
    double latent = find_releases(&r);
    find_exposures(&r, &cracked_exposure, &solid_exposure);

    /* one addition a line, in the order of the published table: it decides the last bit */
    double v = r.profile->points + l->memo[gray].points - 90 * high_low;
    v += direct * 1600.0;
    v += latent * 700.0;
    v += cracked_exposure * 100.0;
    v += solid_exposure * 40.0;
    v += count_adjacent_ones(&r) * -550.0;
    v += count_triple_twos(&r) * -750.0;
    v += count_dead_low(&r) * -120.0;
    v += l->memo[gray].risk;
    v += low_risk * -85.0;
    v += r.profile->danger;
    v += r.profile->pressure[rise];
    ret->base = v;
    ret->options = r.profile->options;
    forget_cells(&r);
}
