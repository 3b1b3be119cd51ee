#include "tests/support/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "tests/support/wire.h"

/* More bytes; false at the end of the connection or of the time. */
static bool fill(struct event_stream *s, int64_t until_ms)
{
    char bytes[8192];
    int64_t left = until_ms - clock_mono_ms();
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    if (s->over || poll(&p, 1, left > 0 ? (int)left : 0) <= 0) {
        return false;
    }
    ssize_t got = recv(s->fd, bytes, sizeof(bytes), 0);
    if (got <= 0) {
        s->over = true;
        return false;
    }
    buf_append(&s->raw, bytes, (size_t)got);
    return true;
}

static void take_sized(struct event_stream *s)
{
    size_t len = s->raw.len < s->left ? s->raw.len : s->left;
    if (len) {
        buf_append(&s->text, s->raw.data, len);
        buf_consume(&s->raw, len);
    }
    s->left -= len;
    s->over = s->whole = s->left == 0;
}

/* Moves whole chunks (or what there is of a sized body) from raw to text. */
static void take_chunks(struct event_stream *s)
{
    if (s->is_sized && !s->over) {
        take_sized(s);
    }
    while (!s->over) {
        char *end = s->raw.len ? memmem(s->raw.data, s->raw.len, "\r\n", 2) : NULL;
        if (!end) {
            return;
        }
        unsigned size = 0;
        assert_int_equal(sscanf(s->raw.data, "%x", &size), 1);
        size_t head = (size_t)(end - s->raw.data) + 2;
        if (s->raw.len < head + size + 2) {
            return;
        }
        if (size) {
            buf_append(&s->text, s->raw.data + head, size);
        }
        s->over = s->whole = size == 0;
        buf_consume(&s->raw, head + size + 2);
    }
}

void stream_open(struct event_stream *s, unsigned port, const char *path, const char *last_id)
{
    char request[512];
    memset(s, 0, sizeof(*s));
    buf_init(&s->raw, 1u << 20);
    buf_init(&s->text, 1u << 20);
    s->fd = wire_open(port);
    (void)snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: test\r\n%s%s%s\r\n", path,
                   last_id ? "Last-Event-ID: " : "", last_id ? last_id : "", last_id ? "\r\n" : "");
    assert_true(wire_text(s->fd, request));
    int64_t until = clock_mono_ms() + WIRE_MS;
    char *end = NULL;
    while (!end && fill(s, until)) {
        end = memmem(s->raw.data, s->raw.len, "\r\n\r\n", 4);
    }
    assert_non_null(end);
    size_t len = (size_t)(end - s->raw.data) + 4;
    assert_true(len < sizeof(s->head));
    memcpy(s->head, s->raw.data, len);
    assert_int_equal(sscanf(s->head, "HTTP/1.1 %d", &s->status), 1);
    buf_consume(&s->raw, len);
    const char *sized = strcasestr(s->head, "\nContent-Length:"); /* all of it was there already */
    s->is_sized = sized != NULL;
    if (sized) {
        assert_int_equal(sscanf(strchr(sized, ':'), ": %zu", &s->left), 1);
    }
}

static void take_field(struct span line, struct event *e)
{
    struct span value = line;
    struct span key = span_cut(&value, ':');
    if (value.len && value.ptr[0] == ' ') {
        value = span_make(value.ptr + 1, value.len - 1);
    }
    enum d7_err err = D7_OK;
    if (span_is(key, "id")) {
        err = span_copy(value, e->id, sizeof(e->id));
    } else if (span_is(key, "event")) {
        err = span_copy(value, e->name, sizeof(e->name));
    } else if (span_is(key, "data")) {
        err = span_copy(value, e->data, sizeof(e->data));
    }
    assert_int_equal(err, D7_OK);
}

/* One block of lines up to an empty one: an event, or something else. */
static bool take_block(struct event_stream *s, struct event *ret)
{
    char *end = s->text.len ? memmem(s->text.data, s->text.len, "\n\n", 2) : NULL;
    if (!end) {
        return false;
    }
    struct span block = {s->text.data, (size_t)(end - s->text.data)};
    memset(ret, 0, sizeof(*ret));
    s->heartbeats += block.len == 1 && block.ptr[0] == ':';
    while (block.len) {
        take_field(span_cut(&block, '\n'), ret);
    }
    buf_consume(&s->text, (size_t)(end - s->text.data) + 2);
    return true;
}

bool stream_next(struct event_stream *s, int64_t wait_ms, struct event *ret)
{
    int64_t until = clock_mono_ms() + wait_ms;
    do {
        take_chunks(s);
        while (take_block(s, ret)) {
            if (ret->data[0]) {
                return true;
            }
        }
    } while (fill(s, until));
    return false;
}

bool stream_heartbeat(struct event_stream *s, int64_t wait_ms)
{
    int64_t until = clock_mono_ms() + wait_ms;
    unsigned before = s->heartbeats;
    struct event e;
    do {
        take_chunks(s);
        while (take_block(s, &e)) {
            assert_string_equal(e.data, "");
        }
        if (s->heartbeats > before) {
            return true;
        }
    } while (fill(s, until));
    return false;
}

void stream_close(struct event_stream *s)
{
    if (s->fd >= 0) {
        (void)close(s->fd);
        s->fd = -1;
    }
    buf_release(&s->raw);
    buf_release(&s->text);
}
