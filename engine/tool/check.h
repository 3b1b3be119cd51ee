/*
 * check.h - drop7 check: numbered protocol steps against somebody's engine.
 *
 * Source  ../shared/spec/d7p.md. What a tournament relies on fails; what no harness ever sends (bad
 * positions, doubled blanks) is a note, and fails only when strict.
 * Why     the harness forgives (a wrong answer costs a move) and says so in a game's log; here an
 * author is shown the line, one rule at a time, before the first game.
 * Owns    struct checker owns its peers: checker_release. It is large: on the heap.
 * Threads one.
 * Errors  `err` is ours (no memory, cancelled) and ends everything; what the engine does wrong is
 * a verdict. Both stick: after one, every verb of the step does nothing and returns false, so a
 * step is written as one chain.
 * Bounds  each step a few move limits, CHECK_TOTAL_MS in all; a transcript is never kept, only the
 * line that matters.
 */
#ifndef ENGINE_TOOL_CHECK_H
#define ENGINE_TOOL_CHECK_H

#include "engine/harness/address.h"
#include "engine/harness/talk.h"

#define CHECK_STEPS_MAX   64
#define CHECK_TOTAL_MS    (30 * 60 * 1000)
#define CHECK_QUICK_MOVES 1000
#define CHECK_LINE_SIZE   201 /* as much as a fault keeps, escaped */
#define CHECK_DETAIL_SIZE 320
#define CHECK_NONE        BOARD_COLUMNS /* the answer `none` */
#define CHECK_END_MS      5000          /* to end after quit or end of input, at most */
#define CHECK_ANSWERS     (D7P_BESTMOVE + 1)

enum check_verdict { VERDICT_PASS, VERDICT_NOTE, VERDICT_FAIL, VERDICT_NOT_RUN };
const char *check_verdict_text(enum check_verdict v);

struct checker;

struct check_step {
    const char *name;  /* a slug: what scripts look for */
    const char *title; /* the rule, as a sentence */
    void (*run)(struct checker *c);
    const char *needs; /* a step without which this one would say nothing new; NULL: none */
    bool is_gate;      /* without it no later one makes sense */
    bool is_advice;    /* no harness relies on it */
};

/* The steps in order; their number is their index plus one. */
const struct check_step *check_steps(size_t *ret_count);

struct check_outcome {
    enum check_verdict verdict;
    char detail[CHECK_DETAIL_SIZE]; /* why, or what was measured; in our words */
    char line[CHECK_LINE_SIZE];     /* the offending line, escaped; empty where there is none */
    char said[CHECK_LINE_SIZE];     /* end of stderr, where the program ended */
    char asked[D7P_QUESTION_SIZE];  /* the last question of the step, without its `go` */
    int64_t elapsed_ms;
};

/* What was heard since checker_forget, by kind. */
struct check_heard {
    unsigned count;
    char line[CHECK_LINE_SIZE]; /* the last one, escaped */
    enum d7p_move move;         /* of a bestmove */
    uint8_t column;
};

struct check_asked {
    struct position at;
    uint8_t column;
};

struct checker {
    struct check_asked asked[CHECK_QUICK_MOVES]; /* and answered, of the quick moves */
    struct peer *peers[ADDRESS_MAX];             /* owned; one, or one an address of the name */
    struct peer *peer;                           /* the one of them that is talked to */
    struct check_outcome *now;                   /* of the step */
    struct harness_limits limits;
    struct patience wait;
    int64_t quick_ms; /* for the quick moves */
    int64_t end_ms;   /* to end after quit or end of input */
    struct check_outcome outcomes[CHECK_STEPS_MAX];
    struct check_heard heard[CHECK_ANSWERS];
    struct check_heard bad_id; /* an `id` line that is none of the three, or an unfit name */
    unsigned peer_count;
    unsigned asked_count;
    unsigned strange;    /* lines that are no D7P, in all */
    unsigned unreadable; /* lines that are no text, in all */
    enum d7_err err;
    struct identity first_who; /* of the first handshake */
    struct identity who;       /* of the last one */
    char strange_line[CHECK_LINE_SIZE];
    char unreadable_line[CHECK_LINE_SIZE];
    uint8_t opening_column; /* of `position startpos next 1 rise 5` */
    bool is_strict;
    bool failed; /* the step */
};

/* Runs the steps; on_step (may be NULL) hears of each one as it is done. */
D7_MUST_USE enum d7_err checker_run(struct checker *c,
                                    void (*on_step)(void *ctx, size_t index,
                                                    const struct check_outcome *outcome),
                                    void *ctx);
void checker_release(struct checker *c);

/* --- verbs, for steps; false: the step has failed, or we have --- */

/* Fails the step; the first reason stays. `line` is shown (already escaped; NULL: none). */
void checker_fail(struct checker *c, const char *line, const char *format, ...) D7_PRINTF(3, 4);
/* Starts the engine where it does not run, without a word said. */
bool checker_start(struct checker *c);
/* Starts it and shakes hands. */
bool checker_open(struct checker *c);
/* Fails where it now calls itself otherwise than in the first handshake. */
void checker_compare_identity(struct checker *c, const char *when);
void checker_forget(struct checker *c);
/* Drops what was said until now; false when it ended. */
bool checker_begin(struct checker *c);
bool checker_say(struct checker *c, const char *text);
/* Waits until `wanted` is said; anything else is counted in `heard` and passed over. */
bool checker_expect(struct checker *c, enum d7p_answer wanted);
/* Listens for ms; true when the engine neither said anything but info nor ended. */
bool checker_expect_quiet(struct checker *c, int64_t ms);
/* Reads until the engine has ended, at most ms. */
bool checker_expect_end(struct checker *c, int64_t ms);
/* A moment in which a written piece arrives by itself. */
bool checker_pause(struct checker *c);
bool checker_barrier(struct checker *c);
/* Waits for the bestmove and judges it: a legal column, or CHECK_NONE where there is none. */
bool checker_answer(struct checker *c, const struct position *at, uint8_t *ret_column);
/* One question as the harness asks it, without a barrier behind it. */
bool checker_question(struct checker *c, const struct position *at, uint8_t *ret_column);
/* The same with the barrier. */
bool checker_ask(struct checker *c, const struct position *at, uint8_t *ret_column);
/* Such a question must be answered by this column. */
bool checker_ask_for(struct checker *c, const struct position *at, uint8_t column);

/* --- positions --- */

/* All columns full of gray but one, which holds `column` discs: its answer tells whether the
 * question was understood. */
struct position check_only_legal(unsigned column);
/* The opening with the columns of the mask full. */
struct position check_full(unsigned mask);
/* From 49 digits of our own. */
struct position check_position(const char *digits, uint8_t next, uint8_t rise);

/* Positions met in games with random columns: always the same ones. */
struct check_games {
    struct rng *rng; /* owned by the caller */
    uint32_t seed;
    struct round round;
    struct game game;
    uint8_t discs[100];
    uint8_t rows[40][BOARD_COLUMNS];
};
void check_games_init(struct check_games *g, struct rng *rng);
struct position check_games_next(struct check_games *g);

/* --- the steps, one file a subject --- */

/* check_hello.c */
void check_step_start(struct checker *c);
void check_step_handshake(struct checker *c);
void check_step_identity(struct checker *c);
void check_step_handshake_again(struct checker *c);
void check_step_ready(struct checker *c);
void check_step_ready_again(struct checker *c);
void check_step_first_move(struct checker *c);
void check_step_one_answer(struct checker *c);
/* check_fields.c */
void check_step_board(struct checker *c);
void check_step_next(struct checker *c);
void check_step_rise(struct checker *c);
void check_step_digits(struct checker *c);
void check_step_empty_board(struct checker *c);
void check_step_full_column(struct checker *c);
void check_step_only_legal(struct checker *c);
void check_step_alternating(struct checker *c);
void check_step_last_cell(struct checker *c);
void check_step_none(struct checker *c);
void check_step_none_numbers(struct checker *c);
void check_step_after_none(struct checker *c);
/* check_lines.c */
void check_step_crlf(struct checker *c);
void check_step_blank_lines(struct checker *c);
void check_step_unknown(struct checker *c);
void check_step_unknown_between(struct checker *c);
void check_step_unknown_utf8(struct checker *c);
void check_step_long_line(struct checker *c);
void check_step_last_position(struct checker *c);
void check_step_ready_between(struct checker *c);
void check_step_one_write(struct checker *c);
void check_step_split_position(struct checker *c);
void check_step_split_go(struct checker *c);
void check_step_blanks(struct checker *c);
void check_step_late_stop(struct checker *c);
void check_step_bad_length(struct checker *c);
void check_step_bad_board(struct checker *c);
void check_step_bad_next(struct checker *c);
void check_step_bad_rise(struct checker *c);
/* check_course.c */
void check_step_quick(struct checker *c);
void check_step_output(struct checker *c);
void check_step_quit(struct checker *c);
void check_step_quit_quiet(struct checker *c);
void check_step_quit_thinking(struct checker *c);
void check_step_end_of_input(struct checker *c);
void check_step_restart(struct checker *c);
void check_step_determinism(struct checker *c);

#endif
