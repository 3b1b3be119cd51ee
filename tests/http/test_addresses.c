/* How many connections one address may have: loopback and trusted proxies are exempt, so these
 * connect to an address of this machine that is not loopback. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

#define LIMIT 5
#define HOST  "Host: localhost\r\n"
#define ASK   "GET /api/v1/small HTTP/1.1\r\n" HOST "\r\n"

static struct http_fixture f;
static struct wire_answer a;
static struct sockaddr_in own; /* an address that is not loopback */
static struct cidr own_range;

static bool find_own(void)
{
    struct ifaddrs *list = NULL;
    bool found = false;
    assert_int_equal(getifaddrs(&list), 0);
    for (const struct ifaddrs *i = list; i && !found; i = i->ifa_next) {
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            memcpy(&own, i->ifa_addr, sizeof(own));
            found = ntohl(own.sin_addr.s_addr) >> 24 != 127;
        }
    }
    freeifaddrs(list);
    return found;
}

static int init(void **state)
{
    (void)state;
    http_fixture_init(&f);
    f.options.listen = "0.0.0.0:0";
    f.options.per_address_max = LIMIT;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    if (f.daemon) {
        http_fixture_stop(&f);
    }
    wire_release(&a);
    return 0;
}

static void start(void)
{
    if (!find_own()) {
        print_message(
            "skipped: this machine has loopback addresses only\n"); /* no right is missing */
        skip();
    }
    http_fixture_start(&f);
}

/* Connects to the own address, and so from it. */
static int open_own(void)
{
    own.sin_port = htons((uint16_t)f.port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&own, sizeof(own)), 0);
    const struct timeval wait = {.tv_sec = WIRE_MS / 1000};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
    return fd;
}

static int ask_own(int *ret_fd)
{
    *ret_fd = open_own();
    assert_true(wire_text(*ret_fd, ASK));
    wire_read(*ret_fd, false, &a);
    return a.status;
}

static int ask_loopback(void)
{
    wire_ask(f.port, "GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", &a);
    return a.status;
}

/* In the middle of a request, so that none gives way. */
static void hold(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fds[i] = open_own();
        assert_true(wire_text(fds[i], "GET /api/v1/small HTTP/1.1\r\n"));
    }
}

static void let_go(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)close(fds[i]);
    }
}

static void one_address_has_its_share_and_others_are_served(void **state)
{
    (void)state;
    start();
    int fds[LIMIT];
    int fd = -1;
    hold(fds, LIMIT);
    int64_t until = clock_mono_ms() + 5000; /* until all of them are counted */
    while (ask_own(&fd) == 200 && clock_mono_ms() < until) {
        (void)close(fd);
    }
    assert_int_equal(a.status, 503);
    assert_true(wire_closes(fd, 5000));
    assert_non_null(strstr(a.body.data, "\"busy\""));
    assert_non_null(wire_header(&a, "Retry-After"));
    (void)close(fd);
    assert_int_equal(ask_loopback(), 200); /* another address is another matter */
    let_go(fds, LIMIT);
    until = clock_mono_ms() + 5000;
    while (ask_own(&fd) == 503 && clock_mono_ms() < until) {
        (void)close(fd);
    }
    assert_int_equal(a.status, 200);
    (void)close(fd);
}

static void an_address_over_its_share_loses_its_own_idle_ones_only(void **state)
{
    (void)state;
    start();
    int others = wire_open(f.port);
    assert_true(wire_text(others, ASK));
    wire_read(others, false, &a);
    assert_int_equal(a.status, 200);
    int fds[LIMIT + 2];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        assert_int_equal(ask_own(&fds[i]), 200);
    }
    assert_true(wire_closes(fds[0], 5000)); /* its longest idle ones made room */
    assert_true(wire_closes(fds[1], 5000));
    assert_true(wire_text(fds[LIMIT + 1], ASK));
    wire_read(fds[LIMIT + 1], false, &a);
    assert_int_equal(a.status, 200);
    assert_true(wire_text(others, ASK)); /* idle for longer than any of them, and still there */
    wire_read(others, false, &a);
    assert_int_equal(a.status, 200);
    (void)close(others);
    let_go(fds, D7_COUNT(fds));
}

static void assert_no_limit(int (*open_one)(void))
{
    int fds[4 * LIMIT];
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        fds[i] = open_one();
        assert_true(wire_text(fds[i], "GET /api/v1/small HTTP/1.1\r\n"));
    }
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        assert_true(wire_text(fds[i], HOST "\r\n"));
        wire_read(fds[i], false, &a);
        assert_int_equal(a.status, 200);
    }
    let_go(fds, D7_COUNT(fds));
}

static int open_loopback(void)
{
    return wire_open(f.port);
}

static void loopback_and_trusted_proxies_are_exempt(void **state)
{
    (void)state;
    char text[40];
    if (find_own()) {
        uint32_t at = ntohl(own.sin_addr.s_addr);
        (void)snprintf(text, sizeof(text), "%u.%u.%u.%u/32", at >> 24, at >> 16 & 255,
                       at >> 8 & 255, at & 255);
        assert_int_equal(cidr_parse(span_of(text), &own_range), D7_OK);
        f.options.trusted_proxies = &own_range;
        f.options.trusted_proxy_count = 1;
    }
    start();
    assert_no_limit(open_own);
    assert_no_limit(open_loopback);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, init, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_address_has_its_share_and_others_are_served),
        CASE(an_address_over_its_share_loses_its_own_idle_ones_only),
        CASE(loopback_and_trusted_proxies_are_exempt),
    };
    return cmocka_run_group_tests_name("http/addresses", tests, NULL, NULL);
}
