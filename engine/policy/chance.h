/*
 * chance.h - where the searches' randomness comes from: hashes of public states, never a clock.
 *
 * Source  ../shared/spec/policies.md, section 2 (policy seed) and 14.3 (strata of the fair search).
 * Why     a draw is named by its node, its kind and its number, so every column of a node, every
 * order of evaluation and every thread sees the same draws.
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_CHANCE_H
#define ENGINE_POLICY_CHANCE_H

#include "engine/base/rng.h"
#include "engine/rules/board.h"

#define CHANCE_STRATA      7u
#define CHANCE_FAIR_SEED   0xd7075eedu
#define CHANCE_FAIR_REVEAL 0x5245564cu
#define CHANCE_FAIR_NEXT   0x44495343u
#define CHANCE_STEP        0x85ebca6bu

/* The seed of a policy that has no constant of its own: the hash of its id. */
static inline uint32_t chance_policy_seed(const char *id)
{
    uint32_t hash = FNV_START;
    for (; *id; id++) {
        hash = fnv_step(hash, (unsigned char)*id);
    }
    return hash;
}

/* The seed S of a node of the fair search with `depth` moves still to look ahead. */
static inline uint32_t chance_fair_seed(const struct position *at, unsigned depth)
{
    uint32_t x = FNV_START;
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            x = fnv_step(x, (at->board.col[c] >> (4 * (6 - row)) & 15u) + 1);
        }
    }
    x = fnv_step(x, at->next) ^ at->rise;
    return mix32(x ^ CHANCE_FAIR_SEED ^ ((depth + 1) * CHANCE_STEP));
}

/* How far the strata of draw number `event` of a kind are turned, 0-6. */
static inline unsigned chance_rotation(uint32_t seed, uint32_t domain, unsigned event)
{
    return mix32(seed ^ domain ^ ((event + 1) * CHANCE_STEP)) % CHANCE_STRATA;
}

/* The disc 1-7 that stratum 0-6 sees. The jitter inside a slice cannot change it: seven slices,
 * seven discs. */
static inline uint8_t chance_disc(unsigned rotation, unsigned stratum)
{
    return (uint8_t)((rotation + stratum) % CHANCE_STRATA + 1);
}

#endif
