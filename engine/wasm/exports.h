/*
 * exports.h - what the pages see of the engine: calls of plain numbers, and places in the memory
 * they share.
 *
 * Why     a page has one game; the hidden numbers stay on this side, and what a page asks about a
 * position (preview, greedy) is asked with what a player may see, so no hint can cheat.
 * Reader  static/js/engine.js knows the layouts below; numbers are little-endian.
 * Threads one instance of the module, one page.
 * Bounds  everything is static: a tape of ROUND_MOVES_MAX discs, EXPORTS_PICTURES pictures.
 */
#ifndef ENGINE_WASM_EXPORTS_H
#define ENGINE_WASM_EXPORTS_H

#include "engine/rules/round.h"

/* At most 56 waves a turn, three pictures each, the drop and the rise. */
#define EXPORTS_PICTURES 172

#ifdef __wasm__
#define EXPORTS_AS(name) __attribute__((export_name(name)))
#else
#define EXPORTS_AS(name)
#endif

/* One picture of the filmstrip: 88 bytes. */
struct picture {
    uint64_t cells;    /* 0 */
    uint64_t cracked;  /* 8 */
    uint64_t revealed; /* 16 */
    uint32_t kind;     /* 24; enum turn_step_kind */
    uint32_t wave;     /* 28 */
    uint32_t points;   /* 32; of each disc of a burst */
    char board[52];    /* 36; 49 digits and NULs */
};

/* The game and the turn before: 72 bytes. Scores are doubles, exact to 2^53. */
struct report {
    double score;            /* 0 */
    double points;           /* 8; of the turn, as the rest up to `rose` */
    uint32_t waves;          /* 16 */
    uint32_t cleared;        /* 20 */
    uint32_t revealed;       /* 24 */
    uint32_t rose;           /* 28 */
    uint32_t moves;          /* 32; of the game, as all that follows */
    uint32_t rises;          /* 36 */
    uint32_t rise;           /* 40; drops left, 0 after a failed rise */
    uint32_t next;           /* 44; 0: done */
    uint32_t over;           /* 48 */
    uint32_t censored;       /* 52 */
    uint32_t max_chain;      /* 56 */
    uint32_t total_cleared;  /* 60 */
    uint32_t total_revealed; /* 64 */
    uint32_t legal;          /* 68; bit c: column c */
};

/* Places. text: 49 digits, in for exports_preview and exports_greedy, out after begin and play. */
char *exports_text(void);
uint8_t *exports_discs(void);
uint8_t *exports_rows(void); /* seven bytes a row */
const struct report *exports_report(void);
const struct picture *exports_pictures(void);
const double *exports_values(void); /* of the last exports_greedy; NaN: a full column */

/* Makes the tape from a seed. False: more moves than there is room for, or none. */
bool exports_generate(uint32_t seed, uint32_t moves);
/* As a generated round of the gauntlet's length, and on from there to ROUND_MOVES_MAX. */
void exports_endless(uint32_t seed);
/* Takes the tape that was written to the places. False: it is not one. */
bool exports_tape(uint32_t moves, uint32_t rows);
/* A new game on the tape. False: there is none. */
bool exports_begin(void);
/* Plays a column: the number of pictures, or -1 for a column that is illegal or a game that is
 * done. */
int exports_play(unsigned column);

/*
 * Of the position in `text`, with that disc and clock: the pictures of a drop that do not depend on
 * a hidden number, or -1 when it is not a position or the column is full.
 */
int exports_preview(unsigned next, unsigned rise, unsigned column);
/* The greedy policy's column, or -1: not a position, or no column is legal. */
int exports_greedy(unsigned next, unsigned rise);

#endif
