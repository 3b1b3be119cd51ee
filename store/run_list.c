/* Reading runs: one, its rounds, and lists; with progress and place in the queue. */
#include "store/page.h"
#include "store/queue.h"
#include "store/rows.h"
#include "store/tx.h"

static const char *const status_names[] = {"queued",  "playing",   "done",
                                           "stopped", "cancelled", "failed"};

const char *run_status_text(enum run_status s)
{
    return (size_t)s < D7_COUNT(status_names) ? status_names[s] : "unknown";
}

bool run_status_parse(struct span text, enum run_status *ret)
{
    for (unsigned i = 0; i < D7_COUNT(status_names); i++) {
        if (span_is(text, status_names[i])) {
            *ret = (enum run_status)i;
            return true;
        }
    }
    return false;
}

static enum d7_err read_progress(struct store *st, int64_t seq, struct run_row *r)
{
    struct query q;
    query_begin(&q, st, SQL_RUN_PROGRESS);
    query_int(&q, ":run", seq);
    if (query_one(&q)) {
        r->games = row_u32(&q, 0);
        r->done = row_u32(&q, 1);
        r->playing = row_u32(&q, 2);
        r->moves = row_int(&q, 3);
    }
    return query_end(&q);
}

/* Among the queued runs, built-ins after all others, the older first. */
static enum d7_err read_place(struct store *st, int64_t seq, bool builtin, struct run_row *r)
{
    struct query q;
    query_begin(&q, st, SQL_RUN_QUEUE_POSITION);
    query_int(&q, ":builtin", builtin);
    query_int(&q, ":seq", seq);
    if (query_one(&q)) {
        r->queue_position = row_int(&q, 0);
    }
    return query_end(&q);
}

/* The columns of RUN_SELECT; returns seq. Inside a read transaction: the numbers belong together.
 */
static int64_t read_run(struct query *q, struct run_row *r)
{
    row_text(q, 0, r->id, sizeof(r->id));
    row_text(q, 1, r->policy_id, sizeof(r->policy_id));
    r->revision = row_int(q, 2);
    row_text(q, 3, r->suite_id, sizeof(r->suite_id));
    r->status = (enum run_status)row_enum(q, 4, status_names, D7_COUNT(status_names));
    row_text(q, 5, r->reason, sizeof(r->reason));
    r->created_at = row_int(q, 6);
    r->started_at = row_int_or_none(q, 7);
    r->finished_at = row_int_or_none(q, 8);
    int64_t seq = row_int(q, 9);
    enum d7_err err = read_progress(q->st, seq, r);
    if (!err && r->status == RUN_QUEUED) {
        err = read_place(q->st, seq, row_bool(q, 10), r);
    }
    q->err = q->err ? q->err : err;
    return seq;
}

enum d7_err run_get(struct store *st, const char *id, struct run_row *ret)
{
    enum d7_err err = tx_begin_read(st);
    if (err) {
        return err;
    }
    struct run_row row = {0};
    struct query q;
    query_begin(&q, st, SQL_RUN_GET);
    query_text(&q, ":id", id);
    if (query_one(&q)) {
        (void)read_run(&q, &row);
    }
    err = tx_end(st, query_end(&q));
    if (!err) {
        *ret = row;
    }
    return err;
}

enum d7_err run_rounds(struct store *st, const char *id, struct run_round **ret_rows,
                       size_t *ret_count)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct run_round));
    struct query q;
    query_begin(&q, st, SQL_RUN_ROUNDS);
    query_text(&q, ":id", id);
    query_int(&q, ":limit", SUITE_ROUNDS_MAX);
    while (query_row(&q)) {
        struct run_round *row = rows_add(&rows, &q.err);
        if (row) {
            row_text(&q, 0, row->round_id, sizeof(row->round_id));
            row_text(&q, 1, row->job_state, sizeof(row->job_state));
            row_text(&q, 2, row->game_id, sizeof(row->game_id));
        }
    }
    if (!q.err && rows.count == 0) {
        q.err = D7_ERR_NOT_FOUND; /* every run has rounds */
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

static enum store_sql list_statement(const struct run_filter *filter)
{
    if (filter->policy_id[0]) {
        return SQL_RUN_LIST_POLICY;
    }
    return filter->has_status ? SQL_RUN_LIST_STATUS : SQL_RUN_LIST_ALL;
}

static enum d7_err read_list(struct store *st, const struct run_filter *filter, struct page *p,
                             int64_t before, struct rows *rows)
{
    struct query q;
    query_begin(&q, st, list_statement(filter));
    query_text_or_null(&q, ":policy", filter->policy_id);
    query_text_or_null(&q, ":suite", filter->suite_id);
    query_text(&q, ":status", filter->has_status ? run_status_text(filter->status) : NULL);
    query_int(&q, ":since", filter->since);
    query_int(&q, ":until", filter->until ? filter->until : INT64_MAX);
    query_int(&q, ":seq", before);
    query_int(&q, ":limit", (int64_t)p->out->limit + 1);
    int64_t seq = 0;
    while (query_row(&q)) {
        if (rows->count == p->out->limit) {
            char key[32];
            (void)snprintf(key, sizeof(key), "%lld", (long long)seq);
            page_set_next(p, key);
            break;
        }
        struct run_row *row = rows_add(rows, &q.err);
        if (row) {
            seq = read_run(&q, row);
        }
    }
    return query_end(&q);
}

enum d7_err run_list(struct store *st, const struct run_filter *filter, struct store_page *page,
                     struct run_row **ret_rows, size_t *ret_count)
{
    struct page p;
    int64_t before = INT64_MAX;
    enum d7_err err =
        page_init(&p, page, "runs\n%s\n%s\n%s\n%lld\n%lld", filter->policy_id, filter->suite_id,
                  filter->has_status ? run_status_text(filter->status) : "",
                  (long long)filter->since, (long long)filter->until);
    if (!err) {
        err = page_numbers(&p, &before, NULL);
    }
    if (!err) {
        err = tx_begin_read(st);
    }
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct run_row));
    err = tx_end(st, read_list(st, filter, &p, before, &rows));
    return rows_finish(&rows, err, (void **)ret_rows, ret_count);
}
