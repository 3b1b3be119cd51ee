/*
 * fair.h - the fair search: full width to a fixed depth, seven chance samples a move that every
 * column of a node shares.
 *
 * Source  ../shared/spec/policies.md, section 14.
 * Owns    fair_new allocates everything; fair_free takes NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_FAIR_H
#define ENGINE_POLICY_FAIR_H

#include "engine/policy/registry.h"

#define FAIR_DEPTH_MAX 4

struct fair;

/* depth 1..FAIR_DEPTH_MAX */
D7_MUST_USE enum d7_err fair_new(unsigned depth, struct fair **ret);
void fair_free(struct fair *f);
void fair_decide(struct fair *f, const struct position *at, struct decision *ret);

#endif
