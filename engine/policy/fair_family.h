/*
 * fair_family.h - the leaves of a board with each of the numbers 1-7 in one of its cells.
 *
 * Why     strata that part over nothing but the number of one revealed disc are the rule, and their
 * leaves differ in that disc's row and column only.
 * Source  ../shared/spec/policies.md, section 14.5.
 * Threads as fair_leaf.h.
 */
#ifndef ENGINE_POLICY_FAIR_FAMILY_H
#define ENGINE_POLICY_FAIR_FAMILY_H

#include "engine/policy/fair_leaf.h"

struct fair_family {
    double base[8];   /* terms 1-17, by number less 1; the last one means nothing */
    uint32_t options; /* as in struct fair_value */
};

/* Whatever the board has in the cell with grid bit `hole`, which must be an occupied one. */
void fair_family_read(struct fair_leaf *l, const struct board *b, unsigned hole, unsigned rise,
                      struct fair_family *ret);

static inline double fair_family_value(const struct fair_family *f, unsigned number, unsigned next)
{
    return f->base[number - 1] + (double)(f->options >> (4 * next) & 15u) * 220.0;
}

#endif
