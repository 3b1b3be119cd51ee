#include "engine/d7p/proto.h"

static void refuse(struct d7p_request *r, const char *text)
{
    (void)snprintf(r->problem, sizeof(r->problem), "%s", text); /* cut is fine: a hint for people */
}

static bool parse_board(struct span text, struct d7p_request *r)
{
    if (text.len == 0) {
        refuse(r, "position: 'board' needs 49 digits after it");
        return false;
    }
    if (text.len != BOARD_CELLS) {
        (void)snprintf(r->problem, sizeof(r->problem),
                       "position: the board has %zu characters, must be exactly %d digits",
                       text.len, BOARD_CELLS);
        return false;
    }
    enum board_fault fault = board_parse(text.ptr, text.len, &r->position.board);
    if (fault != BOARD_FINE) {
        (void)snprintf(r->problem, sizeof(r->problem), "position: board: %s",
                       board_fault_text(fault));
        return false;
    }
    return true;
}

/* "NAME value" with value in 1..high. */
static bool parse_field(struct span *rest, const char *name, int64_t high, struct d7p_request *r,
                        uint8_t *ret_value)
{
    int64_t value = 0;
    if (!span_is(span_token(rest), name)) {
        (void)snprintf(r->problem, sizeof(r->problem), "position: expected '%s'", name);
        return false;
    }
    if (span_parse_i64(span_token(rest), 1, high, &value)) {
        (void)snprintf(r->problem, sizeof(r->problem), "position: %s must be 1 to %d", name,
                       (int)high);
        return false;
    }
    *ret_value = (uint8_t)value;
    return true;
}

static bool parse_position(struct span rest, struct d7p_request *r)
{
    struct span kind = span_token(&rest);
    if (span_is(kind, "startpos")) {
        r->position.board = board_opening();
    } else if (!span_is(kind, "board")) {
        refuse(r, "position: expected 'startpos' or 'board'");
        return false;
    } else if (!parse_board(span_token(&rest), r)) {
        return false;
    }
    if (!parse_field(&rest, "next", 7, r, &r->position.next) ||
        !parse_field(&rest, "rise", 5, r, &r->position.rise)) {
        return false;
    }
    if (span_token(&rest).len) {
        refuse(r, "position: unexpected words after the rise");
        return false;
    }
    return true;
}

void d7p_parse_request(struct span line, struct d7p_request *ret)
{
    static const struct {
        const char *word;
        enum d7p_command command;
    } words[] = {{"d7p", D7P_HELLO},
                 {"isready", D7P_ISREADY},
                 {"position", D7P_POSITION},
                 {"go", D7P_GO},
                 {"quit", D7P_QUIT}};
    *ret = (struct d7p_request){.command = D7P_UNKNOWN};
    struct span rest = line;
    ret->word = span_token(&rest);
    if (ret->word.len == 0) {
        ret->command = D7P_BLANK;
        return;
    }
    for (size_t i = 0; i < D7_COUNT(words); i++) {
        if (span_is(ret->word, words[i].word)) {
            ret->command = words[i].command;
        }
    }
    if (ret->command == D7P_POSITION) {
        ret->position_ok = parse_position(rest, ret);
    }
}

static void parse_id(struct span rest, struct d7p_reply *r)
{
    struct span key = span_token(&rest);
    struct span value = span_trim(rest);
    if (span_is(key, "name")) {
        r->answer = D7P_ID_NAME;
        r->text = value;
    } else if (span_is(key, "family")) {
        r->answer = D7P_ID_FAMILY;
        r->text = value;
    } else if (span_is(key, "public-information")) {
        bool yes = span_is(value, "true");
        if (yes || span_is(value, "false")) {
            r->answer = D7P_ID_PUBLIC;
            r->flag = yes;
        }
    }
}

/* Only the plain digit is a column: "+3", "03" and "3.0" are somebody's bug and must show as one.
 */
static void parse_bestmove(struct span rest, struct d7p_reply *r)
{
    struct span token = span_token(&rest);
    r->answer = D7P_BESTMOVE;
    r->move = D7P_MOVE_MALFORMED;
    if (span_is(token, "none")) {
        r->move = D7P_MOVE_NONE;
    } else if (token.len == 1 && token.ptr[0] >= '0' && token.ptr[0] < '0' + BOARD_COLUMNS) {
        r->move = D7P_MOVE_COLUMN;
        r->column = (uint8_t)(token.ptr[0] - '0');
    }
}

void d7p_parse_reply(struct span line, struct d7p_reply *ret)
{
    *ret = (struct d7p_reply){.answer = D7P_OTHER};
    struct span rest = line;
    struct span word = span_token(&rest);
    if (span_is(word, "bestmove")) {
        parse_bestmove(rest, ret);
    } else if (span_is(word, "readyok")) {
        ret->answer = D7P_READY;
    } else if (span_is(word, "d7pok")) {
        ret->answer = D7P_OK;
    } else if (span_is(word, "id")) {
        parse_id(rest, ret);
    }
}

size_t d7p_write_question(const struct position *at, char ret_text[D7P_QUESTION_SIZE])
{
    static const char head[] = "position board ";
    D7_CHECK(at->next >= 1 && at->next <= 7 && at->rise >= 1 && at->rise <= 5);
    memcpy(ret_text, head, sizeof(head) - 1);
    size_t len = sizeof(head) - 1;
    board_format(&at->board, ret_text + len);
    len += BOARD_CELLS;
    int tail = snprintf(ret_text + len, D7P_QUESTION_SIZE - len, " next %u rise %u\ngo\n", at->next,
                        at->rise);
    D7_CHECK(tail > 0 && (size_t)tail < D7P_QUESTION_SIZE - len);
    return len + (size_t)tail;
}
