/* drop7 leaderboard: the ranking of a server as a table, or as the server's JSON or CSV. */
#include <inttypes.h>

#include "engine/tool/remote.h"
#include "engine/tool/tool.h"

#define ID_WIDTH_MAX 64

static int id_width(const struct jval *rows)
{
    char id[REMOTE_TEXT_SIZE];
    size_t width = strlen("policy");
    for (size_t i = 0; i < jval_length(rows); i++) {
        size_t len = strlen(remote_text(jval_at(rows, i), "policyId", id));
        width = len > width ? len : width;
    }
    return width > ID_WIDTH_MAX ? ID_WIDTH_MAX : (int)width;
}

/* "12345.0", or "-" where there is none. */
static const char *number(const struct jval *v, char to[32])
{
    double value = 0;
    bool is_there = jval_number(v, &value) && value > -1e15 && value < 1e15;
    (void)snprintf(to, 32, is_there ? "%.1f" : "-", value);
    return to;
}

/* "12000.0..13000.0", or "-". */
static const char *interval(const struct jval *pair, char to[72])
{
    char low[32];
    char high[32];
    bool is_there = jval_length(pair) == 2;
    (void)snprintf(to, 72, is_there ? "%s..%s" : "-", number(jval_at(pair, 0), low),
                   number(jval_at(pair, 1), high));
    return to;
}

static void print_row(const struct jval *row, int width)
{
    char id[REMOTE_TEXT_SIZE];
    char rank[32] = "-";
    char mean[32];
    char median[32];
    char moves[32];
    char range[72];
    bool provisional = false;
    int64_t place = remote_int(row, "rank", 0);
    if (place > 0) {
        (void)snprintf(rank, sizeof(rank), "%" PRId64, place);
    }
    int64_t faults = remote_int(row, "illegalMoves", 0) + remote_int(row, "timeouts", 0) +
                     remote_int(row, "crashes", 0);
    (void)printf(
        "%4s %-*s %5" PRId64 " %11s %23s %11s %9" PRId64 " %9" PRId64 " %7s %6" PRId64 "%s\n", rank,
        width, remote_text(row, "policyId", id), remote_int(row, "games", 0),
        number(jval_get(row, "meanScore"), mean), interval(jval_get(row, "meanScoreCi95"), range),
        number(jval_get(row, "medianScore"), median), remote_int(row, "minimumScore", 0),
        remote_int(row, "maximumScore", 0), number(jval_get(row, "meanMoves"), moves), faults,
        jval_bool(jval_get(row, "provisional"), &provisional) && provisional ? "  provisional"
                                                                             : "");
}

static void print_table(const struct jval *board)
{
    const struct jval *rows = jval_get(board, "summaries");
    int width = id_width(rows);
    if (jval_length(rows) == 0) {
        (void)puts("no games yet");
        return;
    }
    (void)printf("%4s %-*s %5s %11s %23s %11s %9s %9s %7s %6s\n", "rank", width, "policy", "games",
                 "mean", "95 % of the mean", "median", "min", "max", "moves", "faults");
    for (size_t i = 0; i < jval_length(rows); i++) {
        print_row(jval_at(rows, i), width);
    }
}

static int show(struct remote *r, const char *suite, const char *format)
{
    char path[192];
    struct client_answer a = {0};
    (void)snprintf(path, sizeof(path), "/leaderboard?format=%s%s%s", format, suite ? "&suite=" : "",
                   suite ? suite : ""); /* fits: checked */
    bool is_csv = strcmp(format, "csv") == 0;
    int status = remote_get(r, path, !is_csv, &a);
    if (!status) {
        (void)fwrite(a.body.data, 1, a.body.len, stdout); /* main looks at ferror */
        if (!is_csv) {
            (void)putchar('\n');
        }
        client_answer_release(&a);
    }
    return status;
}

static int show_table(struct remote *r, const char *suite)
{
    char path[192];
    struct client_answer a = {0};
    (void)snprintf(path, sizeof(path), "/leaderboard%s%s", suite ? "?suite=" : "",
                   suite ? suite : "");
    int status = remote_get(r, path, true, &a);
    if (!status) {
        print_table(a.json);
        client_answer_release(&a);
    }
    return status;
}

int cmd_leaderboard(int argc, char **argv)
{
    const char *suite = NULL;
    bool as_json = false;
    bool as_csv = false;
    struct remote_options at = {0};
    const struct opt table[] = {
        {"--suite", "S", "another suite than the default one", &suite, NULL},
        {"--json", NULL, "the server's JSON", NULL, &as_json},
        {"--csv", NULL, "the server's CSV", NULL, &as_csv},
        REMOTE_OPTS(at),
    };
    struct opts o = {
        .usage = "drop7 leaderboard [options]", .table = table, .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (as_json && as_csv) {
        return tool_fail(2, "--json and --csv exclude each other");
    }
    if (suite && !remote_is_id("--suite", suite)) {
        return 2;
    }
    struct remote r;
    status = remote_begin(&at, false, &r);
    if (!status) {
        status =
            as_json || as_csv ? show(&r, suite, as_json ? "json" : "csv") : show_table(&r, suite);
        remote_end(&r);
    }
    return status;
}
