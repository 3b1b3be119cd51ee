/*
 * drop7d - the tournament server: serve, its workers, and what an operator does by hand.
 */
#include <errno.h>
#include <limits.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/base/version.h"
#include "server/admin.h"
#include "server/config.h"
#include "server/log.h"
#include "server/serve.h"
#include "server/work/worker.h"

static int command_serve(int argc, char **argv);
static int command_worker(int argc, char **argv);

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *use;
    const char *help;
} commands[] = {
    {"serve", command_serve, "serve [options]", "HTTP, scheduler, and supervisor of the workers"},
    {"worker", command_worker, "worker [options]",
     "one worker process (serve starts its own; more may be started by hand)"},
    {"migrate", admin_migrate, "migrate", "bring the store's schema up to date"},
    {"token", admin_token, "token create NAME [--admin] | list | revoke ID",
     "API tokens; a secret is printed once"},
    {"verify", admin_verify, "verify", "replay every recorded game and compare"},
    {"backup", admin_backup, "backup DIR", "copy a store in use into an empty or new folder"},
    {"game", admin_game, "game void ID --reason TEXT", "a game that shall not count"},
};

static int fail(int status, const char *what, const char *text)
{
    (void)fprintf(stderr, "drop7d: %s%s%s\n", what, *what ? ": " : "", text);
    return status;
}

static int parse(int argc, char **argv, struct config *ret)
{
    struct d7_why why = {0};
    enum d7_err err = config_parse(argc, argv, ret, &why);
    return err ? fail(2, why.field, why.text[0] ? why.text : d7_err_text(err)) : 0;
}

static int command_serve(int argc, char **argv)
{
    struct config config;
    struct d7_why why = {0};
    int status = parse(argc - 1, argv + 1, &config);
    if (status) {
        return status;
    }
    log_init(config.log_json, "drop7d");
    enum d7_err err = serve_run(&config, argc - 1, argv + 1, &why);
    return err ? fail(1, why.field, why.text[0] ? why.text : d7_err_text(err)) : 0;
}

/* `--supervised PID NUMBER` comes first, from the supervisor only. */
static int command_worker(int argc, char **argv)
{
    struct config config;
    struct d7_why why = {0};
    int64_t parent = 0, number = 0;
    int skip = 1;
    if (argc > 3 && strcmp(argv[1], "--supervised") == 0) {
        if (span_parse_i64(span_of(argv[2]), 1, INT32_MAX, &parent) ||
            span_parse_i64(span_of(argv[3]), 0, INT32_MAX, &number)) {
            return fail(2, "--supervised", "not a process id and a number");
        }
        skip = 4;
        /* whatever the server holds open is its own */
        if (close_range(3, ~0u, 0) != 0) {
            return fail(1, "close_range", strerrordesc_np(errno));
        }
    }
    int status = parse(argc - skip, argv + skip, &config);
    if (status) {
        return status;
    }
    log_init(config.log_json, "worker");
    struct worker_options o = {
        .config = &config, .parent = (pid_t)parent, .number = (unsigned)number};
    enum d7_err err = worker_run(&o, &why);
    return err ? fail(1, why.field, why.text[0] ? why.text : d7_err_text(err)) : 0;
}

static int help(FILE *to)
{
    (void)fputs("usage: drop7d COMMAND [options]\n\n", to);
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        (void)fprintf(to, "  %-48s %s\n", commands[i].use, commands[i].help);
    }
    struct buf options;
    buf_init(&options, 1 << 16);
    config_help(&options);
    (void)fputs("\nEvery command takes --data DIR. Options of serve and worker (also DROP7_NAME in "
                "the environment):\n\n",
                to);
    (void)fputs(options.len ? options.data : "", to);
    buf_release(&options);
    return 0;
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        (void)help(stderr);
        return 2;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        return help(stdout);
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("drop7d %s\n", D7_VERSION);
        return 0;
    }
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return argc == 3 && is_help(argv[2]) ? help(stdout)
                                                 : commands[i].run(argc - 1, argv + 1);
        }
    }
    char quoted[80];
    return fail(2, span_escape(span_of(argv[1]), quoted, sizeof(quoted)),
                "no such command (drop7d --help lists them)");
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return fail(1, "", "cannot write to standard output");
    }
    return status;
}
