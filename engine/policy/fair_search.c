/*
 * Design note
 *
 * The recursion of 14.4, with a table per depth (fair_table.h) and moves played for all strata at
 * once (fair_play.h). Where a move reveals nothing its strata lead to one board with each of the
 * seven next discs: one entry of the table, one leaf. Strata that part over one number are a family
 * (fair_family.h).
 */
#include "engine/policy/fair_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/policy/fair_family.h"
#include "engine/policy/fair_table.h"

#define LARGE_PAGE  ((size_t)1 << 21)
#define LEAF_BITS   13u /* leaves remembered, as a power of two */
#define FAMILY_BITS 10u /* families of leaves */
#define VALUES_BITS 14u /* states remembered, for each depth */

/* Values of a board with each next disc that has its bit in `known`: two lines of the cache. */
struct values {
    struct fair_key key;
    double value[7]; /* by next disc less 1 */
    uint32_t known;
    uint32_t board_hash; /* chance_board_hash, set with the key */
};

/* The moves below a state with each next disc. Apart from the values, which are looked up so much
 * more often that they are to be small. */
struct moves {
    uint32_t of[8];
};

/* Leaves of a board with a hole; its key has FAIR_HOLE there. */
struct family_entry {
    struct fair_key key;
    struct fair_family family;
};

struct fair_search {
    struct fair_leaf leaf;
    struct fair_key leaf_key[1u << LEAF_BITS];
    struct fair_value leaf_value[1u << LEAF_BITS];
    struct family_entry family[1u << FAMILY_BITS];
    struct values *values[FAIR_DEPTH_MAX]; /* behind this struct; by depth from 1 on */
    struct moves *moves[FAIR_DEPTH_MAX];   /* behind those; by depth from 2 on, slots as there */
};

/* A column whose outcomes are leaves, and where those are remembered. */
struct last_move {
    struct fair_move move;
    uint32_t slot[CHANCE_STRATA];
};

static double state_value(struct fair_search *f, const struct fair_outcome *o, unsigned next,
                          unsigned depth);

/* Where a leaf or a family is remembered; asks for it to be brought near, for use a little later.
 */
static uint32_t leaf_slot(const struct fair_search *f, const struct fair_outcome *o)
{
    struct fair_key key = fair_key_of(&o->board, o->rise);
    uint64_t hash = fair_key_hash(&key);
    if (o->hole != FAIR_WHOLE) {
        uint32_t slot = (uint32_t)(hash >> (64 - FAMILY_BITS));
        __builtin_prefetch(&f->family[slot]);
        __builtin_prefetch((const char *)&f->family[slot] + 64);
        return slot;
    }
    uint32_t slot = (uint32_t)(hash >> (64 - LEAF_BITS));
    __builtin_prefetch(&f->leaf_key[slot]);
    __builtin_prefetch(&f->leaf_value[slot]);
    return slot;
}

static const struct fair_value *leaf_at(struct fair_search *f, uint32_t slot,
                                        const struct fair_outcome *o)
{
    struct fair_key key = fair_key_of(&o->board, o->rise);
    if (!fair_key_is(&f->leaf_key[slot], &key)) {
        fair_leaf_read(&f->leaf, &o->board, o->rise, &f->leaf_value[slot]);
        f->leaf_key[slot] = key;
    }
    return &f->leaf_value[slot];
}

static const struct fair_family *family_at(struct fair_search *f, uint32_t slot,
                                           const struct fair_outcome *o)
{
    struct fair_key key = fair_key_of(&o->board, o->rise);
    struct family_entry *entry = &f->family[slot];
    if (!fair_key_is(&entry->key, &key)) {
        fair_family_read(&f->leaf, &o->board, o->hole, o->rise, &entry->family);
        entry->key = key;
    }
    return &entry->family;
}

/* Plays a column whose outcomes are leaves, and asks for those. */
static void play_last(const struct fair_search *f, const struct fair_node *n, unsigned column,
                      struct last_move *ret)
{
    fair_play(n, column, true, &ret->move);
    for (unsigned i = 0; i < ret->move.count; i++) {
        if (!ret->move.outcome[i].over) {
            ret->slot[i] = leaf_slot(f, &ret->move.outcome[i]);
        }
    }
}

/* Points and leaf in each stratum of an outcome. */
static void last_terms(struct fair_search *f, const struct fair_node *n,
                       const struct fair_outcome *o, uint32_t slot, double term[CHANCE_STRATA])
{
    if (o->over) {
        for (unsigned left = o->strata; left; left &= left - 1) {
            term[__builtin_ctz(left)] = (double)o->points + FAIR_OVER;
        }
    } else if (o->hole == FAIR_WHOLE) {
        const struct fair_value *leaf = leaf_at(f, slot, o);
        for (unsigned left = o->strata; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            term[s] = (double)o->points + fair_leaf_value(leaf, n->disc[s]);
        }
    } else {
        const struct fair_family *family = family_at(f, slot, o);
        for (unsigned left = o->strata; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            unsigned number = chance_disc(o->rotation, s);
            term[s] = (double)o->points + fair_family_value(family, number, n->disc[s]);
        }
    }
}

/* Q of points and what follows: over the strata in order. */
static double mean_of(const double term[CHANCE_STRATA])
{
    double sum = 0.0;
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        sum += term[s];
    }
    return sum / CHANCE_STRATA;
}

static double last_value(struct fair_search *f, const struct fair_node *n,
                         const struct last_move *last)
{
    double term[CHANCE_STRATA] = {0};
    for (unsigned i = 0; i < last->move.count; i++) {
        last_terms(f, n, &last->move.outcome[i], last->slot[i], term);
    }
    return mean_of(term);
}

/* V of a node whose columns lead to leaves: all are asked for before the first is needed. */
static double last_node_value(struct fair_search *f, const struct fair_node *n, unsigned legal)
{
    struct last_move last[BOARD_COLUMNS];
    for (unsigned left = legal; left; left &= left - 1) {
        unsigned c = (unsigned)__builtin_ctz(left);
        play_last(f, n, c, &last[c]);
    }
    double best = -(double)INFINITY;
    for (unsigned left = legal; left; left &= left - 1) { /* a maximum: in any order */
        double value = last_value(f, n, &last[__builtin_ctz(left)]);
        best = value > best ? value : best;
    }
    return best;
}

/* Where a state is remembered. */
static struct values *values_slot(const struct fair_search *f, const struct fair_key *key,
                                  unsigned depth)
{
    return &f->values[depth][fair_key_hash(key) >> (64 - VALUES_BITS)];
}

/* Every column in every stratum. */
static uint32_t own_moves(const struct board *b)
{
    return CHANCE_STRATA * (uint32_t)__builtin_popcount(board_legal(b));
}

/* Of a state in play that has just been valued. */
static uint32_t state_moves(const struct fair_search *f, const struct fair_outcome *o,
                            unsigned next, unsigned depth)
{
    if (depth == 1) {
        return own_moves(&o->board);
    }
    struct fair_key key = fair_key_of(&o->board, o->rise | 8u);
    return f->moves[depth][values_slot(f, &key, depth) - f->values[depth]].of[next - 1];
}

static double column_value(struct fair_search *f, const struct fair_node *n, unsigned column,
                           unsigned depth, uint32_t *moves)
{
    struct fair_move move;
    double term[CHANCE_STRATA] = {0};
    fair_play(n, column, false, &move);
    for (unsigned i = 0; i < move.count; i++) {
        struct fair_key key = fair_key_of(&move.outcome[i].board, move.outcome[i].rise | 8u);
        const struct values *entry = values_slot(f, &key, depth - 1);
        __builtin_prefetch(entry);
        __builtin_prefetch((const char *)entry + 64);
    }
    for (unsigned i = 0; i < move.count; i++) {
        const struct fair_outcome *o = &move.outcome[i];
        for (unsigned left = o->strata; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            double value = FAIR_OVER;
            if (!o->over) {
                value = state_value(f, o, n->disc[s], depth - 1);
                *moves += state_moves(f, o, n->disc[s], depth - 1);
            }
            term[s] = (double)o->points + value;
        }
    }
    return mean_of(term);
}

/* V of a node with more than one move to look ahead; adds the moves below it. */
static double node_value(struct fair_search *f, const struct fair_node *n, unsigned legal,
                         unsigned depth, uint32_t *moves)
{
    double best = -(double)INFINITY;
    for (unsigned left = legal; left; left &= left - 1) { /* a maximum: in any order */
        double value = column_value(f, n, (unsigned)__builtin_ctz(left), depth, moves);
        best = value > best ? value : best;
    }
    return best;
}

/* V of a canonical state in play, depth >= 1. */
static double state_value(struct fair_search *f, const struct fair_outcome *o, unsigned next,
                          unsigned depth)
{
    struct fair_key key = fair_key_of(&o->board, o->rise | 8u);
    struct values *entry = values_slot(f, &key, depth);
    if (!fair_key_is(&entry->key, &key)) {
        entry->key = key;
        entry->known = 0;
        entry->board_hash = chance_board_hash(&o->board);
    } else if (entry->known >> next & 1u) {
        return entry->value[next - 1];
    }
    struct fair_node n;
    fair_node_init(&n, &o->board, entry->board_hash, next, o->rise, depth);
    unsigned legal = board_legal(&o->board);
    double best = 0.0;
    /* entries of this depth are not touched by the recursion below it */
    if (depth == 1) {
        best = last_node_value(f, &n, legal);
    } else {
        uint32_t *moves = &f->moves[depth][entry - f->values[depth]].of[next - 1];
        *moves = own_moves(&o->board);
        best = node_value(f, &n, legal, depth, moves);
    }
    entry->value[next - 1] = best;
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
        return fair_leaf_value(leaf_at(f, leaf_slot(f, o), o), next);
    }
    return state_value(f, o, next, depth);
}

uint32_t fair_search_moves(const struct fair_search *f, const struct fair_outcome *o, unsigned next,
                           unsigned depth)
{
    return o->over || depth == 0 ? 0 : state_moves(f, o, next, depth);
}

/* Everything in one block on large pages, where the system has them: look-ups go all over it, and
 * with small ones a twentieth of the time goes into finding the page. */
enum d7_err fair_search_new(unsigned depth, struct fair_search **ret)
{
    D7_CHECK(depth <= FAIR_DEPTH_MAX - 1);
    size_t own = (sizeof(struct fair_search) + 63) & ~(size_t)63;
    size_t size = own + depth * (sizeof(struct values) << VALUES_BITS);
    size_t counts = size;
    size += (depth > 1 ? depth - 1 : 0) * (sizeof(struct moves) << VALUES_BITS);
    size = (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    struct fair_search *f = aligned_alloc(LARGE_PAGE, size);
    if (!f) {
        return D7_ERR_NOMEM;
    }
    (void)madvise(f, size, MADV_HUGEPAGE); /* a wish: it works without, too */
    memset(f, 0, size);
    fair_leaf_init(&f->leaf);
    struct values *table = (struct values *)(void *)((char *)f + own);
    for (unsigned d = 1; d <= depth; d++) {
        f->values[d] = table + ((size_t)(d - 1) << VALUES_BITS);
    }
    struct moves *moves = (struct moves *)(void *)((char *)f + counts);
    for (unsigned d = 2; d <= depth; d++) {
        f->moves[d] = moves + ((size_t)(d - 2) << VALUES_BITS);
    }
    *ret = f;
    return D7_OK;
}

void fair_search_free(struct fair_search *f)
{
    free(f);
}
