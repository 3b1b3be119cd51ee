/* server/http/message and problem: what goes out, and the one table of codes. */
#include "tests/support/support.h"

#include "engine/base/json.h"
#include "server/http/message.h"

static void json_reply_sets_type_status_and_body(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    struct jout j = reply_json(&r, 201, CACHE_REVALIDATE);
    jout_object(&j);
    jout_kv_int(&j, "a", 1);
    jout_object_end(&j);
    assert_int_equal(r.status, 201);
    assert_string_equal(r.content_type, "application/json");
    assert_string_equal(r.body.data, "{\"a\":1}");
    reply_header(&r, "Location", "/api/v1/policies/%s", "abc");
    assert_string_equal(r.headers[0].name, "Location");
    assert_string_equal(r.headers[0].value, "/api/v1/policies/abc");
    reply_release(&r);
}

static void every_error_has_a_code_and_a_status_of_the_contract(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int status;
    } contract[] = {{"bad-json", 400},
                    {"validation", 400},
                    {"unauthorized", 401},
                    {"forbidden", 403},
                    {"quota", 403},
                    {"not-found", 404},
                    {"conflict", 409},
                    {"too-large", 413},
                    {"unsupported-media-type", 415},
                    {"rate-limited", 429},
                    {"busy", 503},
                    {"sandbox-unavailable", 503},
                    {"insufficient-storage", 507},
                    {"internal", 500}};
    for (int e = 0; e < (int)D7_ERR_COUNT; e++) {
        bool found = false;
        for (size_t i = 0; i < D7_COUNT(contract); i++) {
            if (strcmp(contract[i].code, reply_code_of((enum d7_err)e)) == 0) {
                found = true;
                assert_int_equal(reply_status_of((enum d7_err)e), contract[i].status);
            }
        }
        assert_true(found);
    }
    assert_string_equal(reply_code_of(D7_ERR_FULL), "insufficient-storage");
    assert_string_equal(reply_code_of(D7_ERR_QUOTA), "quota");
    assert_string_equal(reply_code_of(D7_ERR_SYNTAX), "bad-json");
}

static struct jval *problem(struct reply *r, enum d7_err err)
{
    reply_problem(r, err, "0123");
    assert_string_equal(r->content_type, "application/problem+json");
    assert_int_equal(r->cache, CACHE_NONE);
    struct jval *root = NULL;
    assert_int_equal(jval_parse(buf_span(&r->body), &root, NULL), D7_OK);
    return root;
}

static bool member_is(const struct jval *v, const char *key, const char *text)
{
    struct span s;
    return jval_text(jval_get(v, key), &s) && span_is(s, text);
}

static void problem_carries_field_errors_and_drops_what_was_begun(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    struct jout j = reply_json(&r, 200, CACHE_IMMUTABLE);
    jout_object(&j);
    assert_int_equal(reply_field_error(&r, "name", "must have %d to %d characters", 1, 80),
                     D7_ERR_INVALID);
    (void)reply_field_error(&r, "family", "must be a slug");
    struct jval *root = problem(&r, D7_ERR_INVALID);
    assert_int_equal(r.status, 400);
    int64_t status = 0;
    assert_true(jval_integer(jval_get(root, "status"), &status) && status == 400);
    assert_true(member_is(root, "code", "validation"));
    assert_true(member_is(root, "requestId", "0123"));
    assert_true(member_is(root, "type", "/docs#error-validation"));
    const struct jval *errors = jval_get(root, "errors");
    assert_int_equal(jval_length(errors), 2);
    assert_true(member_is(jval_at(errors, 0), "field", "name"));
    assert_true(member_is(jval_at(errors, 0), "message", "must have 1 to 80 characters"));
    jval_free(root);
    reply_release(&r);
}

static void a_reason_with_a_field_becomes_its_one_field_error(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    enum d7_err err = d7_refuse(&r.why, D7_ERR_INVALID, "limit", "must be 1 to 500");
    struct jval *root = problem(&r, err);
    assert_true(member_is(root, "detail", "must be 1 to 500"));
    assert_int_equal(jval_length(jval_get(root, "errors")), 1);
    assert_true(member_is(jval_at(jval_get(root, "errors"), 0), "field", "limit"));
    jval_free(root);
    reply_release(&r);
}

static void a_code_named_by_the_handler_decides_the_status(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    r.code = "conflict";
    (void)snprintf(r.existing, sizeof(r.existing), "/api/v1/runs/7");
    struct jval *root = problem(&r, D7_ERR_INVALID);
    assert_int_equal(r.status, 409);
    assert_true(member_is(root, "existing", "/api/v1/runs/7"));
    jval_free(root);
    reply_release(&r);
}

static void inner_failures_are_not_told_to_clients(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r);
    struct jval *root =
        problem(&r, d7_refuse(&r.why, D7_ERR_CORRUPT, "checksum", "row 17 of games is damaged"));
    assert_int_equal(r.status, 500);
    assert_null(strstr(r.body.data, "damaged"));
    assert_null(strstr(r.body.data, "checksum"));
    jval_free(root);
    reply_release(&r);
    reply_init(&r);
    root = problem(&r, D7_ERR_BUSY);
    assert_true(r.retry_after_s > 0);
    jval_free(root);
    reply_release(&r);
}

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

static void shared_bytes_are_given_back_once(void **state)
{
    (void)state;
    int released = 0;
    struct reply r;
    reply_init(&r);
    r.shared = span_of("board");
    r.shared_release = count_release;
    r.shared_ctx = &released;
    reply_problem(&r, D7_ERR_INTERNAL, "1");
    assert_int_equal(released, 1);
    assert_null(r.shared.ptr);
    reply_release(&r);
    assert_int_equal(released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_reply_sets_type_status_and_body),
        cmocka_unit_test(every_error_has_a_code_and_a_status_of_the_contract),
        cmocka_unit_test(problem_carries_field_errors_and_drops_what_was_begun),
        cmocka_unit_test(a_reason_with_a_field_becomes_its_one_field_error),
        cmocka_unit_test(a_code_named_by_the_handler_decides_the_status),
        cmocka_unit_test(inner_failures_are_not_told_to_clients),
        cmocka_unit_test(shared_bytes_are_given_back_once),
    };
    return cmocka_run_group_tests_name("server/reply", tests, NULL, NULL);
}
