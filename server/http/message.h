/*
 * message.h - what a handler sees: a request, and the reply it fills. No libmicrohttpd in here.
 *
 * Why     handlers are plain functions, testable without sockets: enum d7_err api_x(struct api *,
 * const struct request *, struct reply *). An error they return becomes problem+json in one place
 * (reply_problem). Owns    everything in a request is borrowed until the handler returns; a reply
 * owns its buffers and belongs to the layer. Threads one request, one thread; many at once.
 */
#ifndef SERVER_HTTP_MESSAGE_H
#define SERVER_HTTP_MESSAGE_H

#include "engine/base/jsonout.h"
#include "server/cidr.h"
#include "store/account.h"

#define REQUEST_PARAM_MAX 3
#define REQUEST_QUERY_MAX 16
#define FORM_FIELD_MAX    16
#define REPLY_HEADER_MAX  8

enum http_method {
    HTTP_GET = 1,
    HTTP_HEAD = 2,
    HTTP_POST = 4,
    HTTP_PATCH = 8,
    HTTP_DELETE = 16,
    HTTP_OPTIONS = 32
};

struct pair {
    struct span key;
    struct span value;
};

/* A file of a multipart body, streamed to disk; removed after the request unless the handler took
 * it (path[0] = 0). */
struct form_file {
    bool present;
    char path[512];
    char sha256[SHA_HEX_SIZE];
    int64_t size_bytes;
    char head[256]; /* its first bytes, for judging the format */
    size_t head_len;
};

struct request {
    enum http_method method;
    struct span path; /* as sent, without the query */
    struct span
        params[REQUEST_PARAM_MAX]; /* {..} of the pattern, percent-decoded, no NUL, no slash */
    struct pair query[REQUEST_QUERY_MAX]; /* decoded */
    size_t query_count;
    struct span body;                   /* whole; empty for multipart */
    bool is_json;                       /* Content-Type application/json */
    bool is_form;                       /* multipart/form-data */
    struct pair fields[FORM_FIELD_MAX]; /* text parts of a multipart body */
    size_t field_count;
    struct form_file file; /* part named `policy` */
    bool has_account;      /* a valid token was sent (an invalid one never gets this far: 401) */
    struct account account;
    struct ip_address address; /* the client's: behind trusted proxies, who asked them */
    char client[64];           /* the same, printable */
    char id[33];               /* X-Request-Id */
    /* Any request header by name; ptr NULL when absent. */
    struct span (*header)(const struct request *req, const char *name);
    void *layer; /* http/daemon.c's own */
};

/* A query value by name; false when absent. */
bool request_query(const struct request *req, const char *name, struct span *ret);
/* A multipart text field by name; false when absent. */
bool request_field(const struct request *req, const char *name, struct span *ret);

enum cache_rule {
    CACHE_NONE,
    CACHE_REVALIDATE,
    CACHE_IMMUTABLE
}; /* no-store; no-cache with ETag; a year */

struct api; /* server/api/api.h: what handlers work with, one a thread */

/*
 * Where the events of a stream come from (text/event-stream). The handler puts the first bytes into
 * the body; the source is asked for the others.
 */
struct event_source {
    /* Appends what is due, up to some 64 KiB. Called by one thread at a time, with that thread's
     * api and the change counter as it was read there. *ret_more: there was too much, ask again;
     * *ret_ended: nothing will follow. On an error nothing is sent and it is asked again. */
    enum d7_err (*next)(void *ctx, struct api *api, int64_t version, struct buf *to, bool *ret_more,
                        bool *ret_ended);
    /* The server stops: appends last words. NULL: none. */
    void (*goodbye)(void *ctx, struct buf *to);
    void (*release)(void *ctx);
    void *ctx;      /* owned */
    char topic[65]; /* streams of one topic are asked one after the other */
};

struct field_error {
    char field[64];
    char message[320];
};
#define REPLY_FIELD_MAX 16

struct reply {
    int status;               /* 0 until set; handlers that leave it get 200 */
    const char *content_type; /* constant text */
    struct buf body;
    enum cache_rule cache;
    char etag[80];       /* strong, with quotes; empty: made from the bytes for GET answers */
    size_t header_count; /* of headers, below */
    /* a problem (any error return): what reply_problem writes */
    struct d7_why why;
    const char *code;   /* overrides the code that goes with the error; constant text */
    int problem_status; /* overrides the status that goes with the code (414 and 431 are
                           `too-large` too); 0: does not */
    char existing[200]; /* conflict: the URL that exists */
    size_t field_count; /* of fields, below */
    int retry_after_s;  /* 0: none */
    /* bytes kept elsewhere (cached leaderboard, pages): used instead of body when ptr is set;
     * released after sending */
    struct span shared;
    struct span shared_gzip;
    void (*shared_release)(void *ctx);
    void *shared_ctx;
    struct event_source stream; /* next set: the body is only the beginning */
    /* last, and not cleared by reply_init: large, and only looked at up to their counts */
    struct {
        char name[32];
        char value[600];
    } headers[REPLY_HEADER_MAX];
    struct field_error fields[REPLY_FIELD_MAX];
};

void reply_init(struct reply *r);
void reply_release(struct reply *r);
/* Gives up the stream, if there is one. */
void reply_drop_stream(struct reply *r);
/* Value is cut to fit; CR, LF and other controls in it are a bug (CHECK). */
void reply_header(struct reply *r, const char *name, const char *format, ...) D7_PRINTF(3, 4);
/* Starts a JSON body (content type, cache rule) and gives a writer on it. */
struct jout reply_json(struct reply *r, int status, enum cache_rule cache);
/* Adds one field error (later ones past the cap are dropped) and returns D7_ERR_INVALID. */
enum d7_err reply_field_error(struct reply *r, const char *field, const char *format, ...)
    D7_PRINTF(3, 4);
/* The status and code that go with an error; one table for the whole server. */
int reply_status_of(enum d7_err err);
const char *reply_code_of(enum d7_err err);
/* Turns the reply into application/problem+json for err, using why, code, fields, existing. */
void reply_problem(struct reply *r, enum d7_err err, const char *request_id);

#endif
