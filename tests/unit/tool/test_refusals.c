/*
 * What drop7 refuses, and that it says why: names nobody has, counts out of range, positions that
 * cannot occur.
 */
#include <limits.h>

#include "tests/support/command.h"

#define OPENING  "0000000000000000000000000000000000000000008888888"
#define FLOATING "1000000000000000000000000000000000000000008888888"
#define FULL     "8888888888888888888888888888888888888888888888888"

/* under OPENING */
#define ALL_HIDDEN     "0000000000000000000000000000000000000000001234567"
#define NOTHING_HIDDEN "0000000000000000000000000000000000000000000000000"

static char drop7[PATH_MAX];

struct refusal {
    const char *words[14]; /* after drop7 */
    const char *reason;    /* in what it says */
};

static void run(struct command_result *ret, const char *input, const char *const *words)
{
    const char *argv[16] = {drop7};
    for (size_t i = 0; words[i]; i++) {
        assert_true(i + 2 < D7_COUNT(argv));
        argv[i + 1] = words[i];
    }
    command_run(argv, input, ret);
}

/* Status 2, nothing on stdout, the reason on stderr. */
static void check_refusals(const struct refusal *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct command_result r;
        run(&r, OPENING " 1 5\n", all[i].words);
        if (r.status != 2 || r.out[0] || strncmp(r.err, "drop7: ", 7) != 0 ||
            !strstr(r.err, all[i].reason)) {
            fail_msg("%s, case %zu: status %d, it said %s%s", all[i].words[0], i, r.status, r.out,
                     r.err);
        }
        command_release(&r);
    }
}

static void an_unknown_policy_is_answered_by_the_known_ones(void **state)
{
    (void)state;
    static const struct refusal all[] = {
        {{"decide", "--policy", "greedi"}, "unknown policy 'greedi'"},
        {{"policy", "--policy", "greedi"}, "unknown policy 'greedi'"},
        {{"bench", "--policies", "greedy,greedi"}, "unknown policy 'greedi'"},
        {{"bench", "--policies", "fair-d3"}, "unknown policy 'fair-d3'"},
        {{"policy", "--policy", ""}, "unknown policy ''"},
    };
    check_refusals(all, D7_COUNT(all));
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        static const char *const known[] = {" greedy ", " fair-d3-s7 ", " mcts-fair\n"};
        struct command_result r;
        run(&r, NULL, all[i].words);
        for (size_t k = 0; k < D7_COUNT(known); k++) {
            assert_non_null(strstr(r.err, known[k]));
        }
        command_release(&r);
    }
}

static void an_unknown_round_is_answered_by_what_there_is(void **state)
{
    (void)state;
    static const struct refusal all[] = {
        {{"bench", "--rounds", "gauntlet-09"}, "unknown round 'gauntlet-09' (gauntlet-01 to "},
        {{"bench", "--rounds", "gauntlet-01,gauntlet-1"}, "unknown round 'gauntlet-1'"},
        {{"bench", "--rounds", "seed-5eed000g"}, "unknown round 'seed-5eed000g'"},
        {{"bench", "--rounds", "gauntlet-01,gauntlet-01"}, "round gauntlet-01 is named twice"},
        {{"bench", "--rounds", ""}, "no round is named"},
        {{"bench", "--policies", "greedy", "--out", ""}, "--out names no folder"},
        {{"bench", "--seeds", "1,,2"}, "--seeds must be 0x and up to 8 hex digits"},
        {{"bench", "--seeds", "1,00000000000000000000000000000000000000000000000001"},
         "--seeds must be 0x and up to 8 hex digits"},
    };
    check_refusals(all, D7_COUNT(all));
}

static void counts_out_of_range_are_refused_with_the_range(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",  "-1",  "65", "4294967297", "99999999999999999999",
                                      "1x", "1.5", " 1", "+1",         ""};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        const struct refusal all[] = {
            {{"decide", "--policy", "fair-d2-s7", "--threads", bad[i]},
             "--threads must be a whole number from 1 to 64, not '"},
            {{"bench", "--policies", "greedy", "--jobs", bad[i]},
             "--jobs must be a whole number from 1 to 64, not '"},
        };
        check_refusals(all, D7_COUNT(all));
    }
}

static void positions_that_cannot_occur_are_no_moves(void **state)
{
    (void)state;
#define MOVE(board, next, rise)                                                                    \
    {                                                                                              \
        "move", "--board", board, "--next", next, "--rise", rise, "--column", "3"                  \
    }
    static const struct refusal all[] = {
        {MOVE(FLOATING, "1", "5"), "--board: a board has no empty cell below an occupied one"},
        {MOVE(OPENING "0", "1", "5"), "--board: a board has exactly 49 digits"},
        {MOVE("", "1", "5"), "--board: a board has exactly 49 digits"},
        {MOVE("a" OPENING, "1", "5"), "--board: a board has exactly 49 digits"},
        {MOVE(OPENING, "0", "5"), "--next must be a whole number from 1 to 7, not '0'"},
        {MOVE(OPENING, "8", "5"), "--next must be a whole number from 1 to 7, not '8'"},
        {MOVE(OPENING, "1", "0"), "--rise must be a whole number from 1 to 5, not '0'"},
        {MOVE(OPENING, "1", "6"), "--rise must be a whole number from 1 to 5, not '6'"},
        {MOVE(FULL, "1", "5"), "--column 3 is full"},
    };
#undef MOVE
    check_refusals(all, D7_COUNT(all));
}

/* What hidden discs hold, what a row is: said wrongly, or not at all. */
static void turns_that_are_not_told_in_full_are_no_moves(void **state)
{
    (void)state;
#define MOVE "move", "--board", OPENING, "--next", "1", "--rise", "1"
    static const struct refusal all[] = {
        {{"move", "--next", "1", "--rise", "1", "--column", "0"}, "--board"},
        {{"move", "--board", OPENING, "--rise", "1", "--column", "0"}, "--next"},
        {{"move", "--board", OPENING, "--next", "1", "--column", "0"}, "--rise"},
        {{MOVE}, "--column"},
        {{MOVE, "--column", "7"}, "--column must be a whole number from 0 to 6, not '7'"},
        {{MOVE, "--column", "0", "--row", "123456"}, "--row"},
        {{MOVE, "--column", "0", "--row", "12345678"}, "--row"},
        {{MOVE, "--column", "0", "--row", "1234568"}, "--row"},
        {{MOVE, "--column", "0", "--latent", "1"}, "--latent"},
        {{MOVE, "--column", "0", "--latent", "8" OPENING}, "--latent"},
        {{MOVE, "--column", "0", "--latent", OPENING}, "--latent"},
        {{MOVE, "--column", "0", "--latent", NOTHING_HIDDEN}, "--latent"},
        {{MOVE, "--column", "0", "--latent", ALL_HIDDEN}, "--row"},
        {{MOVE, "--column", "0", "--seed", "0xg"}, "--seed"},
        {{"replay"}, "replay"},
        {{"replay", "--seed", "1"}, "--columns"},
        {{"replay", "--seed", "x", "--columns", "0"}, "--seed"},
        {{"replay", "--seed", "1", "--columns", "0", "--moves", "0"}, "--moves"},
        {{"replay", "--seed", "1", "--columns", ""}, "--columns"},
        {{"round"}, "--seed"},
        {{"round", "--seed", "x"}, "--seed"},
        {{"round", "--seed", "1", "--moves", "0"}, "--moves"},
        {{"round", "--seed", "1", "--id", "No"}, "id"},
        {{"bench", "--round-file", "/nowhere"}, "--round-file /nowhere: "},
        {{"bench", "--command", "true", "--policies", "greedy"}, "--policies"},
        {{"bench", "--command", ""}, "--command"},
        {{"bench", "--command", "true", "--id", "No"}, "--id"},
        {{"bench", "--policies", ","}, "unknown policy ''"},
        {{"bench", "--seeds", "1,1"}, "twice"},
        {{"policy", "--policy", "greedy", "--listen", "nowhere"}, "--listen"},
        {{"check"}, "--command"},
        {{"check", "--command", "true", "--endpoint", "127.0.0.1:1"}, "--endpoint"},
        {{"check", "--endpoint", "nowhere"}, "--endpoint"},
        {{"decide"}, "--policy"},
    };
#undef MOVE
    check_refusals(all, D7_COUNT(all));
}

static const struct {
    const char *board, *next, *rise, *reason;
} positions[] = {
    {FLOATING, "1", "5", "a board has no empty cell below an occupied one"},
    {OPENING, "0", "5", "next must be 1 to 7"},
    {OPENING, "8", "5", "next must be 1 to 7"},
    {OPENING, "1", "0", "rise must be 1 to 5"},
    {OPENING, "1", "6", "rise must be 1 to 5"},
    {OPENING, "1", "-1", "rise must be 1 to 5"},
    {OPENING "8", "1", "5", "49 digits"},
    {"x", "1", "5", "49 digits"},
};

/* The good position before it is answered, the bad one named with its line. */
static void positions_that_cannot_occur_are_not_decided(void **state)
{
    (void)state;
    static const char *const words[] = {"decide", "--policy", "greedy", NULL};
    for (size_t i = 0; i < D7_COUNT(positions); i++) {
        char input[300];
        struct command_result r;
        (void)snprintf(input, sizeof(input), OPENING " 2 5\n%s %s %s\n" OPENING " 2 5\n",
                       positions[i].board, positions[i].next, positions[i].rise);
        run(&r, input, words);
        if (r.status != 1 || strcmp(r.out, "3\n") != 0 || !strstr(r.err, "drop7: line 2: ") ||
            !strstr(r.err, positions[i].reason)) {
            fail_msg("case %zu: status %d, it said %s%s", i, r.status, r.out, r.err);
        }
        command_release(&r);
    }
}

/* No line of its own hides behind a NUL. */
static void a_line_with_a_nul_is_refused(void **state)
{
    (void)state;
    char script[PATH_MAX + 200];
    (void)snprintf(script, sizeof(script),
                   "printf '" OPENING " 2 5\\000 nonsense\\n' | '%s' decide --policy greedy",
                   drop7);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct command_result r;
    command_run(argv, NULL, &r);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_non_null(strstr(r.err, "line 1: "));
    command_release(&r);
}

static void positions_that_cannot_occur_are_errors_of_a_session(void **state)
{
    (void)state;
    static const char *const words[] = {"policy", "--policy", "greedy", NULL};
    for (size_t i = 0; i < D7_COUNT(positions); i++) {
        char input[300];
        struct command_result r;
        (void)snprintf(input, sizeof(input),
                       "position startpos next 2 rise 5\nposition board %s next %s rise %s\ngo\n",
                       positions[i].board, positions[i].next, positions[i].rise);
        run(&r, input, words);
        struct span rest = span_of(r.out);
        struct span first = span_cut(&rest, '\n');
        if (r.status != 0 || !span_starts(first, "info error position: ") ||
            !strstr(r.out, positions[i].reason) || !span_is(rest, "info error no position\n")) {
            fail_msg("case %zu: status %d, it said %s%s", i, r.status, r.out, r.err);
        }
        command_release(&r);
    }
}

/* Its input may have no end of its own. */
static void decide_ends_when_nobody_can_read_it(void **state)
{
    (void)state;
    char script[2 * PATH_MAX];
    struct command_result r;
    const char *const shell[] = {"/bin/sh", "-c", script, NULL};
    static const char *const to[] = {"| head -n 1", ">/dev/full", ">&-"};
    for (size_t i = 0; i < D7_COUNT(to); i++) {
        (void)snprintf(script, sizeof(script),
                       "{ yes '" OPENING " 2 5' | '%s' decide --policy greedy; echo ended $? >&2; "
                       "} %s",
                       support_program("drop7"), to[i]);
        command_run(shell, NULL, &r);
        assert_non_null(strstr(r.err, "drop7: cannot write to standard output\nended 1\n"));
        command_release(&r);
    }
}

static void help_that_nobody_can_read_fails(void **state)
{
    (void)state;
    char script[2 * PATH_MAX];
    struct command_result r;
    const char *const shell[] = {"/bin/sh", "-c", script, NULL};
    (void)snprintf(script, sizeof(script), "'%s' help >/dev/full", support_program("drop7"));
    command_run(shell, NULL, &r);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.err, "drop7: cannot write to standard output\n");
    command_release(&r);
}

/* A full board is where a game ends, not nonsense: there is no column. */
static void a_full_board_has_no_column(void **state)
{
    (void)state;
    static const char *const decide[] = {"decide", "--policy", "fair-d2-s7", "--values", NULL};
    static const char *const policy[] = {"policy", "--policy", "fair-d2-s7", NULL};
    struct command_result r;
    run(&r, FULL " 1 5\n", decide);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "none\n");
    command_release(&r);
    run(&r, "position board " FULL " next 1 rise 5\ngo\n", policy);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "bestmove none\n");
    command_release(&r);
}

int main(void)
{
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_policy_is_answered_by_the_known_ones),
        cmocka_unit_test(an_unknown_round_is_answered_by_what_there_is),
        cmocka_unit_test(counts_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(positions_that_cannot_occur_are_no_moves),
        cmocka_unit_test(turns_that_are_not_told_in_full_are_no_moves),
        cmocka_unit_test(positions_that_cannot_occur_are_not_decided),
        cmocka_unit_test(a_line_with_a_nul_is_refused),
        cmocka_unit_test(positions_that_cannot_occur_are_errors_of_a_session),
        cmocka_unit_test(decide_ends_when_nobody_can_read_it),
        cmocka_unit_test(help_that_nobody_can_read_fails),
        cmocka_unit_test(a_full_board_has_no_column),
    };
    return cmocka_run_group_tests_name("unit/tool/refusals", tests, NULL, NULL);
}
