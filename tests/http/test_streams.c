/* server/http/sse: event streams on a daemon of the test's own. */
#include "tests/support/http_fixture.h"
#include "tests/support/stream.h"
#include "tests/support/wire.h"

#include <poll.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

#define PATH    "/api/v1/events"
#define WAIT_MS 10000

static struct http_fixture f;

static int setup(void **state)
{
    (void)state;
    http_fixture_init(&f);
    f.options.tick_ms = 20;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (f.daemon) {
        http_fixture_stop(&f);
    }
    assert_int_equal(http_fixture_sources(), 0);
    return 0;
}

static void expect(struct event_stream *s, const char *name, const char *id, const char *data)
{
    struct event e;
    if (!stream_next(s, WAIT_MS, &e)) {
        fail_msg("no event; wanted %s %s %s", name, id, data);
    }
    assert_string_equal(e.name, name);
    assert_string_equal(e.id, id);
    assert_string_equal(e.data, data);
}

static int get_small(void)
{
    struct wire_answer a = {0};
    wire_ask(f.port, "GET /api/v1/small HTTP/1.1\r\nHost: t\r\n\r\n", &a);
    int status = a.status;
    wire_release(&a);
    return status;
}

static void events_come_as_they_happen_and_the_stream_ends_after_the_last(void **state)
{
    (void)state;
    struct event_stream s;
    http_fixture_emit();
    http_fixture_start(&f);
    stream_open(&s, f.port, PATH, NULL);
    assert_int_equal(s.status, 200);
    assert_non_null(strcasestr(s.head, "Content-Type: text/event-stream"));
    assert_non_null(strcasestr(s.head, "Cache-Control: no-store"));
    assert_null(strcasestr(s.head, "\nETag:"));
    expect(&s, "", "1", "1");
    struct event e;
    assert_false(stream_next(&s, 100, &e));
    http_fixture_emit();
    expect(&s, "", "2", "2");
    http_fixture_emit();
    http_fixture_emit();
    expect(&s, "", "3", "3");
    expect(&s, "", "4", "4");
    http_fixture_end();
    expect(&s, "end", "", "done");
    assert_false(stream_next(&s, WAIT_MS, &e));
    assert_true(s.whole);
    /* the connection is good for another request */
    assert_true(wire_text(s.fd, "GET /api/v1/small HTTP/1.1\r\nHost: t\r\n\r\n"));
    struct wire_answer a = {0};
    wire_read(s.fd, false, &a);
    assert_int_equal(a.status, 200);
    wire_release(&a);
    stream_close(&s);
}

static void a_quiet_stream_gets_heartbeats(void **state)
{
    (void)state;
    struct event_stream s;
    f.options.heartbeat_ms = 100;
    http_fixture_start(&f);
    stream_open(&s, f.port, PATH, NULL);
    int64_t from = clock_mono_ms();
    assert_true(stream_heartbeat(&s, WAIT_MS));
    assert_true(stream_heartbeat(&s, WAIT_MS));
    assert_true(clock_mono_ms() - from >= 150);
    http_fixture_emit();
    expect(&s, "", "1", "1");
    stream_close(&s);
}

static void a_head_request_opens_no_stream(void **state)
{
    (void)state;
    http_fixture_start(&f);
    struct wire_answer a = {0};
    wire_ask(f.port, "HEAD " PATH " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", &a);
    assert_int_equal(a.status, 200);
    assert_true(a.closed);
    wire_release(&a);
}

/* Waits until no more than `count` sources are left. */
static bool sources_fall_to(unsigned count)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    while (http_fixture_sources() > count && clock_mono_ms() < until) {
        (void)poll(NULL, 0, 10);
    }
    return http_fixture_sources() <= count;
}

static void streams_hold_six_in_ten_connections_and_give_them_back(void **state)
{
    (void)state;
    struct event_stream s[7];
    f.options.connection_max = 10;
    http_fixture_start(&f);
    for (size_t i = 0; i < 6; i++) {
        stream_open(&s[i], f.port, PATH, NULL);
        assert_int_equal(s[i].status, 200);
    }
    stream_open(&s[6], f.port, PATH, NULL);
    assert_int_equal(s[6].status, 503);
    assert_non_null(strcasestr(s[6].head, "Retry-After"));
    stream_close(&s[6]);
    assert_int_equal(get_small(), 200);
    /* closed by the client: noticed long before the next heartbeat */
    int64_t from = clock_mono_ms();
    stream_close(&s[0]);
    assert_true(sources_fall_to(5));
    assert_true(clock_mono_ms() - from < 5000);
    stream_open(&s[0], f.port, PATH, NULL);
    assert_int_equal(s[0].status, 200);
    for (size_t i = 0; i < 6; i++) {
        stream_close(&s[i]);
    }
}

static void a_client_that_resets_is_let_go(void **state)
{
    (void)state;
    struct event_stream s;
    http_fixture_start(&f);
    stream_open(&s, f.port, PATH, NULL);
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(s.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    stream_close(&s);
    assert_true(sources_fall_to(0));
}

/* H14: no FIN, no reset, no acknowledgement. The heartbeat finds out: 15 s after it was sent it is
 * given up. */
static void a_client_that_vanishes_without_a_word_is_let_go(void **state)
{
    (void)state;
    struct event_stream gone[5];
    struct event_stream stays;
    struct event e;
    f.options.heartbeat_ms = 500;
    http_fixture_start(&f);
    stream_open(&stays, f.port, PATH, NULL);
    for (size_t i = 0; i < D7_COUNT(gone); i++) {
        stream_open(&gone[i], f.port, PATH, NULL);
        assert_int_equal(gone[i].status, 200);
    }
    for (size_t i = 0; i < D7_COUNT(gone); i++) {
        wire_vanish(gone[i].fd);
    }
    int64_t from = clock_mono_ms();
    unsigned number = 0;
    while (http_fixture_sources() > 1 && clock_mono_ms() - from < 40000) {
        http_fixture_emit(); /* the others are served meanwhile */
        char data[16];
        (void)snprintf(data, sizeof(data), "%u", ++number);
        assert_true(stream_next(&stays, 5000, &e));
        assert_string_equal(e.data, data);
        assert_int_equal(get_small(), 200);
        (void)poll(NULL, 0, 100);
    }
    int64_t took = clock_mono_ms() - from;
    print_message("let go after %lld ms\n", (long long)took);
    assert_int_equal(http_fixture_sources(), 1);
    assert_in_range(took, 5000, 39999); /* at once would mean that they were seen to go */
    for (size_t i = 0; i < D7_COUNT(gone); i++) {
        stream_close(&gone[i]);
    }
    stream_close(&stays);
}

static void a_client_that_only_reads_on_keeps_its_stream(void **state)
{
    (void)state;
    struct event_stream s;
    http_fixture_start(&f);
    stream_open(&s, f.port, PATH, NULL);
    assert_int_equal(shutdown(s.fd, SHUT_WR), 0);
    assert_true(stream_heartbeat(&s, WAIT_MS)); /* it was noticed, and the stream goes on */
    http_fixture_emit();
    expect(&s, "", "1", "1");
    stream_close(&s);
}

static void stopping_says_goodbye_and_waits_for_nobody(void **state)
{
    (void)state;
    enum { MANY = 20 };
    struct event_stream s[MANY];
    http_fixture_start(&f);
    for (size_t i = 0; i < MANY; i++) {
        stream_open(&s[i], f.port, PATH, NULL);
    }
    int64_t from = clock_mono_ms();
    http_fixture_stop(&f);
    assert_true(clock_mono_ms() - from < 1500);
    for (size_t i = 0; i < MANY; i++) {
        struct event e;
        expect(&s[i], "end", "", "bye");
        assert_false(stream_next(&s[i], WAIT_MS, &e));
        assert_true(s[i].whole);
        stream_close(&s[i]);
    }
}

static void stopping_with_streams_coming_and_going_is_clean(void **state)
{
    (void)state;
    enum { MANY = 40 };
    struct event_stream s[MANY];
    f.options.tick_ms = 1;
    f.options.heartbeat_ms = 1;
    http_fixture_start(&f);
    for (size_t i = 0; i < MANY; i++) {
        stream_open(&s[i], f.port, PATH, NULL);
        http_fixture_emit();
        if (i % 3 == 0) {
            stream_close(&s[i]);
        }
    }
    http_fixture_stop(&f);
    for (size_t i = 0; i < MANY; i++) {
        if (s[i].fd >= 0) {
            struct event e;
            for (unsigned last = 0; stream_next(&s[i], WAIT_MS, &e) && !e.name[0];) {
                int64_t number = 0;
                assert_int_equal(span_parse_i64(span_of(e.data), 1, MANY, &number), D7_OK);
                assert_int_equal(number, ++last);
            }
            assert_string_equal(e.data, "bye");
            stream_close(&s[i]);
        }
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(events_come_as_they_happen_and_the_stream_ends_after_the_last),
        CASE(a_quiet_stream_gets_heartbeats),
        CASE(a_head_request_opens_no_stream),
        CASE(streams_hold_six_in_ten_connections_and_give_them_back),
        CASE(a_client_that_resets_is_let_go),
        CASE(a_client_that_vanishes_without_a_word_is_let_go),
        CASE(a_client_that_only_reads_on_keeps_its_stream),
        CASE(stopping_says_goodbye_and_waits_for_nobody),
        CASE(stopping_with_streams_coming_and_going_is_clean),
    };
    return cmocka_run_group_tests_name("http/streams", tests, NULL, NULL);
}
