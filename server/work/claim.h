/*
 * claim.h - one claimed job: its lease while it is worked on, and what its end is written as.
 *
 * Why     a policy's fault is data and a failure of ours gives the job back: that line is drawn
 * here, in functions a test can call without a process.
 * Owns    nothing; struct claim borrows store, job and worker row.
 * Threads the worker's only one.
 * Errors  D7_ERR_CONFLICT: the lease was lost meanwhile, nothing of the result is kept; the
 * store's.
 */
#ifndef SERVER_WORK_CLAIM_H
#define SERVER_WORK_CLAIM_H

#include <signal.h>

#include "engine/harness/play.h"
#include "store/job.h"

#define CLAIM_IDLE_FIRST_MS 250
#define CLAIM_IDLE_LAST_MS  1000

/* What a worker of that isolation tier ("A", "B", "C", "off") may be given. */
struct job_skills claim_skills(const char *tier);
/* How long to wait before asking again; previous_ms 0 after work was found. */
int64_t claim_idle_ms(int64_t previous_ms);

struct claim {
    struct store *store;
    const struct job *job;
    struct worker_row *self;
    const volatile sig_atomic_t *stop; /* set: the worker is asked to end */
    int64_t beat_ms, dead_ms;
    int64_t tried_ms; /* monotonic: last beat sent */
    int64_t held_ms;  /* monotonic: last beat the store took */
    bool lost;        /* another may have the job: leave it alone */
};

void claim_begin(struct claim *c, int64_t now_mono_ms);
/* struct harness_watch's: beats when it is time; false when stopped or lost. */
bool claim_keep_going(void *ctx, uint32_t moves_played);

/* Public: "no-start", "handshake", "crashed"; NULL for CHECK_PASSED. */
const char *claim_check_code(enum check_result result);
/* [{"move","kind","seen"}]; errors stay in the buffer. */
void claim_faults_json(const struct played *p, struct buf *to);

/* Both keep trying while the store is busy or its disk full, as long as the lease may still be
 * ours. */
D7_MUST_USE enum d7_err claim_record_game(struct claim *c, const struct played *p,
                                          struct span stderr_tail);
D7_MUST_USE enum d7_err claim_record_check(struct claim *c, const struct check_outcome *outcome);
/* The job goes back: our_reason NULL when it is unharmed. Logged here; if even this fails, the
 * lease runs out by itself. */
void claim_give_back(struct claim *c, const char *our_reason);

#endif
