/* The daemon against malformed, oversized, slow and many requests: cases.md 5.1, by raw sockets. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

static struct http_fixture f;
static struct wire_answer a;

#define HOST "Host: localhost\r\n"

static int init(void **state)
{
    (void)state;
    http_fixture_init(&f);
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

static void is_served(void)
{
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(a.status, 200);
}

/* H1 H2 H3 */
static void messages_with_two_readings_are_refused_and_closed(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\t\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Content-Length : 2\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 2, 2\r\n",
        "Content-Length: 0x2\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: \r\n",
        "Content-Length: 2.0\r\n",
        "Content-Length: -2\r\nContent-Length: 2\r\n",
        "Expect: 100-continue\r\nContent-Length: -2\r\n",
    };
    static const char *const methods[] = {"POST", "PATCH", "DELETE", "GET"};
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(headers) * D7_COUNT(methods); i++) {
        char text[512];
        const char *header = headers[i / D7_COUNT(methods)];
        const char *method = methods[i % D7_COUNT(methods)];
        (void)snprintf(text, sizeof(text),
                       "%s /api/v1/echo HTTP/1.1\r\n" HOST
                       "Content-Type: application/json\r\n%s\r\n{}",
                       method, header);
        int64_t from = clock_mono_ms();
        int fd = wire_open(f.port);
        (void)wire_text(fd, text);
        wire_read(fd, false, &a);
        bool closed = a.closed || wire_closes(fd, 3000);
        (void)close(fd);
        /* one answer, and ours: libmicrohttpd's own to a malformed length has its head twice */
        bool is_ours = a.body.data && a.body.data[0] == '{' && !strstr(a.body.data, "HTTP/1.1 4");
        if ((a.status != 400 && a.status != 413) || !closed || !is_ours ||
            clock_mono_ms() - from > 2500) {
            print_message("%s %s: status %d closed %d\n%s\n", method, header, a.status, closed,
                          a.head.data ? a.head.data : "");
            fail();
        }
    }
    is_served();
}

static void chunked_is_taken_in_any_case_and_without_a_second_request(void **state)
{
    (void)state;
    http_fixture_start(&f);
    ask("POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Type: application/json\r\n"
        "tRANSFER-ENCODING: Chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    assert_int_equal(a.status, 200);
    assert_string_equal(a.body.data, "{}");
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "POST /api/v1/echo HTTP/1.1\r\n" HOST
                              "Content-Type: application/json\r\nContent-Length: 2\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                              "GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n"));
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 400);
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 0);
    (void)close(fd);
}

/* H5 */
static void a_trickled_body_ends_at_its_deadline(void **state)
{
    (void)state;
    f.options.body_ms = 500;
    http_fixture_start(&f);
    int fd = wire_open(f.port);
    int64_t from = clock_mono_ms();
    assert_true(wire_text(fd,
                          "POST /api/v1/echo HTTP/1.1\r\n" HOST "Content-Type: application/json\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n"));
    bool open = true;
    while (open && clock_mono_ms() - from < 5000) {
        open = wire_text(fd, "1\r\n \r\n") && !wire_closes(fd, 50);
    }
    assert_false(open);
    int64_t took = clock_mono_ms() - from;
    assert_in_range(took, 450, 3000);
    (void)close(fd);
    is_served();
}

/* H7 */
static void trickled_headers_end_at_their_deadline_and_others_are_served(void **state)
{
    (void)state;
    f.options.header_ms = 700;
    http_fixture_start(&f);
    int fds[220];
    int64_t from = clock_mono_ms();
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = wire_open(f.port);
        /* half of them stop in the request line, where no deadline has been renewed yet */
        (void)wire_text(fds[i],
                        i % 2 ? "GET /api/v1/sm" : "GET /api/v1/small HTTP/1.1\r\nX: 1\r\n");
    }
    is_served();
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)wire_text(fds[i], i % 2 ? "a" : "Y: 2\r\n");
    }
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        assert_true(wire_closes(fds[i], 5000));
        (void)close(fds[i]);
    }
    assert_true(clock_mono_ms() - from < 6000);
    is_served();
}

/* H9 */
static void oversized_heads_are_refused(void **state)
{
    (void)state;
    http_fixture_start(&f);
    struct buf text;
    buf_init(&text, 1u << 20);
    static const size_t sizes[] = {9000, 16384, 60000};
    for (size_t i = 0; i < D7_COUNT(sizes); i++) {
        buf_clear(&text);
        buf_text(&text, "GET /");
        for (size_t n = 0; n < sizes[i]; n++) {
            buf_char(&text, 'a');
        }
        buf_text(&text, " HTTP/1.1\r\n" HOST "\r\n");
        ask(text.data);
        assert_int_equal(a.status, 414);
        assert_true(a.closed);
    }
    buf_clear(&text);
    buf_text(&text, "GET / HTTP/1.1\r\n" HOST "X: ");
    for (size_t n = 0; n < 65536; n++) {
        buf_char(&text, 'a');
    }
    buf_text(&text, "\r\n\r\n");
    ask(text.data);
    assert_int_equal(a.status, 431);
    buf_clear(&text);
    buf_text(&text, "GET / HTTP/1.1\r\n" HOST);
    for (int n = 0; n < 500; n++) {
        buf_printf(&text, "X-%d: a\r\n", n);
    }
    buf_text(&text, "\r\n");
    ask(text.data);
    assert_int_equal(a.status, 431);
    buf_release(&text);
    is_served();
}

static int keep_alive_request(void)
{
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n"));
    wire_read(fd, false, &a);
    return fd;
}

/* H10 */
static void idle_connections_give_way_to_new_ones(void **state)
{
    (void)state;
    f.options.connection_max = 8;
    http_fixture_start(&f);
    int fds[24];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = keep_alive_request();
        assert_int_equal(a.status, 200);
    }
    assert_true(wire_closes(fds[0], 5000)); /* the longest idle was the first to go */
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)close(fds[i]);
    }
}

static void idle_connections_end_by_themselves(void **state)
{
    (void)state;
    f.options.idle_ms = 200;
    http_fixture_start(&f);
    int fd = keep_alive_request();
    assert_int_equal(a.status, 200);
    assert_true(wire_closes(fd, 5000));
    (void)close(fd);
}

static int open_halfway(void)
{
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET / HTTP/1.1\r\n")); /* in the middle of its header */
    return fd;
}

static void over_the_limit_of_busy_connections_a_newcomer_hears_503(void **state)
{
    (void)state;
    f.options.connection_max = 4;
    http_fixture_start(&f);
    int fds[4];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = open_halfway();
    }
    /* accepting and reading are the server's own pace: ask until the four are counted. One whose
     * line was not read yet was silent, and gave way to who asked. */
    int64_t until = clock_mono_ms() + 5000;
    do {
        for (size_t i = 0; i < D7_COUNT(fds); i++) {
            if (wire_closes(fds[i], 0)) {
                (void)close(fds[i]);
                fds[i] = open_halfway();
            }
        }
        ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    } while (a.status == 200 && clock_mono_ms() < until);
    assert_int_equal(a.status, 503);
    assert_true(a.closed);
    assert_non_null(strstr(a.body.data, "\"busy\""));
    assert_non_null(wire_header(&a, "Retry-After"));
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)close(fds[i]);
    }
    until = clock_mono_ms() + 5000;
    do {
        ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    } while (a.status == 503 && clock_mono_ms() < until);
    assert_int_equal(a.status, 200);
}

/* One request on a connection of its own; the milliseconds it took. */
static int64_t ask_timed(void)
{
    int64_t from = clock_mono_ms();
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    return clock_mono_ms() - from;
}

static void silent_connections_give_way_at_once(void **state)
{
    (void)state;
    f.options.connection_max = 8;
    http_fixture_start(&f);
    int fds[200];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = wire_open(f.port);
    }
    int64_t from = clock_mono_ms();
    do { /* the youngest have a moment to say something: 503 meanwhile */
        assert_in_range(ask_timed(), 0, 1200);
    } while (a.status == 503 && clock_mono_ms() - from < 1200);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(a.status, 200);
        assert_in_range(ask_timed(), 0, 1200);
    }
    assert_true(wire_closes(fds[0], 1000)); /* the longest silent was among the first to go */
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)close(fds[i]);
    }
}

static void silent_newcomers_do_not_keep_others_from_their_503(void **state)
{
    (void)state;
    f.options.connection_max = 8;
    http_fixture_start(&f);
    int busy[8];
    int fds[200];
    for (size_t i = 0; i < D7_COUNT(busy); i++) {
        busy[i] = wire_open(f.port);
        assert_true(wire_text(busy[i], "GET / HTTP/1.1\r\n"));
    }
    int64_t until = clock_mono_ms() + 5000;
    do {
        (void)ask_timed();
    } while (a.status == 200 && clock_mono_ms() < until);
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = wire_open(f.port);
    }
    for (int i = 0; i < 5; i++) {
        int64_t took = ask_timed();
        assert_int_equal(a.status, 503);
        assert_in_range(took, 0, 1200);
    }
    for (size_t i = 0; i < D7_COUNT(busy); i++) {
        (void)close(busy[i]);
    }
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)close(fds[i]);
    }
}

/* H11 */
static void eleven_hundred_connections_are_served(void **state)
{
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < 2600) {
        support_skip("the hard limit of open files is under 2,600");
    }
    limit.rlim_cur = limit.rlim_cur < 2600 ? 2600 : limit.rlim_cur;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    f.options.connection_max = 1200;
    http_fixture_start(&f);
    static int fds[1100];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = keep_alive_request();
        if (a.status != 200) {
            fail_msg("connection %zu: status %d", i, a.status);
        }
    }
    for (size_t i = 0; i < D7_COUNT(fds); i += 99) {
        assert_true(wire_text(fds[i], "GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n"));
        wire_read(fds[i], false, &a);
        assert_int_equal(a.status, 200);
    }
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        (void)close(fds[i]);
    }
}

/* H17 H18 H19 */
static void unsound_targets_are_400(void **state)
{
    (void)state;
    static const char *const targets[] = {"../x",
                                          "x",
                                          "http://localhost/api/v1/small",
                                          "*",
                                          "/../../etc/passwd",
                                          "/css/site.css%00.png",
                                          "/api/v1/things/a%00",
                                          "/api/v1/things/a%2Fb",
                                          "/api/v1/things/%ff",
                                          "/api/v1/things/%2e%2e",
                                          "/api/v1/things/%zz",
                                          "/api/v1/things/x?q=%00",
                                          "/api/v1/things/x?q=1&q=2"};
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(targets); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
                       targets[i]);
        ask(text);
        if (a.status != 400 || !strstr(a.body.data, "\"bad-request\"")) {
            fail_msg("%s: %d", targets[i], a.status);
        }
    }
}

/* H1 H17's siblings: answered once, as a problem, and closed. */
static void unsound_heads_are_a_problem_and_close(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "GET /api/v1/small HTTP/1.1\r\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a b\r\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a:99999999\r\n",
        "GET /api/v1/small HTTP/1.0\r\nHost: a/b\r\n",
        "GET /api/v1/small HTTP/1.1\r\n" HOST "X-A: a\x01"
        "b\r\n",
        "GET /api/v1/small HTTP/1.1\r\n" HOST "X A: b\r\n",
        "GET /api/v1/small x HTTP/1.1\r\n" HOST,
        "GET /api/v1/small\x7f HTTP/1.1\r\n" HOST,
    };
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(heads); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "%s\r\n", heads[i]);
        int fd = wire_open(f.port);
        (void)wire_text(fd, text);
        wire_read(fd, false, &a);
        bool closed = a.closed || wire_closes(fd, 3000);
        (void)close(fd);
        if (a.status != 400 || !strstr(a.body.data, "\"bad-request\"") || !closed) {
            fail_msg("%s: %d%s", heads[i], a.status, closed ? "" : ", left open");
        }
    }
    ask("GET /api/v1/small HTTP/1.0\r\n\r\n"); /* needs none */
    assert_int_equal(a.status, 200);
    is_served();
}

/* H18 with the byte itself: what comes before it must not be served. */
static void a_nul_byte_in_the_target_is_400(void **state)
{
    (void)state;
    static const char *const targets[] = {"/api/v1/small%cx", "/api/v1/small%c", "%c/api/v1/small",
                                          "/api/v1/small?a=%cb", "/api/v1/small?%c"};
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(targets); i++) {
        char text[256];
        int used = snprintf(text, sizeof(text), "GET ");
        for (const char *p = targets[i]; *p; p++) {
            bool nul = p[0] == '%' && p[1] == 'c';
            text[used++] = nul ? '\0' : *p;
            p += nul;
        }
        used += snprintf(text + used, sizeof(text) - (size_t)used, " HTTP/1.1\r\n" HOST "\r\n");
        int fd = wire_open(f.port);
        assert_true(wire_send(fd, text, (size_t)used));
        wire_read(fd, false, &a);
        if (a.status != 400 || !wire_closes(fd, 5000)) {
            fail_msg("%s: %d", targets[i], a.status);
        }
        (void)close(fd);
    }
    is_served();
}

static void a_peer_that_vanishes_in_a_big_answer_does_no_harm(void **state)
{
    (void)state;
    http_fixture_start(&f);
    for (int i = 0; i < 8; i++) {
        int fd = wire_open(f.port);
        assert_true(wire_text(fd, "GET /api/v1/huge HTTP/1.1\r\n" HOST "\r\n"));
        char some[100];
        assert_true(recv(fd, some, sizeof(some), 0) > 0);
        const struct linger now = {.l_onoff = 1, .l_linger = 0}; /* close() is a reset */
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
        (void)close(fd);
    }
    is_served();
}

static void a_peer_that_falls_silent_in_a_big_answer_gives_its_place_back(void **state)
{
    (void)state;
    f.options.connection_max = 1; /* the answer's own deadline is two minutes */
    http_fixture_start(&f);
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET /api/v1/huge HTTP/1.1\r\n" HOST "\r\n"));
    char some[100];
    assert_true(recv(fd, some, sizeof(some), 0) > 0);
    wire_vanish(fd);
    int64_t from = clock_mono_ms();
    do {
        ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
        (void)poll(NULL, 0, 50);
    } while (a.status == 503 && clock_mono_ms() - from < 40000);
    assert_int_equal(a.status, 200);
    (void)close(fd);
}

static void a_reader_that_stops_ends_at_the_answer_deadline(void **state)
{
    (void)state;
    f.options.answer_ms = 1000; /* the answer is made in that time too */
    f.options.connection_max = 1;
    http_fixture_start(&f);
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET /api/v1/huge HTTP/1.1\r\n" HOST "\r\n"));
    char some[100];
    assert_true(recv(fd, some, sizeof(some), 0) > 0);
    ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(a.status, 503); /* the reader holds the only place */
    int64_t until = clock_mono_ms() + 5000;
    do {
        ask("GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    } while (a.status == 503 && clock_mono_ms() < until);
    assert_int_equal(a.status, 200);
    (void)close(fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, init, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(messages_with_two_readings_are_refused_and_closed),
        CASE(chunked_is_taken_in_any_case_and_without_a_second_request),
        CASE(a_trickled_body_ends_at_its_deadline),
        CASE(trickled_headers_end_at_their_deadline_and_others_are_served),
        CASE(oversized_heads_are_refused),
        CASE(idle_connections_give_way_to_new_ones),
        CASE(idle_connections_end_by_themselves),
        CASE(over_the_limit_of_busy_connections_a_newcomer_hears_503),
        CASE(silent_connections_give_way_at_once),
        CASE(silent_newcomers_do_not_keep_others_from_their_503),
        CASE(eleven_hundred_connections_are_served),
        CASE(unsound_targets_are_400),
        CASE(unsound_heads_are_a_problem_and_close),
        CASE(a_nul_byte_in_the_target_is_400),
        CASE(a_peer_that_vanishes_in_a_big_answer_does_no_harm),
        CASE(a_peer_that_falls_silent_in_a_big_answer_gives_its_place_back),
        CASE(a_reader_that_stops_ends_at_the_answer_deadline),
    };
    return cmocka_run_group_tests_name("http/framing", tests, NULL, NULL);
}
