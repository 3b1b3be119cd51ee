/* The daemon's ordinary work over sockets: shapes of refusals, bodies, uploads, validators, CORS.
 */
#include "tests/support/http_fixture.h"
#include "tests/support/server.h"
#include "tests/support/wire.h"

#include <sys/stat.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/base/hash.h"

static struct http_fixture f;
static struct wire_answer a;
static struct test_server remote; /* only its port, for the libcurl client */

#define HOST "Host: localhost\r\n"
#define JSON "Content-Type: application/json\r\n"

static int init(void **state)
{
    (void)state;
    http_fixture_init(&f);
    f.options.upload_max = 1 << 20;
    http_fixture_start(&f);
    remote.port = f.port;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    http_fixture_stop(&f);
    wire_release(&a);
    return 0;
}

static void ask(const char *request)
{
    wire_ask(f.port, request, &a);
}

static bool has(const char *header, const char *part)
{
    const char *value = wire_header(&a, header);
    return value && strstr(value, part);
}

static void refusals_have_their_status_code_and_headers(void **state)
{
    (void)state;
    static const struct {
        const char *request, *code, *header, *value;
        int status;
    } rows[] = {
        {"GET /api/v1/nowhere HTTP/1.1\r\n" HOST "\r\n", "not-found", "Content-Type",
         "application/problem+json", 404},
        {"GET /api/v1/things/missing HTTP/1.1\r\n" HOST "\r\n", "not-found", "X-Request-Id", "",
         404},
        {"PUT /api/v1/small HTTP/1.1\r\n" HOST "\r\n", "method-not-allowed", "Allow",
         "GET, HEAD, OPTIONS", 405},
        {"TRACE /api/v1/echo HTTP/1.1\r\n" HOST "\r\n", "method-not-allowed", "Allow",
         "POST, PATCH, DELETE, OPTIONS", 405},
        {"GET /api/v1/mine HTTP/1.1\r\n" HOST "\r\n", "unauthorized", "WWW-Authenticate", "Bearer",
         401},
        {"GET /api/v1/small HTTP/1.1\r\n" HOST "Authorization: Bearer nope\r\n\r\n", "unauthorized",
         "WWW-Authenticate", "Bearer", 401},
        {"GET /api/v1/small HTTP/1.1\r\n" HOST "Authorization: Basic dTpw\r\n\r\n", "unauthorized",
         "WWW-Authenticate", "Bearer", 401},
        {"GET /api/v1/mine HTTP/1.1\r\n" HOST "Authorization: Bearer user-token\r\n"
         "Authorization: Bearer user-token\r\n\r\n",
         "unauthorized", "WWW-Authenticate", "Bearer", 401},
        {"GET /api/v1/admin HTTP/1.1\r\n" HOST "Authorization: Bearer user-token\r\n\r\n",
         "forbidden", "X-Request-Id", "", 403},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Type: text/plain\r\n"
         "Content-Length: 2\r\n\r\n{}",
         "unsupported-media-type", "Content-Type", "problem", 415},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}",
         "unsupported-media-type", "Content-Type", "problem", 415},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST
         "Content-Type: multipart/form-data; boundary=xyz\r\nContent-Length: 2\r\n\r\n{}",
         "unsupported-media-type", "Content-Type", "problem", 415},
        {"POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Type: application/json; charset=latin1\r\n"
         "Content-Length: 2\r\n\r\n{}",
         "unsupported-media-type", "Content-Type", "problem", 415},
        {"GET /api/v1/things/broken HTTP/1.1\r\n" HOST "\r\n", "internal", "X-Request-Id", "", 500},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char code[64];
        (void)snprintf(code, sizeof(code), "\"code\":\"%s\"", rows[i].code);
        ask(rows[i].request);
        if (a.status != rows[i].status || !strstr(a.body.data, code) ||
            !has(rows[i].header, rows[i].value)) {
            fail_msg("%s: %d\n%s%s", rows[i].request, a.status, a.head.data, a.body.data);
        }
        assert_null(strstr(a.body.data, "secret"));
    }
}

static void refusals_keep_the_connection_when_their_body_is_small(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "GET /api/v1/nowhere HTTP/1.1\r\n" HOST "\r\n",
        "POST /api/v1/nowhere HTTP/1.1\r\n" HOST JSON "Content-Length: 2\r\n\r\n{}",
        "PATCH /api/v1/echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}",
        "DELETE /api/v1/small HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}",
        "GET /api/v1/mine HTTP/1.1\r\n" HOST "\r\n",
    };
    int fd = wire_open(f.port);
    for (size_t i = 0; i < D7_COUNT(requests); i++) {
        assert_true(wire_text(fd, requests[i]));
        wire_read(fd, false, &a);
        assert_in_range(a.status, 401, 415);
    }
    assert_true(wire_text(fd, "GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n"));
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 200);
    (void)close(fd);
}

static void tokens_open_what_they_should(void **state)
{
    (void)state;
    ask("GET /api/v1/mine HTTP/1.1\r\n" HOST "Authorization: bearer  user-token\r\n\r\n");
    assert_int_equal(a.status, 200);
    assert_true(has("Cache-Control", "private"));
    ask("GET /api/v1/admin HTTP/1.1\r\n" HOST "Authorization: Bearer admin-token\r\n\r\n");
    assert_int_equal(a.status, 200);
}

static void pages_answer_404_as_a_page(void **state)
{
    (void)state;
    ask("GET /nowhere HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(a.status, 404);
    assert_true(has("Content-Type", "text/html"));
    assert_true(has("Content-Security-Policy", "frame-ancestors 'none'"));
    assert_true(has("X-Content-Type-Options", "nosniff"));
    ask("GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(a.status, 200);
    assert_true(has("Content-Security-Policy", "script-src 'self' 'wasm-unsafe-eval'"));
    assert_true(has("Referrer-Policy", "origin"));
}

static void parameters_and_queries_reach_the_handler_decoded(void **state)
{
    (void)state;
    ask("GET /api/v1/things/g%C3%BC%2541?q=a+b%26 HTTP/1.1\r\n" HOST
        "X-Forwarded-For: 203.0.113.5\r\n\r\n");
    assert_int_equal(a.status, 200);
    assert_string_equal(a.body.data,
                        "{\"id\":\"g\xc3\xbc%41\",\"client\":\"127.0.0.1\",\"q\":\"a b&\"}");
    assert_true(has("Cache-Control", "immutable"));
}

static void head_is_get_without_the_body(void **state)
{
    (void)state;
    ask("HEAD /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(a.status, 200);
    assert_true(has("Content-Length", "7"));
    assert_true(has("ETag", "\"small,tag\""));
    assert_int_equal(a.body.len, 0);
    ask("HEAD /api/v1/nowhere HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(a.status, 404);
    assert_int_equal(a.body.len, 0);
}

/* H21 */
static void conditional_requests_are_answered_304_with_the_same_tag(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        int status;
    } rows[] = {
        {"\"small,tag\"", 304},
        {"W/\"small,tag\"", 304},
        {"*", 304},
        {"\"x\", W/\"y\",\"small,tag\"", 304},
        {"\"x,y\" , \"small,tag\"", 304},
        {"\"x\"\r\nIf-None-Match: \"small,tag\"", 304},
        {"\"small\"", 200},
        {"small,tag", 200},
        {"\"tag\"", 200},
        {"\"small,tag", 200},
        {"", 200},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char text[300];
        (void)snprintf(text, sizeof(text),
                       "GET /api/v1/small HTTP/1.1\r\n" HOST "If-None-Match: %s\r\n"
                       "Connection: close\r\n\r\n",
                       rows[i].header);
        ask(text);
        if (a.status != rows[i].status || !has("ETag", "\"small,tag\"")) {
            fail_msg("%s: %d", rows[i].header, a.status);
        }
        assert_true(has("Content-Length", "7"));
        assert_true(has("Cache-Control", "no-cache"));
    }
}

static void gzip_is_another_representation(void **state)
{
    (void)state;
    ask("GET /api/v1/big HTTP/1.1\r\n" HOST "\r\n");
    size_t plain = a.body.len;
    char tag[100];
    (void)snprintf(tag, sizeof(tag), "%s", wire_header(&a, "ETag"));
    assert_int_equal(strlen(tag), 34);
    assert_null(wire_header(&a, "Content-Encoding"));
    assert_true(has("Vary", "Accept-Encoding"));
    ask("GET /api/v1/big HTTP/1.1\r\n" HOST "Accept-Encoding: br, gzip;q=0.5\r\n\r\n");
    assert_true(has("Content-Encoding", "gzip"));
    assert_true(a.body.len < plain / 2 && memcmp(a.body.data, "\x1f\x8b", 2) == 0);
    assert_true(has("ETag", "-gz\""));
    assert_true(strncmp(wire_header(&a, "ETag"), tag, 33) == 0);
    char again[300];
    (void)snprintf(again, sizeof(again),
                   "GET /api/v1/big HTTP/1.1\r\n" HOST
                   "Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n\r\n",
                   wire_header(&a, "ETag"));
    ask(again);
    assert_int_equal(a.status, 304);
    ask("GET /api/v1/big HTTP/1.1\r\n" HOST "Accept-Encoding: gzip;q=0, *\r\n\r\n");
    assert_null(wire_header(&a, "Content-Encoding"));
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Accept-Encoding: gzip\r\n\r\n");
    assert_null(wire_header(&a, "Content-Encoding")); /* too small to be worth it */
}

static void other_origins_may_read(void **state)
{
    (void)state;
    ask("OPTIONS /api/v1/echo HTTP/1.1\r\n" HOST "Origin: https://elsewhere.example\r\n"
        "Access-Control-Request-Method: GET\r\n\r\n");
    assert_int_equal(a.status, 204);
    assert_true(has("Allow", "POST, PATCH, DELETE, OPTIONS"));
    assert_true(has("Access-Control-Allow-Origin", "*"));
    assert_true(has("Access-Control-Allow-Headers", "Authorization"));
    assert_true(has("Access-Control-Allow-Headers", "If-None-Match"));
    assert_true(has("Access-Control-Allow-Headers", "Content-Type"));
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n");
    static const char *const exposed[] = {"ETag", "Link", "Retry-After", "X-Request-Id",
                                          "Location"};
    for (size_t i = 0; i < D7_COUNT(exposed); i++) {
        assert_true(has("Access-Control-Expose-Headers", exposed[i]));
    }
}

static void request_ids_are_echoed_when_sane_and_made_when_not(void **state)
{
    (void)state;
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "X-Request-Id: abc-1.2_3\r\n\r\n");
    assert_true(has("X-Request-Id", "abc-1.2_3"));
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "X-Request-Id: a b<script>\r\n\r\n");
    assert_int_equal(strlen(wire_header(&a, "X-Request-Id")), 32);
    assert_false(has("X-Request-Id", "script"));
}

static void json_bodies_come_back_whole(void **state)
{
    (void)state;
    struct answer got = http_send(&remote, "POST", "/api/v1/echo", NULL, "{\"a\":[1,2]}");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "{\"a\":[1,2]}");
    answer_free(&got);
    got = http_send(&remote, "DELETE", "/api/v1/echo", NULL, NULL);
    assert_int_equal(got.status, 204);
    answer_free(&got);
    ask("POST /api/v1/echo HTTP/1.1\r\n" HOST JSON "Expect: 100-continue\r\n"
        "Content-Length: 2\r\n\r\n");
    assert_int_equal(a.status, 100);
}

/* H25 and declared lengths. */
static void bodies_over_the_limit_are_413(void **state)
{
    (void)state;
    static const char *const declared[] = {
        "POST /api/v1/echo HTTP/1.1\r\n" HOST JSON "Content-Length: 65537\r\n\r\n",
        "POST /api/v1/echo HTTP/1.1\r\n" HOST JSON
        "Content-Length: 900000000000\r\nExpect: 100-continue\r\n\r\n",
        "PATCH /api/v1/echo HTTP/1.1\r\n" HOST JSON "Content-Length: 900000000000\r\n\r\n",
        "DELETE /api/v1/echo HTTP/1.1\r\n" HOST "Content-Length: 900000000000\r\n\r\n",
        "POST /api/v1/rounds HTTP/1.1\r\n" HOST JSON "Content-Length: 1048577\r\n\r\n",
        "POST /api/v1/upload HTTP/1.1\r\n" HOST
        "Content-Type: multipart/form-data; boundary=xyz\r\nContent-Length: 2000000\r\n\r\n",
    };
    for (size_t i = 0; i < D7_COUNT(declared); i++) {
        int64_t from = clock_mono_ms();
        ask(declared[i]); /* not a byte of the body is sent */
        if (a.status != 413 || !a.closed || !strstr(a.body.data, "\"too-large\"") ||
            clock_mono_ms() - from > 1500) {
            fail_msg("%s: %d closed %d %s", declared[i], a.status, a.closed, a.body.data);
        }
    }
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "POST /api/v1/echo HTTP/1.1\r\n" HOST JSON
                              "Transfer-Encoding: chunked\r\n\r\n"));
    static char piece[8192 + 8];
    int used = snprintf(piece, sizeof(piece), "2000\r\n");
    memset(piece + used, ' ', 0x2000);
    piece[used + 0x2000] = '\r';
    piece[used + 0x2001] = '\n';
    for (int i = 0; i < 12; i++) { /* 96 KiB: read away, then answered */
        assert_true(wire_send(fd, piece, (size_t)used + 0x2002));
    }
    assert_true(wire_text(fd, "0\r\n\r\n"));
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 413);
    (void)close(fd);
}

static void an_endless_body_is_answered_and_closed(void **state)
{
    (void)state;
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "PATCH /api/v1/echo HTTP/1.1\r\n" HOST JSON
                              "Transfer-Encoding: chunked\r\n\r\n"));
    int sent = 0;
    while (sent < 100000 && wire_text(fd, "10\r\n0123456789abcdef\r\n") && sent * 16 < 400000) {
        sent++;
    }
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 413);
    assert_true(wire_closes(fd, 5000));
    (void)close(fd);
}

static void large_json_is_taken_where_the_route_says_so(void **state)
{
    (void)state;
    char *text = malloc((1 << 20) + 1);
    assert_non_null(text);
    memset(text, ' ', 1 << 20);
    text[1 << 20] = '\0';
    struct answer got = http_send(&remote, "POST", "/api/v1/rounds", NULL, text);
    assert_int_equal(got.status, 201);
    assert_string_equal(got.body, "{\"size\":1048576}");
    answer_free(&got);
    got = http_send(&remote, "POST", "/api/v1/echo", NULL, text);
    assert_int_equal(got.status, 413);
    answer_free(&got);
    free(text);
}

static void write_file(const char *path, size_t size)
{
    char *bytes = malloc(size ? size : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)('a' + i % 23);
    }
    assert_int_equal(file_write(path, span_make(bytes, size), 0600), D7_OK);
    free(bytes);
}

static void uploads_are_streamed_hashed_and_removed(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 4096, 700001, 1 << 20};
    static const char *const fields[] = {"name", "Gr\xc3\xbc\xc3\x9f", "family", "", NULL};
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/.source", f.folder);
    for (size_t i = 0; i < D7_COUNT(sizes); i++) {
        write_file(path, sizes[i]);
        struct buf bytes;
        buf_init(&bytes, 2u << 20);
        assert_int_equal(file_read(path, &bytes), D7_OK);
        char hex[SHA_HEX_SIZE];
        sha_of(buf_span(&bytes), hex);
        buf_release(&bytes);
        struct answer got = http_upload(&remote, "/api/v1/upload", NULL, fields, path);
        assert_int_equal(got.status, 201);
        assert_string_equal(answer_text(&got, "sha256"), hex);
        assert_string_equal(answer_text(&got, "name"), "Gr\xc3\xbc\xc3\x9f");
        bool exists = false;
        int64_t number = 0;
        assert_true(jval_bool(jval_get(got.json, "exists"), &exists) && exists);
        assert_true(jval_integer(jval_get(got.json, "size"), &number));
        assert_int_equal(number, (int64_t)sizes[i]);
        assert_true(jval_integer(jval_get(got.json, "fields"), &number) && number == 2);
        answer_free(&got);
    }
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(http_fixture_uploads(&f), 0);
}

static void a_file_over_the_limit_is_413_and_leaves_nothing(void **state)
{
    (void)state;
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/.source", f.folder);
    write_file(path, (1 << 20) + 1);
    static const char *const fields[] = {"name", "x", NULL};
    struct answer got = http_upload(&remote, "/api/v1/upload", NULL, fields, path);
    assert_int_equal(got.status, 413);
    answer_free(&got);
    assert_int_equal(http_fixture_uploads(&f), 0);
}

#define PART(name, more, text)                                                                     \
    "--xyz\r\nContent-Disposition: form-data; name=\"" name "\"" more "\r\n\r\n" text "\r\n"

static void send_form(const char *body)
{
    char text[4096];
    (void)snprintf(
        text, sizeof(text),
        "POST /api/v1/upload HTTP/1.1\r\n" HOST
        "Content-Type: multipart/form-data; boundary=xyz\r\nContent-Length: %zu\r\n\r\n%s",
        strlen(body), body);
    ask(text);
}

static void malformed_forms_are_400_and_leave_nothing(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "",
        "nonsense",
        PART("policy", "; filename=\"p\"", "#!/bin/sh"),
        PART("policy", "; filename=\"p\"", "#!/bin/sh") "--xyz\r\n",
        PART("policy", "; filename=\"p\"", "#!/bin/sh") "--xyz",
        PART("policy", "; filename=\"p\"", "#!/bin/sh") "--xyz\r\nContent-Disp",
        PART("policy", "; filename=\"p\"", "one")
            PART("policy", "; filename=\"q\"", "two") "--xyz--\r\n",
        PART("name", "", "one") PART("name", "", "two") "--xyz--\r\n",
        PART("name", "", "\xff\xfe") "--xyz--\r\n",
    };
    for (size_t i = 0; i < D7_COUNT(bodies); i++) {
        send_form(bodies[i]);
        if (a.status != 400) {
            fail_msg("%s: %d", bodies[i], a.status);
        }
        assert_int_equal(http_fixture_uploads(&f), 0);
    }
    send_form(PART("name", "", "one") PART("policy", "; filename=\"p\"", "two") "--xyz--\r\n");
    assert_int_equal(a.status, 201);
    assert_non_null(strstr(a.body.data, "\"head\":\"two\""));
}

/* H23 */
static void broken_uploads_leave_no_file(void **state)
{
    (void)state;
    daemon_stop(f.daemon, 1000);
    f.options.body_ms = 600;
    http_fixture_start(&f);
    for (int stalls = 0; stalls < 2; stalls++) {
        int fd = wire_open(f.port);
        assert_true(wire_text(fd, "POST /api/v1/upload HTTP/1.1\r\n" HOST
                                  "Content-Type: multipart/form-data; boundary=xyz\r\n"
                                  "Content-Length: 90000\r\n\r\n" PART("policy", "; filename=\"p\"",
                                                                       "#!/bin/sh\nbegin")));
        int64_t until = clock_mono_ms() + 3000;
        while (http_fixture_uploads(&f) == 0 && clock_mono_ms() < until) {
            (void)wire_closes(fd, 5); /* waits for the server to have begun */
        }
        assert_int_equal(http_fixture_uploads(&f), 1);
        if (stalls) {
            assert_true(wire_closes(fd, 5000));
        }
        (void)close(fd);
        until = clock_mono_ms() + 3000;
        while (http_fixture_uploads(&f) > 0 && clock_mono_ms() < until) {
            ask("GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n");
        }
        assert_int_equal(http_fixture_uploads(&f), 0);
    }
}

static void ports_in_use_and_bad_addresses_are_told(void **state)
{
    (void)state;
    struct daemon_options o = f.options;
    char text[64];
    (void)snprintf(text, sizeof(text), "127.0.0.1:%u", f.port);
    o.listen = text;
    struct http_daemon *second = NULL;
    struct d7_why why = {{0}, {0}};
    assert_int_equal(daemon_open(&o, &second, &why), D7_ERR_CONFLICT);
    assert_non_null(strstr(why.text, text));
    o.listen = "127.0.0.1";
    assert_int_equal(daemon_open(&o, &second, &why), D7_ERR_INVALID);
    o.listen = "127.0.0.1:0";
    o.tls_cert = "/nonexistent/cert.pem";
    o.tls_key = "/nonexistent/key.pem";
    assert_int_equal(daemon_open(&o, &second, &why), D7_ERR_NOT_FOUND);
    assert_non_null(strstr(why.text, "cert.pem"));
    assert_null(second);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, init, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(refusals_have_their_status_code_and_headers),
        CASE(refusals_keep_the_connection_when_their_body_is_small),
        CASE(tokens_open_what_they_should),
        CASE(pages_answer_404_as_a_page),
        CASE(parameters_and_queries_reach_the_handler_decoded),
        CASE(head_is_get_without_the_body),
        CASE(conditional_requests_are_answered_304_with_the_same_tag),
        CASE(gzip_is_another_representation),
        CASE(other_origins_may_read),
        CASE(request_ids_are_echoed_when_sane_and_made_when_not),
        CASE(json_bodies_come_back_whole),
        CASE(bodies_over_the_limit_are_413),
        CASE(an_endless_body_is_answered_and_closed),
        CASE(large_json_is_taken_where_the_route_says_so),
        CASE(uploads_are_streamed_hashed_and_removed),
        CASE(a_file_over_the_limit_is_413_and_leaves_nothing),
        CASE(malformed_forms_are_400_and_leave_nothing),
        CASE(broken_uploads_leave_no_file),
        CASE(ports_in_use_and_bad_addresses_are_told),
    };
    return cmocka_run_group_tests_name("http/daemon", tests, NULL, NULL);
}
