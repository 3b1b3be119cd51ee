/* drop7 check: options, and what is printed. */
#include <signal.h>

#include "engine/tool/check.h"
#include "engine/tool/command.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

#define REPORT_MAX (1u << 20)

static volatile sig_atomic_t stop_asked;

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static bool keep_going(void *ctx, uint32_t moves_played)
{
    (void)ctx;
    (void)moves_played;
    return !stop_asked;
}

struct check_args {
    const char *command, *endpoint, *move_timeout, *timeout, *quick;
    bool json, strict, list;
};

/* Everything the command keeps for as long as it runs: too large for the stack, and the peers point
 * into it. */
struct check_room {
    struct checker checker;
    struct command command;
    struct address_list addresses;
};

static void print_step(void *ctx, size_t index, const struct check_outcome *o)
{
    (void)ctx;
    size_t count = 0;
    const struct check_step *step = &check_steps(&count)[index];
    bool ok = o->verdict == VERDICT_PASS;
    (void)printf("%2zu %-4s %-16s %s%s%s%s\n", index + 1, check_verdict_text(o->verdict),
                 step->name, step->title, ok && o->detail[0] ? " (" : "", ok ? o->detail : "",
                 ok && o->detail[0] ? ")" : "");
    if (!ok) {
        (void)printf("%24s%s\n", "", o->detail);
    }
    if (o->line[0]) {
        (void)printf("%24sline: '%s'\n", "", o->line);
    }
    if (!ok && o->asked[0]) {
        (void)printf("%24sasked: '%s'\n", "", o->asked);
    }
    if (o->said[0]) {
        (void)printf("%24sstderr: '%s'\n", "", o->said);
    }
    (void)fflush(stdout); /* a step may take its time: what is known is shown */
}

struct totals {
    unsigned of[VERDICT_NOT_RUN + 1];
};

static struct totals count_verdicts(const struct checker *c)
{
    struct totals t = {{0}};
    size_t count = 0;
    (void)check_steps(&count);
    for (size_t i = 0; i < count; i++) {
        t.of[c->outcomes[i].verdict]++;
    }
    return t;
}

static void text_or_null(struct jout *j, const char *key, const char *text)
{
    if (text[0]) {
        jout_kv_text(j, key, text);
    } else {
        jout_kv_null(j, key);
    }
}

static void write_steps(struct jout *j, const struct checker *c)
{
    static const char *const words[] = {"pass", "note", "fail", "not-run"};
    size_t count = 0;
    const struct check_step *steps = check_steps(&count);
    jout_key(j, "steps");
    jout_array(j);
    for (size_t i = 0; i < count; i++) {
        const struct check_outcome *o = &c->outcomes[i];
        jout_object(j);
        jout_kv_int(j, "step", (int64_t)i + 1);
        jout_kv_text(j, "name", steps[i].name);
        jout_kv_text(j, "title", steps[i].title);
        jout_kv_text(j, "result", words[o->verdict]);
        text_or_null(j, "detail", o->detail);
        text_or_null(j, "line", o->line);
        text_or_null(j, "asked", o->verdict == VERDICT_PASS ? "" : o->asked);
        text_or_null(j, "stderr", o->said);
        jout_kv_int(j, "elapsedMs", o->elapsed_ms);
        jout_object_end(j);
    }
    jout_array_end(j);
}

static int print_json(const struct checker *c, const char *target)
{
    struct totals t = count_verdicts(c);
    struct buf text;
    struct jout j;
    buf_init(&text, REPORT_MAX);
    jout_init(&j, &text);
    jout_object(&j);
    jout_kv_text(&j, "format", "drop7-check-v1");
    jout_kv_text(&j, "target", target);
    jout_kv_text(&j, "name", c->who.name);
    jout_kv_text(&j, "family", c->who.family);
    jout_kv_bool(&j, "publicInformation", c->who.public_information);
    jout_kv_bool(&j, "passed", t.of[VERDICT_FAIL] == 0);
    jout_kv_int(&j, "pass", t.of[VERDICT_PASS]);
    jout_kv_int(&j, "note", t.of[VERDICT_NOTE]);
    jout_kv_int(&j, "fail", t.of[VERDICT_FAIL]);
    jout_kv_int(&j, "notRun", t.of[VERDICT_NOT_RUN]);
    write_steps(&j, c);
    jout_object_end(&j);
    return tool_print(&text);
}

static void print_totals(const struct checker *c)
{
    struct totals t = count_verdicts(c);
    size_t count = 0;
    (void)check_steps(&count);
    (void)printf("%zu steps: %u passed, %u failed, %u with a note, %u not run\n", count,
                 t.of[VERDICT_PASS], t.of[VERDICT_FAIL], t.of[VERDICT_NOTE], t.of[VERDICT_NOT_RUN]);
    if (t.of[VERDICT_NOTE] && !t.of[VERDICT_FAIL]) {
        (void)printf("notes are about what no tournament sends; --strict makes them failures\n");
    }
}

static int list_steps(void)
{
    size_t count = 0;
    const struct check_step *steps = check_steps(&count);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%2zu %-16s %s\n", i + 1, steps[i].name, steps[i].title);
    }
    return 0;
}

static int add_endpoint(struct check_room *room, const char *text)
{
    struct checker *c = &room->checker;
    struct host_port host;
    struct d7_why why = {{0}, {0}};
    struct span at = span_of(text);
    enum d7_err err = span_starts(at, "tcp://") ? host_port_parse_endpoint(at, &host, &why)
                                                : host_port_parse(at, 1, &host, &why);
    if (err) {
        return tool_fail(2, "--endpoint: %s", why.text[0] ? why.text : d7_err_text(err));
    }
    err = address_resolve(&host, &room->addresses, &why);
    for (size_t i = 0; i < room->addresses.count && !err; i++) {
        const struct address *a = &room->addresses.items[i];
        struct tcp_spec spec = {.address = &a->at, .address_len = a->len};
        err = peer_tcp_new(&spec, &c->limits, &c->peers[c->peer_count]);
        c->peer_count += !err;
    }
    return err ? tool_fail(1, "--endpoint %s: %s", text, why.text[0] ? why.text : d7_err_text(err))
               : 0;
}

static int add_command(struct check_room *room, const char *text)
{
    struct checker *c = &room->checker;
    int status = command_parse(text, &room->command);
    if (status) {
        return status;
    }
    struct child_spec spec = {.argv = room->command.argv, .envp = command_environment()};
    enum d7_err err = peer_child_new(&spec, &c->limits, &c->peers[0]);
    c->peer_count += !err;
    return err ? tool_fail(1, "%s", d7_err_text(err)) : 0;
}

static int configure(struct check_room *room, const struct check_args *a)
{
    struct checker *c = &room->checker;
    int64_t move_s = 0;
    int64_t wait_s = 0;
    int64_t quick_s = 0;
    if (!a->command == !a->endpoint) {
        return tool_fail(2, "give one of --command and --endpoint");
    }
    if (!opts_integer("--move-timeout", a->move_timeout, 1, 3600, 10, &move_s) ||
        !opts_integer("--timeout", a->timeout, 1, 3600, 10, &wait_s) ||
        !opts_integer("--quick", a->quick, 1, 600, 20, &quick_s)) {
        return 2;
    }
    c->limits = harness_limits_default();
    c->limits.move_ms = move_s * 1000;
    c->limits.handshake_ms = wait_s * 1000;
    c->limits.ready_ms = wait_s * 1000;
    c->quick_ms = quick_s * 1000;
    c->end_ms = wait_s * 1000 < CHECK_END_MS ? wait_s * 1000 : CHECK_END_MS;
    c->is_strict = a->strict;
    return a->command ? add_command(room, a->command) : add_endpoint(room, a->endpoint);
}

static int run(struct checker *c, const struct check_args *a)
{
    static const struct harness_watch watch = {.keep_going = keep_going};
    const struct sigaction action = {.sa_handler = ask_stop};
    const char *target = a->command ? a->command : a->endpoint;
    c->wait.watch = &watch;
    (void)sigaction(SIGINT, &action, NULL); /* neither can fail: valid signals */
    (void)sigaction(SIGTERM, &action, NULL);
    enum d7_err err = checker_run(c, a->json ? NULL : print_step, NULL);
    if (err == D7_ERR_CANCELLED) {
        return 130;
    }
    if (err) {
        return tool_fail(1, "%s", d7_err_text(err));
    }
    if (!a->json) {
        print_totals(c);
    } else if (print_json(c, target)) {
        return 1;
    }
    return count_verdicts(c).of[VERDICT_FAIL] ? 1 : 0;
}

int cmd_check(int argc, char **argv)
{
    struct check_args a = {0};
    const struct opt table[] = {
        {"--command", "\"PROG ARGS\"", "the program to check", &a.command, NULL},
        {"--endpoint", "HOST:PORT", "or the address it listens on", &a.endpoint, NULL},
        {"--move-timeout", "SECONDS", "for a bestmove (default 10, as in a tournament)",
         &a.move_timeout, NULL},
        {"--timeout", "SECONDS", "for d7pok and readyok (default 10, as in a tournament)",
         &a.timeout, NULL},
        {"--quick", "SECONDS", "at most, for the 1,000 quick moves (default 20)", &a.quick, NULL},
        {"--strict", NULL, "notes are failures", NULL, &a.strict},
        {"--json", NULL, "one JSON object instead of lines", NULL, &a.json},
        {"--list", NULL, "list the steps and end", NULL, &a.list},
    };
    struct opts o = {.usage = "drop7 check --command \"PROG ARGS\" | --endpoint HOST:PORT",
                     .table = table,
                     .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0 || a.list) {
        return a.list && status < 0 ? list_steps() : status;
    }
    struct check_room *room = calloc(1, sizeof(*room));
    if (!room) {
        return tool_fail(1, "%s", d7_err_text(D7_ERR_NOMEM));
    }
    status = configure(room, &a);
    if (!status) {
        status = run(&room->checker, &a);
    }
    checker_release(&room->checker);
    free(room);
    return status;
}
