/*
 * stats.h - what one list of scores says: mean, quantiles, deviation.
 *
 * Source  ../shared/spec/api.md, "Statistics". Quantiles are Hyndman and Fan's type 7 (Sample
 * Quantiles in Statistical Packages, The American Statistician 50, 1996): linear interpolation
 * between order statistics at (n-1)q counted from 0, odd n too. The deviation is the sample's, n-1.
 * Bounds  scores and sums of them stay under 2^53, so sums are exact in any order.
 * Threads none: pure functions, no heap.
 */
#ifndef ENGINE_RANK_STATS_H
#define ENGINE_RANK_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for the score of a round that was not played. */
#define STATS_UNPLAYED INT64_MIN

struct stats {
    double mean, median, lower_quartile;
    int64_t minimum, maximum;
    bool has_sd; /* from two scores on */
    double sd;
};

/* Ascending. */
void stats_sort(int64_t *values, size_t n);
/* Quantile q in [0, 1] of n >= 1 ascending values. */
double stats_quantile(const int64_t *sorted, size_t n, double q);
/* Of n >= 1 values, which are sorted on the way. */
struct stats stats_of(int64_t *values, size_t n);

#endif
