/*
 * Design: one thread accepts (the caller's), one thread a client reads, answers and writes with
 * blocking calls. A decision can take seconds of computing, so an event loop would need the threads
 * anyway. Rejected: a process a client (loses the shared tables of the policies).
 *
 * The accept loop owns the slots. A client's thread sets `done` as its last act under the lock; the
 * accept loop then joins it and reuses the slot. `fd` is closed by the accept loop only, after the
 * join, so hanging up (shutdown) can never hit a descriptor that was given to somebody else.
 */
#include "engine/d7p/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "engine/base/fdio.h"

#define READ_BYTES  16384
#define REPLY_LIMIT 65536 /* answers to one line are far shorter */

struct client {
    struct listener *listener; /* borrowed */
    pthread_t thread;
    int fd;
    bool taken; /* accept loop only */
    bool done;  /* guarded by listener.lock */
};

struct listener {
    int fd;
    int wake; /* eventfd: a client's thread says here that it is done */
    char address[LISTEN_ADDRESS_SIZE];
    const struct d7p_factory *factory; /* borrowed while running */
    pthread_mutex_t lock;
    struct client clients[LISTEN_CLIENTS_MAX];
};

static enum d7_err send_all(int fd, struct span bytes)
{
    while (bytes.len) {
        ssize_t put = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (put < 0 && errno == ENOTSOCK) {
            return fd_write_all(fd, bytes.ptr, bytes.len);
        }
        if (put < 0 && errno != EINTR) {
            return D7_ERR_CLOSED; /* gone, or too slow (SO_SNDTIMEO) */
        }
        if (put > 0) {
            bytes.ptr += put;
            bytes.len -= (size_t)put;
        }
    }
    return D7_OK;
}

/* Line by line, so that an answer leaves before the next question is thought about. */
static enum d7_err answer(struct d7p_stream *st, struct span bytes, bool at_end, int out,
                          struct buf *reply, bool *ret_go_on)
{
    bool go_on = true;
    do {
        struct span rest = bytes;
        span_cut(&rest, '\n');
        struct span line = span_make(bytes.ptr, bytes.len - rest.len);
        bytes = rest;
        go_on = d7p_stream_feed(st, line, at_end && rest.len == 0, reply);
        if (reply->err) {
            return reply->err;
        }
        enum d7_err err = send_all(out, buf_span(reply));
        buf_clear(reply);
        if (err) {
            return err;
        }
    } while (go_on && bytes.len);
    *ret_go_on = go_on;
    return D7_OK;
}

static enum d7_err converse(struct d7p_session *session, int in, int out)
{
    struct d7p_stream stream;
    struct buf reply;
    d7p_stream_init(&stream, session);
    buf_init(&reply, REPLY_LIMIT);
    enum d7_err err = D7_OK;
    bool go_on = true;
    while (go_on && !err) {
        char chunk[READ_BYTES];
        ssize_t got = read(in, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        size_t len = got > 0 ? (size_t)got : 0;
        err = answer(&stream, span_make(chunk, len), len == 0, out, &reply, &go_on);
        go_on = go_on && len > 0; /* a reset connection is an end like any other */
    }
    buf_release(&reply);
    d7p_stream_release(&stream);
    return err == D7_ERR_CLOSED ? D7_OK : err;
}

enum d7_err d7p_serve(const struct d7p_factory *f, int in, int out)
{
    struct d7p_session session = {.ctx = NULL};
    enum d7_err err = f->new_session(f->ctx, &session);
    if (err) {
        return err;
    }
    err = converse(&session, in, out);
    f->end_session(f->ctx, &session);
    return err;
}

static void *serve_client(void *arg)
{
    struct client *c = arg;
    struct listener *l = c->listener;
    enum d7_err err = d7p_serve(l->factory, c->fd, c->fd);
    if (err) {
        static const char sorry[] = "info error no memory for this session\n";
        (void)send_all(c->fd, span_of(sorry)); /* a courtesy: the connection ends either way */
    }
    (void)shutdown(c->fd, SHUT_RDWR); /* the client sees the end now; the slot's owner closes */
    D7_CHECK(pthread_mutex_lock(&l->lock) == 0);
    c->done = true;
    D7_CHECK(pthread_mutex_unlock(&l->lock) == 0);
    (void)eventfd_write(l->wake, 1); /* cannot fill up: the accept loop resets it */
    return NULL;
}

/* Joins clients that are done; with `all`, hangs up on the others and waits for them too. */
static void reap(struct listener *l, bool all)
{
    for (size_t i = 0; i < LISTEN_CLIENTS_MAX; i++) {
        struct client *c = &l->clients[i];
        if (!c->taken) {
            continue;
        }
        D7_CHECK(pthread_mutex_lock(&l->lock) == 0);
        bool done = c->done;
        D7_CHECK(pthread_mutex_unlock(&l->lock) == 0);
        if (all && !done) {
            (void)shutdown(c->fd, SHUT_RDWR); /* wakes its read; fails only if it hung up first */
        }
        if (all || done) {
            D7_CHECK(pthread_join(c->thread, NULL) == 0);
            (void)close(c->fd);
            c->taken = false;
        }
    }
}

static void tune(int fd)
{
    int on = 1;
    int idle = 60;
    int every = 10;
    int probes = 3;
    struct timeval patience = {.tv_sec = LISTEN_SEND_MS / 1000};
    /* None of these failing makes the connection wrong, only slower or longer-lived. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

static void take_client(struct listener *l, int fd)
{
    struct client *c = NULL;
    for (size_t i = 0; i < LISTEN_CLIENTS_MAX && !c; i++) {
        c = l->clients[i].taken ? NULL : &l->clients[i];
    }
    tune(fd);
    const char *refusal = "info error too many clients\n";
    if (c) {
        *c = (struct client){.listener = l, .fd = fd, .taken = true};
        if (pthread_create(&c->thread, NULL, serve_client, c) == 0) {
            return;
        }
        c->taken = false;
        refusal = "info error no thread for this session\n";
    }
    (void)send_all(fd, span_of(refusal)); /* a courtesy to somebody we hang up on */
    (void)close(fd);
}

static enum d7_err accept_one(struct listener *l)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
        take_client(l, fd);
        return D7_OK;
    }
    switch (errno) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        (void)poll(NULL, 0, 100); /* the connection stays queued: without a pause this loop spins */
        return D7_OK;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
        return D7_ERR_INTERNAL;
    default:
        return D7_OK; /* that client is gone, or its network is: the next one counts */
    }
}

enum d7_err listener_run(struct listener *l, const struct d7p_factory *f, int stop_fd)
{
    l->factory = f;
    enum d7_err err = D7_OK;
    while (!err) {
        struct pollfd fds[] = {{.fd = l->fd, .events = POLLIN},
                               {.fd = l->wake, .events = POLLIN},
                               {.fd = stop_fd, .events = POLLIN}};
        if (poll(fds, D7_COUNT(fds), -1) < 0) {
            err = errno == EINTR ? D7_OK : d7_err_from_errno(errno);
            continue;
        }
        if (fds[2].revents) {
            break;
        }
        if (fds[1].revents) {
            eventfd_t count = 0;
            (void)eventfd_read(l->wake, &count); /* reset before looking, or a wake-up is lost */
            reap(l, false);
        }
        if (fds[0].revents) {
            err = accept_one(l);
        }
    }
    reap(l, true);
    return err;
}

static enum d7_err name_socket(struct listener *l)
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof(at);
    char host[64];
    char port[8];
    if (getsockname(l->fd, (struct sockaddr *)&at, &len) < 0 ||
        getnameinfo((const struct sockaddr *)&at, len, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return D7_ERR_IO;
    }
    (void)snprintf(l->address, sizeof(l->address), at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
                   host, port); /* both parts are shorter than the room */
    return D7_OK;
}

static enum d7_err bind_socket(struct listener *l, const void *address, size_t address_len,
                               struct d7_why *why)
{
    const struct sockaddr *at = address;
    int on = 1;
    l->fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0) {
        return d7_refuse(why, d7_err_from_errno(errno), "listen", "no socket: %s",
                         strerrordesc_np(errno));
    }
    (void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* restart without a wait */
    if (bind(l->fd, at, (socklen_t)address_len) < 0 || listen(l->fd, LISTEN_CLIENTS_MAX) < 0) {
        int number = errno;
        enum d7_err err = number == EADDRINUSE      ? D7_ERR_CONFLICT
                          : number == EADDRNOTAVAIL ? D7_ERR_UNAVAILABLE
                                                    : d7_err_from_errno(number);
        return d7_refuse(why, err, "listen", "cannot listen: %s", strerrordesc_np(number));
    }
    return name_socket(l);
}

enum d7_err listener_new(const void *address, size_t address_len, struct listener **ret,
                         struct d7_why *why)
{
    struct listener *l = calloc(1, sizeof(*l));
    if (!l) {
        return D7_ERR_NOMEM;
    }
    l->fd = -1;
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum d7_err err = D7_OK;
    D7_CHECK(pthread_mutex_init(&l->lock, NULL) == 0); /* a plain mutex cannot fail on Linux */
    if (l->wake < 0) {
        err = d7_refuse(why, D7_ERR_IO, "listen", "no descriptor is left");
        goto out;
    }
    err = bind_socket(l, address, address_len, why);
    if (err) {
        goto out;
    }
    *ret = l;
    l = NULL; /* now the caller's */
out:
    listener_free(l);
    return err;
}

const char *listener_address(const struct listener *l)
{
    return l->address;
}

void listener_free(struct listener *l)
{
    if (!l) {
        return;
    }
    const int fds[] = {l->fd, l->wake};
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}
