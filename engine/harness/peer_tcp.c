/*
 * Design: a connection is a process that somebody else runs: same lines, same faults. It connects
 * to exactly the address it was given, a restart is a new connection to it. Once a connection has
 * stood, a refused one is tried again for the whole connect limit: an endpoint that restarts, in
 * mid-game or between two, is back within a second or so, and three instant refusals would forfeit
 * its game, or all games that wait in a row.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "engine/harness/peer_kind.h"

#define RETRY_US 100000

struct peer_tcp {
    struct peer base;
    struct tcp_spec spec;
    bool has_stood; /* connected at least once */
};

static struct peer_tcp *tcp_of(struct peer *p)
{
    return (struct peer_tcp *)p;
}

static void tune(int fd)
{
    int on = 1;
    int idle = 10;
    int every = 5;
    int probes = 3;
    /* None of these failing makes the connection wrong; the move limit holds without them. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

/* A connect to a free local port can meet itself: the kernel picks that very port for our side. */
static bool is_connected_to_itself(int fd)
{
    struct sockaddr_storage here = {.ss_family = AF_UNSPEC};
    struct sockaddr_storage there = {.ss_family = AF_UNSPEC};
    socklen_t here_len = sizeof(here);
    socklen_t there_len = sizeof(there);
    return getsockname(fd, (struct sockaddr *)&here, &here_len) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &there_len) == 0 && here_len == there_len &&
           memcmp(&here, &there, here_len) == 0;
}

/* Starts connecting. 0 (connected), EINPROGRESS, or why not. */
static int begin_connect(const struct tcp_spec *spec, int fd)
{
    while (connect(fd, spec->address, (socklen_t)spec->address_len) < 0) {
        if (errno != EINTR) {
            return errno == EALREADY ? EINPROGRESS : errno;
        }
    }
    return 0;
}

/* One attempt; *ret_number is 0 or why the other side cannot be had (ETIMEDOUT: out of patience).
 */
static enum d7_err attempt(const struct tcp_spec *spec, struct patience *w, int *ret_fd,
                           int *ret_number)
{
    const struct sockaddr *at = spec->address;
    int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 && errno != EAFNOSUPPORT) {
        return d7_err_from_errno(errno);
    }
    int number = fd < 0 ? EAFNOSUPPORT : begin_connect(spec, fd);
    if (number == EINPROGRESS) {
        struct pollfd room = {.fd = fd, .events = POLLOUT};
        bool ready = false;
        enum d7_err err = patience_poll(w, &room, 1, &ready);
        if (err) {
            (void)close(fd); /* never was a connection */
            return err;
        }
        socklen_t len = sizeof(number);
        number = ETIMEDOUT;
        if (ready && getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &len) < 0) {
            number = errno;
        }
    }
    if (number == 0 && is_connected_to_itself(fd)) {
        number = ECONNREFUSED;
    }
    if (number == 0) {
        tune(fd);
        *ret_fd = fd;
    } else if (fd >= 0) {
        (void)close(fd); /* never was a connection */
    }
    *ret_number = number;
    return D7_OK;
}

static bool is_our_shortage(int number)
{
    return number == EADDRNOTAVAIL || number == ENOBUFS || number == ENOMEM || number == EAGAIN;
}

/* Waits a little before the next attempt; false when the limit has no room for one. */
static enum d7_err wait_before_retry(struct patience *w, bool *ret_again)
{
    int64_t limit = w->deadline_us;
    int64_t lost = w->lost_us;
    bool ready = false;
    w->deadline_us = clock_mono_us() + RETRY_US;
    *ret_again = w->deadline_us < limit;
    enum d7_err err = *ret_again ? patience_poll(w, NULL, 0, &ready) : D7_OK;
    w->deadline_us = limit + w->lost_us - lost;
    return err;
}

static enum d7_err tcp_start(struct peer *p, struct patience *w, enum peer_event *ret)
{
    struct peer_tcp *t = tcp_of(p);
    for (;;) {
        int fd = -1;
        int number = 0;
        bool again = false;
        enum d7_err err = attempt(&t->spec, w, &fd, &number);
        if (err) {
            return err;
        }
        if (number == 0) {
            t->has_stood = true;
            link_open(&p->link, fd, fd, -1, -1);
            *ret = PEER_DONE;
            return D7_OK;
        }
        if (is_our_shortage(number)) {
            return D7_ERR_IO;
        }
        if (t->has_stood && number == ECONNREFUSED) {
            err = wait_before_retry(w, &again);
            if (err) {
                return err;
            }
        }
        if (!again) {
            (void)snprintf(p->why, sizeof(p->why), "cannot connect to the endpoint: %s",
                           strerrordesc_np(number));
            *ret = PEER_NO_START;
            return D7_OK;
        }
    }
}

static void tcp_stop(struct peer *p, bool politely)
{
    (void)politely; /* closing sends what was written */
    link_close(&p->link);
}

static void tcp_explain_end(struct peer *p)
{
    (void)snprintf(p->why, sizeof(p->why), "the endpoint closed the connection");
}

static const struct peer_kind tcp_kind = {
    .start = tcp_start,
    .stop = tcp_stop,
    .explain_end = tcp_explain_end,
};

enum d7_err peer_tcp_new(const struct tcp_spec *spec, const struct harness_limits *limits,
                         struct peer **ret)
{
    struct peer_tcp *t = calloc(1, sizeof(*t));
    if (!t) {
        return D7_ERR_NOMEM;
    }
    t->spec = *spec;
    t->has_stood = spec->has_stood;
    enum d7_err err = peer_init(&t->base, &tcp_kind, limits);
    if (err) {
        peer_free(&t->base);
        return err;
    }
    *ret = &t->base;
    return D7_OK;
}
