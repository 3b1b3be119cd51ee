/*
 * Lines of D7P however their bytes are cut: the policy's side (d7p_stream), and the harness's
 * (link, over a real pipe), each against the whole text at once.
 *
 * Format  the first byte says where it is cut; the rest is what comes over the wire.
 */
#include <fcntl.h>

#include "engine/base/fdio.h"
#include "engine/d7p/serve.h"
#include "engine/harness/link.h"
#include "tests/fuzz/target.h"

#define LINE_MAX_BYTES 64
#define WIRE_MAX       8000 /* fits a pipe at once */
#define OUTPUT_MAX     (64u << 20)

static unsigned lowest(void *ctx, const struct position *at)
{
    unsigned legal = board_legal(&at->board);
    (void)ctx;
    D7_CHECK(legal != 0 && at->next - 1u < 7 && at->rise - 1u < 5);
    return (unsigned)__builtin_ctz(legal);
}

/* All answers to the text, fed in pieces of that size; returns whether the session goes on. */
static bool serve(struct span text, size_t piece, struct buf *out)
{
    struct d7p_session session = {.identity = {"Fuzz", "fuzz", true}, .choose = lowest};
    struct d7p_stream stream;
    bool go_on = true;
    d7p_stream_init(&stream, &session);
    do {
        size_t len = text.len < piece ? text.len : piece;
        struct span part = {text.ptr, len};
        text.ptr += len;
        text.len -= len;
        go_on = d7p_stream_feed(&stream, part, text.len == 0, out);
    } while (go_on && text.len);
    d7p_stream_release(&stream);
    return go_on;
}

/* One answer a line of the known kinds. */
static void check_answers(struct span out)
{
    while (out.len) {
        struct d7p_reply r;
        struct span line = span_cut(&out, '\n');
        D7_CHECK(line.len && !memchr(line.ptr, '\0', line.len));
        d7p_parse_reply(line, &r);
        if (r.answer == D7P_BESTMOVE) {
            D7_CHECK(r.move == D7P_MOVE_NONE || (r.move == D7P_MOVE_COLUMN && r.column < 7));
        } else {
            D7_CHECK(r.answer != D7P_OTHER || span_starts(line, "info error "));
        }
    }
}

static void check_serving(struct span text, size_t piece)
{
    struct buf whole;
    struct buf cut;
    buf_init(&whole, OUTPUT_MAX);
    buf_init(&cut, OUTPUT_MAX);
    bool a = serve(text, text.len + 1, &whole);
    bool b = serve(text, piece, &cut);
    D7_CHECK(a == b && !whole.err && !cut.err);
    D7_CHECK(span_equal(buf_span(&whole), buf_span(&cut)));
    check_answers(buf_span(&whole));
    buf_release(&whole);
    buf_release(&cut);
}

static void check_reply(struct span line)
{
    struct d7p_reply r;
    d7p_parse_reply(line, &r);
    D7_CHECK(r.answer != D7P_BESTMOVE || r.move != D7P_MOVE_COLUMN || r.column < 7);
    D7_CHECK(r.text.len == 0 ||
             (r.text.ptr >= line.ptr && r.text.ptr + r.text.len <= line.ptr + line.len));
}

/* What link_next must say next, from the text not yet handed out. */
static enum peer_event expected(struct span *rest, struct span *ret_line)
{
    const char *mark = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t len = mark ? (size_t)(mark - rest->ptr) : rest->len;
    if (len > LINE_MAX_BYTES) {
        return PEER_LINE_LIMIT;
    }
    if (!mark) {
        return PEER_CLOSED;
    }
    *ret_line = span_cut(rest, '\n');
    return PEER_DONE;
}

static void check_link(struct span text, size_t piece)
{
    const struct link_limits limits = {LINE_MAX_BYTES, SIZE_MAX / 2, 16};
    struct patience patient = {
        .deadline_us = INT64_MAX, .final_us = INT64_MAX, .ask_us = INT64_MAX};
    struct link link;
    int pipes[2];
    text.len = text.len < WIRE_MAX ? text.len : WIRE_MAX;
    D7_CHECK(pipe2(pipes, O_CLOEXEC | O_NONBLOCK) == 0 && link_init(&link, &limits) == D7_OK);
    link_open(&link, pipes[0], -1, -1, -1);
    struct span unsent = text;
    struct span rest = text;
    enum peer_event event = PEER_DONE;
    while (event == PEER_DONE) {
        /* a piece, then as many lines as it completed; all of it before the end */
        size_t len = unsent.len < piece ? unsent.len : piece;
        D7_CHECK(fd_write_all(pipes[1], unsent.ptr, len) == D7_OK);
        unsent.ptr += len;
        unsent.len -= len;
        if (unsent.len == 0 && pipes[1] >= 0) {
            (void)close(pipes[1]);
            pipes[1] = -1;
        }
        if (unsent.len && !memchr(rest.ptr, '\n', (size_t)(unsent.ptr - rest.ptr))) {
            continue;
        }
        struct span want = {NULL, 0};
        struct span line = {NULL, 0};
        D7_CHECK(link_next(&link, &patient, &line, &event) == D7_OK);
        D7_CHECK(event == expected(&rest, &want));
        if (event == PEER_DONE) {
            D7_CHECK(span_equal(line, want));
            check_reply(line);
        }
    }
    if (pipes[1] >= 0) {
        (void)close(pipes[1]);
    }
    link_release(&link);
}

void fuzz_lines(const uint8_t *bytes, size_t len)
{
    struct fuzz_input in = {bytes, len};
    size_t piece = fuzz_byte(&in) % 100 + 1u;
    check_serving(fuzz_rest(&in), piece);
    check_link(fuzz_rest(&in), piece);
}
