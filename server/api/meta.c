/* meta.c - is the server alive, and able to work? And what it offers, as an OpenAPI document. */
#include "server/api/handlers.h"
#include "server/api/wire.h"
#include "server/http/asset.h"
#include "server/log.h"

#include "engine/base/clock.h"

#define READY_KEEP_MS 1000

enum d7_err api_health(struct api *api, const struct request *req, struct reply *reply)
{
    (void)req;
    struct jout j = reply_json(reply, 200, CACHE_NONE);
    jout_object(&j);
    jout_kv_text(&j, "status", "ok");
    jout_kv_int(&j, "uptimeMs", clock_mono_ms() - api->site->started_mono_ms);
    jout_object_end(&j);
    return reply->body.err;
}

/* From the best to the worst that can be in force. */
static const char *const tiers[] = {"A", "B", "off", "C"};

/* known: they could be counted; a store that cannot be read does not mean that none is alive. */
static void workers_write(struct jout *j, const struct worker_row *rows, size_t count, bool known)
{
    jout_key(j, "workers");
    jout_object(j);
    jout_key(j, "alive");
    if (!known) {
        jout_null(j);
    } else {
        jout_int(j, (int64_t)count);
    }
    jout_key(j, "tiers");
    jout_object(j);
    for (size_t t = 0; t < D7_COUNT(tiers); t++) {
        int64_t n = 0;
        for (size_t i = 0; i < count; i++) {
            n += strcmp(rows[i].tier, tiers[t]) == 0;
        }
        if (n > 0) {
            jout_kv_int(j, tiers[t], n);
        }
    }
    jout_object_end(j);
    jout_object_end(j);
}

/* The best tier a live worker gives: uploads run there. */
static void isolation_write(struct jout *j, const struct worker_row *rows, size_t count, bool known,
                            bool off)
{
    const struct worker_row *best = NULL;
    for (size_t t = 0; t < D7_COUNT(tiers) && !best; t++) {
        for (size_t i = 0; i < count && !best; i++) {
            best = strcmp(rows[i].tier, tiers[t]) == 0 ? &rows[i] : NULL;
        }
    }
    jout_key(j, "isolation");
    jout_object(j);
    jout_key(j, "tier");
    best ? jout_text(j, best->tier) : jout_null(j);
    jout_kv_text(j, "reason",
                 best    ? best->tier_reason
                 : known ? "no worker is alive"
                         : "the workers cannot be listed now");
    jout_kv_bool(j, "off", off || (best && strcmp(best->tier, "off") == 0));
    jout_object_end(j);
}

/* Whoever finds the answer old asks again; meanwhile others get the old one. */
static enum d7_err check_store(struct api *api)
{
    struct site *site = api->site;
    int64_t now = clock_mono_ms();
    (void)pthread_mutex_lock(&site->ready_lock); /* fails on misuse only */
    bool old = now - site->ready_mono_ms >= READY_KEEP_MS;
    enum d7_err err = site->ready;
    site->ready_mono_ms = old ? now : site->ready_mono_ms;
    (void)pthread_mutex_unlock(&site->ready_lock);
    if (old) {
        enum d7_err before = err;
        err = store_check(api->store);
        (void)pthread_mutex_lock(&site->ready_lock);
        site->ready = err;
        (void)pthread_mutex_unlock(&site->ready_lock);
        if (err != before) { /* a probe asks every few seconds: told once, not at each */
            const char *message = err ? store_message(api->store) : "";
            log_line(err ? LOG_WARN : LOG_INFO, "%s: store: %s%s%s",
                     err ? "not ready" : "ready again", d7_err_text(err), message[0] ? ": " : "",
                     message);
        }
    }
    return err;
}

enum d7_err api_ready(struct api *api, const struct request *req, struct reply *reply)
{
    (void)req;
    struct worker_row *rows = NULL;
    size_t count = 0;
    struct job_counts jobs = {0};
    enum d7_err listed = worker_list(api->store, &rows, &count);
    if (!listed) {
        listed = job_count(api->store, &jobs);
    }
    if (listed) {
        log_line(LOG_WARN, "not ready: store: %s: %s", d7_err_text(listed),
                 store_message(api->store));
    }
    enum d7_err err = check_store(api);
    err = err ? err : listed;
    bool stopping = atomic_load(&api->site->stopping);
    bool ready = !err && count > 0 && !stopping;
    struct jout j = reply_json(reply, ready ? 200 : 503, CACHE_NONE);
    jout_object(&j);
    jout_kv_text(&j, "status", ready ? "ready" : stopping ? "stopping" : "not-ready");
    jout_kv_text(&j, "store", d7_err_text(err));
    workers_write(&j, rows, count, !listed);
    jout_key(&j, "queue");
    jout_object(&j);
    jout_kv_int(&j, "checks", jobs.checks_waiting);
    jout_kv_int(&j, "games", jobs.games_waiting);
    jout_kv_int(&j, "playing", jobs.playing);
    jout_kv_int(&j, "failed", jobs.failed);
    jout_object_end(&j);
    isolation_write(&j, rows, count, !listed, api->site->config->sandbox_off);
    jout_object_end(&j);
    free(rows);
    return reply->body.err;
}

/* Written by hand: tests hold it against the routing table and against real answers. */
enum d7_err api_openapi(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    enum d7_err err = wire_query_none(req, reply);
    return err ? err : asset_reply(span_of("openapi.json"), reply);
}
