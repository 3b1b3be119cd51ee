/*
 * openapi.h - the API's document, walked, and requests and answers held against it.
 *
 * Owns    struct openapi owns the document. Names borrowed from it live as long as it does.
 * Errors  functions that check return false with the reasons, a line each, in *why.
 * Threads none.
 */
#ifndef TESTS_SUPPORT_OPENAPI_H
#define TESTS_SUPPORT_OPENAPI_H

#include "tests/support/schema.h"

struct openapi;

/* One operation of the document. */
struct operation {
    const char *method; /* "GET" */
    const char *path;   /* "/api/v1/games/{id}" */
    bool needs_token;   /* not without one */
    bool takes_json, takes_form;
    bool is_tagged; /* has a 304 */
    const struct json_t *value;
};

/* The text of a document; fails the test when it is no JSON. */
struct openapi *openapi_open(struct span text);
void openapi_close(struct openapi *o);
const struct json_t *openapi_root(const struct openapi *o);

size_t openapi_count(const struct openapi *o);
const struct operation *openapi_at(const struct openapi *o, size_t index);
/* NULL when it is not documented. */
const struct operation *openapi_find(const struct openapi *o, const char *method, const char *path);

/* Every $ref leads somewhere. */
bool openapi_check_references(const struct openapi *o, struct buf *why);
/* Every body that is JSON has a schema and examples that fit it; so do parameters; the parameters
 * in its path are those of the pattern. */
bool openapi_check_operation(const struct openapi *o, const struct operation *op, struct buf *why);
/* A response of components, with its examples. */
bool openapi_check_shared(const struct openapi *o, const char *name, struct buf *why);
/* A JSON body that was taken. */
bool openapi_check_request(const struct openapi *o, const struct operation *op, struct span body,
                           struct buf *why);
/* The first example of the JSON body as text, freed by the caller; NULL when there is none. */
char *openapi_example_request(const struct operation *op);

/* An answer as it came. headers: all lines, as sent. */
struct openapi_answer {
    long status;
    const char *headers;
    struct span body;
};
/* Status, content type, headers and body are documented for this operation. */
bool openapi_check_answer(const struct openapi *o, const struct operation *op,
                          const struct openapi_answer *a, struct buf *why);
/* The same for a response of components, whatever its status. */
bool openapi_check_shared_answer(const struct openapi *o, const char *name,
                                 const struct openapi_answer *a, struct buf *why);

#endif
