/*
 * mcts.h - mcts: 400 simulations of a tree over visible positions, each ended by two greedy moves.
 *
 * Source  ../shared/spec/policies.md, section 5.
 * Why     a simulation adds one node at most, so the node limit of the text (100,000) is never
 * reached and 401 nodes are all there can be.
 * Owns    mcts_new allocates the tree; nothing is allocated later. mcts_free takes NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_MCTS_H
#define ENGINE_POLICY_MCTS_H

#include "engine/policy/registry.h"

#define MCTS_SEED        0xc2e36c54u
#define MCTS_SIMULATIONS 400u
#define MCTS_PROBE       0x50524f42u

struct mcts;

/* Counts of one decision, for tests and tuning. */
struct mcts_counts {
    unsigned plays;
    unsigned evaluations;
    unsigned nodes;
    unsigned reused;       /* steps into a node that was there already */
    unsigned longest_path; /* in actions */
};

/* simulations: 1 to MCTS_SIMULATIONS. */
D7_MUST_USE enum d7_err mcts_new(unsigned simulations, struct mcts **ret);
void mcts_free(struct mcts *m);
/* The values are means; a column the simulations never tried has minus infinity. work is the number
 * of simulations. */
void mcts_decide(struct mcts *m, const struct position *at, struct decision *ret);
/* Of the last decision. */
struct mcts_counts mcts_counts(const struct mcts *m);

#endif
