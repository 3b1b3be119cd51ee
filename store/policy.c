#include "store/policy.h"

#include "store/page.h"
#include "store/queue.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/tx.h"

static const char *const kind_names[] = {"builtin", "upload", "endpoint", "remote"};
static const char *const status_names[] = {"checking", "ready", "rejected", "suspended", "retired"};

static bool parse_name(struct span text, const char *const *names, size_t count, unsigned *ret)
{
    for (unsigned i = 0; i < count; i++) {
        if (span_is(text, names[i])) {
            *ret = i;
            return true;
        }
    }
    return false;
}

const char *policy_kind_text(enum policy_kind k)
{
    return (size_t)k < D7_COUNT(kind_names) ? kind_names[k] : "unknown";
}

bool policy_kind_parse(struct span text, enum policy_kind *ret)
{
    unsigned i = 0;
    bool found = parse_name(text, kind_names, D7_COUNT(kind_names), &i);
    if (found) {
        *ret = (enum policy_kind)i;
    }
    return found;
}

const char *policy_status_text(enum policy_status s)
{
    return (size_t)s < D7_COUNT(status_names) ? status_names[s] : "unknown";
}

bool policy_status_parse(struct span text, enum policy_status *ret)
{
    unsigned i = 0;
    bool found = parse_name(text, status_names, D7_COUNT(status_names), &i);
    if (found) {
        *ret = (enum policy_status)i;
    }
    return found;
}

enum policy_kind row_policy_kind(struct query *q, int column)
{
    return (enum policy_kind)row_enum(q, column, kind_names, D7_COUNT(kind_names));
}

enum policy_status row_policy_status(struct query *q, int column)
{
    return (enum policy_status)row_enum(q, column, status_names, D7_COUNT(status_names));
}

/* --- reading -------------------------------------------------------------------------------- */

/* The columns of POLICY_SELECT, into a zeroed row. */
static void read_policy(struct query *q, struct policy_row *p)
{
    row_text(q, 0, p->id, sizeof(p->id));
    row_text(q, 1, p->name, sizeof(p->name));
    row_text(q, 2, p->family, sizeof(p->family));
    row_text(q, 3, p->description, sizeof(p->description));
    p->kind = row_policy_kind(q, 4);
    p->public_information = row_bool(q, 5);
    p->slow = row_bool(q, 6);
    p->nondeterministic = row_bool(q, 7);
    p->concurrency = row_u32(q, 8);
    p->status = row_policy_status(q, 9);
    row_text(q, 10, p->reason_code, sizeof(p->reason_code));
    row_text(q, 11, p->reason_message, sizeof(p->reason_message));
    p->owner_id = row_int(q, 12);
    row_text(q, 13, p->owner, sizeof(p->owner));
    row_text(q, 14, p->latest_run_id, sizeof(p->latest_run_id));
    p->created_at = row_int(q, 15);
    row_revision(q, 16, &p->current);
    row_revision(q, 25, &p->pending);
}

enum d7_err policy_get(struct store *st, const char *id, struct policy_row *ret)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_GET);
    query_text(&q, ":id", id);
    struct policy_row row = {0};
    if (query_one(&q)) {
        read_policy(&q, &row);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = row;
    }
    return err;
}

enum d7_err policy_list(struct store *st, const struct policy_filter *filter,
                        struct store_page *page, struct policy_row **ret_rows, size_t *ret_count)
{
    const char *kind = filter->has_kind ? policy_kind_text(filter->kind) : NULL;
    const char *status = filter->has_status ? policy_status_text(filter->status) : NULL;
    struct page p;
    enum d7_err err = page_init(&p, page, "policies\n%s\n%s\n%s", kind ? kind : "",
                                status ? status : "", filter->family);
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct policy_row));
    struct query q;
    query_begin(&q, st, SQL_POLICY_LIST);
    query_text(&q, ":after", p.after);
    query_text(&q, ":kind", kind);
    query_text(&q, ":status", status);
    query_text_or_null(&q, ":family", filter->family);
    query_int(&q, ":limit", (int64_t)page->limit + 1);
    struct policy_row *row = NULL;
    while (query_row(&q)) {
        if (row && rows.count == page->limit) {
            page_set_next(&p, row->id);
            break;
        }
        row = rows_add(&rows, &q.err);
        if (row) {
            read_policy(&q, row);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}
