/* Registering a policy: everything it needs to be checked and played, in one transaction. */
#include "store/queue.h"
#include "store/tx.h"

enum d7_err policy_state_get(struct store *st, const char *id, struct policy_state *ret)
{
    struct policy_state s = {0};
    struct query q;
    query_begin(&q, st, SQL_POLICY_STATE);
    query_text(&q, ":id", id);
    if (query_one(&q)) {
        s.kind = row_policy_kind(&q, 0);
        s.status = row_policy_status(&q, 1);
        s.current = row_int(&q, 2);
        s.pending = row_int(&q, 3);
        s.owner = row_int(&q, 4);
        row_text(&q, 5, s.latest_run, sizeof(s.latest_run));
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        err = span_copy(span_of(id), s.id, sizeof(s.id));
    }
    if (!err) {
        *ret = s;
    }
    return err;
}

static enum d7_err insert_policy(struct store *st, const struct policy_new_row *row, int64_t now)
{
    bool checking = policy_needs_check(row->kind);
    struct query q;
    query_begin(&q, st, SQL_POLICY_ADD);
    query_text(&q, ":id", row->id);
    query_text(&q, ":name", row->name);
    query_text(&q, ":family", row->family ? row->family : "");
    query_text(&q, ":description", row->description ? row->description : "");
    query_text(&q, ":kind", policy_kind_text(row->kind));
    if (row->kind != KIND_BUILTIN) {
        query_int(&q, ":owner", row->owner_id);
    }
    query_int(&q, ":public", row->public_information);
    query_int(&q, ":slow", row->slow);
    query_int(&q, ":concurrency", row->concurrency ? row->concurrency : 1);
    query_text(&q, ":status", policy_status_text(checking ? POLICY_CHECKING : POLICY_READY));
    query_int(&q, checking ? ":pending" : ":current", 1);
    query_int(&q, ":now", now);
    return query_run(&q);
}

static enum d7_err insert_first(struct store *st, const struct policy_new_row *row, int64_t now)
{
    const struct revision_new_row first = {.policy_id = row->id,
                                           .sha256 = row->sha256,
                                           .size_bytes = row->size_bytes,
                                           .format = row->format,
                                           .endpoint = row->endpoint};
    return revision_insert(st, &first, row->kind, 1, now);
}

static enum d7_err queue_on_suite(struct store *st, const struct policy_state *policy,
                                  const char *suite_id, int64_t now, char *ret_run_id)
{
    struct run_plan plan = {0};
    enum d7_err err = run_plan_suite(st, suite_id, &plan);
    if (!err) {
        err = run_queue(st, policy, 1, true, &plan, now, ret_run_id);
    }
    run_plan_release(&plan);
    return err;
}

static enum d7_err check_quota(struct store *st, const struct policy_new_row *row,
                               const struct run_plan *plan, int64_t now)
{
    int64_t asked[QUOTA_THINGS] = {
        [QUOTA_POLICIES] = 1,
        [QUOTA_REVISIONS] = 1,
        [QUOTA_JOBS] = (int64_t)plan->round_count + policy_needs_check(row->kind),
    };
    enum d7_err err =
        quota_new_bytes(st, row->owner_id, row->sha256, row->size_bytes, &asked[QUOTA_ARTIFACTS]);
    return err ? err : quota_check(st, row->quota, row->owner_id, asked, now, row->excess);
}

static enum d7_err add_planned(struct store *st, const struct policy_new_row *row,
                               const struct run_plan *plan, int64_t now, char *ret_run_id)
{
    bool checked = policy_needs_check(row->kind);
    struct policy_state state = {0};
    enum d7_err err = check_quota(st, row, plan, now);
    if (!err) {
        err = insert_policy(st, row, now);
    }
    if (!err) {
        err = insert_first(st, row, now);
    }
    if (!err) {
        err = policy_state_get(st, row->id, &state);
    }
    if (!err && checked) {
        err = job_add_check(st, &state, 1); /* before the games: the older job goes first */
    }
    if (!err && plan->round_count) {
        err = run_queue(st, &state, 1, !checked, plan, now, ret_run_id);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

static enum d7_err add_new(struct store *st, const struct policy_new_row *row, int64_t now,
                           char *ret_run_id)
{
    struct run_plan plan = {0};
    enum d7_err err = D7_OK;
    if (row->suite_id && row->kind != KIND_REMOTE) {
        err = run_plan_suite(st, row->suite_id, &plan);
    }
    if (!err) {
        err = add_planned(st, row, &plan, now, ret_run_id);
    }
    run_plan_release(&plan);
    return err;
}

static enum d7_err update_builtin(struct store *st, const struct policy_new_row *row,
                                  const struct policy_state *state, int64_t now, char *ret_run_id)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_UPDATE);
    query_text(&q, ":id", row->id);
    query_text(&q, ":name", row->name);
    query_text(&q, ":family", row->family ? row->family : "");
    query_text(&q, ":description", row->description ? row->description : "");
    query_int(&q, ":public", row->public_information);
    query_int(&q, ":slow", row->slow);
    enum d7_err err = query_run(&q);
    bool changed = !err && sqlite3_changes64(st->db) > 0;
    if (!err && state->latest_run[0]) {
        memcpy(ret_run_id, state->latest_run, sizeof(state->latest_run));
    } else if (!err && row->suite_id) {
        err = queue_on_suite(st, state, row->suite_id, now, ret_run_id);
        changed = true;
    }
    return !err && changed ? tx_changed(st, CHANGE_BOARD) : err;
}

static enum d7_err add(struct store *st, const struct policy_new_row *row, int64_t now,
                       char *ret_run_id)
{
    struct policy_state old = {0};
    enum d7_err err = policy_state_get(st, row->id, &old);
    if (err == D7_ERR_NOT_FOUND) {
        return add_new(st, row, now, ret_run_id);
    }
    if (!err && (row->kind != KIND_BUILTIN || old.kind != KIND_BUILTIN)) {
        err = D7_ERR_CONFLICT;
    }
    return err ? err : update_builtin(st, row, &old, now, ret_run_id);
}

enum d7_err policy_add(struct store *st, const struct policy_new_row *row, int64_t now,
                       char ret_run_id[STORE_KEY_SIZE])
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    char run_id[STORE_KEY_SIZE] = "";
    err = tx_end(st, add(st, row, now, run_id));
    if (!err) {
        memcpy(ret_run_id, run_id, sizeof(run_id));
    }
    return err;
}
