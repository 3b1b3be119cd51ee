/* engine/rank: paired comparisons and the sign test. */
#include "tests/support/support.h"

#include <math.h>

#include "engine/base/json.h"
#include "engine/rank/paired.h"
#include "engine/rank/stats.h"

#define GONE STATS_UNPLAYED

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected) + 1e-320)) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

/* 2 * (sum of n over i for i up to the fewer) / 2^n, at most 1:
 * 5:0 2*1/32; 4:1 2*(1+5)/32; 2:1 2*(1+3)/8 = 1; 8:0 2/256; 7:1 2*9/256; 6:2 2*37/256; 5:3
 * 2*93/256; 4:4 2*163/256 > 1. The larger ones: Python's fractions and math.comb over the same sum.
 */
static void sign_test_is_the_exact_binomial_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t wins, losses;
        double p;
    } cases[] = {
        {0, 0, 1},
        {1, 0, 1},
        {2, 0, 0.5},
        {1, 1, 1},
        {3, 0, 0.25},
        {2, 1, 1},
        {5, 0, 0.0625},
        {4, 1, 0.375},
        {8, 0, 0.0078125},
        {7, 1, 0.0703125},
        {6, 2, 0.2890625},
        {5, 3, 0.7265625},
        {4, 4, 1},
        {40, 24, 0.05994118956699923},
        {60, 4, 7.363044635805283e-14},
        {64, 0, 1.0842021724855044e-19},
        {600, 500, 0.0028195449914364275},
        {1200, 900, 6.337277315775436e-11}, /* past the largest double in between */
        {1500, 500, 1.474397522976895e-115},
        {1075, 1, 2.66e-321},
        {2000, 0, 0}, /* under the smallest double */
        {4000000000u, 0, 0},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        near(paired_sign_test(cases[i].wins, cases[i].losses), cases[i].p);
        near(paired_sign_test(cases[i].losses, cases[i].wins), cases[i].p);
    }
}

static void comparisons_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int64_t first[8], second[8];
        uint32_t wins, ties, losses;
        double mean, median, p;
    } cases[] = {
        {1, {10}, {4}, 1, 0, 0, 6, 6, 1},
        {2, {10, 1}, {4, 5}, 1, 0, 1, 1, 1, 1},             /* deltas 6 -4 */
        {3, {9, 9, 9}, {1, 9, 10}, 1, 1, 1, 7.0 / 3, 0, 1}, /* 8 0 -1 */
        {5, {5, 5, 5, 5, 5}, {5, 5, 5, 5, 5}, 0, 5, 0, 0, 0, 1},
        {5, {2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}, 5, 0, 0, 3, 3, 0.0625},
        /* deltas 2 0 -1 4 8 1 1 3: seven count, one of them a loss: 2 * (1 + 7) / 128 */
        {8, {2, 5, 1, 4, 9, 2, 3, 3}, {0, 5, 2, 0, 1, 1, 2, 0}, 6, 1, 1, 2.25, 1.5, 0.125},
        /* rounds only one of them played are left out: deltas 3 and 1 */
        {5, {4, GONE, 7, GONE, 3}, {1, 5, GONE, GONE, 2}, 2, 0, 0, 2, 2, 0.5},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct paired p;
        assert_int_equal(paired_compute(cases[i].first, cases[i].second, cases[i].n, NULL, &p),
                         D7_OK);
        assert_int_equal(p.wins, cases[i].wins);
        assert_int_equal(p.ties, cases[i].ties);
        assert_int_equal(p.losses, cases[i].losses);
        assert_true(p.has_pairs);
        near(p.mean_delta, cases[i].mean);
        near(p.median_delta, cases[i].median);
        near(p.sign_test_p, cases[i].p);
    }
}

/* The figures of test_bootstrap.c's second implementation on the differences. */
static void the_interval_is_that_of_the_differences(void **state)
{
    (void)state;
    static const int64_t first[] = {128, 1, 64, 2, 32, 4, 16, 8};
    static const int64_t second[] = {40, 30, 20, 10, 50, 60, 70, 80};
    struct paired p;
    assert_int_equal(paired_compute(first, second, 8, NULL, &p), D7_OK);
    assert_true(p.has_delta_ci);
    near(p.delta_ci.low, -45.625);
    near(p.delta_ci.high, 23.753125);
}

static void an_interval_needs_five_rounds_and_all_games(void **state)
{
    (void)state;
    int64_t first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int64_t second[8] = {0};
    struct paired p;
    for (size_t n = 0; n <= 8; n++) {
        assert_int_equal(paired_compute(first, second, n, NULL, &p), D7_OK);
        assert_int_equal(p.has_delta_ci, n >= 5);
        assert_int_equal(p.wins, n);
    }
    first[3] = GONE;
    assert_int_equal(paired_compute(first, second, 8, NULL, &p), D7_OK);
    assert_false(p.has_delta_ci);
    assert_int_equal(p.wins, 7);
}

static bool mirrored(double a, double b)
{
    return fabs(a + b) <= 0;
}

static void swapped_sides_mirror_the_result_to_the_last_bit(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 5, 8, 64};
    for (size_t s = 0; s < D7_COUNT(sizes); s++) {
        for (int64_t variant = 0; variant < 12; variant++) {
            int64_t a[64];
            int64_t b[64];
            for (int64_t i = 0; i < 64; i++) {
                a[i] = (i + variant) * (i + variant) * 31 % 97 * 1237;
                b[i] = i % 5 == 2 ? a[i] : (i + 3) * (i + variant) * 17 % 89 * 1301;
                if (variant % 3 == 2 && i % 7 == variant % 7) {
                    a[i] = GONE;
                }
            }
            struct paired x;
            struct paired y;
            assert_int_equal(paired_compute(a, b, sizes[s], NULL, &x), D7_OK);
            assert_int_equal(paired_compute(b, a, sizes[s], NULL, &y), D7_OK);
            assert_int_equal(x.wins, y.losses);
            assert_int_equal(x.losses, y.wins);
            assert_int_equal(x.ties, y.ties);
            assert_true(mirrored(x.mean_delta, y.mean_delta));
            assert_true(mirrored(x.median_delta, y.median_delta));
            assert_int_equal(x.has_delta_ci, y.has_delta_ci);
            if (x.has_delta_ci) {
                assert_true(mirrored(x.delta_ci.low, y.delta_ci.high));
                assert_true(mirrored(x.delta_ci.high, y.delta_ci.low));
            }
            assert_true(fabs(x.sign_test_p - y.sign_test_p) <= 0);
        }
    }
}

static void json_has_every_field_and_null_where_there_is_no_figure(void **state)
{
    (void)state;
    static const int64_t a[] = {7, 7, 7, 7, 7};
    static const int64_t none[] = {GONE, GONE, GONE, GONE, GONE};
    static const struct {
        const int64_t *second;
        const char *text;
    } cases[] = {
        {a, "{\"wins\":0,\"ties\":5,\"losses\":0,\"meanDelta\":0,\"medianDelta\":0,"
            "\"deltaCi95\":[0,0],\"signTestP\":1}"},
        {none, "{\"wins\":0,\"ties\":0,\"losses\":0,\"meanDelta\":null,\"medianDelta\":null,"
               "\"deltaCi95\":null,\"signTestP\":1}"},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct paired p;
        struct buf text;
        struct jout j;
        buf_init(&text, 4096);
        jout_init(&j, &text);
        assert_int_equal(paired_compute(a, cases[i].second, 5, NULL, &p), D7_OK);
        paired_write(&j, &p);
        buf_char(&text, '\0');
        assert_int_equal(text.err, D7_OK);
        assert_string_equal(text.data, cases[i].text);
        buf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sign_test_is_the_exact_binomial_one),
        cmocka_unit_test(comparisons_are_those_worked_out_by_hand),
        cmocka_unit_test(the_interval_is_that_of_the_differences),
        cmocka_unit_test(an_interval_needs_five_rounds_and_all_games),
        cmocka_unit_test(swapped_sides_mirror_the_result_to_the_last_bit),
        cmocka_unit_test(json_has_every_field_and_null_where_there_is_no_figure),
    };
    return cmocka_run_group_tests_name("unit/rank/paired", tests, NULL, NULL);
}
