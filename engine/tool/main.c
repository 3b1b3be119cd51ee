/*
 * drop7 - what an author of policies needs: the built-in policies over D7P, the benchmark, rounds
 * and replays, one turn at a time; and the way to a server.
 */
#include <signal.h>

#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"policies", cmd_policies, "list the built-in policies"},
    {"policy", cmd_policy,
     "serve a built-in policy over D7P (stdin/stdout, or --listen HOST:PORT)"},
    {"decide", cmd_decide, "a built-in policy's column for each position of a list"},
    {"bench", cmd_bench, "play policies, or your own program, on the benchmark rounds"},
    {"check", cmd_check, "hold a program or an endpoint against the protocol, step by step"},
    {"round", cmd_round, "print or validate a scripted round"},
    {"replay", cmd_replay, "verify a game and print it move by move"},
    {"move", cmd_move, "play one turn on a given board, wave by wave"},
    {"submit", cmd_submit, "register a policy with a server and follow its run"},
    {"status", cmd_status, "how a policy or a run on a server stands"},
    {"leaderboard", cmd_leaderboard, "the ranking of a server"},
    {"speed", cmd_speed, "fixed work for timing the rules engine"},
};

static void help(FILE *to)
{
    (void)fputs("usage: drop7 COMMAND [options]   (drop7 COMMAND --help)\n\n", to);
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        (void)fprintf(to, "  %-12s %s\n", commands[i].name, commands[i].help);
    }
}

/* What a command printed may not have got anywhere. */
static int printed(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return tool_fail(1, "cannot write to standard output");
    }
    return status;
}

int main(int argc, char **argv)
{
    /* a policy or a client that goes away is an error code here, not a signal */
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help(stdout);
        return printed(0);
    }
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return printed(commands[i].run(argc - 1, argv + 1));
        }
    }
    char quoted[80];
    return tool_fail(2, "unknown command '%s' (drop7 --help lists them)",
                     span_escape(span_of(argv[1]), quoted, sizeof(quoted)));
}
