#include "store/suite.h"

#include "store/page.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/tx.h"

void suite_release(struct suite_row *s)
{
    free(s->round_ids);
    s->round_ids = NULL;
    s->round_count = 0;
}

enum d7_err suite_check_rounds(const char *const *round_ids, size_t round_count)
{
    if (round_count < 1 || round_count > SUITE_ROUNDS_MAX) {
        return D7_ERR_INVALID;
    }
    for (size_t i = 0; i < round_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(round_ids[i], round_ids[k]) == 0) {
                return D7_ERR_INVALID;
            }
        }
    }
    return D7_OK;
}

static enum d7_err insert_round(struct store *st, const char *suite, size_t position,
                                const char *round)
{
    struct query q;
    query_begin(&q, st, SQL_SUITE_ROUND_ADD);
    query_text(&q, ":suite", suite);
    query_int(&q, ":position", (int64_t)position);
    query_text(&q, ":round", round);
    enum d7_err err = query_run(&q);
    return err == D7_ERR_CONFLICT ? D7_ERR_NOT_FOUND : err; /* the only one left: no such round */
}

static enum d7_err unset_default(struct store *st)
{
    struct query q;
    query_begin(&q, st, SQL_SUITE_UNSET_DEFAULT);
    return query_run(&q);
}

enum d7_err suite_insert(struct store *st, const char *id, const char *name, bool is_default,
                         const char *const *round_ids, size_t round_count, int64_t now)
{
    enum d7_err err = suite_check_rounds(round_ids, round_count);
    if (!err && is_default) {
        err = unset_default(st);
    }
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_SUITE_ADD);
    query_text(&q, ":id", id);
    query_text(&q, ":name", name);
    query_int(&q, ":default", is_default);
    query_int(&q, ":now", now);
    err = query_run(&q);
    for (size_t i = 0; i < round_count && !err; i++) {
        err = insert_round(st, id, i, round_ids[i]);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err suite_add(struct store *st, const char *id, const char *name, bool is_default,
                      const char *const *round_ids, size_t round_count, int64_t now)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    return tx_end(st, suite_insert(st, id, name, is_default, round_ids, round_count, now));
}

static void read_suite(struct query *q, struct suite_row *s)
{
    row_text(q, 0, s->id, sizeof(s->id));
    row_text(q, 1, s->name, sizeof(s->name));
    s->is_default = row_bool(q, 2);
}

static enum d7_err read_rounds(struct store *st, struct suite_row *s)
{
    struct rows rows;
    rows_init(&rows, sizeof(s->round_ids[0]));
    struct query q;
    query_begin(&q, st, SQL_SUITE_ROUNDS);
    query_text(&q, ":suite", s->id);
    query_int(&q, ":limit", SUITE_ROUNDS_MAX);
    while (query_row(&q)) {
        char *id = rows_add(&rows, &q.err);
        if (id) {
            row_text(&q, 0, id, sizeof(s->round_ids[0]));
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)&s->round_ids, &s->round_count);
}

/* Suites never change but for which is the default: two reads agree without a transaction. */
enum d7_err suite_get(struct store *st, const char *id, struct suite_row *ret)
{
    struct suite_row s = {0};
    struct query q;
    query_begin(&q, st, id ? SQL_SUITE_GET : SQL_SUITE_DEFAULT);
    if (id) {
        query_text(&q, ":id", id);
    }
    if (query_one(&q)) {
        read_suite(&q, &s);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        err = read_rounds(st, &s);
    }
    if (!err) {
        *ret = s;
    }
    return err;
}

static void release_all(struct suite_row *suites, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        suite_release(&suites[i]);
    }
}

enum d7_err suite_list(struct store *st, struct store_page *page, struct suite_row **ret_rows,
                       size_t *ret_count)
{
    struct page p;
    enum d7_err err = page_init(&p, page, "suites");
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct suite_row));
    struct query q;
    query_begin(&q, st, SQL_SUITE_LIST);
    query_text(&q, ":after", p.after);
    query_int(&q, ":limit", (int64_t)page->limit + 1);
    struct suite_row *row = NULL;
    while (query_row(&q)) {
        if (row && rows.count == page->limit) {
            page_set_next(&p, row->id);
            break;
        }
        row = rows_add(&rows, &q.err);
        if (row) {
            read_suite(&q, row);
            enum d7_err inner = read_rounds(st, row);
            q.err = q.err ? q.err : inner;
        }
    }
    err = query_end(&q);
    if (err) {
        release_all(rows.items, rows.count);
    }
    return rows_finish(&rows, err, (void **)ret_rows, ret_count);
}
