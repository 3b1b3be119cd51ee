/*
 * grid.h - a board turned into one 64-bit mask a kind of cell, for evaluators.
 *
 * Layout  bit 8*row + column, row 0 on top: ascending bits are the row-major order in which the
 * evaluators sum. Column 7 and row 7 are empty, so a shift by 1 or 8 never wraps into a neighbour.
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_GRID_H
#define ENGINE_POLICY_GRID_H

#include "engine/rules/board.h"

#define GRID_COLUMN_ONES 0x0101010101010101u

struct grid {
    uint64_t occupied;
    uint64_t covered; /* solid and cracked */
    uint64_t cracked;
    uint64_t ones;
    uint64_t twos;
};

/* The bits of the cells, a mask a bit: plane[3] is set for gray cells and so on. Two
 * transpositions: the nibbles of columns c and c + 4 become the bytes of one word, then bits change
 * places with columns inside each nibble. 28 vector operations, where gathering bit by bit takes
 * 170. */
static inline void grid_planes(const struct board *b, uint64_t ret_plane[4])
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    typedef uint64_t words __attribute__((vector_size(16)));
    bytes lo = (bytes)lanes_load(b->col);
    bytes hi = (bytes)lanes_load(b->col + 4);
    /* columns 0 and 4 | 1 and 5, then 2 and 6 | 3 and 7; a byte a row from the bottom */
    words x = (words)__builtin_shufflevector(lo, hi, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                             22, 7, 23);
    words y = (words)__builtin_shufflevector(lo, hi, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                             14, 30, 15, 31);
    words t = (x ^ x >> 4) & 0x00f000f000f000f0u;
    x ^= t ^ t << 4;
    t = (y ^ y >> 4) & 0x00f000f000f000f0u;
    y ^= t ^ t << 4;
    t = (x >> 2 ^ y) & 0x3333333333333333u;
    x ^= t << 2;
    y ^= t;
    words even = __builtin_shufflevector(x, y, 0, 2);
    words odd = __builtin_shufflevector(x, y, 1, 3);
    t = (even >> 1 ^ odd) & 0x5555555555555555u;
    even ^= t << 1;
    odd ^= t;
    /* from the top; nibble 7 of a column is always 0 */
    ret_plane[0] = __builtin_bswap64(even[0]) >> 8;
    ret_plane[1] = __builtin_bswap64(odd[0]) >> 8;
    ret_plane[2] = __builtin_bswap64(even[1]) >> 8;
    ret_plane[3] = __builtin_bswap64(odd[1]) >> 8;
}

static inline struct grid grid_of(const struct board *b)
{
    uint64_t plane[4];
    grid_planes(b, plane);
    uint64_t small = ~(plane[3] | plane[2]);
    return (struct grid){
        .occupied = plane[0] | plane[1] | plane[2] | plane[3],
        .covered = plane[3],
        .cracked = plane[3] & plane[0],
        .ones = small & ~plane[1] & plane[0],
        .twos = small & plane[1] & ~plane[0],
    };
}

static inline unsigned grid_lowest(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* Cells of a mask. Spelled out, and not in the usual way: the baseline processor has no instruction
 * for it, and gcc turns the usual one into a call that costs more. */
static inline unsigned grid_count(uint64_t mask)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(mask);
#else
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    mask = (mask & 0x0f0f0f0f0f0f0f0fu) + (mask >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return (unsigned)(mask * GRID_COLUMN_ONES >> 56);
#endif
}

static inline unsigned grid_row(unsigned bit)
{
    return bit / 8;
}

static inline unsigned grid_column(unsigned bit)
{
    return bit % 8;
}

static inline unsigned grid_elevation(unsigned bit)
{
    return 7 - bit / 8;
}

/* Cell code at a bit. */
static inline unsigned grid_cell(const struct board *b, unsigned bit)
{
    return b->col[grid_column(bit)] >> (4 * (6 - grid_row(bit))) & 15u;
}

/* All cells with one of `mask` beside them. */
static inline uint64_t grid_beside(uint64_t mask)
{
    return mask << 1 | mask >> 1 | mask << 8 | mask >> 8;
}

#endif
