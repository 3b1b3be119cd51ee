/* server/api: the leaderboard, its cache, rounds and suites. */
#include "tests/support/call.h"

#include <math.h>
#include <pthread.h>

#include "engine/base/clock.h"
#include "server/api/board_cache.h"

/* Two built-ins and an endpoint with all their games; plays differ by the shift. */
static void played_board(struct call *c)
{
    call_builtin(c, "alpha");
    call_builtin(c, "beta");
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 202);
    assert_int_equal(call_play(c, 100, 0), 8);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"beta\"}"), 202);
    assert_int_equal(call_play(c, 100, 3), 8);
    assert_int_equal(call_post(c, "/api/v1/policies",
                               "{\"id\":\"far\",\"name\":\"=Far\",\"family\":\"x\",\"endpoint\":"
                               "\"tcp://e.example:1\"}"),
                     201);
    assert_int_equal(call_play(c, 3, 1), 3);
    c->as = NULL;
}

static void an_empty_board_is_whole(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_equal(call_text(c, "format"), "drop7-leaderboard-v1");
    assert_string_equal(call_text(c, "suite"), "gauntlet");
    assert_int_equal(call_int(c, "moveCap"), 2000);
    assert_int_equal(call_length(c, "rounds"), 8);
    assert_string_equal(call_text(c, "rounds.0.id"), "gauntlet-01");
    assert_int_equal(call_length(c, "policies"), 0);
    assert_int_equal(call_length(c, "games"), 0);
    assert_int_equal(call_length(c, "summaries"), 0);
    assert_true(call_is_null(c, "reference"));
    assert_true(call_is_null(c, "generatedAt"));
}

static void rows_rank_and_reference_come_from_the_counted_games(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "summaries"), 3);
    assert_int_equal(call_length(c, "policies"), 3);
    assert_int_equal(call_length(c, "games"), 19);
    assert_null(strstr(c->body, "e.example"));
    assert_int_equal(call_int(c, "summaries.0.rank"), 1);
    assert_int_equal(call_int(c, "summaries.1.rank"), 2);
    assert_true(call_number(c, "summaries.0.meanScore") >= call_number(c, "summaries.1.meanScore"));
    assert_string_equal(call_text(c, "reference"), call_text(c, "summaries.0.policyId"));
    assert_string_equal(call_text(c, "summaries.2.policyId"), "far");
    assert_true(call_bool(c, "summaries.2.provisional"));
    assert_true(call_is_null(c, "summaries.2.rank"));
    assert_int_equal(call_int(c, "summaries.2.games"), 3);
    /* the mean is that of the games shown */
    int64_t sum = 0;
    int64_t n = 0;
    for (size_t i = 0; i < 19; i++) {
        char at[60];
        (void)snprintf(at, sizeof(at), "games.%zu.policyId", i);
        if (strcmp(call_text(c, at), "alpha") == 0) {
            (void)snprintf(at, sizeof(at), "games.%zu.score", i);
            sum += call_int(c, at);
            n++;
        }
    }
    assert_int_equal(n, 8);
    size_t row = strcmp(call_text(c, "summaries.0.policyId"), "alpha") == 0 ? 0 : 1;
    double mean = call_number(c, row == 0 ? "summaries.0.meanScore" : "summaries.1.meanScore");
    assert_true(fabs(mean - (double)sum / 8) < 1e-9);
}

static void kind_and_family_select_rows_but_change_no_rank(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?kind=endpoint"), 200);
    assert_int_equal(call_length(c, "summaries"), 1);
    assert_int_equal(call_length(c, "policies"), 1);
    assert_int_equal(call_length(c, "games"), 3);
    assert_string_equal(call_text(c, "summaries.0.policyId"), "far");
    assert_false(call_is_null(c, "reference"));
    assert_int_equal(call_get(c, "/api/v1/leaderboard?family=test"), 200);
    assert_int_equal(call_length(c, "summaries"), 2);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    assert_string_equal(call_text(c, "reference"), "beta");
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=nobody"), 404);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?suite=nothing"), 404);
}

static void chosen_rounds_make_a_board_of_their_own(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds=gauntlet-03,gauntlet-01"), 200);
    assert_int_equal(call_length(c, "rounds"), 2);
    assert_string_equal(call_text(c, "rounds.0.id"), "gauntlet-03");
    assert_int_equal(call_length(c, "summaries"), 3);
    assert_int_equal(call_int(c, "summaries.0.games"), 2);
    assert_int_equal(call_int(c, "summaries.2.rank"), 3); /* far has played these */
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds=gauntlet-09"), 404);
}

static void csv_has_a_header_crlf_and_a_column_a_round(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?format=csv"), 200);
    assert_string_equal(c->reply.content_type, "text/csv; charset=utf-8");
    struct span rest = span_of(c->body);
    size_t lines = 0;
    while (rest.len) {
        struct span line = span_cut(&rest, '\n');
        size_t commas = 0;
        for (size_t i = 0; i < line.len; i++) {
            commas += line.ptr[i] == ',';
        }
        assert_int_equal(line.ptr[line.len - 1], '\r');
        assert_int_equal(commas, 24 + 8 - 1);
        lines++;
    }
    assert_int_equal(lines, 4);
    assert_non_null(strstr(c->body, "\r\nfar,3,"));
    assert_non_null(strstr(c->body, ",true,"));
}

static void the_same_bytes_are_served_until_something_changes(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    const char *bytes = c->reply.shared.ptr;
    char etag[80];
    (void)snprintf(etag, sizeof(etag), "%s", c->reply.etag);
    assert_non_null(bytes);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?suite=gauntlet"), 200);
    assert_ptr_equal(c->reply.shared.ptr, bytes);
    const struct job_skills all = {true, true, true};
    struct job job;
    assert_int_equal(job_claim(c->api.store, &all, "lease", clock_utc_ms(), &job), D7_OK);
    assert_int_equal(job_beat(c->api.store, job.id, "lease", 3), D7_OK);
    assert_int_equal(job_release(c->api.store, &job, NULL, clock_utc_ms()), D7_OK);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_ptr_equal(c->reply.shared.ptr, bytes); /* progress is not on the board */
    assert_int_equal(call_play(c, 1, 1), 1);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_not_equal(c->reply.etag, etag);
    assert_int_equal(call_length(c, "games"), 20);
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 202);
    char run[40];
    (void)snprintf(run, sizeof(run), "%s", call_text(c, "id"));
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_non_null(strstr(c->body, run)); /* its policy's latestRunId */
}

static void a_restart_changes_no_byte(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    char etag[80];
    (void)snprintf(etag, sizeof(etag), "%s", c->reply.etag);
    site_release(&c->site);
    assert_int_equal(site_init(&c->config, &c->site), D7_OK);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_equal(c->reply.etag, etag);
}

/* --- the cache alone ------------------------------------------------------------------------- */

struct maker {
    pthread_mutex_t lock;
    pthread_cond_t go;
    bool may_end;
    unsigned running, most, made;
};

static enum d7_err make_slowly(void *ctx, const char *suite_id, struct buf *to)
{
    struct maker *m = ctx;
    (void)pthread_mutex_lock(&m->lock);
    m->running++;
    m->most = m->running > m->most ? m->running : m->most;
    while (!m->may_end) {
        (void)pthread_cond_wait(&m->go, &m->lock);
    }
    m->running--;
    m->made++;
    (void)pthread_mutex_unlock(&m->lock);
    buf_text(to, suite_id);
    return D7_OK;
}

struct asker {
    pthread_t thread;
    struct board_cache *cache;
    struct maker *maker;
    enum d7_err err;
    char text[20];
};

static void *ask(void *ctx)
{
    struct asker *a = ctx;
    struct reply reply;
    reply_init(&reply);
    a->err = board_cache_serve(a->cache, "one", 5, make_slowly, a->maker, &reply);
    if (!a->err) {
        a->err = span_copy(reply.shared, a->text, sizeof(a->text));
    }
    reply_release(&reply);
    return NULL;
}

static void askers_at_once_share_one_computation(void **state)
{
    (void)state;
    struct maker m = {.lock = PTHREAD_MUTEX_INITIALIZER, .go = PTHREAD_COND_INITIALIZER};
    struct board_cache *cache = NULL;
    assert_int_equal(board_cache_new(&cache), D7_OK);
    struct asker askers[4];
    for (size_t i = 0; i < D7_COUNT(askers); i++) {
        askers[i] = (struct asker){.cache = cache, .maker = &m};
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    }
    (void)pthread_mutex_lock(&m.lock);
    m.may_end = true;
    (void)pthread_cond_broadcast(&m.go);
    (void)pthread_mutex_unlock(&m.lock);
    for (size_t i = 0; i < D7_COUNT(askers); i++) {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_int_equal(askers[i].err, D7_OK);
        assert_string_equal(askers[i].text, "one");
    }
    assert_int_equal(m.made, 1);
    assert_int_equal(m.most, 1);
    board_cache_free(cache);
}

static enum d7_err make_count(void *ctx, const char *suite_id, struct buf *to)
{
    unsigned *made = ctx;
    ++*made;
    buf_text(to, suite_id);
    return *made == 2 ? D7_ERR_IO : D7_OK;
}

static void a_failure_is_not_kept_and_old_bytes_outlive_the_cache(void **state)
{
    (void)state;
    struct board_cache *cache = NULL;
    unsigned made = 0;
    struct reply first;
    struct reply second;
    reply_init(&first);
    reply_init(&second);
    assert_int_equal(board_cache_new(&cache), D7_OK);
    assert_int_equal(board_cache_serve(cache, "s", 1, make_count, &made, &first), D7_OK);
    assert_int_equal(board_cache_serve(cache, "s", 1, make_count, &made, &second), D7_OK);
    assert_int_equal(made, 1);
    reply_release(&second);
    assert_int_equal(board_cache_serve(cache, "s", 2, make_count, &made, &second), D7_ERR_IO);
    assert_int_equal(board_cache_serve(cache, "s", 2, make_count, &made, &second), D7_OK);
    assert_int_equal(made, 3);
    board_cache_free(cache);
    assert_true(span_is(first.shared, "s"));
    reply_release(&first);
    reply_release(&second);
}

static void more_suites_than_slots_push_the_oldest_out(void **state)
{
    (void)state;
    struct board_cache *cache = NULL;
    unsigned made = 10;
    assert_int_equal(board_cache_new(&cache), D7_OK);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < BOARD_CACHE_SUITES + 1; i++) {
            struct reply reply;
            char suite[20];
            (void)snprintf(suite, sizeof(suite), "suite-%u", i);
            reply_init(&reply);
            assert_int_equal(board_cache_serve(cache, suite, 1, make_count, &made, &reply), D7_OK);
            assert_true(span_is(reply.shared, suite));
            reply_release(&reply);
        }
    }
    assert_int_equal(made, 10 + 2 * (BOARD_CACHE_SUITES + 1));
    board_cache_free(cache);
}

/* --- rounds and suites ----------------------------------------------------------------------- */

static void rounds_and_suites_are_served(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/rounds?limit=3"), 200);
    assert_int_equal(call_length(c, "items"), 3);
    assert_false(call_is_null(c, "next"));
    assert_int_equal(call_get(c, "/api/v1/rounds/gauntlet-01"), 200);
    assert_string_equal(call_text(c, "format"), "drop7-scripted-round-v1");
    assert_int_equal(call_length(c, "discs"), 2000);
    struct roundfile *round = NULL;
    assert_int_equal(roundfile_parse(span_of(c->body), &round, NULL), D7_OK);
    roundfile_free(round);
    assert_int_equal(call_get(c, "/api/v1/suites"), 200);
    assert_string_equal(call_text(c, "items.0.id"), "gauntlet");
    assert_int_equal(call_get(c, "/api/v1/suites/gauntlet"), 200);
    assert_true(call_bool(c, "default"));
    assert_int_equal(call_length(c, "rounds"), 8);
    assert_string_equal(call_text(c, "rounds.7"), "gauntlet-08");
    assert_int_equal(call_get(c, "/api/v1/suites/none"), 404);
    assert_int_equal(call_get(c, "/api/v1/rounds/gauntlet-09"), 404);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_board_is_whole),
        CASE(rows_rank_and_reference_come_from_the_counted_games),
        CASE(kind_and_family_select_rows_but_change_no_rank),
        CASE(chosen_rounds_make_a_board_of_their_own),
        CASE(csv_has_a_header_crlf_and_a_column_a_round),
        CASE(the_same_bytes_are_served_until_something_changes),
        CASE(a_restart_changes_no_byte),
        cmocka_unit_test(askers_at_once_share_one_computation),
        cmocka_unit_test(a_failure_is_not_kept_and_old_bytes_outlive_the_cache),
        cmocka_unit_test(more_suites_than_slots_push_the_oldest_out),
        CASE(rounds_and_suites_are_served),
    };
    return cmocka_run_group_tests_name("unit/server/api_board", tests, NULL, NULL);
}
