/*
 * queue.h - the parts of policies, runs and jobs that share transactions, for store/ only.
 *
 * All functions here are called inside a transaction; none commits.
 */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include "store/revision.h"
#include "store/row.h"
#include "store/run.h"

/* A run's first rounds, played before the others become claimable. */
#define RUN_FIRST_ROUNDS 3

/* A policy as far as queueing cares. */
struct policy_state {
    char id[STORE_ID_SIZE];
    enum policy_kind kind;
    enum policy_status status;
    int64_t current; /* 0: none */
    int64_t pending; /* 0: none */
    int64_t owner;   /* 0: built-in */
    char latest_run[STORE_KEY_SIZE];
};
D7_MUST_USE enum d7_err policy_state_get(struct store *st, const char *id,
                                         struct policy_state *ret);

enum policy_kind row_policy_kind(struct query *q, int column);
enum policy_status row_policy_status(struct query *q, int column);
/* The columns of REVISION_COLUMNS from `at` into a zeroed row; all NULL: none, left alone. */
void row_revision(struct query *q, int at, struct revision *r);

/* Is a revision of this kind checked by a worker before it counts? */
bool policy_needs_check(enum policy_kind kind);
/* The row alone: unchecked, or ready where nothing is to check. */
D7_MUST_USE enum d7_err revision_insert(struct store *st, const struct revision_new_row *row,
                                        enum policy_kind kind, int64_t number, int64_t now);

/* D7_ERR_QUOTA when the account would hold more than allowed (quota NULL: everything is). */
D7_MUST_USE enum d7_err quota_check(struct store *st, const struct quota *quota, int64_t account,
                                    const int64_t asked[QUOTA_THINGS], int64_t now,
                                    struct quota_excess *ret_excess);
/* What an artifact adds to the account's: nothing when it has these bytes already (or there is
 * none). */
D7_MUST_USE enum d7_err quota_new_bytes(struct store *st, int64_t account, const char *sha256,
                                        int64_t size, int64_t *ret_bytes);

/* Rounds of a new run: a suite's, or a list's (suite_id ""). */
struct run_plan {
    char suite_id[STORE_ID_SIZE];
    size_t round_count;
    char (*round_ids)[STORE_ID_SIZE]; /* owned */
};
/* D7_ERR_NOT_FOUND: no such suite. Rounds of a list are looked up when the run is queued. */
D7_MUST_USE enum d7_err run_plan_suite(struct store *st, const char *suite_id,
                                       struct run_plan *ret);
D7_MUST_USE enum d7_err run_plan_list(const char *const *round_ids, size_t round_count,
                                      struct run_plan *ret);
void run_plan_release(struct run_plan *plan);

/* A queued run of that revision and its jobs: claimable at once where is_ready (the first three).
 * D7_ERR_NOT_FOUND: no such round. */
D7_MUST_USE enum d7_err run_queue(struct store *st, const struct policy_state *policy,
                                  int64_t revision, bool is_ready, const struct run_plan *plan,
                                  int64_t now, char ret_run_id[STORE_KEY_SIZE]);
/* The unfinished run of a revision; D7_ERR_NOT_FOUND. */
D7_MUST_USE enum d7_err run_unfinished(struct store *st, const char *policy, int64_t revision,
                                       char ret_id[STORE_KEY_SIZE], int64_t *ret_seq);
/* Ends an unfinished run: its open jobs are cancelled. Finished ones are left alone. */
D7_MUST_USE enum d7_err run_close(struct store *st, int64_t run, enum run_status status,
                                  const char *reason, int64_t now);
/* A check job for the revision unless one is open, or has decided. */
D7_MUST_USE enum d7_err job_add_check(struct store *st, const struct policy_state *policy,
                                      int64_t revision);
/* Waiting jobs of the run at positions under `below` become claimable. */
D7_MUST_USE enum d7_err job_open_waiting(struct store *st, int64_t run, int64_t below);

#endif
