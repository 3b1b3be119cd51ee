#include "store/job.h"

#include "store/queue.h"
#include "store/rows.h"
#include "store/tx.h"

#define LEASES_MAX 10000

enum d7_err job_add_check(struct store *st, const struct policy_state *policy, int64_t revision)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_ADD_CHECK);
    query_int(&q, ":owner", policy->owner);
    query_text(&q, ":policy", policy->id);
    query_int(&q, ":revision", revision);
    return query_run(&q);
}

enum d7_err job_beat(struct store *st, int64_t job_id, const char *lease, int64_t moves_played)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_JOB_BEAT);
    query_int(&q, ":id", job_id);
    query_text(&q, ":lease", lease);
    query_int(&q, ":moves", moves_played);
    err = query_run_hit(&q);
    if (!err && moves_played > 0) {
        err = tx_changed(st, CHANGE_PROGRESS);
    }
    return tx_end(st, err);
}

enum d7_err job_leases(struct store *st, struct lease_row **ret_rows, size_t *ret_count)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct lease_row));
    struct query q;
    query_begin(&q, st, SQL_JOB_LEASES);
    query_int(&q, ":after", 0);
    query_int(&q, ":limit", LEASES_MAX);
    while (query_row(&q)) {
        struct lease_row *row = rows_add(&rows, &q.err);
        if (row) {
            row->job_id = row_int(&q, 0);
            row_text(&q, 1, row->lease, sizeof(row->lease));
            row->beat = row_int(&q, 2);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

enum d7_err job_count(struct store *st, struct job_counts *ret)
{
    struct job_counts counts = {0};
    struct query q;
    query_begin(&q, st, SQL_JOB_COUNT);
    if (query_one(&q)) {
        counts =
            (struct job_counts){row_int(&q, 0), row_int(&q, 1), row_int(&q, 2), row_int(&q, 3)};
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = counts;
    }
    return err;
}
