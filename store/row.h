/*
 * row.h - one use of a prepared statement: bind by name, step, copy out, and always reset.
 *
 * Why     every store function is the same four steps; the first error sticks, so that they need
 * one check at the end. Owns    nothing: text and blobs bound are borrowed until query_end().
 * Use     query_begin, query_int/text/..., query_row while rows come, query_end (also on error).
 * Errors  those of store_fail(); D7_ERR_CORRUPT for a stored value that does not fit its place.
 */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include "store/handle.h"

struct query {
    struct store *st;
    sqlite3_stmt *stmt;
    enum d7_err err; /* the first one */
};

void query_begin(struct query *q, struct store *st, enum store_sql name);
void query_int(struct query *q, const char *name, int64_t value);
void query_real(struct query *q, const char *name, double value);
/* NULL binds NULL. */
void query_text(struct query *q, const char *name, const char *text);
/* An empty text binds NULL: "any" in filters, "none" in columns. */
void query_text_or_null(struct query *q, const char *name, const char *text);
void query_text_of(struct query *q, const char *name, struct span text);
void query_blob(struct query *q, const char *name, const void *bytes, size_t len);
/* The next row; false at the end and after an error. */
bool query_row(struct query *q);
/* Resets the statement; the first error of this use. */
D7_MUST_USE enum d7_err query_end(struct query *q);
/* Steps to the end (rows are not looked at) and ends. */
D7_MUST_USE enum d7_err query_run(struct query *q);
/* As query_run; D7_ERR_CONFLICT when no row was changed. */
D7_MUST_USE enum d7_err query_run_hit(struct query *q);
/* One row is expected: D7_ERR_NOT_FOUND without. Then read its columns and query_end. */
bool query_one(struct query *q);

int64_t row_int(struct query *q, int column);
uint32_t row_u32(struct query *q, int column);
bool row_bool(struct query *q, int column);
double row_real(struct query *q, int column);
bool row_is_null(struct query *q, int column);
/* NULL reads as "". */
void row_text(struct query *q, int column, char *ret_to, size_t size);
/* Borrowed until the next step. */
struct span row_blob(struct query *q, int column);
/* The index of the column's text in a table of names. */
unsigned row_enum(struct query *q, int column, const char *const *names, size_t count);
/* -1 where the column is NULL. */
int64_t row_int_or_none(struct query *q, int column);

#endif
