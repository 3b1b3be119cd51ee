/*
 * metrics.c - GET /metrics.
 *
 * Design  what needs the store is left out when the store cannot be read, and drop7_store_up says
 * so: the counters that tell why are then the ones an operator wants most. Totals of games are
 * kept and only added to, so a scrape reads what is new since the last one.
 */
#include "server/api/metrics.h"

#include "engine/base/clock.h"
#include "engine/base/version.h"
#include "server/api/handlers.h"
#include "server/log.h"

enum d7_err site_metrics_new(const struct route *routes, size_t count, struct site_metrics **ret)
{
    struct site_metrics *m = calloc(1, sizeof(*m));
    enum d7_err err = m ? http_metrics_new(routes, count, &m->http) : D7_ERR_NOMEM;
    if (err) {
        free(m);
        return err;
    }
    /* NULL attributes on Linux: nothing to run out of */
    D7_CHECK(pthread_mutex_init(&m->lock, NULL) == 0);
    *ret = m;
    return D7_OK;
}

void site_metrics_free(struct site_metrics *m)
{
    if (m) {
        http_metrics_free(m->http);
        (void)pthread_mutex_destroy(&m->lock); /* nobody holds it: the caller's promise */
        free(m);
    }
}

/* Everything a scrape asks the store. */
struct figures {
    struct game_totals totals;
    struct job_figures jobs;
    struct worker_row *workers; /* owned */
    size_t worker_count;
    struct store_sizes sizes;
};

static enum d7_err read_totals(struct site_metrics *m, struct store *st, struct game_totals *ret)
{
    D7_CHECK(pthread_mutex_lock(&m->lock) == 0);
    struct game_totals totals = m->totals;
    D7_CHECK(pthread_mutex_unlock(&m->lock) == 0);
    enum d7_err err = game_totals_add(st, &totals);
    if (err) {
        return err;
    }
    D7_CHECK(pthread_mutex_lock(&m->lock) == 0);
    if (totals.last_seq > m->totals.last_seq) { /* another scrape may have been faster */
        m->totals = totals;
    }
    D7_CHECK(pthread_mutex_unlock(&m->lock) == 0);
    *ret = totals;
    return D7_OK;
}

static enum d7_err read_figures(struct api *api, struct figures *f)
{
    enum d7_err err = read_totals(api->site->metrics, api->store, &f->totals);
    if (!err) {
        err = job_figures_get(api->store, &f->jobs);
    }
    if (!err) {
        err = worker_list(api->store, &f->workers, &f->worker_count);
    }
    if (!err) {
        err = store_sizes_get(api->store, &f->sizes);
    }
    return err;
}

struct sample {
    const char *labels;
    int64_t value;
};

static void write_samples(struct buf *to, const char *name, const struct sample *samples,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(to, "%s{%s} %lld\n", name, samples[i].labels, (long long)samples[i].value);
    }
}

static void write_games(const struct game_totals *t, struct buf *to)
{
    static const char games[] = "drop7_games_total";
    static const char faults[] = "drop7_policy_faults_total";
    const struct sample by_outcome[] = {{"outcome=\"over\"", t->over},
                                        {"outcome=\"censored\"", t->censored},
                                        {"outcome=\"forfeit\"", t->forfeits}};
    const struct sample by_kind[] = {{"kind=\"illegal\"", t->illegal_moves},
                                     {"kind=\"timeout\"", t->timeouts},
                                     {"kind=\"crash\"", t->crashes}};
    metrics_family(to, games, "counter", "Recorded games by outcome, of all time.");
    write_samples(to, games, by_outcome, D7_COUNT(by_outcome));
    metrics_one(to, "drop7_moves_total", "counter", "Moves of the recorded games.", t->moves);
    metrics_family(to, faults, "counter", "Faults of policies in the recorded games, by kind.");
    write_samples(to, faults, by_kind, D7_COUNT(by_kind));
    metrics_one(to, "drop7_nondeterministic_games_total", "counter",
                "Recorded games whose policy answered a position asked again differently.",
                t->nondeterministic);
}

static void write_queue(const struct job_figures *jobs, struct buf *to)
{
    static const char name[] = "drop7_jobs";
    const struct sample samples[] = {
        {"kind=\"check\",state=\"queued\"", jobs->checks[JOBS_QUEUED]},
        {"kind=\"check\",state=\"playing\"", jobs->checks[JOBS_PLAYING]},
        {"kind=\"check\",state=\"failed\"", jobs->checks[JOBS_FAILED]},
        {"kind=\"game\",state=\"waiting\"", jobs->games[JOBS_WAITING]},
        {"kind=\"game\",state=\"queued\"", jobs->games[JOBS_QUEUED]},
        {"kind=\"game\",state=\"playing\"", jobs->games[JOBS_PLAYING]},
        {"kind=\"game\",state=\"failed\"", jobs->games[JOBS_FAILED]}};
    metrics_family(to, name, "gauge", "Jobs by kind and state; failed ones failed by our fault.");
    write_samples(to, name, samples, D7_COUNT(samples));
}

static void write_workers(const struct figures *f, struct buf *to)
{
    static const char name[] = "drop7_workers";
    static const char *const tiers[] = {"A", "B", "C", "off"};
    metrics_family(to, name, "gauge", "Live workers by tier of their isolation.");
    for (size_t t = 0; t < D7_COUNT(tiers); t++) {
        int64_t alive = 0;
        for (size_t i = 0; i < f->worker_count; i++) {
            alive += strcmp(f->workers[i].tier, tiers[t]) == 0;
        }
        buf_printf(to, "%s{tier=\"%s\"} %lld\n", name, tiers[t], (long long)alive);
    }
}

static void write_store(const struct store_sizes *sizes, struct buf *to)
{
    metrics_one(to, "drop7_store_bytes", "gauge", "Size of the database file.", sizes->db_bytes);
    metrics_one(to, "drop7_store_wal_bytes", "gauge", "Size of the write-ahead log.",
                sizes->wal_bytes);
    metrics_one(to, "drop7_store_free_bytes", "gauge",
                "Free space where the data folder lies, for the server's user.", sizes->free_bytes);
}

static void write_counted(struct site_metrics *m, struct buf *to)
{
    static const char name[] = "drop7_store_errors_total";
    const struct sample errors[] = {{"kind=\"full\"", atomic_load(&m->store.full)},
                                    {"kind=\"corrupt\"", atomic_load(&m->store.corrupt)},
                                    {"kind=\"io\"", atomic_load(&m->store.io)},
                                    {"kind=\"other\"", atomic_load(&m->store.other)}};
    metrics_one(to, "drop7_store_busy_total", "counter",
                "Times this process found the store locked for too long.",
                atomic_load(&m->store.busy));
    metrics_family(to, name, "counter", "Failures of the store in this process, by kind.");
    write_samples(to, name, errors, D7_COUNT(errors));
    metrics_one(to, "drop7_replay_mismatches_total", "counter",
                "Replays not served because they differ from what was recorded.",
                atomic_load(&m->replay_mismatches));
}

enum d7_err api_metrics(struct api *api, const struct request *req, struct reply *reply)
{
    (void)req;
    struct site *site = api->site;
    struct buf *to = &reply->body;
    struct figures f = {0};
    enum d7_err err = read_figures(api, &f);
    if (err) {
        log_line(LOG_WARN, "metrics without the store: %s: %s", d7_err_text(err),
                 store_message(api->store));
    }
    reply->status = 200;
    reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply->cache = CACHE_NONE;
    metrics_family(to, "drop7_build_info", "gauge", "The program's version, as a label.");
    buf_printf(to, "drop7_build_info{version=\"%s\"} 1\n", D7_VERSION);
    metrics_one(to, "drop7_uptime_seconds", "gauge", "Since the server started.",
                (clock_mono_ms() - site->started_mono_ms) / 1000);
    http_metrics_write(site->metrics->http, to);
    write_counted(site->metrics, to);
    metrics_one(to, "drop7_store_up", "gauge", "1 when the figures of the store could be read.",
                !err);
    if (!err) {
        write_games(&f.totals, to);
        write_queue(&f.jobs, to);
        write_workers(&f, to);
        write_store(&f.sizes, to);
    }
    free(f.workers);
    return to->err;
}
