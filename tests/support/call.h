/*
 * call.h - handlers called as the HTTP layer calls them, without sockets: the real routing table, a
 * real store in a scratch folder, and the answer as a JSON tree.
 *
 * Owns    one fixture at a time; call_close removes the folder and checks that uploads left nothing
 * in the store's tmp.
 */
#ifndef TESTS_SUPPORT_CALL_H
#define TESTS_SUPPORT_CALL_H

#include "tests/support/support.h"

#include "engine/base/json.h"
#include "server/api/api.h"

struct call {
    char dir[256];
    struct config config;
    struct site site;
    struct api api;
    struct account owner, other, admin; /* three accounts that exist */
    const struct account *as;           /* who calls; NULL: nobody */
    const char *if_match;               /* sent with every request; NULL: not */
    /* of the last answer */
    int status;
    struct reply reply;
    char *body;        /* owned; NUL-terminated */
    struct jval *json; /* owned; NULL when the body is no JSON */
};

/* For cmocka's setup and teardown; *state is a struct call. Registration is open. */
int call_open(void **state);
int call_close(void **state);

/* Sends one request through the routing table; path may have a query. Returns the status. */
int call_get(struct call *c, const char *path);
int call_post(struct call *c, const char *path, const char *json);
/* Any method; json NULL: no body. */
int call_send(struct call *c, enum http_method method, const char *path, const char *json);
/* A multipart body: pairs of field and text up to a NULL, and a file (bytes NULL: none). */
int call_upload(struct call *c, const char *const *pairs, const void *bytes, size_t len);
/* The same to another path than /api/v1/policies. */
int call_upload_to(struct call *c, const char *path, const char *const *pairs, const void *bytes,
                   size_t len);

/* Values of the last answer by a path like "items.0.id"; the test fails when there is none. */
const char *call_text(struct call *c, const char *path); /* static buffer, four in turn */
int64_t call_int(struct call *c, const char *path);
double call_number(struct call *c, const char *path);
bool call_bool(struct call *c, const char *path);
/* NULL when there is nothing. */
const struct jval *call_find(struct call *c, const char *path);
bool call_is_null(struct call *c, const char *path);
size_t call_length(struct call *c, const char *path);
/* Is there a field error for this field? Its message, or NULL. */
const char *call_field_error(struct call *c, const char *field);
/* A header of the last answer, or NULL. */
const char *call_header(struct call *c, const char *name);

/* A worker of that tier says that it is there. */
void call_worker(struct call *c, const char *tier);
/* A built-in policy of the store, not of the registry. */
void call_builtin(struct call *c, const char *id);
/* Passes waiting checks and plays waiting games, up to `games` of them, with the leftmost legal
 * column (`shift` columns further right). Returns how many were played. */
size_t call_play(struct call *c, size_t games, unsigned shift);
/* Files under the store's artifacts folder, and under its tmp. */
size_t call_artifacts(struct call *c);
size_t call_leftovers(struct call *c);

#endif
