/*
 * `followers PORT COUNT PATH`: opens COUNT event streams and reads whatever comes, until stdin
 * ends. Prints `following COUNT` once every one has had its first bytes, and the bytes read at the
 * end.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "engine/base/span.h"

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench followers: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int follow(unsigned port, const char *path)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char ask[400];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int len = snprintf(ask, sizeof(ask),
                       "GET %s HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n", path);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
        send(fd, ask, (size_t)len, 0) != len) {
        fail("connect");
    }
    return fd;
}

/* Reads once from whoever has something; -1 in *ret_fd: stdin ended. */
static int64_t read_some(int poller, int *ret_fd)
{
    static char waste[65536];
    struct epoll_event event;
    if (epoll_wait(poller, &event, 1, -1) < 0) {
        fail("epoll_wait");
    }
    ssize_t got = read(event.data.fd, waste, sizeof(waste));
    *ret_fd = event.data.fd;
    if (event.data.fd == 0) {
        *ret_fd = -1;
        return 0;
    }
    if (got <= 0) {
        (void)fprintf(stderr, "bench followers: a stream ended\n");
        exit(1);
    }
    return got;
}

int main(int argc, char **argv)
{
    int64_t port = 0;
    int64_t count = 0;
    if (argc != 4 || span_parse_i64(span_of(argv[1]), 1, 65535, &port) ||
        span_parse_i64(span_of(argv[2]), 1, 900, &count)) {
        (void)fprintf(stderr, "usage: followers PORT COUNT PATH\n");
        return 2;
    }
    int poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event want = {.events = EPOLLIN, .data.fd = 0};
    if (poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, 0, &want) < 0) {
        fail("epoll");
    }
    static bool heard[2048];
    int64_t silent = count;
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        want.data.fd = follow((unsigned)port, argv[3]);
        if (want.data.fd >= (int)D7_COUNT(heard) ||
            epoll_ctl(poller, EPOLL_CTL_ADD, want.data.fd, &want) < 0) {
            fail("epoll");
        }
    }
    for (int fd = 0; fd >= 0;) {
        bytes += read_some(poller, &fd);
        if (fd >= 0 && !heard[fd]) {
            heard[fd] = true;
            silent--;
            if (silent == 0) {
                (void)printf("following %lld\n", (long long)count);
                (void)fflush(stdout);
            }
        }
    }
    (void)printf("bytes %lld\n", (long long)bytes);
    return 0;
}
