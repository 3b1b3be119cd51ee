/* The worked examples of policies.md of gray-throughput, risk-d2 and open-loop-beam (13.4, 13.6):
 * seeds, draws, features and values to the last bit. */
#include "tests/support/support.h"

#include "engine/policy/beam.h"
#include "engine/policy/chance.h"
#include "engine/policy/frame.h"
#include "engine/policy/gray.h"
#include "engine/policy/risk.h"
#include "tests/support/worked.h"

struct gray_row {
    const struct worked_position *at;
    uint32_t hash;
    double features[GRAY_FEATURES];
    double score;
    unsigned discs[GRAY_SAMPLES];
    double draws[2][3]; /* of the first two samples */
    int column;
    struct worked_values means;
    int plain_column; /* with level 1, moves 0 */
    struct worked_values plain_means;
};

static void check_gray_draws(const struct gray_row *want)
{
    struct extended_state at = worked_canonical(want->at);
    double features[GRAY_FEATURES];
    assert_int_equal(gray_hash(&at, GRAY_SEED), want->hash);
    gray_features(&at.position, features);
    for (unsigned k = 0; k < GRAY_FEATURES; k++) {
        worked_assert_bits(features[k], want->features[k]);
    }
    worked_assert_bits(gray_score(&at.position), want->score);
    for (unsigned s = 0; s < GRAY_SAMPLES; s++) {
        uint64_t unit = gray_unit(want->hash, s, GRAY_SAMPLES, GRAY_ROOT_NEXT);
        assert_int_equal(chance_unit_disc(unit, GRAY_SAMPLES), want->discs[s]);
    }
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned e = 0; e < 3; e++) {
            uint32_t domain = GRAY_ROOT_REVEAL ^ ((e + 1) * CHANCE_EVENT);
            worked_assert_unit(gray_unit(want->hash, s, GRAY_SAMPLES, domain), GRAY_SAMPLES,
                               want->draws[s][e]);
        }
    }
}

static void gray_throughput_works_the_examples(void **state)
{
    (void)state;
    static const struct gray_row rows[] = {
        {&worked_a,
         0xfd0573d3u,
         {7.0, 7.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
         -5320.0,
         {7, 1, 4, 4},
         {{0.026441992667969316, 0.5392142306081951, 0.9294301207410172},
          {0.32467408187221736, 0.8428061513695866, 0.08180911972885951}},
         3,
         {0,
          7,
          {-2034.5480500000003, -2024.9480500000002, -2168.0209, -1952.9480500000002,
           -2024.9480500000002, -1980.3980500000002, -2039.7980500000003}},
         3,
         {0,
          7,
          {-2034.5480500000003, -2024.9480500000002, -2168.0209, -1952.9480500000002,
           -2024.9480500000002, -1980.3980500000002, -2039.7980500000003}}},
        {&worked_b,
         0xc6b6a6dau,
         {23.0, 15.0, 13.0, 2.0, 11.65, 17.0, 8.0, 0.6173469387755101, 9.0, 73.0, 16.0,
          2.833333333333333, 0.6666666666666666},
         -133543.67687074828,
         {6, 2, 4, 4},
         {{0.8647885040263645, 0.7315287127858028, 0.6075659221387468},
          {0.10647309594787657, 0.885834978078492, 0.8961841496638954}},
         5,
         {0,
          7,
          {-97043.5162272109, -97043.5162272109, -97043.5162272109, -97043.5162272109,
           -97043.5162272109, -84447.88322448982, -95211.37786496602}},
         5,
         {0,
          7,
          {-97577.73237414967, -97577.73237414967, -97577.73237414967, -97577.73237414967,
           -97577.73237414967, -77919.37082517009, -94793.01280680276}}},
        {&worked_c,
         0x0165d18cu,
         {36.0, 28.0, 22.0, 6.0, 85.85, 105.0, 64.0, 6.984693877551022, 8.333333333333334, 263.0,
          159.0, 4.416666666666666, 0.5},
         -687127.8537414967,
         {3, 5, 6, 1},
         {{0.7783474536263384, 0.768524736398831, 0.14399655518354848},
          {0.03800711059011519, 0.23141843115445226, 0.47412834654096514}},
         3,
         {3, 4, {84650.04435374163, 30600.90948979597, 50342.524353741595, 32248.439202040885}},
         3,
         {3, 4, {80284.68435374161, 3863.34948979597, 22400.1643537416, 5510.879202040883}}},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct extended_state at = worked_state(rows[i].at);
        struct decision d;
        check_gray_draws(&rows[i]);
        gray_decide(&at, &d);
        worked_assert_decision(&d, rows[i].column, &rows[i].means);
        at.level = 1;
        at.moves = 0;
        gray_decide(&at, &d);
        worked_assert_decision(&d, rows[i].plain_column, &rows[i].plain_means);
    }
}

struct risk_row {
    const struct worked_position *at;
    uint32_t seed;
    unsigned discs[RISK_SCENARIOS];
    double draws[3]; /* of scenario 0 */
    unsigned tried;  /* the column whose utilities follow */
    double utilities[RISK_SCENARIOS];
    int column;
    struct worked_values values;
};

static void risk_works_the_examples(void **state)
{
    (void)state;
    static const struct risk_row rows[] = {
        {&worked_a,
         0x47c95e58u,
         {7, 1, 2, 3, 4, 5, 5, 6},
         {0.07081938636838458, 0.6935592170921154, 0.6049138460366521},
         3,
         {-2597.16796875, -2063.0833333333335, -1653.079861111111, -2040.125, -2474.8133951822915,
          -2435.701388888889, -2435.701388888889, -2460.8211805555557},
         3,
         {0,
          7,
          {-2492.3202175564234, -2423.059421115451, -2446.4403076171875, -2403.026185777452,
           -2446.4403076171875, -2423.059421115451, -2492.3202175564234}}},
        {&worked_b,
         0x774671e7u,
         {4, 6, 6, 7, 1, 1, 2, 4},
         {0.18590612284606323, 0.6171438716410194, 0.17104351639864035},
         3,
         {2604.127604166666, 2863.8680555555547, 2863.8680555555547, 2558.270833333334,
          3155.0460069444453, 3155.0460069444453, 2479.0, 2604.127604166666},
         5,
         {0,
          7,
          {2652.02734375, 2652.02734375, 2652.02734375, 2652.02734375, 2652.02734375,
           2876.5603463914663, 2336.8974609375}}},
        {&worked_c,
         0x088a57cdu,
         {7, 1, 2, 3, 4, 4, 5, 6},
         {0.23506390629336238, 0.02236500062281266, 0.5546485298837069},
         4,
         {-249981.33333333334, -249988.33333333334, -249988.33333333334, -249981.33333333334,
          -249970.66666666666, -249970.66666666666, -249973.0, -249981.33333333334},
         5,
         {3, 4, {-249991.9791666667, -249983.8541666667, -249973.97916666666, -249976.4791666667}}},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        const struct risk_row *want = &rows[i];
        const struct extended_state at = worked_state(want->at);
        struct frame f = frame_of(&at.position);
        struct decision d;
        double utilities[RISK_SCENARIOS];
        assert_int_equal(risk_seed(&f.canonical, RISK_SEED ^ RISK_ROOT, 3), want->seed);
        risk_utilities(&at.position, want->tried, utilities);
        for (unsigned k = 0; k < RISK_SCENARIOS; k++) {
            uint64_t unit = risk_unit(want->seed, k, RISK_SCENARIOS, RISK_ROOT_NEXT, 0);
            assert_int_equal(chance_unit_disc(unit, RISK_SCENARIOS), want->discs[k]);
            worked_assert_bits(utilities[k], want->utilities[k]);
        }
        for (unsigned e = 0; e < 3; e++) {
            worked_assert_unit(risk_unit(want->seed, 0, RISK_SCENARIOS, RISK_ROOT_REVEAL, e),
                               RISK_SCENARIOS, want->draws[e]);
        }
        risk_decide(&at.position, &d);
        worked_assert_decision(&d, want->column, &want->values);
    }
}

static void the_beam_draws_the_published_numbers(void **state)
{
    (void)state;
    static const struct {
        const struct worked_position *at;
        uint32_t seed;
        unsigned discs[BEAM_SCENARIOS]; /* after ply 0 */
        double draws[3];                /* of scenario 0, ply 0 */
    } rows[] = {
        {&worked_a,
         0xce61bc85u,
         {3, 3, 4, 4, 5, 5, 6, 6, 7, 1, 1, 2},
         {0.5815569602806742, 0.8243662236879269, 0.2578519575957519}},
        {&worked_b,
         0x8e3b1756u,
         {6, 6, 7, 1, 1, 2, 3, 3, 4, 4, 5, 6},
         {0.17771140348243838, 0.7681193529278971, 0.11974697179781894}},
        {&worked_c,
         0x6cb2b514u,
         {2, 3, 4, 5, 5, 5, 6, 7, 7, 1, 1, 2},
         {0.6161032158415765, 0.17454574608321613, 0.7616137132281438}},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct extended_state root = worked_canonical(rows[i].at);
        assert_int_equal(beam_seed(&root.position), rows[i].seed);
        for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
            uint64_t unit = beam_unit(rows[i].seed, k, 1, BEAM_NEXT);
            assert_int_equal(chance_unit_disc(unit, BEAM_SCENARIOS), rows[i].discs[k]);
        }
        for (unsigned e = 0; e < 3; e++) {
            uint32_t domain = BEAM_REVEAL ^ ((e + 1) * CHANCE_EVENT);
            worked_assert_unit(beam_unit(rows[i].seed, 0, 0, domain), BEAM_SCENARIOS,
                               rows[i].draws[e]);
        }
    }
}

struct layer_row {
    const struct worked_position *at;
    unsigned depth;
    int column;
    const char *plan;
    double mean;
    double variance;
    struct worked_values report;
};

static void check_layer(const struct layer_row *want)
{
    const struct extended_state at = worked_state(want->at);
    struct beam *b = NULL;
    struct decision d;
    assert_int_equal(beam_new(want->depth, &b), D7_OK);
    beam_decide(b, &at.position, &d);
    struct beam_plan plan = beam_best(b);
    beam_free(b);
    worked_assert_decision(&d, want->column, &want->report);
    assert_int_equal(plan.length, (strlen(want->plan) + 1) / 2);
    for (unsigned i = 0; i < plan.length; i++) {
        assert_int_equal(plan.column[i], want->plan[2 * i] - '0');
    }
    worked_assert_bits(plan.mean, want->mean);
    worked_assert_bits(plan.variance, want->variance);
}

static const struct layer_row layers[] = {
    {&worked_a,
     1,
     3,
     "3",
     -2743.0,
     0.0,
     {0, 7, {-2743.0, -2743.0, -2743.0, -2743.0, -2743.0, -2743.0, -2743.0}}},
    {&worked_a,
     2,
     3,
     "3-2",
     -2628.4287109375,
     30383.41643810271,
     {0,
      7,
      {-2628.4287109375, -2628.4287109375, -2628.4287109375, -2628.4287109375, -2628.4287109375,
       -2628.4287109375, -2628.4287109375}}},
    {&worked_a,
     3,
     3,
     "3-1-3",
     -2425.289713541667,
     84933.72372902764,
     {0,
      7,
      {-2628.4287109375, -2628.4287109375, -2425.289713541667, -2425.289713541667,
       -2425.289713541667, -2628.4287109375, -2628.4287109375}}},
    {&worked_b,
     1,
     5,
     "5",
     1437.0677083333333,
     513486.1109754774,
     {0, 7, {831.0, 831.0, 831.0, 831.0, 831.0, 1437.0677083333333, 785.25}}},
    {&worked_b,
     2,
     5,
     "5-2",
     2685.9840494791665,
     1012589.9536246193,
     {0,
      7,
      {2246.9163411458335, 2246.9163411458335, 2246.9163411458335, 2246.9163411458335,
       2246.9163411458335, 2685.9840494791665, 2201.7910156249995}}},
    {&worked_b,
     3,
     5,
     "5-2-4",
     2987.0794270833335,
     740621.725970798,
     {0,
      7,
      {2612.9615885416665, 2612.9615885416665, 2612.9615885416665, 2612.9615885416665,
       2612.9615885416665, 2987.0794270833335, 2499.3567708333335}}},
    {&worked_c, 1, 4, "4", -21224.5, 0.0, {3, 4, {-21884.5, -21224.5, -21269.5, -21227.0}}},
    {&worked_c,
     2,
     6,
     "6-6",
     -21133.333333333336,
     7338.888888888879,
     {3, 4, {-22011.458333333336, -21351.458333333336, -21294.666666666664, -21133.333333333336}}},
    {&worked_c,
     3,
     6,
     "6-6-6",
     -249964.25000000003,
     2860.8541666664146,
     {3, 4, {-22011.458333333336, -249980.6666666667, -249976.5, -249964.25000000003}}},
};

static void the_beam_works_the_examples_layer_by_layer(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(layers); i++) {
        check_layer(&layers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gray_throughput_works_the_examples),
        cmocka_unit_test(risk_works_the_examples),
        cmocka_unit_test(the_beam_draws_the_published_numbers),
        cmocka_unit_test(the_beam_works_the_examples_layer_by_layer),
    };
    return cmocka_run_group_tests_name("unit/policy/scenarios", tests, NULL, NULL);
}
