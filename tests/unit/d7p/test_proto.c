/* engine/d7p: the lines, both ways, and the policy's side of a session. */
#include "tests/support/support.h"

#include "engine/d7p/serve.h"

#define OPENING "0000000000000000000000000000000000000000008888888"

static void bestmove_accepts_one_plain_digit_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum d7p_move move;
        unsigned column;
    } rows[] = {
        {"bestmove 0", D7P_MOVE_COLUMN, 0},
        {"bestmove 6", D7P_MOVE_COLUMN, 6},
        {"bestmove 3 anything", D7P_MOVE_COLUMN, 3},
        {" \t bestmove\t3\r", D7P_MOVE_COLUMN, 3},
        {"bestmove none", D7P_MOVE_NONE, 0},
        {"bestmove +3", D7P_MOVE_MALFORMED, 0},
        {"bestmove 03", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3.0", D7P_MOVE_MALFORMED, 0},
        {"bestmove 7", D7P_MOVE_MALFORMED, 0},
        {"bestmove -1", D7P_MOVE_MALFORMED, 0},
        {"bestmove", D7P_MOVE_MALFORMED, 0},
        {"bestmove None", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3,", D7P_MOVE_MALFORMED, 0},
        {"bestmove \xff", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3 \t \r", D7P_MOVE_COLUMN, 3},
        {"bestmove 3 ponder 4", D7P_MOVE_COLUMN, 3},
        {"bestmove none at all", D7P_MOVE_NONE, 0},
        {"bestmove ponder 3", D7P_MOVE_MALFORMED, 0},
        {"bestmove 33", D7P_MOVE_MALFORMED, 0},
        {"bestmove 0x3", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3e0", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3\v", D7P_MOVE_MALFORMED, 0},
        {"bestmove 3\xc2\xa0", D7P_MOVE_MALFORMED, 0}, /* a no-break space */
        {"bestmove \xd9\xa3", D7P_MOVE_MALFORMED, 0},  /* another script's 3 */
        {"bestmove \xef\xbc\x93", D7P_MOVE_MALFORMED, 0},
        {"bestmove 99999999999999999999999999999999", D7P_MOVE_MALFORMED, 0},
        {"bestmove 4294967299", D7P_MOVE_MALFORMED, 0},
        {"bestmove 18446744073709551619", D7P_MOVE_MALFORMED, 0},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct d7p_reply r;
        d7p_parse_reply(span_of(rows[i].line), &r);
        assert_int_equal(r.answer, D7P_BESTMOVE);
        assert_int_equal(r.move, rows[i].move);
        assert_int_equal(r.column, rows[i].column);
    }
    struct d7p_reply r;
    d7p_parse_reply(span_make("bestmove 3\0", 11), &r);
    assert_int_equal(r.move, D7P_MOVE_MALFORMED);
}

static void replies_not_understood_are_ignored(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        " \t\r",
        "info depth 3 bestmove 4",
        "BESTMOVE 3",
        "bestmove3",
        "id",
        "id color",
        "id public-information maybe",
        "\xff\xfe",
        "readyok5",
        "bestmove: 3",
        "bestmove=3",
        "Bestmove 3",
        "\xef\xbb\xbf"
        "bestmove 3",
        "\"bestmove 3\"",
        "best move 3",
        "d7pOK",
        "D7POK",
        "Readyok",
        "ready ok",
    };
    for (size_t i = 0; i < D7_COUNT(lines); i++) {
        struct d7p_reply r;
        d7p_parse_reply(span_of(lines[i]), &r);
        assert_int_equal(r.answer, D7P_OTHER);
    }
}

static void identity_is_read_from_id_lines(void **state)
{
    (void)state;
    struct d7p_reply r;
    d7p_parse_reply(span_of("id name  Deep  Drop 7 \r"), &r);
    assert_int_equal(r.answer, D7P_ID_NAME);
    assert_true(span_is(r.text, "Deep  Drop 7"));
    d7p_parse_reply(span_of("id family"), &r);
    assert_int_equal(r.answer, D7P_ID_FAMILY);
    assert_int_equal(r.text.len, 0);
    d7p_parse_reply(span_of("id public-information false"), &r);
    assert_int_equal(r.answer, D7P_ID_PUBLIC);
    assert_false(r.flag);
}

static void positions_are_read_or_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *problem; /* NULL: fine */
    } rows[] = {
        {"position startpos next 1 rise 5", NULL},
        {"position board " OPENING " next 7 rise 1", NULL},
        {"\tposition  startpos\tnext 4  rise 3 \r", NULL},
        {"position", "expected 'startpos' or 'board'"},
        {"position fen x", "expected 'startpos' or 'board'"},
        {"position board", "needs 49 digits"},
        {"position board 00000000000000000000000000000000000000000088888 next 1 rise 5",
         "has 47 characters, must be exactly 49"},
        {"position board 000000000000000000000000000000000000000008888888 next 1 rise 5",
         "has 48 characters"},
        {"position board " OPENING "0 next 1 rise 5", "has 50 characters"},
        {"position board a000000000000000000000000000000000000000008888888 next 1 rise 5", "board"},
        {"position board 0000000000000000000000000000000000010000000888888 next 1 rise 5",
         "board"}, /* floats */
        {"position startpos next 0 rise 5", "next must be 1 to 7"},
        {"position startpos next 8 rise 5", "next must be 1 to 7"},
        {"position startpos next 01 rise 5", "next must be 1 to 7"},
        {"position startpos next rise 5", "next must be 1 to 7"},
        {"position startpos next 1 rise 0", "rise must be 1 to 5"},
        {"position startpos next 1 rise 6", "rise must be 1 to 5"},
        {"position startpos next 1", "expected 'rise'"},
        {"position startpos rise 5 next 1", "expected 'next'"},
        {"position startpos next 1 rise 5 level 2", "unexpected words"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct d7p_request r;
        d7p_parse_request(span_of(rows[i].line), &r);
        assert_int_equal(r.command, D7P_POSITION);
        assert_int_equal(r.position_ok, rows[i].problem == NULL);
        if (rows[i].problem && !strstr(r.problem, rows[i].problem)) {
            fail_msg("%s: %s", rows[i].line, r.problem);
        }
    }
}

static void question_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    struct position at = {.board = board_opening(), .next = 4, .rise = 2};
    char text[D7P_QUESTION_SIZE];
    size_t len = d7p_write_question(&at, text);
    struct span rest = span_make(text, len);
    struct d7p_request r;
    assert_true(span_is(rest, "position board " OPENING " next 4 rise 2\ngo\n"));
    d7p_parse_request(span_cut(&rest, '\n'), &r);
    assert_true(r.position_ok);
    assert_memory_equal(&r.position.board, &at.board, sizeof(at.board));
    assert_int_equal(r.position.next, 4);
    assert_int_equal(r.position.rise, 2);
    d7p_parse_request(span_cut(&rest, '\n'), &r);
    assert_int_equal(r.command, D7P_GO);
}

/* Answers with the disc that is next, minus one. */
static unsigned choose_next(void *ctx, const struct position *at)
{
    (void)ctx;
    return at->next - 1u;
}

static struct d7p_session session(void)
{
    return (struct d7p_session){.identity = {"Tester", "tests", true}, .choose = choose_next};
}

/* Feeds text in pieces of `step` bytes; what came out, and whether the session goes on. */
static void assert_talk(const char *said, size_t step, bool at_end, const char *heard, bool goes_on)
{
    struct d7p_session s = session();
    struct d7p_stream st;
    struct buf out;
    bool on = true;
    d7p_stream_init(&st, &s);
    buf_init(&out, 1 << 16);
    size_t len = strlen(said);
    for (size_t at = 0; on && at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        on = d7p_stream_feed(&st, span_make(said + at, n), at_end && at + n == len, &out);
    }
    assert_int_equal(out.err, D7_OK);
    assert_string_equal(out.len ? out.data : "", heard);
    assert_int_equal(on, goes_on);
    buf_release(&out);
    d7p_stream_release(&st);
}

static void session_answers_as_the_protocol_says(void **state)
{
    (void)state;
    static const char said[] = "d7p\r\nisready\n\n  \nposition startpos next 3 rise 5\ngo\ngo\n"
                               "hello wor\x01ld\nposition startpos next 9 rise 5\ngo\n"
                               "position board " OPENING " next 7 rise 1\n go \nquit\nisready\n";
    static const char heard[] = "id name Tester\nid family tests\nid public-information true\n"
                                "d7pok\nreadyok\nbestmove 2\nbestmove 2\n"
                                "info error unknown command 'hello'\n"
                                "info error position: next must be 1 to 7\n"
                                "info error no position\nbestmove 6\n";
    for (size_t step = 1; step < sizeof(said); step += step < 8 ? 1 : 50) {
        assert_talk(said, step, false, heard, false);
    }
}

static void session_says_none_when_no_column_is_legal(void **state)
{
    (void)state;
    assert_talk("position board 1111111888888888888888888888888888888888888888888 next 3 rise 5\n"
                "go\n",
                1000, false, "bestmove none\n", true);
}

static void last_line_without_its_end_counts_at_the_end_only(void **state)
{
    (void)state;
    assert_talk("isready\nisready", 100, true, "readyok\nreadyok\n", true);
    assert_talk("isready\nisready", 100, false, "readyok\n", true);
}

static void line_over_the_limit_is_refused_once_and_drops_the_position(void **state)
{
    (void)state;
    static char said[20000];
    char *end = stpcpy(said, "position startpos next 3 rise 5\n");
    memset(end, 'x', 3 * D7P_LINE_MAX);
    (void)stpcpy(end + 3 * D7P_LINE_MAX, "\ngo\nisready\n");
    static const char heard[] =
        "info error line over 4096 bytes\ninfo error no position\nreadyok\n";
    assert_talk(said, 1000, false, heard, true);
    assert_talk(said, sizeof(said), false, heard, true);
    assert_talk(said, 1, false, heard, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bestmove_accepts_one_plain_digit_and_nothing_else),
        cmocka_unit_test(replies_not_understood_are_ignored),
        cmocka_unit_test(identity_is_read_from_id_lines),
        cmocka_unit_test(positions_are_read_or_refused_with_the_reason),
        cmocka_unit_test(question_is_read_back_as_it_was_written),
        cmocka_unit_test(session_answers_as_the_protocol_says),
        cmocka_unit_test(session_says_none_when_no_column_is_legal),
        cmocka_unit_test(last_line_without_its_end_counts_at_the_end_only),
        cmocka_unit_test(line_over_the_limit_is_refused_once_and_drops_the_position),
    };
    return cmocka_run_group_tests_name("unit/d7p/proto", tests, NULL, NULL);
}
