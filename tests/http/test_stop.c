/* Stopping a daemon: what is under way ends well, whoever comes is told, and no timing aborts. */
#include "tests/support/http_fixture.h"
#include "tests/support/wire.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

#define HOST "Host: localhost\r\n"

static struct http_fixture f;
static struct wire_answer a;

typedef int epoll_ctl_fn(int, int, int, struct epoll_event *);

/* Stands before the C library's, for the HTTP library too. Taking a listening socket out of an
 * epoll set is slow here, so that two threads that both mean to do it meet every time. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    epoll_ctl_fn *real = NULL;
    void *found = dlsym(RTLD_NEXT, "epoll_ctl");
    memcpy(&real, &found, sizeof(real)); /* ISO C has no cast from object to function */
    int listens = 0;
    socklen_t size = sizeof(listens);
    if (op == EPOLL_CTL_DEL && getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
        listens) {
        (void)usleep(2000);
    }
    return real(epfd, op, fd, event);
}

static int init(void **state)
{
    (void)state;
    http_fixture_init(&f);
    return 0;
}

static int release(void **state)
{
    (void)state;
    wire_release(&a);
    support_scratch_remove();
    return 0;
}

static void *stop_main(void *cls)
{
    daemon_stop(cls, 5000);
    return NULL;
}

static void stopping_lets_a_request_in_flight_end(void **state)
{
    (void)state;
    http_fixture_start(&f);
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET /api/v1/slow HTTP/1.1\r\n" HOST "\r\n"));
    http_fixture_wait_slow();
    http_fixture_go();
    daemon_stop(f.daemon, 5000);
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 200);
    assert_true(wire_closes(fd, 1000));
    (void)close(fd);
}

static void newcomers_are_told_while_the_last_request_ends(void **state)
{
    (void)state;
    http_fixture_start(&f);
    int fd = wire_open(f.port);
    assert_true(wire_text(fd, "GET /api/v1/slow HTTP/1.1\r\n" HOST "\r\n"));
    http_fixture_wait_slow();
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stop_main, f.daemon), 0);
    int64_t until = clock_mono_ms() + 4000;
    do {
        wire_ask(f.port, "GET /api/v1/small HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", &a);
    } while (a.status == 200 && clock_mono_ms() < until);
    assert_int_equal(a.status, 503);
    assert_non_null(strstr(a.body.data, "stopping"));
    assert_non_null(wire_header(&a, "Retry-After"));
    http_fixture_go();
    assert_int_equal(pthread_join(stopper, NULL), 0);
    wire_read(fd, false, &a);
    assert_int_equal(a.status, 200);
    (void)close(fd);
}

static void *knock_main(void *cls)
{
    (void)cls;
    for (int i = 0; i < 40; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)f.port)};
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        (void)connect(fd, (const struct sockaddr *)&at, sizeof(at)); /* refused at the end */
        (void)send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
        (void)usleep(200);
        (void)close(fd);
    }
    return NULL;
}

/* The pool's threads are awake while the daemon stops. */
static void stopping_under_traffic_never_aborts(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        pthread_t knocker;
        if (round) {
            http_fixture_init(&f);
        }
        http_fixture_start(&f);
        assert_int_equal(pthread_create(&knocker, NULL, knock_main, NULL), 0);
        (void)usleep(1000);
        daemon_stop(f.daemon, 2000);
        assert_int_equal(pthread_join(knocker, NULL), 0);
        support_scratch_remove();
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, init, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(stopping_lets_a_request_in_flight_end),
        CASE(newcomers_are_told_while_the_last_request_ends),
        CASE(stopping_under_traffic_never_aborts),
    };
    return cmocka_run_group_tests_name("http/stop", tests, NULL, NULL);
}
