#include "store/revision.h"

#include "store/page.h"
#include "store/queue.h"
#include "store/rows.h"
#include "store/tx.h"

/* Built-ins are ours, and a remote program is never started by us: nothing to check. */
bool policy_needs_check(enum policy_kind kind)
{
    return kind == KIND_UPLOAD || kind == KIND_ENDPOINT;
}

enum d7_err revision_insert(struct store *st, const struct revision_new_row *row,
                            enum policy_kind kind, int64_t number, int64_t now)
{
    bool checked = policy_needs_check(kind);
    struct query q;
    query_begin(&q, st, SQL_REVISION_ADD);
    query_text(&q, ":policy", row->policy_id);
    query_int(&q, ":number", number);
    query_text_or_null(&q, ":sha256", row->sha256);
    query_int(&q, ":size", row->size_bytes);
    query_text(&q, ":format", row->format ? row->format : policy_kind_text(kind));
    query_text_or_null(&q, ":endpoint", row->endpoint);
    query_text(&q, ":status", policy_status_text(checked ? POLICY_CHECKING : POLICY_READY));
    query_int(&q, ":now", now);
    return query_run(&q);
}

/* --- a new one ------------------------------------------------------------------------------ */

static enum d7_err next_number(struct store *st, const char *policy_id, int64_t *ret)
{
    struct query q;
    query_begin(&q, st, SQL_REVISION_NEXT);
    query_text(&q, ":policy", policy_id);
    int64_t number = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = number;
    }
    return err;
}

static enum d7_err make_candidate(struct store *st, const struct policy_state *policy,
                                  int64_t number)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_REVISE);
    query_text(&q, ":id", policy->id);
    query_int(&q, policy_needs_check(policy->kind) ? ":pending" : ":current", number);
    return query_run(&q);
}

static enum d7_err check_quota(struct store *st, const struct revision_new_row *row,
                               const struct policy_state *policy, const struct run_plan *plan,
                               int64_t now)
{
    int64_t asked[QUOTA_THINGS] = {
        [QUOTA_REVISIONS] = 1,
        [QUOTA_JOBS] = (int64_t)plan->round_count + policy_needs_check(policy->kind),
    };
    enum d7_err err =
        quota_new_bytes(st, policy->owner, row->sha256, row->size_bytes, &asked[QUOTA_ARTIFACTS]);
    return err ? err : quota_check(st, row->quota, policy->owner, asked, now, row->excess);
}

static enum d7_err add_to(struct store *st, const struct revision_new_row *row,
                          const struct policy_state *policy, const struct run_plan *plan,
                          int64_t now, int64_t *ret_number, char *ret_run_id)
{
    enum d7_err err = check_quota(st, row, policy, plan, now);
    if (!err) {
        err = next_number(st, policy->id, ret_number);
    }
    if (!err) {
        err = revision_insert(st, row, policy->kind, *ret_number, now);
    }
    if (!err) {
        err = make_candidate(st, policy, *ret_number);
    }
    if (!err && policy_needs_check(policy->kind)) {
        err = job_add_check(st, policy, *ret_number); /* before the games: the older goes first */
    }
    if (!err && plan->round_count) {
        err = run_queue(st, policy, *ret_number, false, plan, now, ret_run_id);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

static enum d7_err add(struct store *st, const struct revision_new_row *row, int64_t now,
                       int64_t *ret_number, char *ret_run_id)
{
    struct policy_state policy = {0};
    struct run_plan plan = {0};
    enum d7_err err = policy_state_get(st, row->policy_id, &policy);
    if (!err && policy.kind == KIND_BUILTIN) {
        err = D7_ERR_UNSUPPORTED;
    }
    if (!err && (policy.status == POLICY_SUSPENDED || policy.status == POLICY_RETIRED)) {
        err = D7_ERR_FORBIDDEN;
    }
    if (!err && row->suite_id && policy_needs_check(policy.kind)) {
        err = run_plan_suite(st, row->suite_id, &plan);
    }
    if (!err) {
        err = add_to(st, row, &policy, &plan, now, ret_number, ret_run_id);
    }
    run_plan_release(&plan);
    return err;
}

enum d7_err revision_add(struct store *st, const struct revision_new_row *row, int64_t now,
                         int64_t *ret_number, char ret_run_id[STORE_KEY_SIZE])
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    int64_t number = 0;
    char run_id[STORE_KEY_SIZE] = "";
    err = tx_end(st, add(st, row, now, &number, run_id));
    if (!err) {
        *ret_number = number;
        memcpy(ret_run_id, run_id, sizeof(run_id));
    }
    return err;
}

/* --- reading -------------------------------------------------------------------------------- */

void row_revision(struct query *q, int at, struct revision *r)
{
    if (row_is_null(q, at)) {
        return;
    }
    r->number = row_int(q, at);
    row_text(q, at + 1, r->sha256, sizeof(r->sha256));
    r->size_bytes = row_int(q, at + 2);
    row_text(q, at + 3, r->format, sizeof(r->format));
    row_text(q, at + 4, r->endpoint, sizeof(r->endpoint));
    r->created_at = row_int(q, at + 5);
    r->status = row_policy_status(q, at + 6);
    row_text(q, at + 7, r->reason_code, sizeof(r->reason_code));
    row_text(q, at + 8, r->reason_message, sizeof(r->reason_message));
}

enum d7_err revision_get(struct store *st, const char *policy_id, int64_t number,
                         struct revision *ret)
{
    struct revision r = {0};
    struct query q;
    query_begin(&q, st, SQL_REVISION_GET);
    query_text(&q, ":policy", policy_id);
    query_int(&q, ":number", number);
    if (query_one(&q)) {
        row_revision(&q, 0, &r);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = r;
    }
    return err;
}

enum d7_err revision_list(struct store *st, const char *policy_id, struct store_page *page,
                          struct revision **ret_rows, size_t *ret_count)
{
    struct page p;
    int64_t before = INT64_MAX;
    enum d7_err err = page_init(&p, page, "revisions\n%s", policy_id);
    if (!err) {
        err = page_numbers(&p, &before, NULL);
    }
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct revision));
    struct query q;
    query_begin(&q, st, SQL_REVISION_LIST);
    query_text(&q, ":policy", policy_id);
    query_int(&q, ":before", before);
    query_int(&q, ":limit", (int64_t)page->limit + 1);
    struct revision *row = NULL;
    while (query_row(&q)) {
        if (row && rows.count == page->limit) {
            char key[32];
            (void)snprintf(key, sizeof(key), "%lld", (long long)row->number);
            page_set_next(&p, key);
            break;
        }
        row = rows_add(&rows, &q.err);
        if (row) {
            row_revision(&q, 0, row);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

enum d7_err revision_log(struct store *st, const char *policy_id, int64_t number, char **ret_bytes,
                         size_t *ret_len)
{
    char *copy = NULL;
    size_t len = 0;
    struct query q;
    query_begin(&q, st, SQL_REVISION_LOG);
    query_text(&q, ":policy", policy_id);
    query_int(&q, ":number", number);
    if (query_one(&q)) {
        struct span bytes = row_blob(&q, 0); /* NULL before the check: empty */
        len = bytes.len;
        copy = calloc(len + 1, 1);
        if (!copy) {
            q.err = D7_ERR_NOMEM;
        } else if (len) {
            memcpy(copy, bytes.ptr, len);
        }
    }
    enum d7_err err = query_end(&q);
    if (err) {
        free(copy);
        return err;
    }
    *ret_bytes = copy;
    *ret_len = len;
    return D7_OK;
}

enum d7_err revision_next_artifact(struct store *st, const char *policy_id, const char *after,
                                   char ret_sha256[SHA_HEX_SIZE])
{
    char sha256[SHA_HEX_SIZE] = "";
    struct query q;
    query_begin(&q, st, SQL_REVISION_NEXT_FILE);
    query_text(&q, ":policy", policy_id);
    query_text(&q, ":after", after);
    if (query_one(&q)) {
        row_text(&q, 0, sha256, sizeof(sha256));
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        memcpy(ret_sha256, sha256, sizeof(sha256));
    }
    return err;
}
