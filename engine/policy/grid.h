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

/* The eight nibbles of a column as eight bytes. */
static inline uint64_t grid_spread(uint32_t word)
{
    uint64_t x = word;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    return (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
}

static inline struct grid grid_of(const struct board *b)
{
    uint64_t plane[4] = {0, 0, 0, 0};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        uint64_t bytes = grid_spread(b->col[c]);
        for (unsigned p = 0; p < 4; p++) {
            plane[p] |= (bytes >> p & GRID_COLUMN_ONES) << c;
        }
    }
    for (unsigned p = 0; p < 4; p++) {
        /* bytes are elevations from the bottom here; nibble 7 of a column is always 0 */
        plane[p] = __builtin_bswap64(plane[p]) >> 8;
    }
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
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    mask = (mask & 0x0f0f0f0f0f0f0f0fu) + (mask >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return (unsigned)(mask * GRID_COLUMN_ONES >> 56);
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
