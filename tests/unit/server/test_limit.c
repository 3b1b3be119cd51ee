/* server/http/limit: buckets on a clock of the test's own. */
#include "tests/support/support.h"

#include "server/http/limit.h"

#define SECOND 1000000

static struct limiter *l;
static int retry_s;

static void make(unsigned writes, unsigned tokens, unsigned failures)
{
    const struct limit_rate rates[LIMIT_KINDS] = {
        [LIMIT_WRITES] = {writes, 60000},
        [LIMIT_TOKENS] = {tokens, 3600000},
        [LIMIT_FAILURES] = {failures, 60000},
    };
    assert_int_equal(limiter_new(rates, &l), D7_OK);
    retry_s = -1;
}

static int drop(void **state)
{
    (void)state;
    limiter_free(l);
    l = NULL;
    return 0;
}

static struct limit_key address(const char *text)
{
    struct ip_address a;
    assert_int_equal(ip_parse(span_of(text), &a), D7_OK);
    return limit_key_address(&a);
}

static enum d7_err writes(int64_t account, int64_t now_us)
{
    return limit_take(l, LIMIT_WRITES, limit_key_account(account), now_us, &retry_s);
}

static void a_full_bucket_gives_its_count_and_then_one_at_a_time(void **state)
{
    (void)state;
    make(60, 5, 20);
    int64_t now = 1000 * (int64_t)SECOND;
    for (int i = 0; i < 60; i++) {
        assert_int_equal(writes(1, now), D7_OK);
    }
    assert_int_equal(writes(1, now), D7_ERR_RATE);
    assert_int_equal(retry_s, 1);
    assert_int_equal(writes(2, now), D7_OK); /* another's is its own */
    assert_int_equal(writes(1, now + SECOND - 1), D7_ERR_RATE);
    assert_int_equal(writes(1, now + SECOND), D7_OK);
    assert_int_equal(writes(1, now + SECOND), D7_ERR_RATE);
    /* refusals cost nothing: after a minute it is full, and not more than full */
    for (int i = 0; i < 60; i++) {
        assert_int_equal(writes(1, now + 3600 * (int64_t)SECOND), D7_OK);
    }
    assert_int_equal(writes(1, now + 3600 * (int64_t)SECOND), D7_ERR_RATE);
}

static void the_wait_said_is_the_wait_needed(void **state)
{
    (void)state;
    make(60, 5, 20);
    struct limit_key key = address("192.0.2.1");
    int64_t now = 5;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(limit_take(l, LIMIT_TOKENS, key, now, &retry_s), D7_OK);
    }
    assert_int_equal(limit_take(l, LIMIT_TOKENS, key, now, &retry_s), D7_ERR_RATE);
    assert_int_equal(retry_s, 720);
    now += 719 * (int64_t)SECOND;
    assert_int_equal(limit_take(l, LIMIT_TOKENS, key, now, &retry_s), D7_ERR_RATE);
    assert_int_equal(retry_s, 1);
    now += SECOND;
    assert_int_equal(limit_take(l, LIMIT_TOKENS, key, now, &retry_s), D7_OK);
}

static void what_is_given_back_does_not_count(void **state)
{
    (void)state;
    make(60, 1, 20);
    struct limit_key key = address("192.0.2.1");
    for (int i = 0; i < 10; i++) {
        assert_int_equal(limit_take(l, LIMIT_TOKENS, key, 1, &retry_s), D7_OK);
        limit_give_back(l, LIMIT_TOKENS, key);
    }
    limit_give_back(l, LIMIT_TOKENS, address("192.0.2.9")); /* never seen: nothing */
    assert_int_equal(limit_take(l, LIMIT_TOKENS, key, 1, &retry_s), D7_OK);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, key, 1, &retry_s), D7_ERR_RATE);
}

static void a_network_of_ipv6_is_one_client_and_kinds_are_apart(void **state)
{
    (void)state;
    make(60, 1, 1);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, address("2001:db8::1"), 1, &retry_s), D7_OK);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, address("2001:db8::2"), 1, &retry_s), D7_ERR_RATE);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, address("2001:db8:0:1::1"), 1, &retry_s), D7_OK);
    assert_int_equal(limit_take(l, LIMIT_FAILURES, address("2001:db8::1"), 1, &retry_s), D7_OK);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, address("192.0.2.1"), 1, &retry_s), D7_OK);
    assert_int_equal(limit_take(l, LIMIT_TOKENS, address("::ffff:192.0.2.1"), 1, &retry_s),
                     D7_ERR_RATE);
}

static void zero_is_no_limit_and_neither_is_no_limiter(void **state)
{
    (void)state;
    make(0, 1, 1);
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(writes(1, 1), D7_OK);
        assert_int_equal(limit_take(NULL, LIMIT_TOKENS, limit_key_account(1), 1, &retry_s), D7_OK);
    }
    limit_give_back(l, LIMIT_WRITES, limit_key_account(1));
    limit_give_back(NULL, LIMIT_WRITES, limit_key_account(1));
}

/* The table is small: strangers by the hundred thousand push out full buckets, not one in use. */
static void strangers_do_not_free_who_is_limited(void **state)
{
    (void)state;
    make(2, 1, 1);
    int64_t now = 1;
    assert_int_equal(writes(-1, now), D7_OK);
    assert_int_equal(writes(-1, now), D7_OK);
    for (int64_t stranger = 0; stranger < 200000; stranger++) {
        now += 40; /* each comes once; 30 s are needed for one to come back */
        assert_int_equal(writes(stranger, now), D7_OK);
    }
    assert_int_equal(writes(-1, now), D7_ERR_RATE);
}

#define TEST(name) cmocka_unit_test_teardown(name, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_full_bucket_gives_its_count_and_then_one_at_a_time),
        TEST(the_wait_said_is_the_wait_needed),
        TEST(what_is_given_back_does_not_count),
        TEST(a_network_of_ipv6_is_one_client_and_kinds_are_apart),
        TEST(zero_is_no_limit_and_neither_is_no_limiter),
        TEST(strangers_do_not_free_who_is_limited),
    };
    return cmocka_run_group_tests_name("server/limit", tests, NULL, NULL);
}
