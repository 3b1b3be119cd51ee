/*
 * remote.h - what submit, status and leaderboard share: which server, which token, and what is done
 * with an answer.
 *
 * Owns    struct remote has the client; remote_end frees it.
 * Errors  said on stderr; results are exit statuses: 0, 1 (the server or the way to it), 2 (usage),
 * REMOTE_INTERRUPTED.
 * Secrets the token comes from a file, the environment or an option, and is never printed.
 * Threads none: remote_begin blocks SIGINT and SIGTERM, which then end waiting.
 */
#ifndef ENGINE_TOOL_REMOTE_H
#define ENGINE_TOOL_REMOTE_H

#include "engine/tool/client.h"
#include "engine/tool/opts.h"

#define REMOTE_INTERRUPTED 130 /* 128 + SIGINT, as shells have it */
#define REMOTE_TEXT_SIZE   512
#define REMOTE_SERVER      "http://127.0.0.1:8080"

struct remote_options {
    const char *server;     /* NULL: DROP7_SERVER, else REMOTE_SERVER */
    const char *token;      /* NULL: from the file, else DROP7_TOKEN, else none */
    const char *token_file; /* its first line */
};

/* The rows of an option table for them. */
#define REMOTE_OPTS(o)                                                                             \
    {"--server", "URL", "the server (default: DROP7_SERVER, else " REMOTE_SERVER ")", &(o).server, \
     NULL},                                                                                        \
        {"--token-file", "FILE", "read the token from this file", &(o).token_file, NULL},          \
    {                                                                                              \
        "--token", "T", "the token; others on this machine can see it, DROP7_TOKEN they cannot",   \
            &(o).token, NULL                                                                       \
    }

struct remote {
    struct client *client; /* owned */
    int stop_fd;           /* owned */
};

/* 0, or an exit status with nothing to end. */
int remote_begin(const struct remote_options *o, bool needs_token, struct remote *ret);
void remote_end(struct remote *r);

/* Is this an id as the API has them (letters, digits, '-'; 1 to 64)? Says so when not. */
bool remote_is_id(const char *what, const char *id);

/* What did not arrive, or was refused: says so, and returns the exit status. */
int remote_lost(enum d7_err err, const struct d7_why *why);
int remote_refused(const struct client_answer *a);
/* GET that must be 200 (and JSON, unless it is to be passed on as it is): 0, or the exit status. On
 * 0 the answer is to be released. */
int remote_get(struct remote *r, const char *path, bool as_json, struct client_answer *ret);

/* Members of an object, fit for a terminal; "" and the fallback when there is none of that kind. */
const char *remote_text(const struct jval *v, const char *key, char to[REMOTE_TEXT_SIZE]);
int64_t remote_int(const struct jval *v, const char *key, int64_t fallback);

/* `"policy": ..., "run": ...` as one object and a line end to stdout; NULL writes null. */
int remote_print_json(const struct client_answer *policy, const struct client_answer *run);

#endif
