/*
 * Design note
 *
 * One move is a recursion over waves; each finished cascade is an outcome (or, after a rise, the
 * start of a second cascade). `false` anywhere means the work bound is reached: everything unwinds
 * and the unfinished depth is dropped. Ticks T1-T4 are marked where the text names them.
 */
#include "engine/policy/expectimax.h"

#include <math.h>
#include <string.h>

#include "engine/policy/cascade.h"
#include "engine/policy/columns.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/lru.h"
#include "engine/policy/mirror.h"
#include "engine/rules/turn.h"

struct expectimax {
    unsigned max_depth;
    uint64_t max_work;
    struct expectimax_counts counts;
    struct lru *cache; /* owned */
};

/* A move being enumerated, up to its first or its second cascade. */
struct move {
    const struct position *from;
    unsigned depth; /* of the column's value: outcomes are nodes of depth - 1 */
    bool rose;      /* in the second cascade; the two below are what the first one brought */
    int64_t reward;
    double probability;
    double *sum; /* what the column is worth so far */
};

/* A cascade on its way. */
struct cascade {
    struct cells cells;
    unsigned waves; /* of this move so far, both cascades */
    int64_t points; /* of this cascade */
    double probability;
};

/* A wave whose revealed discs are being given their numbers. */
struct wave {
    struct cascade_wave wave;
    struct cascade after; /* what becomes of the cascade, but for the numbers and gravity */
};

struct outcome {
    struct position position;
    bool over;
    int64_t reward;
};

static bool run_cascade(struct expectimax *e, const struct move *m, const struct cascade *at);

static bool tick(struct expectimax *e)
{
    if (e->counts.work >= e->max_work) {
        return false;
    }
    e->counts.work++;
    return true;
}

static bool column_value(struct expectimax *e, const struct position *at, unsigned column,
                         unsigned depth, double *ret)
{
    double sum = 0.0;
    const struct move m = {.from = at, .depth = depth, .sum = &sum};
    const struct cascade first = {.cells = cascade_drop(at->board, column, at->next),
                                  .probability = 1.0};
    if (!run_cascade(e, &m, &first)) {
        return false;
    }
    *ret = sum;
    return true;
}

static bool best_value(struct expectimax *e, const struct position *at, unsigned depth, double *ret)
{
    double best = -(double)INFINITY;
    unsigned legal = board_legal(&at->board);
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        double value = 0.0;
        if (!(legal >> columns_centre[i] & 1u)) {
            continue;
        }
        if (!column_value(e, at, columns_centre[i], depth, &value)) {
            return false;
        }
        best = value > best ? value : best;
    }
    *ret = best;
    return true;
}

static bool node(struct expectimax *e, const struct outcome *at, unsigned depth, double *ret)
{
    e->counts.nodes++;
    if (!tick(e)) { /* T1 */
        return false;
    }
    unsigned left = at->over ? 0 : depth;
    struct lru_key key = {.board = at->position.board,
                          .next = left ? at->position.next : 0,
                          .rise = at->position.rise,
                          .over = at->over,
                          .depth = (uint8_t)left};
    (void)mirror_canonicalise(&key.board);
    if (lru_get(e->cache, &key, ret)) {
        e->counts.hits++;
        return true;
    }
    double value = HEURISTIC_OVER;
    if (left) {
        if (!best_value(e, &at->position, left, &value)) {
            return false;
        }
    } else if (!at->over) {
        value = heuristic_value(&at->position.board);
    }
    lru_put(e->cache, &key, value);
    *ret = value;
    return true;
}

/* The hits on a leaf that follow when it is entered again at once, once for each further next disc:
 * it is the most recently used entry, so nothing but the counts changes. */
static bool enter_again(struct expectimax *e, unsigned times)
{
    uint64_t left = e->max_work - e->counts.work;
    uint64_t hits = left < times ? left : times;
    e->counts.work += hits;
    e->counts.hits += hits;
    e->counts.nodes += hits + (hits < times); /* the bound is met on entering */
    return hits == times;
}

/* Adds an outcome to the column's value: once when the game is over, else for each next disc. */
static bool add_outcome(struct expectimax *e, const struct move *m, struct outcome *o,
                        double probability)
{
    unsigned discs = o->over ? 1 : 7;
    double share = o->over ? probability : probability / 7.0;
    double reward = (double)o->reward;
    double value = 0.0;
    if (m->depth == 1) { /* a leaf's value, and its place in the cache, know no next disc */
        if (!node(e, o, 0, &value) || !enter_again(e, discs - 1)) {
            return false;
        }
        for (unsigned disc = 1; disc <= discs; disc++) {
            *m->sum += share * (reward + value);
        }
        return true;
    }
    for (unsigned disc = 1; disc <= discs; disc++) {
        o->position.next = (uint8_t)disc;
        if (!node(e, o, m->depth - 1, &value)) {
            return false;
        }
        *m->sum += share * (reward + value);
    }
    return true;
}

/* A cascade came to rest. */
static bool finish_cascade(struct expectimax *e, const struct move *m, const struct cascade *at)
{
    if (!m->rose && !tick(e)) { /* T4 */
        return false;
    }
    int64_t reward = m->reward + at->points + (cells_any(at->cells) ? 0 : TURN_CLEAR_BONUS);
    struct outcome o = {.reward = reward};
    cells_store(&o.position.board, at->cells);
    if (!m->rose && m->from->rise == 1) {
        if (cascade_top(at->cells)) {
            o.over = true; /* no room to rise */
            return add_outcome(e, m, &o, at->probability);
        }
        struct move second = *m;
        second.rose = true;
        second.reward = reward + TURN_RISE_BONUS;
        second.probability = at->probability;
        struct cascade next = {.cells = at->cells, .waves = at->waves, .probability = 1.0};
        cascade_raise(&next.cells);
        return run_cascade(e, &second, &next);
    }
    o.position.rise = (uint8_t)(m->rose ? TURN_RISE_EVERY : m->from->rise - 1);
    o.over = board_legal(&o.position.board) == 0;
    return add_outcome(e, m, &o, m->rose ? m->probability * at->probability : at->probability);
}

/* Gives the revealed discs in `left` every number, the last one varying fastest; `numbers` are
 * those of the discs before them. */
static bool assign(struct expectimax *e, const struct move *m, const struct wave *w, uint64_t left,
                   struct cells numbers, double probability)
{
    if (!tick(e)) { /* T3 */
        return false;
    }
    if (!left) {
        struct cascade next = w->after;
        next.probability = probability;
        cascade_settle(&next.cells, &w->wave, numbers);
        return run_cascade(e, m, &next);
    }
    for (unsigned value = 1; value <= 7; value++) {
        struct cells more = cells_put(numbers, grid_lowest(left), value);
        if (!assign(e, m, w, left & (left - 1), more, probability / 7.0)) {
            return false;
        }
    }
    return true;
}

static bool run_cascade(struct expectimax *e, const struct move *m, const struct cascade *at)
{
    if (!tick(e)) { /* T2 */
        return false;
    }
    struct wave w = {.after = *at};
    if (!cascade_clear(&w.after.cells, &w.wave)) {
        return finish_cascade(e, m, at);
    }
    w.after.waves++;
    w.after.points += w.wave.cleared * turn_wave_points(w.after.waves);
    return assign(e, m, &w, w.wave.reveals, CASCADE_NO_NUMBERS, at->probability);
}

static unsigned always_four(void *ctx, unsigned index)
{
    (void)ctx;
    (void)index;
    return 4;
}

/* What a column is worth when not even depth 1 fits: one move with a 4 under every gray disc. */
static double sampled_value(const struct position *at, unsigned column)
{
    struct board b = at->board;
    uint8_t rise = at->rise;
    struct turn turn;
    turn_sampled(&b, column, at->next, &rise, always_four, NULL, NULL, &turn);
    return (double)turn.points + (turn.over ? HEURISTIC_OVER : heuristic_value(&b));
}

/* Values of all legal columns at one depth; false: the bound came first and values are not whole.
 */
static bool root_values(struct expectimax *e, const struct position *at, unsigned depth,
                        double values[BOARD_COLUMNS])
{
    unsigned legal = board_legal(&at->board);
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_centre[i];
        if ((legal >> c & 1u) && !column_value(e, at, c, depth, &values[c])) {
            return false;
        }
    }
    return true;
}

void expectimax_decide(struct expectimax *e, const struct position *at, struct decision *ret)
{
    double values[BOARD_COLUMNS] = {0};
    double deeper[BOARD_COLUMNS] = {0};
    unsigned legal = board_legal(&at->board);
    unsigned depth = 0;
    lru_clear(e->cache);
    e->counts = (struct expectimax_counts){0};
    while (depth < e->max_depth && root_values(e, at, depth + 1, deeper)) {
        memcpy(values, deeper, sizeof(values));
        depth++;
    }
    for (unsigned c = 0; depth == 0 && c < BOARD_COLUMNS; c++) {
        values[c] = legal >> c & 1u ? sampled_value(at, c) : 0.0;
    }
    e->counts.entries = lru_size(e->cache);
    columns_choose(values, legal, false, ret);
    ret->depth = depth;
    ret->work = e->counts.work;
}

enum d7_err expectimax_new(unsigned max_depth, uint64_t max_work, struct expectimax **ret)
{
    struct expectimax *e = calloc(1, sizeof(*e));
    if (!e) {
        return D7_ERR_NOMEM;
    }
    e->max_depth = max_depth;
    e->max_work = max_work;
    enum d7_err err = lru_new(&e->cache);
    if (err) {
        goto out;
    }
    *ret = e;
    e = NULL; /* now the caller's */
out:
    expectimax_free(e);
    return err;
}

void expectimax_free(struct expectimax *e)
{
    if (e) {
        lru_free(e->cache);
        free(e);
    }
}

struct expectimax_counts expectimax_counts(const struct expectimax *e)
{
    return e->counts;
}
