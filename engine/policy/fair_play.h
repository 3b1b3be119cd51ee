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

/* What a move leaves behind; the board is canonical. */
struct fair_outcome {
    struct board board;
    int32_t points;
    uint8_t rise;
    bool over;
};

/* board_hash: chance_board_hash of the board. depth: moves still to look ahead. */
void fair_node_init(struct fair_node *n, const struct board *b, uint32_t board_hash, unsigned next,
                    unsigned rise, unsigned depth);

/*
 * Plays a legal column. Returns how many outcomes differ in more than the next disc: all seven, by
 * stratum, or 1 when every stratum's is ret[0].
 */
unsigned fair_play(const struct fair_node *n, unsigned column,
                   struct fair_outcome ret[CHANCE_STRATA]);

#endif
