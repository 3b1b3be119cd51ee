/* Every refusal the layer makes by itself, by raw sockets: status line and body agree, nothing is
 * lost on its way out; and forms in every legal spelling. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

#include "engine/base/json.h"

static struct http_fixture f;
static struct wire_answer a;

#define HOST "Host: localhost\r\n"
#define JSON "Content-Type: application/json\r\n"

static int init(void **state)
{
    (void)state;
    http_fixture_init(&f);
    f.options.upload_max = 1 << 20;
    http_fixture_start(&f);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    http_fixture_stop(&f);
    wire_release(&a);
    return 0;
}

/* The answer is a problem of this status and code, in its head and in its body. */
static void assert_problem(const char *request, int status, const char *code)
{
    struct jval *body = NULL;
    int64_t told = 0;
    struct span word = {"", 0};
    wire_ask(f.port, request, &a);
    if (a.status != status || jval_parse(buf_span(&a.body), &body, NULL)) {
        fail_msg("%.80s: %d\n%s", request, a.status, a.body.data ? a.body.data : "");
    }
    bool same = jval_integer(jval_get(body, "status"), &told) && told == status &&
                jval_text(jval_get(body, "code"), &word) && span_is(word, code);
    jval_free(body);
    if (!same) {
        fail_msg("%.80s: %d\n%s", request, a.status, a.body.data);
    }
    assert_string_equal(wire_header(&a, "Content-Type"), "application/problem+json");
}

static void refusals_say_one_status_in_head_and_body(void **state)
{
    (void)state;
    static const struct {
        const char *request, *code;
        int status;
    } rows[] = {
        {"GET /api/v1/nosuch HTTP/1.1\r\n" HOST "\r\n", "not-found", 404},
        {"POST /nosuch HTTP/1.1\r\n" HOST "\r\n", "not-found", 404},
        {"GET /api/v1/things/%00 HTTP/1.1\r\n" HOST "\r\n", "bad-request", 400},
        {"GET /api/v1/small?a=%zz HTTP/1.1\r\n" HOST "\r\n", "bad-request", 400},
        {"GET nowhere HTTP/1.1\r\n" HOST "\r\n", "bad-request", 400},
        {"GET * HTTP/1.1\r\n" HOST "\r\n", "bad-request", 400},
        {"PUT /api/v1/small HTTP/1.1\r\n" HOST "\r\n", "method-not-allowed", 405},
        {"GET /api/v1/mine HTTP/1.1\r\n" HOST "\r\n", "unauthorized", 401},
        {"GET /api/v1/small HTTP/1.1\r\n" HOST "Authorization: Bearer no\r\n\r\n", "unauthorized",
         401},
        {"GET /api/v1/admin HTTP/1.1\r\n" HOST "Authorization: Bearer user-token\r\n\r\n",
         "forbidden", 403},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}",
         "unsupported-media-type", 415},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST JSON
         "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
         "unsupported-media-type", 415},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST JSON "Content-Length: 65537\r\n\r\n", "too-large",
         413},
        {"PATCH /api/v1/echo HTTP/1.1\r\n" HOST JSON "Content-Length: 65537\r\n\r\n", "too-large",
         413},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST JSON "Content-Length: 2\r\nContent-Length: 2\r\n\r\n"
         "{}",
         "bad-request", 400},
        {"PATCH /api/v1/echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: gzip\r\n\r\n",
         "bad-request", 400},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: gzip\r\n\r\n",
         "bad-request", 400},
        {"OPTIONS /api/v1/echo HTTP/1.1\r\n" HOST HOST "\r\n", "bad-request", 400},
        {"POST /api/v1/upload HTTP/1.1\r\n" HOST
         "Content-Type: multipart/form-data\r\nContent-Length: 2\r\n\r\n{}",
         "bad-request", 400},
        {"POST /api/v1/upload HTTP/1.1\r\n" HOST
         "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 2\r\n\r\n{}",
         "bad-request", 400},
        {"GET /api/v1/things/broken HTTP/1.1\r\n" HOST "\r\n", "internal", 500},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        assert_problem(rows[i].request, rows[i].status, rows[i].code);
    }
}

static void too_long_targets_and_heads_say_so_in_the_body_too(void **state)
{
    (void)state;
    static const char *const methods[] = {"GET", "OPTIONS", "POST", "PATCH"};
    struct buf text;
    buf_init(&text, 1u << 20);
    for (size_t i = 0; i < D7_COUNT(methods); i++) {
        buf_clear(&text);
        buf_printf(&text, "%s /", methods[i]);
        for (size_t n = 0; n < 8000; n++) {
            buf_char(&text, 'a');
        }
        buf_text(&text, " HTTP/1.1\r\n" HOST "\r\n");
        assert_problem(text.data, 414, "too-large");
        buf_clear(&text);
        buf_printf(&text, "%s / HTTP/1.1\r\n" HOST, methods[i]);
        for (int n = 0; n < 101; n++) {
            buf_printf(&text, "X-%d: a\r\n", n);
        }
        buf_text(&text, "\r\n");
        assert_problem(text.data, 431, "too-large");
    }
    buf_release(&text);
}

static void preflights_of_unknown_paths_are_404(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nosuch", "/api/v1/nosuch", "/api/v1/small/x", "/api"};
    char text[200];
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        (void)snprintf(text, sizeof(text), "OPTIONS %s HTTP/1.1\r\n" HOST "\r\n", paths[i]);
        assert_problem(text, 404, "not-found");
        assert_null(wire_header(&a, "Allow"));
    }
    assert_problem("OPTIONS /%zz HTTP/1.1\r\n" HOST "\r\n", 400, "bad-request");
    assert_problem("OPTIONS nosuch HTTP/1.1\r\n" HOST "\r\n", 400, "bad-request");
}

static void preflights_of_known_paths_and_of_the_server_are_204_with_allow(void **state)
{
    (void)state;
    static const struct {
        const char *target, *allow;
    } rows[] = {
        {"/", "GET, HEAD, OPTIONS"},
        {"/api/v1/mine", "GET, HEAD, OPTIONS"},
        {"/api/v1/things/x", "GET, HEAD, OPTIONS"},
        {"/api/v1/echo", "POST, PATCH, DELETE, OPTIONS"},
        {"*", "GET, HEAD, POST, PATCH, DELETE, OPTIONS"},
    };
    char text[200];
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        (void)snprintf(text, sizeof(text), "OPTIONS %s HTTP/1.1\r\n" HOST "\r\n", rows[i].target);
        wire_ask(f.port, text, &a);
        if (a.status != 204 || strcmp(wire_header(&a, "Allow"), rows[i].allow) != 0) {
            fail_msg("%s: %d\n%s", rows[i].target, a.status, a.head.data ? a.head.data : "");
        }
    }
}

static void forms_are_taken_in_every_legal_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *type, *boundary, *after;
    } rows[] = {
        {"multipart/form-data; boundary=B", "B", "\r\n"},
        {"Multipart/Form-Data; charset=utf-8; Boundary=BB", "BB", ""},
        {"multipart/form-data; boundary=\"a b\"; x=1", "a b", "\r\n"},
        {"multipart/form-data; boundary=xyz", "xyz", "\r\nan epilogue\r\n--xyz--\r\n"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char form[600];
        char text[1000];
        const char *b = rows[i].boundary;
        (void)snprintf(form, sizeof(form),
                       "--%s\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nme\r\n"
                       "--%s\r\nContent-Disposition: form-data; name=\"policy\"; filename=\"p\"\r\n"
                       "\r\n#!x\n\r\n--%s--%s",
                       b, b, b, rows[i].after);
        (void)snprintf(text, sizeof(text),
                       "POST /api/v1/upload HTTP/1.1\r\n" HOST
                       "Content-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
                       rows[i].type, strlen(form), form);
        wire_ask(f.port, text, &a);
        if (a.status != 201 || !strstr(a.body.data, "\"name\":\"me\"") ||
            !strstr(a.body.data, "\"size\":4,")) {
            fail_msg("%s: %d %s", rows[i].type, a.status, a.body.data ? a.body.data : "");
        }
        assert_int_equal(http_fixture_uploads(&f), 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, init, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(refusals_say_one_status_in_head_and_body),
        CASE(too_long_targets_and_heads_say_so_in_the_body_too),
        CASE(preflights_of_unknown_paths_are_404),
        CASE(preflights_of_known_paths_and_of_the_server_are_204_with_allow),
        CASE(forms_are_taken_in_every_legal_spelling),
    };
    return cmocka_run_group_tests_name("http/refusals", tests, NULL, NULL);
}
