/*
 * tree.h - the tree of visible positions that the tree searches grow: nodes, the table that finds
 * them, the walk of a simulation, its back-up and the choice by visits.
 *
 * Source  ../shared/spec/policies.md, section 5; 15 for the node limit.
 * Why     mcts, mcts-fair and puct differ in which action a walk takes, in what a new node is worth
 * and in the leaf, and in nothing else: those three are asked of the policy.
 * Use     tree_start, then tree_simulate as often as there are simulations, then tree_report.
 * Frame   the root is canonicalised and so is every later position; columns are those of the node's
 * own board, until tree_report turns them back.
 * Limit   a walk that comes to a new position when the nodes are used up ends there: no node, no
 * continuation, the leaf of that position.
 * Owns    tree_init allocates nodes and table, tree_release frees them; nothing in between.
 * Threads one tree belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_TREE_H
#define ENGINE_POLICY_TREE_H

#include "engine/policy/play.h"
#include "engine/policy/registry.h"

#define TREE_HORIZON_MAX 32u
#define TREE_CHANCE      0x4348414eu /* domain of the streams of a walk's own moves */
#define TREE_ROLLOUT     0x524f4c4cu /* of the moves a new node is continued with */

struct tree_action {
    uint32_t visits;
    double sum;
};

struct tree_node {
    struct position at; /* canonical */
    uint32_t visits;
    unsigned legal;
    struct tree_action action[BOARD_COLUMNS];
};

struct tree_step {
    uint32_t node;
    uint8_t column;
    int64_t reward;
};

struct tree_limits {
    uint32_t seed;
    unsigned horizon; /* moves of a walk, 2..TREE_HORIZON_MAX */
    uint32_t nodes;   /* at least 1 */
    double over;      /* what a lost game is worth */
};

struct tree {
    struct tree_limits limits;
    uint32_t epoch; /* of this decision: slots with another one are free */
    uint32_t mask;  /* of slot numbers */
    uint32_t count; /* nodes; the root is 0 */
    bool reversed;  /* the root is the mirror image of the position asked about */
    bool settled;   /* no disc of the root clears by itself; of other nodes none ever does */
    uint32_t reused;
    unsigned longest; /* walk so far, in moves */
    unsigned length;  /* of the last walk */
    struct tree_step path[TREE_HORIZON_MAX];
    struct tree_node *node; /* owned */
    struct tree_slot *slot; /* owned */
};

/* What a policy adds; ctx is its own. */
struct tree_guide {
    /* A legal column for the walk to take from that node, which has one. */
    unsigned (*select)(void *ctx, uint32_t node);
    /* The value of the node just added, which the walk reached with move number `ply` to come. */
    double (*grow)(void *ctx, uint32_t node, unsigned simulation, unsigned ply);
    double (*leaf)(void *ctx, const struct position *at);
};

/* limits are copied. A tree of zeros may be released. */
D7_MUST_USE enum d7_err tree_init(struct tree *t, const struct tree_limits *limits);
void tree_release(struct tree *t);

/* A tree of nothing but the root. */
void tree_start(struct tree *t, const struct position *at);
/* One walk down, and its value back up the path it left in t. The root has a legal column. */
void tree_simulate(struct tree *t, const struct tree_guide *guide, void *ctx, unsigned simulation);
/* The root's means and visits by real columns; the column is the most visited one, of those the one
 * with the better mean, of those the one nearest the centre. A column never tried has minus
 * infinity for its mean. */
void tree_report(const struct tree *t, struct decision *ret);

/* The seed of a stream: of a simulation, a move number of it, both from 0, and a domain. */
uint32_t tree_stream(uint32_t seed, unsigned simulation, unsigned ply, uint32_t domain);
/* A move on a stream of numbers, and the next disc from what is left of it. */
void tree_play(struct play *ret, const struct position *at, unsigned column, bool settled,
               uint32_t stream);

static inline double tree_mean(const struct tree_action *a)
{
    return a->sum / a->visits;
}

/* The first action never tried, from the centre outwards, or the one with the highest upper
 * confidence bound. The node has fewer than LOG_TABLE_MAX visits. */
unsigned tree_select_bound(const struct tree_node *n, double exploration);

#endif
