/*
 * chance.h - where the searches' randomness comes from: hashes of public states, never a clock.
 *
 * Source  ../shared/spec/policies.md, section 2 (policy seed, stratified unit) and 14.3 (strata of
 * the fair search). How a policy hashes a state and turns a draw is in the policy's own file: the
 * recipes look alike and differ.
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
/* FNV_START after 0-7 rows of seven empty cells */
#define CHANCE_EMPTY_ROWS                                                                          \
    {                                                                                              \
        0x811c9dc5u, 0xfdcbd3feu, 0x5abcca33u, 0x0654ebd8u, 0x311b84f1u, 0xd9684c22u, 0x1c47857fu, \
            0x44e5df5cu                                                                            \
    }

/* The seed of a policy that has no constant of its own: the hash of its id. */
static inline uint32_t chance_policy_seed(const char *id)
{
    uint32_t hash = FNV_START;
    for (; *id; id++) {
        hash = fnv_step(hash, (unsigned char)*id);
    }
    return hash;
}

/* Hashes the cells of the lowest `rows` rows in index order, each with `more` added, on top of a
 * hash. */
static inline uint32_t chance_hash_rows(uint32_t hash, const struct board *b, unsigned rows,
                                        uint32_t more)
{
    while (rows-- > 0) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            hash = fnv_step(hash, (b->col[c] >> (4 * rows) & 15u) + more);
        }
    }
    return hash;
}

/* The part of a node's seed that is the board's alone: nodes that differ in disc or clock share it.
 * Empty rows on top, which boards in play have, are looked up. */
static inline uint32_t chance_board_hash(const struct board *b)
{
    static const uint32_t after_empty[BOARD_ROWS + 1] = CHANCE_EMPTY_ROWS;
    uint32_t all =
        b->col[0] | b->col[1] | b->col[2] | b->col[3] | b->col[4] | b->col[5] | b->col[6];
    unsigned rows = all ? (35u - (unsigned)__builtin_clz(all)) / 4u : 0;
    return chance_hash_rows(after_empty[BOARD_ROWS - rows], b, rows, 1);
}

/* The seed of a node of a search that has `seed` for its own, with `depth` moves still to look
 * ahead; board_hash: chance_board_hash. The fair search's is S of the text. */
static inline uint32_t chance_node_seed(uint32_t board_hash, unsigned next, unsigned rise,
                                        uint32_t seed, unsigned depth)
{
    uint32_t hash = fnv_step(board_hash, next) ^ rise;
    return mix32(hash ^ seed ^ ((depth + 1) * CHANCE_STEP));
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
    unsigned turned = rotation + stratum; /* below 14 */
    return (uint8_t)(turned + 1 - (CHANCE_STRATA & (0u - (turned >= CHANCE_STRATA))));
}

/* What hashes are stepped with, times number + 1; CHANCE_STEP is for plies, depths and events. */
#define CHANCE_SAMPLE 0x9e3779b9u /* samples and simulations */
#define CHANCE_EVENT  0xc2b2ae35u /* events and columns */

/*
 * A stratified unit, times samples * 2^32: the slice of the sample, turned by a rotation, and where
 * in the slice. Below samples * 2^32.
 */
static inline uint64_t chance_unit(uint32_t rotation, uint32_t jitter, unsigned sample,
                                   unsigned samples)
{
    uint64_t stratum = (sample + rotation % samples) % samples;
    return stratum << 32 | jitter;
}

/*
 * floor(7u) + 1 of such a unit u, for 2-6 and 8-12 samples. The text computes in doubles; the floor
 * is the same: two roundings move 7u by less than 2^-49, but it is a multiple of 1/(samples *
 * 2^32), so it lies at least 2^-36 from any whole number it is not, and the only one it can be is
 * 0.
 */
static inline uint8_t chance_unit_disc(uint64_t unit, unsigned samples)
{
    return (uint8_t)((7 * unit >> 32) / samples + 1);
}

/* floor(7u) + 1 of 32 random bits, u = bits / 2^32. */
static inline uint8_t chance_bits_disc(uint32_t bits)
{
    return (uint8_t)(((uint64_t)bits * 7 >> 32) + 1);
}

#endif
