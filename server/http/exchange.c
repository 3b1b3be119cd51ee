/*
 * exchange.c - one request from its request line to its completion.
 *
 * Design  MHD calls exchange_call several times: once with the header, then with pieces of the
 * body, last with size 0. A refusal known from the header is answered at once when the rest of the
 * request cannot or need not be read, and the connection is closed then; small bodies are read
 * away first, so the connection stays usable. Once an answer went out, later calls only swallow.
 */
#include "server/http/mhd.h"

#include <stdarg.h>
#include <strings.h>

#include "engine/base/clock.h"
#include "server/http/headers.h"
#include "server/http/metrics.h"
#include "server/http/sse.h"
#include "server/log.h"

static struct exchange *exchange_of(const struct request *req)
{
    return req->layer;
}

static struct span request_header(const struct request *req, const char *name)
{
    const char *value = NULL;
    size_t size = 0;
    if (!MHD_lookup_connection_value_n(exchange_of(req)->mhd, MHD_HEADER_KIND, name, strlen(name),
                                       &value, &size) ||
        !value) {
        return (struct span){NULL, 0};
    }
    return span_trim(span_make(value, size)); /* MHD leaves the blanks behind it */
}

struct join {
    const char *name;
    struct buf *to;
    unsigned lines;
    struct span first;
};

static enum MHD_Result join_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   size_t name_size, const char *value, size_t value_size)
{
    (void)kind;
    struct join *j = cls;
    if (value && name_size == strlen(j->name) && strncasecmp(name, j->name, name_size) == 0) {
        if (j->lines == 0) {
            j->first = span_make(value, value_size);
        } else {
            if (j->lines == 1) {
                buf_append(j->to, j->first.ptr, j->first.len);
            }
            buf_text(j->to, ", ");
            buf_append(j->to, value, value_size);
        }
        j->lines++;
    }
    return MHD_YES;
}

struct span exchange_header(struct exchange *ex, const char *name)
{
    struct join j = {.name = name, .to = &ex->joined};
    buf_clear(&ex->joined);
    (void)MHD_get_connection_values_n(ex->mhd, MHD_HEADER_KIND, join_header, &j);
    if (j.lines < 2) {
        return span_trim(j.first);
    }
    return ex->joined.err ? (struct span){NULL, 0} : span_trim(buf_span(&ex->joined));
}

enum d7_err exchange_refuse(struct exchange *ex, enum d7_err err, const char *code,
                            const char *format, ...)
{
    if (ex->err) {
        return ex->err;
    }
    ex->err = err;
    ex->reply.code = code;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(ex->reply.why.text, sizeof(ex->reply.why.text), format, args); /* cut is fine */
    va_end(args);
    return err;
}

void *exchange_new(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    struct http_daemon *d = cls;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct conn *c = info ? info->socket_context : NULL;
    struct exchange *ex = c ? daemon_exchange(d) : NULL;
    if (!ex) {
        return NULL; /* exchange_call then closes the connection */
    }
    memset(ex, 0, offsetof(struct exchange, reply)); /* reply_init knows what of itself to clear */
    ex->target = strndup(uri ? uri : "", TARGET_MAX + 1);
    if (!ex->target) {
        daemon_exchange_back(d, ex);
        return NULL;
    }
    ex->d = d;
    ex->conn = c;
    ex->mhd = mhd;
    ex->start_us = clock_mono_us();
    ex->req.header = request_header;
    ex->req.layer = ex;
    reply_init(&ex->reply);
    buf_init(&ex->path_scratch, TARGET_MAX);
    buf_init(&ex->query_scratch, TARGET_MAX);
    buf_init(&ex->joined, 65536); /* MHD's memory limit is below that */
    body_init(ex);
    if (!c->refused) {
        conn_enter(c, CONN_HEADER, ex->start_us / 1000, d->o.header_ms);
    }
    return ex;
}

static void exchange_free(struct exchange *ex)
{
    body_release(ex);
    reply_release(&ex->reply);
    buf_release(&ex->path_scratch);
    buf_release(&ex->query_scratch);
    buf_release(&ex->joined);
    free(ex->target);
    daemon_exchange_back(ex->d, ex);
}

/* Who stops the server has set `stopping` before it looks at the number. */
static void end_active(struct http_daemon *d)
{
    if (atomic_fetch_sub(&d->active, 1) == 1 && atomic_load(&d->stopping)) {
        D7_CHECK(pthread_mutex_lock(&d->lock) == 0);
        D7_CHECK(pthread_cond_broadcast(&d->quiet) == 0);
        D7_CHECK(pthread_mutex_unlock(&d->lock) == 0);
    }
}

/* The process's prefix and a count, 16 hexadecimal digits each. */
static void make_id(struct http_daemon *d, char ret_id[33])
{
    unsigned long long number = atomic_fetch_add(&d->id_count, 1);
    memcpy(ret_id, d->id_prefix, 16);
    for (size_t i = 32; i > 16; i--) {
        ret_id[i - 1] = "0123456789abcdef"[number & 15];
        number >>= 4;
    }
    ret_id[32] = '\0';
}

static void name_exchange(struct exchange *ex)
{
    struct conn *c = ex->conn;
    struct span given = request_header(&ex->req, "X-Request-Id");
    if (!request_id_is_sane(given) || span_copy(given, ex->req.id, sizeof(ex->req.id))) {
        make_id(ex->d, ex->req.id);
    }
    if (!cidr_any_contains(ex->d->o.trusted_proxies, ex->d->o.trusted_proxy_count, &c->peer)) {
        ex->req.address = c->peer;
        memcpy(ex->req.client, c->peer_text, sizeof(c->peer_text));
        return;
    }
    ex->req.address = client_of(&c->peer, exchange_header(ex, "X-Forwarded-For"),
                                ex->d->o.trusted_proxies, ex->d->o.trusted_proxy_count);
    ip_format(&ex->req.address, ex->req.client);
}

/* A handler that only passes an error on has said nothing. */
static const char *reason_of(struct exchange *ex, enum d7_err err)
{
    struct api *api = NULL;
    bool is_said = ex->reply.why.text[0] || (err != D7_ERR_IO && err != D7_ERR_CORRUPT);
    return is_said || !ex->d->o.complaint || daemon_api(ex->d, &api) ? ex->reply.why.text
                                                                     : ex->d->o.complaint(api);
}

static void fail(struct exchange *ex, enum d7_err err)
{
    if (reply_status_of(err) == 500 && !ex->reply.code) {
        char why[700];
        (void)span_escape(span_of(reason_of(ex, err)), why, sizeof(why));
        log_line(LOG_ERROR, "request %s %s failed: %s: %s%s%s", ex->req.id,
                 ex->route ? ex->route->name : "-", d7_err_text(err), ex->reply.why.field,
                 ex->reply.why.field[0] ? " " : "", why);
    }
    reply_problem(&ex->reply, err, ex->req.id);
}

/* Ends a request whose body is not going to be read. */
static enum MHD_Result answer_early(struct exchange *ex, const char *method)
{
    ex->must_close = true;
    conn_linger(ex->conn);
    /* MHD stops reading after an early answer to these two only; for others it would wait for the
     * body before sending it. */
    if (!ex->has_body || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
        return answer_queue(ex);
    }
    answer_raw(ex);
    return MHD_NO;
}

/* MHD hands the target over as a C string; in its buffer the version follows the whole of it, so a
 * NUL inside shows in the distance. */
static bool has_nul(const struct exchange *ex, const char *url, const char *version)
{
    size_t len = strlen(ex->target);
    return len <= TARGET_MAX && version > url && (size_t)(version - url) - 1 != len;
}

static enum MHD_Result body_call(struct exchange *ex, const char *data, size_t size)
{
    if (body_feed(ex, data, size) == BODY_MORE) {
        return MHD_YES;
    }
    fail(ex, ex->err ? ex->err : D7_ERR_TOO_LARGE);
    ex->must_close = true;
    conn_linger(ex->conn);
    answer_raw(ex);
    return MHD_NO;
}

static enum d7_err run_handler(struct exchange *ex)
{
    if (ex->req.method == HTTP_OPTIONS && (!ex->route || ex->route->method != HTTP_OPTIONS)) {
        ex->reply.status = MHD_HTTP_NO_CONTENT;
        return D7_OK;
    }
    struct api *api = NULL;
    enum d7_err err = daemon_api(ex->d, &api);
    if (!err) {
        err = ex->route->handler(api, &ex->req, &ex->reply);
    }
    if (!err && ex->reply.body.err) {
        err = d7_refuse(&ex->reply.why, D7_ERR_INTERNAL, NULL, "the answer could not be built: %s",
                        d7_err_text(ex->reply.body.err));
    }
    if (!err && ex->reply.stream.next) {
        err = sse_admit(ex);
    }
    return err;
}

static enum MHD_Result last_call(struct exchange *ex)
{
    if (ex->has_body) {
        conn_enter(ex->conn, CONN_ANSWER, clock_mono_ms(), ex->d->o.answer_ms);
    }
    enum d7_err err = body_finish(ex);
    if (!err) {
        err = run_handler(ex);
    }
    if (err) {
        fail(ex, err);
    }
    body_release(ex); /* before the answer: who has read it finds no upload left over */
    return answer_queue(ex);
}

static enum MHD_Result first_call(struct exchange *ex, const char *url, const char *method,
                                  const char *version)
{
    ex->seen_headers = true;
    ex->target_is_cut = has_nul(ex, url, version);
    (void)atomic_fetch_add(&ex->d->active, 1);
    name_exchange(ex);
    enum d7_err err = exchange_judge(ex, method, version);
    conn_enter(ex->conn, ex->has_body ? CONN_BODY : CONN_ANSWER, ex->start_us / 1000,
               ex->has_body ? ex->d->o.body_ms : ex->d->o.answer_ms);
    bool short_rest = !ex->has_body || (!ex->is_chunked && !ex->expects_continue &&
                                        ex->body_declared <= (int64_t)ex->d->o.json_max);
    if (!err || (short_rest && !ex->must_close)) {
        if (err) {
            ex->body.kind = BODY_IS_DISCARDED;
        }
        /* An answer queued now would cost the client its connection. But where 100 (Continue) is
         * asked for and nothing is to continue with, MHD would take a next request for a body. */
        return ex->expects_continue && !ex->has_body ? last_call(ex) : MHD_YES;
    }
    fail(ex, err);
    return answer_early(ex, method);
}

enum MHD_Result exchange_call(void *cls, struct MHD_Connection *mhd, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **context)
{
    struct exchange *ex = *context;
    if (!ex) { /* a request line without a target: the callback for it was left out */
        ex = exchange_new(cls, "", mhd);
        *context = ex;
    }
    if (!ex) {
        return MHD_NO; /* out of memory, or a connection we know nothing of */
    }
    if (!ex->seen_headers) {
        return first_call(ex, url, method, version);
    }
    if (*size) {
        size_t taken = *size;
        *size = 0;
        return ex->answered ? MHD_YES : body_call(ex, data, taken);
    }
    return ex->answered ? MHD_YES : last_call(ex);
}

static const char *ending(const struct exchange *ex, enum MHD_RequestTerminationCode how)
{
    if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK || (ex->answered && ex->must_close)) {
        return "done";
    }
    if (conn_is_cut(ex->conn)) {
        return "deadline";
    }
    return how == MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN ? "shutdown" : "aborted";
}

static const char *method_text(enum http_method m)
{
    switch (m) {
    case HTTP_GET:
        return "GET";
    case HTTP_HEAD:
        return "HEAD";
    case HTTP_POST:
        return "POST";
    case HTTP_PATCH:
        return "PATCH";
    case HTTP_DELETE:
        return "DELETE";
    case HTTP_OPTIONS:
        return "OPTIONS";
    }
    return "other";
}

/* Names and numbers only: no target, no query, no header, so no secret can be in it. */
static void write_access_line(const struct exchange *ex, int64_t now_us,
                              enum MHD_RequestTerminationCode how)
{
    int64_t tenths = (now_us - ex->start_us) / 100; /* of a millisecond */
    const struct log_field fields[] = {
        {"method", method_text(ex->req.method), 0},
        {"route", ex->route ? ex->route->name : "-", 0},
        {"status", NULL, ex->answered ? ex->reply.status : 0},
        {"bytes", NULL, (double)ex->sent_bytes},
        {"ms", NULL, (double)tenths / 10},
        {"id", ex->req.id, 0},
        {"client", ex->req.client, 0},
        {"end", ending(ex, how), 0},
    };
    log_event(LOG_INFO, "request", fields, D7_COUNT(fields));
}

/* How long an event stream was followed says nothing about the server. */
static void count_request(const struct exchange *ex, int64_t now_us)
{
    const char *type = ex->reply.content_type;
    bool is_stream = type && strcmp(type, "text/event-stream") == 0;
    http_metrics_request(ex->d->o.metrics, ex->route, ex->answered ? ex->reply.status : 0,
                         ex->reply.code, is_stream ? -1 : now_us - ex->start_us);
}

void exchange_completed(void *cls, struct MHD_Connection *mhd, void **context,
                        enum MHD_RequestTerminationCode how)
{
    (void)mhd;
    struct http_daemon *d = cls;
    struct exchange *ex = *context;
    *context = NULL;
    if (!ex) {
        return;
    }
    if (ex->seen_headers) {
        int64_t now_us = clock_mono_us();
        write_access_line(ex, now_us, how);
        count_request(ex, now_us);
        end_active(d);
        conn_enter(ex->conn, CONN_IDLE, now_us / 1000, d->o.idle_ms);
    }
    exchange_free(ex);
}
