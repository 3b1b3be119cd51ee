/*
 * plays.h - what a play's columns come to, and the end of the abandoned ones.
 *
 * Why     nothing of a running play is kept in memory: every answer replays its columns, so any
 * thread of any server may give it.
 * Owns    a result borrows the play's arrays.
 * Threads none: callers bring their own store.
 * Errors  the store's; D7_ERR_CORRUPT: the columns are none of this round; D7_ERR_NOMEM.
 */
#ifndef SERVER_WORK_PLAYS_H
#define SERVER_WORK_PLAYS_H

#include "store/play.h"

#define PLAYS_EXPIRE_MAX 50    /* at one look */
#define PLAYS_FORGET_MS  60000 /* between two looks for what can be removed */

/* As it is at that time: one past its end is expired, whether or not that is written down yet. */
enum play_status play_status_at(const struct play_row *p, int64_t now);

/* The game the play's columns make: the one that was played to its end, or a forfeit where it was
 * not. The player's pace shows in its times. */
D7_MUST_USE enum d7_err plays_result(const struct round *round, const struct play_row *p,
                                     struct game_result *ret);

/* Now and then, by serve's main thread. */
struct plays_keeper {
    int64_t next_forget_ms; /* monotonic */
};
struct plays_report {
    size_t expired;  /* plays */
    size_t recorded; /* games that committed policies left behind */
    size_t damaged;  /* plays ended without one because their columns do not replay */
};
/* Ends what is overdue: a committed policy's game is recorded (unfinished: a forfeit), the others
 * leave nothing. Ended plays are removed once they have been over for expiry_ms. */
D7_MUST_USE enum d7_err plays_look(struct plays_keeper *k, struct store *st, int64_t expiry_ms,
                                   int64_t now_mono_ms, int64_t now, struct plays_report *ret);

#endif
