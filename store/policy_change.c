/* What happens to a policy after its registration: new texts, suspended and let go, retired. */
#include "store/queue.h"
#include "store/tx.h"

static enum d7_err change_texts(struct store *st, const char *id, const struct policy_patch *patch)
{
    if (!patch->name && !patch->family && !patch->description) {
        return D7_OK;
    }
    struct query q;
    query_begin(&q, st, SQL_POLICY_PATCH);
    query_text(&q, ":id", id);
    query_text(&q, ":name", patch->name);
    query_text(&q, ":family", patch->family);
    query_text(&q, ":description", patch->description);
    return query_run(&q);
}

static enum d7_err change_status(struct store *st, const struct policy_state *policy,
                                 const struct policy_patch *patch)
{
    struct query q;
    if (patch->status == POLICY_SUSPENDED) {
        query_begin(&q, st, SQL_POLICY_SUSPEND);
        query_text(&q, ":id", policy->id);
        query_text(&q, ":message", patch->reason ? patch->reason : "");
        return query_run(&q);
    }
    if (patch->status != POLICY_READY) {
        return D7_ERR_INVALID;
    }
    if (policy->status == POLICY_READY) {
        return D7_OK;
    }
    if (policy->status != POLICY_SUSPENDED) {
        return D7_ERR_CONFLICT;
    }
    query_begin(&q, st, SQL_POLICY_RESUME);
    query_text(&q, ":id", policy->id);
    return query_run(&q);
}

static enum d7_err patch_it(struct store *st, const char *id, const struct policy_patch *patch)
{
    struct policy_state policy = {0};
    int64_t version = 0;
    enum d7_err err = store_version(st, &version);
    if (!err && patch->if_version && version != patch->if_version) {
        err = D7_ERR_CANCELLED;
    }
    if (!err) {
        err = policy_state_get(st, id, &policy);
    }
    if (!err && policy.status == POLICY_RETIRED) {
        err = D7_ERR_FORBIDDEN;
    }
    if (!err) {
        err = change_texts(st, id, patch);
    }
    if (!err && patch->has_status) {
        err = change_status(st, &policy, patch);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err policy_patch(struct store *st, const char *id, const struct policy_patch *patch)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, patch_it(st, id, patch));
}

/* --- the end -------------------------------------------------------------------------------- */

static enum d7_err cancel_runs(struct store *st, const char *id, int64_t now)
{
    enum d7_err err = D7_OK;
    while (!err) {
        struct query q;
        query_begin(&q, st, SQL_RUN_UNFINISHED_ANY);
        query_text(&q, ":policy", id);
        int64_t run = query_one(&q) ? row_int(&q, 0) : 0;
        err = query_end(&q);
        if (!err) {
            err = run_close(st, run, RUN_CANCELLED, "the policy was retired", now);
        }
    }
    return err == D7_ERR_NOT_FOUND ? D7_OK : err;
}

static enum d7_err cancel_checks(struct store *st, const char *id)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_CANCEL_CHECKS);
    query_text(&q, ":policy", id);
    return query_run(&q);
}

static enum d7_err retire(struct store *st, const char *id, int64_t now)
{
    struct policy_state policy = {0};
    enum d7_err err = policy_state_get(st, id, &policy);
    if (err || policy.status == POLICY_RETIRED) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_POLICY_RETIRE);
    query_text(&q, ":id", id);
    err = query_run(&q);
    if (!err) {
        err = cancel_runs(st, id, now);
    }
    if (!err) {
        err = cancel_checks(st, id);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err policy_retire(struct store *st, const char *id, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, retire(st, id, now));
}
