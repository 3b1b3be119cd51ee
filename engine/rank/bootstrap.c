#include "engine/rank/bootstrap.h"

#include <string.h>

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

/* One policy in a resample: how far its sum is under the best one's. */
struct placing {
    uint64_t behind;
    uint32_t who;
};

/* What one resample of the ranks works on. */
struct ranking {
    size_t count, n;
    int64_t *by_round;             /* owned; score of policy p on round r at [r * count + p] */
    int64_t *sums;                 /* owned */
    struct placing *order, *spare; /* owned */
    uint32_t *rounds;              /* owned; the rounds drawn */
};

/* The sums of the drawn rounds: a row at a time, since all policies have the same ones. */
static void add_up(struct ranking *k)
{
    memset(k->sums, 0, k->count * sizeof(*k->sums));
    for (size_t i = 0; i < k->n; i++) {
        const int64_t *row = k->by_round + k->rounds[i] * k->count;
        for (size_t p = 0; p < k->count; p++) {
            k->sums[p] += row[p];
        }
    }
}

/* One pass of a radix sort by the byte at `shift`: equal ones keep their order. */
static void sort_by_byte(const struct placing *from, struct placing *to, size_t count,
                         unsigned shift)
{
    uint32_t starts[256] = {0};
    for (size_t i = 0; i < count; i++) {
        starts[from[i].behind >> shift & 255]++;
    }
    uint32_t at = 0;
    for (size_t d = 0; d < 256; d++) {
        uint32_t here = starts[d];
        starts[d] = at;
        at += here;
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[from[i].behind >> shift & 255]++] = from[i];
    }
}

/* The policies in order of their sums, highest first, equal ones as they were handed in. */
static const struct placing *place_all(struct ranking *k)
{
    int64_t high = k->sums[0];
    int64_t low = k->sums[0];
    for (size_t p = 1; p < k->count; p++) {
        high = k->sums[p] > high ? k->sums[p] : high;
        low = k->sums[p] < low ? k->sums[p] : low;
    }
    for (size_t p = 0; p < k->count; p++) {
        k->order[p] = (struct placing){(uint64_t)(high - k->sums[p]), (uint32_t)p};
    }
    struct placing *from = k->order;
    struct placing *to = k->spare;
    uint64_t range = (uint64_t)(high - low);
    for (unsigned shift = 0; shift < 64 && range >> shift; shift += 8) {
        sort_by_byte(from, to, k->count, shift);
        struct placing *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static bool ranking_init(struct ranking *k, const int64_t *const *scores, size_t count, size_t n)
{
    *k = (struct ranking){.count = count, .n = n};
    k->by_round = calloc(count, n * sizeof(*k->by_round));
    k->sums = calloc(count, sizeof(*k->sums));
    k->order = calloc(count, sizeof(*k->order));
    k->spare = calloc(count, sizeof(*k->spare));
    k->rounds = calloc(n, sizeof(*k->rounds));
    if (!k->by_round || !k->sums || !k->order || !k->spare || !k->rounds) {
        return false;
    }
    for (size_t p = 0; p < count; p++) {
        for (size_t r = 0; r < n; r++) {
            k->by_round[r * count + p] = scores[p][r];
        }
    }
    return true;
}

static void ranking_release(struct ranking *k)
{
    free(k->by_round);
    free(k->sums);
    free(k->order);
    free(k->spare);
    free(k->rounds);
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
    struct ranking k;
    /* counts[p * policy_count + r]: resamples in which policy p had rank r + 1 */
    uint16_t *counts = calloc(policy_count, policy_count * sizeof(*counts));
    if (!ranking_init(&k, scores, policy_count, n) || !counts) {
        goto out;
    }
    for (size_t b = 0; b < BOOTSTRAP_RESAMPLES; b++) {
        for (size_t i = 0; i < n; i++) {
            k.rounds[i] = rng_below(&rng, (uint32_t)n);
        }
        add_up(&k);
        const struct placing *order = place_all(&k);
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
    ranking_release(&k);
    free(counts);
    return err;
}
