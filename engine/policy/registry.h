/*
 * registry.h - the built-in policies: who they are, and asking one for a column.
 *
 * Source  ../shared/spec/policies.md, sections 3-16.
 * Why two questions: a policy gets the public state and nothing else; only one whose info says it
 * reads more is asked through policy_decide_extended, with a type of its own. Owns    policy_new
 * gives an instance with its caches; policy_free releases it. Threads an instance belongs to one
 * thread (it may use threads of its own); the registry is constant.
 */
#ifndef ENGINE_POLICY_REGISTRY_H
#define ENGINE_POLICY_REGISTRY_H

#include "engine/base/span.h"
#include "engine/rules/board.h"

struct policy_info {
    const char *id;
    const char *name;
    const char *family;
    const char *description;
    bool public_information; /* false: reads level and move number; badge "extended state" */
    bool slow;               /* left out of the default bench */
};

struct extended_state {
    struct position position;
    uint32_t level;
    uint32_t moves;
};

/* A column and, per legal column, what the policy thought of it. */
struct decision {
    int column; /* 0-6; -1 when no column is legal */
    unsigned value_count;
    struct {
        uint8_t column;
        uint32_t visits; /* of a tree search; else 0 */
        double value;
    } values[BOARD_COLUMNS];
    uint32_t depth; /* completed (expectimax); 0 where it means nothing */
    /* How much the text has the policy do for this decision: a function of the position, whatever
     * is spared and however many threads there are. Expectimax: its ticks, remembered values being
     * one each. Tree searches: simulations. All others: moves played, a column in a sample being
     * one, also where several samples are played at once or a value is remembered. 0: no legal
     * column. */
    uint64_t work;
};

struct policy;

/* All of them, in registry order. */
const struct policy_info *policy_registry(size_t *ret_count);
/* NULL for an unknown id. */
const struct policy_info *policy_find(struct span id);

/* threads >= 1: same decisions for every count. */
D7_MUST_USE enum d7_err policy_new(const struct policy_info *info, unsigned threads,
                                   struct policy **ret);
void policy_free(struct policy *p);
const struct policy_info *policy_info_of(const struct policy *p);

/* A deterministic function of the position. An extended-state policy is told level 1, moves 0. */
void policy_decide(struct policy *p, const struct position *at, struct decision *ret);
/* For public policies the same as policy_decide on the position in it. */
void policy_decide_extended(struct policy *p, const struct extended_state *at,
                            struct decision *ret);

#endif
