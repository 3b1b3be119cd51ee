#include "tests/fuzz/boards.h"

/* 0-9; digits mean themselves. */
static unsigned cell_of(uint8_t byte)
{
    return (byte + 2u) % 10;
}

static uint8_t disc_of(uint8_t byte)
{
    return (uint8_t)(byte % 7 + 1);
}

uint8_t fuzz_disc(struct fuzz_input *in)
{
    return disc_of(fuzz_byte(in));
}

void fuzz_state_read(struct fuzz_input *in, struct fuzz_state *ret)
{
    uint8_t cells[BOARD_CELLS];
    struct fuzz_state s = {.at = {.board = {{0}}}, .hidden = {{0}}};
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        cells[i] = fuzz_byte(in);
    }
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        unsigned cell = cell_of(cells[i]);
        uint8_t number = fuzz_disc(in);
        uint32_t *column = &s.at.board.col[i % BOARD_COLUMNS];
        uint32_t *under = &s.hidden.col[i % BOARD_COLUMNS];
        if (cell != CELL_EMPTY) { /* an empty one lets the others above it down */
            *column = *column << 4 | cell;
            *under = *under << 4 | (cell >= CELL_SOLID ? number : 0u);
        }
    }
    s.at.next = fuzz_disc(in);
    s.at.rise = (uint8_t)((fuzz_byte(in) + 1u) % 5 + 1);
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        s.row[c] = fuzz_disc(in);
    }
    *ret = s;
}

unsigned fuzz_column(struct fuzz_input *in, unsigned legal)
{
    unsigned n = (fuzz_byte(in) + 2u) % 10 % (unsigned)__builtin_popcount(legal);
    for (; n > 0; n--) {
        legal &= legal - 1;
    }
    return (unsigned)__builtin_ctz(legal);
}
