/*
 * client.h - HTTP to a drop7d server: the only user of libcurl.
 *
 * Why     three commands talk to the API; what they need of HTTP is little and the same.
 * Owns    struct client keeps copies of address and token; answers are released by their caller.
 * Errors  only what keeps an answer from arriving: D7_ERR_UNAVAILABLE (not reached, or lost; why
 * has one line), TIMEOUT, TOO_LARGE, CANCELLED (the stop descriptor became readable), NOMEM. An
 * answer of any status is D7_OK. Secrets the token goes into the Authorization header, nowhere
 * else: neither into messages nor, since redirections are not followed, to another server. Bounds
 * answers up to CLIENT_BODY_MAX unpacked; 10 s to connect, 60 s a request, 10 min an upload; an
 * event stream has no end, but 45 s of silence (three heartbeats) end it. Threads none.
 */
#ifndef ENGINE_TOOL_CLIENT_H
#define ENGINE_TOOL_CLIENT_H

#include "engine/base/json.h"
#include "engine/tool/events_in.h"

#define CLIENT_BODY_MAX  (64u << 20)
#define CLIENT_TOKEN_MAX 512

struct client;

struct client_answer {
    long status;
    bool is_stream;        /* it was text/event-stream, its events have been handed out */
    int64_t retry_after_s; /* 0: not said */
    struct buf body;       /* owned */
    struct jval *json;     /* owned; NULL when the body is no JSON */
};

struct client_field {
    const char *name;
    const char *value; /* NULL: left out */
};

/* server: "http://HOST:PORT" or https, with or without a slash or /api/v1 behind it; D7_ERR_INVALID
 * with why otherwise. token may be NULL. stop_fd ends waiting when readable; -1: none; borrowed. */
D7_MUST_USE enum d7_err client_new(const char *server, const char *token, int stop_fd,
                                   struct client **ret, struct d7_why *why);
/* Takes NULL. */
void client_free(struct client *c);
/* "http://HOST:PORT", for messages. */
const char *client_server(const struct client *c);

/* path begins with a slash and follows /api/v1. *ret needs no initialisation and is to be released
 * on success only. */
D7_MUST_USE enum d7_err client_get(struct client *c, const char *path, struct client_answer *ret,
                                   struct d7_why *why);
D7_MUST_USE enum d7_err client_post_json(struct client *c, const char *path, struct span json,
                                         struct client_answer *ret, struct d7_why *why);
/* multipart/form-data: the fields up to count, and the file as part `policy`. */
D7_MUST_USE enum d7_err client_post_form(struct client *c, const char *path,
                                         const struct client_field *fields, size_t count,
                                         const char *file, struct client_answer *ret,
                                         struct d7_why *why);
/* Follows an event stream until it ends or `take` stops it; comes back to where `in` is. */
D7_MUST_USE enum d7_err client_follow(struct client *c, const char *path, struct events_in *in,
                                      events_in_take *take, void *ctx, struct client_answer *ret,
                                      struct d7_why *why);
void client_answer_release(struct client_answer *a);

/* D7_ERR_CANCELLED when the stop descriptor became readable meanwhile. */
D7_MUST_USE enum d7_err client_wait(const struct client *c, int64_t wait_ms);

/* What an answer that is no success says: one line, then "  FIELD: MESSAGE" a field error, each
 * ended by LF; nothing in it can move a terminal's cursor. */
void client_problem(const struct client_answer *a, struct buf *to);

#endif
