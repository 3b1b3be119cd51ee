/*
 * fair_search.h - the values of the states below the root of the fair search.
 *
 * Source  ../shared/spec/policies.md, section 14.
 * Owns    fair_search_new allocates everything; fair_search_free takes NULL. What it remembers
 * never changes a value.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_FAIR_SEARCH_H
#define ENGINE_POLICY_FAIR_SEARCH_H

#include "engine/base/err.h"
#include "engine/policy/fair_play.h"

#define FAIR_DEPTH_MAX 4
#define FAIR_OVER      (-1000000.0) /* instead of a value, where a move ended the game */

struct fair_search;

/* depth: the most fair_search_value will be asked for, below FAIR_DEPTH_MAX. */
D7_MUST_USE enum d7_err fair_search_new(unsigned depth, struct fair_search **ret);
void fair_search_free(struct fair_search *f);

/* V of an outcome with that next disc and `depth` moves still to look ahead. */
double fair_search_value(struct fair_search *f, const struct fair_outcome *o, unsigned next,
                         unsigned depth);
/* The moves that V is made of, by the text: every column of every state below the outcome in every
 * stratum, remembered or not. Of what was asked of fair_search_value last. */
uint32_t fair_search_moves(const struct fair_search *f, const struct fair_outcome *o, unsigned next,
                           unsigned depth);

#endif
