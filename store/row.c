#include "store/row.h"

#include <errno.h>

static enum d7_err io_error(struct store *st, int rc)
{
    int number = st->db ? sqlite3_system_errno(st->db) : 0;
    /* A short write or a map that cannot grow is a full disk even where errno did not say so. */
    if (rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_SHMSIZE || number == ENOSPC ||
        number == EDQUOT) {
        return D7_ERR_FULL;
    }
    return rc == SQLITE_IOERR_NOMEM ? D7_ERR_NOMEM : D7_ERR_IO;
}

static enum d7_err constraint_error(int rc)
{
    /* A value out of its range is not a conflict with what is stored. */
    if (rc == SQLITE_CONSTRAINT_CHECK || rc == SQLITE_CONSTRAINT_NOTNULL ||
        rc == SQLITE_CONSTRAINT_DATATYPE) {
        return D7_ERR_INVALID;
    }
    return D7_ERR_CONFLICT;
}

static enum d7_err error_of(struct store *st, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return D7_ERR_BUSY;
    case SQLITE_FULL:
        return D7_ERR_FULL;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return D7_ERR_CORRUPT;
    case SQLITE_NOMEM:
        return D7_ERR_NOMEM;
    case SQLITE_CONSTRAINT:
        return constraint_error(rc);
    case SQLITE_IOERR:
        return io_error(st, rc);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return D7_ERR_IO;
    case SQLITE_TOOBIG:
        return D7_ERR_TOO_LARGE;
    default:
        return D7_ERR_INTERNAL;
    }
}

enum d7_err store_fail(struct store *st, int rc)
{
    const char *text = st->db ? sqlite3_errmsg(st->db) : sqlite3_errstr(rc);
    (void)snprintf(st->message, sizeof(st->message), "%s (%d)", text, rc);
    enum d7_err err = error_of(st, rc);
    figures_count(st->errors, err);
    return err;
}

void query_begin(struct query *q, struct store *st, enum store_sql name)
{
    *q = (struct query){.st = st, .stmt = st->stmts[name]};
    D7_CHECK(q->stmt && !sqlite3_stmt_busy(q->stmt));
}

static int parameter(const struct query *q, const char *name)
{
    int index = sqlite3_bind_parameter_index(q->stmt, name);
    D7_CHECK(index > 0);
    return index;
}

static void keep(struct query *q, int rc)
{
    if (rc != SQLITE_OK && !q->err) {
        q->err = store_fail(q->st, rc);
    }
}

void query_int(struct query *q, const char *name, int64_t value)
{
    keep(q, sqlite3_bind_int64(q->stmt, parameter(q, name), value));
}

void query_real(struct query *q, const char *name, double value)
{
    keep(q, sqlite3_bind_double(q->stmt, parameter(q, name), value));
}

void query_text(struct query *q, const char *name, const char *text)
{
    keep(q, sqlite3_bind_text(q->stmt, parameter(q, name), text, -1, SQLITE_STATIC));
}

void query_text_of(struct query *q, const char *name, struct span text)
{
    keep(q, sqlite3_bind_text64(q->stmt, parameter(q, name), text.ptr, text.len, SQLITE_STATIC,
                                SQLITE_UTF8));
}

void query_text_or_null(struct query *q, const char *name, const char *text)
{
    query_text(q, name, text && text[0] ? text : NULL);
}

void query_blob(struct query *q, const char *name, const void *bytes, size_t len)
{
    /* A NULL pointer would bind NULL, but no bytes are an empty blob. */
    keep(q, sqlite3_bind_blob64(q->stmt, parameter(q, name), len ? bytes : "", len, SQLITE_STATIC));
}

bool query_row(struct query *q)
{
    if (q->err) {
        return false;
    }
    int rc = sqlite3_step(q->stmt);
    if (rc == SQLITE_ROW) {
        return true;
    }
    keep(q, rc == SQLITE_DONE ? SQLITE_OK : rc);
    return false;
}

bool query_one(struct query *q)
{
    if (query_row(q)) {
        return true;
    }
    if (!q->err) {
        q->err = D7_ERR_NOT_FOUND;
    }
    return false;
}

enum d7_err query_end(struct query *q)
{
    (void)sqlite3_reset(q->stmt); /* repeats the error of the last step, which is kept already */
    (void)sqlite3_clear_bindings(q->stmt);
    return q->err;
}

enum d7_err query_run(struct query *q)
{
    while (query_row(q)) {
    }
    return query_end(q);
}

enum d7_err query_run_hit(struct query *q)
{
    while (query_row(q)) {
    }
    if (!q->err && sqlite3_changes64(q->st->db) == 0) {
        q->err = D7_ERR_CONFLICT;
    }
    return query_end(q);
}

int64_t row_int(struct query *q, int column)
{
    return sqlite3_column_int64(q->stmt, column);
}

uint32_t row_u32(struct query *q, int column)
{
    int64_t value = row_int(q, column);
    if (value < 0 || value > UINT32_MAX) {
        q->err = q->err ? q->err : D7_ERR_CORRUPT;
        return 0;
    }
    return (uint32_t)value;
}

bool row_bool(struct query *q, int column)
{
    return row_int(q, column) != 0;
}

double row_real(struct query *q, int column)
{
    return sqlite3_column_double(q->stmt, column);
}

bool row_is_null(struct query *q, int column)
{
    return sqlite3_column_type(q->stmt, column) == SQLITE_NULL;
}

struct span row_blob(struct query *q, int column)
{
    const char *bytes = sqlite3_column_blob(q->stmt, column);
    return span_make(bytes, (size_t)sqlite3_column_bytes(q->stmt, column));
}

void row_text(struct query *q, int column, char *ret_to, size_t size)
{
    enum d7_err err = span_copy(row_blob(q, column), ret_to, size);
    if (err) {
        ret_to[0] = '\0';
        q->err = q->err ? q->err : D7_ERR_CORRUPT;
    }
}

unsigned row_enum(struct query *q, int column, const char *const *names, size_t count)
{
    struct span text = row_blob(q, column);
    for (unsigned i = 0; i < count; i++) {
        if (span_is(text, names[i])) {
            return i;
        }
    }
    q->err = q->err ? q->err : D7_ERR_CORRUPT;
    return 0;
}

int64_t row_int_or_none(struct query *q, int column)
{
    return row_is_null(q, column) ? -1 : row_int(q, column);
}
