/*
 * daemon.c - starting and stopping: options, the listening socket, libmicrohttpd.
 *
 * Design  epoll, a pool of threads, each accepting for itself. The library's own limits stand
 * behind ours: its connection limit is ours + 64, so that one over the limit still hears 503, and
 * its idle timeout only matters if the reaper were stuck. Each pool thread gets its struct api when
 * it first needs one and frees it when it ends: a store connection never changes threads.
 *   Stopping goes without MHD_quiesce_daemon: it takes the listening socket out of each pool
 * thread's epoll set, which that thread may be doing itself, and whoever comes second aborts.
 */
#include "server/http/mhd.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "server/http/sse.h"
#include "server/log.h"

/* Header and read buffer of one connection: room for the longest target and HEADERS_MAX usual
 * lines. MHD clears all of it after each request. */
#define CONNECTION_MEMORY 20480u
#define OTHER_DESCRIPTORS 128u /* store, epoll, log, uploads, lingering sockets */
#define PEM_MAX           65536u

struct api_slot {
    struct http_daemon *d;
    struct api *api;
    struct exchange *spare; /* NULL: in use, or not there */
};

static void slot_free(void *cls)
{
    struct api_slot *slot = cls;
    if (slot->d->o.free_api) {
        slot->d->o.free_api(slot->api);
    }
    free(slot->spare);
    free(slot);
}

struct exchange *daemon_exchange(struct http_daemon *d)
{
    struct api_slot *slot = pthread_getspecific(d->api_key);
    if (!slot || !slot->spare) {
        return malloc(sizeof(struct exchange));
    }
    struct exchange *ex = slot->spare;
    slot->spare = NULL;
    return ex;
}

void daemon_exchange_back(struct http_daemon *d, struct exchange *ex)
{
    struct api_slot *slot = pthread_getspecific(d->api_key);
    if (slot && !slot->spare) {
        slot->spare = ex;
    } else {
        free(ex);
    }
}

enum d7_err daemon_api(struct http_daemon *d, struct api **ret)
{
    if (!d->o.make_api) {
        *ret = NULL;
        return D7_OK;
    }
    struct api_slot *slot = pthread_getspecific(d->api_key);
    if (slot) {
        *ret = slot->api;
        return D7_OK;
    }
    slot = calloc(1, sizeof(*slot));
    if (!slot) {
        return D7_ERR_NOMEM;
    }
    slot->d = d;
    slot->api = d->o.make_api(d->o.ctx);
    if (!slot->api || pthread_setspecific(d->api_key, slot) != 0) {
        if (slot->api) {
            slot_free(slot);
        } else {
            free(slot);
        }
        return D7_ERR_BUSY; /* the next request tries again */
    }
    *ret = slot->api;
    return D7_OK;
}

/* Percent-decoding is route.c's: MHD would decode "%00" and cut the target there. */
static size_t pass_through(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

#define DEFAULT(field, value)                                                                      \
    do {                                                                                           \
        if (o->field == 0) {                                                                       \
            o->field = (value);                                                                    \
        }                                                                                          \
    } while (0)

static void fill_defaults(struct daemon_options *o)
{
    DEFAULT(threads, 4);
    DEFAULT(connection_max, 1000);
    DEFAULT(per_address_max, 50);
    DEFAULT(json_max, 65536);
    DEFAULT(upload_max, (size_t)16 << 20);
    DEFAULT(header_ms, 10000);
    DEFAULT(body_ms, 60000);
    DEFAULT(answer_ms, 120000);
    DEFAULT(idle_ms, 30000);
    DEFAULT(tick_ms, 250);
    DEFAULT(heartbeat_ms, 15000);
}

/* Our connections must not run into the descriptor limit: accept(2) would fail in a loop. */
static void fit_descriptors(struct daemon_options *o)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return; /* cannot fail for a valid pointer */
    }
    rlim_t need = (rlim_t)o->connection_max + SPARE_CONNS + LINGER_MAX + OTHER_DESCRIPTORS;
    if (limit.rlim_cur < need) {
        limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* within the hard limit; checked just below */
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur < need) {
        rlim_t others = need - o->connection_max;
        o->connection_max = limit.rlim_cur > others + 16 ? (unsigned)(limit.rlim_cur - others) : 16;
        log_line(LOG_WARN, "the limit of open files allows %u connections only", o->connection_max);
    }
}

static enum d7_err split_listen(const char *listen_at, char *ret_host, size_t host_size,
                                char *ret_port, size_t port_size)
{
    struct span text = span_of(listen_at);
    const char *colon = memrchr(text.ptr, ':', text.len);
    if (!colon) {
        return D7_ERR_INVALID;
    }
    struct span host = {text.ptr, (size_t)(colon - text.ptr)};
    struct span port = span_of(colon + 1);
    int64_t number = 0;
    if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']') {
        host = span_make(host.ptr + 1, host.len - 2);
    } else if (memchr(host.ptr, ':', host.len)) {
        return D7_ERR_INVALID; /* IPv6 without brackets: where would the port begin? */
    }
    if (host.len == 0 || span_parse_i64(port, 0, 65535, &number) ||
        span_copy(host, ret_host, host_size) || span_copy(port, ret_port, port_size)) {
        return D7_ERR_INVALID;
    }
    return D7_OK;
}

static int open_listener(const struct addrinfo *at)
{
    const int on = 1;
    const int off = 0;
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* else: bind says so */
    if (at->ai_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)); /* [::] is both */
    }
    if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, 1024) < 0) {
        int number = errno;
        (void)close(fd);
        errno = number;
        return -1;
    }
    return fd;
}

static unsigned port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at = {.any = {0}};
    socklen_t size = sizeof(at);
    if (getsockname(fd, &at.any, &size) < 0) {
        return 0;
    }
    return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}

static enum d7_err listen_start(struct http_daemon *d, struct d7_why *why)
{
    char host[256];
    char port[8];
    if (split_listen(d->o.listen, host, sizeof(host), port, sizeof(port))) {
        return d7_refuse(why, D7_ERR_INVALID, "--listen",
                         "'%s' is not HOST:PORT with a port 0-65535", d->o.listen);
    }
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int number = getaddrinfo(host, port, &hints, &found);
    if (number) {
        return d7_refuse(why, D7_ERR_INVALID, "--listen", "cannot find '%s': %s", host,
                         gai_strerror(number));
    }
    d->listen_fd = open_listener(found);
    int failed = errno;
    freeaddrinfo(found);
    if (d->listen_fd < 0) {
        char text[128];
        return d7_refuse(why, failed == EADDRINUSE ? D7_ERR_CONFLICT : D7_ERR_IO, "--listen",
                         "cannot listen on %s: %s", d->o.listen,
                         strerror_r(failed, text, sizeof(text)));
    }
    d->port = port_of(d->listen_fd);
    return D7_OK;
}

static enum d7_err read_pem(const char *path, const char *field, struct buf *to, struct d7_why *why)
{
    buf_init(to, PEM_MAX);
    enum d7_err err = file_read(path, to);
    return err ? d7_refuse(why, err, field, "cannot read '%s': %s", path, d7_err_text(err)) : D7_OK;
}

static enum d7_err read_tls(struct http_daemon *d, struct d7_why *why)
{
    if (!d->o.tls_cert && !d->o.tls_key) {
        return D7_OK;
    }
    if (!d->o.tls_cert || !d->o.tls_key) {
        return d7_refuse(why, D7_ERR_INVALID, "--tls-cert",
                         "--tls-cert and --tls-key go together only");
    }
    enum d7_err err = read_pem(d->o.tls_cert, "--tls-cert", &d->tls_cert, why);
    return err ? err : read_pem(d->o.tls_key, "--tls-key", &d->tls_key, why);
}

static enum d7_err mhd_start(struct http_daemon *d, struct d7_why *why)
{
    const struct daemon_options *o = &d->o;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | MHD_USE_ITC |
                     MHD_ALLOW_SUSPEND_RESUME | (o->tls_cert ? MHD_USE_TLS : 0u);
    int64_t backstop_s = (o->answer_ms + o->body_ms) / 1000 + 60;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, d->listen_fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)o->connection_max + SPARE_CONNS, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)backstop_s, NULL},
        /* a missing Host and a blank in the target are judge.c's: with 1 the library answers the
         * first twice over, and the second not at all */
        {MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL},
        {o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem tls[] = {
        {o->tls_cert ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, d->tls_cert.data},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, d->tls_key.data},
        {MHD_OPTION_END, 0, NULL},
    };
    d->mhd = MHD_start_daemon(flags, 0, NULL, NULL, exchange_call, d, MHD_OPTION_ARRAY, items,
                              MHD_OPTION_ARRAY, tls, MHD_OPTION_UNESCAPE_CALLBACK, pass_through, d,
                              MHD_OPTION_URI_LOG_CALLBACK, exchange_new, d,
                              MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, d,
                              MHD_OPTION_NOTIFY_CONNECTION, conn_notify, d, MHD_OPTION_END);
    if (!d->mhd) {
        return d7_refuse(why, D7_ERR_IO, NULL,
                         o->tls_cert ? "the HTTPS server does not start: are certificate and key "
                                       "PEM files that belong together?"
                                     : "the HTTP server does not start");
    }
    return D7_OK;
}

static enum d7_err init_sync(struct http_daemon *d)
{
    pthread_condattr_t attr;
    int number = pthread_condattr_init(&attr);
    if (number == 0) {
        (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* a clock that always exists */
        number = pthread_cond_init(&d->quiet, &attr);
        (void)pthread_condattr_destroy(&attr);
    }
    if (number == 0) {
        number = pthread_mutex_init(&d->lock, NULL);
    }
    if (number == 0) {
        number = pthread_key_create(&d->api_key, slot_free);
        d->has_key = number == 0;
    }
    return d7_err_from_errno(number);
}

static void daemon_free(struct http_daemon *d)
{
    sse_stop(d); /* before MHD, which must not be stopped with a suspended connection */
    if (d->mhd) {
        MHD_stop_daemon(d->mhd);
        d->listen_fd = -1; /* closed by MHD */
    }
    sse_free(d);    /* after MHD: its connections point into it */
    reaper_stop(d); /* after MHD: closing connections still use its descriptor */
    if (d->listen_fd >= 0) {
        (void)close(d->listen_fd);
    }
    if (d->has_key) {
        (void)pthread_key_delete(d->api_key);
        (void)pthread_mutex_destroy(&d->lock);
        (void)pthread_cond_destroy(&d->quiet);
    }
    buf_release(&d->tls_cert);
    buf_release(&d->tls_key);
    free(d);
}

enum d7_err daemon_open(const struct daemon_options *options, struct http_daemon **ret,
                        struct d7_why *why)
{
    struct http_daemon *d = calloc(1, sizeof(*d));
    if (!d) {
        return d7_refuse(why, D7_ERR_NOMEM, NULL, "out of memory");
    }
    d->o = *options;
    d->listen_fd = -1;
    d->wake_fd = -1;
    fill_defaults(&d->o);
    fit_descriptors(&d->o);
    enum d7_err err = init_sync(d);
    if (!err) {
        err = random_hex(d->id_prefix, 8);
    }
    if (!err) {
        err = read_tls(d, why);
    }
    if (!err) {
        err = listen_start(d, why);
    }
    if (err) {
        daemon_free(d);
        return err;
    }
    *ret = d;
    return D7_OK;
}

enum d7_err daemon_start(struct http_daemon *d, struct d7_why *why)
{
    enum d7_err err = reaper_start(d);
    if (!err) {
        err = sse_start(d);
    }
    return err ? err : mhd_start(d, why);
}

unsigned daemon_port(const struct http_daemon *d)
{
    return d->port;
}

static void wait_quiet(struct http_daemon *d, int64_t wait_ms)
{
    int64_t until = clock_mono_ms() + wait_ms;
    const struct timespec at = {.tv_sec = (time_t)(until / 1000),
                                .tv_nsec = (long)(until % 1000) * 1000000};
    D7_CHECK(pthread_mutex_lock(&d->lock) == 0);
    int number = 0;
    while (atomic_load(&d->active) > 0 && number == 0) {
        number = pthread_cond_timedwait(&d->quiet, &d->lock, &at);
    }
    D7_CHECK(pthread_mutex_unlock(&d->lock) == 0);
}

void daemon_stop(struct http_daemon *d, int64_t wait_ms)
{
    if (!d) {
        return;
    }
    atomic_store(&d->stopping, true); /* newcomers are told 503 from here on */
    sse_stop(d);
    wait_quiet(d, wait_ms);
    daemon_free(d);
}
