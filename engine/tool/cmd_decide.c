/* drop7 decide: batch analysis. One position a line in, one column a line out. */
#include <inttypes.h>

#include "engine/policy/registry.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

#define DECIDE_LINE_MAX 256

struct decide_line {
    struct extended_state state;
    bool extended; /* level and moves were given */
};

static const char *read_number(struct span *rest, const char *what, int64_t lo, int64_t hi,
                               int64_t *ret)
{
    struct span token = span_token(rest);
    return span_parse_i64(token, lo, hi, ret) ? what : NULL;
}

/* NULL, or what is wrong with the line. */
static const char *read_line(struct span line, struct decide_line *ret)
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

static void answer(struct policy *policy, const struct decide_line *in, bool values)
{
    struct decision d;
    if (in->extended) {
        policy_decide_extended(policy, &in->state, &d);
    } else {
        policy_decide(policy, &in->state.position, &d);
    }
    if (d.column < 0) {
        (void)fputs("none", stdout);
    } else {
        (void)printf("%d", d.column);
    }
    for (unsigned i = 0; values && i < d.value_count; i++) {
        char text[32];
        double_format(d.values[i].value, text, sizeof(text));
        (void)printf(" %u:%s", d.values[i].column, text);
    }
    (void)fputc('\n', stdout);
}

static int decide_all(struct policy *policy, bool values)
{
    char text[DECIDE_LINE_MAX];
    for (uint64_t number = 1; fgets(text, sizeof(text), stdin); number++) {
        struct span line = span_of(text);
        struct decide_line in;
        if (line.len + 1 == sizeof(text) && text[line.len - 1] != '\n') {
            return tool_fail(1, "line %" PRIu64 ": longer than %zu characters", number,
                             sizeof(text) - 2);
        }
        line = span_trim(line);
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        const char *wrong = read_line(line, &in);
        if (wrong) {
            return tool_fail(1, "line %" PRIu64 ": %s", number, wrong);
        }
        answer(policy, &in, values);
    }
    return ferror(stdin) ? tool_fail(1, "cannot read standard input") : 0;
}

int cmd_decide(int argc, char **argv)
{
    const char *id = NULL;
    const char *threads_text = NULL;
    bool values = false;
    const struct opt table[] = {
        {"--policy", "ID", "which one (drop7 policies lists them)", &id, NULL},
        {"--values", NULL, "add column:value for each legal column", NULL, &values},
        {"--threads", "N", "1 to 64, for the fair family (default 1); same answers", &threads_text,
         NULL},
    };
    struct opts o = {.usage = "drop7 decide --policy ID [--values] [--threads N] <POSITIONS\n"
                              "each input line: BOARD NEXT RISE [LEVEL MOVES]; blank lines and "
                              "lines starting with # are skipped",
                     .table = table,
                     .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    int64_t threads = 1;
    if (status >= 0) {
        return status;
    }
    if (!id) {
        return tool_fail(2, "decide needs --policy ID");
    }
    const struct policy_info *info = policy_find(span_of(id));
    if (!info) {
        return tool_unknown_policy(span_of(id));
    }
    if (!opts_integer("--threads", threads_text, 1, 64, 1, &threads)) {
        return 2;
    }
    struct policy *policy = NULL;
    enum d7_err err = policy_new(info, (unsigned)threads, &policy);
    if (err) {
        return tool_fail(1, "%s", d7_err_text(err));
    }
    status = decide_all(policy, values);
    policy_free(policy);
    return status;
}
