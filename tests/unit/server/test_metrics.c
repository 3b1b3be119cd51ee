/* server/http/metrics and server/api/metrics: what is counted, and how it is written. */
#include "tests/support/call.h"

#include <sqlite3.h>

#include "engine/base/clock.h"
#include "server/api/metrics.h"
#include "tests/support/exposition.h"

static struct exposition now;

static enum d7_err nothing(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    (void)reply;
    return D7_OK;
}

static const struct route routes[] = {
    {HTTP_GET, "/", nothing, AUTH_NONE, BODY_NONE, "page"},
    {HTTP_GET, "/a", nothing, AUTH_NONE, BODY_NONE, "a"},
    {HTTP_GET, "/b", nothing, AUTH_NONE, BODY_NONE, "page"},
};

static struct http_metrics *metrics_of_three_routes(void)
{
    struct http_metrics *m = NULL;
    assert_int_equal(http_metrics_new(routes, D7_COUNT(routes), &m), D7_OK);
    return m;
}

static void read_http(const struct http_metrics *m)
{
    struct buf text;
    buf_init(&text, 1u << 20);
    http_metrics_write(m, &text);
    assert_int_equal(text.err, D7_OK);
    exposition_read(text.data, &now);
    buf_release(&text);
}

static void assert_sample(const char *key, int64_t want)
{
    double value = exposition_value(&now, key);
    if (value < (double)want || value > (double)want) {
        fail_msg("%s is %f, not %lld", key, value, (long long)want);
    }
}

static void requests_are_counted_by_the_name_of_their_route_and_status(void **state)
{
    (void)state;
    struct http_metrics *m = metrics_of_three_routes();
    http_metrics_request(m, &routes[0], 200, NULL, 10);
    http_metrics_request(m, &routes[2], 200, NULL, 10); /* shares its name */
    http_metrics_request(m, &routes[1], 404, "not-found", 10);
    http_metrics_request(m, NULL, 418, NULL, 10);
    http_metrics_request(m, NULL, 0, NULL, 10);
    read_http(m);
    assert_sample("drop7_http_requests_total{route=\"page\",status=\"200\"}", 2);
    assert_sample("drop7_http_requests_total{route=\"a\",status=\"404\"}", 1);
    assert_sample("drop7_http_requests_total{route=\"none\",status=\"other\"}", 1);
    assert_sample("drop7_http_requests_total{route=\"none\",status=\"none\"}", 1);
    assert_sample("drop7_http_requests_total{route=\"a\",status=\"200\"}", -1);
    assert_sample("drop7_http_request_duration_seconds_count{route=\"page\"}", 2);
    http_metrics_free(m);
}

static void durations_fall_into_the_bucket_that_ends_with_them(void **state)
{
    (void)state;
    struct http_metrics *m = metrics_of_three_routes();
    static const int64_t us[] = {0, 500, 501, 1000, 250000, 5000000, 5000001, 3600000000};
    for (size_t i = 0; i < D7_COUNT(us); i++) {
        http_metrics_request(m, &routes[1], 200, NULL, us[i]);
    }
    http_metrics_request(m, &routes[1], 200, NULL, -1); /* a stream: counted, not timed */
    read_http(m);
#define BUCKET(le) "drop7_http_request_duration_seconds_bucket{route=\"a\",le=\"" le "\"}"
    assert_sample(BUCKET("0.0005"), 2);
    assert_sample(BUCKET("0.001"), 4);
    assert_sample(BUCKET("0.1"), 4);
    assert_sample(BUCKET("0.25"), 5);
    assert_sample(BUCKET("5"), 6);
    assert_sample(BUCKET("+Inf"), 8);
#undef BUCKET
    assert_sample("drop7_http_request_duration_seconds_count{route=\"a\"}", 8);
    assert_sample("drop7_http_requests_total{route=\"a\",status=\"200\"}", 9);
    double sum = exposition_value(&now, "drop7_http_request_duration_seconds_sum{route=\"a\"}");
    assert_true(sum > 3610.252 && sum < 3610.2521); /* 0.25 + 5 + 5.000001 + 3600 + 0.002001 */
    http_metrics_free(m);
}

static void refusals_for_want_of_a_sandbox_and_gauges_are_told(void **state)
{
    (void)state;
    struct http_metrics *m = metrics_of_three_routes();
    http_metrics_request(m, &routes[1], 503, "busy", 10);
    http_metrics_request(m, &routes[1], 503, "sandbox-unavailable", 10);
    http_metrics_connections(m, 7);
    http_metrics_streams(m, 3);
    http_metrics_connections(NULL, 7);
    http_metrics_request(NULL, NULL, 200, NULL, 1);
    read_http(m);
    assert_sample("drop7_sandbox_refusals_total", 1);
    assert_sample("drop7_http_connections", 7);
    assert_sample("drop7_http_event_streams", 3);
    http_metrics_free(m);
}

#define COUNTERS 4
#define EACH     20000

static void *count_some(void *ctx)
{
    for (int i = 0; i < EACH; i++) {
        http_metrics_request(ctx, &routes[i % 2], 200, NULL, i);
    }
    return NULL;
}

static void threads_counting_at_once_lose_nothing_and_readings_agree(void **state)
{
    (void)state;
    struct http_metrics *m = metrics_of_three_routes();
    pthread_t threads[COUNTERS];
    for (size_t i = 0; i < COUNTERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_some, m), 0);
    }
    for (int i = 0; i < 20; i++) {
        read_http(m); /* cumulative while they grow, or the reader fails */
    }
    for (size_t i = 0; i < COUNTERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    read_http(m);
    assert_sample("drop7_http_requests_total{route=\"page\",status=\"200\"}", COUNTERS * EACH / 2);
    assert_sample("drop7_http_request_duration_seconds_count{route=\"a\"}", COUNTERS * EACH / 2);
    http_metrics_free(m);
}

static void scrape(struct call *c)
{
    assert_int_equal(call_get(c, "/metrics"), 200);
    assert_string_equal(c->reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
    assert_int_equal(c->reply.cache, CACHE_NONE);
    exposition_read(c->body, &now);
}

static void queue_eight_games(struct call *c)
{
    call_builtin(c, "first");
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"first\",\"suite\":\"gauntlet\"}"),
                     202);
    c->as = NULL;
}

static void games_queue_and_workers_are_told_from_the_store(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    scrape(c);
    assert_sample("drop7_store_up", 1);
    assert_sample("drop7_games_total{outcome=\"over\"}", 0);
    assert_sample("drop7_moves_total", 0);
    assert_sample("drop7_jobs{kind=\"game\",state=\"queued\"}", 0);
    assert_sample("drop7_workers{tier=\"B\"}", 0);
    queue_eight_games(c);
    call_worker(c, "B");
    scrape(c);
    assert_sample("drop7_jobs{kind=\"game\",state=\"queued\"}", 3);
    assert_sample("drop7_jobs{kind=\"game\",state=\"waiting\"}", 5);
    assert_sample("drop7_workers{tier=\"B\"}", 1);
    assert_sample("drop7_workers{tier=\"C\"}", 0);
    assert_int_equal(call_play(c, 2, 0), 2);
    scrape(c);
    double two = exposition_value(&now, "drop7_moves_total");
    assert_true(two > 0);
    assert_int_equal(call_play(c, 100, 0), 6);
    scrape(c);
    assert_true(exposition_value(&now, "drop7_moves_total") > two);
    assert_sample("drop7_games_total{outcome=\"over\"}", 8);
    assert_sample("drop7_jobs{kind=\"game\",state=\"queued\"}", 0);
    assert_true(exposition_value(&now, "drop7_store_bytes") > 0);
    assert_true(exposition_value(&now, "drop7_store_wal_bytes") > 0);
    assert_true(exposition_value(&now, "drop7_store_free_bytes") > 0);
}

/* Spoils the store behind the server's back. */
static void spoil(struct call *c, const char *sql)
{
    char path[300];
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%s/drop7.db", c->dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

static void a_replay_that_differs_is_counted(void **state)
{
    struct call *c = *state;
    queue_eight_games(c);
    assert_int_equal(call_play(c, 100, 0), 8);
    assert_int_equal(call_get(c, "/api/v1/policies/first/rounds/gauntlet-01/replay"), 200);
    scrape(c);
    assert_sample("drop7_replay_mismatches_total", 0);
    spoil(c, "UPDATE game SET score = score + 1");
    assert_int_equal(call_get(c, "/api/v1/policies/first/rounds/gauntlet-01/replay"), 500);
    scrape(c);
    assert_sample("drop7_replay_mismatches_total", 1);
}

static void a_store_that_cannot_be_read_leaves_the_other_figures(void **state)
{
    struct call *c = *state;
    store_count_errors(c->api.store, &c->site.metrics->store);
    spoil(c, "DROP TABLE game_record; DROP TABLE game; DROP TABLE job; DROP TABLE worker");
    scrape(c);
    assert_sample("drop7_store_up", 0);
    assert_sample("drop7_games_total{outcome=\"over\"}", -1);
    assert_sample("drop7_store_busy_total", 0);
    assert_sample("drop7_store_errors_total{kind=\"other\"}", 1);
    assert_sample("drop7_http_connections", 0);
}

static void readiness_ends_with_the_stop(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    assert_int_equal(call_get(c, "/readyz"), 200);
    atomic_store(&c->site.stopping, true);
    assert_int_equal(call_get(c, "/readyz"), 503);
    assert_string_equal(call_text(c, "status"), "stopping");
    assert_int_equal(call_get(c, "/healthz"), 200);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_counted_by_the_name_of_their_route_and_status),
        cmocka_unit_test(durations_fall_into_the_bucket_that_ends_with_them),
        cmocka_unit_test(refusals_for_want_of_a_sandbox_and_gauges_are_told),
        cmocka_unit_test(threads_counting_at_once_lose_nothing_and_readings_agree),
        CASE(games_queue_and_workers_are_told_from_the_store),
        CASE(a_replay_that_differs_is_counted),
        CASE(a_store_that_cannot_be_read_leaves_the_other_figures),
        CASE(readiness_ends_with_the_stop),
    };
    return cmocka_run_group_tests_name("unit/server/metrics", tests, NULL, NULL);
}
