/* Heads that a proxy in front may read in another way than we do, by raw sockets. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

static struct http_fixture f;
static struct wire_answer a;

#define HOST "Host: localhost\r\n"
#define NEXT "GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"

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

/* The request line, Host, these lines, and a whole request behind the empty line; in `lines` a '~'
 * is a NUL byte. */
static int send_head(const char *lines)
{
    char text[1024];
    int used =
        snprintf(text, sizeof(text), "POST /api/v1/echo HTTP/1.1\r\n" HOST "%s\r\n%s", lines, NEXT);
    assert_in_range(used, 1, sizeof(text) - 1);
    for (int i = 0; i < used; i++) {
        text[i] = text[i] == '~' ? '\0' : text[i];
    }
    int fd = wire_open(f.port);
    assert_true(wire_send(fd, text, (size_t)used));
    wire_read(fd, false, &a);
    return fd;
}

/* MHD hangs a folded line on the name before it, so that a length or a coding is not seen and the
 * body is read as a request; it ends the header at a line that begins with a colon; and it cuts a
 * value at a NUL byte. */
static void what_the_library_would_read_otherwise_is_400_and_closed(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "Content-Length:\r\n 2\r\n",
        "Content-Length: \r\n\t2\r\nX-A: b\r\n",
        "Content-Leng: 2\r\n th\r\n",
        "Transfer-Encoding:\r\n chunked\r\n",
        "Transfer-Encoding: chun\r\n ked\r\n",
        "X-A: b\r\n c\r\n",
        "X-A: b\r\n c\r\n d\r\nX-B: c\r\n",
        "X-A: b\r\n \r\n",
        "X-A: b\r\n \r\nX-B: c\r\n",
        ": b\r\nContent-Length: 2\r\n",
        ":\r\nX-A: b\r\n",
        "X-A: b\r\n: c\r\n",
        "Content-Length: 2~0\r\n",
        "Content-Length: 2~0\r\nX-A: b\r\n",
        "X-A: ~\r\nX-B: c\r\n",
    };
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(lines); i++) {
        int fd = send_head(lines[i]);
        bool refused = a.status == 400 && strstr(a.body.data, "\"bad-request\"");
        bool closed = a.closed || wire_closes(fd, 3000);
        (void)close(fd);
        if (!refused || !closed) {
            fail_msg("%s: %d%s", lines[i], a.status, closed ? "" : ", left open");
        }
    }
    int fd = wire_open(f.port); /* a line of HTTP/1.0 without any header */
    assert_true(wire_text(fd, "GET /api/v1/small HTTP/1.0\r\nConnection: keep-alive\r\n: a\r\n"
                              "GET /api/v1/small HTTP/1.0\r\n\r\n"));
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 400);
    (void)close(fd);
}

static void sound_heads_of_every_look_are_taken(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "GET /api/v1/small HTTP/1.1\nHost: a\n\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a\n\r\n",
        "GET /api/v1/small HTTP/1.1\nHost: a\r\n\n",
        "\r\nGET /api/v1/small HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a\r\nX-A:\r\nX-B:b\r\nX-C: \t c \t\r\nX-D: \r\n\r\n",
        "GET /api/v1/small HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=\"d\"; e\r\nX-A: b\r\n\r\n",
        "GET /api/v1/small HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    };
    http_fixture_start(&f);
    for (size_t i = 0; i < 2 * D7_COUNT(heads); i++) {
        const char *head = heads[i / 2];
        int fd = wire_open(f.port);
        size_t step = i % 2 ? 1 : strlen(head);
        for (const char *p = head; *p; p += step) {
            assert_true(wire_send(fd, p, step));
        }
        for (int k = 0; k < 2; k++) {
            wire_read(fd, false, &a);
            if (a.status != 200) {
                fail_msg("%s: answer %d is %d", head, k, a.status);
            }
            assert_true(k || wire_text(fd, NEXT)); /* the connection goes on */
        }
        (void)close(fd);
    }
}

static void blanks_around_a_value_are_no_part_of_it(void **state)
{
    (void)state;
    http_fixture_start(&f);
    wire_ask(f.port,
             "GET /api/v1/small HTTP/1.1\r\nHost: a\r\nX-Request-Id: \t abc \t \r\n"
             "Connection: close\r\n\r\n",
             &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.head.data, "X-Request-Id: abc\r\n"));
}

/* MHD took the request behind it for its body, and closed without an answer to either. */
static void expecting_to_continue_with_nothing_is_answered_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *line, *more;
        int status;
    } asked[] = {
        {"GET /api/v1/small", "", 200},
        {"HEAD /api/v1/small", "", 200},
        {"GET /api/v1/nowhere", "", 404},
        {"GET /api/v1/small", "Content-Length: 0\r\n", 200},
        {"POST /api/v1/echo", "", 400},
        {"DELETE /api/v1/small", "", 405},
        {"OPTIONS /api/v1/small", "", 204},
        {"GET /api/v1/small", "Expect: 100-continue\r\n", 200},
        {"GET /api/v1/small", "Expect: x\r\n", 200},
    };
    http_fixture_start(&f);
    for (size_t i = 0; i < D7_COUNT(asked); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "%s HTTP/1.1\r\n" HOST "%sExpect: 100-continue\r\n\r\n" NEXT, asked[i].line,
                       asked[i].more);
        int fd = wire_open(f.port);
        assert_true(wire_text(fd, text));
        wire_read(fd, strncmp(text, "HEAD", 4) == 0, &a);
        (void)close(fd);
        if (a.status != asked[i].status) {
            fail_msg("%s %s: %d", asked[i].line, asked[i].more, a.status);
        }
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, init, stop)
    const struct CMUnitTest tests[] = {
        CASE(what_the_library_would_read_otherwise_is_400_and_closed),
        CASE(sound_heads_of_every_look_are_taken),
        CASE(blanks_around_a_value_are_no_part_of_it),
        CASE(expecting_to_continue_with_nothing_is_answered_at_once),
    };
    return cmocka_run_group_tests_name("http/heads", tests, NULL, NULL);
}
