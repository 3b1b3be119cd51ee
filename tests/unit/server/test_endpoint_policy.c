/* server/work/endpoint_policy: which addresses an endpoint may have. */
#include "tests/support/support.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "server/cidr.h"
#include "server/work/endpoint_policy.h"

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage at = {0};
    struct sockaddr_in *v4 = (void *)&at;
    struct sockaddr_in6 *v6 = (void *)&at;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
        v6->sin6_family = AF_INET6;
    }
    return at;
}

static bool allowed(const char *text, const struct config *config)
{
    struct sockaddr_storage at = address_of(text);
    return endpoint_allowed((const struct sockaddr *)&at, config);
}

static struct config *config_allowing(const char *range)
{
    struct config *config = calloc(1, sizeof(*config));
    assert_non_null(config);
    if (range) {
        assert_int_equal(cidr_parse(span_of(range), &config->allow_endpoint[0]), D7_OK);
        config->allow_endpoint_count = 1;
    }
    return config;
}

static const char *const inside[] = {
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255",
    "127.0.0.1", "127.8.9.10", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
    "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", /* IPv4-compatible */
    "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "64:ff9b:1::1",
    /* IPv4 inside: mapped, NAT64, 6to4, Teredo (the client's address is inverted) */
    "::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::1", "2002:c0a8:101::1", "2001:0:4136:e378:8000:63bf:80ff:fffe", /* 127.0.0.1 */
    "2001:0:4136:e378:8000:63bf:3f57:fefe",                                       /* 192.168.1.1 */
};

static void addresses_of_the_inside_are_refused(void **state)
{
    (void)state;
    struct config *config = config_allowing(NULL);
    for (size_t i = 0; i < D7_COUNT(inside); i++) {
        if (allowed(inside[i], config)) {
            fail_msg("%s is allowed", inside[i]);
        }
    }
    free(config);
}

static void public_addresses_are_allowed_also_just_beside_the_ranges(void **state)
{
    (void)state;
    static const char *const outside[] = {
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.0.1",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2a00:1450::1",
        "2606:4700::1111",
        "fbff::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
        "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
    };
    struct config *config = config_allowing(NULL);
    for (size_t i = 0; i < D7_COUNT(outside); i++) {
        if (!allowed(outside[i], config)) {
            fail_msg("%s is refused", outside[i]);
        }
    }
    free(config);
}

static void what_the_operator_allows_is_allowed_and_nothing_more(void **state)
{
    (void)state;
    struct config *loopback = config_allowing("127.0.0.0/8");
    assert_true(allowed("127.0.0.1", loopback));
    assert_true(allowed("::ffff:127.0.0.1", loopback));
    assert_false(allowed("10.0.0.1", loopback));
    assert_false(allowed("::1", loopback));
    free(loopback);
    struct config *local = config_allowing("fd00::/8");
    assert_true(allowed("fd12::1", local));
    assert_false(allowed("fc12::1", local));
    free(local);
}

static void other_address_families_are_refused(void **state)
{
    (void)state;
    struct config *config = config_allowing("0.0.0.0/0");
    struct sockaddr_storage local = {.ss_family = AF_UNIX};
    assert_false(endpoint_allowed((const struct sockaddr *)&local, config));
    free(config);
}

static void a_registration_is_told_why_its_literal_is_refused_and_names_pass(void **state)
{
    (void)state;
    struct config *config = config_allowing(NULL);
    struct d7_why why = {0};
    struct host_port at = {.host = "169.254.169.254", .port = 80, .is_literal = true};
    assert_int_equal(endpoint_literal_allowed(&at, config, &why), D7_ERR_FORBIDDEN);
    assert_string_equal(why.field, "endpoint");
    assert_non_null(strstr(why.text, "link-local"));
    struct host_port name = {.host = "localhost", .port = 80};
    assert_int_equal(endpoint_literal_allowed(&name, config, &why), D7_OK);
    free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_the_inside_are_refused),
        cmocka_unit_test(public_addresses_are_allowed_also_just_beside_the_ranges),
        cmocka_unit_test(what_the_operator_allows_is_allowed_and_nothing_more),
        cmocka_unit_test(other_address_families_are_refused),
        cmocka_unit_test(a_registration_is_told_why_its_literal_is_refused_and_names_pass),
    };
    return cmocka_run_group_tests_name("unit/server/endpoint_policy", tests, NULL, NULL);
}
