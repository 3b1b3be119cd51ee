/* Rates over sockets: 429 with Retry-After, by account and by the client's address. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

#include "server/http/limit.h"

static struct http_fixture f;
static struct wire_answer a;
static struct limiter *limiter;
static struct cidr loopback;

#define HOST "Host: localhost\r\n"

static enum d7_err fine(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    reply->status = 204;
    return D7_OK;
}

static const struct route routes[] = {
    {HTTP_GET, "/mine", fine, AUTH_TOKEN, BODY_NONE, "mine"},
    {HTTP_POST, "/mine", fine, AUTH_TOKEN, BODY_JSON, "mine-add"},
    {HTTP_PATCH, "/mine", fine, AUTH_TOKEN, BODY_JSON, "mine-change"},
    {HTTP_DELETE, "/mine", fine, AUTH_TOKEN, BODY_NONE, "mine-end"},
    {HTTP_POST, "/open", fine, AUTH_NONE, BODY_JSON, "open"},
};

static int init(void **state)
{
    (void)state;
    const struct limit_rate rates[LIMIT_KINDS] = {
        [LIMIT_WRITES] = {4, 60000}, [LIMIT_TOKENS] = {1, 1000}, [LIMIT_FAILURES] = {3, 60000}};
    assert_int_equal(limiter_new(rates, &limiter), D7_OK);
    assert_int_equal(cidr_parse(span_of("127.0.0.0/8"), &loopback), D7_OK);
    http_fixture_init(&f);
    f.options.limiter = limiter;
    f.options.routes = routes;
    f.options.route_count = D7_COUNT(routes);
    f.options.trusted_proxies = &loopback;
    f.options.trusted_proxy_count = 1;
    http_fixture_start(&f);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    http_fixture_stop(&f);
    limiter_free(limiter);
    wire_release(&a);
    return 0;
}

static int ask(const char *line, const char *token, const char *from)
{
    char request[400];
    bool has_body = line[0] == 'P';
    (void)snprintf(
        request, sizeof(request),
        "%s HTTP/1.1\r\n" HOST "%s%s%sX-Forwarded-For: %s\r\nConnection: close\r\n%s", line,
        token ? "Authorization: " : "", token ? token : "", token ? "\r\n" : "", from,
        has_body ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n");
    wire_ask(f.port, request, &a);
    return a.status;
}

static void assert_limited(int64_t least_s, int64_t most_s)
{
    int64_t seconds = 0;
    assert_int_equal(a.status, 429);
    const char *retry = wire_header(&a, "Retry-After");
    assert_non_null(retry);
    assert_int_equal(span_parse_i64(span_of(retry), least_s, most_s, &seconds), D7_OK);
    assert_non_null(strstr(wire_header(&a, "Content-Type"), "application/problem+json"));
    assert_non_null(memmem(a.body.data, a.body.len, "\"rate-limited\"", 14));
}

static void writes_count_by_account_and_reads_do_not(void **state)
{
    (void)state;
    static const char *const writes[] = {"POST /mine", "PATCH /mine", "DELETE /mine", "POST /mine"};
    for (size_t i = 0; i < D7_COUNT(writes); i++) {
        assert_int_equal(ask(writes[i], "Bearer user-token", "192.0.2.1"), 204);
    }
    (void)ask("POST /mine", "Bearer user-token", "192.0.2.2"); /* wherever it asks from */
    assert_limited(1, 15);
    (void)ask("DELETE /mine", "Bearer user-token", "192.0.2.2");
    assert_limited(1, 15);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(ask("GET /mine", "Bearer user-token", "192.0.2.1"), 204);
        assert_int_equal(ask("POST /open", NULL, "192.0.2.1"), 204);
        assert_int_equal(ask("POST /open", "Bearer user-token", "192.0.2.1"), 204);
    }
}

static void wrong_tokens_count_by_address_and_good_ones_still_work(void **state)
{
    (void)state;
    assert_int_equal(ask("GET /mine", "Bearer wrong", "192.0.2.1"), 401);
    assert_int_equal(ask("POST /open", "Basic abc", "192.0.2.1"), 401);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "192.0.2.1"), 401);
    (void)ask("GET /mine", "Bearer wrong", "192.0.2.1");
    assert_limited(1, 20);
    (void)ask("POST /mine", "Bearer", "192.0.2.1");
    assert_limited(1, 20);
    assert_int_equal(ask("GET /mine", NULL, "192.0.2.1"), 401); /* none is no wrong one */
    assert_int_equal(ask("GET /mine", "Bearer user-token", "192.0.2.1"), 204);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "192.0.2.2"), 401);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "2001:db8::1"), 401);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "2001:db8::2"), 401);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "2001:db8::3"), 401);
    assert_int_equal(ask("GET /mine", "Bearer wrong", "2001:db8::4"), 429); /* one /64 */
    assert_int_equal(ask("GET /mine", "Bearer wrong", "2001:db8:0:1::1"), 401);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, init, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_count_by_account_and_reads_do_not),
        TEST(wrong_tokens_count_by_address_and_good_ones_still_work),
    };
    return cmocka_run_group_tests_name("http/limits", tests, NULL, NULL);
}
