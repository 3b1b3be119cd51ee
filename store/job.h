/*
 * job.h - what workers do: claim with a lease, beat, finish, give back.
 *
 * Lease   a random owner and a beat counter. It has expired when an observer saw the counter
 * unchanged for the dead time on the observer's own monotonic clock: clock jumps neither kill nor
 * immortalise it. Fair    jobs are drawn round-robin over owners (the owner served longest ago
 * first), oldest first within one; built-in benchmarks come after people's submissions. A run's
 * first three rounds come first; the others become claimable once one of those ended other than by
 * forfeit; when all three forfeit the run is stopped and the rest cancelled. Once    a job's game
 * and its closing are one transaction; a late result of a lost lease is D7_ERR_CONFLICT and leaves
 * nothing.
 */
#ifndef STORE_JOB_H
#define STORE_JOB_H

#include "store/run.h"

#define JOB_ATTEMPTS_MAX 3

enum job_kind { JOB_CHECK, JOB_GAME };

struct job {
    int64_t id;
    enum job_kind kind;
    char lease[STORE_KEY_SIZE];
    char policy_id[STORE_ID_SIZE];
    enum policy_kind policy_kind;
    int64_t revision;
    char sha256[SHA_HEX_SIZE];
    char format[32];
    char endpoint[300];
    char run_id[STORE_KEY_SIZE];  /* JOB_GAME */
    char round_id[STORE_ID_SIZE]; /* JOB_GAME */
    uint32_t attempts;            /* earlier tries that failed by our fault */
};

/* What a worker can do: upload jobs go only to workers that may run them. */
struct job_skills {
    bool uploads;
    bool endpoints;
    bool builtins;
};

/* D7_ERR_NOT_FOUND: nothing to do. An endpoint is claimed at most `concurrency` times at once. */
D7_MUST_USE enum d7_err job_claim(struct store *st, const struct job_skills *skills,
                                  const char *lease, int64_t now, struct job *ret);
/* Renews; moves_played is the progress of this game. D7_ERR_CONFLICT: the lease is lost, or the run
 * was cancelled: stop. */
D7_MUST_USE enum d7_err job_beat(struct store *st, int64_t job_id, const char *lease,
                                 int64_t moves_played);

struct game_result {
    const uint8_t *columns;
    const uint32_t *think_us;
    size_t moves;
    struct summary summary;
    enum outcome outcome;
    const char *reason; /* "" unless forfeit */
    uint32_t illegal_moves, timeouts, crashes;
    bool nondeterministic;
    int64_t elapsed_ms;
    double ms_p50, ms_p95, ms_p99, ms_max;
    struct span faults_json; /* [{"move","kind","seen"}] */
    struct span stderr_tail;
};

/* Records the game, closes the job, and the run when it was the last (or the three-forfeit rule
 * says stop). */
D7_MUST_USE enum d7_err job_finish_game(struct store *st, const struct job *job,
                                        const struct game_result *result, int64_t now,
                                        char ret_game_id[STORE_KEY_SIZE]);

struct check_outcome {
    bool passed;
    const char *reason_code, *reason_message; /* public; not passed */
    bool public_information;
    struct span log; /* owner only: stderr tail */
};
/* The revision becomes ready and current (its run claimable), or rejected (its run cancelled with
 * the reason). */
D7_MUST_USE enum d7_err job_finish_check(struct store *st, const struct job *job,
                                         const struct check_outcome *outcome, int64_t now);

/* Gives the job back: by our failure (counted; after JOB_ATTEMPTS_MAX the job and its run are
 * failed with our_reason), or unharmed (our_reason NULL: shutdown). */
D7_MUST_USE enum d7_err job_release(struct store *st, const struct job *job, const char *our_reason,
                                    int64_t now);

struct lease_row {
    int64_t job_id;
    char lease[STORE_KEY_SIZE];
    int64_t beat;
};
D7_MUST_USE enum d7_err job_leases(struct store *st, struct lease_row **ret_rows,
                                   size_t *ret_count);
/* Requeues the job if lease and beat are still these (counted as our failure); D7_ERR_CONFLICT
 * otherwise. */
D7_MUST_USE enum d7_err job_expire(struct store *st, const struct lease_row *seen, int64_t now);

struct job_counts {
    int64_t checks_waiting, games_waiting, playing, failed;
};
D7_MUST_USE enum d7_err job_count(struct store *st, struct job_counts *ret);

/* Workers make themselves known with their isolation tier. */
struct worker_row {
    char id[STORE_KEY_SIZE];
    int64_t pid;
    char tier[8]; /* "A", "B", "C", "off" */
    char tier_reason[201];
    int64_t beat;
};
D7_MUST_USE enum d7_err worker_register(struct store *st, const struct worker_row *row,
                                        int64_t now);
/* Registered again if it was removed meanwhile. */
D7_MUST_USE enum d7_err worker_beat(struct store *st, const struct worker_row *row, int64_t now);
D7_MUST_USE enum d7_err worker_remove(struct store *st, const char *id);
D7_MUST_USE enum d7_err worker_list(struct store *st, struct worker_row **ret_rows,
                                    size_t *ret_count);

#endif
