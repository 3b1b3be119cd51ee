/*
 * tx.h - transactions, the change counters, and public ids.
 *
 * Use     err = tx_begin(st); ... ; return tx_end(st, err): commits when err is D7_OK, rolls back
 * otherwise, and returns the first error. Never nested (CHECK). No callback, child or network
 * inside. Order   writers begin IMMEDIATE: a read that turns into a write could fail BUSY at once,
 * whatever the timeout.
 */
#ifndef STORE_TX_H
#define STORE_TX_H

#include "store/handle.h"

D7_MUST_USE enum d7_err tx_begin(struct store *st);
/* Several reads that see one state. */
D7_MUST_USE enum d7_err tx_begin_read(struct store *st);
D7_MUST_USE enum d7_err tx_end(struct store *st, enum d7_err err);

/* What a write changed, as readers see it. */
enum change {
    CHANGE_PROGRESS, /* store_version */
    CHANGE_BOARD     /* store_version and store_board_version: a leaderboard may differ */
};
D7_MUST_USE enum d7_err tx_changed(struct store *st, enum change what);

/* A new public id, greater (as text) than all before it: 26 characters of Crockford's base32, ten
 * of time, eight of a serial number, eight random. */
D7_MUST_USE enum d7_err tx_key(struct store *st, int64_t now, char ret_key[STORE_KEY_SIZE]);

#endif
