#include "engine/tool/decide_line.h"

static const char *read_number(struct span *rest, const char *what, int64_t lo, int64_t hi,
                               int64_t *ret)
{
    struct span token = span_token(rest);
    return span_parse_i64(token, lo, hi, ret) ? what : NULL;
}

const char *decide_line_parse(struct span line, struct decide_line *ret)
{
    struct decide_line in = {.state = {.level = 1}};
    struct span board = span_token(&line);
    int64_t next = 0;
    int64_t rise = 0;
    int64_t level = 1;
    int64_t moves = 0;
    enum board_fault fault = board_parse(board.ptr, board.len, &in.state.position.board);
    const char *wrong = fault ? board_fault_text(fault) : NULL;
    wrong = wrong ? wrong : read_number(&line, "next must be 1 to 7", 1, 7, &next);
    wrong = wrong ? wrong : read_number(&line, "rise must be 1 to 5", 1, 5, &rise);
    line = span_trim(line);
    if (!wrong && line.len) {
        in.extended = true;
        wrong = read_number(&line, "level must be 1 to 1000000", 1, 1000000, &level);
        wrong =
            wrong ? wrong : read_number(&line, "moves must be 0 to 1000000", 0, 1000000, &moves);
    }
    if (!wrong && span_trim(line).len) {
        wrong = "too much on the line: BOARD NEXT RISE [LEVEL MOVES]";
    }
    in.state.position.next = (uint8_t)next;
    in.state.position.rise = (uint8_t)rise;
    in.state.level = (uint32_t)level;
    in.state.moves = (uint32_t)moves;
    *ret = in;
    return wrong;
}
