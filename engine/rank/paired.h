/*
 * paired.h - two policies on the same rounds: who wins how often and by how much.
 *
 * Source  ../shared/spec/api.md, "Statistics"; the sign test is that of Conover, Practical
 * Nonparametric Statistics (1999), 3.4: ties dropped, p = min(1, 2 P(X <= min(wins, losses))) for X
 * binomial(wins + losses, 1/2), exact.
 * Why     rounds differ in difficulty far more than policies do; differences on the same round take
 * that out.
 * Determinism: swapping the two sides swaps wins and losses, negates deltas and turns the interval
 * around, to the last bit. Threads none.
 */
#ifndef ENGINE_RANK_PAIRED_H
#define ENGINE_RANK_PAIRED_H

#include "engine/base/jsonout.h"
#include "engine/rank/interval_memo.h"

struct paired {
    uint32_t wins, ties, losses; /* of the first, over the rounds both played */
    bool has_pairs;              /* without any there is no delta: null in JSON */
    double mean_delta, median_delta;
    bool has_delta_ci; /* both played all rounds, and these are enough to resample */
    struct interval delta_ci;
    double sign_test_p;
};

/* Scores by round, STATS_UNPLAYED where there is none; n may be 0. memo may be NULL. D7_ERR_NOMEM.
 */
D7_MUST_USE enum d7_err paired_compute(const int64_t *first, const int64_t *second, size_t n,
                                       struct interval_memo *memo, struct paired *ret);

/* In [0, 1]; 1 without wins and losses. */
double paired_sign_test(uint32_t wins, uint32_t losses);

/* The object of api.md. */
void paired_write(struct jout *j, const struct paired *p);

#endif
