/* The worked examples of policies.md of mcts, rollout-h8 and sparse-d2 (13.3, 13.5, 13.6): seeds,
 * draws and values to the last bit; and what they rest on: the logarithms of section 12, units. */
#include "tests/support/support.h"

#include <math.h>

#include "engine/policy/chance.h"
#include "engine/policy/log_table.h"
#include "engine/policy/mcts.h"
#include "engine/policy/rollout.h"
#include "engine/policy/sparse.h"
#include "engine/policy/tree.h"
#include "tests/support/worked.h"

static void logarithms_are_correctly_rounded_but_for_the_published_eleven(void **state)
{
    (void)state;
    static const struct {
        unsigned n;
        uint64_t bits;
    } other[] = {
        {3, 0x3ff193ea7aad030au},   {48, 0x400ef8383c50bb74u},  {74, 0x4011375cd6fcab1cu},
        {185, 0x4014e1a4f518c72cu}, {196, 0x40151cca16d7bba8u}, {299, 0x4016cd411481a020u},
        {308, 0x4016eb9f470ac0b8u}, {334, 0x40173e9bbe951e9cu}, {343, 0x401759d602a5c3c2u},
        {346, 0x401762c0d8a3c1c4u}, {362, 0x4017910b2e25d668u},
    };
    size_t k = 0;
    for (unsigned n = 1; n <= LOG_TABLE_MAX; n++) {
        double c_library = log(n);
        if (k < D7_COUNT(other) && other[k].n == n) {
            assert_true(worked_bits(log_table[n]) == other[k].bits);
            assert_true(worked_bits(log_table[n]) != worked_bits(c_library));
            k++;
        } else {
            worked_assert_bits(log_table[n], c_library);
        }
    }
    assert_int_equal(k, D7_COUNT(other));
}

/* chance_unit_disc is integers where the text has doubles. */
static void discs_of_units_are_those_of_the_double_arithmetic(void **state)
{
    (void)state;
    static const uint32_t edges[] = {0, 1, 2, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu};
    struct rng rng = {11};
    for (unsigned samples = 2; samples <= 12; samples += samples == 6 ? 2 : 1) {
        for (unsigned sample = 0; sample < samples; sample++) {
            for (unsigned k = 0; k < 2000; k++) {
                /* the ends of slices, the sevenths inside of them, and anything */
                uint64_t seventh = ((uint64_t)(k % 7) * samples << 32) / 7;
                uint32_t jitter = k < 7 ? edges[k] : rng_next(&rng);
                jitter = k >= 7 && k < 28 ? (uint32_t)(seventh + k / 7 - 2) : jitter;
                uint64_t unit = chance_unit(0, jitter, sample, samples);
                double u = ((double)sample + (double)jitter / 4294967296.0) / samples;
                assert_int_equal(chance_unit_disc(unit, samples), (unsigned)(7.0 * u) + 1);
            }
        }
    }
}

static void mcts_streams_have_the_published_seeds(void **state)
{
    (void)state;
    uint32_t probe = MCTS_SEED ^ (4 * CHANCE_EVENT); /* column 3 */
    assert_int_equal(tree_stream(MCTS_SEED, 0, 0, TREE_CHANCE), 0x850ede97u);
    assert_int_equal(tree_stream(MCTS_SEED, 5, 2, TREE_ROLLOUT), 0xcbca5c66u);
    assert_int_equal(tree_stream(probe, 0, 1, MCTS_PROBE), 0x29294c2cu);
}

struct tree_example {
    const struct worked_position *at;
    unsigned simulations;
    int column; /* -1: not told */
    struct mcts_counts counts;
    uint32_t visits[BOARD_COLUMNS];
    struct worked_values means;
};

static const struct tree_example trees[] = {
    {&worked_a,
     7,
     -1,
     {119, 105, 8, 0, 1},
     {1, 1, 1, 1, 1, 1, 1},
     {0, 7, {-2371.96875, -2095.25, -2686.625, -2484.5, -2154.0, -2675.9375, -2687.25}}},
    {&worked_a,
     20,
     -1,
     {342, 300, 21, 2, 2},
     {3, 3, 2, 3, 3, 3, 3},
     {0,
      7,
      {-2239.7734375, -2188.0416666666665, -2607.8125, -2164.9166666666665, -2354.3723958333335,
       -2077.6458333333335, -2507.9166666666665}}},
    {&worked_a,
     400,
     4,
     {7229, 6000, 401, 429, 3},
     {56, 66, 51, 52, 67, 52, 56},
     {0,
      7,
      {-575.9640764508929, 523.7181877367424, -1132.2611060049019, -985.882580096905,
       569.7271528101679, -1100.113018329327, -458.56637137276783}}},
    {&worked_b,
     7,
     -1,
     {119, 105, 8, 0, 1},
     {1, 1, 1, 1, 1, 1, 1},
     {0, 7, {2311.5, 2198.0, 2660.0, 2495.0, 1209.5, 1386.5, 1955.25}}},
    {&worked_b,
     20,
     -1,
     {345, 297, 21, 8, 2},
     {3, 3, 3, 3, 2, 3, 3},
     {0,
      7,
      {2308.0, 2311.3333333333335, 2232.5, 2989.8489583333335, 1461.25, 2052.4973958333335,
       2266.7708333333335}}},
    {&worked_b,
     400,
     5,
     {7175, 5894, 401, 479, 4},
     {58, 56, 57, 58, 57, 61, 53},
     {0,
      7,
      {2918.49124776906, 2703.1482494899205, 2726.110315155565, 2879.716998922414,
       2858.1633429276317, 3192.6088306864754, 2312.212116745283}}},
    {&worked_c,
     7,
     -1,
     {73, 26, 8, 0, 1},
     {2, 2, 1, 2},
     {3, 4, {-249989.5, -249979.0, -249993.0, -249966.5}}},
    {&worked_c,
     20,
     -1,
     {191, 57, 21, 5, 2},
     {5, 5, 5, 5},
     {3, 4, {-249985.2, -249984.6, -249976.8, -249978.2}}},
    {&worked_c,
     400,
     5,
     {2229, 105, 257, 516, 3},
     {100, 100, 100, 100},
     {3, 4, {-249992.31, -249986.66, -249980.18, -249988.19}}},
};

static void mcts_grows_the_published_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(trees); i++) {
        const struct tree_example *want = &trees[i];
        const struct extended_state at = worked_state(want->at);
        struct mcts *m = NULL;
        struct decision d;
        assert_int_equal(mcts_new(want->simulations, &m), D7_OK);
        mcts_decide(m, &at.position, &d);
        struct mcts_counts got = mcts_counts(m);
        mcts_free(m);
        worked_assert_decision(&d, want->column >= 0 ? want->column : d.column, &want->means);
        for (unsigned k = 0; k < d.value_count; k++) {
            assert_int_equal(d.values[k].visits, want->visits[k]);
        }
        assert_int_equal(d.work, want->simulations);
        assert_memory_equal(&got, &want->counts, sizeof(got));
    }
}

static void rollouts_draw_the_published_numbers(void **state)
{
    (void)state;
    static const unsigned discs[2][7] = {{5, 7, 4, 2, 1, 4, 6}, {4, 4, 4, 6, 2, 2, 5}};
    assert_int_equal(rollout_bits(0, 0, ROLLOUT_REVEAL), 0x7a36fd08u);
    assert_int_equal(rollout_bits(3, 5, ROLLOUT_REVEAL), 0xaaaf3e07u);
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned ply = 0; ply < 7; ply++) {
            uint32_t bits = rollout_bits(r, ply + 1, ROLLOUT_NEXT);
            assert_int_equal(chance_bits_disc(bits), discs[r][ply]);
        }
    }
}

static void rollout_works_the_examples(void **state)
{
    (void)state;
    static const struct {
        const struct worked_position *at;
        int column;
        struct worked_values means;
    } rows[] = {
        {&worked_a,
         1,
         {0,
          7,
          {11643.9189453125, 12019.5673828125, 11636.250030517578, 11723.981811523436,
           11644.312530517578, 11914.559204101562, 11643.9189453125}}},
        {&worked_b,
         6,
         {0,
          7,
          {15581.593750000002, 15581.593750000002, 15581.593750000002, 15581.593750000002,
           15581.593750000002, 15104.34375, 16301.0}}},
        {&worked_c, 6, {3, 4, {-249987.74999999997, -249980.74999999997, -249960.75, -249950.625}}},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        const struct extended_state at = worked_state(rows[i].at);
        struct decision d;
        rollout_decide(&at.position, &d);
        worked_assert_decision(&d, rows[i].column, &rows[i].means);
    }
}

struct sparse_row {
    const struct worked_position *at;
    uint32_t seed_1; /* of the root, by remaining depth */
    uint32_t seed_2;
    unsigned discs[SPARSE_SAMPLES];
    double draws[3]; /* of sample 0 */
    struct worked_values shallow;
    int column;
    struct worked_values values;
};

static void sparse_works_the_examples(void **state)
{
    (void)state;
    static const struct sparse_row rows[] = {
        {&worked_a,
         0xb669fd0cu,
         0xc5fbd382u,
         {1, 2, 4, 6, 7},
         {0.7241162645630539, 0.8916899716947227, 0.2517484998796135},
         {0, 7, {-2743.0, -2743.0, -2743.0, -2743.0, -2743.0, -2743.0, -2743.0}},
         3,
         {0,
          7,
          {-2568.81875, -2501.52875, -2564.28875, -2495.64875, -2564.28875, -2501.52875,
           -2568.81875}}},
        {&worked_b,
         0xe9de72c9u,
         0x88ea2681u,
         {6, 1, 2, 5, 5},
         {0.18054579654708505, 0.5647945730481296, 0.8089403160847723},
         {0, 7, {831.0, 831.0, 831.0, 831.0, 831.0, 1340.7875, 785.25}},
         5,
         {0,
          7,
          {1685.2371875000001, 1685.2371875000001, 1685.2371875000001, 1685.2371875000001,
           1685.2371875000001, 2601.6501562500002, 1643.1643749999998}}},
        {&worked_c,
         0x1935a3e7u,
         0xc8f4cbaau,
         {5, 7, 1, 2, 4},
         {0.9791615002322942, 0.9261303949635475, 0.767679146444425},
         {3, 4, {-21884.5, -21224.5, -21269.5, -21227.0}},
         6,
         {3, 4, {-22027.0, -21367.0, -21243.6, -21164.0}}},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        const struct sparse_row *want = &rows[i];
        const struct extended_state at = worked_state(want->at);
        struct extended_state root = worked_canonical(want->at);
        struct decision d;
        assert_int_equal(chance_node_seed(chance_board_hash(&root.position.board),
                                          root.position.next, root.position.rise, SPARSE_SEED, 1),
                         want->seed_1);
        assert_int_equal(chance_node_seed(chance_board_hash(&root.position.board),
                                          root.position.next, root.position.rise, SPARSE_SEED, 2),
                         want->seed_2);
        for (unsigned s = 0; s < SPARSE_SAMPLES; s++) {
            uint64_t unit = sparse_unit(want->seed_2, s, SPARSE_NEXT, 0);
            assert_int_equal(chance_unit_disc(unit, SPARSE_SAMPLES), want->discs[s]);
        }
        for (unsigned e = 0; e < 3; e++) {
            worked_assert_unit(sparse_unit(want->seed_2, 0, SPARSE_REVEAL, e), SPARSE_SAMPLES,
                               want->draws[e]);
        }
        sparse_decide_depth(&at.position, 1, &d);
        worked_assert_decision(&d, d.column, &want->shallow);
        sparse_decide(&at.position, &d);
        worked_assert_decision(&d, want->column, &want->values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_are_correctly_rounded_but_for_the_published_eleven),
        cmocka_unit_test(discs_of_units_are_those_of_the_double_arithmetic),
        cmocka_unit_test(mcts_streams_have_the_published_seeds),
        cmocka_unit_test(mcts_grows_the_published_trees),
        cmocka_unit_test(rollouts_draw_the_published_numbers),
        cmocka_unit_test(rollout_works_the_examples),
        cmocka_unit_test(sparse_works_the_examples),
    };
    return cmocka_run_group_tests_name("unit/policy/examples", tests, NULL, NULL);
}
