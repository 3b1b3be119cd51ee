/*
 * roots.h - the positions policies are timed on, and one number for what a policy does on them.
 */
#ifndef TESTS_SUPPORT_ROOTS_H
#define TESTS_SUPPORT_ROOTS_H

#include "engine/policy/registry.h"

#define ROOTS_MAX 64

struct roots {
    struct position at[ROOTS_MAX];
    size_t count;
};

/* bench-roots.txt, read once. */
const struct roots *roots_all(void);
/* FNV-1a over column, legal columns and their values, bit for bit, of a decision on each of the
 * first `limit` positions. *ret_work (may be NULL): the sum of what the decisions counted. */
uint64_t roots_signature(struct policy *p, size_t limit, uint64_t *ret_work);

#endif
