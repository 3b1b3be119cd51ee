/*
 * fair_play.h - one move of the fair search in all seven strata at once.
 *
 * Source  ../shared/spec/policies.md, 14.3 and 14.4.
 * Threads none: plain values, no globals.
 */
#ifndef ENGINE_POLICY_FAIR_PLAY_H
#define ENGINE_POLICY_FAIR_PLAY_H

#include "engine/policy/chance.h"

/* A canonical state with its draws. Every column sees the same ones. */
struct fair_node {
    struct board board;
    uint8_t next;
    uint8_t rise;
    bool settled;                /* holds no match, as every board a move leaves behind */
    uint8_t disc[CHANCE_STRATA]; /* the next disc in each stratum: each of 1-7 once */
    uint32_t seed;
};

/* What a move leaves behind in some strata; the board is canonical, and not meant for looking at
 * when over. */
struct fair_outcome {
    struct board board;
    int32_t points;
    uint8_t strata; /* a mask */
    uint8_t rise;
    bool over;
    uint8_t hole;     /* where the strata's numbers differ: a grid bit, or FAIR_WHOLE */
    uint8_t rotation; /* of the draw of that number */
};

#define FAIR_HOLE  15u  /* in a board, where the number is that of each stratum */
#define FAIR_WHOLE 255u /* no such cell */

/* A move in all strata: each is in one outcome. */
struct fair_move {
    unsigned count;
    struct fair_outcome outcome[CHANCE_STRATA];
};

/* board_hash: chance_board_hash of the board. depth: moves still to look ahead. */
void fair_node_init(struct fair_node *n, const struct board *b, uint32_t board_hash, unsigned next,
                    unsigned rise, unsigned depth);

/* Plays a legal column. holes: outcomes that differ in one number only may be told as one with a
 * hole. */
void fair_play(const struct fair_node *n, unsigned column, bool holes, struct fair_move *ret);

#endif
