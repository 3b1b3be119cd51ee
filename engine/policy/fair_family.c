/*
 * Design note
 *
 * The idea. Everything that does not depend on the hole's number is read once, as for a single
 * leaf, with the hole taking part as an occupied cell only. The number reaches other discs in one
 * way: its addition a is one of those from which a disc in the same run takes its release. Of the
 * others the k-th and the (k-1)-th largest are known, so the k-th largest of all is a, held between
 * these two. Such cells "vary" and hold seven values side by side (seven.h); the sums of the leaf
 * run over them in the leaf's order, lane by lane.
 * Proof   a lane goes through the additions of the leaf in the same order with the same terms, but
 * for terms that are 0 in it. Only term 7 is added up in another order, and it is exact: an
 * addition is 1 - (1 - 2^(1-cost))(1 - 2^(1-need)) with cost up to 42 and need up to 7, a multiple
 * of 2^-47; 49 of them stay below 2^6: 53 bits. Products with powers of two are exact.
 */
#include "engine/policy/fair_family.h"

#include <string.h>

#include "engine/policy/seven.h"

struct family {
    struct fair_leaf *leaf;
    struct fair_reading r;
    unsigned hole; /* grid bit */
    uint64_t mask;
    uint64_t row;    /* the other cells of its row run */
    uint64_t column; /* and of its column */
    uint64_t vary;   /* the hole, and what it reaches */
    double addition[8];
    double row_release[8]; /* the hole's own */
    double column_release[8];
};

static void find_additions(struct family *f)
{
    const struct profile *p = f->r.profile;
    f->addition[7] = 0.0;
    for (unsigned v = 1; v <= 7; v++) {
        f->addition[v - 1] = f->leaf->additions[p->cost[f->hole][v]][profile_need(p, f->hole, v)];
    }
}

/* The hole's own releases in a run of that length with some others. */
static void find_own(const struct family *f, uint64_t others, unsigned length, double ret[8])
{
    memset(ret, 0, 8 * sizeof(*ret));
    unsigned count = grid_count(others);
    for (unsigned excess = 1; excess <= count && excess < length; excess++) {
        ret[length - excess - 1] = fair_reading_ranked(&f->r, others, excess) * readiness(excess);
    }
}

/* Releases of the cells in `run`, the hole's own run in a direction, that the hole can change. */
static void find_varying(struct family *f, uint64_t run, const struct fair_excess *e,
                         const double *release, unsigned length)
{
    const struct seven a = seven_load(f->addition);
    double(*line)[8] = f->leaf->family.line;
    for (uint64_t left = e->one & run; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        seven_store(line[bit], seven_larger(seven_all(release[bit]), a));
        f->vary |= left & (0 - left);
    }
    for (uint64_t left = (e->two | e->more) & run; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        uint64_t others = run & f->r.adds & ~self;
        unsigned excess = length - fair_number_at(&f->r, bit);
        if (grid_count(others) < excess - 1) {
            continue; /* too few even with the hole */
        }
        double high = fair_reading_ranked(&f->r, others, excess - 1);
        double low = fair_reading_ranked(&f->r, others, excess);
        struct seven ranked = seven_smaller(seven_larger(seven_all(low), a), seven_all(high));
        seven_store(line[bit], seven_times(ranked, readiness(excess)));
        f->vary |= self;
    }
}

/* Joins releases and additions to what is ready, and forgets the releases; their sum: term 8. */
static struct seven join_ready(struct family *f)
{
    struct fair_cells *cells = f->r.cells;
    struct seven sum = seven_all(0.0);
    for (uint64_t left = f->r.releases | f->vary; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        if (!(self & f->vary)) {
            double release = readiness_either(cells->row_release[bit], cells->column_release[bit]);
            f->r.ready[bit] = readiness_either(f->r.ready[bit], release);
            sum = seven_add(sum, seven_all(release));
        } else {
            struct seven row = seven_all(cells->row_release[bit]);
            struct seven column = seven_all(cells->column_release[bit]);
            struct seven own = seven_all(f->r.ready[bit]);
            if (self & f->mask) {
                row = seven_load(f->row_release);
                column = seven_load(f->column_release);
                own = seven_load(f->addition);
            } else if (self & f->row) {
                row = seven_load(f->leaf->family.line[bit]);
            } else {
                column = seven_load(f->leaf->family.line[bit]);
            }
            struct seven release = seven_either(row, column);
            seven_store(f->leaf->family.ready[bit], seven_either(own, release));
            sum = seven_add(sum, release);
        }
        cells->row_release[bit] = cells->column_release[bit] = 0.0;
    }
    return sum;
}

/* Puts one lane into the releases, as if the hole were a number like others. */
static void enter_lane(struct family *f, unsigned v)
{
    struct fair_cells *cells = f->r.cells;
    for (uint64_t left = f->vary & ~f->mask; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        double *release = left & (0 - left) & f->row ? cells->row_release : cells->column_release;
        release[bit] = f->leaf->family.line[bit][v - 1];
    }
    cells->row_release[f->hole] = f->row_release[v - 1];
    cells->column_release[f->hole] = f->column_release[v - 1];
}

/* Term 11 or 12: mostly 0, else mostly the same in all lanes; lane by lane where not. */
static struct seven low_numbers(struct family *f, unsigned low,
                                double (*of)(const struct fair_reading *))
{
    double sum[8] = {0};
    uint64_t cells = f->r.is[low];
    bool beside = grid_beside(f->mask) & cells;
    if (cells & (cells >> 1 | cells >> 8)) {
        if (!(cells & f->vary)) { /* the hole is not among them */
            double value = of(&f->r);
            for (unsigned v = 1; v <= 7; v++) {
                sum[v - 1] = value;
            }
        } else {
            for (unsigned v = 1; v <= 7; v++) {
                if (v != low || !beside) {
                    enter_lane(f, v);
                    sum[v - 1] = of(&f->r);
                }
            }
        }
    }
    if (beside) {
        enter_lane(f, low);
        f->r.is[low] |= f->mask;
        sum[low - 1] = of(&f->r);
        f->r.is[low] = cells;
    }
    return seven_load(sum);
}

/* What is ready in the cell `away` from a bit. near: the varying cells, shifted onto that bit. */
static inline struct seven ready_at(const struct family *f, uint64_t near, unsigned bit, int away)
{
    int at = (int)bit + away;
    return near >> bit & 1u ? seven_load(f->leaf->family.ready[at]) : seven_all(f->r.ready[at]);
}

/* Terms 9 and 10, by the network of fair_reading_exposures. */
static void find_exposures(const struct family *f, struct seven *ret_cracked,
                           struct seven *ret_solid)
{
    uint64_t near = grid_beside(f->r.adds | f->r.releases | f->vary);
    struct seven solid = seven_all(0.0);
    struct seven cracked = seven_all(0.0);
    for (uint64_t left = near & f->r.covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        struct seven up = ready_at(f, f->vary << 8, bit, -8);
        struct seven down = ready_at(f, f->vary >> 8, bit, 8);
        struct seven before = ready_at(f, f->vary << 1, bit, -1);
        struct seven after = ready_at(f, f->vary >> 1, bit, 1);
        struct seven high = seven_larger(up, down);
        struct seven low = seven_smaller(up, down);
        struct seven high2 = seven_larger(before, after);
        struct seven low2 = seven_smaller(before, after);
        struct seven first = seven_larger(high, high2);
        struct seven middle = seven_smaller(high, high2);
        struct seven middle2 = seven_larger(low, low2);
        struct seven second = seven_larger(middle, middle2);
        if (!(f->r.cracked >> bit & 1u)) {
            solid =
                seven_add(solid, seven_add(seven_times(first, 0.35), seven_times(second, 0.65)));
            continue;
        }
        struct seven closed = seven_product(seven_rest(first), seven_rest(second));
        closed = seven_product(closed, seven_rest(seven_smaller(middle, middle2)));
        closed = seven_product(closed, seven_rest(seven_smaller(low, low2)));
        cracked = seven_add(cracked, seven_rest(closed));
    }
    *ret_cracked = cracked;
    *ret_solid = solid;
}

/* Term 13. The hole is a one or two in one lane each. */
static struct seven dead_low(const struct family *f, unsigned shorter)
{
    struct seven sum = seven_all(0.0);
    for (uint64_t left = f->r.dead_low | f->mask; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        uint64_t self = left & (0 - left);
        if (self & f->mask) {
            double dead[8] = {0};
            for (unsigned v = 1; v <= 2 && v < shorter; v++) {
                dead[v - 1] = 1.0 - f->leaf->family.ready[bit][v - 1];
            }
            sum = seven_add(sum, seven_load(dead));
        } else if (self & f->vary) {
            sum = seven_add(sum, seven_rest(seven_load(f->leaf->family.ready[bit])));
        } else {
            sum = seven_add(sum, seven_all(1.0 - f->r.ready[bit]));
        }
    }
    return sum;
}

/* Reads the board, but for what depends on the hole. */
static double start(struct family *f, struct fair_leaf *l, const struct board *b, unsigned hole)
{
    f->leaf = l;
    f->hole = hole;
    f->mask = f->vary = (uint64_t)1 << hole;
    fair_reading_start(&f->r, b, f->mask, &l->profiles, &l->cells);
    f->row = fair_row_run(f->r.profile->occupied, hole) & ~f->mask;
    f->column = (GRID_COLUMN_ONES << grid_column(hole)) & f->r.profile->occupied & ~f->mask;
    double direct = fair_reading_additions(&f->r, l->additions);
    fair_reading_releases(&f->r);
    find_additions(f);
    return direct;
}

void fair_family_read(struct fair_leaf *l, const struct board *b, unsigned hole, unsigned rise,
                      struct fair_family *ret)
{
    struct family f;
    double direct = start(&f, l, b, hole);
    const struct profile *p = f.r.profile;
    unsigned gray = fair_leaf_gray(l, f.r.covered, f.r.cracked);
    uint32_t low = fair_leaf_low(f.r.is[1] | f.r.is[2]);
    uint32_t low_here = low + fair_leaf_low(f.mask);
    unsigned run = grid_count(f.row) + 1;
    unsigned height = p->column_height[grid_column(hole)];
    struct fair_excess in_row = fair_excess_of(&f.r, p->row_length);
    struct fair_excess in_column = fair_excess_of(&f.r, p->column_length);
    find_own(&f, f.row & f.r.adds, run, f.row_release);
    find_own(&f, f.column & f.r.adds, height, f.column_release);
    find_varying(&f, f.row, &in_row, f.r.cells->row_release, run);
    find_varying(&f, f.column, &in_column, f.r.cells->column_release, height);
    struct seven ones = low_numbers(&f, 1, fair_reading_adjacent_ones);
    struct seven twos = low_numbers(&f, 2, fair_reading_triple_twos);
    struct seven latent = join_ready(&f);
    struct seven cracked;
    struct seven solid;
    find_exposures(&f, &cracked, &solid);

    double counts[8];
    double low_risk[8];
    for (unsigned v = 1; v <= 8; v++) {
        uint32_t here = v <= 2 ? low_here : low;
        counts[v - 1] = p->points + l->memo[gray].points - 90 * (int32_t)(here & 255u);
        low_risk[v - 1] = (int32_t)(here >> 8) * -85.0;
    }
    /* one addition a line, as in fair_leaf_read */
    struct seven v = seven_load(counts);
    struct seven additions = seven_add(seven_all(direct), seven_load(f.addition));
    v = seven_add(v, seven_times(additions, 1600.0));
    v = seven_add(v, seven_times(latent, 700.0));
    v = seven_add(v, seven_times(cracked, 100.0));
    v = seven_add(v, seven_times(solid, 40.0));
    v = seven_add(v, seven_times(ones, -550.0));
    v = seven_add(v, seven_times(twos, -750.0));
    v = seven_add(v, seven_times(dead_low(&f, run < height ? run : height), -120.0));
    v = seven_add(v, seven_all(l->memo[gray].risk));
    v = seven_add(v, seven_load(low_risk));
    v = seven_add(v, seven_all(p->danger));
    v = seven_add(v, seven_all(p->pressure[rise]));
    seven_store(ret->base, v);
    ret->options = p->options;
    fair_reading_end(&f.r);
}
