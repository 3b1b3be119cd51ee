/*
 * engine/rank: bootstrap intervals.
 *
 * Where constants come from: a second implementation in Python with exact fractions, 40 lines:
 * mulberry32 written from the published JavaScript (masking to 32 bits after each step), started
 * at 0xd7b007; 10,000 lists of n indices floor(Fraction(draw, 2**32) * n); all 10,000 means sorted;
 * quantiles 1/40 and 39/40 at (B-1)q between neighbours as fractions; ranks by sorting each
 * resample by (-mean, place in the list) and taking entries floor((B-1)/40) and ceil((B-1)39/40).
 */
#include "tests/support/support.h"

#include <math.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/rank/bootstrap.h"
#include "engine/rank/stats.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(1.0, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* 64 scores without a pattern: squares times a factor, modulo a prime. */
static void squares(int64_t factor, int64_t *ret)
{
    for (int64_t i = 0; i < 64; i++) {
        ret[i] = i * i * factor % 1009;
    }
}

static void the_generator_starts_as_the_second_implementation_does(void **state)
{
    (void)state;
    struct rng rng = {BOOTSTRAP_SEED};
    assert_int_equal(rng_next(&rng), 1432304727u);
    assert_int_equal(rng_next(&rng), 1206549248u);
    assert_int_equal(rng_next(&rng), 3531441566u);
    /* the first resamples of 5 rounds: 1 1 4 3 1, 4 1 3 3 2 */
    static const uint32_t first[] = {1, 1, 4, 3, 1, 4, 1, 3, 3, 2};
    rng.state = BOOTSTRAP_SEED;
    for (size_t i = 0; i < D7_COUNT(first); i++) {
        assert_int_equal(rng_below(&rng, 5), first[i]);
    }
}

static void intervals_are_those_of_the_second_implementation(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int64_t values[8];
        double low, high;
    } cases[] = {
        {5, {50, 10, 40, 20, 30}, 18, 42},
        {8, {128, 1, 64, 2, 32, 4, 16, 8}, 7.875, 64},
        {8, {40, 30, 20, 10, 50, 60, 70, 80}, 30, 61.25},
        {8, {40, 31, 20, 11, 50, 60, 70, 77}, 30.121875, 60.5}, /* between two order statistics */
        {8, {88, -29, 44, -8, -18, -56, -54, -72}, -45.625, 23.753125},
        {8, {7, 7, 7, 7, 7, 7, 7, 7}, 7, 7},
        {5, {0, 0, 0, 0, 0}, 0, 0},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct interval ci;
        assert_true(bootstrap_mean(cases[i].values, cases[i].n, &ci));
        near(ci.low, cases[i].low);
        near(ci.high, cases[i].high);
        assert_false(signbit(ci.low) && cases[i].low >= 0); /* no -0 */
        assert_false(signbit(ci.high) && cases[i].high >= 0);
    }
    int64_t many[64];
    struct interval ci;
    squares(37, many);
    assert_true(bootstrap_mean(many, 64, &ci));
    near(ci.low, 436.169921875);
    near(ci.high, 590.140625);
}

static void under_five_rounds_there_is_no_interval(void **state)
{
    (void)state;
    static const int64_t values[] = {1, 2, 3, 4, 5};
    struct interval ci = {-1, -2};
    for (size_t n = 0; n < 5; n++) {
        assert_false(bootstrap_mean(values, n, &ci));
    }
    assert_true(same(ci.low, -1) && same(ci.high, -2)); /* left alone */
    assert_true(bootstrap_mean(values, 5, &ci));
}

static void negated_values_give_the_negated_interval_to_the_last_bit(void **state)
{
    (void)state;
    int64_t values[64];
    int64_t negated[64];
    for (int64_t factor = 1; factor < 60; factor += 7) {
        squares(factor, values);
        for (size_t n = 5; n <= 64; n += 13) {
            for (size_t i = 0; i < n; i++) {
                values[i] -= 300;
                negated[i] = -values[i];
            }
            struct interval a;
            struct interval b;
            assert_true(bootstrap_mean(values, n, &a) && bootstrap_mean(negated, n, &b));
            assert_true(a.low <= a.high);
            assert_true(fabs(a.low + b.high) <= 0 && fabs(a.high + b.low) <= 0);
        }
    }
}

/* With 5 rounds there are 5^5 = 3125 equally likely resamples: the exact distribution of the mean.
 * Of 10,000 resamples the share under its q-quantile has standard deviation sqrt(q(1-q)/10000)
 * <= 0.0016 at q = 0.025, so five of them bound where the percentile can lie. */
static void five_rounds_agree_with_all_resamples_there_are(void **state)
{
    (void)state;
    static const int64_t cases[][5] = {{1, 10, 100, 1000, 10000},
                                       {86235, 12345, 99999, 50000, 31},
                                       {3, 1, 4, 1, 5},
                                       {0, 0, 0, 0, 1000}};
    for (size_t c = 0; c < D7_COUNT(cases); c++) {
        int64_t sums[3125];
        for (size_t i = 0; i < 3125; i++) {
            size_t left = i;
            sums[i] = 0;
            for (unsigned k = 0; k < 5; k++) {
                sums[i] += cases[c][left % 5];
                left /= 5;
            }
        }
        stats_sort(sums, 3125);
        struct interval ci;
        assert_true(bootstrap_mean(cases[c], 5, &ci));
        assert_true(ci.low >= stats_quantile(sums, 3125, 0.025 - 0.008) / 5);
        assert_true(ci.low <= stats_quantile(sums, 3125, 0.025 + 0.008) / 5);
        assert_true(ci.high >= stats_quantile(sums, 3125, 0.975 - 0.008) / 5);
        assert_true(ci.high <= stats_quantile(sums, 3125, 0.975 + 0.008) / 5);
    }
}

/* The mean of 64 draws is close to normal: mean +- 1.96 sd / sqrt(n), sd with n. */
static void sixty_four_rounds_are_close_to_the_normal_interval(void **state)
{
    (void)state;
    int64_t values[64];
    squares(91, values);
    double mean = 0;
    double squared = 0;
    for (size_t i = 0; i < 64; i++) {
        mean += (double)values[i] / 64;
        squared += (double)(values[i] * values[i]) / 64;
    }
    double half = 1.959964 * sqrt(squared - mean * mean) / 8;
    struct interval ci;
    assert_true(bootstrap_mean(values, 64, &ci));
    assert_true(fabs(ci.low - (mean - half)) < half * 0.06);
    assert_true(fabs(ci.high - (mean + half)) < half * 0.06);
}

static void ranks_are_those_of_the_second_implementation(void **state)
{
    (void)state;
    static const int64_t eight[4][8] = {{128, 1, 64, 2, 32, 4, 16, 8},
                                        {40, 30, 20, 10, 50, 60, 70, 80},
                                        {40, 31, 20, 11, 50, 60, 70, 77},
                                        {7, 7, 7, 7, 7, 7, 7, 7}};
    const int64_t *lists[4] = {eight[0], eight[1], eight[2], eight[3]};
    static const struct rank_span expected[] = {{1, 3}, {1, 3}, {1, 3}, {4, 4}};
    struct rank_span spans[4];
    assert_int_equal(bootstrap_ranks(lists, 4, 8, spans), D7_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(spans[i].best, expected[i].best);
        assert_int_equal(spans[i].worst, expected[i].worst);
    }
    int64_t many[3][64];
    squares(37, many[0]);
    squares(91, many[2]);
    for (size_t i = 0; i < 64; i++) {
        many[1][i] = many[0][i] + (i % 2 ? 5 : -3);
        lists[i % 3] = many[i % 3];
    }
    static const struct rank_span of_many[] = {{2, 3}, {1, 2}, {1, 3}};
    assert_int_equal(bootstrap_ranks(lists, 3, 64, spans), D7_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(spans[i].best, of_many[i].best);
        assert_int_equal(spans[i].worst, of_many[i].worst);
    }
}

static void rank_ties_go_to_the_one_listed_first_and_better_everywhere_is_certain(void **state)
{
    (void)state;
    static const int64_t high[] = {11, 12, 13, 14, 15};
    static const int64_t low[] = {1, 2, 3, 4, 5};
    const int64_t *lists[] = {low, low, high, low};
    static const uint32_t expected[] = {2, 3, 1, 4};
    struct rank_span spans[4];
    assert_int_equal(bootstrap_ranks(lists, 4, 5, spans), D7_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(spans[i].best, expected[i]);
        assert_int_equal(spans[i].worst, expected[i]);
    }
    assert_int_equal(bootstrap_ranks(lists, 1, 5, spans), D7_OK);
    assert_int_equal(spans[0].best, 1);
    assert_int_equal(spans[0].worst, 1);
    assert_int_equal(bootstrap_ranks(NULL, 0, 5, NULL), D7_OK);
}

/* A board of 20 policies and 8 rounds: means, pairs and ranks. Bounded far above what it takes, so
 * that only a change of its order fails here; the time itself is printed. */
static void a_board_of_twenty_takes_no_noticeable_time(void **state)
{
    (void)state;
    int64_t scores[20][64];
    const int64_t *lists[20];
    struct rank_span spans[20];
    struct interval ci;
    for (int64_t p = 0; p < 20; p++) {
        squares(2 * p + 3, scores[p]);
        lists[p] = scores[p];
    }
    int64_t from = clock_mono_ms();
    for (size_t p = 0; p < 20; p++) {
        assert_true(bootstrap_mean(scores[p], 8, &ci));
        assert_true(bootstrap_mean(scores[19 - p], 8, &ci)); /* stands for the deltas */
    }
    int64_t means = clock_mono_ms();
    assert_int_equal(bootstrap_ranks(lists, 20, 8, spans), D7_OK);
    int64_t end = clock_mono_ms();
    (void)printf("means and pairs %lld ms, ranks %lld ms\n", (long long)(means - from),
                 (long long)(end - means));
    assert_true(end - from < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_starts_as_the_second_implementation_does),
        cmocka_unit_test(intervals_are_those_of_the_second_implementation),
        cmocka_unit_test(under_five_rounds_there_is_no_interval),
        cmocka_unit_test(negated_values_give_the_negated_interval_to_the_last_bit),
        cmocka_unit_test(five_rounds_agree_with_all_resamples_there_are),
        cmocka_unit_test(sixty_four_rounds_are_close_to_the_normal_interval),
        cmocka_unit_test(ranks_are_those_of_the_second_implementation),
        cmocka_unit_test(rank_ties_go_to_the_one_listed_first_and_better_everywhere_is_certain),
        cmocka_unit_test(a_board_of_twenty_takes_no_noticeable_time),
    };
    return cmocka_run_group_tests_name("unit/rank/bootstrap", tests, NULL, NULL);
}
