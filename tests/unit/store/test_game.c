/* store/game.h: recorded games, lists, what counts, the leaderboard's input. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *st;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "games-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    store_close(st);
    st = NULL;
    return 0;
}

/* A policy with a finished run on the gauntlet. */
static void play(const char *id, enum outcome outcome)
{
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    enum d7_err err = stores_builtin(st, id, "gauntlet", run);
    assert_int_equal(err, D7_OK);
    if (stores_drain(st, outcome) == 0) { /* it had its run: another one */
        assert_int_equal(run_add(st, id, "gauntlet", NULL, 0, 2500, run, existing), D7_OK);
        assert_true(stores_drain(st, outcome) > 0);
    }
}

static void a_game_comes_back_as_it_was_recorded(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char id[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    static const uint8_t columns[] = {6, 5};
    static const uint32_t think[] = {1, 4000000000u};
    const struct game_result result = {
        .columns = columns,
        .think_us = think,
        .moves = 2,
        .summary = {.score = INT64_C(5000000000),
                    .moves = 2,
                    .max_chain = 3,
                    .discs_cleared = 4,
                    .covered_revealed = 5,
                    .checksum = "fedcba9876543210"},
        .outcome = OUTCOME_FORFEIT,
        .reason = "game limit",
        .illegal_moves = 6,
        .timeouts = 7,
        .crashes = 8,
        .nondeterministic = true,
        .elapsed_ms = 9,
        .ms_p50 = 0.1,
        .ms_p95 = 0.2,
        .ms_p99 = 0.3,
        .ms_max = 4000000.5,
        .faults_json = span_of("[{\"move\":1,\"kind\":\"crash\"}]"),
        .stderr_tail = {"a\0b\xff", 4},
    };
    assert_int_equal(job_finish_game(st, &job, &result, 77, id), D7_OK);
    struct game_row g = {0};
    assert_int_equal(game_get(st, id, &g), D7_OK);
    assert_string_equal(g.id, id);
    assert_string_equal(g.policy_id, "greedy");
    assert_string_equal(g.run_id, run);
    assert_string_equal(g.round_id, "gauntlet-01");
    assert_int_equal(g.revision, 1);
    assert_int_equal(g.summary.score, INT64_C(5000000000));
    assert_int_equal(g.summary.moves, 2);
    assert_int_equal(g.summary.max_chain, 3);
    assert_int_equal(g.summary.discs_cleared, 4);
    assert_int_equal(g.summary.covered_revealed, 5);
    assert_string_equal(g.summary.checksum, "fedcba9876543210");
    assert_false(g.summary.over || g.summary.censored);
    assert_int_equal(g.outcome, OUTCOME_FORFEIT);
    assert_string_equal(g.reason, "game limit");
    assert_int_equal(g.illegal_moves, 6);
    assert_int_equal(g.timeouts, 7);
    assert_int_equal(g.crashes, 8);
    assert_true(g.nondeterministic && g.counted && !g.voided);
    assert_int_equal(g.elapsed_ms, 9);
    assert_float_equal(g.ms_p50, 0.1, 0.0);
    assert_float_equal(g.ms_max, 4000000.5, 0.0);
    assert_int_equal(g.created_at, 77);
    uint8_t *got = NULL;
    size_t count = 0;
    assert_int_equal(game_columns(st, id, &got, &count), D7_OK);
    assert_int_equal(count, 2);
    assert_memory_equal(got, columns, 2);
    free(got);
    char *faults = NULL;
    char *tail = NULL;
    assert_int_equal(game_log(st, id, &faults, &tail), D7_OK);
    assert_string_equal(faults, "[{\"move\":1,\"kind\":\"crash\"}]");
    assert_string_equal(tail, "a b\xff");
    free(faults);
    free(tail);
    struct policy_row policy;
    assert_int_equal(policy_get(st, "greedy", &policy), D7_OK);
    assert_true(policy.nondeterministic);
    assert_int_equal(stores_number(st, "SELECT hex(think) = '0100000000286BEE' FROM game_record"),
                     1);
}

static void a_game_without_a_move_is_a_game(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char id[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    const struct game_result result = {.outcome = OUTCOME_FORFEIT, .reason = "crashes"};
    assert_int_equal(job_finish_game(st, &job, &result, 77, id), D7_OK);
    uint8_t *columns = NULL;
    size_t count = 9;
    assert_int_equal(game_columns(st, id, &columns, &count), D7_OK);
    assert_int_equal(count, 0);
    assert_non_null(columns);
    free(columns);
    char *faults = NULL;
    char *tail = NULL;
    assert_int_equal(game_log(st, id, &faults, &tail), D7_OK);
    assert_string_equal(faults, "[]");
    assert_string_equal(tail, "");
    free(faults);
    free(tail);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    struct game_row g;
    uint8_t *columns = NULL;
    char *faults = NULL;
    char *tail = NULL;
    size_t count = 0;
    assert_int_equal(game_get(st, "no-such-game", &g), D7_ERR_NOT_FOUND);
    assert_int_equal(game_columns(st, "no-such-game", &columns, &count), D7_ERR_NOT_FOUND);
    assert_int_equal(game_log(st, "no-such-game", &faults, &tail), D7_ERR_NOT_FOUND);
    assert_int_equal(game_counted(st, "nobody", "gauntlet-01", &g), D7_ERR_NOT_FOUND);
    assert_int_equal(game_void(st, "no-such-game", "why", 1), D7_ERR_NOT_FOUND);
    assert_null(columns);
    assert_null(faults);
}

static void the_first_game_counts_and_a_void_lets_the_next_one(void **state)
{
    (void)state;
    play("greedy", OUTCOME_OVER);
    struct game_row first = {0};
    struct game_row now = {0};
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &first), D7_OK);
    play("greedy", OUTCOME_OVER);
    play("greedy", OUTCOME_OVER);
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &now), D7_OK);
    assert_string_equal(now.id, first.id);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE counted"), 8);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 24);
    assert_int_equal(game_void(st, first.id, "played on a broken machine", 99), D7_OK);
    assert_int_equal(game_void(st, first.id, "again", 100), D7_OK);
    assert_int_equal(game_get(st, first.id, &first), D7_OK);
    assert_true(first.voided && !first.counted);
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &now), D7_OK);
    assert_true(strcmp(now.id, first.id) > 0);
    struct game_row second = now;
    assert_int_equal(game_void(st, second.id, "", 101), D7_OK);
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &now), D7_OK);
    assert_true(strcmp(now.id, second.id) > 0);
    assert_int_equal(game_void(st, now.id, "", 101), D7_OK);
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &now), D7_ERR_NOT_FOUND);
    play("greedy", OUTCOME_OVER); /* a new first one */
    assert_int_equal(game_counted(st, "greedy", "gauntlet-05", &now), D7_OK);
}

static void voiding_a_game_that_never_counted_changes_no_other(void **state)
{
    (void)state;
    play("greedy", OUTCOME_OVER);
    play("greedy", OUTCOME_OVER);
    struct game_row first = {0};
    struct game_row now = {0};
    assert_int_equal(game_counted(st, "greedy", "gauntlet-01", &first), D7_OK);
    struct game_filter filter = {.round_id = "gauntlet-01"};
    struct store_page page = {.limit = 1};
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_false(rows[0].counted);
    assert_int_equal(game_void(st, rows[0].id, "", 5), D7_OK);
    free(rows);
    assert_int_equal(game_counted(st, "greedy", "gauntlet-01", &now), D7_OK);
    assert_string_equal(now.id, first.id);
}

/* --- lists ---------------------------------------------------------------------------------- */

static void make_games(void)
{
    static const char *const ids[] = {"one", "two", "three"};
    for (size_t i = 0; i < D7_COUNT(ids); i++) {
        play(ids[i], i == 2 ? OUTCOME_CENSORED : OUTCOME_OVER);
    }
    /* Scores with many ties: 0, 10, 20, 0, ... */
    assert_int_equal(stores_change(st, "UPDATE game SET score = 10 * (seq % 3)"), 24);
}

static bool in_order(enum game_sort sort, const struct game_row *a, const struct game_row *b)
{
    int64_t score = a->summary.score - b->summary.score;
    int id = strcmp(a->id, b->id);
    switch (sort) {
    case GAME_SORT_NEWEST:
        return id > 0;
    case GAME_SORT_OLDEST:
        return id < 0;
    case GAME_SORT_BEST:
        return score > 0 || (score == 0 && id > 0);
    case GAME_SORT_WORST:
        return score < 0 || (score == 0 && id < 0);
    }
    return false;
}

static size_t walk(const struct game_filter *filter, uint32_t limit)
{
    struct store_page page = {.limit = limit};
    struct game_row last = {0};
    size_t seen = 0;
    do {
        struct game_row *rows = NULL;
        size_t count = 0;
        assert_int_equal(game_list(st, filter, &page, &rows, &count), D7_OK);
        assert_true(count <= limit);
        assert_true(count == limit || !page.next[0]);
        for (size_t i = 0; i < count; i++) {
            assert_true(seen + i == 0 || in_order(filter->sort, &last, &rows[i]));
            last = rows[i];
        }
        seen += count;
        free(rows);
        memcpy(page.cursor, page.next, sizeof(page.cursor));
    } while (page.next[0]);
    return seen;
}

static void lists_are_complete_and_in_order_in_pages_of_any_size(void **state)
{
    (void)state;
    make_games();
    struct run_row *runs = NULL;
    size_t count = 0;
    struct store_page page = {.limit = 1};
    struct run_filter any = {0};
    assert_int_equal(run_list(st, &any, &page, &runs, &count), D7_OK);
    const struct {
        struct game_filter filter;
        size_t want;
    } cases[] = {
        {{.sort = GAME_SORT_NEWEST}, 24},
        {{.policy_id = "two"}, 8},
        {{.round_id = "gauntlet-07"}, 3},
        {{.suite_id = "gauntlet"}, 24},
        {{.suite_id = "other"}, 0},
        {{.has_outcome = true, .outcome = OUTCOME_CENSORED}, 8},
        {{.policy_id = "one", .has_outcome = true, .outcome = OUTCOME_CENSORED}, 0},
        {{.policy_id = "three", .round_id = "gauntlet-01", .suite_id = "gauntlet"}, 1},
        {{.since = 4000, .until = 4001}, 24},
        {{.since = 4001}, 0},
        {{.until = 4000}, 0},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        for (int sort = GAME_SORT_NEWEST; sort <= GAME_SORT_WORST; sort++) {
            struct game_filter filter = cases[i].filter;
            filter.sort = (enum game_sort)sort;
            assert_int_equal(walk(&filter, 1), cases[i].want);
            assert_int_equal(walk(&filter, 5), cases[i].want);
            assert_int_equal(walk(&filter, 500), cases[i].want);
        }
    }
    for (int sort = GAME_SORT_NEWEST; sort <= GAME_SORT_WORST; sort++) {
        struct game_filter filter = {.sort = (enum game_sort)sort};
        memcpy(filter.run_id, runs[0].id, sizeof(filter.run_id));
        assert_int_equal(walk(&filter, 3), 8);
    }
    free(runs);
}

static void a_page_stays_where_it_was_when_games_are_added(void **state)
{
    (void)state;
    play("one", OUTCOME_OVER);
    struct game_filter filter = {.sort = GAME_SORT_NEWEST};
    struct store_page page = {.limit = 3};
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_OK);
    struct game_row last = rows[2];
    free(rows);
    play("two", OUTCOME_OVER);
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    page.limit = 500;
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 5);
    assert_true(strcmp(rows[0].id, last.id) < 0);
    free(rows);
    filter.sort = GAME_SORT_BEST;
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_ERR_INVALID);
}

static void a_scan_sees_every_game_once_in_id_order(void **state)
{
    (void)state;
    make_games();
    char after[STORE_KEY_SIZE] = "";
    size_t seen = 0;
    for (;;) {
        struct game_row *rows = NULL;
        size_t count = 0;
        assert_int_equal(game_scan(st, after, 5, &rows, &count), D7_OK);
        for (size_t i = 0; i < count; i++) {
            assert_true(strcmp(rows[i].id, after) > 0);
            memcpy(after, rows[i].id, sizeof(after));
        }
        free(rows);
        seen += count;
        if (count == 0) {
            break;
        }
    }
    assert_int_equal(seen, 24);
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_scan(st, "", 0, &rows, &count), D7_ERR_INVALID);
}

static void ids_keep_growing_when_the_clock_steps_back(void **state)
{
    (void)state;
    char first[STORE_KEY_SIZE];
    char second[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    sha_of(span_of("1"), sha);
    assert_int_equal(account_token_add(st, "ann", false, false, sha, 1796016000000, first), D7_OK);
    sha_of(span_of("2"), sha);
    assert_int_equal(account_token_add(st, "ann", false, false, sha, 1000, second), D7_OK);
    assert_int_equal(strlen(first), 26);
    assert_true(strcmp(second, first) > 0);
}

/* --- the leaderboard's input ---------------------------------------------------------------- */

static void the_board_has_counted_games_of_ready_policies_on_the_suite(void **state)
{
    (void)state;
    play("ready", OUTCOME_OVER);
    play("ready", OUTCOME_OVER); /* not counted */
    play("gone", OUTCOME_OVER);
    play("stopped", OUTCOME_FORFEIT); /* its three games count */
    assert_int_equal(stores_change(st, "UPDATE policy SET status = 'suspended' WHERE id = 'gone'"),
                     1);
    struct suite_row suite = {0};
    struct board_input in = {0};
    assert_int_equal(suite_get(st, "gauntlet", &suite), D7_OK);
    assert_int_equal(game_board_input(st, &suite, POLICY_READY, &in), D7_OK);
    assert_int_equal(in.game_count, 11);
    assert_int_equal(in.policy_count, 2);
    assert_string_equal(in.policies[0].id, "ready");
    assert_string_equal(in.policies[1].id, "stopped");
    assert_int_equal(in.newest, 4000);
    for (size_t i = 0; i < in.game_count; i++) {
        assert_true(in.games[i].counted);
        assert_string_not_equal(in.games[i].policy_id, "gone");
    }
    board_input_release(&in);
    assert_int_equal(game_board_input(st, &suite, POLICY_SUSPENDED, &in), D7_OK);
    assert_int_equal(in.game_count, 19); /* the others are still there */
    assert_int_equal(in.policy_count, 3);
    assert_string_equal(in.policies[0].id, "gone");
    board_input_release(&in);
    assert_int_equal(game_board_input(st, &suite, POLICY_RETIRED, &in), D7_OK);
    assert_int_equal(in.game_count, 11);
    board_input_release(&in);
    suite.round_count = 1; /* a choice of the suite's rounds */
    assert_int_equal(game_board_input(st, &suite, POLICY_READY, &in), D7_OK);
    assert_int_equal(in.game_count, 2);
    board_input_release(&in);
    suite_release(&suite);
}

static void a_board_without_games_is_empty(void **state)
{
    (void)state;
    struct suite_row suite = {0};
    struct board_input in = {0};
    assert_int_equal(suite_get(st, "gauntlet", &suite), D7_OK);
    assert_int_equal(game_board_input(st, &suite, POLICY_READY, &in), D7_OK);
    assert_int_equal(in.game_count, 0);
    assert_int_equal(in.policy_count, 0);
    assert_int_equal(in.newest, 0);
    board_input_release(&in);
    suite_release(&suite);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        CASE(a_game_comes_back_as_it_was_recorded),
        CASE(a_game_without_a_move_is_a_game),
        CASE(what_is_not_there_is_not_found),
        CASE(the_first_game_counts_and_a_void_lets_the_next_one),
        CASE(voiding_a_game_that_never_counted_changes_no_other),
        CASE(lists_are_complete_and_in_order_in_pages_of_any_size),
        CASE(a_page_stays_where_it_was_when_games_are_added),
        CASE(a_scan_sees_every_game_once_in_id_order),
        CASE(ids_keep_growing_when_the_clock_steps_back),
        CASE(the_board_has_counted_games_of_ready_policies_on_the_suite),
        CASE(a_board_without_games_is_empty),
    };
    int failed = cmocka_run_group_tests_name("unit/store/game", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
