/*
 * round.h - a scripted round: all randomness of a game, fixed in advance; and a game being played
 * on it.
 *
 * Source  ../shared/spec/rules.md, "Scripted rounds".
 * Owns    struct round borrows its arrays; engine/record/roundfile.h has the owner with its JSON
 * form. Threads a round is read-only and may be shared; a game belongs to one thread.
 */
#ifndef ENGINE_RULES_ROUND_H
#define ENGINE_RULES_ROUND_H

#include "engine/rules/turn.h"

#define ROUND_MOVES_MAX      10000
#define ROUND_GAUNTLET_MOVES 2000
#define ROUND_GAUNTLET_ROWS  420
#define ROUND_GAUNTLET_SEED  0x5eed0000u /* + k for round k = 1..8 */

struct round {
    uint32_t maximum_moves;
    const uint8_t
        *discs; /* at least maximum_moves; discs[m] is the visible disc at move m (0-based) */
    uint32_t disc_count;
    const uint8_t (*rows)[BOARD_COLUMNS]; /* row 0 lies under the opening row; row r enters with the
                                             r-th rise */
    uint32_t row_count;                   /* at least ceil(maximum_moves / 5) + 1 */
};

/* Rows a generated round of that many moves has: floor(moves / 5) + 20. */
static inline uint32_t round_generated_rows(uint32_t moves)
{
    return moves / 5 + 20;
}

/* Fills discs[moves] and rows[round_generated_rows(moves)] from the generator: discs first, then
 * rows, row by row. */
void round_generate(uint32_t seed, uint32_t moves, uint8_t *ret_discs,
                    uint8_t (*ret_rows)[BOARD_COLUMNS]);

/* A game on a round: a plain value. */
struct game {
    struct board board;
    struct board hidden;
    uint32_t moves; /* played */
    uint32_t rises;
    int64_t score;
    uint8_t rise; /* clock 5..1, 0 after a failed rise */
    bool over;
    bool censored; /* maximum_moves reached without being over */
    uint32_t max_chain;
    uint32_t cleared;
    uint32_t revealed;
};

void game_start(struct game *g, const struct round *r);
/* No move is left to play (over or censored). */
static inline bool game_is_done(const struct game *g)
{
    return g->over || g->censored;
}
/* The visible disc of the next move; 0 when the game is done. */
static inline uint8_t game_next_disc(const struct game *g, const struct round *r)
{
    return game_is_done(g) ? 0 : r->discs[g->moves];
}
/* What a policy may see. The game must not be done. */
static inline struct position game_position(const struct game *g, const struct round *r)
{
    return (struct position){g->board, r->discs[g->moves], g->rise};
}
/* Counts a turn that was played on the boards and the clock. */
static inline void game_count(struct game *g, const struct round *r, const struct turn *t)
{
    g->moves++;
    g->rises += t->rose;
    g->score += t->points;
    g->over = t->over;
    g->censored = !t->over && g->moves == r->maximum_moves;
    g->cleared += t->cleared;
    g->revealed += t->revealed;
    g->max_chain = t->waves > g->max_chain ? t->waves : g->max_chain;
}
/* Plays a legal column of a game that is not done. watch may be NULL. */
void game_play(struct game *g, const struct round *r, unsigned column,
               const struct turn_watch *watch, struct turn *ret);

#endif
