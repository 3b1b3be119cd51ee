/*
 * boards.h - any bytes as a board that can occur: packed by gravity, a number 1-7 under each gray
 * disc, and no others.
 *
 * Format  49 bytes board, 49 bytes hidden numbers, disc, clock, seven bytes of the row a rise
 * brings; digits mean themselves, so the texts of moves.jsonl one after the other are an input.
 * Missing bytes are zeros.
 */
#ifndef TESTS_FUZZ_BOARDS_H
#define TESTS_FUZZ_BOARDS_H

#include "engine/rules/board.h"
#include "tests/fuzz/target.h"

struct fuzz_state {
    struct position at;
    struct board hidden;
    uint8_t row[BOARD_COLUMNS];
};

void fuzz_state_read(struct fuzz_input *in, struct fuzz_state *ret);
/* 1-7, and digits 1-7 mean themselves. */
uint8_t fuzz_disc(struct fuzz_input *in);
/* One of the columns in `legal`, which is not 0; the low digit picks. */
unsigned fuzz_column(struct fuzz_input *in, unsigned legal);

#endif
