/*
 * expectimax.h - exact expectimax: every value of every revealed disc, to a depth that the work
 * bound decides.
 *
 * Source  ../shared/spec/policies.md, section 4.
 * Why     ticks are counted in the four places of the text and nowhere else, since the last depth
 * that completes inside the bound gives the decision.
 * Owns    expectimax_new allocates the cache; nothing is allocated later. expectimax_free takes
 * NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_EXPECTIMAX_H
#define ENGINE_POLICY_EXPECTIMAX_H

#include "engine/policy/registry.h"

struct expectimax;

/* Counts of one decision, for tests and tuning. */
struct expectimax_counts {
    uint64_t work;
    uint64_t nodes; /* entered, also the one at which the bound was reached */
    uint64_t hits;
    unsigned entries; /* in the cache at the end */
};

D7_MUST_USE enum d7_err expectimax_new(unsigned max_depth, uint64_t max_work,
                                       struct expectimax **ret);
void expectimax_free(struct expectimax *e);
void expectimax_decide(struct expectimax *e, const struct position *at, struct decision *ret);
/* Of the last decision. */
struct expectimax_counts expectimax_counts(const struct expectimax *e);

#endif
