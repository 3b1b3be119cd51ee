/* drop7 decide: batch analysis. One position a line in, one column a line out. */
#include <inttypes.h>

#include "engine/tool/decide_line.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

enum decide_form { DECIDE_COLUMN, DECIDE_VALUES, DECIDE_JSON };

static void print_json(const struct decision *d)
{
    (void)printf("{\"column\":");
    if (d->column < 0) {
        (void)fputs("null", stdout);
    } else {
        (void)printf("%d", d->column);
    }
    (void)printf(",\"depth\":%" PRIu32 ",\"work\":%" PRIu64 ",\"values\":[", d->depth, d->work);
    for (unsigned i = 0; i < d->value_count; i++) {
        char text[32];
        double_format(d->values[i].value, text, sizeof(text));
        (void)printf("%s{\"column\":%u,\"value\":%s,\"visits\":%" PRIu32 "}", i ? "," : "",
                     d->values[i].column, text, d->values[i].visits);
    }
    (void)fputs("]}\n", stdout);
}

static void answer(struct policy *policy, const struct decide_line *in, enum decide_form form)
{
    struct decision d;
    if (in->extended) {
        policy_decide_extended(policy, &in->state, &d);
    } else {
        policy_decide(policy, &in->state.position, &d);
    }
    if (form == DECIDE_JSON) {
        print_json(&d);
        return;
    }
    if (d.column < 0) {
        (void)fputs("none", stdout);
    } else {
        (void)printf("%d", d.column);
    }
    for (unsigned i = 0; form == DECIDE_VALUES && i < d.value_count; i++) {
        char text[32];
        double_format(d.values[i].value, text, sizeof(text));
        (void)printf(" %u:%s", d.values[i].column, text);
    }
    (void)fputc('\n', stdout);
}

enum line_end { LINE_WHOLE, LINE_LAST, LINE_LONG };

/* The next line without its LF, with whatever bytes it has: fgets would hide what follows a NUL. */
static enum line_end next_line(char text[DECIDE_LINE_MAX], struct span *ret)
{
    size_t len = 0;
    int c = getc_unlocked(stdin);
    for (; c != EOF && c != '\n'; c = getc_unlocked(stdin)) {
        if (len == DECIDE_LINE_MAX) {
            return LINE_LONG;
        }
        text[len++] = (char)c;
    }
    *ret = span_make(text, len);
    return c == EOF ? LINE_LAST : LINE_WHOLE;
}

static int decide_all(struct policy *policy, enum decide_form form)
{
    char text[DECIDE_LINE_MAX];
    enum line_end end = LINE_WHOLE;
    for (uint64_t number = 1; end == LINE_WHOLE; number++) {
        struct span line = {NULL, 0};
        struct decide_line in;
        end = next_line(text, &line);
        if (end == LINE_LONG) {
            return tool_fail(1, "line %" PRIu64 ": longer than %d characters", number,
                             DECIDE_LINE_MAX);
        }
        line = span_trim(line);
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        const char *wrong = decide_line_parse(line, &in);
        if (wrong) {
            return tool_fail(1, "line %" PRIu64 ": %s", number, wrong);
        }
        answer(policy, &in, form);
        /* nobody reads any more, or the disk is full: the input may have no end of its own */
        if (ferror(stdout)) {
            return 1; /* main says so */
        }
    }
    return ferror(stdin) ? tool_fail(1, "cannot read standard input") : 0;
}

int cmd_decide(int argc, char **argv)
{
    const char *id = NULL;
    const char *threads_text = NULL;
    bool values = false;
    bool json = false;
    const struct opt table[] = {
        {"--policy", "ID", "which one (drop7 policies lists them)", &id, NULL},
        {"--values", NULL, "add column:value for each legal column", NULL, &values},
        {"--json", NULL, "the column with values, visits, depth and work as a line of JSON", NULL,
         &json},
        {"--threads", "N", "1 to 64, for the fair family (default 1); same answers", &threads_text,
         NULL},
    };
    struct opts o = {.usage =
                         "drop7 decide --policy ID [--values | --json] [--threads N] <POSITIONS\n"
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
    status = decide_all(policy, json ? DECIDE_JSON : values ? DECIDE_VALUES : DECIDE_COLUMN);
    policy_free(policy);
    return status;
}
