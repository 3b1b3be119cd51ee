/*
 * A real server's answers held against its own document: each operation once with success and with
 * the errors every operation has.
 */
#include "server/api/api.h"
#include "server/http/route.h"
#include "tests/support/games.h"
#include "tests/support/openapi.h"
#include "tests/support/wire.h"

#define V1 "/api/v1"

static struct test_server server;
static struct openapi *document;
static char ada[80], admin[80], ada_id[64];
static bool succeeded[128]; /* by index of the operation */

/* --- one request, checked on its way ---------------------------------------------------------- */

static const struct operation *operation_of(const char *method, const char *target)
{
    static struct request req;
    struct buf scratch;
    struct span rest = span_of(target);
    buf_init(&scratch, 1u << 16);
    const enum http_method wanted = strcmp(method, "GET") == 0     ? HTTP_GET
                                    : strcmp(method, "POST") == 0  ? HTTP_POST
                                    : strcmp(method, "PATCH") == 0 ? HTTP_PATCH
                                                                   : HTTP_DELETE;
    size_t count = 0;
    unsigned allowed = 0;
    const struct route *table = api_routes(&count);
    const struct route *route = NULL;
    enum route_match match =
        route_find(table, count, wanted, span_cut(&rest, '?'), &scratch, &req, &route, &allowed);
    buf_release(&scratch);
    if (match != ROUTE_FOUND) {
        fail_msg("no route for %s %s", method, target);
    }
    const struct operation *op = openapi_find(document, method, route->pattern);
    if (!op) {
        fail_msg("%s %s is not documented", method, route->pattern);
    }
    return op;
}

static void check(const struct operation *op, const struct answer *a, long status)
{
    struct buf why;
    buf_init(&why, 1u << 16);
    const struct openapi_answer seen = {a->status, a->headers, span_make(a->body, a->len)};
    if (!openapi_check_answer(document, op, &seen, &why) || a->status != status) {
        (void)fprintf(stderr, "%s%s\n", why.len ? why.data : "", a->body);
        fail_msg("%s %s: %ld, expected %ld", op->method, op->path, a->status, status);
    }
    buf_release(&why);
    if (a->status < 300) {
        for (size_t i = 0; i < openapi_count(document); i++) {
            succeeded[i] = succeeded[i] || openapi_at(document, i) == op;
        }
    }
}

static struct answer ask(const char *method, const char *target, const char *token,
                         const char *json, long status)
{
    const struct operation *op = operation_of(method, target);
    struct buf why;
    buf_init(&why, 1u << 16);
    struct answer a = http_send(&server, method, target, token, json);
    check(op, &a, status);
    if (json && a.status < 300 && !openapi_check_request(document, op, span_of(json), &why)) {
        fail_msg("%s was taken, but: %s", json, why.data);
    }
    buf_release(&why);
    return a;
}

static void expect(const char *method, const char *target, const char *token, const char *json,
                   long status)
{
    struct answer a = ask(method, target, token, json, status);
    answer_free(&a);
}

static void get(const char *target)
{
    expect("GET", target, NULL, NULL, 200);
}

/* A text of the answer, kept. */
static void keep(const struct answer *a, const char *key, char *to, size_t size)
{
    (void)snprintf(to, size, "%s", answer_text(a, key));
}

/* --- the world -------------------------------------------------------------------------------- */

static int start(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers",
                                          "1",
                                          "--registration",
                                          "open",
                                          "--allow-endpoint",
                                          "127.0.0.1/32",
                                          "--rate-writes",
                                          "0",
                                          "--rate-auth-failures",
                                          "0",
                                          "--rate-plays",
                                          "0",
                                          "--rate-tokens",
                                          "0",
                                          NULL};
    server_start(&server, options);
    struct answer a = http_get(&server, V1 "/openapi.json");
    assert_int_equal(a.status, 200);
    document = openapi_open(span_make(a.body, a.len));
    assert_true(openapi_count(document) <= D7_COUNT(succeeded));
    answer_free(&a);
    (void)snprintf(admin, sizeof(admin), "%s", server_token(&server, "root", true));
    a = ask("POST", V1 "/tokens", NULL, "{\"name\":\"Ada\"}", 201);
    keep(&a, "token", ada, sizeof(ada));
    keep(&a, "id", ada_id, sizeof(ada_id));
    answer_free(&a);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    openapi_close(document);
    server_remove(&server);
    return 0;
}

/* --- what succeeds ---------------------------------------------------------------------------- */

static void probes_and_accounts(void **state)
{
    (void)state;
    (void)server_wait_ready(&server, 40000);
    get("/healthz");
    get("/readyz");
    get("/metrics");
    get(V1 "/openapi.json");
    expect("GET", V1 "/me", ada, NULL, 200);
    expect("POST", V1 "/tokens", NULL, "{\"name\":\"Ada\"}", 409);
    struct answer a = ask("POST", V1 "/tokens", NULL, "{\"name\":\"Bo\"}", 201);
    char path[120];
    char token[80];
    (void)snprintf(path, sizeof(path), V1 "/tokens/%s", answer_text(&a, "id"));
    keep(&a, "token", token, sizeof(token));
    answer_free(&a);
    expect("DELETE", path, ada, NULL, 403);
    expect("DELETE", path, token, NULL, 204);
    expect("GET", V1 "/me", token, NULL, 401);
}

static void rounds_and_suites(void **state)
{
    (void)state;
    static const char tiny[] =
        "{\"format\":\"drop7-scripted-round-v1\",\"id\":\"tiny\",\"name\":\"Tiny\","
        "\"generatorSeedHex\":\"0x1\",\"maximumMoves\":2,\"discs\":[1,4],"
        "\"latentRows\":[[1,4,6,1,5,7,4],[2,2,5,1,7,3,6]]}";
    static const char sprint[] =
        "{\"id\":\"sprint\",\"name\":\"Sprint\",\"rounds\":[\"tiny\",\"gauntlet-01\"]}";
    expect("POST", V1 "/rounds", admin, tiny, 201);
    expect("POST", V1 "/rounds", admin, tiny, 409);
    expect("POST", V1 "/rounds", ada, tiny, 403);
    expect("POST", V1 "/suites", admin, sprint, 201);
    expect("POST", V1 "/suites", admin, sprint, 409);
    expect("POST", V1 "/suites", admin, "{\"id\":\"x\",\"name\":\"X\",\"rounds\":[\"none\"]}", 404);
    get(V1 "/rounds");
    get(V1 "/rounds?limit=1");
    get(V1 "/rounds/tiny");
    get(V1 "/suites");
    get(V1 "/suites/sprint");
}

static void people_play(void **state)
{
    (void)state;
    char play[100], moves[120], submit[120], game[120];
    struct answer a = ask("POST", V1 "/plays", NULL, "{\"round\":\"tiny\"}", 201);
    (void)snprintf(play, sizeof(play), V1 "/plays/%s", answer_text(&a, "id"));
    (void)snprintf(moves, sizeof(moves), "%s/moves", play);
    (void)snprintf(submit, sizeof(submit), "%s/submit", play);
    answer_free(&a);
    get(play);
    expect("POST", moves, NULL, "{\"move\":1,\"column\":3}", 200);
    expect("POST", moves, NULL, "{\"move\":1,\"column\":3}", 200);
    expect("POST", moves, NULL, "{\"move\":1,\"column\":4}", 409);
    expect("POST", submit, NULL, "{\"displayName\":\"Ada\"}", 409);
    expect("POST", moves, NULL, "{\"move\":2,\"column\":0}", 200);
    get(play);
    expect("POST", submit, NULL, "{}", 400);
    a = ask("POST", submit, NULL, "{\"displayName\":\"Ada\"}", 201);
    (void)snprintf(game, sizeof(game), V1 "/games/%s/log", answer_text(&a, "id"));
    answer_free(&a);
    expect("POST", submit, NULL, "{\"displayName\":\"Ada\"}", 200);
    get(play);
    get(V1 "/games?player=Ada");
    expect("GET", game, admin, NULL, 200);
    expect("GET", game, ada, NULL, 403);
}

static void policies_that_come_by_themselves(void **state)
{
    (void)state;
    static const char hand[] =
        "{\"id\":\"by-hand\",\"name\":\"By hand\",\"family\":\"tests\",\"remote\":true}";
    expect("POST", V1 "/policies", ada, hand, 201);
    expect("POST", V1 "/policies", ada, hand, 409);
    expect("POST", V1 "/policies", ada, "{\"id\":\"X\",\"colour\":1}", 400);
    expect("POST", V1 "/policies", ada,
           "{\"id\":\"by-foot\",\"name\":\"By foot\",\"remote\":true,\"concurrency\":2}", 400);
    expect("POST", V1 "/policies/by-hand/revisions", ada, "{\"remote\":true}", 201);
    expect("POST", V1 "/policies/greedy/revisions", admin, "{\"endpoint\":\"tcp://a:1\"}", 409);
    expect("PATCH", V1 "/policies/by-hand", ada, "{\"name\":\"By hand, slowly\"}", 200);
    expect("PATCH", V1 "/policies/by-hand", ada, "{\"status\":\"suspended\"}", 403);
    expect("PATCH", V1 "/policies/by-hand", admin,
           "{\"status\":\"suspended\",\"reason\":\"under review\"}", 200);
    get(V1 "/policies/by-hand");
    get(V1 "/leaderboard?status=suspended");
    expect("PATCH", V1 "/policies/by-hand", admin, "{\"status\":\"ready\"}", 200);
    expect("POST", V1 "/plays", ada, "{\"round\":\"tiny\",\"policy\":\"by-hand\"}", 201);
    expect("POST", V1 "/plays", NULL, "{\"round\":\"tiny\",\"policy\":\"by-hand\"}", 401);
    expect("POST", V1 "/runs", ada, "{\"policy\":\"by-hand\"}", 409);
    expect("DELETE", V1 "/policies/by-hand", NULL, NULL, 401);
    expect("DELETE", V1 "/policies/by-hand", ada, NULL, 204);
    expect("DELETE", V1 "/policies/by-hand", ada, NULL, 204);
    get(V1 "/policies?status=retired");
}

/* Nobody listens at port 1: it is rejected, which shows in policy, revision and run. */
static void an_endpoint_that_is_not_there(void **state)
{
    (void)state;
    static const char away[] = "{\"id\":\"away\",\"name\":\"Away\",\"endpoint\":"
                               "\"tcp://127.0.0.1:1\",\"concurrency\":2}";
    char run[64], path[100];
    struct answer a = ask("POST", V1 "/policies", ada, away, 201);
    keep(&a, "latestRunId", run, sizeof(run));
    answer_free(&a);
    a = http_wait_run(&server, run, GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "cancelled");
    answer_free(&a);
    (void)snprintf(path, sizeof(path), V1 "/runs/%s", run);
    get(path);
    get(V1 "/policies/away");
    expect("GET", V1 "/policies/away", ada, NULL, 200);
    expect("GET", V1 "/policies?kind=endpoint", ada, NULL, 200);
    expect("GET", V1 "/policies/away/revisions", ada, NULL, 200);
    expect("GET", V1 "/policies/away/revisions/1", ada, NULL, 200);
    expect("GET", V1 "/policies/away/revisions/1/log", ada, NULL, 200);
    expect("POST", V1 "/runs", ada, "{\"policy\":\"away\"}", 409);
    expect("POST", V1 "/policies/away/revisions", ada, "{\"endpoint\":\"tcp://127.0.0.1:2\"}", 201);
}

/* Each event's data is what the document says of its name. */
static void check_events(const char *text)
{
    static const struct {
        const char *start, *schema;
    } kinds[] = {
        {"event: progress\ndata: ", "#/components/schemas/RunProgressEvent"},
        {"event: game\ndata: ", "#/components/schemas/Game"},
        {"event: end\ndata: ", "#/components/schemas/RunEndEvent"},
    };
    struct buf why;
    buf_init(&why, 1u << 16);
    for (size_t i = 0; i < D7_COUNT(kinds); i++) {
        const char *at = strstr(text, kinds[i].start);
        assert_non_null(at);
        for (; at; at = strstr(at, kinds[i].start)) {
            at += strlen(kinds[i].start);
            const struct json_t *root = openapi_root(document);
            if (!schema_fits_text(root, schema_resolve(root, kinds[i].schema),
                                  span_make(at, strcspn(at, "\n")), &why)) {
                fail_msg("%s %s", kinds[i].schema, why.data);
            }
        }
    }
    buf_release(&why);
}

static void first_game(const struct answer *run, char to[64])
{
    struct span text;
    assert_true(jval_text(jval_get(jval_at(jval_get(run->json, "games"), 0), "id"), &text));
    assert_int_equal(span_copy(text, to, 64), D7_OK);
}

static void runs_and_their_games(void **state)
{
    (void)state;
    char run[64], path[160], game[64];
    struct answer a =
        ask("POST", V1 "/runs", admin, "{\"policy\":\"greedy\",\"suite\":\"gauntlet\"}", 202);
    keep(&a, "id", run, sizeof(run));
    answer_free(&a);
    a = http_wait_run(&server, run, GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "done");
    first_game(&a, game);
    answer_free(&a);
    (void)snprintf(path, sizeof(path), V1 "/runs/%s/events", run);
    a = ask("GET", path, NULL, NULL, 200);
    check_events(a.body);
    answer_free(&a);
    (void)snprintf(path, sizeof(path), V1 "/runs/%s", run);
    get(path);
    expect("DELETE", path, admin, NULL, 409);
    get(V1 "/runs?policy=greedy&status=done&since=2020-01-01T00:00:00.000Z");
    get(V1 "/games?policy=greedy&sort=-score&outcome=over&limit=2");
    (void)snprintf(path, sizeof(path), V1 "/games?run=%s&suite=gauntlet&round=gauntlet-01", run);
    get(path);
    (void)snprintf(path, sizeof(path), V1 "/games/%s", game);
    get(path);
    (void)snprintf(path, sizeof(path), V1 "/games/%s/replay", game);
    get(path);
    (void)snprintf(path, sizeof(path), V1 "/games/%s/replay?steps=1", game);
    get(path);
    (void)snprintf(path, sizeof(path), V1 "/games/%s/log", game);
    expect("GET", path, admin, NULL, 200);
    expect("GET", path, ada, NULL, 403);
    get(V1 "/policies/greedy/rounds/gauntlet-01/replay?steps=1");
    expect("POST", V1 "/runs", ada, "{\"policy\":\"greedy\"}", 403);
    a = ask("POST", V1 "/runs", admin,
            "{\"policy\":\"expectimax-d3\",\"rounds\":[\"gauntlet-01\",\"gauntlet-02\"]}", 202);
    (void)snprintf(path, sizeof(path), V1 "/runs/%s", answer_text(&a, "id"));
    answer_free(&a);
    expect("POST", V1 "/runs", admin, "{\"policy\":\"expectimax-d3\"}", 409);
    expect("DELETE", path, ada, NULL, 403);
    expect("DELETE", path, admin, NULL, 200);
}

static void an_uploaded_program_and_its_faults(void **state)
{
    (void)state;
    static const char *const fields[] = {"id",     "slip",  "name", "Slips once",
                                         "family", "tests", NULL};
    char program[PATH_MAX], run[64], path[160], game[64];
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    (void)snprintf(program, sizeof(program), "%s", support_program("tests/policies/illegal"));
    struct answer a = http_upload(&server, V1 "/policies", ada, fields, program);
    check(operation_of("POST", V1 "/policies"), &a, 201);
    keep(&a, "latestRunId", run, sizeof(run));
    answer_free(&a);
    a = http_upload(&server, V1 "/policies", ada, fields, program);
    check(operation_of("POST", V1 "/policies"), &a, 409);
    answer_free(&a);
    a = http_wait_run(&server, run, GAMES_RUN_MS);
    check(operation_of("GET", V1 "/runs/x"), &a, 200);
    first_game(&a, game);
    answer_free(&a);
    (void)snprintf(path, sizeof(path), V1 "/games/%s/log", game);
    a = ask("GET", path, ada, NULL, 200);
    assert_true(jval_length(jval_get(a.json, "faults")) > 0);
    answer_free(&a);
    get(V1 "/policies/slip/rounds/gauntlet-01/replay");
    get(V1 "/policies/slip/revisions/1");
    a = http_upload(&server, V1 "/policies/slip/revisions", ada, NULL, program);
    check(operation_of("POST", V1 "/policies/slip/revisions"), &a, 201);
    answer_free(&a);
    get(V1 "/compare?a=greedy&b=slip");
}

static void boards_and_comparisons(void **state)
{
    (void)state;
    get(V1 "/leaderboard");
    get(V1 "/leaderboard?suite=sprint");
    get(V1 "/leaderboard?suite=gauntlet&kind=builtin&family=heuristic-search&reference=greedy"
           "&rounds=gauntlet-01,gauntlet-02");
    get(V1 "/leaderboard?format=csv");
    get(V1 "/compare?a=greedy&b=greedy&suite=gauntlet");
    get(V1 "/compare?a=greedy&b=expectimax-d3&suite=sprint");
    expect("GET", V1 "/compare?a=greedy", NULL, NULL, 400);
    expect("GET", V1 "/leaderboard?reference=away", NULL, NULL, 404);
    get(V1 "/policies?kind=builtin&family=heuristic-search&status=ready&limit=3");
}

static void no_operation_was_left_out(void **state)
{
    (void)state;
    size_t missing = 0;
    for (size_t i = 0; i < openapi_count(document); i++) {
        if (!succeeded[i]) {
            const struct operation *op = openapi_at(document, i);
            (void)fprintf(stderr, "%s %s never succeeded\n", op->method, op->path);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

/* --- what every operation refuses ------------------------------------------------------------- */

/* The pattern with `with` for each parameter. */
static void fill(const char *pattern, const char *with, char *to, size_t size)
{
    struct buf path;
    buf_init(&path, size);
    for (const char *at = pattern; *at; at++) {
        if (*at == '{') {
            buf_text(&path, with);
            at = strchr(at, '}');
        } else {
            buf_char(&path, *at);
        }
    }
    assert_int_equal(span_copy(buf_span(&path), to, size), D7_OK);
    buf_release(&path);
}

static void a_token_that_is_none_is_refused_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        char path[200];
        fill(op->path, "x1", path, sizeof(path));
        char *body = openapi_example_request(op);
        expect(op->method, path, "d7_none", body, 401);
        if (op->needs_token) {
            expect(op->method, path, NULL, body, 401);
        }
        free(body);
    }
}

static void what_does_not_exist_is_not_found(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        if (!strchr(op->path, '{')) {
            continue;
        }
        char path[200];
        fill(op->path, "9none", path, sizeof(path));
        char *body = openapi_example_request(op);
        expect(op->method, path, admin, body, 404);
        free(body);
        tried++;
    }
    assert_true(tried > 0);
}

static void nonsense_in_a_query_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        char path[200], target[240];
        fill(op->path, "x1", path, sizeof(path));
        char *body = openapi_example_request(op);
        (void)snprintf(target, sizeof(target), "%s?a=%%zz", path);
        expect(op->method, target, admin, body, 400);
        if (strncmp(path, V1, strlen(V1)) == 0) { /* probes are asked by all sorts of programs */
            (void)snprintf(target, sizeof(target), "%s?nonsense=1", path);
            expect(op->method, target, admin, body, 400);
        }
        free(body);
    }
}

static void bodies_that_are_none_are_refused(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        if (!op->takes_json || strchr(op->path, '{')) {
            continue; /* there, what is named is looked for first */
        }
        struct answer a = ask(op->method, op->path, admin, "{", 400);
        assert_string_equal(answer_text(&a, "code"), "bad-json");
        answer_free(&a);
        a = ask(op->method, op->path, admin, "{\"nonsense\":1}", 400);
        assert_string_equal(answer_text(&a, "code"), "validation");
        answer_free(&a);
        a = http_send(&server, op->method, op->path, admin, NULL);
        assert_true(a.status == 400 || a.status == 415);
        check(op, &a, a.status);
        answer_free(&a);
        tried++;
    }
    assert_true(tried > 0);
}

/* Over 64 KiB (rounds: 1 MiB). */
static void bodies_that_are_too_large_are_refused(void **state)
{
    (void)state;
    size_t size = (1u << 20) + 100;
    char *body = malloc(size + 1);
    assert_non_null(body);
    memset(body, ' ', size);
    body[size] = '\0';
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        char path[200];
        fill(op->path, "x1", path, sizeof(path));
        if (op->takes_json) {
            expect(op->method, path, admin, body, 413);
        }
    }
    free(body);
}

static void a_method_that_is_not_there_is_refused_as_documented(void **state)
{
    (void)state;
    struct buf why;
    buf_init(&why, 1u << 16);
    struct answer a = http_send(&server, "PUT", V1 "/games", NULL, NULL);
    assert_int_equal(a.status, 405);
    const struct openapi_answer seen = {a.status, a.headers, span_make(a.body, a.len)};
    if (!openapi_check_shared_answer(document, "MethodNotAllowed", &seen, &why)) {
        fail_msg("%s", why.data);
    }
    buf_release(&why);
    answer_free(&a);
}

static void the_document_is_revalidated_and_open_to_other_origins(void **state)
{
    (void)state;
    struct wire_answer a = {0};
    char request[300], tag[100];
    wire_ask(server.port, "GET " V1 "/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_non_null(wire_header(&a, "ETag"));
    (void)snprintf(tag, sizeof(tag), "%s", wire_header(&a, "ETag"));
    assert_string_equal(wire_header(&a, "Access-Control-Allow-Origin"), "*");
    assert_string_equal(wire_header(&a, "Content-Type"), "application/json");
    (void)snprintf(request, sizeof(request),
                   "GET " V1 "/openapi.json HTTP/1.1\r\nHost: a\r\nIf-None-Match: %s\r\n\r\n", tag);
    wire_ask(server.port, request, &a);
    assert_int_equal(a.status, 304);
    assert_string_equal(wire_header(&a, "ETag"), tag);
    wire_ask(server.port,
             "GET " V1 "/openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n", &a);
    assert_string_equal(wire_header(&a, "Content-Encoding"), "gzip");
    wire_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_and_accounts),
        cmocka_unit_test(rounds_and_suites),
        cmocka_unit_test(people_play),
        cmocka_unit_test(policies_that_come_by_themselves),
        cmocka_unit_test(an_endpoint_that_is_not_there),
        cmocka_unit_test(runs_and_their_games),
        cmocka_unit_test(an_uploaded_program_and_its_faults),
        cmocka_unit_test(boards_and_comparisons),
        cmocka_unit_test(no_operation_was_left_out),
        cmocka_unit_test(a_token_that_is_none_is_refused_everywhere),
        cmocka_unit_test(what_does_not_exist_is_not_found),
        cmocka_unit_test(nonsense_in_a_query_is_refused),
        cmocka_unit_test(bodies_that_are_none_are_refused),
        cmocka_unit_test(bodies_that_are_too_large_are_refused),
        cmocka_unit_test(a_method_that_is_not_there_is_refused_as_documented),
        cmocka_unit_test(the_document_is_revalidated_and_open_to_other_origins),
    };
    return cmocka_run_group_tests_name("http/openapi", tests, start, stop);
}
