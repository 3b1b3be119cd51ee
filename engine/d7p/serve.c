#include "engine/d7p/serve.h"

static void say_hello(const struct d7p_identity *who, struct buf *out)
{
    buf_printf(out, "id name %s\nid family %s\nid public-information %s\nd7pok\n", who->name,
               who->family, who->public_information ? "true" : "false");
}

static void answer_go(struct d7p_session *s, struct buf *out)
{
    if (!s->has_position) {
        buf_text(out, "info error no position\n");
    } else if (board_legal(&s->position.board) == 0) {
        buf_text(out, "bestmove none\n");
    } else {
        unsigned column = s->choose(s->ctx, &s->position);
        D7_CHECK(column < BOARD_COLUMNS);
        buf_printf(out, "bestmove %u\n", column);
    }
}

bool d7p_session_line(struct d7p_session *s, struct span line, struct buf *out)
{
    struct d7p_request request;
    d7p_parse_request(line, &request);
    switch (request.command) {
    case D7P_BLANK:
        break;
    case D7P_HELLO:
        say_hello(&s->identity, out);
        break;
    case D7P_ISREADY:
        buf_text(out, "readyok\n");
        break;
    case D7P_POSITION:
        /* a refused position also drops the one before: the next go must not answer an old question
         */
        s->has_position = request.position_ok;
        s->position = request.position;
        if (!request.position_ok) {
            buf_printf(out, "info error %s\n", request.problem);
        }
        break;
    case D7P_GO:
        answer_go(s, out);
        break;
    case D7P_QUIT:
        return false;
    case D7P_UNKNOWN: {
        char word[64];
        buf_printf(out, "info error unknown command '%s'\n",
                   span_escape(request.word, word, sizeof(word)));
        break;
    }
    }
    return true;
}

void d7p_stream_init(struct d7p_stream *st, struct d7p_session *session)
{
    *st = (struct d7p_stream){.session = session};
    buf_init(&st->pending, D7P_LINE_MAX);
}

void d7p_stream_release(struct d7p_stream *st)
{
    buf_release(&st->pending);
}

static void refuse_long_line(struct d7p_stream *st, struct buf *out)
{
    st->skipping = true;
    buf_clear(&st->pending);
    st->session->has_position = false; /* it may have been a position */
    buf_printf(out, "info error line over %d bytes\n", D7P_LINE_MAX);
}

/* Takes what belongs to the line being read; a line over the limit is refused once and skipped. */
static void keep(struct d7p_stream *st, struct span part, struct buf *out)
{
    if (st->skipping) {
        return;
    }
    buf_append(&st->pending, part.ptr, part.len);
    if (st->pending.err == D7_ERR_TOO_LARGE) {
        refuse_long_line(st, out);
    } else if (st->pending.err) {
        out->err = out->err ? out->err : st->pending.err;
    }
}

static bool finish_line(struct d7p_stream *st, struct buf *out)
{
    bool go_on = true;
    if (!st->skipping) {
        go_on = d7p_session_line(st->session, buf_span(&st->pending), out);
    }
    st->skipping = false;
    buf_clear(&st->pending);
    return go_on;
}

bool d7p_stream_feed(struct d7p_stream *st, struct span bytes, bool at_end, struct buf *out)
{
    while (bytes.len) {
        bool whole = memchr(bytes.ptr, '\n', bytes.len) != NULL;
        keep(st, span_cut(&bytes, '\n'), out);
        if (whole && !finish_line(st, out)) {
            return false;
        }
    }
    if (at_end && st->pending.len) {
        return finish_line(st, out);
    }
    return true;
}
