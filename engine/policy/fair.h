/*
 * fair.h - the fair search: full width to a fixed depth, seven chance samples a move that every
 * column of a node shares.
 *
 * Source  ../shared/spec/policies.md, section 14.
 * Files   fair.c the root; fair_crew threads; fair_engine and fair_wide which build; fair_search
 * the recursion; fair_play one move; fair_table what is remembered; fair_leaf the evaluator,
 * fair_family seven leaves at once, fair_reading and profile what both read. Owns    fair_new
 * allocates everything; fair_free takes NULL. Threads one search belongs to one thread, and may use
 * others of its own. Errors  D7_ERR_NOMEM, D7_ERR_UNAVAILABLE (no more threads to be had).
 */
#ifndef ENGINE_POLICY_FAIR_H
#define ENGINE_POLICY_FAIR_H

#include "engine/policy/fair_search.h"
#include "engine/policy/registry.h"

struct fair;

/* depth 1..FAIR_DEPTH_MAX; threads >= 1, the caller's included: the same values for every count. */
D7_MUST_USE enum d7_err fair_new(unsigned depth, unsigned threads, struct fair **ret);
void fair_free(struct fair *f);
void fair_decide(struct fair *f, const struct position *at, struct decision *ret);

#endif
