/*
 * mirror.h - of a board and its left-right mirror image, the one that is read first.
 *
 * Source  ../shared/spec/policies.md, "Mirror comparison" (section 0) and 14.1.
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_MIRROR_H
#define ENGINE_POLICY_MIRROR_H

#include "engine/rules/board.h"

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

#endif
