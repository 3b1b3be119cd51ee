/*
 * route.h - the routing table: which handler serves which method and path, and under which rules.
 *
 * Patterns are raw segments: "/api/v1/policies/{id}". A segment is percent-decoded once after
 * matching; a NUL, a slash, or malformed or non-UTF-8 bytes in it are 400. No route: 404; a route
 * without the method: 405 with Allow. HEAD is served by GET, OPTIONS by the table. Where two
 * patterns match, a plain segment wins over a parameter.
 *
 * Bounds  at most 31 segments and REQUEST_PARAM_MAX parameters a pattern.
 * Threads the table is constant.
 */
#ifndef SERVER_HTTP_ROUTE_H
#define SERVER_HTTP_ROUTE_H

#include "server/http/message.h"

typedef enum d7_err (*route_handler)(struct api *api, const struct request *req,
                                     struct reply *reply);

/* Writes to a route that needs a token count against the account's rate. */
enum route_auth { AUTH_NONE, AUTH_TOKEN, AUTH_ADMIN };
/* JSON bodies are capped at json_max (64 KiB), LARGE ones at ROUTE_LARGE_BODY (round files). */
enum route_body { BODY_NONE, BODY_JSON, BODY_JSON_OR_FORM, BODY_JSON_LARGE };
#define ROUTE_LARGE_BODY (1u << 20)

struct route {
    enum http_method method;
    const char *pattern;
    route_handler handler;
    enum route_auth auth;
    enum route_body body;
    const char *name; /* for metrics and logs: low cardinality */
};

enum route_match { ROUTE_FOUND, ROUTE_NO_PATH, ROUTE_NO_METHOD, ROUTE_BAD_PATH };

/* allowed: bits of enum http_method the path has (with HEAD and OPTIONS), for Allow. req->params
 * are parts of path, or where they had to be decoded of scratch (one scratch a call: a second use
 * may move what is there). */
enum route_match route_find(const struct route *table, size_t count, enum http_method method,
                            struct span path, struct buf *scratch, struct request *req,
                            const struct route **ret, unsigned *ret_allowed);
/* Splits and decodes a query string into req->query (parts of query, or of a scratch of its own);
 * D7_ERR_INVALID:
 * malformed escape, NUL, bad UTF-8, a name twice, too many. */
D7_MUST_USE enum d7_err query_parse(struct span query, struct buf *scratch, struct request *req);

#endif
