/*
 * mcts_fair.h - mcts-fair: the tree search of mcts with the fair search's choices for its
 * continuation and the fair search's leaf.
 *
 * Source  ../shared/spec/policies.md, section 15.
 * Choices where the text is silent, fixed because games depend on them:
 *   - streams, path, back-up, node key and final choice are those of section 5, seed included: the
 *     policy seed of the id; domains TREE_CHANCE and TREE_ROLLOUT;
 *   - the spread is taken over the means of the actions of the node that were visited, when all
 *     were: before that the first one never tried is taken whatever the spread;
 *   - the continuation has at most what the horizon leaves, as in section 5;
 *   - a new position met when the nodes are used up is worth its leaf, without a continuation.
 * Owns    mcts_fair_new allocates everything; mcts_fair_free takes NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_MCTS_FAIR_H
#define ENGINE_POLICY_MCTS_FAIR_H

#include "engine/policy/registry.h"

#define MCTS_FAIR_ID "mcts-fair"

struct mcts_fair_params {
    unsigned simulations; /* 1 to LOG_TABLE_MAX - 1 */
    unsigned horizon;     /* moves of a simulation, 2 to TREE_HORIZON_MAX */
    uint32_t nodes;       /* at most, and at least 1 */
    unsigned continuation;
    double least_spread; /* the least exploration constant */
};

struct mcts_fair;

extern const struct mcts_fair_params mcts_fair_defaults;

/* params are copied. */
D7_MUST_USE enum d7_err mcts_fair_new(const struct mcts_fair_params *params,
                                      struct mcts_fair **ret);
void mcts_fair_free(struct mcts_fair *m);
/* The values are means; a column the simulations never tried has minus infinity. work is the number
 * of simulations. */
void mcts_fair_decide(struct mcts_fair *m, const struct position *at, struct decision *ret);
/* Of the last decision. */
uint32_t mcts_fair_nodes(const struct mcts_fair *m);

#endif
