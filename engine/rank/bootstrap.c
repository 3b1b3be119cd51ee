#include "engine/rank/bootstrap.h"

#include "engine/base/rng.h"

/* The quantile needs order statistic number floor(0.025 (B-1)) from either end, and the next. */
#define TAIL_LOW  249
#define TAIL_PART ((BOOTSTRAP_RESAMPLES - 1) * 0.025 - TAIL_LOW)
#define TAIL_KEEP (TAIL_LOW + 2)

_Static_assert((BOOTSTRAP_RESAMPLES - 1) * 25 / 1000 == TAIL_LOW, "the place in the order");
_Static_assert(BOOTSTRAP_RESAMPLES <= UINT16_MAX, "a rank's count fits 16 bits");

/* The least values seen, ascending. Only the tails decide, so the thousands between are not
 * sorted. */
struct tail {
    int64_t values[TAIL_KEEP];
    size_t count;
};

static void tail_add(struct tail *t, int64_t value)
{
    if (t->count == TAIL_KEEP && value >= t->values[TAIL_KEEP - 1]) {
        return;
    }
    size_t at = t->count < TAIL_KEEP ? t->count++ : TAIL_KEEP - 1;
    while (at > 0 && t->values[at - 1] > value) {
        t->values[at] = t->values[at - 1];
        at--;
    }
    t->values[at] = value;
}

/* sign -1 for a tail of negated values: they are turned back as integers, so no -0 comes out. */
static double tail_quantile(const struct tail *t, int sign, size_t n)
{
    int64_t outer = sign * t->values[TAIL_LOW];
    int64_t inner = sign * t->values[TAIL_LOW + 1];
    double sum = (double)outer + TAIL_PART * (double)(inner - outer);
    return sum / (double)n;
}

bool bootstrap_mean(const int64_t *values, size_t n, struct interval *ret)
{
    if (n < BOOTSTRAP_ROUNDS_MIN) {
        return false;
    }
    D7_CHECK(n <= UINT32_MAX);
    struct tail low = {.count = 0};
    struct tail high = {.count = 0};
    struct rng rng = {BOOTSTRAP_SEED};
    for (size_t b = 0; b < BOOTSTRAP_RESAMPLES; b++) {
        int64_t sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += values[rng_below(&rng, (uint32_t)n)];
        }
        tail_add(&low, sum);
        tail_add(&high, -sum);
    }
    *ret = (struct interval){tail_quantile(&low, 1, n), tail_quantile(&high, -1, n)};
    return true;
}

struct placing {
    int64_t sum;
    uint32_t who;
};

static int by_sum(const void *a, const void *b)
{
    const struct placing *x = a;
    const struct placing *y = b;
    if (x->sum != y->sum) {
        return x->sum > y->sum ? -1 : 1;
    }
    return (x->who > y->who) - (x->who < y->who);
}

/* The policies of one resample in order of their sums. */
static void place_all(const int64_t *const *scores, size_t policy_count, const uint32_t *rounds,
                      size_t n, struct placing *order)
{
    for (size_t p = 0; p < policy_count; p++) {
        int64_t sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += scores[p][rounds[i]];
        }
        order[p] = (struct placing){sum, (uint32_t)p};
    }
    qsort(order, policy_count, sizeof(*order), by_sum);
}

/* 1-based rank at that place (from 0) of the ascending ranks; counts has one entry a rank. */
static uint32_t rank_at(const uint16_t *counts, size_t policy_count, uint32_t place)
{
    uint32_t before = 0;
    size_t r = 0;
    while (r + 1 < policy_count && before + counts[r] <= place) {
        before += counts[r];
        r++;
    }
    return (uint32_t)(r + 1);
}

enum d7_err bootstrap_ranks(const int64_t *const *scores, size_t policy_count, size_t n,
                            struct rank_span *ret)
{
    D7_CHECK(n >= BOOTSTRAP_ROUNDS_MIN && n <= UINT32_MAX && policy_count <= UINT32_MAX);
    if (policy_count == 0) {
        return D7_OK;
    }
    enum d7_err err = D7_ERR_NOMEM;
    struct rng rng = {BOOTSTRAP_SEED};
    uint32_t *rounds = calloc(n, sizeof(*rounds));
    struct placing *order = calloc(policy_count, sizeof(*order));
    /* counts[p * policy_count + r]: resamples in which policy p had rank r + 1 */
    uint16_t *counts = calloc(policy_count, policy_count * sizeof(*counts));
    if (!rounds || !order || !counts) {
        goto out;
    }
    for (size_t b = 0; b < BOOTSTRAP_RESAMPLES; b++) {
        for (size_t i = 0; i < n; i++) {
            rounds[i] = rng_below(&rng, (uint32_t)n);
        }
        place_all(scores, policy_count, rounds, n, order);
        for (size_t r = 0; r < policy_count; r++) {
            counts[order[r].who * policy_count + r]++;
        }
    }
    for (size_t p = 0; p < policy_count; p++) {
        const uint16_t *mine = counts + p * policy_count;
        /* ceil(0.975 (B-1)) is as far from the top as floor(0.025 (B-1)) from the bottom */
        ret[p] =
            (struct rank_span){rank_at(mine, policy_count, TAIL_LOW),
                               rank_at(mine, policy_count, BOOTSTRAP_RESAMPLES - 1 - TAIL_LOW)};
    }
    err = D7_OK;
out:
    free(rounds);
    free(order);
    free(counts);
    return err;
}
