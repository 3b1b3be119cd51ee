/*
 * cascade.h - one wave of a cascade at a time, for searches that choose the revealed numbers
 * themselves.
 *
 * Source  ../shared/spec/policies.md, 1.1.
 * Use     while ((cleared = cascade_clear(&b, &r))) { write a number 1-7 at each of r.at in order
 * with cascade_reveal; cascade_settle(&b); }. Between clear and settle the board has holes.
 * Threads none: plain values.
 */
#ifndef ENGINE_POLICY_CASCADE_H
#define ENGINE_POLICY_CASCADE_H

#include "engine/rules/board.h"

struct cascade_reveals {
    unsigned count;
    uint8_t at[BOARD_CELLS]; /* 7*row + column, ascending */
};

/* Drops a disc into a legal column. */
static inline void cascade_drop(struct board *b, unsigned column, unsigned disc)
{
    b->col[column] |= (uint32_t)disc << (4 * board_height(b, column));
}

/* Takes out every disc that matches, cracks and lists the gray discs beside them. Returns how many
 * discs went; 0: the board is stable and untouched. */
unsigned cascade_clear(struct board *b, struct cascade_reveals *ret_reveals);
static inline void cascade_reveal(struct board *b, unsigned index, unsigned value)
{
    unsigned shift = 4 * (6 - index / 7);
    b->col[index % 7] = (b->col[index % 7] & ~(15u << shift)) | (uint32_t)value << shift;
}
/* Gravity. */
void cascade_settle(struct board *b);
/* A disc in the top row: the board cannot rise. */
static inline bool cascade_raise_blocked(const struct board *b)
{
    uint32_t top = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        top |= b->col[c] >> 24;
    }
    return top != 0;
}
/* Every row one up and a row of solid gray discs below; the top row must be empty. */
static inline void cascade_raise(struct board *b)
{
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        b->col[c] = b->col[c] << 4 | CELL_SOLID;
    }
}

#endif
