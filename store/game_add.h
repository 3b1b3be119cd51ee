/*
 * game_add.h - writing a game inside the transaction that closes its job, for store/ only.
 */
#ifndef STORE_GAME_ADD_H
#define STORE_GAME_ADD_H

#include "store/job.h"

/* A job as its lease holder finds it in the store. */
struct held {
    int64_t job;
    bool is_game;
    char policy[STORE_ID_SIZE];
    int64_t revision;
    int64_t run;      /* games */
    int64_t position; /* games */
    char round[STORE_ID_SIZE];
    uint32_t attempts;
};

/* The result is storable: sizes agree and are within their limits, columns are 0-6. D7_ERR_INVALID,
 * D7_ERR_TOO_LARGE. */
D7_MUST_USE enum d7_err game_check(const struct game_result *result);
/* Writes the game and its record; it counts if it is the first of its revision on the round. */
D7_MUST_USE enum d7_err game_add(struct store *st, const struct held *held,
                                 const struct game_result *result, int64_t now,
                                 char ret_id[STORE_KEY_SIZE]);

#endif
