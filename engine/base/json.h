/*
 * json.h - reading JSON: the only user of jansson.
 *
 * Why     requests and round files are small; they are read as a tree with duplicate keys refused
 * and the depth capped. Owns    json_doc_parse gives a document the caller frees; values are
 * borrowed from it. Errors  D7_ERR_SYNTAX with the place in why. Threads a document belongs to one
 * thread.
 */
#ifndef ENGINE_BASE_JSON_H
#define ENGINE_BASE_JSON_H

#include "engine/base/span.h"

#define JVAL_DEPTH_MAX 32

struct jval; /* one value of a document */

enum jval_kind {
    JVAL_NULL,
    JVAL_BOOL,
    JVAL_INTEGER,
    JVAL_REAL,
    JVAL_TEXT,
    JVAL_ARRAY,
    JVAL_OBJECT
};

/* The root value; free it with jval_free. NUL inside strings is refused. */
D7_MUST_USE enum d7_err jval_parse(struct span text, struct jval **ret_root, struct d7_why *why);
void jval_free(struct jval *root);

enum jval_kind jval_kind_of(const struct jval *v);
/* NULL when v is NULL, not an object, or has no such key. */
const struct jval *jval_get(const struct jval *v, const char *key);
/* 0 when v is NULL or no array. */
size_t jval_length(const struct jval *v);
const struct jval *jval_at(const struct jval *v, size_t index);
/* false when v is NULL or of another kind. */
bool jval_text(const struct jval *v, struct span *ret_text);
bool jval_integer(const struct jval *v, int64_t *ret_value);
bool jval_number(const struct jval *v, double *ret_value);
bool jval_bool(const struct jval *v, bool *ret_value);
/* The first key of `want` that `have` lacks or holds another value of; NULL when there is none.
 * Keys that only `have` holds do not count. */
const char *jval_difference(const struct jval *want, const struct jval *have);
/* The first key of an object that is not in the NULL-terminated list, or NULL. */
const char *jval_unknown_key(const struct jval *v, const char *const *known);

#endif
