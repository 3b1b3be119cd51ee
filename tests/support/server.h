/*
 * server.h - a real `drop7d serve` for a test, and HTTP to it.
 *
 * Owns    server_start gives a process on a free port with a data folder under $TMPDIR;
 * server_stop ends it and server_remove removes the folder. Answers are freed with answer_free.
 * Threads one thread a server drains its stderr, so that a chatty server never blocks.
 * Errors  whatever goes wrong fails the test.
 */
#ifndef TESTS_SUPPORT_SERVER_H
#define TESTS_SUPPORT_SERVER_H

#include <limits.h>
#include <pthread.h>

#include "engine/base/json.h"
#include "tests/support/process.h"

#define TEST_WAIT_MS 60000

struct test_server {
    const char *program; /* NULL: the built drop7d */
    pid_t pid;           /* 0: not running */
    unsigned port;
    char data[PATH_MAX];
    pthread_t drain;
    bool draining;
    int stderr_fd;
    pthread_mutex_t lock;
    pthread_cond_t grown;
    char *log; /* guarded by lock; NUL-terminated */
    size_t log_len, log_cap;
    bool log_ended; /* guarded by lock: every process that held the server's stderr is gone */
};

/* A new data folder, then server_run. extra: options after `serve --listen 127.0.0.1:0 --data DIR`,
 * NULL-terminated, or NULL. */
void server_start(struct test_server *s, const char *const *extra);
/* The same with a drop7d of the test's own, borrowed. */
void server_start_as(struct test_server *s, const char *program, const char *const *extra);
/* Starts again on the same folder. Returns once it listens. */
void server_run(struct test_server *s, const char *const *extra);
/* Waits until /readyz says 200: a worker has made itself known. Returns its isolation tier ("A",
 * ...) in a static buffer. */
const char *server_wait_ready(const struct test_server *s, int64_t wait_ms);
/* SIGTERM and the exit status; fails the test when it takes longer than 15 s. */
int server_stop(struct test_server *s);
/* SIGKILL, and waits for it. */
void server_kill(struct test_server *s);
/* The worker processes that live now: children of the server's keeper. */
size_t server_workers(const struct test_server *s, pid_t *ret_pids, size_t max);
/* Ends what still runs and removes the folder; for teardowns, takes a half-made server. */
void server_remove(struct test_server *s);
/* Waits until the server and everything that inherited its stderr has ended. */
bool server_wait_silence(struct test_server *s, int64_t wait_ms);
/* Waits until the log has this text. */
bool server_wait_log(struct test_server *s, const char *text, int64_t wait_ms);

/* A token of that name by `drop7d token create`; static buffer. */
const char *server_token(struct test_server *s, const char *name, bool admin);

struct answer {
    long status;
    char *body; /* NUL-terminated */
    size_t len;
    char *headers;     /* all lines, as sent */
    struct jval *json; /* NULL when the body is no JSON */
};
void answer_free(struct answer *a);
/* A text member of the JSON answer; fails the test without it. Borrowed from the answer. */
const char *answer_text(const struct answer *a, const char *key);

/* path begins with a slash. token may be NULL. */
struct answer http_get(const struct test_server *s, const char *path);
struct answer http_send(const struct test_server *s, const char *method, const char *path,
                        const char *token, const char *json /* NULL: no body */);
/* A multipart upload: fields "id", ID, "name", NAME, ..., NULL; file goes into part `policy`. */
struct answer http_upload(const struct test_server *s, const char *path, const char *token,
                          const char *const *fields, const char *file);
/* Waits until the run has left `queued` and `playing`; returns its last answer. */
struct answer http_wait_run(const struct test_server *s, const char *run_id, int64_t wait_ms);
/* Waits until GET path has `status` other than `not_status`. */
struct answer http_wait_status(const struct test_server *s, const char *path,
                               const char *not_status, int64_t wait_ms);

#endif
