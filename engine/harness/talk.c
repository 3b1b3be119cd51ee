#include "engine/harness/talk.h"

#define LABEL_POINTS 80 /* as long as a registered name may be */

/* The label in what a policy calls itself: printable code points only, at most LABEL_POINTS. */
static void clean_label(struct span text, char *to, size_t size)
{
    size_t out = 0;
    size_t points = 0;
    for (size_t at = 0; at < text.len && points < LABEL_POINTS;) {
        size_t len = 1;
        while (len <= 4 && at + len <= text.len &&
               !span_is_label(span_make(text.ptr + at, len), 1, 1, false)) {
            len++;
        }
        if (len > 4 || at + len > text.len) {
            at++; /* no character, or one nobody can see */
            continue;
        }
        D7_CHECK(out + len < size);
        memcpy(to + out, text.ptr + at, len);
        out += len;
        at += len;
        points++;
    }
    while (out > 0 && to[out - 1] == ' ') {
        out--;
    }
    to[out] = '\0';
}

static void note_identity(const struct d7p_reply *reply, struct identity *who)
{
    if (reply->answer == D7P_ID_NAME) {
        clean_label(reply->text, who->name, sizeof(who->name));
    } else if (reply->answer == D7P_ID_FAMILY) {
        clean_label(reply->text, who->family, sizeof(who->family));
    } else if (reply->answer == D7P_ID_PUBLIC) {
        who->public_information = reply->flag;
    }
}

/* Says `words` and reads on until `wanted`; *ret_last is that line, borrowed from the link. */
static enum d7_err exchange(struct peer *p, struct patience *w, struct span words,
                            enum d7p_answer wanted, struct identity *who, struct d7p_reply *ret,
                            struct span *ret_last, enum peer_event *ret_event)
{
    enum d7_err err = link_write(&p->link, w, words, ret_event);
    while (!err && *ret_event == PEER_DONE) {
        err = link_next(&p->link, w, ret_last, ret_event);
        if (err || *ret_event != PEER_DONE) {
            break;
        }
        d7p_parse_reply(*ret_last, ret);
        if (ret->answer == wanted) {
            break;
        }
        if (who) {
            note_identity(ret, who);
        }
    }
    return err;
}

enum d7_err talk_open(struct peer *p, struct patience *w, struct identity *ret_who,
                      struct talk *ret)
{
    struct d7p_reply reply;
    struct span line;
    ret->step = TALK_START;
    patience_within(w, p->limits.connect_ms);
    enum d7_err err = peer_start(p, w, &ret->event);
    if (err || ret->event != PEER_DONE) {
        return err;
    }
    ret->step = TALK_HANDSHAKE;
    struct identity who = {.public_information = true};
    patience_within(w, p->limits.handshake_ms);
    err = exchange(p, w, span_of("d7p\n"), D7P_OK, &who, &reply, &line, &ret->event);
    if (err || ret->event != PEER_DONE) {
        return err;
    }
    *ret_who = who;
    return talk_barrier(p, w, ret);
}

enum d7_err talk_barrier(struct peer *p, struct patience *w, struct talk *ret)
{
    struct d7p_reply reply;
    struct span line;
    ret->step = TALK_READY;
    link_begin(&p->link, &ret->event);
    if (ret->event != PEER_DONE) {
        return D7_OK;
    }
    peer_set_paused(p, false);
    patience_within(w, p->limits.ready_ms);
    return exchange(p, w, span_of("isready\n"), D7P_READY, NULL, &reply, &line, &ret->event);
}

enum d7_err talk_ask(struct peer *p, struct patience *w, const struct position *at,
                     struct answer *ret_answer, struct talk *ret)
{
    char question[D7P_QUESTION_SIZE];
    size_t len = d7p_write_question(at, question);
    struct d7p_reply reply = {.answer = D7P_OTHER};
    struct span line = {NULL, 0};
    ret->step = TALK_QUESTION;
    ret_answer->think_us = 0;
    link_begin(&p->link, &ret->event);
    if (ret->event != PEER_DONE) {
        return D7_OK;
    }
    patience_within(w, p->limits.move_ms);
    int64_t from = w->seen_us - w->lost_us;
    /* The question before the leave to go on: or it would wake up, find nothing and sleep again. */
    struct span rest = link_offer(&p->link, span_make(question, len));
    peer_set_paused(p, false);
    enum d7_err err = exchange(p, w, rest, D7P_BESTMOVE, NULL, &reply, &line, &ret->event);
    ret_answer->think_us = patience_now_us(w) - from;
    if (err || ret->event != PEER_DONE) {
        return err;
    }
    peer_set_paused(p, true);
    ret_answer->move = reply.move;
    ret_answer->column = reply.column;
    ret_answer->seen[0] = '\0';
    if (reply.move != D7P_MOVE_COLUMN) {
        (void)span_escape(line, ret_answer->seen, sizeof(ret_answer->seen));
    }
    return D7_OK;
}

/* What was waited for, and its limit. */
static const char *awaited(const struct peer *p, enum talk_step step, int64_t *ret_limit_ms)
{
    switch (step) {
    case TALK_START:
        *ret_limit_ms = p->limits.connect_ms;
        return "connection";
    case TALK_HANDSHAKE:
        *ret_limit_ms = p->limits.handshake_ms;
        return "d7pok";
    case TALK_READY:
        *ret_limit_ms = p->limits.ready_ms;
        return "readyok";
    case TALK_QUESTION:
        break;
    }
    *ret_limit_ms = p->limits.move_ms;
    return "bestmove";
}

void talk_explain(struct peer *p, const struct talk *t, char ret_text[TALK_WHY_SIZE])
{
    int64_t limit_ms = 0;
    const char *what = awaited(p, t->step, &limit_ms);
    switch (t->event) {
    case PEER_DONE:
        ret_text[0] = '\0';
        break;
    case PEER_LATE:
        (void)snprintf(ret_text, TALK_WHY_SIZE, "no %s within %lld ms", what, (long long)limit_ms);
        break;
    case PEER_CLOSED:
        p->kind->explain_end(p);
        (void)snprintf(ret_text, TALK_WHY_SIZE, "%s before its %s", p->why, what);
        break;
    case PEER_LINE_LIMIT:
        (void)snprintf(ret_text, TALK_WHY_SIZE, "a line of more than %zu bytes",
                       p->limits.line_bytes);
        break;
    case PEER_OUTPUT_LIMIT:
        (void)snprintf(ret_text, TALK_WHY_SIZE, "more than %zu bytes of output without a %s",
                       p->limits.output_bytes, what);
        break;
    case PEER_NO_START:
        (void)snprintf(ret_text, TALK_WHY_SIZE, "%s", p->why);
        break;
    }
}
