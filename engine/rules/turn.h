/*
 * turn.h - one turn of the game: drop, cascade, bonus, rise, cascade.
 *
 * Source  ../shared/spec/rules.md, "One turn, in order"; policies.md 1.1-1.2 (the same turn inside
 * searches). Two ways of revealing a gray disc: turn_hidden reads the hidden board (games,
 * replays); turn_sampled asks a callback (searches, `drop7 move` without latent). Both run the same
 * cascade. Boards from outside may already hold matches: all of them clear in the first wave,
 * wherever they are. Threads none: plain values, no heap.
 */
#ifndef ENGINE_RULES_TURN_H
#define ENGINE_RULES_TURN_H

#include "engine/rules/board.h"

#define TURN_RISE_EVERY  5
#define TURN_CLEAR_BONUS 70000
#define TURN_RISE_BONUS  17000

/* What one turn did. */
struct turn {
    int64_t points;    /* waves and bonuses */
    uint32_t waves;    /* of both cascades: the chain depth */
    uint32_t cleared;  /* numbered discs that went */
    uint32_t revealed; /* gray discs that became numbers */
    uint32_t cracks;   /* times a solid disc became a cracked one */
    bool rose;
    bool over;
};

enum turn_step_kind { STEP_DROP, STEP_BURST, STEP_IMPACT, STEP_SETTLE, STEP_RISE };

/* One picture of the filmstrip of a turn. Masks have bit 7*row + column. */
struct turn_step {
    enum turn_step_kind kind;
    uint32_t wave;  /* 1-based; 0 for drop and rise */
    uint64_t cells; /* drop: the cell; burst: the cleared cells; settle: cells discs came to rest in
                       after moving; rise: the new row */
    uint32_t points_each; /* burst only: points of each cleared disc */
    uint64_t cracked;     /* impact only */
    uint64_t revealed;    /* impact only */
    struct board board;   /* after the step; a burst's is before gravity */
};

/* Called for each step in order; a settle in which nothing moved and an impact without effect are
 * left out. */
struct turn_watch {
    void (*on_step)(void *ctx, const struct turn_step *step);
    void *ctx;
};

/* The number under the gray cell at `index` (position before gravity); 1-7. Called wave by wave,
 * ascending index in a wave. */
typedef unsigned (*turn_reveal)(void *ctx, unsigned index);

/* Points of one disc in wave `depth` >= 1: floor(7 * depth^2.5). */
int64_t turn_wave_points(unsigned depth);

/*
 * Plays `disc` in a legal `column` (a CHECK: callers test board_legal first) of a game that is not
 * over. *rise is 1..5 before; after it 1..5, or 0 when the rise failed. row[] is the hidden row a
 * rise would bring (turn_hidden). watch may be NULL.
 */
void turn_hidden(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                 uint8_t *rise, const uint8_t row[BOARD_COLUMNS], const struct turn_watch *watch,
                 struct turn *ret) __attribute__((nonnull(1, 2)));
void turn_sampled(struct board *b, unsigned column, unsigned disc, uint8_t *rise,
                  turn_reveal reveal, void *ctx, const struct turn_watch *watch, struct turn *ret);

/* The same for a board that holds no match before the drop, as every board a turn leaves behind:
 * the first wave is then found at a fraction of the cost. */
void turn_hidden_settled(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                         uint8_t *rise, const uint8_t row[BOARD_COLUMNS], struct turn *ret)
    __attribute__((nonnull(1, 2)));

#endif
