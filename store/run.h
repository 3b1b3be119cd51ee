/*
 * run.h - a run: one policy revision on a list of rounds. Its status only moves forward.
 */
#ifndef STORE_RUN_H
#define STORE_RUN_H

#include "store/policy.h"
#include "store/round.h"

enum run_status { RUN_QUEUED, RUN_PLAYING, RUN_DONE, RUN_STOPPED, RUN_CANCELLED, RUN_FAILED };
const char *run_status_text(enum run_status s);
bool run_status_parse(struct span text, enum run_status *ret);

struct run_row {
    char id[STORE_KEY_SIZE];
    char policy_id[STORE_ID_SIZE];
    int64_t revision;
    char suite_id[STORE_ID_SIZE]; /* empty: a list of rounds */
    enum run_status status;
    char reason[201];                            /* empty: none */
    int64_t created_at, started_at, finished_at; /* -1: not yet */
    uint32_t games, done, playing;
    int64_t moves;          /* played so far, written with the lease beat */
    int64_t queue_position; /* 1-based among queued runs; 0: not queued */
};

/* The rounds of a run in order with the game each has, if any. */
struct run_round {
    char round_id[STORE_ID_SIZE];
    char job_state[12]; /* queued, playing, done, failed, cancelled */
    char game_id[STORE_KEY_SIZE];
};

/* A run of the current revision (or the pending one). D7_ERR_CONFLICT with the unfinished run's id
 * in ret_existing when the revision has one; D7_ERR_FORBIDDEN when the policy is rejected,
 * suspended or retired. suite_id or round_ids, not both. */
D7_MUST_USE enum d7_err run_add(struct store *st, const char *policy_id, const char *suite_id,
                                const char *const *round_ids, size_t round_count, int64_t now,
                                char ret_run_id[STORE_KEY_SIZE], char ret_existing[STORE_KEY_SIZE]);
/* The same within a quota of the policy's owner. */
struct run_new_row {
    const char *policy_id;
    const char *suite_id; /* NULL: the rounds */
    const char *const *round_ids;
    size_t round_count;
    const struct quota *quota;   /* NULL: not looked at */
    struct quota_excess *excess; /* written on D7_ERR_QUOTA; may be NULL */
};
D7_MUST_USE enum d7_err run_add_row(struct store *st, const struct run_new_row *row, int64_t now,
                                    char ret_run_id[STORE_KEY_SIZE],
                                    char ret_existing[STORE_KEY_SIZE]);
/* Ends an unfinished run with its open jobs: who plays one loses the lease with its next beat.
 * reason: public, up to 200 bytes. D7_ERR_NOT_FOUND; D7_ERR_CONFLICT: finished already. */
D7_MUST_USE enum d7_err run_cancel(struct store *st, const char *id, const char *reason,
                                   int64_t now);
D7_MUST_USE enum d7_err run_get(struct store *st, const char *id, struct run_row *ret);
D7_MUST_USE enum d7_err run_rounds(struct store *st, const char *id, struct run_round **ret_rows,
                                   size_t *ret_count);

struct run_filter {
    char policy_id[STORE_ID_SIZE];
    char suite_id[STORE_ID_SIZE];
    bool has_status;
    enum run_status status;
    int64_t since, until; /* created_at: from since, before until; 0: open */
};
/* Newest first. */
D7_MUST_USE enum d7_err run_list(struct store *st, const struct run_filter *filter,
                                 struct store_page *page, struct run_row **ret_rows,
                                 size_t *ret_count);

#endif
