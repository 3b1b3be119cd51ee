/*
 * Design note
 *
 * A disc's ADDITION says how near it is to clear by discs put beside it or on it, its RELEASE how
 * near it is to clear once longer runs around it break up; READY joins both. They are wanted for
 * numbered discs only, so the arrays below are written for those and read for those, never zeroed.
 *
 * Distances are summed a row at a time in one 64-bit word, a byte a column: `gaps` holds how many
 * discs each column lacks to reach the row, and a multiplication turns that into running totals, so
 * the cost of any window of columns is one subtraction.
 */
#include "engine/policy/features.h"

#include "engine/policy/readiness.h"

#define HIGH_ROWS 0xffffffu /* rows 0-2: elevation 7, 6, 5 */

/* What pass 1 and 2 find about each numbered disc, by grid bit. */
struct potential {
    double vertical_add[64];
    double horizontal_add[64];
    double addition[64];
    double vertical_release[64];
    double horizontal_release[64];
    double ready[64];
    uint8_t run_start[64]; /* the horizontal run it is part of */
    uint8_t run_length[64];
    uint64_t additions; /* discs whose addition is not 0 */
    uint64_t readies;   /* discs whose ready is not 0 */
};

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* For the row at an elevation: byte c is how many discs columns 0..c-1 lack to reach it. */
static inline uint64_t gap_totals(uint64_t heights, unsigned elevation)
{
    const uint64_t signs = 0x80u * GRID_COLUMN_ONES;
    uint64_t gaps = (elevation * GRID_COLUMN_ONES | signs) - heights;
    uint64_t reached = (gaps & signs) >> 7; /* 1 where the column is not higher than the row */
    gaps &= reached * 0x7fu;
    return gaps * GRID_COLUMN_ONES << 8;
}

/* How few discs would make the run start..end of a row exactly `value` long: the least total over
 * the windows that hold it and end at gaps or walls. 0: there is no such window. */
static unsigned window_cost(unsigned row_mask, uint64_t totals, unsigned start, unsigned end,
                            unsigned value)
{
    unsigned first = end + 1 > value ? end + 1 - value : 0;
    unsigned last = start < 7 - value ? start : 7 - value;
    unsigned best = 0;
    /* bit 0 and bit 8 are the walls: the neighbours of column s-1+1 and s+v+1 */
    unsigned framed = row_mask << 1;
    for (unsigned s = first; s <= last; s++) {
        if ((framed >> s & 1u) || (framed >> (s + value + 1) & 1u)) {
            continue;
        }
        unsigned cost =
            (unsigned)(totals >> (8 * (s + value)) & 255u) - (unsigned)(totals >> (8 * s) & 255u);
        if (cost > 0 && (best == 0 || cost < best)) {
            best = cost;
        }
    }
    return best;
}

static void find_additions(const struct board *b, const struct features *f, struct potential *p)
{
    uint64_t heights = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        heights |= (uint64_t)f->height[c] << (8 * c);
    }
    p->additions = 0;
    unsigned row_of_totals = BOARD_ROWS;
    uint64_t totals = 0;
    for (uint64_t left = f->grid.occupied & ~f->grid.covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned row = grid_row(bit);
        unsigned c = grid_column(bit);
        unsigned value = grid_cell(b, bit);
        if (row != row_of_totals) {
            row_of_totals = row;
            totals = gap_totals(heights, 7 - row);
        }
        unsigned mask = (unsigned)(f->grid.occupied >> (8 * row)) & 127u;
        unsigned after = (unsigned)__builtin_ctz(~(mask >> c));         /* from c on to the right */
        unsigned before = (unsigned)__builtin_clz(~(mask << (31 - c))); /* from c on to the left */
        unsigned start = c + 1 - before;
        unsigned length = before + after - 1;
        p->run_start[bit] = (uint8_t)start;
        p->run_length[bit] = (uint8_t)length;
        double vertical = value > f->height[c] ? readiness(value - f->height[c]) : 0.0;
        double horizontal = 0.0;
        if (value > length) {
            unsigned cost = window_cost(mask, totals, start, c + after - 1, value);
            horizontal = cost ? readiness(cost) : 0.0;
        }
        p->vertical_add[bit] = vertical;
        p->horizontal_add[bit] = horizontal;
        p->addition[bit] = readiness_either(horizontal, vertical);
        p->additions |= (uint64_t)(p->addition[bit] > 0.0) << bit;
    }
}

/* The `excess`-th largest addition among some discs of a line, times its readiness; 0 when there
 * are fewer. */
static double relief(const struct potential *p, uint64_t others, unsigned excess)
{
    double sorted[BOARD_ROWS] = {0};
    unsigned count = 0;
    others &= p->additions;
    if (!others) {
        return 0.0;
    }
    for (; others; others &= others - 1) {
        double value = p->addition[grid_lowest(others)];
        unsigned at = count++;
        for (; at > 0 && sorted[at - 1] < value; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = value;
    }
    return sorted[excess - 1] * readiness(excess);
}

static void find_releases(const struct board *b, struct features *f, struct potential *p)
{
    p->readies = 0;
    f->direct_potential = f->latent_chain = f->dead_low = 0.0;
    for (uint64_t left = f->grid.occupied & ~f->grid.covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned value = grid_cell(b, bit);
        unsigned length = p->run_length[bit];
        unsigned height = f->height[grid_column(bit)];
        uint64_t self = (uint64_t)1 << bit;
        double horizontal = 0.0;
        double vertical = 0.0;
        if (length > value) {
            unsigned first = bit - grid_column(bit) + p->run_start[bit];
            uint64_t run = (((uint64_t)1 << length) - 1) << first;
            horizontal = relief(p, run & ~self, length - value);
        }
        if (height > value) {
            uint64_t column = GRID_COLUMN_ONES << grid_column(bit);
            vertical = relief(p, column & ~self, height - value);
        }
        double release = readiness_either(horizontal, vertical);
        p->horizontal_release[bit] = horizontal;
        p->vertical_release[bit] = vertical;
        p->ready[bit] = readiness_either(p->addition[bit], release);
        p->readies |= (uint64_t)(p->ready[bit] > 0.0) << bit;
        f->direct_potential += p->addition[bit];
        f->latent_chain += release;
        if (value <= 2 && length > value && height > value) {
            f->dead_low += 1.0 - p->ready[bit];
        }
    }
}

static double horizontal_escape(const struct potential *p, unsigned bit)
{
    return readiness_either(p->vertical_add[bit], p->vertical_release[bit]);
}

static double vertical_escape(const struct potential *p, unsigned bit)
{
    return readiness_either(p->horizontal_add[bit], p->horizontal_release[bit]);
}

/* Neighbouring ones block each other; each pair counts less the nearer one of them is to leave the
 * line they share. */
static double count_adjacent_ones(const struct grid *g, const struct potential *p)
{
    double sum = 0.0;
    for (uint64_t left = g->ones & grid_beside(g->ones); left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        if (g->ones >> (bit + 1) & 1u) {
            sum += 1.0 - larger(horizontal_escape(p, bit), horizontal_escape(p, bit + 1));
        }
        if (g->ones >> (bit + 8) & 1u) { /* at most row 7, which is empty */
            sum += 1.0 - larger(vertical_escape(p, bit), vertical_escape(p, bit + 8));
        }
    }
    return sum;
}

/* Adds the runs of three and more twos of one line: `step` apart from bit `first` on. */
static void add_two_runs(const struct grid *g, const struct potential *p, unsigned first,
                         unsigned step, double *sum)
{
    for (unsigned k = 0; k < 7; k++) {
        unsigned length = 0;
        double escape = 0.0;
        for (; k < 7 && (g->twos >> (first + k * step) & 1u); k++, length++) {
            unsigned bit = first + k * step;
            escape =
                larger(escape, step == 1 ? horizontal_escape(p, bit) : vertical_escape(p, bit));
        }
        if (length > 2) {
            double excess = length - 2;
            *sum += (excess * excess) * (1.0 - escape);
        }
    }
}

static double count_triple_twos(const struct grid *g, const struct potential *p)
{
    double sum = 0.0;
    uint64_t middles =
        (g->twos & g->twos << 1 & g->twos >> 1) | (g->twos & g->twos << 8 & g->twos >> 8);
    if (!middles) {
        return sum;
    }
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        add_two_runs(g, p, 8 * row, 1, &sum);
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        add_two_runs(g, p, c, 8, &sum);
    }
    return sum;
}

/* Gray discs gain from neighbours that are ready to clear: those with none add nothing. */
static void find_exposures(struct features *f, const struct potential *p)
{
    f->cracked_exposure = f->solid_exposure = 0.0;
    for (uint64_t left = f->grid.covered & grid_beside(p->readies); left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = (uint64_t)1 << bit;
        double sorted[4] = {0.0, 0.0, 0.0, 0.0};
        unsigned count = 0;
        for (uint64_t near = grid_beside(self) & p->readies; near; near &= near - 1) {
            double value = p->ready[grid_lowest(near)];
            unsigned at = count++;
            for (; at > 0 && sorted[at - 1] < value; at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = value;
        }
        if (f->grid.cracked & self) {
            double closed = 1.0;
            for (unsigned i = 0; i < count; i++) {
                closed = closed * (1.0 - sorted[i]);
            }
            f->cracked_exposure += 1.0 - closed;
        } else {
            f->solid_exposure += sorted[0] * 0.35 + sorted[1] * 0.65;
        }
    }
}

void features_read(const struct board *b, struct features *ret)
{
    static const uint8_t load_of_height[8] = {0, 1, 5, 14, 30, 55, 91, 140}; /* sums of squares */
    struct features *f = ret;
    unsigned load = 0;
    unsigned open = 0;
    unsigned occupied = 0;
    f->grid = grid_of(b);
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned height = board_height(b, c);
        f->height[c] = (uint8_t)height;
        load += load_of_height[height];
        occupied += height;
        open += height < BOARD_ROWS;
    }
    f->open_columns = open;
    f->height_load = load;
    unsigned covered = grid_count(f->grid.covered);
    unsigned cracked = grid_count(f->grid.cracked);
    f->cracked_cells = cracked;
    f->solid_cells = covered - cracked;
    f->numbered_cells = occupied - covered;
    f->high_low = grid_count((f->grid.ones | f->grid.twos) & HIGH_ROWS);

    struct potential p;
    find_additions(b, f, &p);
    find_releases(b, f, &p);
    f->adjacent_ones = count_adjacent_ones(&f->grid, &p);
    f->triple_twos = count_triple_twos(&f->grid, &p);
    find_exposures(f, &p);
}
