/* puct and mcts-fair: no reference has games of theirs, so the games they play are pinned here, and
 * what section 15 of policies.md asks of them is tested piece by piece. */
#include "tests/support/support.h"

#include <math.h>

#include "engine/base/rng.h"
#include "engine/policy/follow.h"
#include "engine/policy/mcts_fair.h"
#include "engine/policy/puct.h"
#include "engine/policy/softmax.h"
#include "engine/record/replay.h"

#define POSITIONS_MAX 64

static struct position roots[POSITIONS_MAX];
static size_t root_count;

/* "BOARD NEXT RISE" */
static bool on_root(void *ctx, struct span line)
{
    (void)ctx;
    struct position *at = &roots[root_count];
    struct span board = span_token(&line);
    int64_t next = 0;
    int64_t rise = 0;
    assert_int_equal(board_parse(board.ptr, board.len, &at->board), BOARD_FINE);
    assert_int_equal(span_parse_i64(span_token(&line), 1, 7, &next), D7_OK);
    assert_int_equal(span_parse_i64(span_token(&line), 1, 5, &rise), D7_OK);
    at->next = (uint8_t)next;
    at->rise = (uint8_t)rise;
    return ++root_count < POSITIONS_MAX;
}

static int read_roots(void **state)
{
    (void)state;
    support_vector_lines("bench-roots.txt", on_root, NULL);
    assert_true(root_count >= 40);
    return 0;
}

static const char *const both[] = {PUCT_ID, MCTS_FAIR_ID};

static struct policy *policy_of(const char *id)
{
    struct policy *p = NULL;
    assert_non_null(policy_find(span_of(id)));
    assert_int_equal(policy_new(policy_find(span_of(id)), 1, &p), D7_OK);
    return p;
}

static struct puct *puct_of(struct puct_params params)
{
    struct puct *p = NULL;
    assert_int_equal(puct_new(&params, &p), D7_OK);
    return p;
}

static void assert_same_value(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof(a));
}

static void assert_close(double got, double want)
{
    assert_true(fabs(got - want) < 1e-14);
}

static void assert_same_decision(const struct decision *a, const struct decision *b)
{
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->work, b->work);
    assert_int_equal(a->value_count, b->value_count);
    for (unsigned i = 0; i < a->value_count; i++) {
        assert_int_equal(a->values[i].column, b->values[i].column);
        assert_int_equal(a->values[i].visits, b->values[i].visits);
        assert_same_value(a->values[i].value, b->values[i].value);
    }
}

/* --- the policies ------------------------------------------------------------------------------
 */

static void decisions_repeat_on_a_used_and_on_a_fresh_search(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(both); i++) {
        struct policy *used = policy_of(both[i]);
        struct decision first[POSITIONS_MAX];
        for (size_t k = 0; k < root_count; k += 2) {
            policy_decide(used, &roots[k], &first[k]);
        }
        for (size_t k = 0; k < root_count; k += 6) {
            struct policy *fresh = policy_of(both[i]);
            struct decision again;
            policy_decide(used, &roots[k], &again); /* after all the others */
            assert_same_decision(&again, &first[k]);
            policy_decide(fresh, &roots[k], &again);
            assert_same_decision(&again, &first[k]);
            policy_free(fresh);
        }
        policy_free(used);
    }
}

static void assert_plays_legally(struct policy *p, const struct position *at, uint32_t simulations)
{
    struct decision d;
    uint32_t visits = 0;
    unsigned legal = board_legal(&at->board);
    policy_decide(p, at, &d);
    assert_true(d.column >= 0 && (legal >> d.column & 1u));
    assert_int_equal(d.value_count, __builtin_popcount(legal));
    for (unsigned i = 0; i < d.value_count; i++) {
        assert_true(legal >> d.values[i].column & 1u);
        visits += d.values[i].visits;
    }
    assert_int_equal(visits, simulations);
    assert_int_equal(d.work, simulations);
}

/* A quarter of the sets of full columns, beside short ones. */
static void boards_with_full_columns_are_played_legally(void **state)
{
    (void)state;
    const uint32_t simulations[] = {256, 400};
    for (size_t i = 0; i < D7_COUNT(both); i++) {
        struct policy *p = policy_of(both[i]);
        for (size_t k = 0; k < root_count; k += 3) {
            assert_plays_legally(p, &roots[k], simulations[i]);
        }
        for (unsigned full = 1; full < 127; full += 4) {
            struct position at = {.next = (uint8_t)(full % 7 + 1), .rise = (uint8_t)(full % 5 + 1)};
            for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
                at.board.col[c] = full >> c & 1u ? 0x9888889 : 0x88;
            }
            assert_plays_legally(p, &at, simulations[i]);
        }
        policy_free(p);
    }
}

static void the_mirrored_board_gets_the_mirrored_column(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (size_t i = 0; i < D7_COUNT(both); i++) {
        struct policy *p = policy_of(both[i]);
        for (size_t k = 0; k < root_count; k++) {
            struct position mirrored = roots[k];
            mirrored.board = board_mirrored(&roots[k].board);
            if (memcmp(&roots[k].board, &mirrored.board, sizeof(mirrored.board)) == 0) {
                continue; /* symmetric: ties fall to the column order */
            }
            struct decision d;
            struct decision m;
            policy_decide(p, &roots[k], &d);
            policy_decide(p, &mirrored, &m);
            assert_int_equal(m.column, 6 - d.column);
            for (unsigned v = 0; v < d.value_count; v++) {
                unsigned other = d.value_count - 1 - v;
                assert_int_equal(m.values[other].column, 6 - d.values[v].column);
                assert_int_equal(m.values[other].visits, d.values[v].visits);
                assert_same_value(m.values[other].value, d.values[v].value);
            }
            tried++;
        }
        policy_free(p);
    }
    assert_true(tried >= 40);
}

static void a_tree_keeps_to_its_nodes(void **state)
{
    (void)state;
    static const uint32_t caps[] = {1, 2, 10, 100};
    for (size_t i = 0; i < D7_COUNT(caps); i++) {
        struct puct_params guided = puct_defaults;
        struct mcts_fair_params plain = mcts_fair_defaults;
        struct mcts_fair *m = NULL;
        struct decision d;
        guided.nodes = caps[i];
        plain.nodes = caps[i];
        struct puct *p = puct_of(guided);
        assert_int_equal(mcts_fair_new(&plain, &m), D7_OK);
        for (size_t k = 0; k < root_count; k += 7) { /* all of them reach 100 nodes without a cap */
            puct_decide(p, &roots[k], &d);
            assert_int_equal(puct_nodes(p), caps[i]);
            assert_int_equal(d.work, guided.simulations);
            mcts_fair_decide(m, &roots[k], &d);
            assert_int_equal(mcts_fair_nodes(m), caps[i]);
            assert_int_equal(d.work, plain.simulations);
        }
        puct_free(p);
        mcts_fair_free(m);
    }
}

static void every_parameter_of_the_text_is_the_default(void **state)
{
    (void)state;
    const struct puct_params *p = &puct_defaults;
    assert_int_equal(p->simulations, 256);
    assert_int_equal(p->horizon, 8);
    assert_int_equal(p->nodes, 4096);
    assert_int_equal(p->continuation, 4);
    assert_int_equal(p->baseline_depth, 2);
    assert_int_equal(p->least_visits, 32);
    assert_same_value(p->exploration, 1.25);
    assert_same_value(p->temperature, 0.75);
    assert_same_value(p->share, 0.65);
    assert_same_value(p->advantage, 0.10);
    const struct mcts_fair_params *m = &mcts_fair_defaults;
    assert_int_equal(m->simulations, 400);
    assert_int_equal(m->horizon, 16);
    assert_int_equal(m->nodes, 100000);
    assert_int_equal(m->continuation, 4);
    assert_same_value(m->least_spread, 1000.0);
}

struct vector {
    const char *policy;
    const char *round;
    int64_t score;
    uint32_t moves;
    const char *checksum;
};

/* These games change with anything a choice depends on: gcc and clang, optimised or not, must play
 * them alike. */
static const struct vector vectors[] = {
    {"puct", "gauntlet-01", 409803, 120, "acb21bd6a2b389a9"},
    {"puct", "gauntlet-02", 139405, 45, "7eec82cffee6fd58"},
    {"mcts-fair", "gauntlet-01", 262922, 80, "67c9ff903ecbcc0b"},
    {"mcts-fair", "gauntlet-02", 191566, 60, "2b4ff52bd656c5b0"},
};

static void the_pinned_gauntlet_games_are_played_again(void **state)
{
    (void)state;
    static uint8_t columns[ROUND_MOVES_MAX];
    for (size_t i = 0; i < D7_COUNT(vectors); i++) {
        const struct vector *want = &vectors[i];
        struct policy *p = policy_of(want->policy);
        struct roundfile *r = NULL;
        struct game g;
        struct turn turn;
        struct summary got;
        struct d7_why why;
        assert_int_equal(roundfile_by_id(span_of(want->round), &r), D7_OK);
        game_start(&g, &r->round);
        while (!game_is_done(&g)) {
            struct position at = game_position(&g, &r->round);
            struct decision d;
            policy_decide(p, &at, &d);
            assert_true(d.column >= 0);
            columns[g.moves] = (uint8_t)d.column;
            game_play(&g, &r->round, (unsigned)d.column, NULL, &turn);
        }
        assert_int_equal(replay_run(&r->round, columns, g.moves, NULL, &got, &why), D7_OK);
        roundfile_free(r);
        policy_free(p);
        assert_int_equal(got.score, want->score);
        assert_int_equal(got.moves, want->moves);
        assert_string_equal(got.checksum, want->checksum);
    }
}

/* --- the gate ----------------------------------------------------------------------------------
 */

/* Passes on every count: 40 of 60 visits, 0.2 of the range ahead. */
static const struct puct_claim sure = {
    .visits = 40,
    .all_visits = 60,
    .baseline_visits = 20,
    .mean = 30.0,
    .baseline_mean = 10.0,
    .low = 0.0,
    .high = 100.0,
};

static void the_gate_opens_where_all_three_conditions_hold(void **state)
{
    (void)state;
    struct puct_claim barely = sure;
    assert_true(puct_overrides(&puct_defaults, &sure));
    barely.visits = 32;
    barely.all_visits = 49; /* 65.3 % */
    barely.mean = 20.0 + 1e-9;
    assert_true(puct_overrides(&puct_defaults, &barely));
}

static void the_gate_stays_shut_at_its_bounds(void **state)
{
    (void)state;
    struct puct_claim few = sure;
    few.visits = 31;
    few.all_visits = 40;
    assert_false(puct_overrides(&puct_defaults, &few));
    struct puct_claim divided = sure;
    divided.visits = 65; /* 65 % exactly */
    divided.all_visits = 100;
    assert_false(puct_overrides(&puct_defaults, &divided));
    divided.visits = 66;
    assert_true(puct_overrides(&puct_defaults, &divided));
    struct puct_claim close = sure;
    close.mean = 20.0; /* 0.10 exactly */
    assert_false(puct_overrides(&puct_defaults, &close));
    struct puct_claim worse = sure;
    worse.mean = 5.0;
    assert_false(puct_overrides(&puct_defaults, &worse));
}

static void the_gate_stays_shut_where_there_is_nothing_to_compare(void **state)
{
    (void)state;
    struct puct_claim untried = sure;
    untried.baseline_visits = 0;
    assert_false(puct_overrides(&puct_defaults, &untried));
    struct puct_claim flat = sure;
    flat.low = flat.high = 30.0;
    assert_false(puct_overrides(&puct_defaults, &flat));
}

static void a_gate_that_never_opens_plays_as_the_fair_search(void **state)
{
    (void)state;
    struct puct_params params = puct_defaults;
    params.share = 1.0;
    struct puct *p = puct_of(params);
    struct policy *fair = policy_of("fair-d2-s7");
    for (size_t k = 0; k < root_count; k++) {
        struct decision d;
        struct decision baseline;
        puct_decide(p, &roots[k], &d);
        policy_decide(fair, &roots[k], &baseline);
        assert_int_equal(d.column, baseline.column);
    }
    policy_free(fair);
    puct_free(p);
}

static void an_open_gate_plays_the_most_visited_column(void **state)
{
    (void)state;
    struct puct_params params = puct_defaults;
    params.least_visits = 0;
    params.share = -1.0;
    params.advantage = -2.0;
    struct puct *p = puct_of(params);
    struct puct *strict = puct_of(puct_defaults);
    unsigned differ = 0;
    for (size_t k = 0; k < root_count; k += 2) {
        struct decision d;
        struct decision gated;
        uint32_t most = 0;
        uint32_t chosen = 0;
        puct_decide(p, &roots[k], &d);
        for (unsigned i = 0; i < d.value_count; i++) {
            most = d.values[i].visits > most ? d.values[i].visits : most;
            chosen = d.values[i].column == d.column ? d.values[i].visits : chosen;
        }
        assert_int_equal(chosen, most);
        puct_decide(strict, &roots[k], &gated);
        differ += gated.column != d.column;
        gated.column = d.column;
        assert_same_decision(&gated, &d); /* the tree is the same */
    }
    assert_true(differ > 0);
    puct_free(strict);
    puct_free(p);
}

/* --- prior -------------------------------------------------------------------------------------
 */

static uint64_t bits_of(double x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void the_exponential_is_within_a_unit_of_the_librarys(void **state)
{
    (void)state;
    struct rng rng = {1};
    for (unsigned i = 0; i < 200000; i++) {
        double range = i % 2 ? -1.0 / 0.75 : SOFTMAX_LEAST;
        double x = range * rng_next(&rng) / 4294967296.0;
        double got = softmax_exp(x);
        int64_t apart = (int64_t)(bits_of(got) - bits_of(exp(x)));
        assert_true(apart >= -1 && apart <= 1);
    }
}

static void the_exponential_has_the_same_bits_everywhere(void **state)
{
    (void)state;
    static const struct {
        double x;
        double value;
    } rows[] = {
        {0.0, 1.0},
        {-0x1.999999999999ap-4, 0x1.cf46d99d52b3ap-1},
        {-0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp-1}, /* one unit below the nearest */
        {-0.5, 0x1.368b2fc6f960ap-1},
        {-1.0, 0x1.78b56362cef38p-2},
        {-0x1.5555555555555p+0, 0x1.0dec687e1adf1p-2},
        {-20.25, 0x1.b93de1e27ca3bp-30},
        {-0x1.5df3333333333p+9, 0x1.32132bfae6577p-1010},
        {-700.5, 0.0},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        assert_same_value(softmax_exp(rows[i].x), rows[i].value);
    }
    assert_same_value(softmax_exp(-(double)INFINITY), 0.0);
}

static double sum_of(const double shares[BOARD_COLUMNS])
{
    double sum = 0.0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        sum += shares[c];
    }
    return sum;
}

static void shares_are_the_softmax_of_values_by_their_spread(void **state)
{
    (void)state;
    const double values[BOARD_COLUMNS] = {-1500.0, 99.0, 500.0, -500.0, 0.0, 2500.0, 1e9};
    const unsigned legal = 1u << 0 | 1u << 2 | 1u << 3 | 1u << 5; /* spread 4000 */
    double got[BOARD_COLUMNS];
    double sum = exp(-1.0 / 0.75) + exp(-0.5 / 0.75) + exp(-0.75 / 0.75) + 1.0;
    softmax_shares(values, legal, 0.75, got);
    assert_close(got[0], exp(-1.0 / 0.75) / sum);
    assert_close(got[2], exp(-0.5 / 0.75) / sum);
    assert_close(got[3], exp(-0.75 / 0.75) / sum);
    assert_close(got[5], 1.0 / sum);
    assert_same_value(got[1], 0.0);
    assert_same_value(got[4], 0.0);
    assert_same_value(got[6], 0.0);
    assert_close(sum_of(got), 1.0);
}

static void equal_values_share_evenly(void **state)
{
    (void)state;
    const double values[BOARD_COLUMNS] = {-3.5, -3.5, 8.0, -3.5, -3.5, 8.0, 8.0};
    double got[BOARD_COLUMNS];
    softmax_shares(values, 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4, 0.75, got);
    assert_same_value(got[0], 0.25);
    assert_same_value(got[4], 0.25);
    softmax_shares(values, 1u << 2, 0.75, got);
    assert_same_value(got[2], 1.0);
    assert_same_value(got[0], 0.0);
}

static void the_roots_prior_ranks_as_the_fair_search_at_depth_two(void **state)
{
    (void)state;
    struct puct *p = puct_of(puct_defaults);
    struct policy *fair = policy_of("fair-d2-s7");
    for (size_t k = 0; k < root_count; k += 2) {
        struct decision d;
        struct decision values;
        double prior[BOARD_COLUMNS];
        puct_decide(p, &roots[k], &d);
        policy_decide(fair, &roots[k], &values);
        puct_priors(p, prior);
        assert_close(sum_of(prior), 1.0);
        for (unsigned i = 0; i < values.value_count; i++) {
            for (unsigned j = 0; j < values.value_count; j++) {
                if (values.values[i].value > values.values[j].value) {
                    assert_true(prior[values.values[i].column] >= prior[values.values[j].column]);
                }
            }
        }
    }
    policy_free(fair);
    puct_free(p);
}

/* --- continuation ------------------------------------------------------------------------------
 */

static void a_continuation_ends_at_its_moves_and_at_the_horizon(void **state)
{
    (void)state;
    static const struct {
        unsigned moves;
        unsigned ply;
        unsigned played;
    } rows[] = {{4, 1, 4}, {4, 5, 3}, {4, 7, 1}, {4, 8, 0}, {0, 1, 0}, {2, 4, 2}};
    struct position at = {.board = board_opening(), .next = 4};
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct follow *f = NULL;
        struct decision d;
        const struct follow_limits limits = {7, rows[i].moves, 8};
        assert_int_equal(follow_new(&limits, &f), D7_OK);
        at.rise = (uint8_t)(rows[i].played + 1); /* one move more would rise: 17,000 */
        follow_look(f, &at, &d);
        assert_true(follow_play(f, &at, (unsigned)d.column, 0, rows[i].ply) < 2000.0);
        if (rows[i].played == 0) {
            assert_same_value(follow_play(f, &at, (unsigned)d.column, 0, rows[i].ply),
                              follow_leaf(f, &at));
        } else {
            at.rise = (uint8_t)rows[i].played; /* the last one does */
            follow_look(f, &at, &d);
            assert_true(follow_play(f, &at, (unsigned)d.column, 0, rows[i].ply) > 2000.0);
        }
        follow_free(f);
    }
}

static void a_continuation_that_loses_says_so(void **state)
{
    (void)state;
    struct follow *f = NULL;
    const struct follow_limits limits = {7, 4, 8};
    struct position at = {.next = 5, .rise = 1};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        at.board.col[c] = c % 2 ? 0x8888888 : 0x888888; /* no row can come in */
    }
    assert_int_equal(follow_new(&limits, &f), D7_OK);
    assert_same_value(follow_play(f, &at, 0, 0, 1), FOLLOW_OVER);
    follow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_repeat_on_a_used_and_on_a_fresh_search),
        cmocka_unit_test(boards_with_full_columns_are_played_legally),
        cmocka_unit_test(the_mirrored_board_gets_the_mirrored_column),
        cmocka_unit_test(a_tree_keeps_to_its_nodes),
        cmocka_unit_test(every_parameter_of_the_text_is_the_default),
        cmocka_unit_test(the_pinned_gauntlet_games_are_played_again),
        cmocka_unit_test(the_gate_opens_where_all_three_conditions_hold),
        cmocka_unit_test(the_gate_stays_shut_at_its_bounds),
        cmocka_unit_test(the_gate_stays_shut_where_there_is_nothing_to_compare),
        cmocka_unit_test(a_gate_that_never_opens_plays_as_the_fair_search),
        cmocka_unit_test(an_open_gate_plays_the_most_visited_column),
        cmocka_unit_test(the_exponential_is_within_a_unit_of_the_librarys),
        cmocka_unit_test(the_exponential_has_the_same_bits_everywhere),
        cmocka_unit_test(shares_are_the_softmax_of_values_by_their_spread),
        cmocka_unit_test(equal_values_share_evenly),
        cmocka_unit_test(the_roots_prior_ranks_as_the_fair_search_at_depth_two),
        cmocka_unit_test(a_continuation_ends_at_its_moves_and_at_the_horizon),
        cmocka_unit_test(a_continuation_that_loses_says_so),
    };
    return cmocka_run_group_tests_name("unit/policy/puct", tests, read_roots, NULL);
}
