/*
 * daemon.h - libmicrohttpd, wrapped: the only place that includes it.
 *
 * Source  ../shared/spec/http.md: what the library does not do, and what is done about it here.
 * Threads MHD's pool calls the handlers; each pool thread has its own struct api (and so its own
 * store connection), made by make_api on that thread's first request.
 */
#ifndef SERVER_HTTP_DAEMON_H
#define SERVER_HTTP_DAEMON_H

#include "server/http/route.h"

struct cidr;
struct limiter;      /* server/http/limit.h */
struct http_metrics; /* server/http/metrics.h */

/* 0 (or NULL) in a number takes the default given beside it. Texts, routes and ranges are borrowed
 * for the daemon's life. */
struct daemon_options {
    const char *listen;                    /* HOST:PORT, [V6]:PORT; port 0: the kernel's choice */
    unsigned threads;                      /* 4 */
    unsigned connection_max;               /* 1,000 */
    unsigned per_address_max;              /* 50; loopback and trusted proxies exempt */
    size_t json_max;                       /* 64 KiB */
    size_t upload_max;                     /* --max-upload, 16 MiB */
    int64_t header_ms, body_ms, answer_ms; /* 10 s, 60 s, 120 s, each from the request's start */
    int64_t idle_ms;                       /* 30 s between two requests of a connection */
    int64_t tick_ms;                       /* 250 ms: how soon events are sent */
    int64_t heartbeat_ms;                  /* 15 s: a comment on an event stream without events */
    const struct cidr *trusted_proxies;    /* whose X-Forwarded-For is believed */
    size_t trusted_proxy_count;
    const char *upload_dir;         /* where multipart files are streamed to */
    const char *tls_cert, *tls_key; /* paths or NULL */
    const struct route *routes;
    size_t route_count;
    struct api *(*make_api)(void *ctx);
    void (*free_api)(struct api *api);
    /* Writes with a token (routes that need one) by account, and tokens that are none by client
     * address; NULL: no limits. */
    struct limiter *limiter;
    struct http_metrics *metrics; /* borrowed; NULL: nobody counts */
    /* The account of a bearer token; D7_ERR_NOT_FOUND: no such token. */
    enum d7_err (*authenticate)(struct api *api, struct span token, struct account *ret);
    /* A counter that changes with whatever events are made of; NULL: streams are asked always. */
    enum d7_err (*change)(struct api *api, int64_t *ret);
    /* What the store of this thread last complained of, for the log; NULL: nobody says it. */
    const char *(*complaint)(struct api *api);
    void *ctx;
};

struct http_daemon;

/* Listens, and has read certificate and key: all that may want root. No thread yet. */
D7_MUST_USE enum d7_err daemon_open(const struct daemon_options *options, struct http_daemon **ret,
                                    struct d7_why *why);
/* Begins to answer. On failure d is only good for daemon_stop. */
D7_MUST_USE enum d7_err daemon_start(struct http_daemon *d, struct d7_why *why);
unsigned daemon_port(const struct http_daemon *d);
/* Stops accepting, tells event streams, lets requests in flight end (bounded by wait_ms), frees. */
void daemon_stop(struct http_daemon *d, int64_t wait_ms);

#endif
