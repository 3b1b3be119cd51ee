/*
 * figures.h - what an operator watches: totals of the games, the queue, sizes, and how often the
 * store said no.
 *
 * Why     totals come from the games themselves, so they survive restarts and count what workers on
 * any host recorded. A reader keeps its totals and adds what is new, so asking stays cheap however
 * many games there are: games are never deleted, and their keys grow in the order of commits.
 * Owns    plain values; struct store_errors is shared by the stores that were told of it.
 * Threads struct store_errors is counted with atomics, by any number of stores at once.
 */
#ifndef STORE_FIGURES_H
#define STORE_FIGURES_H

#include <stdatomic.h>

#include "store/store.h"

/* All zero at birth. */
struct game_totals {
    int64_t last_seq; /* of the games added so far */
    int64_t over, censored, forfeits;
    int64_t moves;
    int64_t illegal_moves, timeouts, crashes, nondeterministic; /* the last: games */
};
/* Adds the games recorded since; *totals is as it was on an error. */
D7_MUST_USE enum d7_err game_totals_add(struct store *st, struct game_totals *totals);

enum job_figure { JOBS_WAITING, JOBS_QUEUED, JOBS_PLAYING, JOBS_FAILED, JOB_FIGURES };
struct job_figures {
    int64_t checks[JOB_FIGURES];
    int64_t games[JOB_FIGURES];
};
D7_MUST_USE enum d7_err job_figures_get(struct store *st, struct job_figures *ret);

struct store_sizes {
    int64_t db_bytes, wal_bytes; /* 0: not there */
    int64_t free_bytes;          /* on the file system of the data folder, for this user */
};
D7_MUST_USE enum d7_err store_sizes_get(const struct store *st, struct store_sizes *ret);

/* What the database answered instead of doing as it was told; conflicts with what is stored are no
 * failures and not counted. */
struct store_errors {
    atomic_llong busy, full, corrupt, io, other;
};
/* Counts this store's failures there from now on; `errors` outlives the store. */
void store_count_errors(struct store *st, struct store_errors *errors);

#endif
