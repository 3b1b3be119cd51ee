/*
 * fair_table.h - what the fair search remembers: values of states, and bases of leaves.
 *
 * The idea. A state's value is a function of board, clock, next disc and moves still to look ahead.
 * An entry belongs to board, clock and depth and holds the values of all seven next discs: a move
 * that reveals nothing asks for all seven. Leaves have a table of their own, small enough to stay
 * in the second-level cache: moves that commute lead to the same boards.
 * Proof   keys are compared in full, so a hit returns doubles that were computed for exactly that
 * state; which entries survive changes times, never values. So nothing is cleared between
 * decisions. Layout  a key is a board whose eighth column, always empty, holds a tag instead; tags
 * are not 0, so a zeroed entry matches nothing. Direct-mapped; a new entry replaces the old one.
 * Threads plain values; one thread each.
 */
#ifndef ENGINE_POLICY_FAIR_TABLE_H
#define ENGINE_POLICY_FAIR_TABLE_H

#include <string.h>

#include "engine/rules/board.h"

struct fair_key {
    struct board board;
};

static inline struct fair_key fair_key_of(const struct board *b, uint32_t tag)
{
    struct fair_key key = {*b};
    /* as a vector: a word stored on its own would hold up the loads after it */
    lanes_store(key.board.col + 4, lanes_load(b->col + 4) | (lanes){0, 0, 0, tag});
    return key;
}

static inline bool fair_key_is(const struct fair_key *a, const struct fair_key *b)
{
    return !lanes_any((lanes_load(a->board.col) ^ lanes_load(b->board.col)) |
                      (lanes_load(a->board.col + 4) ^ lanes_load(b->board.col + 4)));
}

/* 64 bits of which the top ones are the best: every product carries upwards. */
static inline uint64_t fair_key_hash(const struct fair_key *key)
{
    uint64_t q[4];
    memcpy(q, key->board.col, sizeof(q));
    return q[0] * 0x9e3779b97f4a7c15u + q[1] * 0xbf58476d1ce4e5b9u + q[2] * 0x94d049bb133111ebu +
           q[3] * 0xd6e8feb86659fd93u;
}

#endif
