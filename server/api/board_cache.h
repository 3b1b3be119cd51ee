/*
 * board_cache.h - finished leaderboards, kept as bytes until something changes.
 *
 * Why     a board costs a pass over all counted games; requests should only hand bytes out. The
 * whole boards of suites are asked for all the time and worth a wait; other selections are
 * anybody's choice, endless in number, and must not take the server from the others. Owns    the
 * bytes are counted references: a reply keeps its own until it is sent, whatever the cache does
 * meanwhile. Threads any; one computation of a board at a time, others who want the same wait for
 * it (bounded) instead of repeating it. The lock is never held while a board is made. Errors
 * D7_ERR_NOMEM, D7_ERR_BUSY (waited too long, or too many at once), and what the maker returns.
 * Bounds  BOARD_CACHE_SLOTS boards; the least recently used one makes room.
 */
#ifndef SERVER_API_BOARD_CACHE_H
#define SERVER_API_BOARD_CACHE_H

#include "server/http/message.h"
#include "store/store.h"

#define BOARD_CACHE_SLOTS      16
#define BOARD_CACHE_WAIT_MS    10000
#define BOARD_CACHE_MAKERS_MAX 2
#define BOARD_KEY_SIZE         65

struct board_cache;

struct board_limits {
    unsigned makers;   /* boards being made at a time, 1 to BOARD_CACHE_MAKERS_MAX */
    bool refuses;      /* all makers at work on other boards: BUSY at once, not a wait */
    size_t keep_bytes; /* larger boards are served but not kept */
};
/* For the whole boards of suites, and for other selections. */
extern const struct board_limits board_limits_suites;
extern const struct board_limits board_limits_selections;

D7_MUST_USE enum d7_err board_cache_new(const struct board_limits *limits,
                                        struct board_cache **ret);
/* Takes NULL. No call may be running. */
void board_cache_free(struct board_cache *c);

/* Appends a board as it is now. */
typedef enum d7_err (*board_make)(void *ctx, struct buf *to);

struct board_wish {
    const char *key; /* under BOARD_KEY_SIZE; equal keys are the same board */
    /* store_board_version() read before the call: kept bytes at least that new are served as they
     * are */
    int64_t version;
    const char *content_type; /* constant text */
    board_make make;
    void *ctx;
};

/* Puts a kept board into the reply, if it is there and new enough; never makes one (key,
 * content_type and version of the wish). */
bool board_cache_peek(struct board_cache *c, const struct board_wish *wish, struct reply *reply);

/* Puts a board into the reply as shared bytes with its ETag. */
D7_MUST_USE enum d7_err board_cache_serve(struct board_cache *c, const struct board_wish *wish,
                                          struct reply *reply);

#endif
