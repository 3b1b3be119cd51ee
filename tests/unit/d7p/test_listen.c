/* engine/d7p/listen: several clients over TCP, one over pipes. */
#include "tests/support/player.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/d7p/listen.h"

#define WAIT_MS 10000

/* Sessions count their own questions: a session shared by two clients would show. */
static unsigned choose_counting(void *ctx, const struct position *at)
{
    (void)at;
    unsigned *asked = ctx;
    return (*asked)++ % BOARD_COLUMNS;
}

static enum d7_err new_session(void *ctx, struct d7p_session *ret)
{
    (void)ctx;
    unsigned *asked = calloc(1, sizeof(*asked));
    if (!asked) {
        return D7_ERR_NOMEM;
    }
    *ret = (struct d7p_session){
        .identity = {"Counter", "tests", true}, .choose = choose_counting, .ctx = asked};
    return D7_OK;
}

static void end_session(void *ctx, struct d7p_session *s)
{
    (void)ctx;
    free(s->ctx);
}

static const struct d7p_factory factory = {new_session, end_session, NULL};

struct served {
    struct listener *listener;
    pthread_t thread;
    int stop;
    enum d7_err err;
};

static void *run(void *arg)
{
    struct served *s = arg;
    s->err = listener_run(s->listener, &factory, s->stop);
    return NULL;
}

static void serve_start(struct served *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(listener_new(&at, sizeof(at), &s->listener, NULL), D7_OK);
    s->stop = eventfd(0, EFD_CLOEXEC);
    assert_true(s->stop >= 0);
    assert_int_equal(pthread_create(&s->thread, NULL, run, s), 0);
}

static void serve_stop(struct served *s)
{
    assert_int_equal(eventfd_write(s->stop, 1), 0);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    assert_int_equal(s->err, D7_OK);
    listener_free(s->listener);
    (void)close(s->stop);
}

static int dial(const struct served *s)
{
    struct span rest = span_of(listener_address(s->listener));
    int64_t port = 0;
    assert_true(span_is(span_cut(&rest, ':'), "127.0.0.1"));
    assert_int_equal(span_parse_i64(rest, 1, UINT16_MAX, &port), D7_OK);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(fd_write_all(fd, text, strlen(text)), D7_OK);
}

/* Exactly this comes next; "" means end of file. */
static void assert_hears(int fd, const char *text)
{
    char got[256];
    size_t len = 0;
    size_t want = strlen(text);
    do {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, WAIT_MS), 1);
        ssize_t n = read(fd, got + len, want ? want - len : 1);
        if (n <= 0) {
            break;
        }
        len += (size_t)n;
    } while (len < want);
    assert_int_equal(len, want);
    assert_memory_equal(got, text, want);
}

static void clients_have_sessions_of_their_own(void **state)
{
    (void)state;
    struct served s;
    serve_start(&s);
    int a = dial(&s);
    int b = dial(&s);
    say(a, "position startpos next 1 rise 5\ngo\ngo\n");
    assert_hears(a, "bestmove 0\nbestmove 1\n");
    say(b, "go\nposition startpos next 1 rise 5\ngo\n");
    assert_hears(b, "info error no position\nbestmove 0\n");
    say(a, "g");
    say(b, "go\n");
    assert_hears(b, "bestmove 1\n"); /* although the other is in the middle of a line */
    say(a, "o\nquit\n");
    assert_hears(a, "bestmove 2\n");
    assert_hears(a, "");
    (void)close(a);
    say(b, "isready\n");
    assert_hears(b, "readyok\n");
    serve_stop(&s); /* hangs up on those who stayed */
    assert_hears(b, "");
    (void)close(b);
}

static void one_client_too_many_is_told_so_and_a_free_place_is_used_again(void **state)
{
    (void)state;
    struct served s;
    int fds[LISTEN_CLIENTS_MAX];
    serve_start(&s);
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = dial(&s);
        say(fds[i], "isready\n");
        assert_hears(fds[i], "readyok\n");
    }
    int more = dial(&s);
    assert_hears(more, "info error too many clients\n");
    assert_hears(more, "");
    (void)close(more);
    say(fds[7], "quit\n");
    assert_hears(fds[7], "");
    (void)close(fds[7]);
    for (unsigned tries = 0; tries < 200; tries++) { /* the place is free a moment after the end */
        char first = 0;
        more = dial(&s);
        (void)send(more, "isready\n", 8, MSG_NOSIGNAL);
        ssize_t got = read(more, &first, 1);
        (void)close(more);
        if (got == 1 && first == 'r') {
            break;
        }
        assert_true(tries < 199);
    }
    serve_stop(&s);
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        if (i != 7) {
            (void)close(fds[i]);
        }
    }
}

static void client_that_does_not_read_holds_up_nobody(void **state)
{
    (void)state;
    struct served s;
    serve_start(&s);
    int deaf = dial(&s);
    int other = dial(&s);
    char many[8000];
    for (size_t i = 0; i < sizeof(many); i++) {
        many[i] = "isready\n"[i % 8];
    }
    assert_int_equal(fd_set_nonblock(deaf), D7_OK);
    /* until its answers fill every buffer on the way and its questions do so too */
    struct pollfd room = {.fd = deaf, .events = POLLOUT};
    while (poll(&room, 1, 300) == 1) {
        assert_true(send(deaf, many, sizeof(many), MSG_NOSIGNAL) > 0 || errno == EAGAIN);
    }
    say(other, "isready\n");
    assert_hears(other, "readyok\n");
    int64_t from = clock_mono_ms();
    serve_stop(&s); /* nor the end: it does not wait for the send limit */
    assert_true(clock_mono_ms() - from < LISTEN_SEND_MS / 2);
    (void)close(deaf);
    (void)close(other);
}

static void taken_port_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct served s;
    serve_start(&s);
    struct span rest = span_of(listener_address(s.listener));
    int64_t port = 0;
    (void)span_cut(&rest, ':');
    assert_int_equal(span_parse_i64(rest, 1, UINT16_MAX, &port), D7_OK);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct listener *second = NULL;
    struct d7_why why = {.text = ""};
    assert_int_equal(listener_new(&at, sizeof(at), &second, &why), D7_ERR_CONFLICT);
    assert_null(second);
    assert_non_null(strstr(why.text, "in use"));
    serve_stop(&s);
}

static void pipes_are_served_to_their_end(void **state)
{
    (void)state;
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    say(in[1], "isready\nposition startpos next 1 rise 5\ngo\nisready");
    (void)close(in[1]);
    assert_int_equal(d7p_serve(&factory, in[0], out[1]), D7_OK);
    (void)close(in[0]);
    (void)close(out[1]);
    assert_hears(out[0], "readyok\nbestmove 0\nreadyok\n");
    assert_hears(out[0], "");
    (void)close(out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(clients_have_sessions_of_their_own),
        PLAYER_CASE(one_client_too_many_is_told_so_and_a_free_place_is_used_again),
        PLAYER_CASE(client_that_does_not_read_holds_up_nobody),
        PLAYER_CASE(taken_port_is_refused_with_a_reason),
        PLAYER_CASE(pipes_are_served_to_their_end),
    };
    return cmocka_run_group_tests_name("unit/d7p/listen", tests, NULL, NULL);
}
