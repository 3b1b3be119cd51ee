/*
 * game_add.h - writing a game inside the transaction that closes its job, for store/ only.
 */
#ifndef STORE_GAME_ADD_H
#define STORE_GAME_ADD_H

#include "store/job.h"

/* A job as its lease holder finds it in the store; or what a play stands for, without a job. */
struct held {
    int64_t job; /* 0: none */
    bool is_game;
    char policy[STORE_ID_SIZE]; /* empty: a person's game */
    const char *player;         /* borrowed; a person's name */
    int64_t revision;
    int64_t run;      /* games; 0: none */
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

/* Think times are stored as microseconds, 32-bit little-endian whatever the machine. */
static inline void think_store(uint32_t us, uint8_t to[4])
{
    for (size_t byte = 0; byte < 4; byte++) {
        to[byte] = (uint8_t)(us >> (8 * byte));
    }
}

static inline void think_load(const char from[4], uint32_t *ret_us)
{
    uint32_t us = 0;
    for (size_t byte = 0; byte < 4; byte++) {
        us |= (uint32_t)(uint8_t)from[byte] << (8 * byte);
    }
    *ret_us = us;
}

#endif
