/* drop7 bench: the options, turned into a list of policies and rounds. */
#include <inttypes.h>
#include <signal.h>

#include "engine/base/fdio.h"
#include "engine/tool/bench.h"
#include "engine/tool/command.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

static atomic_int stop_asked; /* lock-free: a handler may set it */

static void ask_stop(int number)
{
    (void)number;
    atomic_store(&stop_asked, 1);
}

struct bench_args {
    const char *policies, *command, *id, *rounds, *seeds, *round_file, *jobs, *out, *move_timeout;
    bool all, resume;
};

static int add_policy(struct bench *b, const struct policy_info *info)
{
    for (unsigned i = 0; i < b->policy_count; i++) {
        if (b->policies[i].info == info) {
            return tool_fail(2, "policy %s is named twice", info->id);
        }
    }
    if (b->policy_count == BENCH_POLICY_MAX) {
        return tool_fail(2, "at most %d policies", BENCH_POLICY_MAX);
    }
    struct bench_policy *p = &b->policies[b->policy_count++];
    p->info = info;
    (void)snprintf(p->id, sizeof(p->id), "%s", info->id);
    return 0;
}

static int add_policies(struct bench *b, const struct bench_args *a)
{
    if (!a->policies) {
        size_t count = 0;
        const struct policy_info *all = policy_registry(&count);
        for (size_t i = 0; i < count; i++) {
            if ((!all[i].slow || a->all) && add_policy(b, &all[i])) {
                return 2;
            }
        }
        return 0;
    }
    struct span rest = span_of(a->policies);
    while (rest.len) {
        struct span id = span_cut(&rest, ',');
        const struct policy_info *info = policy_find(id);
        if (!info) {
            return tool_unknown_policy(id);
        }
        if (add_policy(b, info)) {
            return 2;
        }
    }
    return b->policy_count ? 0 : tool_fail(2, "--policies names none");
}

static int add_command(struct bench *b, const struct bench_args *a)
{
    static struct command command; /* the one of this process: argv points into it */
    struct bench_policy *p = &b->policies[b->policy_count++];
    const char *id = a->id ? a->id : "command";
    if (!span_is_slug(span_of(id), 2, 63, true)) {
        return tool_fail(2, "--id must be 2-63 of a-z, 0-9 and -, a letter first");
    }
    (void)snprintf(p->id, sizeof(p->id), "%s", id);
    p->argv = command.argv;
    int status = command_parse(a->command, &command);
    if (!status) {
        bench_fingerprint(p);
    }
    return status;
}

static int add_round(struct bench *b, struct roundfile *round)
{
    for (unsigned i = 0; i < b->round_count; i++) {
        if (strcmp(b->rounds[i]->id, round->id) == 0) {
            (void)tool_fail(2, "round %s is named twice", round->id);
            roundfile_free(round);
            return 2;
        }
    }
    if (b->round_count == BENCH_ROUND_MAX) {
        roundfile_free(round);
        return tool_fail(2, "at most %d rounds", BENCH_ROUND_MAX);
    }
    b->rounds[b->round_count++] = round;
    return 0;
}

static int add_round_ids(struct bench *b, const char *list)
{
    struct span rest = span_of(list);
    while (rest.len) {
        struct span id = span_cut(&rest, ',');
        struct roundfile *round = NULL;
        char quoted[80];
        if (roundfile_by_id(id, &round)) {
            return tool_fail(2, "unknown round '%s' (gauntlet-01 to gauntlet-08, seed-xxxxxxxx)",
                             span_escape(id, quoted, sizeof(quoted)));
        }
        if (add_round(b, round)) {
            return 2;
        }
    }
    return 0;
}

static int add_seeds(struct bench *b, const char *list)
{
    struct span rest = span_of(list);
    while (rest.len) {
        struct span text = span_cut(&rest, ',');
        uint32_t seed = 0;
        struct roundfile *round = NULL;
        if (!opts_seed_in("--seeds", text, &seed)) {
            return 2;
        }
        enum d7_err err = roundfile_generate(seed, ROUND_GAUNTLET_MOVES, NULL, NULL, &round, NULL);
        if (err) {
            return tool_fail(1, "%s", d7_err_text(err));
        }
        if (add_round(b, round)) {
            return 2;
        }
    }
    return 0;
}

static int add_round_file(struct bench *b, const char *path)
{
    struct buf text;
    buf_init(&text, ROUND_FILE_MAX);
    struct roundfile *round = NULL;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = file_read(path, &text);
    if (!err) {
        err = roundfile_parse(buf_span(&text), &round, &why);
    }
    buf_release(&text);
    if (err) {
        return tool_fail(2, "--round-file %s: %s", path, why.text[0] ? why.text : d7_err_text(err));
    }
    return add_round(b, round);
}

static int add_rounds(struct bench *b, const struct bench_args *a)
{
    int status = 0;
    if (a->rounds) {
        status = add_round_ids(b, a->rounds);
    }
    if (!status && a->seeds) {
        status = add_seeds(b, a->seeds);
    }
    if (!status && a->round_file) {
        status = add_round_file(b, a->round_file);
    }
    for (unsigned k = 1; !status && b->round_count < k && !a->rounds && !a->seeds &&
                         !a->round_file && k <= ROUND_GAUNTLET_COUNT;
         k++) {
        struct roundfile *round = NULL;
        status =
            roundfile_gauntlet(k, &round) ? tool_fail(1, "out of memory") : add_round(b, round);
    }
    return status || b->round_count ? status : tool_fail(2, "no round is named");
}

static int configure(struct bench *b, const struct bench_args *a)
{
    int64_t jobs = 0;
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t move_s = 0;
    if (!opts_integer("--jobs", a->jobs, 1, 64,
                      cores < 1    ? 1
                      : cores > 64 ? 64
                                   : cores,
                      &jobs) ||
        !opts_integer("--move-timeout", a->move_timeout, 1, 3600, 10, &move_s)) {
        return 2;
    }
    b->jobs = (unsigned)jobs;
    b->limits = harness_limits_default();
    b->limits.move_ms = move_s * 1000;
    b->out = a->out ? a->out : "bench-out";
    b->stop = &stop_asked;
    if (!b->out[0]) {
        return tool_fail(2, "--out names no folder");
    }
    if (a->command && a->policies) {
        return tool_fail(2, "--policies and --command are two ways of naming who plays: give one");
    }
    int status = a->command ? add_command(b, a) : add_policies(b, a);
    return status ? status : add_rounds(b, a);
}

static int run(struct bench *b, bool resume)
{
    struct d7_why why = {{0}, {0}};
    enum d7_err err = bench_plan(b, resume, &why);
    if (err) {
        return tool_fail(1, "%s", why.text[0] ? why.text : d7_err_text(err));
    }
    const struct sigaction action = {.sa_handler = ask_stop};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    enum d7_err played = bench_run(b, &why);
    if (played && played != D7_ERR_CANCELLED) {
        (void)tool_fail(1, "%s", why.text[0] ? why.text : d7_err_text(played));
    }
    why.text[0] = '\0';
    err = bench_report(b, &why);
    if (err) {
        return tool_fail(1, "%s", why.text[0] ? why.text : d7_err_text(err));
    }
    return played == D7_ERR_CANCELLED ? 130 : played ? 1 : 0;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_args a = {0};
    const struct opt table[] = {
        {"--policies", "A,B", "built-in policies (default: all that are not slow)", &a.policies,
         NULL},
        {"--all", NULL, "the slow ones too", NULL, &a.all},
        {"--command", "\"PROG ARGS\"", "your own program instead, speaking D7P", &a.command, NULL},
        {"--id", "ID", "its name in the results (default: command)", &a.id, NULL},
        {"--rounds", "R1,R2", "rounds by id (default: gauntlet-01 to gauntlet-08)", &a.rounds,
         NULL},
        {"--seeds", "0xS1,0xS2", "rounds by generator seed", &a.seeds, NULL},
        {"--round-file", "FILE", "a round from a file", &a.round_file, NULL},
        {"--jobs", "N", "games at once (default: the cores)", &a.jobs, NULL},
        {"--move-timeout", "SECONDS", "for --command (default 10)", &a.move_timeout, NULL},
        {"--resume", NULL, "keep finished replays of OUT and play the rest", NULL, &a.resume},
        {"--out", "DIR", "where leaderboard.json and replays/ go (default: bench-out)", &a.out,
         NULL},
    };
    struct opts o = {.usage = "drop7 bench [options]", .table = table, .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct bench *b = calloc(1, sizeof(*b));
    if (!b) {
        return tool_fail(1, "%s", d7_err_text(D7_ERR_NOMEM));
    }
    status = configure(b, &a);
    if (!status) {
        status = run(b, a.resume);
    }
    bench_release(b);
    free(b);
    return status;
}
