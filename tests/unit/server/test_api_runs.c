/* server/api: runs, games, replays and logs. */
#include "tests/support/call.h"

#include "engine/base/clock.h"
#include "server/verify.h"
#include "tests/support/stores.h"

#define POLICY "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://engine.example:7007\"}"

/* A ready policy of `owner` whose first run has ended. */
static void ready_policy(struct call *c)
{
    assert_int_equal(call_post(c, "/api/v1/policies", POLICY), 201);
    assert_int_equal(call_play(c, 100, 0), 8);
}

static void a_finished_run_has_its_games_in_the_order_of_its_rounds(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    assert_int_equal(call_get(c, "/api/v1/policies/far"), 200);
    char path[200];
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", call_text(c, "latestRunId"));
    assert_int_equal(call_get(c, path), 200);
    assert_string_equal(call_text(c, "status"), "done");
    assert_string_equal(call_text(c, "policyId"), "far");
    assert_int_equal(call_int(c, "policyRevision"), 1);
    assert_int_equal(call_int(c, "progress.games"), 8);
    assert_int_equal(call_int(c, "progress.done"), 8);
    assert_int_equal(call_int(c, "progress.playing"), 0);
    assert_true(call_is_null(c, "queuePosition"));
    assert_true(call_is_null(c, "reason"));
    assert_false(call_is_null(c, "finishedAt"));
    assert_int_equal(call_length(c, "games"), 8);
    for (size_t i = 0; i < 8; i++) {
        char at[40];
        char round[20];
        (void)snprintf(round, sizeof(round), "gauntlet-0%zu", i + 1);
        (void)snprintf(at, sizeof(at), "rounds.%zu", i);
        assert_string_equal(call_text(c, at), round);
        (void)snprintf(at, sizeof(at), "games.%zu.roundId", i);
        assert_string_equal(call_text(c, at), round);
        (void)snprintf(at, sizeof(at), "states.%zu.state", i);
        assert_string_equal(call_text(c, at), "done");
    }
    assert_int_equal(strlen(call_text(c, "games.0.checksum")), 16);
}

static void a_run_of_rounds_is_queued_and_a_second_one_conflicts(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    assert_int_equal(call_post(c, "/api/v1/runs",
                               "{\"policy\":\"far\",\"rounds\":[\"gauntlet-02\",\"gauntlet-01\"]}"),
                     202);
    assert_string_equal(call_text(c, "status"), "queued");
    assert_true(call_is_null(c, "suite"));
    assert_string_equal(call_text(c, "rounds.0"), "gauntlet-02");
    assert_int_equal(call_length(c, "rounds"), 2);
    assert_int_equal(call_length(c, "games"), 0);
    char location[200];
    (void)snprintf(location, sizeof(location), "/api/v1/runs/%s", call_text(c, "id"));
    assert_string_equal(call_header(c, "Location"), location);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"far\",\"suite\":\"gauntlet\"}"),
                     409);
    assert_string_equal(call_text(c, "code"), "conflict");
    assert_string_equal(call_text(c, "existing"), location);
    assert_int_equal(call_play(c, 100, 1), 2);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"far\"}"), 202);
    assert_string_equal(call_text(c, "suite"), "gauntlet");
}

static void runs_are_for_owner_and_admin_only(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    call_builtin(c, "alpha");
    const char *body = "{\"policy\":\"far\",\"suite\":\"gauntlet\"}";
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/runs", body), 401);
    c->as = &c->other;
    assert_int_equal(call_post(c, "/api/v1/runs", body), 403);
    c->as = &c->owner;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 403);
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 202);
    assert_int_equal(call_post(c, "/api/v1/runs", body), 202);
}

static void what_a_run_names_must_exist(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    static const char *const missing[] = {
        "{\"policy\":\"nobody\"}",
        "{\"policy\":\"far\",\"suite\":\"nothing\"}",
        "{\"policy\":\"far\",\"rounds\":[\"gauntlet-01\",\"gauntlet-99\"]}",
    };
    for (size_t i = 0; i < D7_COUNT(missing); i++) {
        assert_int_equal(call_post(c, "/api/v1/runs", missing[i]), 404);
    }
    assert_non_null(strstr(call_text(c, "detail"), "gauntlet-99"));
}

static void wrong_fields_of_a_run_are_named(void **state)
{
    struct call *c = *state;
    static const struct {
        const char *body, *field;
    } bad[] = {
        {"{}", "policy"},
        {"{\"policy\":3}", "policy"},
        {"{\"policy\":\"Far\"}", "policy"},
        {"{\"policy\":\"far\",\"suite\":[]}", "suite"},
        {"{\"policy\":\"far\",\"suite\":\"gauntlet\",\"rounds\":[\"gauntlet-01\"]}", "rounds"},
        {"{\"policy\":\"far\",\"rounds\":[]}", "rounds"},
        {"{\"policy\":\"far\",\"rounds\":\"gauntlet-01\"}", "rounds"},
        {"{\"policy\":\"far\",\"rounds\":[1]}", "rounds"},
        {"{\"policy\":\"far\",\"rounds\":[\"gauntlet-01\",\"gauntlet-01\"]}", "rounds"},
        {"{\"policy\":\"far\",\"prio\":1}", "prio"},
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, "/api/v1/runs", bad[i].body), 400);
        assert_string_equal(call_text(c, "code"), "validation");
        if (!call_field_error(c, bad[i].field)) {
            fail_msg("no error for %s in %s", bad[i].field, c->body);
        }
    }
    assert_int_equal(call_post(c, "/api/v1/runs", "nonsense"), 400);
    assert_string_equal(call_text(c, "code"), "bad-json");
}

static void runs_are_listed_newest_first_with_filters(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"far\"}"), 202);
    char newest[100];
    (void)snprintf(newest, sizeof(newest), "%s", call_text(c, "id"));
    assert_int_equal(call_get(c, "/api/v1/runs"), 200);
    assert_int_equal(call_length(c, "items"), 2);
    assert_string_equal(call_text(c, "items.0.id"), newest);
    assert_int_equal(call_length(c, "items.1.games"), 8);
    assert_int_equal(call_get(c, "/api/v1/runs?status=done&policy=far&suite=gauntlet"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    call_builtin(c, "other");
    assert_int_equal(call_get(c, "/api/v1/runs?policy=other"), 200);
    assert_int_equal(call_length(c, "items"), 0);
    assert_int_equal(call_get(c, "/api/v1/runs?since=2999-01-01T00:00:00.000Z"), 200);
    assert_int_equal(call_length(c, "items"), 0);
    assert_int_equal(call_get(c, "/api/v1/runs/none"), 404);
}

static void games_are_filtered_sorted_and_paged(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    assert_int_equal(call_get(c, "/api/v1/games?sort=-score&limit=5"), 200);
    assert_int_equal(call_length(c, "items"), 5);
    int64_t last = call_int(c, "items.0.score");
    for (size_t i = 1; i < 5; i++) {
        char at[40];
        (void)snprintf(at, sizeof(at), "items.%zu.score", i);
        assert_true(call_int(c, at) <= last);
        last = call_int(c, at);
    }
    char path[400];
    char cursor[200];
    (void)snprintf(cursor, sizeof(cursor), "%s", call_text(c, "next"));
    (void)snprintf(path, sizeof(path), "/api/v1/games?sort=-score&limit=5&cursor=%s", cursor);
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(call_length(c, "items"), 3);
    assert_true(call_is_null(c, "next"));
    (void)snprintf(path, sizeof(path), "/api/v1/games?sort=score&limit=5&cursor=%s", cursor);
    assert_int_equal(call_get(c, path), 400); /* a cursor belongs to its sort */
    assert_int_equal(call_get(c, "/api/v1/games?round=gauntlet-03&policy=far&outcome=over"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    assert_string_equal(call_text(c, "items.0.roundId"), "gauntlet-03");
    assert_true(call_bool(c, "items.0.counted"));
    (void)snprintf(path, sizeof(path), "/api/v1/games?run=%s", call_text(c, "items.0.runId"));
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(call_length(c, "items"), 8);
    assert_int_equal(call_get(c, "/api/v1/games?run=a-b"), 400);
    assert_int_equal(call_get(c, "/api/v1/games?outcome=forfeit"), 200);
    assert_int_equal(call_length(c, "items"), 0);
    assert_int_equal(call_get(c, "/api/v1/games?until=2001-01-01T00:00:00.000Z"), 200);
    assert_int_equal(call_length(c, "items"), 0);
}

static void first_game(struct call *c, char *id, size_t size)
{
    assert_int_equal(call_get(c, "/api/v1/games?round=gauntlet-01"), 200);
    (void)snprintf(id, size, "%s", call_text(c, "items.0.id"));
}

static void a_game_and_its_replay_say_the_same(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    char id[100];
    char path[200];
    first_game(c, id, sizeof(id));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s", id);
    assert_int_equal(call_get(c, path), 200);
    int64_t score = call_int(c, "score");
    int64_t moves = call_int(c, "moves");
    assert_true(call_is_null(c, "player"));
    assert_int_equal(call_int(c, "illegalMoves"), 1);
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay", id);
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(c->reply.cache, CACHE_IMMUTABLE);
    assert_string_equal(call_text(c, "format"), "drop7-replay-v1");
    assert_string_equal(call_text(c, "round.id"), "gauntlet-01");
    assert_int_equal(call_length(c, "frames"), moves);
    char at[60];
    (void)snprintf(at, sizeof(at), "frames.%lld.score", (long long)moves - 1);
    assert_int_equal(call_int(c, at), score);
    (void)snprintf(at, sizeof(at), "frames.%lld.nextDisc", (long long)moves - 1);
    assert_true(call_is_null(c, at));
    assert_int_equal(call_int(c, "faults.0.move"), 3);
    assert_string_equal(call_text(c, "faults.0.kind"), "illegal");
    assert_null(strstr(c->body, "secret words"));
    assert_null(call_find(c, "frames.0.steps"));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay?steps=1", id);
    assert_int_equal(call_get(c, path), 200);
    assert_string_equal(call_text(c, "frames.0.steps.0.kind"), "drop");
    assert_int_equal(call_get(c, "/api/v1/policies/far/rounds/gauntlet-01/replay"), 200);
    assert_string_equal(call_text(c, "id"), id);
    assert_int_equal(c->reply.cache, CACHE_REVALIDATE);
}

static void a_replay_that_differs_from_its_record_is_never_served(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_post(c, "/api/v1/policies", POLICY), 201);
    (void)call_play(c, 0, 0);
    /* the first claim is the check: pass it, then record a game with a wrong checksum */
    const struct job_skills all = {true, true, true};
    const struct check_outcome passed = {
        .passed = true, .reason_code = "", .reason_message = "", .public_information = true};
    struct job job;
    assert_int_equal(job_claim(c->api.store, &all, "l", clock_utc_ms(), &job), D7_OK);
    assert_int_equal(job_finish_check(c->api.store, &job, &passed, clock_utc_ms()), D7_OK);
    assert_int_equal(job_claim(c->api.store, &all, "l", clock_utc_ms(), &job), D7_OK);
    struct roundfile *round = NULL;
    assert_int_equal(round_get(c->api.store, job.round_id, &round), D7_OK);
    static const uint8_t columns[] = {3, 3};
    static const uint32_t think[] = {1, 1};
    struct game_result result = {.columns = columns,
                                 .think_us = think,
                                 .moves = 2,
                                 .outcome = OUTCOME_FORFEIT,
                                 .reason = "it crashed",
                                 .faults_json = span_of("[]"),
                                 .stderr_tail = span_of("")};
    assert_int_equal(replay_run(&round->round, columns, 2, NULL, &result.summary, NULL), D7_OK);
    roundfile_free(round);
    result.summary.score += 7;
    char id[STORE_KEY_SIZE];
    assert_int_equal(job_finish_game(c->api.store, &job, &result, clock_utc_ms(), id), D7_OK);
    char path[200];
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay", id);
    assert_int_equal(call_get(c, path), 500);
    assert_null(call_find(c, "frames"));
    assert_string_equal(call_text(c, "code"), "internal");
    assert_non_null(strstr(c->reply.why.text, id)); /* what the log will say */
    assert_non_null(strstr(c->reply.why.text, "score: "));
}

static void damaged_faults_are_named_and_neither_served_nor_verified(void **state)
{
    struct call *c = *state;
    static const struct {
        const char *faults, *said;
    } rows[] = {
        {"garbage", "faults: not JSON"},
        {"{}", "faults: not a list"},
        {"[{\"move\":1}]", "faults: entry 0 has no move and kind"},
        {"[{\"move\":1,\"kind\":\"illegal\"},{\"move\":\"2\",\"kind\":\"illegal\"}]",
         "faults: entry 1"},
        {"", "faults: not JSON"},
    };
    ready_policy(c);
    char id[100];
    char path[200];
    first_game(c, id, sizeof(id));
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char sql[300];
        (void)snprintf(sql, sizeof(sql),
                       "UPDATE game_record SET faults = '%s' WHERE game = "
                       "(SELECT seq FROM game WHERE id = '%s')",
                       rows[i].faults, id);
        assert_int_equal(stores_change(c->api.store, sql), 1);
        static const char *const parts[] = {"replay", "log"};
        for (size_t k = 0; k < D7_COUNT(parts); k++) {
            (void)snprintf(path, sizeof(path), "/api/v1/games/%s/%s", id, parts[k]);
            assert_int_equal(call_get(c, path), 500);
            if (!strstr(c->reply.why.text, rows[i].said)) {
                fail_msg("%s of %s: %s", parts[k], rows[i].faults, c->reply.why.text);
            }
        }
        struct verify_report report;
        struct buf lines;
        buf_init(&lines, 10000);
        assert_int_equal(verify_store(c->api.store, &report, &lines), D7_OK);
        assert_int_equal(report.different, 1);
        assert_non_null(strstr(lines.data, id));
        assert_non_null(strstr(lines.data, rows[i].said));
        buf_release(&lines);
    }
}

static void a_voided_game_says_so_and_its_replay_is_not_kept_for_ever(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    char id[100];
    char path[200];
    first_game(c, id, sizeof(id));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay", id);
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(c->reply.cache, CACHE_IMMUTABLE);
    assert_null(call_find(c, "voided"));
    assert_true(call_bool(c, "counted"));
    assert_int_equal(game_void(c->api.store, id, "tried", clock_utc_ms()), D7_OK);
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(c->reply.cache, CACHE_REVALIDATE);
    assert_true(call_bool(c, "voided"));
    assert_false(call_bool(c, "counted"));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s", id);
    assert_int_equal(call_get(c, path), 200);
    assert_true(call_bool(c, "voided"));
}

static void filters_must_name_what_exists(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    static const struct {
        const char *path, *name;
    } rows[] = {
        {"/games?policy=nosuch", "policy"}, {"/games?round=nosuch", "round"},
        {"/games?suite=nosuch", "suite"},   {"/games?run=nosuch", "run"},
        {"/runs?policy=nosuch", "policy"},  {"/runs?suite=nosuch", "suite"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char path[100];
        (void)snprintf(path, sizeof(path), "/api/v1%s", rows[i].path);
        if (call_get(c, path) != 404 || !call_field_error(c, rows[i].name)) {
            fail_msg("%s: %d %s", path, c->status, c->body);
        }
        assert_string_equal(call_text(c, "code"), "not-found");
    }
    assert_int_equal(call_get(c, "/api/v1/games?policy=far&round=gauntlet-08&suite=gauntlet"), 200);
    assert_int_equal(call_get(c, "/api/v1/runs?policy=far&suite=gauntlet"), 200);
}

static void a_log_is_for_owner_and_admin(void **state)
{
    struct call *c = *state;
    ready_policy(c);
    char id[100];
    char path[200];
    first_game(c, id, sizeof(id));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/log", id);
    assert_int_equal(call_get(c, path), 200);
    assert_string_equal(call_text(c, "stderr"), "tail of stderr");
    assert_string_equal(call_text(c, "faults.0.seen"), "secret words");
    c->as = &c->admin;
    assert_int_equal(call_get(c, path), 200);
    c->as = &c->other;
    assert_int_equal(call_get(c, path), 403);
    c->as = NULL;
    assert_int_equal(call_get(c, path), 401);
}

static void unknown_games_are_not_found(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/games/none"), 404);
    assert_int_equal(call_get(c, "/api/v1/games/none/replay"), 404);
    assert_int_equal(call_get(c, "/api/v1/games/none/log"), 404);
    assert_int_equal(
        call_get(c, "/api/v1/games/an-id-that-is-much-longer-than-any-id-of-ours-can-be"), 404);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_finished_run_has_its_games_in_the_order_of_its_rounds),
        CASE(a_run_of_rounds_is_queued_and_a_second_one_conflicts),
        CASE(runs_are_for_owner_and_admin_only),
        CASE(what_a_run_names_must_exist),
        CASE(wrong_fields_of_a_run_are_named),
        CASE(runs_are_listed_newest_first_with_filters),
        CASE(games_are_filtered_sorted_and_paged),
        CASE(a_game_and_its_replay_say_the_same),
        CASE(a_replay_that_differs_from_its_record_is_never_served),
        CASE(damaged_faults_are_named_and_neither_served_nor_verified),
        CASE(a_voided_game_says_so_and_its_replay_is_not_kept_for_ever),
        CASE(filters_must_name_what_exists),
        CASE(a_log_is_for_owner_and_admin),
        CASE(unknown_games_are_not_found),
    };
    return cmocka_run_group_tests_name("unit/server/api_runs", tests, NULL, NULL);
}
