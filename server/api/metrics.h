/*
 * metrics.h - what /metrics tells beyond the requests: what all threads of the site count together.
 *
 * Owns    its counters and the HTTP layer's.
 * Threads counters are atomics; `totals` has its lock, which is never held during a read of the
 * store.
 */
#ifndef SERVER_API_METRICS_H
#define SERVER_API_METRICS_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/http/metrics.h"
#include "store/figures.h"

struct site_metrics {
    struct http_metrics *http; /* owned */
    struct store_errors store; /* of the connections of this process */
    atomic_llong replay_mismatches;
    pthread_mutex_t lock;
    struct game_totals totals; /* as they were read last; guarded by lock */
};

D7_MUST_USE enum d7_err site_metrics_new(const struct route *routes, size_t count,
                                         struct site_metrics **ret);
void site_metrics_free(struct site_metrics *m);

#endif
