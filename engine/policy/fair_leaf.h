/*
 * fair_leaf.h - the leaf evaluator of the fair search: eighteen weighted terms of board, clock and
 * next disc.
 *
 * Source  ../shared/spec/policies.md, section 14.5.
 * Why split: the next disc enters only the last term added, so one base serves all seven discs:
 * value = base + options of the disc, bit for bit.
 * Owns    struct fair_leaf is its tables and memos: a plain value, made by fair_leaf_init; big, so
 * never a local.
 * Threads one per thread: the memos are written by every call.
 */
#ifndef ENGINE_POLICY_FAIR_LEAF_H
#define ENGINE_POLICY_FAIR_LEAF_H

#include "engine/policy/fair_reading.h"

#define FAIR_LEAF_MEMO 1024u /* boards' gray patterns remembered; a power of two */

struct fair_leaf {
    struct fair_cells cells;
    double cover_risk[2][64]; /* term 14 of one gray cell: solid or cracked, by grid bit */
    double additions[43][8];  /* the union of a window that lacks so many and a column that does */
    struct {
        uint64_t covered;
        uint64_t cracked;
        double risk;    /* term 14, weighted */
        int32_t points; /* what gray cells add to terms 3, 4 and 5 */
    } memo[FAIR_LEAF_MEMO];
    struct profiles profiles;
    struct {
        _Alignas(16) double line[FAIR_CELLS][8]; /* releases in the hole's row or column */
        _Alignas(16) double ready[FAIR_CELLS][8];
    } family; /* fair_family.c's, by grid bit and number less 1; meant where its masks say so */
};

/* Term 14 and the counts of gray cells: most leaves of a node share them, so they are remembered by
 * their masks. Returns the memo's slot. */
unsigned fair_leaf_gray(struct fair_leaf *l, uint64_t covered, uint64_t cracked);
/* Terms 6 (in the low byte) and 15 of some ones and twos: both are integers, so their order does
 * not matter. */
uint32_t fair_leaf_low(uint64_t low);

struct fair_value {
    double base;      /* terms 1-17 */
    uint32_t options; /* nibble v: columns of term 18 for next disc v */
};

void fair_leaf_init(struct fair_leaf *l);
/* rise 1..5; the board is one in play. */
void fair_leaf_read(struct fair_leaf *l, const struct board *b, unsigned rise,
                    struct fair_value *ret);

static inline double fair_leaf_value(const struct fair_value *v, unsigned next)
{
    return v->base + (double)(v->options >> (4 * next) & 15u) * 220.0;
}

#endif
