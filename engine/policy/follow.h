/*
 * follow.h - how the fair tree searches value what lies beyond their tree: a few more moves, each
 * the best one of the fair search at depth 1, and the leaf of the fair search.
 *
 * Source  ../shared/spec/policies.md, section 15 ("continuation", "Fair one-ply value").
 * Choices the moves run on streams of the policy's seed, domain TREE_ROLLOUT, as those of mcts do
 * (section 5); no more of them than the horizon has left; positions are canonicalised after each.
 * Owns    follow_new and follow_begin allocate everything; follow_free takes NULL.
 * Threads one per thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_FOLLOW_H
#define ENGINE_POLICY_FOLLOW_H

#include "engine/policy/tree.h"

#define FOLLOW_OVER (-1000000.0) /* what a lost game is worth, as in the fair search */

struct follow_limits {
    uint32_t seed;
    unsigned moves;   /* at most so many, and may be none */
    unsigned horizon; /* of the whole walk */
};

struct follow;

/* limits are copied. */
D7_MUST_USE enum d7_err follow_new(const struct follow_limits *limits, struct follow **ret);
void follow_free(struct follow *f);

/* What the parameters of both such searches say of tree and continuation. */
struct follow_plan {
    const char *policy; /* its id, for the seed */
    unsigned simulations;
    unsigned horizon;
    uint32_t nodes; /* at most; fewer are allocated where the simulations cannot use them */
    unsigned continuation;
};

/* The tree, which was all zeros, and what follows it. The caller releases both, also after an
 * error. */
D7_MUST_USE enum d7_err follow_begin(const struct follow_plan *plan, struct tree *tree,
                                     struct follow **ret);

/* The fair search at depth 1: the values of the columns, and the best of them. */
void follow_look(struct follow *f, const struct position *at, struct decision *ret);
/* The leaf of a canonical position in play. */
double follow_leaf(struct follow *f, const struct position *at);
/* Plays on from a canonical position with `column`, its best by follow_look, for move number `ply`
 * of the simulation. Points and what the end is worth. */
double follow_play(struct follow *f, const struct position *from, unsigned column,
                   unsigned simulation, unsigned ply);

#endif
