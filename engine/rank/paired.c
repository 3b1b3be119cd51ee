#include "engine/rank/paired.h"

#include <math.h>

#include "engine/rank/stats.h"

/* Where the sum of binomial coefficients is scaled down; far under the largest double. */
#define SCALE_BITS 512

double paired_sign_test(uint32_t wins, uint32_t losses)
{
    uint64_t n = (uint64_t)wins + losses;
    uint64_t fewer = wins < losses ? wins : losses;
    int64_t exponent = 0; /* term and sum are to be multiplied by 2^exponent */
    double term = 1;      /* n over i; exact while it fits 53 bits */
    double sum = 1;
    for (uint64_t i = 1; i <= fewer; i++) {
        term = term * (double)(n - i + 1) / (double)i;
        sum += term;
        if (sum > ldexp(1, SCALE_BITS)) {
            term = ldexp(term, -SCALE_BITS);
            sum = ldexp(sum, -SCALE_BITS);
            exponent += SCALE_BITS;
        }
    }
    int64_t shift = exponent + 1 - (int64_t)n;
    if (shift < -4 * SCALE_BITS) {
        return 0; /* under the smallest double, whatever the sum; below, the shift fits an int */
    }
    return fmin(1, ldexp(sum, (int)shift));
}

enum d7_err paired_compute(const int64_t *first, const int64_t *second, size_t n,
                           struct interval_memo *memo, struct paired *ret)
{
    struct paired p = {.sign_test_p = 1};
    int64_t *deltas = calloc(n ? n : 1, sizeof(*deltas));
    if (!deltas) {
        return D7_ERR_NOMEM;
    }
    size_t count = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (first[i] == STATS_UNPLAYED || second[i] == STATS_UNPLAYED) {
            continue;
        }
        int64_t delta = first[i] - second[i];
        p.wins += delta > 0;
        p.ties += delta == 0;
        p.losses += delta < 0;
        sum += delta;
        deltas[count++] = delta;
    }
    p.has_pairs = count > 0;
    if (p.has_pairs) {
        /* before sorting: a resample picks rounds by their place */
        p.has_delta_ci = count == n && interval_memo_mean(memo, deltas, n, &p.delta_ci);
        stats_sort(deltas, count);
        p.mean_delta = (double)sum / (double)count;
        p.median_delta = stats_quantile(deltas, count, 0.5);
        p.sign_test_p = paired_sign_test(p.wins, p.losses);
    }
    free(deltas);
    *ret = p;
    return D7_OK;
}

void paired_write(struct jout *j, const struct paired *p)
{
    jout_object(j);
    jout_kv_int(j, "wins", p->wins);
    jout_kv_int(j, "ties", p->ties);
    jout_kv_int(j, "losses", p->losses);
    jout_key(j, "meanDelta");
    p->has_pairs ? jout_double(j, p->mean_delta) : jout_null(j);
    jout_key(j, "medianDelta");
    p->has_pairs ? jout_double(j, p->median_delta) : jout_null(j);
    jout_key(j, "deltaCi95");
    if (p->has_delta_ci) {
        jout_array(j);
        jout_double(j, p->delta_ci.low);
        jout_double(j, p->delta_ci.high);
        jout_array_end(j);
    } else {
        jout_null(j);
    }
    jout_kv_double(j, "signTestP", p->sign_test_p);
    jout_object_end(j);
}
