/*
 * mirror.h - of a board and its left-right mirror image, the one that is read first.
 *
 * Source  ../shared/spec/policies.md, "Mirror comparison" (section 0) and 14.1.
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_MIRROR_H
#define ENGINE_POLICY_MIRROR_H

#include "engine/rules/wave.h"

/* Is the mirror image smaller when both are read cell by cell from the top left? */
static inline bool mirror_is_reversed(const struct board *b)
{
    uint32_t differs = (b->col[0] ^ b->col[6]) | (b->col[1] ^ b->col[5]) | (b->col[2] ^ b->col[4]);
    if (!differs) {
        return false;
    }
    unsigned highest = (31u - (unsigned)__builtin_clz(differs)) / 4u * 4u;
    for (unsigned c = 0; c < 3; c++) {
        unsigned here = b->col[c] >> highest & 15u;
        unsigned there = b->col[6 - c] >> highest & 15u;
        if (here != there) {
            return here > there;
        }
    }
    return false;
}

static inline bool mirror_is_symmetric(const struct board *b)
{
    return !((b->col[0] ^ b->col[6]) | (b->col[1] ^ b->col[5]) | (b->col[2] ^ b->col[4]));
}

/* Replaces a reversed board by its mirror image; true when it did. */
static inline bool mirror_canonicalise(struct board *b)
{
    if (!mirror_is_reversed(b)) {
        return false;
    }
    for (unsigned c = 0; c < 3; c++) {
        uint32_t word = b->col[c];
        b->col[c] = b->col[6 - c];
        b->col[6 - c] = word;
    }
    return true;
}

/* Of a board in registers: all ones in every lane when it is reversed, else 0. No branch: which way
 * it goes cannot be foretold. */
LANES_FN lanes mirror_turn(struct flat f)
{
    typedef int32_t signed_lanes __attribute__((vector_size(16)));
    lanes right = __builtin_shufflevector(f.hi, f.lo, 2, 1, 0, 7); /* columns 6 5 4 3 */
    lanes differs = f.lo ^ right;
    uint64_t half[2];
    __builtin_memcpy(half, &differs, sizeof(half));
    half[0] |= half[1];
    uint32_t any = (uint32_t)(half[0] | half[0] >> 32);
    unsigned row = (31u - (unsigned)__builtin_clz(any | 1)) & ~3u; /* the top one that differs */
    lanes here = f.lo >> row & 15;
    lanes there = right >> row & 15;
    unsigned larger = lanes_signs((lanes)((signed_lanes)here > (signed_lanes)there));
    unsigned unequal = lanes_signs((lanes)(here != there));
    return lanes_all(0 - (unsigned)((larger & unequal & (0 - unequal)) != 0));
}

/* The board, or where `turn` is set its mirror image. */
LANES_FN struct flat mirror_turned(struct flat f, lanes turn)
{
    lanes right = __builtin_shufflevector(f.hi, f.lo, 2, 1, 0, 7);
    lanes left = __builtin_shufflevector(f.lo, f.hi, 2, 1, 0, 7); /* columns 2 1 0 7 */
    return (struct flat){f.lo ^ ((f.lo ^ right) & turn), f.hi ^ ((f.hi ^ left) & turn)};
}

LANES_FN struct flat mirror_canonical(struct flat f)
{
    return mirror_turned(f, mirror_turn(f));
}

#endif
