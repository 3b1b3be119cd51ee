/* Workers make themselves known. No reader of policies and games sees these rows: the change
 * counters stay. */
#include "store/job.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/tx.h"

#define WORKERS_MAX 10000

static enum d7_err put(struct store *st, const struct worker_row *row, int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_WORKER_REGISTER);
    query_text(&q, ":id", row->id);
    query_int(&q, ":pid", row->pid);
    query_text(&q, ":tier", row->tier);
    query_text(&q, ":reason", row->tier_reason);
    query_int(&q, ":now", now);
    return query_run(&q);
}

enum d7_err worker_register(struct store *st, const struct worker_row *row, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, put(st, row, now));
}

/* Each write of the row moves its beat on; the first is the registration. */
enum d7_err worker_beat(struct store *st, const struct worker_row *row, int64_t now)
{
    return worker_register(st, row, now);
}

enum d7_err worker_remove(struct store *st, const char *id)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_WORKER_REMOVE);
    query_text(&q, ":id", id);
    return tx_end(st, query_run(&q));
}

enum d7_err worker_list(struct store *st, struct worker_row **ret_rows, size_t *ret_count)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct worker_row));
    struct query q;
    query_begin(&q, st, SQL_WORKER_LIST);
    query_text(&q, ":after", "");
    query_int(&q, ":limit", WORKERS_MAX);
    while (query_row(&q)) {
        struct worker_row *row = rows_add(&rows, &q.err);
        if (row) {
            row_text(&q, 0, row->id, sizeof(row->id));
            row->pid = row_int(&q, 1);
            row_text(&q, 2, row->tier, sizeof(row->tier));
            row_text(&q, 3, row->tier_reason, sizeof(row->tier_reason));
            row->beat = row_int(&q, 4);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}
