/*
 * wire.h - what every handler does with a query, and the frame of every list.
 *
 * Why     nonsense in a query is refused the same way everywhere: 400 `bad-request` naming the
 * parameter and its limit; a parameter nobody knows is nonsense too.
 * Errors  D7_ERR_INVALID with reply->why and reply->code set.
 * Threads none.
 */
#ifndef SERVER_API_WIRE_H
#define SERVER_API_WIRE_H

#include "server/http/message.h"
#include "store/store.h"

#define WIRE_LIMIT_DEFAULT 50
#define API_PREFIX         "/api/v1"

/* 400 `bad-request` with this sentence; returns D7_ERR_INVALID. */
enum d7_err wire_bad_query(struct reply *reply, const char *name, const char *format, ...)
    D7_PRINTF(3, 4);
/* 404 with "no WHAT 'ID'" (escaped); returns D7_ERR_NOT_FOUND. */
enum d7_err wire_no_such(struct reply *reply, const char *what, struct span id);

/* Refuses parameters that are not in the NULL-terminated list. */
D7_MUST_USE enum d7_err wire_query_only(const struct request *req, struct reply *reply,
                                        const char *const *known);
/* For routes that take no parameters. */
D7_MUST_USE enum d7_err wire_query_none(const struct request *req, struct reply *reply);
/* `limit` and `cursor`. */
D7_MUST_USE enum d7_err wire_page(const struct request *req, struct reply *reply,
                                  struct store_page *ret);
/* A slug (policy, round, suite) as a filter; empty when absent. */
D7_MUST_USE enum d7_err wire_query_id(const struct request *req, struct reply *reply,
                                      const char *name, char *ret_id, size_t size);
/* An opaque id (run) as a filter; empty when absent. */
D7_MUST_USE enum d7_err wire_query_key(const struct request *req, struct reply *reply,
                                       const char *name, char *ret_key, size_t size);
/* An RFC 3339 UTC time; left alone when absent. */
D7_MUST_USE enum d7_err wire_query_time(const struct request *req, struct reply *reply,
                                        const char *name, int64_t *ret_utc_ms);
/* "0" or "1"; false when absent. */
D7_MUST_USE enum d7_err wire_query_flag(const struct request *req, struct reply *reply,
                                        const char *name, bool *ret_on);
/* What a list function of the store said: a cursor that is not ours becomes a 400. */
enum d7_err wire_list_error(struct reply *reply, enum d7_err err);

/* A path parameter as a C string; D7_ERR_NOT_FOUND (with a sentence) when it cannot be an id. */
D7_MUST_USE enum d7_err wire_param(const struct request *req, struct reply *reply, unsigned index,
                                   const char *what, char *ret_id, size_t size);

/* {"items":[ ... ],"next":...} and the Link header. */
struct jout wire_list_start(struct reply *reply);
enum d7_err wire_list_end(struct jout *j, const struct request *req, struct reply *reply,
                          const struct store_page *page);

#endif
