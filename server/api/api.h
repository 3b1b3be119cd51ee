/*
 * api.h - what the handlers share, and their table.
 *
 * Owns    one struct api a thread: its store connection; `site` is shared by all of them.
 * Threads site is read-only but for its locks and the cache, which has its own.
 */
#ifndef SERVER_API_API_H
#define SERVER_API_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/api/token_use.h"
#include "server/config.h"
#include "server/http/limit.h"
#include "server/http/route.h"
#include "store/game.h"
#include "store/job.h"
#include "store/revision.h"

struct board_cache;   /* server/api/board_cache.h */
struct event_view;    /* server/api/events.h */
struct interval_memo; /* engine/rank/interval_memo.h */
struct replay_cache;  /* server/api/replay_cache.h */
struct site_metrics;  /* server/api/metrics.h */

/* Shared by all threads; stays where it was initialised. */
struct site {
    const struct config *config;     /* borrowed */
    struct board_cache *boards;      /* owned; has its own lock: whole boards of suites */
    struct board_cache *selections;  /* owned; has its own lock: the others */
    struct interval_memo *intervals; /* owned; has its own lock */
    struct replay_cache *replays;    /* owned; has its own lock */
    struct limiter *limiter;         /* owned; the HTTP layer's too */
    struct quota quota;              /* of every account */
    struct site_metrics *metrics;    /* owned; counters, without a lock */
    int64_t started_mono_ms;
    atomic_bool stopping; /* readyz says so */
    /* Held from adopting an artifact until a revision refers to it (or it is removed again):
     * otherwise one upload's clean-up could take the file of an equal one just being registered. */
    pthread_mutex_t upload_lock;
    /* readyz commits a write to see whether one goes through: the answer holds for a second */
    pthread_mutex_t ready_lock;
    int64_t ready_mono_ms; /* when it was asked last; guarded by ready_lock */
    enum d7_err ready;     /* guarded by ready_lock */
};

/* D7_ERR_NOMEM, D7_ERR_IO. */
D7_MUST_USE enum d7_err site_init(const struct config *config, struct site *ret);
/* After the HTTP layer has stopped. */
void site_release(struct site *site);

struct api {
    struct store *store; /* this thread's */
    struct site *site;
    struct token_uses token_uses;
    struct event_view *view; /* owned; made when first needed */
    /* the default suite as it was at that board version; empty: not read yet */
    char default_suite[STORE_ID_SIZE];
    int64_t default_suite_at;
};

const struct route *api_routes(size_t *ret_count);

#endif
