/* server/cidr: ranges and addresses, IPv4 in both of its forms. */
#include "tests/support/support.h"

#include "server/cidr.h"

static bool covers(const char *range, const char *address)
{
    struct cidr c;
    struct ip_address a;
    assert_int_equal(cidr_parse(span_of(range), &c), D7_OK);
    assert_int_equal(ip_parse(span_of(address), &a), D7_OK);
    return cidr_contains(&c, &a);
}

static void ranges_hold_their_addresses_and_no_neighbours(void **state)
{
    (void)state;
    static const struct {
        const char *range, *address;
        bool inside;
    } rows[] = {
        {"10.0.0.0/8", "10.255.255.255", true},
        {"10.0.0.0/8", "11.0.0.0", false},
        {"172.16.0.0/12", "172.31.9.9", true},
        {"172.16.0.0/12", "172.32.0.0", false},
        {"192.168.1.7", "192.168.1.7", true},
        {"192.168.1.7", "192.168.1.6", false},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "2001:db8::1", true},
        {"fc00::/7", "fdff::1", true},
        {"fc00::/7", "fe00::1", false},
        {"10.0.0.0/8", "::ffff:10.1.2.3", true},
        {"::ffff:10.0.0.0/104", "10.1.2.3", true},
        {"::ffff:10.0.0.0/104", "11.1.2.3", false},
        {"::1", "::1", true},
        {"127.0.0.0/8", "::1", false},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        if (covers(rows[i].range, rows[i].address) != rows[i].inside) {
            fail_msg("%s in %s", rows[i].address, rows[i].range);
        }
    }
}

static void malformed_ranges_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",           "10",         "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08",
        "10.0.0.1/8", "fc00::/129", "[::1]/128", "::1%lo",      "a.b.c.d/8",   "10.0.0.0/8/8",
        "010.0.0.0/8"};
    struct cidr c;
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (cidr_parse(span_of(bad[i]), &c) != D7_ERR_INVALID) {
            fail_msg("%s", bad[i]);
        }
    }
}

static void addresses_print_in_their_plain_form(void **state)
{
    (void)state;
    struct ip_address a;
    char text[IP_TEXT_SIZE];
    assert_int_equal(ip_parse(span_of("::ffff:192.0.2.1"), &a), D7_OK);
    ip_format(&a, text);
    assert_string_equal(text, "192.0.2.1");
    assert_false(ip_is_loopback(&a));
    assert_int_equal(ip_parse(span_of("::ffff:127.8.8.8"), &a), D7_OK);
    assert_true(ip_is_loopback(&a));
    assert_int_equal(ip_parse(span_of("0:0::0:1"), &a), D7_OK);
    assert_true(ip_is_loopback(&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_hold_their_addresses_and_no_neighbours),
        cmocka_unit_test(malformed_ranges_are_refused),
        cmocka_unit_test(addresses_print_in_their_plain_form),
    };
    return cmocka_run_group_tests_name("server/cidr", tests, NULL, NULL);
}
