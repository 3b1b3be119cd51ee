/* One program's life over HTTP: it plays, is improved while its games wait, suspended, retired. A
 * slow neighbour keeps the only worker busy meanwhile, until its run is cancelled. */
#include <unistd.h>

#include "tests/support/games.h"

static struct test_server server;
static char owner[80], other[80], admin[80];

#define OURS "/api/v1/policies/ours"

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

static void take_token(char to[80], const char *name, bool is_admin)
{
    (void)snprintf(to, 80, "%s", server_token(&server, name, is_admin));
}

/* Uploads to a path; the answer's latestRunId, kept by the caller. */
static void upload(const char *path, const char *token, const char *id, const char *player,
                   char ret_run[64])
{
    char file[PATH_MAX];
    char name[64];
    const char *fields[] = {"id", id, "name", id, NULL};
    (void)snprintf(name, sizeof(name), "tests/policies/%s", player);
    (void)snprintf(file, sizeof(file), "%s", support_program(name));
    struct answer a = http_upload(&server, path, token, id ? fields : NULL, file);
    if (a.status != 201) {
        fail_msg("upload to %s: %ld %s", path, a.status, a.body);
    }
    (void)snprintf(ret_run, 64, "%s", answer_text(&a, "latestRunId"));
    answer_free(&a);
}

static void expect(const char *method, const char *path, const char *token, const char *json,
                   long status)
{
    struct answer a = http_send(&server, method, path, token, json);
    if (a.status != status) {
        fail_msg("%s %s: %ld instead of %ld: %s", method, path, a.status, status, a.body);
    }
    answer_free(&a);
}

/* A number in the policy, like revision.number; 0 when there is none. */
static int64_t number_of(const char *part)
{
    struct answer a = http_get(&server, OURS);
    assert_int_equal(a.status, 200);
    int64_t number = 0;
    (void)jval_integer(jval_get(jval_get(a.json, part), "number"), &number);
    answer_free(&a);
    return number;
}

static size_t length_of(const char *path, const char *key)
{
    struct answer a = http_get(&server, path);
    assert_int_equal(a.status, 200);
    size_t count = jval_length(jval_get(a.json, key));
    answer_free(&a);
    return count;
}

static void run_path(char to[100], const char *run)
{
    (void)snprintf(to, 100, "/api/v1/runs/%s", run);
}

static void wait_done(const char *run, int64_t revision)
{
    struct answer a = http_wait_run(&server, run, GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "done");
    assert_int_equal(games_number(a.json, "policyRevision"), revision);
    assert_int_equal(jval_length(jval_get(a.json, "games")), ROUND_GAUNTLET_COUNT);
    answer_free(&a);
}

static void wait_playing(const char *run)
{
    char path[100];
    run_path(path, run);
    struct answer a = http_wait_status(&server, path, "queued", GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "playing");
    answer_free(&a);
}

/* The second revision comes while a run of the first is queued: both play, each as it is. */
static void improve_while_games_wait(void)
{
    char first[64], blocker[64], again[64], second[64];
    char blocker_path[100], again_path[100];
    upload("/api/v1/policies", owner, "ours", "steady", first);
    wait_done(first, 1);
    upload("/api/v1/policies", other, "blocker", "dawdle", blocker);
    wait_playing(blocker);
    struct answer a = http_send(&server, "POST", "/api/v1/runs", owner, "{\"policy\":\"ours\"}");
    assert_int_equal(a.status, 202);
    (void)snprintf(again, sizeof(again), "%s", answer_text(&a, "id"));
    answer_free(&a);
    run_path(again_path, again);
    a = http_get(&server, again_path);
    assert_string_equal(answer_text(&a, "status"), "queued");
    answer_free(&a);
    upload(OURS "/revisions", owner, NULL, "good", second);
    assert_string_not_equal(second, again);
    assert_int_equal(number_of("revision"), 1);
    assert_int_equal(number_of("pending"), 2);

    run_path(blocker_path, blocker);
    expect("DELETE", blocker_path, owner, NULL, 403);
    expect("DELETE", blocker_path, other, NULL, 200);
    expect("DELETE", blocker_path, other, NULL, 409);
    wait_done(second, 2);
    wait_done(again, 1);
    assert_int_equal(number_of("revision"), 2);
    assert_int_equal(number_of("pending"), 0);
    a = http_get(&server, blocker_path);
    assert_string_equal(answer_text(&a, "status"), "cancelled");
    answer_free(&a);
}

static void look_at_the_games(void)
{
    struct answer a = http_get(&server, "/api/v1/games?policy=ours&sort=createdAt&limit=100");
    const struct jval *items = jval_get(a.json, "items");
    size_t of[3] = {0};
    size_t counted[3] = {0};
    assert_int_equal(jval_length(items), 3 * ROUND_GAUNTLET_COUNT);
    for (size_t i = 0; i < jval_length(items); i++) {
        int64_t revision = games_number(jval_at(items, i), "policyRevision");
        bool counts = false;
        assert_true(revision == 1 || revision == 2);
        assert_true(jval_bool(jval_get(jval_at(items, i), "counted"), &counts));
        of[revision]++;
        counted[revision] += counts;
    }
    assert_int_equal(of[1], 2 * ROUND_GAUNTLET_COUNT);
    assert_int_equal(counted[1], ROUND_GAUNTLET_COUNT);
    assert_int_equal(counted[2], ROUND_GAUNTLET_COUNT);
    answer_free(&a);
    a = http_get(&server, "/api/v1/leaderboard?kind=upload");
    const struct jval *games = jval_get(a.json, "games");
    for (size_t i = 0; i < jval_length(games); i++) {
        const struct jval *game = jval_at(games, i);
        struct span policy;
        assert_true(jval_text(jval_get(game, "policyId"), &policy));
        if (span_is(policy, "ours")) {
            assert_int_equal(games_number(game, "policyRevision"), 2);
        }
    }
    answer_free(&a);
    assert_int_equal(length_of(OURS "/revisions", "items"), 2);
    expect("GET", OURS "/revisions/2/log", owner, NULL, 200);
    expect("GET", OURS "/revisions/2/log", other, NULL, 403);
    expect("GET", OURS "/revisions/2/log", NULL, NULL, 401);
}

static void suspend_and_let_go(void)
{
    const char *suspend = "{\"status\":\"suspended\",\"reason\":\"a closer look\"}";
    const char *run = "{\"policy\":\"ours\"}";
    assert_int_equal(length_of("/api/v1/leaderboard?kind=upload", "summaries"), 1);
    expect("PATCH", OURS, owner, suspend, 403);
    expect("PATCH", OURS, admin, suspend, 200);
    assert_int_equal(length_of("/api/v1/leaderboard?kind=upload", "summaries"), 0);
    expect("POST", "/api/v1/runs", owner, run, 409);
    expect("PATCH", OURS, admin, "{\"status\":\"ready\"}", 200);
    assert_int_equal(length_of("/api/v1/leaderboard?kind=upload", "summaries"), 1);
    expect("PATCH", OURS, owner, "{\"name\":\"Ours, improved\"}", 200);
    struct answer a = http_get(&server, OURS);
    assert_string_equal(answer_text(&a, "name"), "Ours, improved");
    answer_free(&a);
}

static void retire_for_good(void)
{
    char game[100];
    struct answer a = http_get(&server, "/api/v1/games?policy=ours&limit=1");
    struct span id;
    assert_true(jval_text(jval_get(jval_at(jval_get(a.json, "items"), 0), "id"), &id));
    char text[40];
    assert_int_equal(span_copy(id, text, sizeof(text)), D7_OK);
    (void)snprintf(game, sizeof(game), "/api/v1/games/%s/replay", text);
    answer_free(&a);
    expect("DELETE", OURS, other, NULL, 403);
    expect("DELETE", OURS, owner, NULL, 204);
    expect("DELETE", OURS, owner, NULL, 204);
    a = http_get(&server, OURS);
    assert_string_equal(answer_text(&a, "status"), "retired");
    answer_free(&a);
    expect("GET", game, NULL, NULL, 200);
    expect("POST", "/api/v1/policies", owner,
           "{\"id\":\"ours\",\"name\":\"Again\",\"remote\":true}", 409);
    games_assert_verified(&server, 3 * ROUND_GAUNTLET_COUNT);
    a = http_send(&server, "GET", "/api/v1/me", owner, NULL);
    const struct jval *quota = jval_get(a.json, "quota");
    assert_int_equal(games_number(jval_get(quota, "policies"), "used"), 0);
    assert_int_equal(games_number(jval_get(quota, "policies"), "limit"), 20);
    assert_int_equal(games_number(jval_get(quota, "revisionsPerDay"), "used"), 2);
    assert_int_equal(games_number(jval_get(quota, "artifactBytes"), "used"), 0);
    answer_free(&a);
}

static void a_policy_is_improved_suspended_and_retired(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers", "1", "--lease-beat", "0.2", "--lease-dead",
                                          "5",         NULL};
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    take_token(owner, "owner", false);
    take_token(other, "other", false);
    take_token(admin, "admin", true);
    improve_while_games_wait();
    look_at_the_games();
    suspend_and_let_go();
    retire_for_good();
    assert_int_equal(server_stop(&server), 0);
}

/* A worker in the middle of a game stops with its next beat, and the next job is taken. */
static void a_cancelled_run_frees_its_worker(void **state)
{
    (void)state;
    char run[64];
    char path[100];
    static const char *const options[] = {"--workers", "1", "--lease-beat", "0.2", "--lease-dead",
                                          "5",         NULL};
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    take_token(owner, "owner", false);
    upload("/api/v1/policies", owner, "ours", "dawdle", run);
    wait_playing(run);
    run_path(path, run);
    struct answer a = http_send(&server, "DELETE", path, owner, NULL);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_text(&a, "status"), "cancelled");
    size_t games = jval_length(jval_get(a.json, "games"));
    answer_free(&a);
    assert_true(server_wait_log(&server, "the lease was lost, or its run cancelled", 20000));
    assert_int_equal(length_of(path, "games"), games); /* nothing came late */
    a = http_get(&server, OURS);
    assert_string_equal(answer_text(&a, "status"), "ready");
    answer_free(&a);
    expect("POST", "/api/v1/runs", owner, "{\"policy\":\"ours\"}", 202);
    assert_int_equal(server_stop(&server), 0);
}

/* The limits of the command line are the ones that hold. */
static void options_set_the_limits(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers",
                                          "0",
                                          "--registration",
                                          "open",
                                          "--rate-tokens",
                                          "2",
                                          "--rate-writes",
                                          "3",
                                          "--quota-policies",
                                          "1",
                                          "--rate-auth-failures",
                                          "2",
                                          NULL};
    server_start(&server, options);
    struct answer a = http_send(&server, "POST", "/api/v1/tokens", NULL, "{\"name\":\"one\"}");
    assert_int_equal(a.status, 201);
    (void)snprintf(owner, sizeof(owner), "%s", answer_text(&a, "token"));
    answer_free(&a);
    expect("POST", "/api/v1/tokens", NULL, "{\"name\":\"two\"}", 201);
    a = http_send(&server, "POST", "/api/v1/tokens", NULL, "{\"name\":\"three\"}");
    assert_int_equal(a.status, 429);
    assert_non_null(strcasestr(a.headers, "\nRetry-After: "));
    answer_free(&a);
    expect("POST", "/api/v1/policies", owner, "{\"id\":\"p1\",\"name\":\"P\",\"remote\":true}",
           201);
    a = http_send(&server, "POST", "/api/v1/policies", owner,
                  "{\"id\":\"p2\",\"name\":\"P\",\"remote\":true}");
    assert_int_equal(a.status, 403);
    assert_string_equal(answer_text(&a, "code"), "quota");
    assert_non_null(strstr(answer_text(&a, "detail"), "1 of 1 policies"));
    answer_free(&a);
    expect("PATCH", "/api/v1/policies/p1", owner, "{\"family\":\"f\"}", 200);
    expect("PATCH", "/api/v1/policies/p1", owner, "{\"family\":\"g\"}", 429);
    expect("GET", "/api/v1/me", owner, NULL, 200);
    expect("GET", "/api/v1/me", "wrong", NULL, 401);
    expect("GET", "/api/v1/me", "wrong", NULL, 401);
    expect("GET", "/api/v1/me", "wrong", NULL, 429);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_policy_is_improved_suspended_and_retired),
        TEST(a_cancelled_run_frees_its_worker),
        TEST(options_set_the_limits),
    };
    return cmocka_run_group_tests_name("http/revisions", tests, NULL, NULL);
}
