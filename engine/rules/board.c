#include "engine/rules/board.h"

enum board_fault board_parse(const char *text, size_t len, struct board *ret)
{
    if (len != BOARD_CELLS) {
        return BOARD_BAD_LENGTH;
    }
    struct board b = {{0}};
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            unsigned cell = (unsigned)(unsigned char)text[7 * row + c] - '0';
            if (cell > 9) {
                return BOARD_BAD_CELL;
            }
            b.col[c] = b.col[c] << 4 | cell;
        }
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        for (uint32_t rest = b.col[c]; rest; rest >>= 4) {
            if (!(rest & 15)) {
                return BOARD_FLOATING;
            }
        }
    }
    *ret = b;
    return BOARD_FINE;
}

const char *board_fault_text(enum board_fault fault)
{
    switch (fault) {
    case BOARD_FINE:
        return "a board";
    case BOARD_BAD_LENGTH:
        return "a board has exactly 49 digits";
    case BOARD_BAD_CELL:
        return "a board's cells are digits 0-9";
    case BOARD_FLOATING:
        return "a board has no empty cell below an occupied one";
    default:
        return "no such fault";
    }
}

void board_format(const struct board *b, char ret_text[BOARD_TEXT_SIZE])
{
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        uint32_t word = b->col[c];
        for (unsigned row = BOARD_ROWS; row-- > 0; word >>= 4) {
            ret_text[7 * row + c] = (char)('0' + (word & 15));
        }
    }
    ret_text[BOARD_CELLS] = '\0';
}

struct board board_opening(void)
{
    struct board b = {{0}};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        b.col[c] = CELL_SOLID;
    }
    return b;
}

struct board board_mirrored(const struct board *b)
{
    struct board m = {{0}};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        m.col[c] = b->col[BOARD_COLUMNS - 1 - c];
    }
    return m;
}
