/*
 * board.h - the 7x7 board, packed: one 32-bit word a column, four bits a cell.
 *
 * Layout  col[c] holds column c; nibble k (bits 4k..4k+3) is the cell at elevation k+1, so nibble 0
 * is the bottom row and gravity packs towards the low bits. Nibble 7 and col[7] are always 0, so
 * the board is one pair of 16-byte vectors. Cell codes: 0 empty, 1-7 numbered, 8 solid gray, 9
 * cracked gray. A hidden board has the same shape and holds the number under each gray cell, 0
 * elsewhere. Edges   everywhere else a board is 49 digits, row by row from the top left; index =
 * 7*row + column, row 0 on top. Threads none: plain values, no heap, no libc beyond memcpy (also
 * built to WebAssembly).
 */
#ifndef ENGINE_RULES_BOARD_H
#define ENGINE_RULES_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rules/lanes.h"

#define BOARD_COLUMNS   7
#define BOARD_ROWS      7
#define BOARD_CELLS     49
#define BOARD_TEXT_SIZE 50 /* 49 digits and a NUL */

#define CELL_EMPTY   0
#define CELL_SOLID   8
#define CELL_CRACKED 9

struct board {
    _Alignas(16) uint32_t col[8];
};

/* What a player may know, and all a policy is given. `next` 1-7, `rise` drops left before the
 * rise, 5..1. */
struct position {
    struct board board;
    uint8_t next;
    uint8_t rise;
};

/* Why a text is not a board; the sentence is position_fault_text's. */
enum board_fault {
    BOARD_FINE,
    BOARD_BAD_LENGTH, /* not 49 characters */
    BOARD_BAD_CELL,   /* a character outside 0-9 */
    BOARD_FLOATING,   /* an empty cell below an occupied one */
};

/* Reads exactly `len` characters; *ret is written on BOARD_FINE only. */
enum board_fault board_parse(const char *text, size_t len, struct board *ret);
const char *board_fault_text(enum board_fault fault);
/* 49 digits and a NUL. */
void board_format(const struct board *b, char ret_text[BOARD_TEXT_SIZE]);
/* The opening: empty above one bottom row of solid gray discs. */
struct board board_opening(void);
/* The left-right mirror image. */
struct board board_mirrored(const struct board *b);

/* Cell code at index 7*row + column. */
static inline unsigned board_cell(const struct board *b, unsigned index)
{
    return b->col[index % 7] >> (4 * (6 - index / 7)) & 15u;
}

/* Occupied cells of a column (bottom-packed). */
static inline unsigned board_height(const struct board *b, unsigned column)
{
    uint32_t word = b->col[column];
    return word ? (35u - (unsigned)__builtin_clz(word)) / 4u : 0;
}

/* Bit c set: column c is legal (its top cell is empty). 0: the game is over. */
static inline unsigned board_legal(const struct board *b)
{
    unsigned full = lanes_signs(lanes_above(lanes_load(b->col), 0xffffff)) |
                    lanes_signs(lanes_above(lanes_load(b->col + 4), 0xffffff)) << 4;
    return full ^ 127;
}

static inline bool board_is_empty(const struct board *b)
{
    return !lanes_any(lanes_load(b->col) | lanes_load(b->col + 4));
}

#endif
