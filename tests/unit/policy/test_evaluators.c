/* The positions A-E of policies.md, section 13.0, and what 13.1 says of them. */
#include "tests/support/support.h"

#include "engine/policy/fair_leaf.h"
#include "engine/policy/heuristic.h"

struct example {
    const char *board;
    double features[13];
    double value;
};

static const struct example examples[] = {
    {"0000000000000000000000000000000000000000008888888",
     {7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     -3150.0},
    {"0000000000000000727001188200888930088883008888900",
     {7, 225, 13, 2, 8, 1, 1.0004882812500000, 0.50024414062500000, 0, 0.35017089843749999, 1, 0,
      3.4997558593750000},
     -10359.807617187500},
    {"1220000988100088920008889100888881088888968889889",
     {4, 560, 22, 6, 8, 5, 0.125, 0, 0.25, 0, 0, 0, 7},
     -21231.5},
    {"0000000400000091600609161641836198888988888888888",
     {7, 346, 16, 4, 13, 1, 4.625, 2.5, 2.125, 0.34999999999999998, 2, 0, 5},
     -13250.0},
    {"0000000000000006004000660600982669988898888888888",
     {7, 196, 14, 4, 8, 0, 5.125, 2.25, 2, 0.69999999999999996, 0, 0, 1},
     -8768.5},
};

static struct board board_of(const char *text)
{
    struct board b;
    assert_int_equal(board_parse(text, strlen(text), &b), BOARD_FINE);
    return b;
}

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void assert_same_bits(double got, double want)
{
    if (bits_of(got) != bits_of(want)) {
        fail_msg("%.17g is not %.17g", got, want);
    }
}

static void features_of_the_worked_examples_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(examples); i++) {
        struct board b = board_of(examples[i].board);
        struct features f;
        features_read(&b, &f);
        const double got[13] = {f.open_columns,     f.height_load,    f.solid_cells,
                                f.cracked_cells,    f.numbered_cells, f.high_low,
                                f.direct_potential, f.latent_chain,   f.cracked_exposure,
                                f.solid_exposure,   f.adjacent_ones,  f.triple_twos,
                                f.dead_low};
        for (size_t k = 0; k < D7_COUNT(got); k++) {
            assert_same_bits(got[k], examples[i].features[k]);
        }
    }
}

static void the_heuristic_values_the_worked_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(examples); i++) {
        struct board b = board_of(examples[i].board);
        assert_same_bits(heuristic_value(&b), examples[i].value);
    }
}

static void runs_of_twos_count_by_the_square_of_their_excess(void **state)
{
    (void)state;
    static const struct {
        const char *board;
        double twos;
    } rows[] = {
        {"0000000000000000000000000000022200008880000888000", 1.0},
        {"0000000000000000000000000000022220008888000888800", 4.0},
        {"0000000000000000000000000000022222008888800888880", 9.0},
        {"0000000000000000000000000000022822008888800888880", 0.0},
        /* down a column, between neighbours that leave no way out sideways */
        {"0000000000000000000000082800008280000828000088800", 1.0},
        /* a single row: each two goes as soon as one disc lies on it */
        {"0000000000000000000000000000000000000000008222288", 0.0},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct board b = board_of(rows[i].board);
        struct features f;
        features_read(&b, &f);
        assert_same_bits(f.triple_twos, rows[i].twos);
    }
}

static void ones_side_by_side_block_each_other_unless_one_can_leave(void **state)
{
    (void)state;
    struct features f;
    struct board pair = board_of("0000000000000000000000000000000000000000008811888");
    features_read(&pair, &f);
    assert_same_bits(f.adjacent_ones, 1.0);
    struct board apart = board_of("0000000000000000000000000000000000000000008181888");
    features_read(&apart, &f);
    assert_same_bits(f.adjacent_ones, 0.0);
}

static void the_leaf_adds_the_next_disc_last(void **state)
{
    (void)state;
    static struct fair_leaf leaf;
    fair_leaf_init(&leaf);
    struct board b = board_of(examples[0].board);
    struct fair_value v;
    fair_leaf_read(&leaf, &b, 5, &v);
    /* 7*180 - 7*20 - 7*620 - 95*(5 + 2*1.65) - 35*(7*1/5) */
    assert_true(v.base > -4057.6 && v.base < -4057.4);
    assert_same_bits(fair_leaf_value(&v, 2), v.base + 7 * 220.0); /* seven columns of height 1 */
    assert_same_bits(fair_leaf_value(&v, 3), v.base);
}

static void the_leaf_is_the_same_with_a_fresh_and_a_used_memo(void **state)
{
    (void)state;
    static struct fair_leaf fresh;
    static struct fair_leaf used;
    fair_leaf_init(&used);
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < D7_COUNT(examples); i++) {
            struct board b = board_of(examples[i].board);
            for (unsigned rise = 1; rise <= 5; rise++) {
                struct fair_value a;
                struct fair_value c;
                fair_leaf_init(&fresh);
                fair_leaf_read(&fresh, &b, rise, &a);
                fair_leaf_read(&used, &b, rise, &c);
                for (unsigned next = 1; next <= 7; next++) {
                    assert_same_bits(fair_leaf_value(&a, next), fair_leaf_value(&c, next));
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_of_the_worked_examples_are_exact),
        cmocka_unit_test(the_heuristic_values_the_worked_examples),
        cmocka_unit_test(runs_of_twos_count_by_the_square_of_their_excess),
        cmocka_unit_test(ones_side_by_side_block_each_other_unless_one_can_leave),
        cmocka_unit_test(the_leaf_adds_the_next_disc_last),
        cmocka_unit_test(the_leaf_is_the_same_with_a_fresh_and_a_used_memo),
    };
    return cmocka_run_group_tests_name("unit/policy/evaluators", tests, NULL, NULL);
}
