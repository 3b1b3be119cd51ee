/* The verbs of drop7 check: say, wait, judge. */
#include <stdarg.h>

#include "engine/base/clock.h"
#include "engine/tool/check.h"

#define PIECE_MS 20 /* between two pieces of a line */

void checker_fail(struct checker *c, const char *line, const char *format, ...)
{
    if (c->failed || c->err) {
        return;
    }
    va_list args;
    va_start(args, format);
    int len = vsnprintf(c->now->detail, sizeof(c->now->detail), format, args);
    va_end(args);
    if (len < 0) {
        c->now->detail[0] = '\0'; /* over-long is cut, which is fine: a sentence for people */
    }
    if (line) {
        (void)snprintf(c->now->line, sizeof(c->now->line), "%s", line);
    }
    c->failed = true;
}

static bool is_fine(const struct checker *c)
{
    return !c->failed && !c->err;
}

void checker_forget(struct checker *c)
{
    memset(c->heard, 0, sizeof(c->heard));
    memset(&c->bad_id, 0, sizeof(c->bad_id));
}

/* Our words for an exchange that failed, the unfinished line, and the program's last words. */
static void explain(struct checker *c, enum talk_step step, enum peer_event event)
{
    struct talk talk = {step, event};
    char why[TALK_WHY_SIZE];
    char pending[CHECK_LINE_SIZE];
    talk_explain(c->peer, &talk, why);
    (void)span_escape(link_pending(&c->peer->link), pending, sizeof(pending));
    if (event == PEER_CLOSED) {
        struct span tail = span_trim(peer_stderr(c->peer));
        size_t keep = tail.len < CHECK_LINE_SIZE / 2 ? tail.len : CHECK_LINE_SIZE / 2;
        (void)span_escape(span_make(tail.ptr + tail.len - keep, keep), c->now->said,
                          sizeof(c->now->said));
    }
    const char *other = c->heard[D7P_OTHER].count ? c->heard[D7P_OTHER].line : NULL;
    checker_fail(c, pending[0] ? pending : other, "%s%s%s", why,
                 pending[0] ? "; the line shown was not ended by LF" : "",
                 event == PEER_LATE && !pending[0] ? " (is the output flushed after each line?)"
                                                   : "");
}

/* What is on standard output that a harness passes over. */
static void note_strange(struct checker *c, struct span line, enum d7p_answer answer,
                         const char *escaped)
{
    struct span rest = line;
    size_t points = 0;
    struct span word = span_token(&rest);
    bool is_text = span_utf8(line, &points) && !memchr(line.ptr, '\0', line.len);
    if (!is_text && c->unreadable++ == 0) {
        (void)snprintf(c->unreadable_line, sizeof(c->unreadable_line), "%s", escaped);
    }
    if (answer == D7P_OTHER && word.len && !span_is(word, "info") && c->strange++ == 0) {
        (void)snprintf(c->strange_line, sizeof(c->strange_line), "%s", escaped);
    }
}

static void note_bad_id(struct checker *c, struct span line, const struct d7p_reply *r)
{
    struct span rest = line;
    bool is_unknown = r->answer == D7P_OTHER && span_is(span_token(&rest), "id");
    bool is_unfit = r->answer == D7P_ID_NAME && !span_is_label(r->text, 1, 80, false);
    if (is_unknown || is_unfit) {
        c->bad_id.count++;
        (void)span_escape(line, c->bad_id.line, sizeof(c->bad_id.line));
    }
}

/* The next line within the wait; PEER_DONE, or what happened instead (nothing has failed yet). */
static enum peer_event next_line(struct checker *c, struct d7p_reply *ret)
{
    struct span line = {NULL, 0};
    enum peer_event event = PEER_CLOSED;
    c->err = link_next(&c->peer->link, &c->wait, &line, &event);
    if (c->err || event != PEER_DONE) {
        return event;
    }
    d7p_parse_reply(line, ret);
    struct check_heard *heard = &c->heard[ret->answer];
    struct span rest = line;
    bool is_blank = span_token(&rest).len == 0;
    if (!is_blank) {
        heard->count++;
        (void)span_escape(line, heard->line, sizeof(heard->line));
        heard->move = ret->move;
        heard->column = ret->column;
        note_bad_id(c, line, ret);
    }
    note_strange(c, line, ret->answer, is_blank ? "" : heard->line);
    return event;
}

static enum talk_step step_of(enum d7p_answer wanted)
{
    return wanted == D7P_OK ? TALK_HANDSHAKE : wanted == D7P_READY ? TALK_READY : TALK_QUESTION;
}

static int64_t limit_of(const struct checker *c, enum talk_step step)
{
    return step == TALK_HANDSHAKE ? c->limits.handshake_ms
           : step == TALK_READY   ? c->limits.ready_ms
                                  : c->limits.move_ms;
}

/* As it stands where it can be shown, otherwise escaped. */
static void note_text(struct span text, char *to, size_t size)
{
    if (!span_is_label(text, 1, 80, false) || span_copy(text, to, size)) {
        (void)span_escape(text, to, size);
    }
}

static void note_identity(struct checker *c, const struct d7p_reply *r)
{
    if (r->answer == D7P_ID_NAME) {
        note_text(r->text, c->who.name, sizeof(c->who.name));
    } else if (r->answer == D7P_ID_FAMILY) {
        note_text(r->text, c->who.family, sizeof(c->who.family));
    } else if (r->answer == D7P_ID_PUBLIC) {
        c->who.public_information = r->flag;
    }
}

/* expect, with the answer itself. */
static bool hear(struct checker *c, enum d7p_answer wanted, struct d7p_reply *ret)
{
    if (!is_fine(c)) {
        return false;
    }
    enum talk_step step = step_of(wanted);
    patience_within(&c->wait, limit_of(c, step));
    for (;;) {
        enum peer_event event = next_line(c, ret);
        if (c->err) {
            return false;
        }
        if (event != PEER_DONE) {
            explain(c, step, event);
            return false;
        }
        note_identity(c, ret);
        if (ret->answer == wanted) {
            return true;
        }
    }
}

bool checker_expect(struct checker *c, enum d7p_answer wanted)
{
    struct d7p_reply reply;
    return hear(c, wanted, &reply);
}

static bool say(struct checker *c, struct span text)
{
    if (!is_fine(c)) {
        return false;
    }
    enum peer_event event = PEER_CLOSED;
    enum talk_step step = span_starts(text, "d7p")       ? TALK_HANDSHAKE
                          : span_starts(text, "isready") ? TALK_READY
                                                         : TALK_QUESTION;
    patience_within(&c->wait, c->limits.ready_ms);
    c->err = link_write(&c->peer->link, &c->wait, text, &event);
    if (!c->err && event == PEER_LATE) {
        checker_fail(c, NULL, "it did not read its input for %lld ms",
                     (long long)c->limits.ready_ms);
    } else if (!c->err && event != PEER_DONE) {
        explain(c, step, event);
    }
    return is_fine(c);
}

bool checker_say(struct checker *c, const char *text)
{
    return say(c, span_of(text));
}

bool checker_barrier(struct checker *c)
{
    return checker_say(c, "isready\n") && checker_expect(c, D7P_READY);
}

bool checker_expect_quiet(struct checker *c, int64_t ms)
{
    struct d7p_reply reply;
    patience_within(&c->wait, ms);
    while (is_fine(c)) {
        enum peer_event event = next_line(c, &reply);
        if (c->err) {
            break;
        }
        if (event == PEER_LATE) {
            return true;
        }
        if (event != PEER_DONE) {
            explain(c, TALK_READY, event);
        } else if (reply.answer != D7P_OTHER) {
            checker_fail(c, c->heard[reply.answer].line, "it answers what nobody asked");
        }
    }
    return false;
}

bool checker_expect_end(struct checker *c, int64_t ms)
{
    struct d7p_reply reply;
    int64_t from = clock_mono_ms();
    enum peer_event event = PEER_DONE;
    patience_within(&c->wait, ms);
    while (is_fine(c) && event == PEER_DONE) {
        event = next_line(c, &reply);
    }
    if (!is_fine(c)) {
        return false;
    }
    bool has_ended = event == PEER_CLOSED;
    if (has_ended && c->peer->link.exit_fd >= 0) {
        struct pollfd end = {.fd = c->peer->link.exit_fd, .events = POLLIN};
        c->err = patience_poll(&c->wait, &end, 1, &has_ended);
    }
    if (event != PEER_CLOSED && event != PEER_LATE) {
        explain(c, TALK_READY, event);
    } else if (!has_ended) {
        checker_fail(c, NULL, "still %s after %lld ms",
                     c->peer->link.exit_fd >= 0 ? "running" : "connected",
                     (long long)(clock_mono_ms() - from));
    }
    return is_fine(c);
}

bool checker_pause(struct checker *c)
{
    bool ready = false;
    patience_within(&c->wait, PIECE_MS);
    if (is_fine(c)) {
        c->err = patience_poll(&c->wait, NULL, 0, &ready);
    }
    return is_fine(c);
}

static bool start_one(struct checker *c, struct peer *p, struct talk *t)
{
    t->step = TALK_START;
    patience_within(&c->wait, c->limits.connect_ms);
    c->err = peer_start(p, &c->wait, &t->event);
    return !c->err && t->event == PEER_DONE;
}

bool checker_start(struct checker *c)
{
    if (!is_fine(c) || (c->peer && c->peer->running)) {
        return is_fine(c);
    }
    struct talk t = {TALK_START, PEER_NO_START};
    char why[TALK_WHY_SIZE] = "nobody to talk to";
    for (unsigned i = 0; i < c->peer_count && !c->err; i++) {
        struct peer *p = c->peer ? c->peer : c->peers[i];
        if (start_one(c, p, &t)) {
            c->peer = p;
            return true;
        }
        talk_explain(p, &t, why);
        if (c->peer) {
            break; /* an address that once answered stays the one */
        }
    }
    checker_fail(c, NULL, "%s", why);
    return false;
}

bool checker_open(struct checker *c)
{
    c->who = (struct identity){.public_information = true};
    return checker_start(c) && checker_say(c, "d7p\n") && checker_expect(c, D7P_OK) &&
           checker_barrier(c);
}

void checker_compare_identity(struct checker *c, const char *when)
{
    if (strcmp(c->first_who.name, c->who.name) != 0 ||
        strcmp(c->first_who.family, c->who.family) != 0 ||
        c->first_who.public_information != c->who.public_information) {
        checker_fail(c, NULL, "%s it calls itself '%s' (public-information %s)", when, c->who.name,
                     c->who.public_information ? "true" : "false");
    }
}

static bool judge_none(struct checker *c, const struct d7p_reply *r, const char *line)
{
    if (r->move != D7P_MOVE_NONE) {
        checker_fail(c, line, "no column is legal: the answer must be 'bestmove none'");
    }
    return is_fine(c);
}

static bool judge(struct checker *c, const struct d7p_reply *r, unsigned legal, const char *line)
{
    char board[8] = "";
    for (unsigned i = 0, n = 0; i < BOARD_COLUMNS; i++) {
        if (legal >> i & 1u) {
            board[n++] = (char)('0' + i);
        }
    }
    if (r->move == D7P_MOVE_NONE) {
        checker_fail(c, line, "'none' while there are legal columns: %s", board);
    } else if (r->move == D7P_MOVE_MALFORMED) {
        checker_fail(c, line, "the column must be one plain digit from 0 to 6, or 'none'");
    } else if (!(legal >> r->column & 1u)) {
        checker_fail(c, line, "column %u is full; legal: %s", r->column, board);
    }
    return is_fine(c);
}

bool checker_answer(struct checker *c, const struct position *at, uint8_t *ret_column)
{
    struct d7p_reply reply = {.answer = D7P_OTHER};
    if (!hear(c, D7P_BESTMOVE, &reply)) {
        return false;
    }
    unsigned legal = board_legal(&at->board);
    const char *line = c->heard[D7P_BESTMOVE].line;
    if (!(legal ? judge(c, &reply, legal, line) : judge_none(c, &reply, line))) {
        return false;
    }
    *ret_column = legal ? reply.column : CHECK_NONE;
    return true;
}

bool checker_begin(struct checker *c)
{
    enum peer_event event = PEER_DONE;
    if (is_fine(c)) {
        link_begin(&c->peer->link, &event);
    }
    if (event != PEER_DONE) {
        explain(c, TALK_QUESTION, event);
    }
    return is_fine(c);
}

bool checker_question(struct checker *c, const struct position *at, uint8_t *ret_column)
{
    char text[D7P_QUESTION_SIZE];
    if (!checker_begin(c)) { /* as the harness: what came before is no answer */
        return false;
    }
    struct span question = span_make(text, d7p_write_question(at, text));
    struct span rest = question;
    struct span position = span_cut(&rest, '\n');
    memcpy(c->now->asked, position.ptr, position.len); /* as large as the question */
    c->now->asked[position.len] = '\0';
    return say(c, question) && checker_answer(c, at, ret_column);
}

bool checker_ask(struct checker *c, const struct position *at, uint8_t *ret_column)
{
    return checker_question(c, at, ret_column) && checker_barrier(c);
}

bool checker_ask_for(struct checker *c, const struct position *at, uint8_t column)
{
    uint8_t got = 0;
    if (checker_question(c, at, &got) && got != column) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line, "the answer must be %u", column);
    }
    return checker_barrier(c);
}
