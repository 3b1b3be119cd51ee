/* server/api/events: what the streams of a run say, without sockets. */
#include "tests/support/call.h"

#define POLICY "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://engine.example:7007\"}"

static char events[120]; /* the run's path */
static char run_id[STORE_KEY_SIZE];

static void start_run(struct call *c)
{
    assert_int_equal(call_post(c, "/api/v1/policies", POLICY), 201);
    (void)snprintf(run_id, sizeof(run_id), "%s", call_text(c, "latestRunId"));
    (void)snprintf(events, sizeof(events), "/api/v1/runs/%s/events", run_id);
}

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        found++;
    }
    return found;
}

/* What the source of the open stream says now; static, NUL-terminated. */
static const char *next(struct call *c, bool *ret_ended)
{
    static char text[1 << 17];
    struct buf to;
    bool more = false;
    int64_t version = 0;
    struct event_source *s = &c->reply.stream;
    *ret_ended = false;
    buf_init(&to, sizeof(text) - 1);
    assert_non_null(s->next);
    assert_int_equal(store_version(c->api.store, &version), D7_OK);
    assert_int_equal(s->next(s->ctx, &c->api, version, &to, &more, ret_ended), D7_OK);
    assert_false(more);
    assert_int_equal(span_copy(buf_span(&to), text, sizeof(text)), D7_OK);
    buf_release(&to);
    return text;
}

static void a_stream_begins_with_the_state_and_tells_each_game_once(void **state)
{
    struct call *c = *state;
    bool ended = false;
    start_run(c);
    assert_int_equal(call_get(c, events), 200);
    assert_string_equal(c->reply.content_type, "text/event-stream");
    assert_int_equal(c->reply.cache, CACHE_NONE);
    assert_int_equal(count(c->body, "event: progress\n"), 1);
    assert_non_null(strstr(c->body, "id: 0\nevent: progress\ndata: {\"runId\":\""));
    assert_non_null(strstr(c->body, "\"status\":\"queued\""));
    assert_non_null(strstr(c->body, "\"queuePosition\":1"));
    assert_string_equal(next(c, &ended), ""); /* nothing new */

    assert_int_equal(call_play(c, 2, 0), 2);
    const char *text = next(c, &ended);
    assert_non_null(strstr(text, "id: 1\nevent: game\ndata: {"));
    assert_non_null(strstr(text, "id: 2\nevent: game\ndata: {"));
    assert_int_equal(count(text, "event: progress\n"), 1);
    assert_non_null(strstr(text, "id: 2\nevent: progress\n"));
    assert_false(ended);
    assert_string_equal(next(c, &ended), "");

    assert_int_equal(call_play(c, 100, 0), 6);
    text = next(c, &ended);
    assert_int_equal(count(text, "event: game\n"), 6);
    assert_non_null(strstr(text, "id: 8\nevent: end\ndata: {"));
    assert_non_null(strstr(text, "\"status\":\"done\",\"reason\":null}"));
    assert_true(ended);
}

static void a_finished_run_is_told_whole_and_opens_no_stream(void **state)
{
    struct call *c = *state;
    start_run(c);
    assert_int_equal(call_play(c, 100, 0), 8);
    assert_int_equal(call_get(c, events), 200);
    assert_null(c->reply.stream.next);
    assert_int_equal(count(c->body, "event: game\n"), 8);
    assert_int_equal(count(c->body, "event: progress\n"), 1);
    assert_int_equal(count(c->body, "event: end\n"), 1);
}

static void a_cancelled_run_ends_with_its_reason(void **state)
{
    struct call *c = *state;
    char path[120];
    bool ended = false;
    start_run(c);
    assert_int_equal(call_get(c, events), 200);
    struct event_source open = c->reply.stream; /* stays, while another request is answered */
    c->reply.stream = (struct event_source){.next = NULL};
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", run_id);
    (void)call_send(c, HTTP_DELETE, path, NULL);
    c->reply.stream = open;
    const char *text = next(c, &ended);
    assert_non_null(strstr(text, "event: end\n"));
    assert_non_null(strstr(text, "\"status\":\"cancelled\""));
    assert_true(ended);
}

static void last_words_leave_the_id_alone(void **state)
{
    struct call *c = *state;
    struct buf to;
    start_run(c);
    assert_int_equal(call_get(c, events), 200);
    buf_init(&to, 4096);
    c->reply.stream.goodbye(c->reply.stream.ctx, &to);
    assert_non_null(strstr(to.data, "event: end\ndata: {"));
    assert_non_null(strstr(to.data, run_id));
    assert_null(strstr(to.data, "id: "));
    buf_release(&to);
}

static void streams_of_several_runs_share_a_thread(void **state)
{
    struct call *c = *state;
    bool ended = false;
    char other[120];
    start_run(c);
    assert_int_equal(call_play(c, 100, 0), 8);
    assert_int_equal(
        call_post(c, "/api/v1/runs", "{\"policy\":\"far\",\"rounds\":[\"gauntlet-03\"]}"), 202);
    (void)snprintf(other, sizeof(other), "/api/v1/runs/%s/events", call_text(c, "id"));
    assert_int_equal(call_get(c, events), 200); /* the kept view is the other run's */
    assert_int_equal(count(c->body, "event: game\n"), 8);
    assert_int_equal(call_get(c, other), 200);
    assert_int_equal(count(c->body, "event: game\n"), 0);
    assert_int_equal(call_play(c, 100, 0), 1);
    assert_int_equal(count(next(c, &ended), "event: game\n"), 1);
    assert_true(ended);
}

static void many_games_come_in_several_pieces(void **state)
{
    enum { MANY = 150 };
    struct call *c = *state;
    struct buf body;
    start_run(c);
    assert_int_equal(call_play(c, 100, 0), 8);
    buf_init(&body, 1u << 16);
    buf_text(&body, "{\"policy\":\"far\",\"rounds\":[");
    for (unsigned i = 0; i < MANY; i++) {
        struct roundfile *round = NULL;
        char id[32];
        (void)snprintf(id, sizeof(id), "short-%u", i);
        assert_int_equal(roundfile_generate(i, 2, id, NULL, &round, NULL), D7_OK);
        assert_int_equal(round_add(c->api.store, round, 1000), D7_OK);
        roundfile_free(round);
        buf_printf(&body, "%s\"%s\"", i ? "," : "", id);
    }
    buf_text(&body, "]}");
    assert_int_equal(call_post(c, "/api/v1/runs", body.data), 202);
    buf_release(&body);
    (void)snprintf(events, sizeof(events), "/api/v1/runs/%s/events", call_text(c, "id"));
    assert_int_equal(call_play(c, MANY, 0), MANY);
    assert_int_equal(call_get(c, events), 200);
    size_t games = count(c->body, "event: game\n");
    assert_true(games > 0 && games < MANY);
    assert_int_equal(count(c->body, "event: progress\n"), 0); /* not before the missed games */
    for (bool more = true, ended = false; more;) {
        struct event_source *s = &c->reply.stream;
        struct buf to;
        int64_t version = 0;
        assert_int_equal(store_version(c->api.store, &version), D7_OK);
        buf_init(&to, 1u << 18);
        assert_int_equal(s->next(s->ctx, &c->api, version, &to, &more, &ended), D7_OK);
        games += count(to.data, "event: game\n");
        assert_int_equal(count(to.data, "event: progress\n"), !more);
        assert_true(more != ended);
        buf_release(&to);
    }
    assert_int_equal(games, MANY);
}

static void runs_that_are_not_there_cannot_be_followed(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/runs/none/events"), 404);
    start_run(c);
    char path[140];
    (void)snprintf(path, sizeof(path), "%s?x=1", events);
    assert_int_equal(call_get(c, path), 400);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_stream_begins_with_the_state_and_tells_each_game_once),
        CASE(a_finished_run_is_told_whole_and_opens_no_stream),
        CASE(a_cancelled_run_ends_with_its_reason),
        CASE(last_words_leave_the_id_alone),
        CASE(streams_of_several_runs_share_a_thread),
        CASE(many_games_come_in_several_pieces),
        CASE(runs_that_are_not_there_cannot_be_followed),
    };
    return cmocka_run_group_tests_name("server/api_events", tests, NULL, NULL);
}
