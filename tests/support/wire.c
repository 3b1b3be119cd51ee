#include "tests/support/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

int wire_open(unsigned port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const void *at = &to;
    if (connect(fd, at, sizeof(to)) < 0) {
        fail_msg("connect: errno %d", errno);
    }
    return fd;
}

bool wire_send(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        ssize_t put = send(fd, at, len, MSG_NOSIGNAL);
        if (put < 0) {
            return false;
        }
        at += put;
        len -= (size_t)put;
    }
    return true;
}

bool wire_text(int fd, const char *text)
{
    return wire_send(fd, text, strlen(text));
}

/* Bytes read, 0 at the end (a reset counts as one), -1 when the time is over. */
static ssize_t read_some(int fd, char *to, size_t size, int64_t until_ms)
{
    int64_t left = until_ms - clock_mono_ms();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (left < 0 || poll(&p, 1, (int)left) <= 0) {
        return -1;
    }
    ssize_t got = recv(fd, to, size, 0);
    return got < 0 ? 0 : got;
}

bool wire_closes(int fd, int64_t ms)
{
    int64_t until = clock_mono_ms() + ms;
    char waste[4096];
    ssize_t got;
    do {
        got = read_some(fd, waste, sizeof(waste), until);
    } while (got > 0);
    return got == 0;
}

const char *wire_header(const struct wire_answer *a, const char *name)
{
    static char value[2048];
    struct span rest = buf_span(&a->head);
    while (rest.len) {
        struct span line = span_cut(&rest, '\n');
        struct span key = span_cut(&line, ':');
        if (key.len == strlen(name) && strncasecmp(key.ptr, name, key.len) == 0) {
            assert_int_equal(span_copy(span_trim(line), value, sizeof(value)), D7_OK);
            return value;
        }
    }
    return NULL;
}

void wire_vanish(int fd)
{
    struct sock_filter nothing[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    const struct sock_fprog program = {.len = 1, .filter = nothing};
    int done = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
    if (done < 0 && errno == EPERM) { /* some kernels keep this from ordinary users */
        support_skip("no right to filter a socket here");
    }
    assert_int_equal(done, 0);
}

void wire_release(struct wire_answer *a)
{
    buf_release(&a->head);
    buf_release(&a->body);
    memset(a, 0, sizeof(*a));
}

static bool read_head(int fd, int64_t until, struct wire_answer *a)
{
    char chunk[65536];
    for (;;) {
        const char *end = a->head.len ? memmem(a->head.data, a->head.len, "\r\n\r\n", 4) : NULL;
        if (end) {
            size_t used = (size_t)(end - a->head.data) + 4;
            buf_append(&a->body, a->head.data + used, a->head.len - used);
            a->head.len = used;
            a->head.data[used] = '\0';
            return true;
        }
        ssize_t got = read_some(fd, chunk, sizeof(chunk), until);
        if (got <= 0) {
            a->closed = got == 0;
            return false;
        }
        buf_append(&a->head, chunk, (size_t)got);
    }
}

void wire_read(int fd, bool is_head, struct wire_answer *ret)
{
    wire_release(ret);
    buf_init(&ret->head, 64u << 20);
    buf_init(&ret->body, 64u << 20);
    int64_t until = clock_mono_ms() + WIRE_MS;
    if (!read_head(fd, until, ret)) {
        return;
    }
    int64_t status = 0;
    struct span line = buf_span(&ret->head);
    (void)span_token(&line);
    if (span_parse_i64(span_token(&line), 100, 599, &status)) {
        return;
    }
    ret->status = (int)status;
    const char *text = wire_header(ret, "Content-Length");
    int64_t length = 0;
    if (text) {
        assert_int_equal(span_parse_i64(span_of(text), 0, 64 << 20, &length), D7_OK);
    }
    bool bodiless = is_head || status == 304 || status == 204 || status == 100;
    char chunk[65536];
    while (!bodiless && ret->body.len < (size_t)length) {
        ssize_t got = read_some(fd, chunk, sizeof(chunk), until);
        if (got <= 0) {
            ret->closed = got == 0;
            return;
        }
        buf_append(&ret->body, chunk, (size_t)got);
    }
}

void wire_ask(unsigned port, const char *request, struct wire_answer *ret)
{
    int fd = wire_open(port);
    (void)wire_text(fd, request); /* may be refused halfway: the answer tells */
    wire_read(fd, strncmp(request, "HEAD", 4) == 0, ret);
    const char *connection = ret->status ? wire_header(ret, "Connection") : NULL;
    if (connection && strcasecmp(connection, "close") == 0) {
        ret->closed = wire_closes(fd, WIRE_MS);
    }
    (void)close(fd);
}
