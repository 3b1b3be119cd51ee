/*
 * conn.c - counting connections, and the reaper that ends those out of time.
 *
 * Design  every state of a connection has an absolute deadline, so neither a slow header nor a slow
 * body nor a slow reader holds a place for long. Over the limit the longest idle connection gives
 * its place, one that has asked nothing yet as well as one between two requests; where none is
 * idle the newcomer is told 503. Those to be told 503 who say nothing give way to each other: at
 * the library's own limit newcomers would wait in the backlog, unseen. The reaper sleeps in poll(2)
 * until the next deadline; a nearer one wakes it through an eventfd. Deadlines are set without the
 * lock: while the reaper looks them through, next_wake_ms says "never", so that whoever sets one
 * then wakes it, whether it was seen or not.
 */
#include "server/http/mhd.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "server/http/metrics.h"

#define REFUSED_MS  2000 /* a refused connection must send its request within */
#define PEER_ACK_MS 15000
/* a request that came with its connection may be read, but not be understood yet */
#define FRESH_GRACE_MS 50
#define ROOM_TRIES     16 /* bounds the work of one accept */

static void lock(struct http_daemon *d)
{
    D7_CHECK(pthread_mutex_lock(&d->lock) == 0);
}

static void unlock(struct http_daemon *d)
{
    D7_CHECK(pthread_mutex_unlock(&d->lock) == 0);
}

static void wake(struct http_daemon *d)
{
    uint64_t one = 1;
    /* fails only when the counter is full, and then the reaper is awake anyway */
    (void)!write(d->wake_fd, &one, sizeof(one));
}

void conn_enter(struct conn *c, enum conn_phase phase, int64_t now, int64_t ms)
{
    atomic_store(&c->phase, (int)phase);
    atomic_store(&c->since_ms, now);
    atomic_store(&c->deadline_ms, now + ms);
    if (now + ms < atomic_load(&c->d->next_wake_ms)) {
        wake(c->d);
    }
}

static void uncount(struct conn *c)
{
    c->d->conn_count -= c->counted;
    c->d->refused_count -= c->is_waiting;
    c->counted = false;
    c->is_waiting = false;
    http_metrics_connections(c->d->o.metrics, c->d->conn_count);
}

static void cut(struct conn *c)
{
    if (!atomic_exchange(&c->cut, true)) {
        (void)shutdown(c->fd, SHUT_RDWR); /* MHD sees the end and closes; an error means it did */
    }
    uncount(c);
}

void conn_linger(struct conn *c)
{
    lock(c->d);
    c->linger = true;
    unlock(c->d);
}

bool conn_is_cut(struct conn *c)
{
    return atomic_load(&c->cut);
}

/* IPv6 clients own a /64 as a rule, so that is one address. */
static bool same_client(const struct ip_address *a, const struct ip_address *b)
{
    return a->v6 == b->v6 && memcmp(a->bytes, b->bytes, a->v6 ? 8 : 4) == 0;
}

/* The longest idle connection (of one client only, when given). The list is in order of arrival,
 * newest first: of equals the older one goes. */
static struct conn *idlest(struct http_daemon *d, const struct ip_address *client)
{
    struct conn *best = NULL;
    int64_t best_since = 0;
    int64_t silent_since = clock_mono_ms() - FRESH_GRACE_MS;
    for (struct conn *c = d->conns; c; c = c->next) {
        int phase = atomic_load(&c->phase);
        int64_t since = atomic_load(&c->since_ms);
        bool is_idle = phase == CONN_IDLE || (phase == CONN_FRESH && since <= silent_since);
        if (c->counted && is_idle && (!client || same_client(&c->peer, client)) &&
            (!best || since <= best_since)) {
            best = c;
            best_since = since;
        }
    }
    return best;
}

/* Ends the refused connection that has waited longest to be told so. */
static void drop_refused(struct http_daemon *d)
{
    struct conn *oldest = NULL;
    for (struct conn *c = d->conns; c; c = c->next) {
        oldest = c->is_waiting ? c : oldest;
    }
    if (oldest) {
        cut(oldest);
    }
}

/* Has it sent what nobody has read yet? Then it is not idle, we are late. */
static bool has_unread(const struct conn *c)
{
    int bytes = 0;
    return ioctl(c->fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

static bool make_room(struct http_daemon *d, const struct ip_address *client)
{
    for (int tries = 0; tries < ROOM_TRIES; tries++) {
        struct conn *old = idlest(d, client);
        if (!old) {
            return false;
        }
        if (!has_unread(old)) {
            cut(old);
            return true;
        }
        atomic_store(&old->since_ms, clock_mono_ms());
    }
    return false;
}

static bool admit(struct http_daemon *d, const struct conn *fresh)
{
    bool exempt = ip_is_loopback(&fresh->peer) ||
                  cidr_any_contains(d->o.trusted_proxies, d->o.trusted_proxy_count, &fresh->peer);
    unsigned same = 0;
    for (const struct conn *c = exempt ? NULL : d->conns; c; c = c->next) {
        same += c->counted && same_client(&c->peer, &fresh->peer);
    }
    if (same >= d->o.per_address_max && !make_room(d, &fresh->peer)) {
        return false;
    }
    return d->conn_count < d->o.connection_max || make_room(d, NULL);
}

/* A peer that vanished is noticed in seconds, not in the kernel's quarter of an hour. */
static void set_socket_options(int fd)
{
    const int on = 1;
    const int idle_s = 30;
    const int interval_s = 5;
    const int probes = 3;
    const int ack_ms = PEER_ACK_MS;
    /* on a socket that is not TCP, or gone already, these fail and nothing is lost */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ack_ms, sizeof(ack_ms));
}

static struct conn *conn_started(struct http_daemon *d, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *from =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct conn *c = calloc(1, sizeof(*c));
    if (!c || !fd || !from || ip_of_sockaddr(from->client_addr, &c->peer)) {
        free(c);
        return NULL;
    }
    c->d = d;
    ip_format(&c->peer, c->peer_text);
    c->fd = fd->connect_fd;
    set_socket_options(c->fd);
    lock(d);
    c->refused = atomic_load(&d->stopping) || !admit(d, c);
    c->counted = !c->refused;
    c->is_waiting = c->refused;
    if (c->refused && d->refused_count >= REFUSED_KEPT) {
        drop_refused(d);
    }
    d->conn_count += c->counted;
    http_metrics_connections(d->o.metrics, d->conn_count);
    d->refused_count += c->is_waiting;
    c->next = d->conns;
    if (c->next) {
        c->next->prev = c;
    }
    d->conns = c;
    bool short_time = c->refused && d->o.header_ms > REFUSED_MS;
    conn_enter(c, CONN_FRESH, clock_mono_ms(), short_time ? REFUSED_MS : d->o.header_ms);
    unlock(d);
    return c;
}

static void linger_add(struct http_daemon *d, int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return; /* out of descriptors: then the close is an abrupt one */
    }
    (void)shutdown(copy, SHUT_WR);
    int64_t until = clock_mono_ms() + LINGER_MS;
    d->linger[d->linger_count].fd = copy;
    d->linger[d->linger_count].until_ms = until;
    d->linger_count++;
    wake(d);
}

static void conn_closed(struct conn *c)
{
    struct http_daemon *d = c->d;
    lock(d);
    if (c->prev) {
        c->prev->next = c->next;
    } else {
        d->conns = c->next;
    }
    if (c->next) {
        c->next->prev = c->prev;
    }
    uncount(c);
    if (c->linger && !atomic_load(&c->cut) && !d->reaper_stop && d->linger_count < LINGER_MAX) {
        linger_add(d, c->fd);
    }
    unlock(d);
    free(c);
}

void conn_notify(void *cls, struct MHD_Connection *mhd, void **socket_context,
                 enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = conn_started(cls, mhd);
    } else if (*socket_context) {
        conn_closed(*socket_context);
        *socket_context = NULL;
    }
}

/* --- the reaper ------------------------------------------------------------------------------ */

/* Reads away what came; true when this socket is finished. */
static bool drain(int fd, int64_t until_ms, int64_t now)
{
    char waste[16384];
    for (int rounds = 0; rounds < 16 && now < until_ms; rounds++) {
        ssize_t got = recv(fd, waste, sizeof(waste), MSG_DONTWAIT);
        if (got < 0) {
            return errno != EAGAIN && errno != EINTR;
        }
        if (got == 0) {
            return true;
        }
    }
    return now >= until_ms;
}

/* Ends what is overdue; returns when to look again. Called with the lock. */
static int64_t reap(struct http_daemon *d, int64_t now)
{
    int64_t next = INT64_MAX;
    atomic_store(&d->next_wake_ms, INT64_MAX); /* see the design note */
    for (struct conn *c = d->conns; c; c = c->next) {
        if (atomic_load(&c->cut)) {
            continue;
        }
        int64_t deadline = atomic_load(&c->deadline_ms);
        if (deadline <= now) {
            cut(c);
        } else if (deadline < next) {
            next = deadline;
        }
    }
    for (size_t i = 0; i < d->linger_count;) {
        if (drain(d->linger[i].fd, d->linger[i].until_ms, now)) {
            (void)close(d->linger[i].fd);
            d->linger[i] = d->linger[--d->linger_count];
            continue;
        }
        if (d->linger[i].until_ms < next) {
            next = d->linger[i].until_ms;
        }
        i++;
    }
    atomic_store(&d->next_wake_ms, next);
    return next;
}

static void *reaper_main(void *cls)
{
    struct http_daemon *d = cls;
    for (;;) {
        struct pollfd fds[1 + LINGER_MAX] = {{.fd = d->wake_fd, .events = POLLIN}};
        lock(d);
        if (d->reaper_stop) {
            unlock(d);
            return NULL;
        }
        int64_t now = clock_mono_ms();
        int64_t next = reap(d, now);
        nfds_t count = 1;
        for (size_t i = 0; i < d->linger_count; i++) {
            fds[count++] = (struct pollfd){.fd = d->linger[i].fd, .events = POLLIN};
        }
        unlock(d);
        int64_t wait = next == INT64_MAX ? -1 : next - now + 1;
        (void)poll(fds, count, wait > 3600000 ? 3600000 : (int)wait); /* EINTR: just look again */
        uint64_t told;
        (void)!read(d->wake_fd, &told, sizeof(told)); /* non-blocking; nothing there is fine */
    }
}

enum d7_err reaper_start(struct http_daemon *d)
{
    atomic_store(&d->next_wake_ms, INT64_MAX);
    d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->wake_fd < 0) {
        return d7_err_from_errno(errno);
    }
    int number = pthread_create(&d->reaper, NULL, reaper_main, d);
    d->has_reaper = number == 0;
    return d7_err_from_errno(number);
}

void reaper_stop(struct http_daemon *d)
{
    if (d->has_reaper) {
        lock(d);
        d->reaper_stop = true;
        unlock(d);
        wake(d);
        (void)pthread_join(d->reaper, NULL); /* can only fail by a bug of ours */
        d->has_reaper = false;
    }
    for (size_t i = 0; i < d->linger_count; i++) {
        (void)close(d->linger[i].fd);
    }
    d->linger_count = 0;
    if (d->wake_fd >= 0) {
        (void)close(d->wake_fd);
        d->wake_fd = -1;
    }
}
