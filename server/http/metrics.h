/*
 * metrics.h - counting requests, and the text format of Prometheus (0.0.4).
 *
 * Why     an operator wants to know how often and how slowly each route answers. Labels are a
 * route's name, a status and nothing else, so the number of lines has a bound.
 * Owns    struct http_metrics has its counters; the routing table is borrowed.
 * Threads counters are atomics without a lock: every thread counts, any thread reads. A reading may
 * miss what is being counted meanwhile, but no histogram contradicts itself.
 * Bounds  21 statuses and 12 buckets a name.
 */
#ifndef SERVER_HTTP_METRICS_H
#define SERVER_HTTP_METRICS_H

#include "server/http/route.h"

struct http_metrics;

D7_MUST_USE enum d7_err http_metrics_new(const struct route *routes, size_t count,
                                         struct http_metrics **ret);
void http_metrics_free(struct http_metrics *m);

/* In all of these m may be NULL: nobody counts. */
/* One request has ended. route NULL: none was found; status 0: it got no answer; code: the problem
 * it was told, or NULL. us < 0: its duration says nothing (an event stream). */
void http_metrics_request(struct http_metrics *m, const struct route *route, int status,
                          const char *code, int64_t us);
/* Open connections, as they change. */
void http_metrics_connections(struct http_metrics *m, unsigned open);
/* Open event streams, as they change. */
void http_metrics_streams(struct http_metrics *m, unsigned open);

/* All of it as text. */
void http_metrics_write(const struct http_metrics *m, struct buf *to);

/* The HELP and TYPE lines that come before a family's samples; help is plain text on one line. */
void metrics_family(struct buf *to, const char *name, const char *type, const char *help);
/* A family of one sample without labels. */
void metrics_one(struct buf *to, const char *name, const char *type, const char *help,
                 int64_t value);

#endif
