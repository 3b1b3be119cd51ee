/* engine/rank: rows against values worked out by hand. */
#include "tests/support/support.h"

#include <math.h>

#include "engine/base/json.h"
#include "engine/rank/leaderboard.h"

static struct rank_game game_of(const char *policy, uint32_t round, int64_t score)
{
    struct rank_game g = {.round_index = round, .outcome = OUTCOME_OVER};
    (void)snprintf(g.policy_id, sizeof(g.policy_id), "%s", policy);
    g.summary.score = score;
    g.summary.moves = 10;
    g.summary.over = true;
    return g;
}

static struct rank_policy policy_of(const char *id, int64_t seniority)
{
    struct rank_policy p = {.seniority = seniority};
    (void)snprintf(p.id, sizeof(p.id), "%s", id);
    return p;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void quantiles_and_deviation_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    /* quartile at 0.25(n-1), median at 0.5(n-1); the squares around the mean over n-1 */
    static const struct {
        size_t n;
        int64_t scores[8];
        double mean, median, quartile, variance;
    } cases[] = {
        {1, {500}, 500, 500, 500, -1},
        {2, {30, 10}, 20, 20, 15, 200},
        {3, {7, 1, 4}, 4, 4, 2.5, 9},
        {5, {50, 10, 40, 20, 30}, 30, 30, 20, 250},
        /* sorted 1 2 4 8 16 32 64 128: at 1.75 2 + 0.75*2, at 3.5 8 + 0.5*8 */
        {8, {128, 1, 64, 2, 32, 4, 16, 8}, 31.875, 12, 3.5, 13716.875 / 7},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct rank_game games[8];
        for (size_t k = 0; k < cases[i].n; k++) {
            games[k] = game_of("one", (uint32_t)k, cases[i].scores[k]);
        }
        struct rank_policy who = policy_of("one", 1);
        struct rank_result r;
        assert_int_equal(rank_compute(&who, 1, games, cases[i].n, cases[i].n, NULL, &r), D7_OK);
        assert_int_equal(r.row_count, 1);
        near(r.rows[0].mean_score, cases[i].mean);
        near(r.rows[0].median_score, cases[i].median);
        near(r.rows[0].lower_quartile_score, cases[i].quartile);
        assert_int_equal(r.rows[0].has_sd, cases[i].n > 1);
        if (r.rows[0].has_sd) {
            near(r.rows[0].sd_score, sqrt(cases[i].variance));
        }
        rank_release(&r);
    }
}

static void rows_are_ranked_by_mean_and_ties_by_seniority(void **state)
{
    (void)state;
    struct rank_policy who[] = {policy_of("young", 30), policy_of("old", 10), policy_of("best", 99),
                                policy_of("last", 1)};
    struct rank_game games[] = {game_of("young", 0, 100), game_of("young", 1, 300),
                                game_of("old", 0, 250),   game_of("old", 1, 150),
                                game_of("best", 0, 200),  game_of("best", 1, 201),
                                game_of("last", 0, 0),    game_of("last", 1, 1)};
    struct rank_result r;
    assert_int_equal(rank_compute(who, 4, games, 8, 2, NULL, &r), D7_OK);
    static const char *const order[] = {"best", "old", "young", "last"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(r.rows[i].policy_id, order[i]);
        assert_int_equal(r.rows[i].rank, i + 1);
        assert_false(r.rows[i].provisional);
    }
    rank_release(&r);
}

static void input_order_does_not_matter(void **state)
{
    (void)state;
    struct rank_policy who[] = {policy_of("b", 1), policy_of("a", 1), policy_of("c", 2)};
    struct rank_policy turned[] = {who[2], who[1], who[0]};
    struct rank_game games[6];
    struct rank_game reversed[6];
    for (unsigned i = 0; i < 6; i++) {
        games[i] = game_of(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", i / 3, 1000003 / (i + 3));
        reversed[5 - i] = games[i];
    }
    struct rank_result x;
    struct rank_result y;
    assert_int_equal(rank_compute(who, 3, games, 6, 2, NULL, &x), D7_OK);
    assert_int_equal(rank_compute(turned, 3, reversed, 6, 2, NULL, &y), D7_OK);
    assert_int_equal(x.row_count, 3);
    assert_memory_equal(x.rows, y.rows, 3 * sizeof(x.rows[0]));
    rank_release(&x);
    rank_release(&y);
}

static void provisional_rows_come_last_without_rank_and_forfeits_count_as_games(void **state)
{
    (void)state;
    struct rank_policy who[] = {policy_of("short", 1), policy_of("whole", 2), policy_of("idle", 3)};
    struct rank_game games[] = {game_of("short", 0, 900000), game_of("whole", 0, 10),
                                game_of("whole", 1, 0)};
    games[2].outcome = OUTCOME_FORFEIT;
    games[2].summary.moves = 0;
    games[2].crashes = 4;
    struct rank_result r;
    assert_int_equal(rank_compute(who, 3, games, 3, 2, NULL, &r), D7_OK);
    assert_int_equal(r.row_count, 2); /* no games: no row */
    assert_string_equal(r.rows[0].policy_id, "whole");
    assert_int_equal(r.rows[0].rank, 1);
    assert_int_equal(r.rows[0].games, 2);
    assert_int_equal(r.rows[0].forfeits, 1);
    assert_int_equal(r.rows[0].crashes, 4);
    near(r.rows[0].mean_moves, 5);
    assert_string_equal(r.rows[1].policy_id, "short");
    assert_int_equal(r.rows[1].rank, 0);
    assert_true(r.rows[1].provisional);
    rank_release(&r);
}

static void per_move_means_are_totals_over_totals_and_sums_add_up(void **state)
{
    (void)state;
    struct rank_policy who = policy_of("one", 1);
    struct rank_game games[] = {game_of("one", 0, 5), game_of("one", 1, 6)};
    games[0].summary.moves = 1;
    games[0].summary.discs_cleared = 3;
    games[0].summary.max_chain = 9;
    games[0].elapsed_ms = 7;
    games[0].timeouts = 2;
    games[1].summary.moves = 3;
    games[1].summary.discs_cleared = 2;
    games[1].summary.covered_revealed = 6;
    games[1].summary.censored = true;
    games[1].outcome = OUTCOME_CENSORED;
    games[1].illegal_moves = 1;
    games[1].elapsed_ms = 5;
    struct rank_result r;
    assert_int_equal(rank_compute(&who, 1, games, 2, 2, NULL, &r), D7_OK);
    near(r.rows[0].mean_clears_per_move, 1.25);
    near(r.rows[0].mean_reveals_per_move, 1.5);
    assert_int_equal(r.rows[0].max_chain, 9);
    assert_int_equal(r.rows[0].elapsed_ms, 12);
    assert_int_equal(r.rows[0].timeouts, 2);
    assert_int_equal(r.rows[0].illegal_moves, 1);
    assert_int_equal(r.rows[0].censored_games, 1);
    rank_release(&r);
}

static void games_of_policies_that_are_not_listed_are_left_out(void **state)
{
    (void)state;
    struct rank_policy who = policy_of("mine", 1);
    struct rank_game games[] = {game_of("aaa", 0, 5), game_of("mine", 0, 6), game_of("zzz", 0, 7)};
    struct rank_result r;
    assert_int_equal(rank_compute(&who, 1, games, 3, 1, NULL, &r), D7_OK);
    assert_int_equal(r.row_count, 1);
    assert_int_equal(r.rows[0].maximum_score, 6);
    rank_release(&r);
    assert_int_equal(rank_compute(NULL, 0, NULL, 0, 8, NULL, &r), D7_OK);
    assert_int_equal(r.row_count, 0);
    rank_release(&r);
}

static void a_game_without_moves_gives_no_nan_and_nulls_where_there_is_no_figure(void **state)
{
    (void)state;
    struct rank_policy who = policy_of("one", 1);
    struct rank_game game = game_of("one", 0, 0);
    game.summary.moves = 0;
    game.outcome = OUTCOME_FORFEIT;
    struct rank_result r;
    assert_int_equal(rank_compute(&who, 1, &game, 1, 8, NULL, &r), D7_OK);
    struct buf text;
    buf_init(&text, 4096);
    struct jout j;
    jout_init(&j, &text);
    rank_row_write(&j, &r.rows[0]);
    assert_int_equal(text.err, D7_OK);
    struct jval *root = NULL;
    assert_int_equal(jval_parse(buf_span(&text), &root, NULL), D7_OK);
    static const char *const nulls[] = {"sdScore", "meanScoreCi95", "rank", "rankCi95", "paired"};
    for (size_t i = 0; i < D7_COUNT(nulls); i++) {
        const struct jval *v = jval_get(root, nulls[i]);
        assert_non_null(v);
        assert_int_equal(jval_kind_of(v), JVAL_NULL);
    }
    double value = -1;
    assert_true(jval_number(jval_get(root, "meanClearsPerMove"), &value));
    near(value, 0);
    assert_true(jval_number(jval_get(root, "medianScore"), &value));
    near(value, 0);
    bool provisional = false;
    assert_true(jval_bool(jval_get(root, "provisional"), &provisional));
    assert_true(provisional);
    jval_free(root);
    buf_release(&text);
    rank_release(&r);
}

/* Four complete policies on 8 rounds and one that missed a game, as in test_bootstrap.c. */
static void eight_rounds(struct rank_policy *who, struct rank_game *games)
{
    static const int64_t scores[5][8] = {{128, 1, 64, 2, 32, 4, 16, 8},
                                         {40, 30, 20, 10, 50, 60, 70, 80},
                                         {40, 31, 20, 11, 50, 60, 70, 77},
                                         {7, 7, 7, 7, 7, 7, 7, 7},
                                         {900, 900, 900, 900, 900, 900, 900, 0}};
    static const char *const names[] = {"powers", "tens", "near", "flat", "short"};
    for (size_t p = 0; p < 5; p++) {
        who[p] = policy_of(names[p], (int64_t)p + 1);
        for (size_t r = 0; r < 8; r++) {
            games[p * 8 + r] = game_of(names[p], (uint32_t)r, scores[p][r]);
        }
    }
}

static const struct rank_row *row_of(const struct rank_result *r, const char *id)
{
    size_t at = 0;
    while (at + 1 < r->row_count && strcmp(r->rows[at].policy_id, id) != 0) {
        at++;
    }
    assert_string_equal(r->rows[at].policy_id, id);
    return &r->rows[at];
}

static void intervals_are_of_complete_policies_and_pairs_of_common_rounds(void **state)
{
    (void)state;
    struct rank_policy who[5];
    struct rank_game games[40];
    struct rank_result r;
    eight_rounds(who, games);
    assert_int_equal(rank_compute(who, 5, games, 39, 8, NULL, &r),
                     D7_OK); /* short's last is missing */
    assert_int_equal(r.row_count, 5);
    static const struct {
        const char *id;
        uint32_t rank, best, worst;
        double low, high;
    } expected[] = {{"tens", 1, 1, 3, 30, 61.25},
                    {"near", 2, 1, 3, 30.121875, 60.5},
                    {"powers", 3, 1, 3, 7.875, 64},
                    {"flat", 4, 4, 4, 7, 7}};
    for (size_t i = 0; i < D7_COUNT(expected); i++) {
        const struct rank_row *row = &r.rows[i];
        assert_string_equal(row->policy_id, expected[i].id);
        assert_int_equal(row->rank, expected[i].rank);
        assert_true(row->has_mean_ci);
        near(row->mean_ci.low, expected[i].low);
        near(row->mean_ci.high, expected[i].high);
        assert_int_equal(row->rank_ci.best, expected[i].best);
        assert_int_equal(row->rank_ci.worst, expected[i].worst);
        assert_false(row->has_paired); /* nobody was named yet */
    }
    assert_false(row_of(&r, "short")->has_mean_ci);
    assert_int_equal(rank_pair(&r, "nobody", NULL), D7_ERR_NOT_FOUND);
    assert_int_equal(rank_pair(&r, "tens", NULL), D7_OK);
    const struct paired *self = &row_of(&r, "tens")->paired;
    assert_int_equal(self->ties, 8);
    near(self->sign_test_p, 1);
    const struct paired *powers = &row_of(&r, "powers")->paired;
    assert_int_equal(powers->wins, 2);
    assert_int_equal(powers->losses, 6);
    near(powers->delta_ci.low, -45.625);
    near(powers->delta_ci.high, 23.753125);
    const struct paired *partial = &row_of(&r, "short")->paired;
    assert_int_equal(partial->wins, 7);
    assert_int_equal(partial->ties + partial->losses, 0);
    assert_false(partial->has_delta_ci);
    near(partial->mean_delta, 900 - 280.0 / 7);
    rank_release(&r);
}

static void a_policy_that_misses_a_game_changes_nobody_elses_interval(void **state)
{
    (void)state;
    struct rank_policy who[5];
    struct rank_game games[40];
    struct rank_result with;
    struct rank_result without;
    eight_rounds(who, games);
    assert_int_equal(rank_compute(who, 5, games, 39, 8, NULL, &with), D7_OK);
    assert_int_equal(rank_compute(who, 4, games, 32, 8, NULL, &without), D7_OK);
    assert_memory_equal(with.rows, without.rows, 4 * sizeof(with.rows[0]));
    rank_release(&with);
    rank_release(&without);
}

static void guests_are_compared_but_change_no_rank_and_no_interval(void **state)
{
    (void)state;
    struct rank_policy who[5];
    struct rank_game games[40];
    struct rank_result with;
    struct rank_result without;
    eight_rounds(who, games);
    assert_int_equal(rank_compute(who + 1, 3, games + 8, 24, 8, NULL, &without), D7_OK);
    who[0].guest = true;
    assert_int_equal(rank_compute(who, 4, games, 32, 8, NULL, &with), D7_OK);
    assert_memory_equal(with.rows, without.rows, 3 * sizeof(with.rows[0]));
    const struct rank_row *guest = &with.rows[3];
    assert_string_equal(guest->policy_id, "powers");
    assert_int_equal(guest->rank, 0);
    assert_false(guest->provisional);
    assert_false(guest->has_mean_ci);
    assert_int_equal(rank_pair(&with, "tens", NULL), D7_OK);
    assert_int_equal(guest->paired.losses, 6);
    rank_release(&with);
    rank_release(&without);
}

static void equal_scores_rank_the_earlier_revision_first_with_certainty(void **state)
{
    (void)state;
    struct rank_policy who[] = {policy_of("a-late", 9), policy_of("b-early", 3),
                                policy_of("c-middle", 5)};
    struct rank_game games[15];
    struct rank_result r;
    for (uint32_t i = 0; i < 15; i++) {
        games[i] = game_of(who[i / 5].id, i % 5, i % 5 * 100);
    }
    assert_int_equal(rank_compute(who, 3, games, 15, 5, NULL, &r), D7_OK);
    static const char *const order[] = {"b-early", "c-middle", "a-late"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(r.rows[i].policy_id, order[i]);
        assert_int_equal(r.rows[i].rank_ci.best, i + 1);
        assert_int_equal(r.rows[i].rank_ci.worst, i + 1);
    }
    rank_release(&r);
}

static void intervals_and_pairs_do_not_depend_on_the_order_of_the_input(void **state)
{
    (void)state;
    struct rank_policy who[5];
    struct rank_policy turned[5];
    struct rank_game games[40];
    struct rank_game mixed[40];
    struct rank_result x;
    struct rank_result y;
    eight_rounds(who, games);
    for (size_t i = 0; i < 5; i++) {
        turned[i] = who[i * 3 % 5];
    }
    for (size_t i = 0; i < 40; i++) {
        mixed[i] = games[i * 27 % 40];
    }
    assert_int_equal(rank_compute(who, 5, games, 40, 8, NULL, &x), D7_OK);
    assert_int_equal(rank_compute(turned, 5, mixed, 40, 8, NULL, &y), D7_OK);
    assert_int_equal(rank_pair(&x, "near", NULL), D7_OK);
    assert_int_equal(rank_pair(&y, "near", NULL), D7_OK);
    struct buf text[2];
    for (size_t k = 0; k < 2; k++) {
        struct jout j;
        buf_init(&text[k], 1u << 16);
        jout_init(&j, &text[k]);
        jout_array(&j);
        for (size_t i = 0; i < 5; i++) {
            rank_row_write(&j, &(k ? &y : &x)->rows[i]);
        }
        jout_array_end(&j);
        buf_char(&text[k], '\0');
    }
    assert_string_equal(text[0].data, text[1].data);
    for (size_t k = 0; k < 2; k++) {
        buf_release(&text[k]);
    }
    rank_release(&x);
    rank_release(&y);
}

static void rows_of_any_number_of_rounds_are_whole_and_finite(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 5, 8, 64};
    for (size_t s = 0; s < D7_COUNT(sizes); s++) {
        struct rank_policy who[] = {policy_of("one", 1), policy_of("two", 2)};
        struct rank_game games[128];
        struct rank_result r;
        size_t n = sizes[s];
        for (size_t i = 0; i < n; i++) {
            games[2 * i] = game_of("one", (uint32_t)i, (int64_t)(i * 7919 % 1000) * 1000000);
            games[2 * i + 1] = game_of("two", (uint32_t)i, 0);
        }
        assert_int_equal(rank_compute(who, 2, games, 2 * n, n, NULL, &r), D7_OK);
        assert_int_equal(rank_pair(&r, "two", NULL), D7_OK);
        for (size_t i = 0; i < 2; i++) {
            struct buf text;
            struct jout j;
            struct jval *root = NULL;
            buf_init(&text, 4096);
            jout_init(&j, &text);
            rank_row_write(&j, &r.rows[i]);
            assert_int_equal(jval_parse(buf_span(&text), &root, NULL), D7_OK);
            enum jval_kind kind = n < 5 ? JVAL_NULL : JVAL_ARRAY;
            assert_int_equal(jval_kind_of(jval_get(root, "meanScoreCi95")), kind);
            assert_int_equal(jval_kind_of(jval_get(root, "rankCi95")), kind);
            const struct jval *paired = jval_get(root, "paired");
            assert_int_equal(jval_kind_of(jval_get(paired, "deltaCi95")), kind);
            double p = -1;
            assert_true(jval_number(jval_get(paired, "signTestP"), &p));
            assert_true(p > 0 && p <= 1);
            assert_int_equal(jval_kind_of(jval_get(root, "sdScore")) == JVAL_NULL, n < 2);
            jval_free(root);
            buf_release(&text);
        }
        rank_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_and_deviation_are_those_worked_out_by_hand),
        cmocka_unit_test(rows_are_ranked_by_mean_and_ties_by_seniority),
        cmocka_unit_test(input_order_does_not_matter),
        cmocka_unit_test(provisional_rows_come_last_without_rank_and_forfeits_count_as_games),
        cmocka_unit_test(per_move_means_are_totals_over_totals_and_sums_add_up),
        cmocka_unit_test(games_of_policies_that_are_not_listed_are_left_out),
        cmocka_unit_test(a_game_without_moves_gives_no_nan_and_nulls_where_there_is_no_figure),
        cmocka_unit_test(intervals_are_of_complete_policies_and_pairs_of_common_rounds),
        cmocka_unit_test(a_policy_that_misses_a_game_changes_nobody_elses_interval),
        cmocka_unit_test(guests_are_compared_but_change_no_rank_and_no_interval),
        cmocka_unit_test(equal_scores_rank_the_earlier_revision_first_with_certainty),
        cmocka_unit_test(intervals_and_pairs_do_not_depend_on_the_order_of_the_input),
        cmocka_unit_test(rows_of_any_number_of_rounds_are_whole_and_finite),
    };
    return cmocka_run_group_tests_name("unit/rank/leaderboard", tests, NULL, NULL);
}
