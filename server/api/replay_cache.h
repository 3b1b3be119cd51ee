/*
 * replay_cache.h - replays served lately, as bytes.
 *
 * Why     a replay costs replaying the game; viewers, and caches that ask whether theirs is still
 * good, come several times. A recorded game never changes but for two facts: whether it counts, and
 * whether it was voided. An entry holds both, and the board version at which they were read: at the
 * same version it is right without looking into the store.
 * Threads any; its own lock, held for a look-up's length.
 * Bounds  REPLAY_CACHE_BYTES and REPLAY_CACHE_ENTRIES; the least recently used make room.
 */
#ifndef SERVER_API_REPLAY_CACHE_H
#define SERVER_API_REPLAY_CACHE_H

#include "server/api/kept.h"
#include "store/game.h"

#define REPLAY_CACHE_BYTES   (4u << 20)
#define REPLAY_CACHE_ENTRIES 2048

struct replay_cache;

struct replay_key {
    char game_id[STORE_KEY_SIZE];
    bool steps;
};

D7_MUST_USE enum d7_err replay_cache_new(struct replay_cache **ret);
/* Takes NULL. No call may be running. */
void replay_cache_free(struct replay_cache *c);

/* The bytes (the caller's reference) if they are right at this board version. *ret_voided: the game
 * was voided. NULL: not here, or not known to be right. */
struct kept *replay_cache_at(struct replay_cache *c, const struct replay_key *key, int64_t version,
                             bool *ret_voided);
/* The same for one whose row was read at that version or later: right if row and entry agree. */
struct kept *replay_cache_for(struct replay_cache *c, const struct replay_key *key, int64_t version,
                              const struct game_row *game);
/* Keeps bytes made of this row, read at that version or later; takes a reference of its own. */
void replay_cache_put(struct replay_cache *c, const struct replay_key *key, int64_t version,
                      const struct game_row *game, struct kept *bytes);
/* Bytes kept now: for tests. */
size_t replay_cache_bytes(struct replay_cache *c);

#endif
