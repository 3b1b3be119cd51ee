/*
 * api.h - what the handlers share, and their table.
 *
 * Owns    one struct api a thread: its store connection; `site` is shared and read-only.
 */
#ifndef SERVER_API_API_H
#define SERVER_API_API_H

#include "server/config.h"
#include "server/http/route.h"
#include "store/game.h"
#include "store/job.h"

struct board_cache; /* server/api/board_cache.h */

/* Shared by all threads. */
struct site {
    const struct config *config;
    struct board_cache *boards; /* has its own lock */
    int64_t started_mono_ms;
};

struct api {
    struct store *store; /* this thread's */
    struct site *site;
};

const struct route *api_routes(size_t *ret_count);

#endif
