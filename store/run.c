#include "store/run.h"

#include "store/queue.h"
#include "store/rows.h"
#include "store/suite.h"
#include "store/tx.h"

/* --- what a new run is played on ------------------------------------------------------------ */

void run_plan_release(struct run_plan *plan)
{
    free(plan->round_ids);
    *plan = (struct run_plan){0};
}

enum d7_err run_plan_suite(struct store *st, const char *suite_id, struct run_plan *ret)
{
    struct suite_row suite = {0};
    enum d7_err err = suite_get(st, suite_id, &suite);
    if (err) {
        return err;
    }
    *ret = (struct run_plan){.round_count = suite.round_count, .round_ids = suite.round_ids};
    memcpy(ret->suite_id, suite.id, sizeof(suite.id));
    suite.round_ids = NULL; /* now the plan's */
    suite_release(&suite);
    return D7_OK;
}

enum d7_err run_plan_list(const char *const *round_ids, size_t round_count, struct run_plan *ret)
{
    enum d7_err err = suite_check_rounds(round_ids, round_count);
    if (err) {
        return err;
    }
    struct run_plan plan = {.round_count = round_count};
    plan.round_ids = calloc(round_count, sizeof(plan.round_ids[0]));
    if (!plan.round_ids) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < round_count && !err; i++) {
        err = span_copy(span_of(round_ids[i]), plan.round_ids[i], sizeof(plan.round_ids[i]));
    }
    if (err) {
        run_plan_release(&plan);
        return D7_ERR_NOT_FOUND; /* no round has so long an id */
    }
    *ret = plan;
    return D7_OK;
}

/* --- queueing ------------------------------------------------------------------------------- */

static enum d7_err insert_run(struct store *st, const struct policy_state *policy, int64_t revision,
                              const struct run_plan *plan, int64_t now, const char *id)
{
    struct query q;
    query_begin(&q, st, SQL_RUN_ADD);
    query_text(&q, ":id", id);
    query_text(&q, ":policy", policy->id);
    query_int(&q, ":revision", revision);
    query_text_or_null(&q, ":suite", plan->suite_id);
    query_int(&q, ":builtin", policy->kind == KIND_BUILTIN);
    query_int(&q, ":now", now);
    return query_run(&q);
}

static enum d7_err insert_job(struct store *st, const struct policy_state *policy, int64_t revision,
                              int64_t run, size_t position, const char *round, const char *state)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_ADD_GAME);
    query_text(&q, ":state", state);
    query_int(&q, ":owner", policy->owner);
    query_text(&q, ":policy", policy->id);
    query_int(&q, ":revision", revision);
    query_int(&q, ":run", run);
    query_int(&q, ":position", (int64_t)position);
    query_text(&q, ":round", round);
    enum d7_err err = query_run(&q);
    /* Policy and run are there and the rounds differ: what is missing is the round. */
    return err == D7_ERR_CONFLICT ? D7_ERR_NOT_FOUND : err;
}

static enum d7_err set_latest_run(struct store *st, const char *policy, const char *run)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_SET_RUN);
    query_text(&q, ":id", policy);
    query_text(&q, ":run", run);
    return query_run(&q);
}

enum d7_err run_queue(struct store *st, const struct policy_state *policy, int64_t revision,
                      bool is_ready, const struct run_plan *plan, int64_t now,
                      char ret_run_id[STORE_KEY_SIZE])
{
    char id[STORE_KEY_SIZE];
    enum d7_err err = tx_key(st, now, id);
    if (!err) {
        err = insert_run(st, policy, revision, plan, now, id);
    }
    int64_t run = sqlite3_last_insert_rowid(st->db);
    for (size_t i = 0; i < plan->round_count && !err; i++) {
        bool claimable = is_ready && i < RUN_FIRST_ROUNDS;
        err = insert_job(st, policy, revision, run, i, plan->round_ids[i],
                         claimable ? "queued" : "waiting");
    }
    if (!err) {
        err = set_latest_run(st, policy->id, id);
    }
    if (!err) {
        memcpy(ret_run_id, id, sizeof(id));
    }
    return err;
}

enum d7_err run_unfinished(struct store *st, const char *policy, int64_t revision,
                           char ret_id[STORE_KEY_SIZE], int64_t *ret_seq)
{
    char id[STORE_KEY_SIZE] = "";
    struct query q;
    query_begin(&q, st, SQL_RUN_UNFINISHED);
    query_text(&q, ":policy", policy);
    query_int(&q, ":revision", revision);
    int64_t seq = 0;
    if (query_one(&q)) {
        row_text(&q, 0, id, sizeof(id));
        seq = row_int(&q, 1);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        memcpy(ret_id, id, sizeof(id));
        *ret_seq = seq;
    }
    return err;
}

static bool may_run(enum policy_status status)
{
    return status == POLICY_CHECKING || status == POLICY_READY;
}

static enum d7_err check_quota(struct store *st, const struct run_new_row *row,
                               const struct policy_state *policy, const struct run_plan *plan,
                               int64_t now)
{
    int64_t asked[QUOTA_THINGS] = {[QUOTA_JOBS] = (int64_t)plan->round_count};
    const struct quota *quota = policy->owner ? row->quota : NULL; /* built-ins are nobody's */
    return quota_check(st, quota, policy->owner, asked, now, row->excess);
}

static enum d7_err add(struct store *st, const struct run_new_row *row,
                       const struct policy_state *policy, const struct run_plan *plan, int64_t now,
                       char *ret_run_id, char *ret_existing)
{
    if (policy->kind == KIND_REMOTE) {
        return D7_ERR_UNSUPPORTED;
    }
    if (!may_run(policy->status)) {
        return D7_ERR_FORBIDDEN;
    }
    bool is_ready = policy->current > 0;
    int64_t revision = is_ready ? policy->current : policy->pending;
    int64_t seq = 0;
    enum d7_err err = run_unfinished(st, policy->id, revision, ret_existing, &seq);
    if (err != D7_ERR_NOT_FOUND) {
        return err ? err : D7_ERR_CONFLICT;
    }
    err = check_quota(st, row, policy, plan, now);
    /* A check that failed three times by our fault is tried again with the next run. */
    if (!err && policy->pending) {
        err = job_add_check(st, policy, policy->pending);
    }
    if (!err) {
        err = run_queue(st, policy, revision, is_ready, plan, now, ret_run_id);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD); /* a policy's latest run is on the board */
}

enum d7_err run_add_row(struct store *st, const struct run_new_row *row, int64_t now,
                        char ret_run_id[STORE_KEY_SIZE], char ret_existing[STORE_KEY_SIZE])
{
    char run_id[STORE_KEY_SIZE] = "";
    char existing[STORE_KEY_SIZE] = "";
    struct policy_state policy = {0};
    struct run_plan plan = {0};
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    err = policy_state_get(st, row->policy_id, &policy);
    if (!err && row->suite_id) {
        err = run_plan_suite(st, row->suite_id, &plan);
    } else if (!err) {
        err = run_plan_list(row->round_ids, row->round_count, &plan);
    }
    if (!err) {
        err = add(st, row, &policy, &plan, now, run_id, existing);
    }
    err = tx_end(st, err);
    run_plan_release(&plan);
    if (!err) {
        memcpy(ret_run_id, run_id, sizeof(run_id));
    } else if (err == D7_ERR_CONFLICT) {
        memcpy(ret_existing, existing, sizeof(existing));
    }
    return err;
}

enum d7_err run_add(struct store *st, const char *policy_id, const char *suite_id,
                    const char *const *round_ids, size_t round_count, int64_t now,
                    char ret_run_id[STORE_KEY_SIZE], char ret_existing[STORE_KEY_SIZE])
{
    const struct run_new_row row = {.policy_id = policy_id,
                                    .suite_id = suite_id,
                                    .round_ids = round_ids,
                                    .round_count = round_count};
    return run_add_row(st, &row, now, ret_run_id, ret_existing);
}

/* --- ending --------------------------------------------------------------------------------- */

static enum d7_err cancel_rest(struct store *st, int64_t run)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_CANCEL_REST);
    query_int(&q, ":run", run);
    return query_run(&q);
}

enum d7_err run_close(struct store *st, int64_t run, enum run_status status, const char *reason,
                      int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_RUN_FINISH);
    query_int(&q, ":run", run);
    query_text(&q, ":status", run_status_text(status));
    query_text(&q, ":reason", reason);
    query_int(&q, ":now", now);
    enum d7_err err = query_run(&q);
    return err ? err : cancel_rest(st, run);
}

static enum d7_err cancel(struct store *st, const char *id, const char *reason, int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_RUN_OPEN);
    query_text(&q, ":id", id);
    bool found = query_one(&q);
    int64_t run = found ? row_int(&q, 0) : 0;
    bool finished = found && row_bool(&q, 1);
    enum d7_err err = query_end(&q);
    if (!err && finished) {
        err = D7_ERR_CONFLICT;
    }
    if (!err) {
        err = run_close(st, run, RUN_CANCELLED, reason, now);
    }
    return err ? err : tx_changed(st, CHANGE_PROGRESS);
}

enum d7_err run_cancel(struct store *st, const char *id, const char *reason, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, cancel(st, id, reason, now));
}
