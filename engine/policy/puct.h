/*
 * puct.h - puct: a tree search that a prior guides, and that may overrule fair-d2-s7 only where it
 * is sure.
 *
 * Source  ../shared/spec/policies.md, section 15.
 * Choices where the text is silent, fixed because games depend on them:
 *   - streams, path, back-up and node key are those of section 5 with the policy seed of the id;
 *     the baseline and the fair values keep the fair search's own seed;
 *   - a prior is softmax((value - largest) / (largest - smallest) / temperature) over the node's
 *     legal columns; equal values share evenly;
 *   - an action never tried stands in for its mean with the mean of its node (all its visits), so
 *     that the prior alone speaks for or against it; in a node never left, all stand at 0;
 *   - the score is mean + exploration * prior * sqrt(N) / (1 + n), computed from left to right, N
 *     the node's visits; equal scores go to the larger prior, then to the order;
 *   - the means seen are those the actions of a path have after each simulation; while the smallest
 *     and the largest are equal, every mean counts as 0;
 *   - a new node is continued with the best of the values its prior was made of, and then as
 *     follow.h says, no further than the horizon;
 *   - a new position met when the nodes are used up is worth its leaf, without a continuation;
 *   - the favourite has the most visits, then the better mean, then comes first in the order; its
 *     advantage is (its mean - the baseline's) / (largest - smallest mean seen). A baseline column
 *     never tried has no mean to beat and is played.
 * Owns    puct_new allocates everything; puct_free takes NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_PUCT_H
#define ENGINE_POLICY_PUCT_H

#include "engine/policy/registry.h"

#define PUCT_ID              "puct"
#define PUCT_SIMULATIONS_MAX 65536u

struct puct_params {
    unsigned simulations; /* 1 to PUCT_SIMULATIONS_MAX */
    unsigned horizon;     /* moves of a simulation, 2 to TREE_HORIZON_MAX */
    uint32_t nodes;       /* at most, and at least 1 */
    unsigned continuation;
    unsigned baseline_depth; /* 1 to FAIR_DEPTH_MAX: of the root's values and the baseline */
    double exploration;
    double temperature; /* above 0 */
    /* an override takes at least so many visits, and more than these: */
    uint32_t least_visits;
    double share; /* of the root's visits */
    double advantage;
};

/* What the gate is told of the root's favourite and of the baseline's column. */
struct puct_claim {
    uint32_t visits; /* of the favourite */
    uint32_t all_visits;
    uint32_t baseline_visits;
    double mean; /* of the favourite */
    double baseline_mean;
    double low; /* smallest and largest mean seen */
    double high;
};

struct puct;

extern const struct puct_params puct_defaults;

/* params are copied. */
D7_MUST_USE enum d7_err puct_new(const struct puct_params *params, struct puct **ret);
void puct_free(struct puct *p);
/* The values are means; a column the simulations never tried has minus infinity. work is the number
 * of simulations. */
void puct_decide(struct puct *p, const struct position *at, struct decision *ret);
/* The gate: may the favourite be played instead of the baseline's column? */
bool puct_overrides(const struct puct_params *params, const struct puct_claim *claim);

/* Of the last decision, for tests. */
uint32_t puct_nodes(const struct puct *p);
/* The priors of the root's columns, as real ones. */
void puct_priors(const struct puct *p, double ret[BOARD_COLUMNS]);

#endif
