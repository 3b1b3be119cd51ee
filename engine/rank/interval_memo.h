/*
 * interval_memo.h - intervals of means worked out before, found again by the values themselves.
 *
 * Why     a board is made anew after every game, and nearly all its lists of scores are those of
 * the time before; each costs 10,000 resamples. What is found is what would be computed: the key is
 * a digest of the list, so nothing ever has to be invalidated.
 * Owns    its table. Threads any: it has its own lock, never held while an interval is computed.
 * Errors  D7_ERR_NOMEM from _new only; slots are 4 or more (CHECK).
 * Bounds  `slots` entries of under 100 bytes, INTERVAL_MEMO_SLOTS at most; newer ones take the
 * place of older ones.
 */
#ifndef ENGINE_RANK_INTERVAL_MEMO_H
#define ENGINE_RANK_INTERVAL_MEMO_H

#include "engine/rank/bootstrap.h"

#define INTERVAL_MEMO_SLOTS 8192

struct interval_memo;

D7_MUST_USE enum d7_err interval_memo_new(size_t slots, struct interval_memo **ret);
/* Takes NULL. No call may be running. */
void interval_memo_free(struct interval_memo *m);

/* bootstrap_mean(), remembered; m NULL: computed. */
bool interval_memo_mean(struct interval_memo *m, const int64_t *values, size_t n,
                        struct interval *ret);
/* Intervals computed so far, not found: for tests. */
uint64_t interval_memo_computed(struct interval_memo *m);

#endif
