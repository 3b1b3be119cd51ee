/*
 * fair_leaf.h - the leaf evaluator of the fair search: eighteen weighted terms of board, clock and
 * next disc.
 *
 * Source  ../shared/spec/policies.md, section 14.5.
 * Why split: the next disc enters only the last term added, so one base serves all seven discs:
 * value = base + options of the disc, bit for bit.
 * Owns    struct fair_leaf is its tables and a memo: a plain value, made by fair_leaf_init.
 * Threads one per thread: the memo is written by every call.
 */
#ifndef ENGINE_POLICY_FAIR_LEAF_H
#define ENGINE_POLICY_FAIR_LEAF_H

#include "engine/policy/features.h"

#define FAIR_LEAF_MEMO 1024u /* boards' gray patterns remembered; a power of two */

struct fair_leaf {
    double cover_risk[2][64];   /* term 14 of one gray cell: solid or cracked, by grid bit */
    double rise_pressure[6][8]; /* term 17 of one column: by clock and height */
    struct {
        uint64_t covered;
        uint64_t cracked;
        double risk;
    } memo[FAIR_LEAF_MEMO];
};

struct fair_value {
    double base;       /* terms 1-17 */
    double options[8]; /* by next disc 1-7: term 18 */
};

void fair_leaf_init(struct fair_leaf *l);
/* rise 1..5; the board is one in play. */
void fair_leaf_read(struct fair_leaf *l, const struct board *b, unsigned rise,
                    struct fair_value *ret);

static inline double fair_leaf_value(const struct fair_value *v, unsigned next)
{
    return v->base + v->options[next];
}

#endif
