/*
 * Texts that may be a position: the policy's side of D7P, `drop7 decide`, bare boards; and the
 * readers of numbers and names they are made of.
 */
#include "engine/d7p/proto.h"
#include "engine/tool/decide_line.h"
#include "tests/fuzz/target.h"

static bool same(const struct position *a, const struct position *b)
{
    return memcmp(&a->board, &b->board, sizeof(a->board)) == 0 && a->next == b->next &&
           a->rise == b->rise;
}

static void check_position(const struct position *at)
{
    char question[D7P_QUESTION_SIZE];
    struct d7p_request again;
    D7_CHECK(at->next >= 1 && at->next <= 7 && at->rise >= 1 && at->rise <= 5);
    struct span rest = span_make(question, d7p_write_question(at, question));
    d7p_parse_request(span_cut(&rest, '\n'), &again);
    D7_CHECK(again.command == D7P_POSITION && again.position_ok && same(&again.position, at));
    d7p_parse_request(span_cut(&rest, '\n'), &again);
    D7_CHECK(again.command == D7P_GO && rest.len == 0);
}

static void read_request(struct span text)
{
    struct d7p_request r;
    d7p_parse_request(text, &r);
    D7_CHECK(memchr(r.problem, '\0', sizeof(r.problem)));
    if (r.command == D7P_POSITION) {
        D7_CHECK(r.position_ok == (r.problem[0] == '\0'));
        if (r.position_ok) {
            check_position(&r.position);
        }
    }
}

static void read_board(struct span text)
{
    char again[BOARD_TEXT_SIZE];
    struct board b;
    if (board_parse(text.ptr, text.len, &b) == BOARD_FINE) {
        board_format(&b, again);
        D7_CHECK(span_is(text, again));
    }
}

static void read_decide_line(struct span text)
{
    struct decide_line in;
    const char *wrong = decide_line_parse(text, &in);
    if (!wrong) {
        const struct extended_state *s = &in.state;
        check_position(&s->position);
        D7_CHECK(s->level >= 1 && s->level <= 1000000 && s->moves <= 1000000);
        D7_CHECK(in.extended || (s->level == 1 && s->moves == 0));
    } else {
        D7_CHECK(strlen(wrong) > 10); /* a sentence */
    }
}

static void read_words(struct span text)
{
    int64_t value = 0;
    uint32_t seed = 0;
    size_t points = 0;
    char to[40];
    char small[8];
    if (!span_parse_i64(text, -1000, 1000, &value)) {
        D7_CHECK(value >= -1000 && value <= 1000);
        (void)snprintf(to, sizeof(to), "%lld", (long long)value);
        D7_CHECK(span_is(text, to)); /* one spelling only */
    }
    (void)!span_parse_seed(text, &seed);
    if (span_utf8(text, &points)) {
        D7_CHECK(points <= text.len && (text.len == 0 || points >= text.len / 4));
    }
    if (span_is_label(text, 1, 80, true)) {
        D7_CHECK(points >= 1 && points <= 80 && !memchr(text.ptr, '\0', text.len));
    }
    D7_CHECK(!span_is_slug(text, 2, 20, true) || (text.len >= 2 && text.len <= 20));
    D7_CHECK(strlen(span_escape(text, to, sizeof(to))) < sizeof(to));
    D7_CHECK(strlen(span_escape(text, small, sizeof(small))) < sizeof(small));
    if (!span_copy(text, small, sizeof(small))) {
        D7_CHECK(span_is(text, small));
    }
}

void fuzz_position(const uint8_t *bytes, size_t len)
{
    struct span text = {(const char *)bytes, len};
    read_request(text);
    read_board(text);
    read_decide_line(text);
    read_words(text);
}
