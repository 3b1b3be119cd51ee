/*
 * again.h - the determinism check: positions of the game just played, asked once more.
 *
 * Source  ../shared/spec/d7p.md, "Determinism check". Positions come in an order drawn from the
 * game's checksum, so a policy that keeps history is shown a history it did not have.
 * Owns    nothing.
 * Threads one game, one thread.
 * Errors  ours only (D7_ERR_CANCELLED, NOMEM, IO); faults in here are nobody's: the game is over.
 * Bounds  AGAIN_POSITIONS questions, and the smaller of AGAIN_MS and eight move limits.
 */
#ifndef ENGINE_HARNESS_AGAIN_H
#define ENGINE_HARNESS_AGAIN_H

#include "engine/harness/peer_kind.h"
#include "engine/rules/round.h"

#define AGAIN_POSITIONS 8
#define AGAIN_MS        60000

struct again {
    const struct round *round;
    const uint8_t *columns;
    const uint8_t *own; /* 1: the policy's own legal answer; only those are asked again */
    size_t moves;
    const char *checksum;
    bool must_sync; /* the last question of the game timed out */
};

/* *ret_differs: some answer was another one than in the game. An unanswered question is no
 * difference. */
D7_MUST_USE enum d7_err again_run(struct peer *p, const struct again *a, struct patience *w,
                                  bool *ret_differs);

#endif
