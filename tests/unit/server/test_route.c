/* server/http/route: raw segments, one decoding, precedence, queries. */
#include "tests/support/support.h"

#include "server/http/route.h"

static enum d7_err nothing(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    (void)reply;
    return D7_OK;
}

static const struct route table[] = {
    {HTTP_GET, "/", nothing, AUTH_NONE, BODY_NONE, "home"},
    {HTTP_GET, "/api/v1/policies", nothing, AUTH_NONE, BODY_NONE, "policies"},
    {HTTP_POST, "/api/v1/policies", nothing, AUTH_TOKEN, BODY_JSON_OR_FORM, "policies_add"},
    {HTTP_GET, "/api/v1/policies/{id}", nothing, AUTH_NONE, BODY_NONE, "policy"},
    {HTTP_DELETE, "/api/v1/policies/{id}", nothing, AUTH_TOKEN, BODY_NONE, "policy_delete"},
    {HTTP_GET, "/api/v1/policies/new", nothing, AUTH_NONE, BODY_NONE, "policy_new"},
    {HTTP_GET, "/api/v1/policies/{id}/rounds/{round}/replay", nothing, AUTH_NONE, BODY_NONE,
     "replay"},
    {HTTP_GET, "/css/{file}", nothing, AUTH_NONE, BODY_NONE, "css"},
};

static struct buf scratch;
static struct request req;
static const struct route *hit;
static unsigned allowed;

static enum route_match find(enum http_method method, const char *path)
{
    buf_release(&scratch);
    buf_init(&scratch, 4096);
    memset(&req, 0, sizeof(req));
    return route_find(table, D7_COUNT(table), method, span_of(path), &scratch, &req, &hit,
                      &allowed);
}

static void parameters_are_decoded_once(void **state)
{
    (void)state;
    assert_int_equal(find(HTTP_GET, "/api/v1/policies/a%2541/rounds/g%C3%BC/replay"), ROUTE_FOUND);
    assert_string_equal(hit->name, "replay");
    assert_true(span_is(req.params[0], "a%41"));
    assert_true(span_is(req.params[1], "g\xc3\xbc"));
}

static void head_is_served_by_get_and_home_matches_only_itself(void **state)
{
    (void)state;
    assert_int_equal(find(HTTP_HEAD, "/"), ROUTE_FOUND);
    assert_string_equal(hit->name, "home");
    assert_int_equal(find(HTTP_GET, "//"), ROUTE_NO_PATH);
}

static void plain_segments_win_over_parameters(void **state)
{
    (void)state;
    assert_int_equal(find(HTTP_GET, "/api/v1/policies/new"), ROUTE_FOUND);
    assert_string_equal(hit->name, "policy_new");
    assert_int_equal(find(HTTP_GET, "/api/v1/policies/newer"), ROUTE_FOUND);
    assert_string_equal(hit->name, "policy");
}

static void wrong_method_lists_what_the_path_has(void **state)
{
    (void)state;
    assert_int_equal(find(HTTP_PATCH, "/api/v1/policies"), ROUTE_NO_METHOD);
    assert_int_equal(allowed, HTTP_GET | HTTP_HEAD | HTTP_POST | HTTP_OPTIONS);
    assert_null(hit);
}

static void unknown_paths_do_not_match(void **state)
{
    (void)state;
    static const char *const paths[] = {"/api",
                                        "/api/v1/policies/",
                                        "/api/v1/policies/x/",
                                        "/api/v1//policies",
                                        "/%61pi/v1/policies",
                                        "/css/"};
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        if (find(HTTP_GET, paths[i]) != ROUTE_NO_PATH) {
            fail_msg("%s", paths[i]);
        }
    }
}

static void unsound_paths_are_bad_wherever_they_point(void **state)
{
    (void)state;
    static const char *const paths[] = {"",
                                        "x",
                                        "../x",
                                        "/../../etc/passwd",
                                        "/css/..",
                                        "/css/%2e%2E",
                                        "/css/site.css%00.png",
                                        "/nowhere/%00",
                                        "/api/v1/policies/a%2Fb",
                                        "/api/v1/policies/a%2fb",
                                        "/css/%",
                                        "/css/%4",
                                        "/css/%zz",
                                        "/css/%C3",
                                        "/css/%ed%a0%80",
                                        "/css/\xff",
                                        "/css/a b",
                                        "/css/a\nb"};
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        if (find(HTTP_GET, paths[i]) != ROUTE_BAD_PATH) {
            fail_msg("%s", paths[i]);
        }
    }
}

static enum d7_err query(const char *text)
{
    buf_release(&scratch);
    buf_init(&scratch, 4096);
    return query_parse(span_of(text), &scratch, &req);
}

static void query_values_are_decoded(void **state)
{
    (void)state;
    assert_int_equal(query("a=1&name=x+y%2Bz&&empty=&flag&e=a=b"), D7_OK);
    struct span v;
    assert_int_equal(req.query_count, 5);
    assert_true(request_query(&req, "name", &v) && span_is(v, "x y+z"));
    assert_true(request_query(&req, "empty", &v) && v.len == 0);
    assert_true(request_query(&req, "flag", &v) && v.len == 0);
    assert_true(request_query(&req, "e", &v) && span_is(v, "a=b"));
    assert_false(request_query(&req, "b", &v));
    assert_int_equal(query(""), D7_OK);
    assert_int_equal(req.query_count, 0);
}

static void malformed_queries_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a=%",
        "a=%0",
        "a=%gg",
        "a=%00",
        "a=%ff",
        "a=1&a=2",
        "a&%61",
        "=nameless",
        "a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11&l=12&m=13&n=14&o=15&p=16&q=17"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (query(bad[i]) != D7_ERR_INVALID) {
            fail_msg("%s", bad[i]);
        }
    }
}

static int done(void **state)
{
    (void)state;
    buf_release(&scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_decoded_once),
        cmocka_unit_test(head_is_served_by_get_and_home_matches_only_itself),
        cmocka_unit_test(plain_segments_win_over_parameters),
        cmocka_unit_test(wrong_method_lists_what_the_path_has),
        cmocka_unit_test(unknown_paths_do_not_match),
        cmocka_unit_test(unsound_paths_are_bad_wherever_they_point),
        cmocka_unit_test(query_values_are_decoded),
        cmocka_unit_test(malformed_queries_are_refused),
    };
    return cmocka_run_group_tests_name("server/route", tests, NULL, done);
}
