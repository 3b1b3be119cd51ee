/* Steps: how lines are written and cut, and lines that are none of the five commands. */
#include "engine/tool/check.h"

/* `before`, the position whose only legal column is `column`, `between`, go, `after`: the answer
 * must be that column. Each line of ours ends by `end`. */
struct wrapped {
    unsigned column;
    const char *before, *between, *after, *end;
};

static void text_of(const struct position *at, char ret_digits[BOARD_TEXT_SIZE])
{
    board_format(&at->board, ret_digits);
}

/* "position board B next N rise R" without an end. */
static int write_position(const struct position *at, char *to, size_t size)
{
    char digits[BOARD_TEXT_SIZE];
    text_of(at, digits);
    int len = snprintf(to, size, "position board %s next %u rise %u", digits, at->next, at->rise);
    D7_CHECK(len > 0 && (size_t)len < size);
    return len;
}

static void ask_wrapped(struct checker *c, const struct wrapped *w)
{
    char text[512];
    struct position at = check_only_legal(w->column);
    uint8_t got = 0;
    (void)write_position(&at, c->now->asked, sizeof(c->now->asked));
    int len = snprintf(text, sizeof(text), "%s%s%s%sgo%s%s", w->before, c->now->asked, w->end,
                       w->between, w->end, w->after);
    D7_CHECK(len > 0 && (size_t)len < sizeof(text));
    if (checker_say(c, text) && checker_answer(c, &at, &got) && got != w->column) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line, "the answer must be %u", w->column);
    }
}

/* Nothing but the one answer may have been heard. */
static void expect_one_answer(struct checker *c)
{
    if (checker_barrier(c) && c->heard[D7P_BESTMOVE].count != 1) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line, "%u answers to one 'go'",
                     c->heard[D7P_BESTMOVE].count);
    }
}

void check_step_crlf(struct checker *c)
{
    struct wrapped w = {1, "d7p\r\n", "", "isready\r\n", "\r\n"};
    ask_wrapped(c, &w);
    (void)(checker_expect(c, D7P_READY) && checker_barrier(c));
}

void check_step_blank_lines(struct checker *c)
{
    struct wrapped w = {5, "\n\n", "\n", "\n\n", "\n"};
    ask_wrapped(c, &w);
    (void)checker_barrier(c);
}

/* A line that is no command must not be answered as one. */
static void expect_ignored(struct checker *c, const char *text)
{
    checker_forget(c);
    if (!checker_say(c, text) || !checker_barrier(c)) {
        return;
    }
    for (enum d7p_answer a = D7P_ID_NAME; a <= D7P_BESTMOVE; a++) {
        if (c->heard[a].count > (a == D7P_READY ? 1u : 0u)) {
            checker_fail(c, c->heard[a].line, "it answers a line that is no command");
        }
    }
}

void check_step_unknown(struct checker *c)
{
    expect_ignored(c, "frobnicate 1 2 3\n");
}

void check_step_unknown_between(struct checker *c)
{
    struct wrapped w = {4, "", "frobnicate\n", "", "\n"};
    ask_wrapped(c, &w);
    (void)checker_barrier(c);
}

void check_step_unknown_utf8(struct checker *c)
{
    expect_ignored(c, "gr\xc3\xbc\xc3\x9f dich \xe2\x99\xa5\n");
}

void check_step_long_line(struct checker *c)
{
    static char text[D7P_LINE_MAX];
    memset(text, 'x', sizeof(text) - 2);
    text[sizeof(text) - 2] = '\n';
    text[sizeof(text) - 1] = '\0';
    expect_ignored(c, text);
}

void check_step_last_position(struct checker *c)
{
    char before[D7P_QUESTION_SIZE];
    struct position at = check_only_legal(6);
    int len = write_position(&at, before, sizeof(before) - 1);
    before[len] = '\n';
    before[len + 1] = '\0';
    struct wrapped w = {0, before, "", "", "\n"};
    ask_wrapped(c, &w);
    (void)checker_barrier(c);
}

void check_step_ready_between(struct checker *c)
{
    struct wrapped w = {3, "", "isready\n", "", "\n"};
    checker_forget(c);
    ask_wrapped(c, &w);
    if (c->heard[D7P_READY].count != 1) {
        checker_fail(c, NULL, "'readyok' must come at once, before 'go'");
    }
    (void)checker_barrier(c);
}

void check_step_one_write(struct checker *c)
{
    struct wrapped w = {2, "d7p\nisready\n", "", "isready\n", "\n"};
    checker_forget(c);
    ask_wrapped(c, &w);
    if (c->heard[D7P_OK].count != 1 || c->heard[D7P_READY].count != 1) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line,
                     "five commands in one write must be answered in their order: d7pok, readyok, "
                     "bestmove, readyok");
    }
    (void)(checker_expect(c, D7P_READY) && checker_barrier(c));
}

/* `text` in pieces ending at the marks '|', each by itself. */
static bool say_in_pieces(struct checker *c, const char *text)
{
    struct span rest = span_of(text);
    while (rest.len) {
        char piece[D7P_QUESTION_SIZE];
        struct span part = span_cut(&rest, '|');
        D7_CHECK(part.len < sizeof(piece));
        memcpy(piece, part.ptr, part.len);
        piece[part.len] = '\0';
        if (!checker_say(c, piece) || !checker_pause(c)) {
            return false;
        }
    }
    return true;
}

static void ask_in_pieces(struct checker *c, unsigned column, const char *head, const char *tail)
{
    char text[2 * D7P_QUESTION_SIZE];
    char digits[BOARD_TEXT_SIZE];
    uint8_t got = 0;
    struct position at = check_only_legal(column);
    text_of(&at, digits);
    (void)write_position(&at, c->now->asked, sizeof(c->now->asked));
    int len = snprintf(text, sizeof(text), "%s%.20s|%s next %u rise %u%s", head, digits,
                       digits + 20, at.next, at.rise, tail);
    D7_CHECK(len > 0 && (size_t)len < sizeof(text));
    if (say_in_pieces(c, text) && checker_answer(c, &at, &got) && got != column) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line, "the answer must be %u", column);
    }
    (void)checker_barrier(c);
}

void check_step_split_position(struct checker *c)
{
    ask_in_pieces(c, 1, "posit|ion board ", "\ngo\n");
}

void check_step_split_go(struct checker *c)
{
    ask_in_pieces(c, 6, "position board ", "|\n|g|o|\n");
}

void check_step_blanks(struct checker *c)
{
    char text[2 * D7P_QUESTION_SIZE];
    char digits[BOARD_TEXT_SIZE];
    struct position at = check_only_legal(4);
    text_of(&at, digits);
    int len = snprintf(text, sizeof(text), " \tposition  board\t%s   next %u \t rise  %u \n  go \n",
                       digits, at.next, at.rise);
    D7_CHECK(len > 0 && (size_t)len < sizeof(text));
    (void)write_position(&at, c->now->asked, sizeof(c->now->asked));
    checker_forget(c);
    /* the barrier in plain words: where the blanks are not understood nothing is waited for that
     * never comes */
    if (!checker_say(c, text) || !checker_barrier(c)) {
        return;
    }
    const struct check_heard *heard = &c->heard[D7P_BESTMOVE];
    if (!heard->count) {
        checker_fail(c, NULL,
                     "no bestmove: doubled, leading or trailing blanks are not understood");
    } else if (heard->move != D7P_MOVE_COLUMN || heard->column != 4) {
        checker_fail(c, heard->line, "the answer must be 4");
    }
}

void check_step_late_stop(struct checker *c)
{
    struct position at = check_only_legal(3);
    checker_forget(c);
    if (checker_ask_for(c, &at, 3) && checker_say(c, "stop\n")) {
        expect_one_answer(c);
    }
}

/* A refused position must not be answered as if it were one, nor leave the engine confused. */
static void refuse(struct checker *c, const char *position)
{
    char text[2 * D7P_QUESTION_SIZE];
    struct position good = check_only_legal(5);
    if (!checker_ask_for(c, &good, 5)) {
        return;
    }
    checker_forget(c);
    (void)snprintf(c->now->asked, sizeof(c->now->asked), "%s", position);
    int len = snprintf(text, sizeof(text), "%s\ngo\n", position);
    D7_CHECK(len > 0 && (size_t)len < sizeof(text));
    if (!checker_say(c, text) || !checker_barrier(c)) {
        return;
    }
    bool answered = c->heard[D7P_BESTMOVE].count > 0;
    char line[CHECK_LINE_SIZE];
    (void)snprintf(line, sizeof(line), "%s", c->heard[D7P_BESTMOVE].line);
    good = check_only_legal(0);
    if (checker_ask_for(c, &good, 0) && answered) {
        (void)write_position(&good, c->now->asked, sizeof(c->now->asked));
        (void)snprintf(c->now->asked, sizeof(c->now->asked), "%s", position);
        checker_fail(c, line,
                     "it answers 'go' after a position that is none; 'info error TEXT' "
                     "and no bestmove would show the mistake");
    }
}

/* The position whose only legal column is 1, with another tail. */
static void refuse_spoilt(struct checker *c, const char *tail)
{
    char digits[BOARD_TEXT_SIZE];
    char position[D7P_QUESTION_SIZE];
    struct position at = check_only_legal(1);
    text_of(&at, digits);
    int len = snprintf(position, sizeof(position), "position board %s%s", digits, tail);
    D7_CHECK(len > 0 && (size_t)len < sizeof(position));
    refuse(c, position);
}

void check_step_bad_length(struct checker *c)
{
    refuse_spoilt(c, "8 next 4 rise 4");
}

void check_step_bad_board(struct checker *c)
{
    refuse(c, "position board "
              "8088888"
              "8088888"
              "8088888"
              "8088888"
              "8088888"
              "8088888"
              "8808888 next 4 rise 4");
}

void check_step_bad_next(struct checker *c)
{
    refuse_spoilt(c, " next 0 rise 4");
    if (!c->failed) {
        refuse_spoilt(c, " next 8 rise 4");
    }
}

void check_step_bad_rise(struct checker *c)
{
    refuse_spoilt(c, " next 4 rise 6");
    if (!c->failed) {
        refuse_spoilt(c, " next 4 rise 0");
    }
}
