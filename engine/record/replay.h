/*
 * replay.h - a game is its columns: replaying them gives frames, summary and checksum.
 *
 * Source  ../shared/spec/rules.md, "The record of a game".
 * Owns    nothing; frames are handed to a callback and die after it.
 * Threads none.
 */
#ifndef ENGINE_RECORD_REPLAY_H
#define ENGINE_RECORD_REPLAY_H

#include "engine/base/hash.h"
#include "engine/record/roundfile.h"

#define CHECKSUM_SIZE 17 /* 16 hex digits and a NUL */

enum outcome { OUTCOME_OVER, OUTCOME_CENSORED, OUTCOME_FORFEIT };

/* "over", "censored", "forfeit"; never NULL. */
const char *outcome_text(enum outcome o);
bool outcome_parse(struct span text, enum outcome *ret);

/* What the columns alone decide. */
struct summary {
    int64_t score;
    uint32_t moves;
    uint32_t max_chain;
    uint32_t discs_cleared;
    uint32_t covered_revealed;
    bool over;     /* ended by the rules */
    bool censored; /* reached maximumMoves; neither: the columns stop in mid-game */
    char checksum[CHECKSUM_SIZE];
};

struct frame {
    uint32_t move; /* 1-based */
    uint8_t disc;
    uint8_t column;
    int64_t score_delta;
    int64_t score;
    char board[BOARD_TEXT_SIZE];
    uint8_t next_disc; /* 0: the game ended, written as null */
    uint8_t moves_remaining;
    uint32_t chain_depth;
    uint32_t cleared;
    uint32_t revealed;
    bool level_advanced;
    const struct turn_step *steps; /* borrowed; NULL unless asked for */
    size_t step_count;
};

struct replay_watch {
    enum d7_err (*on_frame)(
        void *ctx, const struct frame *frame); /* an error stops the replay and is returned */
    void *ctx;
    bool steps;
    uint32_t from; /* frames of earlier moves are not handed out */
};

/*
 * Replays count columns (values 0-6, one byte each) on a round. watch may be NULL.
 * D7_ERR_INVALID with the move named in why: an illegal column, or columns after the end.
 * Columns that stop early are no error here: see summary.over and .censored.
 */
D7_MUST_USE enum d7_err replay_run(const struct round *r, const uint8_t *columns, size_t count,
                                   const struct replay_watch *watch, struct summary *ret,
                                   struct d7_why *why);

/* The checksum alone, fed turn by turn while a game is played. */
struct checksum {
    struct sha sha;
    bool started;
};
void checksum_init(struct checksum *c);
void checksum_add(struct checksum *c, unsigned column, int64_t score_delta,
                  const char board[BOARD_TEXT_SIZE]);
void checksum_final(struct checksum *c, char ret_text[CHECKSUM_SIZE]);

/* The frame as the JSON object of rules.md and api.md (with `steps` when frame->steps is set). */
void frame_write(struct jout *j, const struct frame *frame);
/* The keys of a summary (score, moves, censored, maxChain, discsCleared, coveredRevealed, checksum)
 * into an open object. */
void summary_write(struct jout *j, const struct summary *s);

#endif
