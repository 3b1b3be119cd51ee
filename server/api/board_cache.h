/*
 * board_cache.h - finished leaderboards, kept as bytes until something changes.
 *
 * Why     a board costs a pass over all counted games; requests should only hand bytes out.
 * Owns    the bytes are counted references: a reply keeps its own until it is sent, whatever the
 * cache does meanwhile.
 * Threads any; one computation at a time, others wait for it (bounded) instead of repeating it. The
 * lock is never held while a board is made.
 * Errors  D7_ERR_NOMEM, D7_ERR_BUSY (waited too long), and what the maker returns.
 * Bounds  BOARD_CACHE_SUITES boards; the least recently used one makes room.
 */
#ifndef SERVER_API_BOARD_CACHE_H
#define SERVER_API_BOARD_CACHE_H

#include "server/http/message.h"
#include "store/store.h"

#define BOARD_CACHE_SUITES  16
#define BOARD_CACHE_WAIT_MS 10000

struct board_cache;

D7_MUST_USE enum d7_err board_cache_new(struct board_cache **ret);
/* Takes NULL. No call may be running. */
void board_cache_free(struct board_cache *c);

/* Appends the board of a suite as it is now. */
typedef enum d7_err (*board_make)(void *ctx, const char *suite_id, struct buf *to);

/* Puts the board of a suite into the reply as shared bytes with its ETag. `version` is
 * store_board_version() read before the call: kept bytes at least that new are served as they are.
 */
D7_MUST_USE enum d7_err board_cache_serve(struct board_cache *c, const char *suite_id,
                                          int64_t version, board_make make, void *ctx,
                                          struct reply *reply);

#endif
