/*
 * Design  a slot a name (several routes may share one), found by the route's place in the table.
 * Counters are plain relaxed atomics: two or three additions a request. A histogram keeps one
 * counter a bucket and is summed up while it is written, so its buckets are cumulative and its
 * count is the last of them whatever is counted meanwhile.
 */
#include "server/http/metrics.h"

#include <stdatomic.h>

static const struct {
    int64_t us;
    const char *text; /* seconds */
} buckets[] = {{500, "0.0005"},  {1000, "0.001"},  {2500, "0.0025"}, {5000, "0.005"},
               {10000, "0.01"},  {25000, "0.025"}, {50000, "0.05"},  {100000, "0.1"},
               {250000, "0.25"}, {1000000, "1"},   {5000000, "5"},   {INT64_MAX, "+Inf"}};

/* 0: no answer; -1: any other. Last, so that a search ends there. */
static const int statuses[] = {0,   200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                               409, 413, 414, 415, 429, 431, 500, 503, 507, -1};

struct slot {
    const char *name; /* borrowed from the table */
    atomic_llong by_status[D7_COUNT(statuses)];
    atomic_llong by_time[D7_COUNT(buckets)];
    atomic_llong sum_us;
};

struct http_metrics {
    const struct route *routes; /* borrowed */
    size_t route_count;
    size_t *slot_of;    /* owned; a route's slot */
    struct slot *slots; /* owned; the first is for requests without a route */
    size_t slot_count;
    atomic_uint connections, streams;
    atomic_llong sandbox_refusals;
};

static void count_up(atomic_llong *counter, int64_t by)
{
    (void)atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

static int64_t value_of(const atomic_llong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static size_t slot_named(struct http_metrics *m, const char *name)
{
    for (size_t i = 0; i < m->slot_count; i++) {
        if (strcmp(m->slots[i].name, name) == 0) {
            return i;
        }
    }
    m->slots[m->slot_count].name = name;
    return m->slot_count++;
}

enum d7_err http_metrics_new(const struct route *routes, size_t count, struct http_metrics **ret)
{
    struct http_metrics *m = calloc(1, sizeof(*m));
    if (!m) {
        return D7_ERR_NOMEM;
    }
    m->slot_of = calloc(count + 1, sizeof(*m->slot_of));
    m->slots = calloc(count + 1, sizeof(*m->slots));
    if (!m->slot_of || !m->slots) {
        http_metrics_free(m);
        return D7_ERR_NOMEM;
    }
    m->routes = routes;
    m->route_count = count;
    m->slots[0].name = "none";
    m->slot_count = 1;
    for (size_t i = 0; i < count; i++) {
        m->slot_of[i] = slot_named(m, routes[i].name);
    }
    *ret = m;
    return D7_OK;
}

void http_metrics_free(struct http_metrics *m)
{
    if (m) {
        free(m->slot_of);
        free(m->slots);
        free(m);
    }
}

static struct slot *slot_for(const struct http_metrics *m, const struct route *route)
{
    for (size_t i = 0; i < m->route_count && route; i++) {
        if (&m->routes[i] == route) {
            return &m->slots[m->slot_of[i]];
        }
    }
    return &m->slots[0];
}

void http_metrics_request(struct http_metrics *m, const struct route *route, int status,
                          const char *code, int64_t us)
{
    if (!m) {
        return;
    }
    struct slot *slot = slot_for(m, route);
    size_t s = 0;
    while (statuses[s] != status && statuses[s] != -1) {
        s++;
    }
    count_up(&slot->by_status[s], 1);
    if (us >= 0) {
        size_t b = 0;
        while (us > buckets[b].us) {
            b++;
        }
        count_up(&slot->by_time[b], 1);
        count_up(&slot->sum_us, us);
    }
    if (code && strcmp(code, "sandbox-unavailable") == 0) {
        count_up(&m->sandbox_refusals, 1);
    }
}

void http_metrics_connections(struct http_metrics *m, unsigned open)
{
    if (m) {
        atomic_store_explicit(&m->connections, open, memory_order_relaxed);
    }
}

void http_metrics_streams(struct http_metrics *m, unsigned open)
{
    if (m) {
        atomic_store_explicit(&m->streams, open, memory_order_relaxed);
    }
}

/* --- text ----------------------------------------------------------------------------------------
 */

void metrics_family(struct buf *to, const char *name, const char *type, const char *help)
{
    buf_printf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_one(struct buf *to, const char *name, const char *type, const char *help,
                 int64_t value)
{
    metrics_family(to, name, type, help);
    buf_printf(to, "%s %lld\n", name, (long long)value);
}

static void write_requests(const struct http_metrics *m, struct buf *to)
{
    static const char name[] = "drop7_http_requests_total";
    metrics_family(to, name, "counter",
                   "Requests by name of their route and status of the answer.");
    for (size_t i = 0; i < m->slot_count; i++) {
        for (size_t s = 0; s < D7_COUNT(statuses); s++) {
            int64_t value = value_of(&m->slots[i].by_status[s]);
            if (value == 0) {
                continue;
            }
            buf_printf(to, "%s{route=\"%s\",status=\"", name, m->slots[i].name);
            if (statuses[s] > 0) {
                buf_printf(to, "%d", statuses[s]);
            } else {
                buf_text(to, statuses[s] == 0 ? "none" : "other");
            }
            buf_printf(to, "\"} %lld\n", (long long)value);
        }
    }
}

static void write_times(const struct http_metrics *m, struct buf *to)
{
    static const char name[] = "drop7_http_request_duration_seconds";
    metrics_family(to, name, "histogram",
                   "From the request line to the end of the answer; event streams left out.");
    for (size_t i = 0; i < m->slot_count; i++) {
        const struct slot *slot = &m->slots[i];
        int64_t counts[D7_COUNT(buckets)];
        int64_t total = 0;
        for (size_t b = 0; b < D7_COUNT(buckets); b++) {
            total += value_of(&slot->by_time[b]);
            counts[b] = total;
        }
        if (total == 0) {
            continue;
        }
        for (size_t b = 0; b < D7_COUNT(buckets); b++) {
            buf_printf(to, "%s_bucket{route=\"%s\",le=\"%s\"} %lld\n", name, slot->name,
                       buckets[b].text, (long long)counts[b]);
        }
        int64_t sum = value_of(&slot->sum_us);
        buf_printf(to, "%s_sum{route=\"%s\"} %lld.%06lld\n", name, slot->name,
                   (long long)(sum / 1000000), (long long)(sum % 1000000));
        buf_printf(to, "%s_count{route=\"%s\"} %lld\n", name, slot->name, (long long)total);
    }
}

void http_metrics_write(const struct http_metrics *m, struct buf *to)
{
    write_requests(m, to);
    write_times(m, to);
    metrics_one(to, "drop7_http_connections", "gauge", "Open connections.",
                atomic_load_explicit(&m->connections, memory_order_relaxed));
    metrics_one(to, "drop7_http_event_streams", "gauge", "Open event streams.",
                atomic_load_explicit(&m->streams, memory_order_relaxed));
    metrics_one(to, "drop7_sandbox_refusals_total", "counter",
                "Uploads refused because no live worker can confine them.",
                value_of(&m->sandbox_refusals));
}
