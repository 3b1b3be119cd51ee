/*
 * sse.c - event streams: suspended connections and the ticker that wakes them.
 *
 * Design  a stream's bytes wait in `pending`. MHD's thread takes them in read_stream(), and when
 * there are none suspends the connection there and then, under the hub's lock; the ticker appends
 * and resumes under the same lock, so no wake-up is lost. Only the ticker resumes: what it sees
 * suspended stays alive, its descriptor too. The ticker's list is its own: newcomers come through
 * `arrivals`, MHD only marks what it has let go of (`gone`), and the ticker frees it. Sources are
 * asked outside the lock: they read the store.
 *   A suspended connection is not looked at by MHD, so the ticker looks whether the other side hung
 * up, and gives MHD a comment to send into it: a closed peer answers that with a reset, a half-
 * closed one takes it.
 *   Stopping: the ticker's last pass says goodbye and marks every stream as ended; one that comes
 * later is born ended. So none is suspended any more and MHD drains what is left. (It aborts when
 * it is stopped with a suspended connection.)
 * Locks   hub lock inside MHD's response lock, outside MHD's own locks of the connection lists; the
 * daemon's lock is never taken under it.
 */
#include "server/http/sse.h"

#include <poll.h>

#include "engine/base/clock.h"
#include "server/http/metrics.h"
#include "server/log.h"

#define BLOCK_SIZE 4096 /* of one call of read_stream */
#define HEARTBEAT  ":\n\n"

struct stream {
    struct http_daemon *d;
    struct conn *conn;
    struct MHD_Connection *mhd;
    struct event_source source; /* owned */
    struct stream *next;        /* in arrivals (guarded by lock), then in the ticker's list */
    /* guarded by the hub's lock */
    struct buf pending;
    bool suspended;
    bool ended; /* nothing follows what is pending */
    bool gone;  /* MHD has let go of it */
    /* the ticker's */
    int64_t sent_ms; /* when something was last handed over */
    bool more;       /* ask again though nothing changed */
    bool hung_up;    /* has been nudged for it */
};

struct sse_hub {
    pthread_t ticker;
    pthread_cond_t news; /* an arrival, or closing */
    pthread_mutex_t lock;
    /* guarded by lock */
    struct stream *arrivals;
    unsigned count; /* not gone */
    bool closing;
    /* the ticker's */
    struct stream *streams; /* by topic: neighbours ask for the same things */
    struct buf chunk;
    struct pollfd *fds; /* owned, fd_cap of them */
    size_t fd_cap;
    int64_t version;
    enum d7_err failed; /* the first failure of this tick */
    bool failing;       /* the last tick had one: logged already */
};

static void lock(struct sse_hub *h)
{
    D7_CHECK(pthread_mutex_lock(&h->lock) == 0);
}

static void unlock(struct sse_hub *h)
{
    D7_CHECK(pthread_mutex_unlock(&h->lock) == 0);
}

static void stream_free(struct stream *s)
{
    if (s->source.release) {
        s->source.release(s->source.ctx);
    }
    buf_release(&s->pending);
    free(s);
}

/* --- MHD's side ----------------------------------------------------------------------------- */

static ssize_t read_stream(void *cls, uint64_t pos, char *to, size_t max)
{
    (void)pos;
    struct stream *s = cls;
    struct sse_hub *h = s->d->hub;
    ssize_t result = 0;
    lock(h);
    if (s->pending.len > 0) {
        size_t len = s->pending.len < max ? s->pending.len : max;
        memcpy(to, s->pending.data, len);
        buf_consume(&s->pending, len);
        if (s->pending.len == 0) {
            buf_release(&s->pending); /* it was large at the beginning; then a line now and then */
        }
        result = (ssize_t)len;
    } else if (s->ended) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        s->suspended = true;
        MHD_suspend_connection(s->mhd);
    }
    unlock(h);
    if (result > 0) {
        conn_enter(s->conn, CONN_STREAM, clock_mono_ms(), SSE_STUCK_MS);
    }
    return result;
}

static void let_go(void *cls)
{
    struct stream *s = cls;
    struct sse_hub *h = s->d->hub;
    lock(h);
    s->gone = true; /* the ticker's from here on */
    h->count--;
    http_metrics_streams(s->d->o.metrics, h->count);
    unlock(h);
}

enum d7_err sse_admit(struct exchange *ex)
{
    struct sse_hub *h = ex->d->hub;
    struct reply *r = &ex->reply;
    lock(h);
    bool room = !h->closing && h->count < ex->d->o.connection_max * SSE_SHARE / 100;
    h->count += room;
    http_metrics_streams(ex->d->o.metrics, h->count);
    unlock(h);
    if (room) {
        return D7_OK;
    }
    reply_drop_stream(r);
    return d7_refuse(&r->why, D7_ERR_BUSY, NULL, "too many event streams are open");
}

struct MHD_Response *sse_response(struct exchange *ex)
{
    struct sse_hub *h = ex->d->hub;
    struct reply *r = &ex->reply;
    struct stream *s = calloc(1, sizeof(*s));
    struct MHD_Response *response = NULL;
    if (s) {
        response =
            MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_stream, s, let_go);
    }
    if (!response) {
        free(s);
        lock(h);
        h->count--;
        http_metrics_streams(ex->d->o.metrics, h->count);
        unlock(h);
        return NULL;
    }
    s->d = ex->d;
    s->conn = ex->conn;
    s->mhd = ex->mhd;
    s->source = r->stream;
    r->stream = (struct event_source){.next = NULL}; /* now the stream's, like the bytes */
    s->pending = r->body;
    s->pending.limit = SSE_PENDING_MAX;
    buf_init(&r->body, 0);
    s->sent_ms = clock_mono_ms();
    s->more = true; /* something may have happened since the handler looked */
    lock(h);
    s->ended = h->closing; /* too late for the goodbye to all */
    s->next = h->arrivals;
    h->arrivals = s;
    D7_CHECK(pthread_cond_signal(&h->news) == 0);
    unlock(h);
    return response;
}

/* --- the ticker's side ---------------------------------------------------------------------- */

/* Hands bytes over and wakes the connection. Without memory for them the stream ends: the client
 * comes back and says where it was. */
static void hand_over(struct sse_hub *h, struct stream *s, struct span bytes, bool ended)
{
    lock(h);
    if (bytes.ptr && bytes.len) {
        buf_append(&s->pending, bytes.ptr, bytes.len);
    }
    s->ended = s->ended || ended || s->pending.err;
    if (s->suspended) {
        s->suspended = false;
        MHD_resume_connection(s->mhd);
    }
    unlock(h);
    s->sent_ms = clock_mono_ms();
}

static void take_arrivals(struct sse_hub *h)
{
    lock(h);
    struct stream *fresh = h->arrivals;
    h->arrivals = NULL;
    unlock(h);
    while (fresh) {
        struct stream *s = fresh;
        fresh = s->next;
        struct stream **at = &h->streams;
        while (*at && strcmp((*at)->source.topic, s->source.topic) < 0) {
            at = &(*at)->next;
        }
        s->next = *at;
        *at = s;
    }
}

static void free_gone(struct sse_hub *h)
{
    for (struct stream **at = &h->streams; *at;) {
        struct stream *s = *at;
        lock(h);
        bool gone = s->gone;
        unlock(h);
        if (gone) {
            *at = s->next;
            stream_free(s);
        } else {
            at = &s->next;
        }
    }
}

/* Asks the source; nothing is appended to h->chunk when it failed. */
static bool ask(struct sse_hub *h, struct stream *s, struct api *api)
{
    bool more = false;
    bool ended = false;
    enum d7_err err = s->source.next(s->source.ctx, api, h->version, &h->chunk, &more, &ended);
    err = err ? err : h->chunk.err;
    if (err) {
        h->failed = h->failed ? h->failed : err;
        buf_release(&h->chunk);
        buf_init(&h->chunk, SSE_PENDING_MAX / 2);
    }
    s->more = more || err;
    return ended && !err;
}

static void feed(struct sse_hub *h, struct stream *s, struct api *api, bool changed, int64_t now)
{
    lock(h);
    size_t waiting = s->pending.len;
    bool over = s->ended || s->gone;
    unlock(h);
    if (over) {
        return;
    }
    bool ended = false;
    buf_clear(&h->chunk);
    s->more = s->more || changed;
    if (api && s->more && waiting < SSE_PENDING_LOW) {
        ended = ask(h, s, api);
    }
    if (h->chunk.len == 0 && waiting == 0 && now - s->sent_ms >= s->d->o.heartbeat_ms) {
        buf_text(&h->chunk, HEARTBEAT);
    }
    if (h->chunk.len || ended) {
        hand_over(h, s, buf_span(&h->chunk), ended);
    }
}

/* Room for every suspended stream; false without memory: then the next heartbeat finds out. */
static bool reserve_fds(struct sse_hub *h)
{
    size_t count = 0;
    for (const struct stream *s = h->streams; s; s = s->next) {
        count++;
    }
    if (count > h->fd_cap) {
        struct pollfd *fds = reallocarray(h->fds, count, sizeof(*fds));
        if (!fds) {
            return false;
        }
        h->fds = fds;
        h->fd_cap = count;
    }
    return true;
}

/* Whose peer has hung up gets a comment: MHD then sees what became of it. */
static void nudge_hung_up(struct sse_hub *h)
{
    if (!reserve_fds(h)) {
        return;
    }
    nfds_t count = 0;
    for (struct stream *s = h->streams; s; s = s->next) {
        lock(h);
        bool idle = s->suspended;
        unlock(h);
        h->fds[count++] = (struct pollfd){.fd = idle ? s->conn->fd : -1, .events = POLLRDHUP};
    }
    if (poll(h->fds, count, 0) <= 0) {
        return;
    }
    count = 0;
    for (struct stream *s = h->streams; s; s = s->next) {
        short seen = h->fds[count++].revents;
        bool broken = seen & (POLLERR | POLLHUP);
        if (broken || (seen && !s->hung_up)) {
            s->hung_up = true;
            hand_over(h, s, span_of(HEARTBEAT), false);
        }
    }
}

static void tick(struct http_daemon *d)
{
    struct sse_hub *h = d->hub;
    struct api *api = NULL;
    int64_t version = h->version + 1; /* without a counter every tick may be news */
    enum d7_err err = daemon_api(d, &api);
    if (!err && d->o.change) {
        err = d->o.change(api, &version);
    }
    h->failed = err;
    bool changed = !err && version != h->version;
    h->version = err ? h->version : version;
    int64_t now = clock_mono_ms();
    for (struct stream *s = h->streams; s; s = s->next) {
        feed(h, s, err ? NULL : api, changed, now);
    }
    nudge_hung_up(h);
    if (h->failed && !h->failing) {
        log_line(LOG_ERROR, "event streams wait: %s", d7_err_text(h->failed));
    }
    h->failing = h->failed != D7_OK;
}

/* Until the next tick is due, or (with no stream at all) somebody comes; true: closing. */
static bool wait_tick(struct sse_hub *h, int64_t tick_ms)
{
    int64_t until = clock_mono_ms() + tick_ms;
    const struct timespec at = {.tv_sec = (time_t)(until / 1000),
                                .tv_nsec = (long)(until % 1000) * 1000000};
    int number = 0;
    lock(h);
    while (!h->closing && !h->streams && !h->arrivals) {
        (void)pthread_cond_wait(&h->news, &h->lock); /* can only fail by a bug of ours */
    }
    while (!h->closing && number == 0) {
        number = pthread_cond_timedwait(&h->news, &h->lock, &at);
    }
    bool closing = h->closing;
    unlock(h);
    return closing;
}

static void say_goodbye(struct sse_hub *h)
{
    for (struct stream *s = h->streams; s; s = s->next) {
        lock(h);
        bool over = s->ended || s->gone;
        unlock(h);
        buf_clear(&h->chunk);
        if (!over && s->source.goodbye) {
            s->source.goodbye(s->source.ctx, &h->chunk);
        }
        if (!over) {
            hand_over(h, s, buf_span(&h->chunk), true);
        }
    }
}

static void *ticker_main(void *cls)
{
    struct http_daemon *d = cls;
    struct sse_hub *h = d->hub;
    bool closing = false;
    while (!closing) {
        closing = wait_tick(h, d->o.tick_ms);
        take_arrivals(h);
        free_gone(h);
        if (!closing) {
            tick(d);
        }
    }
    say_goodbye(h);
    return NULL;
}

/* --- start and end -------------------------------------------------------------------------- */

static int init_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    int number = pthread_condattr_init(&attr);
    if (number == 0) {
        (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* a clock that always exists */
        number = pthread_cond_init(cond, &attr);
        (void)pthread_condattr_destroy(&attr);
    }
    return number;
}

enum d7_err sse_start(struct http_daemon *d)
{
    struct sse_hub *h = calloc(1, sizeof(*h));
    if (!h) {
        return D7_ERR_NOMEM;
    }
    buf_init(&h->chunk, SSE_PENDING_MAX / 2);
    int number = init_cond(&h->news);
    if (number == 0) {
        /* NULL attributes on Linux: nothing to run out of */
        D7_CHECK(pthread_mutex_init(&h->lock, NULL) == 0);
        d->hub = h; /* before its thread looks */
        number = pthread_create(&h->ticker, NULL, ticker_main, d);
    }
    d->has_ticker = number == 0;
    if (!d->has_ticker) {
        d->hub = NULL;
        free(h);
    }
    return d7_err_from_errno(number);
}

void sse_stop(struct http_daemon *d)
{
    if (!d->has_ticker) {
        return;
    }
    lock(d->hub);
    d->hub->closing = true;
    D7_CHECK(pthread_cond_signal(&d->hub->news) == 0);
    unlock(d->hub);
    (void)pthread_join(d->hub->ticker, NULL); /* can only fail by a bug of ours */
    d->has_ticker = false;
}

void sse_free(struct http_daemon *d)
{
    struct sse_hub *h = d->hub;
    if (!h) {
        return;
    }
    take_arrivals(h);
    while (h->streams) {
        struct stream *s = h->streams;
        h->streams = s->next;
        stream_free(s);
    }
    buf_release(&h->chunk);
    free(h->fds);
    (void)pthread_mutex_destroy(&h->lock); /* nobody holds it any more */
    (void)pthread_cond_destroy(&h->news);
    free(h);
    d->hub = NULL;
}
