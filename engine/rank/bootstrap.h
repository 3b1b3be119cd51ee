/*
 * bootstrap.h - how far means and ranks would move with other rounds: the percentile bootstrap.
 *
 * Source  Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile
 * interval); what ../shared/spec/api.md, "Statistics", leaves open is fixed here:
 *   - the generator is mulberry32 (engine/base/rng.h) started at BOOTSTRAP_SEED; resample 0 takes
 *     its first n draws, resample 1 the next n, and so on; a draw u picks round floor(u n);
 *   - the indices depend on n alone, so all policies (and both sides of a pair) see the same ones;
 *     they are drawn anew for each list, which costs less than keeping them;
 *   - with B resamples the 95 % interval of a mean is the 0.025 and 0.975 quantiles by the rule of
 *     stats.h; the upper one is taken from the top with the lower one's weights, so that negated
 *     values give exactly the negated interval;
 *   - rank intervals are order statistics without interpolation: number floor(0.025 (B-1)) and
 *     number ceil(0.975 (B-1)) of the ascending ranks, counted from 0;
 *   - equal means in a resample are ranked in the order the policies are handed in.
 * Bounds  no heap for means; ranks take m^2 16-bit counters for m policies, and time linear in m
 * (a radix sort a resample): 300 policies on 8 rounds are some tens of milliseconds.
 * Determinism: integers up to the last division. Threads none.
 */
#ifndef ENGINE_RANK_BOOTSTRAP_H
#define ENGINE_RANK_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/err.h"

#define BOOTSTRAP_RESAMPLES  10000
#define BOOTSTRAP_SEED       0xd7b007u /* 14135303 */
#define BOOTSTRAP_ROUNDS_MIN 5

struct interval {
    double low, high;
};

/* The interval of the mean of n values, one a round. False, and nothing written, under
 * BOOTSTRAP_ROUNDS_MIN. */
bool bootstrap_mean(const int64_t *values, size_t n, struct interval *ret);

struct rank_span {
    uint32_t best, worst; /* 1-based */
};

/* The interval of each policy's rank by mean, highest first. scores[i] points at policy i's n
 * scores; policies that are to win ties come first. n >= BOOTSTRAP_ROUNDS_MIN (CHECK). */
D7_MUST_USE enum d7_err bootstrap_ranks(const int64_t *const *scores, size_t policy_count, size_t n,
                                        struct rank_span *ret);

#endif
