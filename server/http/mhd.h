/*
 * mhd.h - inside server/http: the state of connections and requests around libmicrohttpd. Included
 * by conn.c, exchange.c, body.c, answer.c, sse.c and daemon.c only.
 *
 * Design  MHD owns sockets, parsing and the thread pool. Around it:
 *   conn      one a connection, made and freed in MHD's connection notification: counting and
 *             deadlines (conn.c). MHD's own timeout knows idle time only, so a reaper thread shuts
 *             down sockets whose request has run out of time.
 *   exchange  one a request, made when its request line is known (the URI log callback, the only
 *             place where the target is seen as sent), freed in the completed callback.
 * Locks   http_daemon.lock guards what is marked so; a request on an open connection takes it for
 *         nothing (deadlines are atomic). MHD closes a socket only after the closed
 *         notification returned, and that takes the lock: a descriptor in the list is open.
 *         Nothing slow happens under it.
 */
#ifndef SERVER_HTTP_MHD_H
#define SERVER_HTTP_MHD_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/hash.h"
#include "server/cidr.h"
#include "server/http/daemon.h"
#include "server/http/form.h"

#define LINGER_MAX   32
#define LINGER_MS    2000
#define HEADERS_MAX  100
#define TARGET_MAX   8000
#define REFUSED_KEPT 32 /* refused, waiting to be told; older ones give way */
#define SPARE_CONNS  64 /* above our limit, to be told 503 instead of waiting in the backlog */

/* What a connection's deadline is for. FRESH: not a whole request line has come yet. */
enum conn_phase { CONN_FRESH, CONN_HEADER, CONN_IDLE, CONN_BODY, CONN_ANSWER, CONN_STREAM };

struct conn {
    struct http_daemon *d;
    int fd;
    struct ip_address peer;
    char peer_text[IP_TEXT_SIZE];
    bool refused; /* over a limit, or stopping: its first request is answered 503, then closed */
    /* written by its own thread at each step of a request, read by the reaper and by others'
     * accept: one lock for all of it would be what every request waits for */
    atomic_int phase; /* enum conn_phase */
    atomic_llong since_ms, deadline_ms;
    atomic_bool cut; /* shut down by us; set under d->lock */
    /* guarded by d->lock */
    struct conn *prev, *next;
    bool counted;
    bool is_waiting; /* refused, and not told so yet */
    bool linger;     /* answered with the body unread: see conn_linger */
};

struct http_daemon {
    struct daemon_options o; /* with defaults filled in */
    struct MHD_Daemon *mhd;
    int listen_fd; /* ours until MHD_stop_daemon */
    unsigned port;
    struct buf tls_cert, tls_key;
    char id_prefix[17]; /* of request ids: this process; then a count */
    atomic_ullong id_count;
    pthread_key_t api_key; /* struct api_slot of the thread */
    bool has_key, has_reaper, has_ticker;
    struct sse_hub *hub; /* owned; event streams: sse.c */
    pthread_t reaper;
    int wake_fd;
    pthread_cond_t quiet;      /* active became 0 */
    atomic_bool stopping;      /* answers carry Connection: close, newcomers are refused */
    atomic_uint active;        /* requests between first handler call and completion */
    atomic_llong next_wake_ms; /* when the reaper wakes by itself */
    pthread_mutex_t lock;
    /* guarded by lock */
    struct conn *conns;
    unsigned conn_count;    /* counted ones */
    unsigned refused_count; /* those over a limit that are still open */
    bool reaper_stop;
    struct {
        int fd;
        int64_t until_ms;
    } linger[LINGER_MAX];
    size_t linger_count;
};

/* --- conn.c --- */
void conn_notify(void *cls, struct MHD_Connection *mhd, void **socket_context,
                 enum MHD_ConnectionNotificationCode code);
/* Enters a phase at now (clock_mono_ms); its deadline is ms later. */
void conn_enter(struct conn *c, enum conn_phase phase, int64_t now, int64_t ms);
/* The answer went out with the body unread: at the close, what still comes in is read away for a
 * moment, since a reset would take the answer from the client's hands. */
void conn_linger(struct conn *c);
bool conn_is_cut(struct conn *c);
D7_MUST_USE enum d7_err reaper_start(struct http_daemon *d);
void reaper_stop(struct http_daemon *d);

/* --- body.c --- */
enum body_kind { BODY_IS_NONE, BODY_IS_JSON, BODY_IS_FORM, BODY_IS_DISCARDED };

struct form_part {
    size_t key_at, key_len, value_at, value_len; /* in body.text */
};

struct body {
    enum body_kind kind;
    size_t limit;
    uint64_t seen;
    int64_t discard_until_ms; /* 0: not over the limit */
    struct buf bytes;         /* JSON */
    struct form form;
    bool in_file;    /* the part being read is the file */
    struct buf text; /* keys and values of the text parts */
    struct form_part parts[FORM_FIELD_MAX];
    size_t part_count;
    int upload_fd;
    struct sha sha;
};

/* --- exchange.c --- */
struct exchange {
    struct request req;
    struct http_daemon *d;
    struct conn *conn;
    struct MHD_Connection *mhd;
    const struct route *route;
    unsigned allowed;   /* methods of the path, for Allow */
    char *target;       /* owned; as sent; longer than TARGET_MAX: cut, and refused */
    bool target_is_cut; /* it had a NUL in it: refused */
    struct buf path_scratch, query_scratch;
    struct buf joined; /* header lines of one name, joined */
    struct body body;
    enum d7_err err; /* decided before the handler */
    bool has_body, is_chunked, expects_continue;
    int64_t body_declared;
    bool seen_headers, answered, must_close;
    int64_t start_us;
    size_t sent_bytes;
    struct reply reply; /* last: see exchange_new */
};

void *exchange_new(void *cls, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result exchange_call(void *cls, struct MHD_Connection *mhd, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **context);
void exchange_completed(void *cls, struct MHD_Connection *mhd, void **context,
                        enum MHD_RequestTerminationCode how);
/* Notes a refusal: error, code (NULL: the error's own) and a sentence. Returns err. The first one
 * stays. */
enum d7_err exchange_refuse(struct exchange *ex, enum d7_err err, const char *code,
                            const char *format, ...) D7_PRINTF(4, 5);
/* All header lines of a name joined by ", "; ptr NULL when there is none. Borrowed until the next
 * call. */
struct span exchange_header(struct exchange *ex, const char *name);

/* --- judge.c --- */
/* Everything that is decided from the header alone: framing, target, route, token, kind and size of
 * the body. Fills ex->req, ex->route, ex->body. */
enum d7_err exchange_judge(struct exchange *ex, const char *method, const char *version);

/* --- body.c --- */
void body_init(struct exchange *ex);
/* Chooses how the body is taken, by ex->route and the content type. */
enum d7_err body_begin(struct exchange *ex);
enum body_step { BODY_MORE, BODY_GIVE_UP };
enum body_step body_feed(struct exchange *ex, const char *data, size_t size);
/* After the last byte: req->body, fields and file are ready, or the error is. */
enum d7_err body_finish(struct exchange *ex);
/* Also removes an upload that nobody took. */
void body_release(struct exchange *ex);

/* --- answer.c --- */
/* Queues ex->reply. */
enum MHD_Result answer_queue(struct exchange *ex);
/* Writes ex->reply (a problem) straight to the socket where MHD takes no answer any more or yet;
 * the caller then ends the connection. Nothing under TLS. */
void answer_raw(struct exchange *ex);

/* --- daemon.c --- */
/* This thread's struct api; D7_ERR_BUSY when it cannot be made now. */
enum d7_err daemon_api(struct http_daemon *d, struct api **ret);
/* Memory for an exchange (not cleared; NULL: none), and back: each thread that has an api keeps
 * one, which is too large for malloc(3) to have at hand. */
struct exchange *daemon_exchange(struct http_daemon *d);
void daemon_exchange_back(struct http_daemon *d, struct exchange *ex);

#endif
