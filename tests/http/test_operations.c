/* What an operator does and sees: metrics, backup, stopping. */
#include <signal.h>
#include <unistd.h>

#include "store/handle.h"
#include "tests/support/command.h"
#include "tests/support/exposition.h"
#include "tests/support/games.h"

static struct test_server server, second;
static struct exposition now;

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    server_remove(&second);
    return 0;
}

static double scrape(const char *key)
{
    struct answer a = http_get(&server, "/metrics");
    assert_int_equal(a.status, 200);
    assert_non_null(strcasestr(a.headers, "\nContent-Type: text/plain; version=0.0.4"));
    assert_non_null(strcasestr(a.headers, "\nCache-Control: no-store"));
    assert_null(strcasestr(a.headers, "\nETag:"));
    exposition_read(a.body, &now);
    answer_free(&a);
    return exposition_value(&now, key);
}

/* A request is counted when its last byte is out, which the client may see a little earlier. */
static void wait_value(const char *key, double least)
{
    double value = -1;
    for (int i = 0; i < 200 && (value = scrape(key)) < least; i++) {
        (void)usleep(10000);
    }
    if (value < least) {
        fail_msg("%s stays at %f (wanted %f)", key, value, least);
    }
}

static void get_status(const char *path, long status)
{
    struct answer a = http_get(&server, path);
    assert_int_equal(a.status, status);
    answer_free(&a);
}

static void metrics_follow_requests_and_games_and_survive_a_restart(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "2", NULL};
    server_start(&server, options);
    (void)server_wait_ready(&server, 40000);
    assert_true(scrape("drop7_store_up") > 0);
    assert_true(exposition_value(&now, "drop7_http_connections") >= 1);
    get_status("/healthz", 200);
    get_status("/healthz", 200);
    get_status("/api/v1/policies?limit=0", 400);
    get_status("/api/v1/nothing", 404);
    get_status("/api/v1/me", 401);
    wait_value("drop7_http_requests_total{route=\"healthz\",status=\"200\"}", 2);
    wait_value("drop7_http_requests_total{route=\"policies\",status=\"400\"}", 1);
    wait_value("drop7_http_requests_total{route=\"none\",status=\"404\"}", 1);
    wait_value("drop7_http_requests_total{route=\"me\",status=\"401\"}", 1);
    wait_value("drop7_http_request_duration_seconds_count{route=\"healthz\"}", 2);
    wait_value("drop7_http_requests_total{route=\"metrics\",status=\"200\"}", 2);

    games_finish(&server, "greedy");
    wait_value("drop7_games_total{outcome=\"over\"}", 8);
    double moves = exposition_value(&now, "drop7_moves_total");
    assert_true(moves > 8);
    assert_int_equal(server_stop(&server), 0);
    const char *idle[] = {"--workers", "0", NULL};
    server_run(&server, idle);
    assert_true(scrape("drop7_moves_total") >= moves); /* of the games, not of the process */
    assert_true(exposition_value(&now, "drop7_games_total{outcome=\"over\"}") >= 8);
    assert_true(exposition_value(&now, "drop7_workers{tier=\"A\"}") <= 0);
    assert_true(exposition_value(&now, "drop7_http_requests_total{route=\"me\",status=\"401\"}") <
                0); /* requests are the process's */
}

static void metrics_take_only_get_and_head(void **state)
{
    (void)state;
    const char *idle[] = {"--workers", "0", NULL};
    server_start(&server, idle);
    struct answer a = http_send(&server, "POST", "/metrics", NULL, "{}");
    assert_int_equal(a.status, 405);
    answer_free(&a);
    a = http_send(&server, "HEAD", "/metrics", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.len, 0);
    answer_free(&a);
}

/* --- backup ------------------------------------------------------------------------------------
 */

static void put_upload(const char *id, const char *token, const char *program)
{
    const char *fields[] = {"id", id, "name", id, "family", "tests", NULL};
    struct answer a = http_upload(&server, "/api/v1/policies", token, fields, program);
    if (a.status != 201) {
        fail_msg("upload of %s: %ld %s", id, a.status, a.body);
    }
    answer_free(&a);
}

static void backup_while_playing_and_uploading_can_be_served_and_finished(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "2", NULL};
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    char token[80], steady[PATH_MAX], dawdle[PATH_MAX], dir[1000], drop7d[PATH_MAX];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "author", false));
    (void)snprintf(steady, sizeof(steady), "%s", support_program("tests/policies/steady"));
    (void)snprintf(dawdle, sizeof(dawdle), "%s", support_program("tests/policies/dawdle"));
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    (void)snprintf(dir, sizeof(dir), "%s/copy", support_scratch());
    put_upload("steady", token, steady);

    /* the backup runs beside the games and the next upload */
    int output[2];
    assert_int_equal(pipe(output), 0);
    const char *argv[] = {drop7d, "backup", dir, "--data", server.data, NULL};
    pid_t pid = process_spawn(argv, output[1]);
    (void)close(output[1]);
    put_upload("dawdle", token, dawdle);
    int status = 0;
    assert_true(process_wait(pid, 20000, &status));
    assert_int_equal(process_exit_code(status), 0);
    char said[200] = "";
    assert_true(read(output[0], said, sizeof(said) - 1) > 0);
    (void)close(output[0]);
    assert_non_null(strstr(said, "artifacts\n"));

    const char *verify[] = {drop7d, "verify", "--data", dir, NULL};
    char *text = NULL;
    assert_int_equal(command_text(verify, &text), 0);
    assert_non_null(strstr(text, "verified "));
    free(text);
    text = NULL;
    assert_int_equal(command_text(argv, &text), 1); /* not into what is a backup already */
    assert_non_null(strstr(text, "not empty"));
    free(text);
    assert_int_equal(server_stop(&server), 0);

    /* the copy is a data folder: what was queued and being played is played there */
    char moved[1100];
    (void)snprintf(moved, sizeof(moved), "%s/drop7.db", dir);
    assert_int_equal(access(moved, F_OK), 0);
    const char *idle[] = {"--workers", "0", NULL};
    server_start(&second, idle);
    assert_int_equal(server_stop(&second), 0);
    support_remove(second.data);
    assert_int_equal(rename(dir, second.data), 0);
    server_run(&second, options);
    games_finish(&second, "steady");
    const char *steady_argv[] = {steady, NULL};
    games_assert_local(&second, "steady", steady_argv);
    games_assert_verified(&second, ROUND_GAUNTLET_COUNT);
    assert_int_equal(server_stop(&second), 0);
    support_scratch_remove();
}

/* --- stopping ----------------------------------------------------------------------------------
 */

static int64_t stored(const char *sql)
{
    char path[PATH_MAX + 16];
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    (void)snprintf(path, sizeof(path), "%s/drop7.db", server.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return value;
}

static pid_t only_worker(void)
{
    pid_t workers[4] = {0};
    assert_int_equal(server_workers(&server, workers, D7_COUNT(workers)), 1);
    return workers[0];
}

static void while_stopping_readyz_says_so_and_no_job_is_left_in_hand(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "1", NULL};
    server_start(&server, options);
    (void)server_wait_ready(&server, 40000);
    wait_value("drop7_games_total{outcome=\"over\"}", 1);
    pid_t worker = only_worker();
    get_status("/readyz", 200);
    assert_int_equal(kill(worker, SIGSTOP), 0); /* takes its time, with the write lock perhaps */
    assert_int_equal(kill(server.pid, SIGTERM), 0);
    assert_true(server_wait_log(&server, "stopping", 5000));
    struct answer a = http_get(&server, "/readyz");
    assert_int_equal(a.status, 503);
    assert_string_equal(answer_text(&a, "status"), "stopping");
    answer_free(&a);
    get_status("/api/v1/leaderboard", 200); /* who is here already is served */
    assert_int_equal(kill(worker, SIGCONT), 0);
    assert_int_equal(server_stop(&server), 0);
    assert_true(server_wait_silence(&server, 1000));
    assert_int_equal(stored("SELECT count(*) FROM job WHERE state = 'playing'"), 0);
    assert_int_equal(stored("SELECT count(*) FROM worker"), 0);
    assert_int_equal(stored("SELECT max(attempts) FROM job"), 0); /* given back unharmed */
}

static void a_worker_that_does_not_stop_delays_the_end_by_ten_seconds_only(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "1", NULL};
    server_start(&server, options);
    (void)server_wait_ready(&server, 40000);
    assert_int_equal(kill(only_worker(), SIGSTOP), 0);
    assert_int_equal(server_stop(&server), 0); /* which fails after 15 s */
    assert_true(server_wait_log(&server, "are killed", 1000));
    assert_true(server_wait_silence(&server, 2000));
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(metrics_follow_requests_and_games_and_survive_a_restart),
        CASE(metrics_take_only_get_and_head),
        CASE(backup_while_playing_and_uploading_can_be_served_and_finished),
        CASE(while_stopping_readyz_says_so_and_no_job_is_left_in_hand),
        CASE(a_worker_that_does_not_stop_delays_the_end_by_ten_seconds_only),
    };
    return cmocka_run_group_tests_name("http/operations", tests, NULL, NULL);
}
