/*
 * Design note
 *
 * A move is played once for all seven strata up to its first reveal; only from there on does each
 * stratum go its own way. Where nothing is revealed the strata differ in the next disc alone, and
 * the leaf needs it for its last term only: one board, one reading, seven values.
 */
#include "engine/policy/fair.h"

#include <math.h>

#include "engine/policy/cascade.h"
#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/fair_leaf.h"
#include "engine/policy/mirror.h"
#include "engine/rules/turn.h"

#define FAIR_OVER (-1000000.0) /* instead of a value, where the move ended the game */

struct fair {
    unsigned depth;
    struct fair_leaf leaf;
};

/* A move under way, for one stratum or for all. */
struct play {
    struct cells cells;
    struct cascade_wave wave; /* the one it waits in for numbers, while it does */
    struct board board;       /* once it is done; canonical */
    int64_t points;
    unsigned waves;
    unsigned events; /* numbers revealed so far */
    uint8_t rise;
    bool rose;
    bool over;
};

/* A state with its draws. Every column sees the same ones. */
struct node {
    struct position position;
    unsigned depth;
    uint32_t seed;
    uint8_t next[CHANCE_STRATA]; /* the next disc in each stratum */
};

static double state_value(struct fair *f, const struct position *at, unsigned depth);

static struct node node_of(const struct position *at, unsigned depth)
{
    struct node n = {.position = *at, .depth = depth, .seed = chance_fair_seed(at, depth)};
    unsigned rotation = chance_rotation(n.seed, CHANCE_FAIR_NEXT, 0);
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        n.next[s] = chance_disc(rotation, s);
    }
    return n;
}

/* Nothing matches: the clock goes on. True when a rise set the board moving again. */
static bool come_to_rest(struct play *p)
{
    if (!cells_any(p->cells)) {
        p->points += TURN_CLEAR_BONUS;
    }
    if (!p->rose && --p->rise == 0) {
        if (cascade_top(p->cells)) {
            p->over = true;
            return false;
        }
        cascade_raise(&p->cells);
        p->points += TURN_RISE_BONUS;
        p->rise = TURN_RISE_EVERY;
        p->rose = true;
        return true;
    }
    cells_store(&p->board, p->cells);
    p->over = board_legal(&p->board) == 0;
    (void)mirror_canonicalise(&p->board);
    return false;
}

/* Plays on until numbers are wanted (true) or the move is done (false). */
static bool play_on(struct play *p)
{
    for (;;) {
        if (!cascade_clear(&p->cells, &p->wave)) {
            if (!come_to_rest(p)) {
                return false;
            }
            continue;
        }
        p->waves++;
        p->points += p->wave.cleared * turn_wave_points(p->waves);
        if (p->wave.reveals) {
            return true;
        }
        cascade_settle(&p->cells, &p->wave, CASCADE_NO_NUMBERS);
    }
}

static void reveal(struct play *p, uint32_t seed, unsigned stratum)
{
    struct cells numbers = CASCADE_NO_NUMBERS;
    for (uint64_t left = p->wave.reveals; left; left &= left - 1) {
        unsigned rotation = chance_rotation(seed, CHANCE_FAIR_REVEAL, p->events++);
        numbers = cells_put(numbers, grid_lowest(left), chance_disc(rotation, stratum));
    }
    cascade_settle(&p->cells, &p->wave, numbers);
}

/* The outcome of a column in each stratum. Returns how many differ in more than the next disc: all
 * of them, or 1 when all are ret[0]. */
static unsigned play_column(const struct node *n, unsigned column, struct play ret[CHANCE_STRATA])
{
    struct play *shared = &ret[0];
    *shared = (struct play){
        .cells = cascade_drop(n->position.board, column, n->position.next),
        .rise = n->position.rise,
    };
    if (!play_on(shared)) {
        return 1;
    }
    for (unsigned s = CHANCE_STRATA; s-- > 0;) { /* 0 last: it is the shared one */
        ret[s] = *shared;
        do {
            reveal(&ret[s], n->seed, s);
        } while (play_on(&ret[s]));
    }
    return CHANCE_STRATA;
}

/* Q: points and what follows, over the strata in order. */
static double column_value(struct fair *f, const struct node *n, unsigned column)
{
    struct play plays[CHANCE_STRATA];
    unsigned distinct = play_column(n, column, plays);
    struct fair_value leaf = {0};
    double sum = 0.0;
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        const struct play *p = &plays[distinct == 1 ? 0 : s];
        double value = FAIR_OVER;
        if (!p->over && n->depth == 1) {
            if (s < distinct) {
                fair_leaf_read(&f->leaf, &p->board, p->rise, &leaf);
            }
            value = fair_leaf_value(&leaf, n->next[s]);
        } else if (!p->over) {
            const struct position at = {p->board, n->next[s], p->rise};
            value = state_value(f, &at, n->depth - 1);
        }
        sum += (double)p->points + value;
    }
    return sum / CHANCE_STRATA;
}

/* V of a canonical state in play, depth >= 1. */
static double state_value(struct fair *f, const struct position *at, unsigned depth)
{
    struct node n = node_of(at, depth);
    unsigned legal = board_legal(&at->board);
    double best = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) { /* a maximum: the order does not matter here */
        if (legal >> c & 1u) {
            double value = column_value(f, &n, c);
            best = value > best ? value : best;
        }
    }
    return best;
}

void fair_decide(struct fair *f, const struct position *at, struct decision *ret)
{
    struct position canonical = *at;
    bool reversed = mirror_canonicalise(&canonical.board);
    struct node n = node_of(&canonical, f->depth);
    unsigned legal = board_legal(&at->board);
    double values[BOARD_COLUMNS] = {0};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            values[c] = column_value(f, &n, reversed ? 6 - c : c);
        }
    }
    columns_choose(values, legal, reversed, ret);
    ret->depth = f->depth;
}

enum d7_err fair_new(unsigned depth, struct fair **ret)
{
    struct fair *f = calloc(1, sizeof(*f));
    if (!f) {
        return D7_ERR_NOMEM;
    }
    D7_CHECK(depth >= 1 && depth <= FAIR_DEPTH_MAX);
    f->depth = depth;
    fair_leaf_init(&f->leaf);
    *ret = f;
    return D7_OK;
}

void fair_free(struct fair *f)
{
    free(f);
}
