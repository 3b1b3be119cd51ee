/* Tokens, the ids of plays, addresses of endpoints and what programs wrote: in no log line, no
 * error and nobody else's answer, however they are sent. */
#include <dirent.h>
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "tests/support/games.h"
#include "tests/support/wire.h"

#define ENDPOINT "tcp://127.0.0.1:9"

static struct test_server server;

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

struct secret {
    const char *what;
    char text[100];
};

/* Filled as they come to be. */
static struct secret secrets[8];
static size_t secret_count;

static const char *keep_secret(const char *what, const char *text)
{
    struct secret *s = &secrets[secret_count++];
    s->what = what;
    assert_int_equal(span_copy(span_of(text), s->text, sizeof(s->text)), D7_OK);
    assert_true(strlen(s->text) >= 17);
    return s->text;
}

static void assert_clean(const char *where, const char *text, size_t len)
{
    for (size_t i = 0; i < secret_count; i++) {
        if (memmem(text, len, secrets[i].text, strlen(secrets[i].text))) {
            fail_msg("%s has the %s: %.2000s", where, secrets[i].what, text);
        }
    }
}

static void clean_answer(const char *where, struct answer *a)
{
    assert_clean(where, a->body ? a->body : "", a->len);
    assert_clean(where, a->headers, strlen(a->headers));
    answer_free(a);
}

static char *registered(const char *name)
{
    static char token[100];
    char body[100];
    (void)snprintf(body, sizeof(body), "{\"name\":\"%s\"}", name);
    struct answer a = http_send(&server, "POST", "/api/v1/tokens", NULL, body);
    assert_int_equal(a.status, 201);
    assert_int_equal(span_copy(span_of(answer_text(&a, "token")), token, sizeof(token)), D7_OK);
    answer_free(&a);
    return token;
}

/* A token wherever a client may put it by mistake. */
static void token_in_wrong_places(const char *token)
{
    static const struct {
        const char *what, *request;
    } rows[] = {
        {"query", "GET /api/v1/me?token=%s HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"unknown query", "GET /api/v1/games?%s=1 HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"filter", "GET /api/v1/games?policy=%s HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"cursor", "GET /api/v1/games?cursor=%s HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"basic", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nAuthorization: Basic %s\r\n\r\n"},
        {"no scheme", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nAuthorization: %s\r\n\r\n"},
        {"one more", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %sa\r\n\r\n"},
        {"method", "%s / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"broken line", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nAuthorization Bearer %s\r\n\r\n"},
        {"name of a header", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\n%s: x\r\n\r\n"},
        {"version", "GET /api/v1/me %s\r\nHost: h\r\n\r\n"},
        {"host", "GET /api/v1/me HTTP/1.1\r\nHost: %s\r\n\r\n"},
        {"forwarded", "GET /api/v1/me HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: %s\r\n\r\n"},
        {"type", "POST /api/v1/tokens HTTP/1.1\r\nHost: h\r\nContent-Type: %s\r\n"
                 "Content-Length: 2\r\n\r\n{}"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct buf request;
        struct wire_answer a = {0};
        const char *mark = strstr(rows[i].request, "%s");
        buf_init(&request, 1000);
        buf_append(&request, rows[i].request, (size_t)(mark - rows[i].request));
        buf_text(&request, token);
        buf_text(&request, mark + 2);
        assert_int_equal(request.err, D7_OK);
        wire_ask(server.port, request.data, &a);
        buf_release(&request);
        assert_clean(rows[i].what, a.head.data ? a.head.data : "", a.head.len);
        /* what was asked for by name may be named to who asked, but a token is no such name */
        assert_clean(rows[i].what, a.body.data ? a.body.data : "", a.body.len);
        wire_release(&a);
    }
}

/* In the store's own files too there is its hash only. */
static void search_files(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[PATH_MAX + 300];
        struct stat info;
        struct buf text;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        if (stat(path, &info) < 0 || !S_ISREG(info.st_mode)) {
            continue;
        }
        buf_init(&text, 64u << 20);
        assert_int_equal(file_read(path, &text), D7_OK);
        for (size_t i = 0; i < secret_count && text.len; i++) {
            bool token = strncmp(secrets[i].text, "d7_", 3) == 0;
            if (token && memmem(text.data, text.len, secrets[i].text, strlen(secrets[i].text))) {
                fail_msg("%s has the %s", path, secrets[i].what);
            }
        }
        buf_release(&text);
    }
    (void)closedir(dir);
}

static void public_answers_are_clean(const char *stranger)
{
    static const char *const paths[] = {"/api/v1/policies?limit=500",
                                        "/api/v1/policies/mine",
                                        "/api/v1/policies/mine/revisions",
                                        "/api/v1/policies/far",
                                        "/api/v1/policies/far/revisions",
                                        "/api/v1/runs?limit=500",
                                        "/api/v1/games?limit=500",
                                        "/api/v1/leaderboard",
                                        "/api/v1/leaderboard?format=csv",
                                        "/api/v1/rounds",
                                        "/api/v1/suites",
                                        "/api/v1/me",
                                        "/metrics",
                                        "/readyz",
                                        "/healthz",
                                        "/api/v1/openapi.json",
                                        "/api/v1/policies/mine/revisions/1/log",
                                        "/api/v1/policies/far/revisions/1/log"};
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        for (int who = 0; who < 2; who++) {
            struct answer a = http_send(&server, "GET", paths[i], who ? stranger : NULL, NULL);
            clean_answer(paths[i], &a);
        }
    }
}

static void after_a_tour_no_secret_is_where_it_should_not_be(void **state)
{
    (void)state;
    static const char *const options[] = {
        "--registration",       "open", "--workers", "2", "--allow-endpoint", "127.0.0.0/8",
        "--rate-auth-failures", "0",    NULL};
    char program[PATH_MAX];
    char path[200];
    secret_count = 0;
    server_start(&server, options);
    const char *token = keep_secret("token", registered("ann"));
    const char *stranger = keep_secret("stranger's token", registered("bob"));
    if (strcmp(server_wait_ready(&server, TEST_WAIT_MS), "C") == 0) {
        support_skip("no sandbox here that takes uploads");
    }

    /* a program that talks to stderr, an endpoint nobody answers at, a play */
    static const char *const fields[] = {"id",   "mine",        "name", "Mine", "family",
                                         "test", "description", "",     NULL};
    (void)snprintf(program, sizeof(program), "%s", support_program("tests/policies/garbage"));
    struct answer a = http_upload(&server, "/api/v1/policies", token, fields, program);
    assert_int_equal(a.status, 201);
    clean_answer("registration", &a);
    a = http_send(&server, "POST", "/api/v1/policies", token,
                  "{\"id\":\"far\",\"name\":\"Far\",\"family\":\"test\",\"description\":\"\","
                  "\"endpoint\":\"" ENDPOINT "\"}");
    assert_int_equal(a.status, 201);
    answer_free(&a); /* its owner's: has the address */
    (void)keep_secret("endpoint", ENDPOINT);
    a = http_send(&server, "POST", "/api/v1/plays", NULL, "{\"round\":\"gauntlet-01\"}");
    assert_int_equal(a.status, 201);
    const char *play = keep_secret("play", answer_text(&a, "id"));
    answer_free(&a);
    (void)snprintf(path, sizeof(path), "/api/v1/plays/%s/moves", play);
    a = http_send(&server, "POST", path, NULL, "{\"move\":1,\"column\":9}");
    assert_int_equal(a.status, 400);
    clean_answer("refused move", &a);
    a = http_send(&server, "DELETE", path, NULL, NULL);
    clean_answer("refused method", &a);

    token_in_wrong_places(token);
    a = http_wait_status(&server, "/api/v1/policies/far", "checking", TEST_WAIT_MS);
    clean_answer("rejected endpoint", &a);
    a = http_wait_run(&server, games_latest_run(&server, "mine"), GAMES_RUN_MS);
    clean_answer("run", &a);
    public_answers_are_clean(stranger);
    a = http_send(&server, "PATCH", "/api/v1/policies/mine", stranger, "{\"name\":\"x\"}");
    assert_int_equal(a.status, 403);
    clean_answer("another's policy", &a);

    char hash[SHA_HEX_SIZE];
    sha_of(span_of(token), hash);
    (void)keep_secret("hash of the token", hash);
    public_answers_are_clean(stranger);
    search_files(server.data);
    assert_int_equal(server_stop(&server), 0);
    search_files(server.data);
    assert_true(server_wait_silence(&server, 8000));
    assert_non_null(strstr(server.log, "route=token-add")); /* it is the log */
    assert_clean("the log", server.log, server.log_len);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(after_a_tour_no_secret_is_where_it_should_not_be)};
    return cmocka_run_group_tests_name("http/secrets", tests, NULL, NULL);
}
