/*
 * verify.h - replays recorded games from their columns and compares every figure kept with them.
 *
 * Threads none. Errors the store's; a game that differs, or cannot be read, is no error but a line.
 * Bounds  one page of games and the last 32 rounds in memory.
 */
#ifndef SERVER_VERIFY_H
#define SERVER_VERIFY_H

#include "engine/base/buf.h"
#include "store/game.h"

struct verify_report {
    uint64_t games;     /* looked at */
    uint64_t different; /* of these */
};

/* One line for each game that differs is appended to `to`. */
D7_MUST_USE enum d7_err verify_store(struct store *st, struct verify_report *ret, struct buf *to);

#endif
