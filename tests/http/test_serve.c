/* The whole way, over sockets, with real processes: what goes in as a policy comes out as games. */
#include <signal.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "store/job.h"
#include "tests/support/games.h"

static struct test_server server;

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

static void need_sandbox(void)
{
    const char *tier = server_wait_ready(&server, 40000);
    if (strcmp(tier, "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
}

/* A token, kept; static buffer. */
static const char *author(void)
{
    static char token[80];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "author", false));
    return token;
}

static void upload(const char *id, const char *file)
{
    const char *fields[] = {"id", id, "name", id, "family", "tests", NULL};
    struct answer a = http_upload(&server, "/api/v1/policies", author(), fields, file);
    if (a.status != 201) {
        fail_msg("upload of %s: %ld %s", file, a.status, a.body);
    }
    answer_free(&a);
}

static void demo_runs_to_the_end_and_ranks_its_policies(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "2", NULL};
    server_start(&server, options);
    games_finish(&server, "greedy");
    games_finish(&server, "fair-d2-s7");
    games_assert_bench(&server, "greedy", "greedy");
    games_assert_bench(&server, "fair-d2-s7", "fair-d2-s7");
    struct answer a = http_get(&server, "/api/v1/leaderboard");
    assert_int_equal(a.status, 200);
    const struct jval *rows = jval_get(a.json, "summaries");
    assert_true(jval_length(rows) >= 2);
    for (size_t i = 0; i < jval_length(rows); i++) {
        assert_true(games_number(jval_at(rows, i), "games") > 0);
    }
    answer_free(&a);
    games_assert_verified(&server, 2 * ROUND_GAUNTLET_COUNT);
    char first_run[64];
    (void)snprintf(first_run, sizeof(first_run), "%s", games_latest_run(&server, "greedy"));
    assert_int_equal(server_stop(&server), 0);
    assert_true(server_wait_silence(&server, 1000));

    /* a second start queues nothing again */
    server_run(&server, options);
    assert_string_equal(games_latest_run(&server, "greedy"), first_run);
}

static void uploads_play_the_games_they_play_locally(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", NULL};
    char steady[PATH_MAX], match[PATH_MAX];
    (void)snprintf(steady, sizeof(steady), "%s", support_program("tests/policies/steady"));
    assert_non_null(realpath("docs/examples/match.py", match));
    server_start(&server, options);
    need_sandbox();
    upload("steady", steady);
    upload("match", match);
    const char *steady_argv[] = {steady, NULL};
    const char *match_argv[] = {"/usr/bin/python3", match, NULL};
    games_finish(&server, "steady");
    games_assert_local(&server, "steady", steady_argv);
    games_finish(&server, "match");
    games_assert_local(&server, "match", match_argv);
    games_assert_verified(&server, 2 * ROUND_GAUNTLET_COUNT);
}

/* A policy that never gives a legal column is no worse than its moves: ready, played, counted. */
static void upload_that_only_answers_rubbish_plays_and_is_counted(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", NULL};
    server_start(&server, options);
    need_sandbox();
    char file[PATH_MAX + 16];
    (void)snprintf(file, sizeof(file), "%s/rubbish.sh", server.data);
    static const char script[] = "#!/bin/sh\nwhile read -r w rest; do case $w in d7p) echo d7pok;; "
                                 "isready) echo readyok;; go) echo bestmove 7;; esac; done\n";
    assert_int_equal(file_write(file, span_of(script), 0755), D7_OK);
    upload("rubbish", file);
    games_finish(&server, "rubbish");
    struct answer a = http_get(&server, "/api/v1/policies/rubbish");
    assert_string_equal(answer_text(&a, "status"), "ready");
    answer_free(&a);
    a = http_get(&server, "/api/v1/games?policy=rubbish");
    const struct jval *games = jval_get(a.json, "items");
    assert_int_equal(jval_length(games), ROUND_GAUNTLET_COUNT);
    for (size_t i = 0; i < jval_length(games); i++) {
        const struct jval *game = jval_at(games, i);
        assert_int_equal(games_number(game, "illegalMoves"), games_number(game, "moves"));
        assert_true(games_number(game, "moves") > 0);
    }
    answer_free(&a);
}

/* The operator's disk, not the author's program: the run fails, and no game is charged. */
static void damaged_and_missing_artifacts_fail_the_run_with_our_reason(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "1", NULL};
    char steady[PATH_MAX], sha[80], path[PATH_MAX + 200], body[100];
    (void)snprintf(steady, sizeof(steady), "%s", support_program("tests/policies/steady"));
    server_start(&server, options);
    need_sandbox();
    upload("steady", steady);
    games_finish(&server, "steady");
    struct answer a = http_get(&server, "/api/v1/policies/steady");
    struct span text;
    assert_true(jval_text(jval_get(jval_get(a.json, "revision"), "sha256"), &text));
    assert_int_equal(span_copy(text, sha, sizeof(sha)), D7_OK);
    answer_free(&a);
    (void)snprintf(path, sizeof(path), "%s/artifacts/%.2s/%s", server.data, sha, sha);
    (void)snprintf(body, sizeof(body), "{\"policy\":\"steady\"}");
    for (int missing = 0; missing < 2; missing++) {
        assert_int_equal(unlink(path), 0);
        if (!missing) {
            assert_int_equal(file_write(path, span_of("#!/bin/sh\n"), 0500), D7_OK);
        }
        a = http_send(&server, "POST", "/api/v1/runs", server_token(&server, "owner", true), body);
        assert_int_equal(a.status, 202);
        struct answer run = http_wait_run(&server, answer_text(&a, "id"), GAMES_RUN_MS);
        assert_string_equal(answer_text(&run, "status"), "failed");
        assert_string_equal(answer_text(&run, "reason"),
                            missing ? "artifact missing" : "artifact damaged");
        assert_int_equal(jval_length(jval_get(run.json, "games")), 0);
        answer_free(&run);
        answer_free(&a);
    }
    a = http_get(&server, "/api/v1/policies/steady");
    assert_string_equal(answer_text(&a, "status"), "ready");
    answer_free(&a);
    assert_true(server_wait_log(&server, "artifact damaged", 1000));
}

static void upload_that_does_not_speak_is_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *id, *script;
    } mutes[] = {{"ends", "#!/bin/sh\nread x\nexit 3\n"},
                 {"hangs", "#!/bin/sh\nwhile read x; do :; done\n"}};
    const char *options[] = {"--workers", "1", "--handshake-timeout", "2", NULL};
    server_start(&server, options);
    need_sandbox();
    for (size_t i = 0; i < D7_COUNT(mutes); i++) {
        char file[PATH_MAX + 16], path[128];
        (void)snprintf(file, sizeof(file), "%s/mute.sh", server.data);
        assert_int_equal(file_write(file, span_of(mutes[i].script), 0755), D7_OK);
        upload(mutes[i].id, file);
        struct answer run =
            http_wait_run(&server, games_latest_run(&server, mutes[i].id), GAMES_RUN_MS);
        assert_string_equal(answer_text(&run, "status"), "cancelled");
        answer_free(&run);
        (void)snprintf(path, sizeof(path), "/api/v1/policies/%s", mutes[i].id);
        struct answer a = http_get(&server, path);
        assert_string_equal(answer_text(&a, "status"), "rejected");
        assert_true(jval_kind_of(jval_get(a.json, "reason")) == JVAL_OBJECT);
        answer_free(&a);
    }
}

/* --- endpoints
 * ------------------------------------------------------------------------------------ */

/* Registers `id` at an address; returns the HTTP status. */
static long register_endpoint(const char *id, const char *address)
{
    char json[400];
    (void)snprintf(json, sizeof(json),
                   "{\"id\":\"%s\",\"name\":\"%s\",\"family\":\"tests\",\"endpoint\":\"tcp://%s\"}",
                   id, id, address);
    struct answer a = http_send(&server, "POST", "/api/v1/policies", author(), json);
    long status = a.status;
    answer_free(&a);
    return status;
}

static pid_t start_player(char *ret_address, size_t size)
{
    char drop7[PATH_MAX];
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    const char *argv[] = {drop7, "policy", "--policy", "greedy", "--listen", "127.0.0.1:0", NULL};
    return program_start(argv, ret_address, size);
}

static void assert_rejected(const char *id, const char *code)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/api/v1/policies/%s", id);
    struct answer a = http_wait_status(&server, path, "checking", GAMES_RUN_MS);
    struct span text = {NULL, 0};
    if (strcmp(answer_text(&a, "status"), "rejected") != 0 ||
        !jval_text(jval_get(jval_get(a.json, "reason"), "code"), &text) || !span_is(text, code)) {
        fail_msg("not rejected with %s: %s", code, a.body);
    }
    answer_free(&a);
}

static void endpoint_is_refused_unless_allowed(void **state)
{
    (void)state;
    char address[80], name[100];
    pid_t player = start_player(address, sizeof(address));
    const char *options[] = {"--workers", "1", NULL};
    server_start(&server, options);
    assert_int_equal(register_endpoint("literal", address), 400);
    /* a name is looked up by the worker, and its address judged there */
    (void)snprintf(name, sizeof(name), "localhost%s", strrchr(address, ':'));
    assert_int_equal(register_endpoint("by-name", name), 201);
    assert_rejected("by-name", "endpoint-refused");
    program_end(player);
}

static void allowed_endpoint_plays_its_games(void **state)
{
    (void)state;
    char address[80], name[100];
    pid_t player = start_player(address, sizeof(address));
    const char *options[] = {"--workers", "2", "--allow-endpoint", "127.0.0.0/8", NULL};
    server_start(&server, options);
    (void)snprintf(name, sizeof(name), "localhost%s", strrchr(address, ':'));
    assert_int_equal(register_endpoint("far-greedy", address), 201);
    assert_int_equal(register_endpoint("named-greedy", name), 201);
    games_finish(&server, "far-greedy");
    games_assert_bench(&server, "far-greedy", "greedy");
    games_finish(&server, "named-greedy");
    games_assert_bench(&server, "named-greedy", "greedy");
    program_end(player);
}

static void dead_endpoint_is_rejected_as_unreachable(void **state)
{
    (void)state;
    char address[80];
    pid_t player = start_player(address, sizeof(address));
    program_end(player); /* the port is free now, and nobody listens there */
    const char *options[] = {"--workers", "1", "--allow-endpoint", "127.0.0.1/32", NULL};
    server_start(&server, options);
    assert_int_equal(register_endpoint("gone", address), 201);
    assert_rejected("gone", "endpoint-unreachable");
}

/* --- ends, wanted and unwanted
 * ---------------------------------------------------------------------- */

/* Waits until a run has played moves of a game that is not over. */
static void wait_mid_game(const char *run)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", run);
    struct answer a = {0};
    for (int i = 0; i < 600; i++) {
        answer_free(&a);
        a = http_wait_status(&server, path, "queued", GAMES_RUN_MS);
        const struct jval *progress = jval_get(a.json, "progress");
        if (games_number(progress, "playing") > 0 && games_number(progress, "moves") > 0) {
            answer_free(&a);
            return;
        }
        (void)usleep(50000);
    }
    fail_msg("no game of run %s begins: %s", run, a.body);
}

/* A worker of the server that has a policy below it. */
static pid_t playing_worker(void)
{
    pid_t workers[16], below[16];
    size_t count = server_workers(&server, workers, D7_COUNT(workers));
    for (size_t i = 0; i < count; i++) {
        if (process_children(workers[i], below, D7_COUNT(below)) > 0) {
            return workers[i];
        }
    }
    return 0;
}

static void killed_worker_and_killed_server_lose_nothing(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", "--lease-beat", "0.1", "--lease-dead", "3", NULL};
    char dawdle[PATH_MAX], run[64];
    (void)snprintf(dawdle, sizeof(dawdle), "%s", support_program("tests/policies/dawdle"));
    server_start(&server, options);
    need_sandbox();
    upload("dawdle", dawdle);
    (void)snprintf(run, sizeof(run), "%s", games_latest_run(&server, "dawdle"));
    wait_mid_game(run);

    /* a worker, in the middle of a game: its policy goes with it */
    pid_t gone[64];
    pid_t worker = playing_worker();
    assert_true(worker > 0);
    size_t count = process_descendants(worker, gone, D7_COUNT(gone));
    assert_true(count > 0);
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_true(process_wait_gone(gone, count, 5000));
    assert_true(server_wait_log(&server, "ended by signal 9", 5000));
    wait_mid_game(run);

    /* the server, in the middle of the run: everything goes with it */
    count = process_descendants(server.pid, gone, D7_COUNT(gone));
    assert_true(count > 0);
    server_kill(&server);
    assert_true(process_wait_gone(gone, count, 8000));
    assert_true(server_wait_silence(&server, 8000));

    server_run(&server, options);
    games_finish(&server, "dawdle");
    const char *argv[] = {dawdle, NULL};
    games_assert_local(&server, "dawdle", argv); /* none missing, none double, none wrong */
    games_assert_verified(&server, ROUND_GAUNTLET_COUNT);
}

static int64_t alive_now(void)
{
    struct answer a = http_get(&server, "/readyz");
    int64_t alive = games_number(jval_get(a.json, "workers"), "alive");
    answer_free(&a);
    return alive;
}

/* Waits for both, then looks for a second: long enough for a worker too many to show. */
static void assert_two_alive(void)
{
    int64_t most = 0;
    for (int i = 0; i < 400 && alive_now() < 2; i++) {
        (void)usleep(50000);
    }
    for (int i = 0; i < 20; i++) {
        int64_t alive = alive_now();
        most = alive > most ? alive : most;
        (void)usleep(50000);
    }
    assert_int_equal(most, 2);
}

static void dead_workers_are_not_counted_alive(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", NULL}; /* a lease ends after 30 s */
    server_start(&server, options);
    assert_two_alive();
    pid_t workers[4] = {0};
    assert_int_equal(server_workers(&server, workers, D7_COUNT(workers)), 2);
    assert_int_equal(kill(workers[0], SIGKILL), 0);
    assert_true(server_wait_log(&server, "ended by signal 9", 5000));
    assert_two_alive();

    /* one that a killed machine left behind */
    assert_int_equal(server_stop(&server), 0);
    struct store *st = NULL;
    struct worker_row row = {.id = "left-behind", .pid = workers[0], .tier = "A"};
    assert_int_equal(store_open(server.data, STORE_OPEN, &st, NULL), D7_OK);
    assert_int_equal(worker_register(st, &row, 1), D7_OK);
    store_close(st);
    server_run(&server, options);
    assert_two_alive();
}

static void stop_in_mid_game_gives_the_job_back(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "1", "--lease-beat", "0.1", NULL};
    char dawdle[PATH_MAX], run[64], path[128];
    (void)snprintf(dawdle, sizeof(dawdle), "%s", support_program("tests/policies/dawdle"));
    server_start(&server, options);
    need_sandbox();
    upload("dawdle", dawdle);
    (void)snprintf(run, sizeof(run), "%s", games_latest_run(&server, "dawdle"));
    wait_mid_game(run);
    assert_int_equal(server_stop(&server), 0); /* which fails after 15 s */
    assert_true(server_wait_silence(&server, 1000));

    /* claimable again at once: no lease to wait for (30 s here) */
    const char *idle[] = {"--workers", "0", NULL};
    server_run(&server, idle);
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", run);
    struct answer a = http_get(&server, path);
    assert_int_equal(games_number(jval_get(a.json, "progress"), "playing"), 0);
    answer_free(&a);
}

static void worker_started_by_hand_plays_too(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "0", "--demo", NULL};
    char drop7d[PATH_MAX];
    int pipes[2];
    server_start(&server, options);
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    const char *argv[] = {drop7d, "worker", "--data", server.data, NULL};
    assert_int_equal(pipe(pipes), 0);
    pid_t worker = process_spawn(argv, pipes[1]);
    (void)close(pipes[1]);
    games_finish(&server, "greedy");
    games_assert_bench(&server, "greedy", "greedy");
    int status = 0;
    assert_int_equal(kill(worker, SIGTERM), 0);
    assert_true(process_wait(worker, 11000, &status));
    assert_int_equal(process_exit_code(status), 0);
    (void)close(pipes[0]);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(demo_runs_to_the_end_and_ranks_its_policies),
        CASE(uploads_play_the_games_they_play_locally),
        CASE(upload_that_only_answers_rubbish_plays_and_is_counted),
        CASE(damaged_and_missing_artifacts_fail_the_run_with_our_reason),
        CASE(upload_that_does_not_speak_is_rejected),
        CASE(endpoint_is_refused_unless_allowed),
        CASE(allowed_endpoint_plays_its_games),
        CASE(dead_endpoint_is_rejected_as_unreachable),
        CASE(killed_worker_and_killed_server_lose_nothing),
        CASE(dead_workers_are_not_counted_alive),
        CASE(stop_in_mid_game_gives_the_job_back),
        CASE(worker_started_by_hand_plays_too),
    };
    return cmocka_run_group_tests_name("http/serve", tests, NULL, NULL);
}
