/* server/api: tokens, readiness and pages. */
#include "tests/support/call.h"

#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "server/http/asset.h"

static void registration_gives_a_token_that_works_and_is_stored_as_its_hash(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"Zo\xc3\xab\"}"), 201);
    assert_string_equal(call_text(c, "name"), "Zo\xc3\xab");
    assert_int_equal(c->reply.cache, CACHE_NONE);
    const char *token = call_text(c, "token");
    assert_int_equal(strlen(token), 3 + 64);
    assert_memory_equal(token, "d7_", 3);
    assert_int_equal(strspn(token + 3, "0123456789abcdef"), 64);
    char sha[SHA_HEX_SIZE];
    struct account account;
    sha_of(span_of(token), sha);
    assert_int_equal(account_by_token(c->api.store, sha, &account), D7_OK);
    assert_string_equal(account.name, "Zo\xc3\xab");
    assert_false(account.admin);
    assert_int_equal(account_by_token(c->api.store, token, &account), D7_ERR_NOT_FOUND);
    c->as = &account;
    sha_of(span_of(token), sha);
    assert_int_equal(account_by_token(c->api.store, sha, &account), D7_OK);
    assert_int_equal(call_get(c, "/api/v1/me"), 200);
    assert_string_equal(call_text(c, "name"), "Zo\xc3\xab");
    assert_false(call_bool(c, "admin"));
}

static void a_tokens_use_is_noted_once_a_minute(void **state)
{
    (void)state;
    static struct token_uses uses;
    assert_true(token_use_is_due(&uses, "aa", 1000));
    assert_false(token_use_is_due(&uses, "aa", 1000));
    assert_false(token_use_is_due(&uses, "aa", 1000 + TOKEN_USE_EACH_MS - 1));
    assert_true(token_use_is_due(&uses, "bb", 1001));
    assert_true(token_use_is_due(&uses, "aa", 1000 + TOKEN_USE_EACH_MS));
    assert_false(token_use_is_due(&uses, "aa", 1001 + TOKEN_USE_EACH_MS));
    for (int i = 0; i < 100; i++) { /* more tokens than are kept */
        char other[16];
        (void)snprintf(other, sizeof(other), "c%d", i);
        assert_true(token_use_is_due(&uses, other, 1002 + TOKEN_USE_EACH_MS));
    }
    assert_true(token_use_is_due(&uses, "aa", 1003 + TOKEN_USE_EACH_MS));
}

static void a_taken_name_conflicts_and_closed_registration_is_forbidden(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"owner\"}"), 409);
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"\\u200b\\u2060\"}"), 400);
    assert_non_null(strstr(call_field_error(c, "name"), "visible"));
    c->config.registration_open = false;
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"new\"}"), 403);
    assert_int_equal(call_get(c, "/api/v1/me"), 401);
}

static void wrong_names_are_field_errors(void **state)
{
    struct call *c = *state;
    static const char *const bad[] = {"{}",
                                      "{\"name\":\"\"}",
                                      "{\"name\":7}",
                                      "{\"name\":\" x\"}",
                                      "{\"name\":\"a\\u0007\"}",
                                      "{\"name\":\"a\\u202eb\"}"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, "/api/v1/tokens", bad[i]), 400);
        assert_non_null(call_field_error(c, "name"));
        assert_int_equal(call_length(c, "errors"), 1);
    }
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"a\",\"admin\":true}"), 400);
    assert_non_null(call_field_error(c, "admin"));
}

static void readiness_tells_of_workers_queue_and_isolation(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    assert_int_equal(call_get(c, "/healthz"), 200);
    assert_string_equal(call_text(c, "status"), "ok");
    assert_int_equal(call_get(c, "/readyz"), 503);
    assert_string_equal(call_text(c, "status"), "not-ready");
    assert_string_equal(call_text(c, "store"), "ok");
    assert_int_equal(call_int(c, "workers.alive"), 0);
    assert_true(call_is_null(c, "isolation.tier"));
    call_worker(c, "C");
    call_worker(c, "B");
    assert_int_equal(call_get(c, "/readyz"), 200);
    assert_string_equal(call_text(c, "status"), "ready");
    assert_int_equal(call_int(c, "workers.alive"), 2);
    assert_int_equal(call_int(c, "workers.tiers.B"), 1);
    assert_string_equal(call_text(c, "isolation.tier"), "B");
    assert_string_equal(call_text(c, "isolation.reason"), "as the test says");
    assert_false(call_bool(c, "isolation.off"));
    assert_int_equal(call_int(c, "queue.games"), 0);
    c->config.sandbox_off = true;
    assert_int_equal(call_get(c, "/readyz"), 200);
    assert_true(call_bool(c, "isolation.off"));
}

static void a_store_without_room_still_tells_of_its_workers(void **state)
{
    struct call *c = *state;
    call_worker(c, "B");
    call_worker(c, "C");
    c->site.ready = D7_ERR_FULL; /* as somebody found it a moment ago */
    c->site.ready_mono_ms = clock_mono_ms();
    assert_int_equal(call_get(c, "/readyz"), 503);
    assert_string_equal(call_text(c, "status"), "not-ready");
    assert_string_equal(call_text(c, "store"), d7_err_text(D7_ERR_FULL));
    assert_int_equal(call_int(c, "workers.alive"), 2);
    assert_string_equal(call_text(c, "isolation.tier"), "B");
}

static void pages_are_served_and_unknown_ones_are_404_for_people(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    assert_int_equal(asset_init(NULL), D7_OK);
    static const char *const pages[] = {"/", "/leaderboard", "/static/site.css",
                                        "/static/js/leaderboard.js"};
    for (size_t i = 0; i < D7_COUNT(pages); i++) {
        assert_int_equal(call_get(c, pages[i]), 200);
    }
    assert_int_equal(call_get(c, "/games/none"), 404);
    assert_memory_equal(c->reply.content_type, "text/html", 9);
    assert_int_equal(call_get(c, "/policies/none"), 404);
    assert_memory_equal(c->reply.content_type, "text/html", 9);
    assert_int_equal(call_get(c, "/static/none.css"), 404);
    assert_int_equal(call_get(c, "/static/.."), 404);
    assert_int_equal(call_get(c, "/static/js/..%2f..%2fetc"), 404);
    asset_release();
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(registration_gives_a_token_that_works_and_is_stored_as_its_hash),
        cmocka_unit_test(a_tokens_use_is_noted_once_a_minute),
        CASE(a_taken_name_conflicts_and_closed_registration_is_forbidden),
        CASE(wrong_names_are_field_errors),
        CASE(readiness_tells_of_workers_queue_and_isolation),
        CASE(a_store_without_room_still_tells_of_its_workers),
        CASE(pages_are_served_and_unknown_ones_are_404_for_people),
    };
    return cmocka_run_group_tests_name("unit/server/api_meta", tests, NULL, NULL);
}
