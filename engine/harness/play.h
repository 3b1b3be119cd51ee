/*
 * play.h - plays one game: handshake, questions, deadlines, faults, restarts.
 *
 * Source  ../shared/spec/d7p.md, "The harness": the fault table and the outcomes.
 * Our failures and the policy's are never mixed: enum d7_err means ours (the game is void),
 * everything the policy does wrong is data in struct played.
 * Threads one game, one thread. harness_watch callbacks (patience.h) come on that thread.
 */
#ifndef ENGINE_HARNESS_PLAY_H
#define ENGINE_HARNESS_PLAY_H

#include "engine/harness/peer.h"
#include "engine/record/replay.h"

enum fault_kind { FAULT_ILLEGAL, FAULT_TIMEOUT, FAULT_STALL, FAULT_CRASH, FAULT_FORFEIT };
/* "illegal", "timeout", "stall", "crash", "forfeit". */
const char *fault_kind_text(enum fault_kind k);

#define FAULT_SEEN_SIZE 201
#define FAULT_KEEP_MAX  1000 /* later faults are counted but not listed */

struct fault {
    uint32_t move; /* 1-based move it happened at */
    enum fault_kind kind;
    char seen[FAULT_SEEN_SIZE]; /* what was seen, escaped; owner only */
};

/* What a policy said of itself in the handshake; empty strings where it did not. */
struct identity {
    char name[321]; /* cut and cleaned: always a valid label, or empty */
    char family[321];
    bool public_information; /* true unless it says false */
};

struct move_times {
    double p50, p95, p99, max; /* ms; 0 without moves */
};

/* The quantiles of think times (linear between order statistics); all 0 without moves. */
D7_MUST_USE enum d7_err move_times_of(const uint32_t *think_us, size_t count,
                                      struct move_times *ret);

struct played {
    uint8_t *columns;   /* owned; one byte a move */
    uint32_t *think_us; /* owned; one a move */
    size_t moves;
    struct summary summary;
    enum outcome outcome;
    char reason[160]; /* outcome forfeit: why, in our words */
    uint32_t illegal_moves, timeouts, crashes;
    struct fault *faults; /* owned */
    size_t fault_count;
    struct identity identity;
    bool nondeterministic;
    struct move_times times;
    int64_t elapsed_ms;
};

void played_release(struct played *p);

/*
 * Plays the whole round. *ret is filled on D7_OK only. D7_ERR_CANCELLED, or a failure of ours (no
 * process, no memory). A policy that cannot even pass the handshake plays no move: outcome forfeit,
 * moves 0. Each game starts the policy anew and ends it. watch may be NULL.
 */
D7_MUST_USE enum d7_err harness_play(struct peer *p, const struct round *r,
                                     const struct harness_limits *limits,
                                     const struct harness_watch *watch, struct played *ret);

enum check_result { CHECK_PASSED, CHECK_NO_START, CHECK_NO_HANDSHAKE, CHECK_CRASHED };

/* The registration check: handshake and first isready, nothing else. What a policy does with a
 * position is judged in its games, where every fault is counted. reason is a sentence fit for the
 * public. */
struct check {
    enum check_result result;
    char reason[200];
    struct identity identity;
};
/* watch may be NULL. */
D7_MUST_USE enum d7_err harness_check(struct peer *p, const struct harness_limits *limits,
                                      const struct harness_watch *watch, struct check *ret);

#endif
