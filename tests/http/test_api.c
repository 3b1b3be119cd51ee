/* The tour over HTTP: a token is registered, a program goes in, and row, replay and pages come
 * out. */
#include <unistd.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"
#include "tests/support/games.h"

static struct test_server server;
static char token[80];

static const char *const open_door[] = {"--workers", "1", "--registration", "open", NULL};

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

static void register_account(void)
{
    struct answer a = http_send(&server, "POST", "/api/v1/tokens", NULL, "{\"name\":\"tourist\"}");
    assert_int_equal(a.status, 201);
    (void)snprintf(token, sizeof(token), "%s", answer_text(&a, "token"));
    answer_free(&a);
}

/* The value of a header line, without its line end; static buffer, empty when absent. */
static const char *header_of(const struct answer *a, const char *name)
{
    static char value[700];
    value[0] = '\0';
    char start[64];
    (void)snprintf(start, sizeof(start), "\n%s: ", name);
    const char *at = strcasestr(a->headers, start);
    if (at) {
        at += strlen(start);
        size_t len = strcspn(at, "\r\n");
        assert_true(len < sizeof(value));
        memcpy(value, at, len);
        value[len] = '\0';
    }
    return value;
}

static void an_uploaded_program_gets_its_row_and_its_replays(void **state)
{
    (void)state;
    server_start(&server, open_door);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    register_account();
    const char *const fields[] = {"id",     "tour",  "name",        "On tour",
                                  "family", "tests", "description", "Seen from outside.",
                                  NULL};
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s", support_program("tests/policies/steady"));
    struct answer a = http_upload(&server, "/api/v1/policies", token, fields, program);
    assert_int_equal(a.status, 201);
    assert_string_equal(header_of(&a, "Location"), "/api/v1/policies/tour");
    char run[64];
    (void)snprintf(run, sizeof(run), "%s", answer_text(&a, "latestRunId"));
    answer_free(&a);
    a = http_upload(&server, "/api/v1/policies", token, fields, program);
    assert_int_equal(a.status, 409);
    answer_free(&a);

    a = http_wait_run(&server, run, GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "done");
    assert_int_equal(jval_length(jval_get(a.json, "games")), ROUND_GAUNTLET_COUNT);
    answer_free(&a);

    a = http_get(&server, "/api/v1/leaderboard?kind=upload");
    const struct jval *row = jval_at(jval_get(a.json, "summaries"), 0);
    assert_int_equal(games_number(row, "games"), ROUND_GAUNTLET_COUNT);
    assert_true(games_number(row, "rank") >= 1);
    const struct jval *game = jval_at(jval_get(a.json, "games"), 0);
    struct span checksum;
    assert_true(jval_text(jval_get(game, "checksum"), &checksum));
    struct span text;
    char round[ROUND_ID_SIZE];
    assert_true(jval_text(jval_get(game, "roundId"), &text));
    assert_int_equal(span_copy(text, round, sizeof(round)), D7_OK);
    char path[200];
    (void)snprintf(path, sizeof(path), "/api/v1/policies/tour/rounds/%s/replay", round);
    struct answer replay = http_get(&server, path);
    assert_int_equal(replay.status, 200);
    assert_true(span_is(checksum, answer_text(&replay, "checksum")));
    assert_int_equal(jval_length(jval_get(replay.json, "frames")),
                     games_number(replay.json, "moves"));
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay", answer_text(&replay, "id"));
    answer_free(&replay);
    answer_free(&a);
    a = http_get(&server, path);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(header_of(&a, "Cache-Control"), "immutable"));
    answer_free(&a);
}

/* What is refused leaves nothing: no policy, no file. */
static void refused_uploads_leave_nothing_behind(void **state)
{
    (void)state;
    server_start(&server, open_door);
    (void)server_wait_ready(&server, 40000);
    register_account();
    static const char *const contents[] = {"", "just some text\n",
                                           "\x7f"
                                           "ELF\x02\x01\x01",
                                           "#!/usr/bin/ruby\n"};
    const char *const fields[] = {"id", "bad", "name", "Bad", NULL};
    char file[PATH_MAX + 16];
    (void)snprintf(file, sizeof(file), "%s/upload.bin", server.data);
    for (size_t i = 0; i < D7_COUNT(contents); i++) {
        assert_int_equal(file_write(file, span_of(contents[i]), 0644), D7_OK);
        struct answer a = http_upload(&server, "/api/v1/policies", token, fields, file);
        assert_int_equal(a.status, 400);
        assert_string_equal(answer_text(&a, "code"), "validation");
        struct span field;
        assert_true(jval_text(jval_get(jval_at(jval_get(a.json, "errors"), 0), "field"), &field));
        assert_true(span_is(field, "policy"));
        answer_free(&a);
    }
    struct answer a = http_upload(&server, "/api/v1/policies", "d7_wrong", fields, file);
    assert_int_equal(a.status, 401);
    answer_free(&a);
    a = http_get(&server, "/api/v1/policies/bad");
    assert_int_equal(a.status, 404);
    answer_free(&a);
    char command[2 * PATH_MAX + 64];
    char *found = NULL;
    (void)snprintf(command, sizeof(command), "find '%s/artifacts' '%s/tmp' -type f | wc -l",
                   server.data, server.data);
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    assert_int_equal(command_text(argv, &found), 0);
    assert_string_equal(found, "0\n");
    free(found);
}

static void board_and_pages_are_served_without_a_token(void **state)
{
    (void)state;
    server_start(&server, open_door);
    static const struct {
        const char *path, *type;
        long status;
    } wanted[] = {
        {"/", "text/html", 200},
        {"/leaderboard", "text/html", 200},
        {"/docs", "text/html", 200},
        {"/play", "text/html", 200},
        {"/static/engine.wasm", "application/wasm", 200},
        {"/games/none", "text/html", 404},
        {"/policies/none", "text/html", 404},
        {"/policies/greedy", "text/html", 200},
        {"/runs/none", "text/html", 404},
        {"/compare", "text/html", 200},
        {"/compare?a=greedy&b=greedy", "text/html", 200},
        {"/compare?a=greedy&b=none", "text/html", 404},
        {"/submit", "text/html", 200},
        {"/rules", "text/html", 200},
        {"/api/v1/leaderboard", "application/json", 200},
        {"/api/v1/leaderboard?format=csv", "text/csv", 200},
        {"/api/v1/leaderboard?suite=none", "application/problem+json", 404},
        {"/api/v1/rounds/gauntlet-01", "application/json", 200},
        {"/api/v1/policies/greedy", "application/json", 200},
        {"/api/v1/policies?limit=0", "application/problem+json", 400},
        {"/api/v1/me", "application/problem+json", 401},
        {"/healthz", "application/json", 200},
    };
    for (size_t i = 0; i < D7_COUNT(wanted); i++) {
        struct answer a = http_get(&server, wanted[i].path);
        if (a.status != wanted[i].status ||
            !strstr(header_of(&a, "Content-Type"), wanted[i].type)) {
            fail_msg("%s: %ld %s", wanted[i].path, a.status, a.headers);
        }
        answer_free(&a);
    }
}

static void assets_of_this_version_are_kept_and_others_answered(void **state)
{
    (void)state;
    server_start(&server, open_door);
    char path[160];
    struct answer page = http_get(&server, "/rules");
    const char *at = strstr(page.body, "src=\"/assets/");
    assert_non_null(at);
    assert_int_equal(span_copy(span_make(at + 5, strcspn(at + 5, "\"")), path, sizeof(path)),
                     D7_OK);
    assert_non_null(strstr(path, "/js/rules.js"));
    struct answer a = http_get(&server, path);
    assert_int_equal(a.status, 200);
    assert_string_equal(header_of(&a, "Cache-Control"), "public, max-age=31536000, immutable");
    answer_free(&a);
    (void)memcpy(path + strlen("/assets/"), "0000000000000000", 16);
    a = http_get(&server, path);
    assert_int_equal(a.status, 200);
    assert_string_equal(header_of(&a, "Cache-Control"), "no-cache");
    answer_free(&a);
    a = http_get(&server, "/static/js/rules.js");
    assert_int_equal(a.status, 200);
    assert_string_equal(header_of(&a, "Cache-Control"), "no-cache");
    answer_free(&a);
    assert_string_equal(header_of(&page, "Cache-Control"), "no-cache");
    answer_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_uploaded_program_gets_its_row_and_its_replays, teardown),
        cmocka_unit_test_teardown(refused_uploads_leave_nothing_behind, teardown),
        cmocka_unit_test_teardown(board_and_pages_are_served_without_a_token, teardown),
        cmocka_unit_test_teardown(assets_of_this_version_are_kept_and_others_answered, teardown),
    };
    return cmocka_run_group_tests_name("http/api", tests, NULL, NULL);
}
