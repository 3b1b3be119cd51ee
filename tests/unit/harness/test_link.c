/* engine/harness/link: lines, limits and deadlines on bare pipes. */
#include "tests/support/player.h"

#include <fcntl.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/harness/link.h"

/* A link with its other ends in our hands: `say` is what it reads, `hear` what it writes. */
struct wire {
    struct link link;
    int say, hear;
};

static void wire_init(struct wire *w, const struct link_limits *limits)
{
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(fd_set_nonblock(in[0]), D7_OK);
    assert_int_equal(fd_set_nonblock(out[1]), D7_OK);
    assert_int_equal(link_init(&w->link, limits), D7_OK);
    link_open(&w->link, in[0], out[1], -1, -1);
    w->say = in[1];
    w->hear = out[0];
}

static void wire_release(struct wire *w)
{
    link_release(&w->link);
    if (w->say >= 0) {
        (void)close(w->say);
    }
    (void)close(w->hear);
}

static void say(const struct wire *w, const char *text)
{
    assert_int_equal(fd_write_all(w->say, text, strlen(text)), D7_OK);
}

static struct patience within(int64_t ms)
{
    struct patience p = {.final_us = INT64_MAX, .ask_us = INT64_MAX};
    patience_within(&p, ms);
    return p;
}

static void assert_next(struct wire *w, int64_t ms, enum peer_event event, const char *text)
{
    struct patience p = within(ms);
    struct span line = {NULL, 0};
    enum peer_event got = PEER_NO_START;
    assert_int_equal(link_next(&w->link, &p, &line, &got), D7_OK);
    assert_int_equal(got, event);
    if (text) {
        assert_true(span_is(line, text));
    }
}

static const struct link_limits usual = {64, 1000, 0};

static void lines_come_out_however_the_bytes_are_cut(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    for (const char *c = "first\n"; *c; c++) {
        char one[2] = {*c, '\0'};
        say(&w, one);
        assert_next(&w, *c == '\n' ? 1000 : 1, *c == '\n' ? PEER_DONE : PEER_LATE,
                    *c == '\n' ? "first" : NULL);
    }
    say(&w, "second\n\nthird\nfour");
    assert_next(&w, 1000, PEER_DONE, "second");
    assert_next(&w, 1000, PEER_DONE, "");
    assert_next(&w, 1000, PEER_DONE, "third");
    assert_next(&w, 1, PEER_LATE, NULL);
    assert_true(span_is(link_pending(&w.link), "four"));
    say(&w, "th\nlast");
    (void)close(w.say);
    w.say = -1;
    assert_next(&w, 1000, PEER_DONE, "fourth");
    assert_next(&w, 1000, PEER_CLOSED, NULL); /* "last" is no complete line */
    wire_release(&w);
}

static void line_limit_holds_with_and_without_its_end(void **state)
{
    (void)state;
    static const char longest[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    for (size_t i = 0; i < 2; i++) {
        struct wire w;
        char text[80];
        wire_init(&w, &usual);
        say(&w, longest);
        say(&w, "\n");
        assert_next(&w, 1000, PEER_DONE, longest);
        (void)snprintf(text, sizeof(text), "%sx%s", longest, i ? "" : "\n");
        say(&w, text);
        assert_next(&w, 1000, PEER_LINE_LIMIT, NULL);
        wire_release(&w);
    }
}

static void output_limit_counts_from_link_begin(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    for (unsigned turn = 0; turn < 3; turn++) {
        enum peer_event event = PEER_NO_START;
        for (unsigned i = 0; i < 90; i++) {
            say(&w, "123456789\n"); /* 900 bytes */
        }
        say(&w, "part");
        if (turn == 1) {
            assert_next(&w, 1000, PEER_DONE, "123456789");
        }
        link_begin(&w.link, &event);
        assert_int_equal(event, PEER_DONE);
        assert_next(&w, 1, PEER_LATE, NULL);
        say(&w, "ly\n");
        assert_next(&w, 1000, PEER_DONE, "partly"); /* only complete lines are dropped */
    }
    wire_release(&w);
}

/* The limit is met at the same byte however the bytes are cut. */
static void output_limit_holds_to_the_byte(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool at_once = i % 2;
        const bool too_much = i / 2;
        struct wire w;
        enum peer_event event = PEER_NO_START;
        wire_init(&w, &usual);
        link_begin(&w.link, &event);
        for (unsigned k = 0; at_once && k < 99; k++) {
            say(&w, "123456789\n");
        }
        if (at_once) {
            say(&w, too_much ? "bestmove  3\n" : "bestmove3\n");
        }
        for (unsigned k = 0; k < 99; k++) {
            if (!at_once) {
                say(&w, "123456789\n");
            }
            assert_next(&w, 1000, PEER_DONE, "123456789");
        }
        if (!at_once) {
            say(&w, too_much ? "bestmove  3\n" : "bestmove3\n");
        }
        assert_next(&w, 1000, too_much ? PEER_OUTPUT_LIMIT : PEER_DONE, NULL);
        say(&w, "x"); /* an unfinished line counts too */
        assert_next(&w, 1000, PEER_OUTPUT_LIMIT, NULL);
        wire_release(&w);
    }
}

static void write_to_somebody_who_never_reads_ends_at_the_deadline(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    static char much[1 << 20];
    memset(much, 'q', sizeof(much));
    say(&w, "stale\nhalf");
    struct patience p = within(50);
    enum peer_event event = PEER_NO_START;
    int64_t from = clock_mono_ms();
    assert_int_equal(link_write(&w.link, &p, span_make(much, sizeof(much)), &event), D7_OK);
    assert_int_equal(event, PEER_LATE);
    assert_in_range(clock_mono_ms() - from, 49, 2000);
    say(&w, "-line\n");
    assert_next(&w, 1000, PEER_DONE, "half-line"); /* what came meanwhile was read and dropped */
    wire_release(&w);
}

static void write_to_a_closed_pipe_is_an_event_and_no_signal(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    struct peer *peer = NULL;
    static const char *const argv[] = {"/nonexistent", NULL};
    struct child_spec spec = {.argv = argv};
    struct harness_limits limits = player_limits();
    assert_int_equal(peer_child_new(&spec, &limits, &peer), D7_OK); /* from here SIGPIPE is off */
    (void)close(w.hear);
    w.hear = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct patience p = within(1000);
    enum peer_event event = PEER_NO_START;
    assert_int_equal(link_write(&w.link, &p, span_of("go\n"), &event), D7_OK);
    assert_int_equal(event, PEER_CLOSED);
    peer_free(peer);
    wire_release(&w);
}

static void tail_of_stderr_is_what_came_last(void **state)
{
    (void)state;
    static const struct link_limits small = {64, 1000, 10};
    struct link l;
    int errors[2];
    assert_int_equal(link_init(&l, &small), D7_OK);
    assert_int_equal(pipe2(errors, O_CLOEXEC | O_NONBLOCK), 0);
    link_open(&l, -1, -1, errors[0], -1);
    static const struct {
        const char *more, *tail;
    } rows[] = {
        {"abc", "abc"},
        {"defghij", "abcdefghij"},
        {"k", "bcdefghijk"},
        {"lmnopqrs", "jklmnopqrs"},
        {"0123456789abcdef", "6789abcdef"},
        {"", "6789abcdef"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        assert_int_equal(fd_write_all(errors[1], rows[i].more, strlen(rows[i].more)), D7_OK);
        link_drain_errors(&l);
        assert_true(span_is(link_tail(&l), rows[i].tail));
    }
    (void)close(errors[1]);
    link_release(&l);
}

struct slow_watch {
    const struct wire *wire;
    unsigned asked;
};

/* Held up once, longer than the whole limit; the answer comes later still. */
static bool hold_up_then_answer(void *ctx, uint32_t moves_played)
{
    (void)moves_played;
    struct slow_watch *s = ctx;
    if (s->asked == 0) {
        (void)poll(NULL, 0, 2500);
    } else if (s->asked == 1) {
        say(s->wire, "bestmove 3\n");
    }
    s->asked++;
    return true;
}

/* Whatever kept this process from running (a stop, a busy store, a starved machine) is nobody's
 * thinking time. */
static void time_in_which_we_did_not_run_is_not_charged(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    struct slow_watch slow = {.wire = &w};
    const struct harness_watch watch = {hold_up_then_answer, &slow};
    struct patience p = {.final_us = clock_mono_us() + 1500000, .watch = &watch};
    struct span line = {NULL, 0};
    enum peer_event got = PEER_NO_START;
    p.ask_us = INT64_MAX;
    patience_within(&p, 1000);
    int64_t real = clock_mono_us(), from = patience_now_us(&p);
    int64_t lost = p.lost_us, final_us = p.final_us;
    p.ask_us = from + 100000;
    assert_int_equal(link_next(&w.link, &p, &line, &got), D7_OK);
    assert_int_equal(got, PEER_DONE);
    assert_true(span_is(line, "bestmove 3"));
    int64_t took = patience_now_us(&p) - from;
    assert_true(p.lost_us > lost);
    assert_int_equal(p.final_us, final_us + p.lost_us - lost);
    assert_true(took <= clock_mono_us() - real - (p.lost_us - lost));
    wire_release(&w);
}

static bool hold_up_each_time(void *ctx, uint32_t moves_played)
{
    (void)moves_played;
    unsigned *asked = ctx;
    (void)poll(NULL, 0, 1200);
    return ++*asked < 8;
}

/* Its time is given back, and yet the limit comes: it runs between two asks. */
static void watch_that_is_always_slow_does_not_put_off_the_limit_for_ever(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    unsigned asked = 0;
    const struct harness_watch watch = {hold_up_each_time, &asked};
    struct patience p = {.final_us = INT64_MAX, .watch = &watch};
    struct span line = {NULL, 0};
    enum peer_event got = PEER_DONE;
    patience_within(&p, 300);
    assert_int_equal(link_next(&w.link, &p, &line, &got), D7_OK); /* or the watch says stop */
    assert_int_equal(got, PEER_LATE);
    wire_release(&w);
}

/* Late ourselves by less than that: what lies there by then was in time. */
static void what_came_while_we_were_late_is_read_once(void **state)
{
    (void)state;
    struct wire w;
    wire_init(&w, &usual);
    struct patience p = within(1);
    struct span line = {NULL, 0};
    enum peer_event got = PEER_NO_START;
    say(&w, "bestmove 3\n");
    while (clock_mono_us() < p.deadline_us) {
    }
    assert_int_equal(link_next(&w.link, &p, &line, &got), D7_OK);
    assert_int_equal(got, PEER_DONE);
    say(&w, "info and on it talks\n");
    assert_int_equal(link_next(&w.link, &p, &line, &got), D7_OK);
    assert_int_equal(got, PEER_LATE);
    wire_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(time_in_which_we_did_not_run_is_not_charged),
        PLAYER_CASE(watch_that_is_always_slow_does_not_put_off_the_limit_for_ever),
        PLAYER_CASE(what_came_while_we_were_late_is_read_once),
        PLAYER_CASE(lines_come_out_however_the_bytes_are_cut),
        PLAYER_CASE(line_limit_holds_with_and_without_its_end),
        PLAYER_CASE(output_limit_counts_from_link_begin),
        PLAYER_CASE(output_limit_holds_to_the_byte),
        PLAYER_CASE(write_to_somebody_who_never_reads_ends_at_the_deadline),
        PLAYER_CASE(write_to_a_closed_pipe_is_an_event_and_no_signal),
        PLAYER_CASE(tail_of_stderr_is_what_came_last),
    };
    return cmocka_run_group_tests_name("unit/harness/link", tests, NULL, NULL);
}
