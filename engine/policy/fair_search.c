/*
 * Design note
 *
 * The recursion of 14.4, with a table per depth (fair_table.h) and moves played for all strata at
 * once (fair_play.h). Where a move reveals nothing its strata lead to one board with each of the
 * seven next discs: one entry of the table, one leaf.
 */
#include "engine/policy/fair_search.h"

#include <math.h>
#include <stdlib.h>

#include "engine/policy/fair_leaf.h"
#include "engine/policy/fair_table.h"

#define LEAF_BITS   13u /* leaves remembered, as a power of two */
#define VALUES_BITS 14u /* states remembered, for each depth */

/* Values of a board with each next disc that has its bit in `known`. */
struct values {
    struct fair_key key;
    double value[8];
    uint32_t known;
};

struct fair_search {
    struct fair_leaf leaf;
    struct fair_key leaf_key[1u << LEAF_BITS];
    struct fair_value leaf_value[1u << LEAF_BITS];
    struct values *values[FAIR_DEPTH_MAX]; /* owned; by depth from 1 on */
};

static double state_value(struct fair_search *f, const struct board *b, unsigned rise,
                          unsigned next, unsigned depth);

/* Where a leaf is remembered; asks for it to be brought near, for use a little later. */
static uint64_t leaf_slot(const struct fair_search *f, const struct fair_outcome *o,
                          struct fair_key *ret_key)
{
    *ret_key = fair_key_of(&o->board, o->rise);
    uint64_t slot = fair_key_hash(ret_key) >> (64 - LEAF_BITS);
    __builtin_prefetch(&f->leaf_key[slot]);
    __builtin_prefetch(&f->leaf_value[slot]);
    return slot;
}

static const struct fair_value *leaf_at(struct fair_search *f, const struct fair_key *key,
                                        uint64_t slot, const struct fair_outcome *o)
{
    if (!fair_key_is(&f->leaf_key[slot], key)) {
        fair_leaf_read(&f->leaf, &o->board, o->rise, &f->leaf_value[slot]);
        f->leaf_key[slot] = *key;
    }
    return &f->leaf_value[slot];
}

/* Q of a column whose outcomes are leaves: all are asked for before the first is needed. */
static double last_column_value(struct fair_search *f, const struct fair_node *n, unsigned column)
{
    struct fair_outcome outcomes[CHANCE_STRATA];
    struct fair_key key[CHANCE_STRATA];
    uint64_t slot[CHANCE_STRATA];
    unsigned distinct = fair_play(n, column, outcomes);
    double sum = 0.0;
    for (unsigned s = 0; s < distinct; s++) {
        if (!outcomes[s].over) {
            slot[s] = leaf_slot(f, &outcomes[s], &key[s]);
        }
    }
    struct fair_value leaf = {0};
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        const struct fair_outcome *o = &outcomes[distinct == 1 ? 0 : s];
        double value = FAIR_OVER;
        if (!o->over) {
            if (s < distinct) {
                leaf = *leaf_at(f, &key[s], slot[s], o);
            }
            value = fair_leaf_value(&leaf, n->disc[s]);
        }
        sum += (double)o->points + value;
    }
    return sum / CHANCE_STRATA;
}

/* Q: points and what follows, over the strata in order. */
static double column_value(struct fair_search *f, const struct fair_node *n, unsigned column,
                           unsigned depth)
{
    struct fair_outcome outcomes[CHANCE_STRATA];
    if (depth == 1) {
        return last_column_value(f, n, column);
    }
    unsigned distinct = fair_play(n, column, outcomes);
    double sum = 0.0;
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        const struct fair_outcome *o = &outcomes[distinct == 1 ? 0 : s];
        double value = FAIR_OVER;
        if (!o->over) {
            value = state_value(f, &o->board, o->rise, n->disc[s], depth - 1);
        }
        sum += (double)o->points + value;
    }
    return sum / CHANCE_STRATA;
}

/* V of a canonical state in play, depth >= 1. */
static double state_value(struct fair_search *f, const struct board *b, unsigned rise,
                          unsigned next, unsigned depth)
{
    struct fair_key key = fair_key_of(b, rise | 8u);
    struct values *entry = &f->values[depth][fair_key_hash(&key) >> (64 - VALUES_BITS)];
    if (!fair_key_is(&entry->key, &key)) {
        entry->key = key;
        entry->known = 0;
    } else if (entry->known >> next & 1u) {
        return entry->value[next];
    }
    struct fair_node n;
    fair_node_init(&n, b, chance_board_hash(b), next, rise, depth);
    unsigned legal = board_legal(b);
    double best = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) { /* a maximum: the order does not matter here */
        if (legal >> c & 1u) {
            double value = column_value(f, &n, c, depth);
            best = value > best ? value : best;
        }
    }
    /* entries of this depth are not touched by the recursion below it */
    entry->value[next] = best;
    entry->known |= 1u << next;
    return best;
}

double fair_search_value(struct fair_search *f, const struct fair_outcome *o, unsigned next,
                         unsigned depth)
{
    if (o->over) {
        return FAIR_OVER;
    }
    if (depth == 0) {
        struct fair_key key;
        uint64_t slot = leaf_slot(f, o, &key);
        return fair_leaf_value(leaf_at(f, &key, slot, o), next);
    }
    return state_value(f, &o->board, o->rise, next, depth);
}

enum d7_err fair_search_new(unsigned depth, struct fair_search **ret)
{
    D7_CHECK(depth <= FAIR_DEPTH_MAX - 1);
    struct fair_search *f = calloc(1, sizeof(*f));
    if (!f) {
        return D7_ERR_NOMEM;
    }
    fair_leaf_init(&f->leaf);
    for (unsigned d = 1; d <= depth; d++) {
        f->values[d] = calloc(1u << VALUES_BITS, sizeof(*f->values[d]));
        if (!f->values[d]) {
            fair_search_free(f);
            return D7_ERR_NOMEM;
        }
    }
    *ret = f;
    return D7_OK;
}

void fair_search_free(struct fair_search *f)
{
    if (!f) {
        return;
    }
    for (unsigned d = 0; d < FAIR_DEPTH_MAX; d++) {
        free(f->values[d]);
    }
    free(f);
}
