/* GET /runs/{id}/events: runs followed on a real server, from a worker's first game to the end. */
#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "tests/support/games.h"
#include "tests/support/stream.h"

#define WAIT_MS 60000
#define GAMES   ROUND_GAUNTLET_COUNT

static struct test_server server;
static char events[100]; /* the path of the run's events */

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

/* Queues a run of greedy. */
static void start_run(void)
{
    const char *token = server_token(&server, "boss", true);
    struct answer a = http_send(&server, "POST", "/api/v1/runs", token, "{\"policy\":\"greedy\"}");
    assert_int_equal(a.status, 202);
    (void)snprintf(events, sizeof(events), "/api/v1/runs/%s/events", answer_text(&a, "id"));
    answer_free(&a);
}

struct seen {
    unsigned last; /* the highest game */
    bool ended;
    char status[32];
    unsigned progress;
};

/* Reads until the end, or `games` further games: each event's id is the number of games so far, and
 * no game is left out or comes twice. */
static void follow(struct event_stream *s, unsigned games, struct seen *seen)
{
    struct event e;
    for (unsigned stop = seen->last + games; !seen->ended && seen->last < stop;) {
        int64_t id = 0;
        struct jval *data = NULL;
        struct span text;
        if (!stream_next(s, WAIT_MS, &e)) {
            fail_msg("the stream stops after game %u", seen->last);
        }
        assert_int_equal(span_parse_i64(span_of(e.id), 0, GAMES, &id), D7_OK);
        assert_int_equal(jval_parse(span_of(e.data), &data, NULL), D7_OK);
        if (strcmp(e.name, "game") == 0) {
            assert_int_equal(id, ++seen->last);
            assert_true(jval_text(jval_get(data, "checksum"), &text));
        } else {
            assert_int_equal(id, seen->last);
            assert_true(jval_text(jval_get(data, "status"), &text));
            assert_int_equal(span_copy(text, seen->status, sizeof(seen->status)), D7_OK);
            seen->progress += strcmp(e.name, "progress") == 0;
            seen->ended = strcmp(e.name, "end") == 0;
        }
        jval_free(data);
    }
}

static void a_run_is_followed_to_its_end(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers", "2", NULL};
    struct event_stream s;
    struct event e;
    struct seen seen = {.last = 0};
    server_start(&server, options);
    start_run();
    stream_open(&s, server.port, events, NULL);
    assert_int_equal(s.status, 200);
    follow(&s, GAMES + 1, &seen);
    assert_true(seen.ended);
    assert_int_equal(seen.last, GAMES);
    assert_string_equal(seen.status, "done");
    assert_true(seen.progress >= 1);
    assert_false(stream_next(&s, WAIT_MS, &e));
    assert_true(s.whole);
    stream_close(&s);

    /* who comes late gets the same at once */
    seen = (struct seen){.last = 0};
    stream_open(&s, server.port, events, NULL);
    follow(&s, GAMES + 1, &seen);
    assert_int_equal(seen.last, GAMES);
    assert_int_equal(seen.progress, 1);
    stream_close(&s);
}

static void a_stream_taken_up_again_has_no_gap_and_no_double(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers", "1", NULL};
    struct event_stream s;
    struct seen seen = {.last = 0};
    server_start(&server, options);
    start_run();
    for (unsigned step = 1; !seen.ended; step++) {
        char last[16];
        (void)snprintf(last, sizeof(last), "%u", seen.last);
        stream_open(&s, server.port, events, seen.last ? last : NULL);
        assert_int_equal(s.status, 200);
        follow(&s, step, &seen); /* then the line breaks */
        stream_close(&s);
    }
    assert_int_equal(seen.last, GAMES);
    stream_open(&s, server.port, events, "6");
    seen = (struct seen){.last = 6};
    follow(&s, GAMES, &seen);
    assert_true(seen.ended);
    assert_int_equal(seen.last, GAMES);
    stream_close(&s);
}

static void what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    static const char *const options[] = {"--workers", "0", NULL};
    struct event_stream s;
    server_start(&server, options);
    start_run();
    stream_open(&s, server.port, "/api/v1/runs/none/events", NULL);
    assert_int_equal(s.status, 404);
    stream_close(&s);
    static const char *const bad[] = {"-1", "x", "1.5", "99999999999999999999"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        stream_open(&s, server.port, events, bad[i]);
        assert_int_equal(s.status, 400);
        stream_close(&s);
    }
}

/* A number of /proc/PID/status. */
static int64_t process_number(const char *key)
{
    char path[64];
    struct buf text;
    int64_t number = -1;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)server.pid);
    buf_init(&text, 65536);
    assert_int_equal(file_read(path, &text), D7_OK);
    struct span rest = buf_span(&text);
    while (rest.len && number < 0) {
        struct span line = span_cut(&rest, '\n');
        if (span_is(span_cut(&line, ':'), key)) {
            (void)!span_parse_i64(span_token(&line), 0, INT64_MAX, &number);
        }
    }
    buf_release(&text);
    return number;
}

static void two_hundred_followers_cost_no_thread_and_keep_nobody_waiting(void **state)
{
    (void)state;
    enum { MANY = 200 };
    static struct event_stream s[MANY];
    static const char *const options[] = {"--workers", "0", NULL};
    struct event e;
    server_start(&server, options);
    start_run();
    struct answer a = http_get(&server, "/healthz");
    answer_free(&a);
    int64_t threads = process_number("Threads");
    for (size_t i = 0; i < MANY; i++) {
        stream_open(&s[i], server.port, events, NULL);
        assert_int_equal(s[i].status, 200);
        assert_true(stream_next(&s[i], WAIT_MS, &e));
        assert_string_equal(e.name, "progress");
    }
    /* a pool thread's store appears with its first request, a thread does not */
    assert_int_equal(process_number("Threads"), threads);
    int64_t from = clock_mono_ms();
    for (int i = 0; i < 20; i++) {
        a = http_get(&server, "/api/v1/leaderboard");
        assert_int_equal(a.status, 200);
        answer_free(&a);
    }
    assert_true(clock_mono_ms() - from < 10000);

    /* a worker comes: all of them see every game */
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7d"));
    const char *argv[] = {program, "worker", "--data", server.data, NULL};
    pid_t worker = process_spawn(argv, 2);
    for (size_t i = 0; i < MANY; i++) {
        struct seen seen = {.last = 0};
        follow(&s[i], GAMES + 1, &seen);
        assert_int_equal(seen.last, GAMES);
        assert_string_equal(seen.status, "done");
        assert_false(stream_next(&s[i], WAIT_MS, &e));
        assert_true(s[i].whole);
        stream_close(&s[i]);
    }
    program_end(worker);
}

static void stopping_the_server_ends_the_streams(void **state)
{
    (void)state;
    enum { MANY = 30 };
    static struct event_stream s[MANY];
    static const char *const options[] = {"--workers", "0", NULL};
    struct event e;
    server_start(&server, options);
    start_run();
    for (size_t i = 0; i < MANY; i++) {
        stream_open(&s[i], server.port, events, NULL);
    }
    int64_t from = clock_mono_ms();
    assert_int_equal(server_stop(&server), 0);
    assert_true(clock_mono_ms() - from < 5000);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(stream_next(&s[i], WAIT_MS, &e));
        assert_string_equal(e.name, "progress");
        assert_true(stream_next(&s[i], WAIT_MS, &e));
        assert_string_equal(e.name, "end");
        assert_string_equal(e.id, ""); /* the client's last one stays */
        assert_false(stream_next(&s[i], WAIT_MS, &e));
        assert_true(s[i].whole);
        stream_close(&s[i]);
    }
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_is_followed_to_its_end),
        CASE(a_stream_taken_up_again_has_no_gap_and_no_double),
        CASE(what_cannot_be_followed_is_refused),
        CASE(two_hundred_followers_cost_no_thread_and_keep_nobody_waiting),
        CASE(stopping_the_server_ends_the_streams),
    };
    return cmocka_run_group_tests_name("http/events", tests, NULL, NULL);
}
