/*
 * `drop7 bench` that is interrupted and resumed; and against bench.tsv, row by row and figure by
 * figure: the quick policies on all of the gauntlet, every policy where all vectors are wanted
 * (D7_ALL_VECTORS=1; some minutes).
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/command.h"
#include "tests/support/process.h"

#include "engine/base/fdio.h"
#include "engine/base/json.h"

#define ROUNDS                                                                                     \
    "gauntlet-01,gauntlet-02,gauntlet-03,gauntlet-04,gauntlet-05,gauntlet-06,gauntlet-07,"         \
    "gauntlet-08"
#define QUICK      "greedy,expectimax-d2,gray-throughput,sparse-d2,open-loop-beam,fair-d2-s7"
#define LIMIT_MS   (60 * 60 * 1000)
#define QUICK_ROWS 48
#define ALL_ROWS   99

struct rows {
    const struct jval *games;
    unsigned compared;
};

static const struct jval *find_game(const struct rows *r, struct span policy, struct span round)
{
    for (size_t i = 0; i < jval_length(r->games); i++) {
        const struct jval *g = jval_at(r->games, i);
        struct span p;
        struct span id;
        if (jval_text(jval_get(g, "policyId"), &p) && span_equal(p, policy) &&
            jval_text(jval_get(g, "roundId"), &id) && span_equal(id, round)) {
            return g;
        }
    }
    return NULL;
}

/* policy round seed score moves censored maxChain discsCleared coveredRevealed illegalMoves
 * checksum, with tabs between */
static bool on_line(void *ctx, struct span line)
{
    static const char *const keys[] = {NULL,           NULL,           NULL,
                                       "score",        "moves",        "censored",
                                       "maxChain",     "discsCleared", "coveredRevealed",
                                       "illegalMoves", "checksum"};
    struct rows *r = ctx;
    struct span field[D7_COUNT(keys)];
    for (size_t i = 0; i < D7_COUNT(field); i++) {
        field[i] = span_trim(span_cut(&line, '\t'));
    }
    const struct jval *game = find_game(r, field[0], field[1]);
    if (!game) { /* the header, and policies that were not asked for: counted at the end */
        return true;
    }
    for (size_t i = 3; i < D7_COUNT(keys); i++) {
        const struct jval *have = jval_get(game, keys[i]);
        struct span text = {NULL, 0};
        int64_t number = -1;
        bool flag = false;
        bool same = jval_bool(have, &flag) ? span_is(field[i], flag ? "true" : "false")
                    : jval_integer(have, &number)
                        ? span_parse_i64(field[i], number, number, &number) == D7_OK
                        : jval_text(have, &text) && span_equal(text, field[i]);
        if (!same) {
            fail_msg("%.*s on %.*s: %s differs", (int)field[0].len, field[0].ptr, (int)field[1].len,
                     field[1].ptr, keys[i]);
        }
    }
    r->compared++;
    return true;
}

static void bench_plays_every_published_game(void **state)
{
    (void)state;
    bool all = getenv("D7_ALL_VECTORS") != NULL;
    char program[PATH_MAX];
    char out[PATH_MAX];
    char path[PATH_MAX + 40];
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7"));
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(path, sizeof(path), "%s/leaderboard.json", out);
    const char *argv[] = {program, "bench", "--rounds", ROUNDS, "--out", out, NULL, NULL, NULL};
    argv[6] = all ? "--all" : "--policies";
    argv[7] = all ? NULL : QUICK;
    struct command_result r;
    command_run_within(argv, NULL, LIMIT_MS, &r);
    assert_int_equal(r.status, 0);
    command_release(&r);
    struct buf text;
    struct jval *board = NULL;
    buf_init(&text, 16u << 20);
    assert_int_equal(file_read(path, &text), D7_OK);
    assert_int_equal(jval_parse(buf_span(&text), &board, NULL), D7_OK);
    struct rows rows = {jval_get(board, "games"), 0};
    support_vector_lines("bench.tsv", on_line, &rows);
    assert_int_equal(rows.compared, all ? ALL_ROWS : QUICK_ROWS);
    jval_free(board);
    buf_release(&text);
    support_scratch_remove();
}

/* Starts it, and interrupts it once the file `wait_for` is there. */
static void run_interrupted(const char *const *argv, const char *wait_for,
                            struct command_result *ret)
{
    char text[4096] = "";
    int pipes[2];
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = process_spawn_on(argv, pipes[0], pipes[1], pipes[1]);
    (void)close(pipes[1]);
    for (int turn = 0; turn < 6000 && access(wait_for, F_OK) != 0; turn++) {
        (void)poll(NULL, 0, 10);
    }
    assert_int_equal(kill(pid, SIGINT), 0);
    size_t len = 0;
    ssize_t got = 0;
    while ((got = read(pipes[0], text + len, sizeof(text) - 1 - len)) > 0) {
        len += (size_t)got;
        text[len] = '\0';
    }
    (void)close(pipes[0]);
    int status = 0;
    assert_true(process_wait(pid, 60000, &status));
    *ret = (struct command_result){.status = process_exit_code(status), .err = strdup(text)};
}

/* SIGINT ends it between moves; what was played stays, and --resume plays the rest. */
static void an_interrupted_bench_is_resumed(void **state)
{
    (void)state;
    char program[PATH_MAX];
    char command[PATH_MAX + 20];
    char out[PATH_MAX];
    char first[PATH_MAX + 60];
    struct command_result r;
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7"));
    (void)snprintf(command, sizeof(command), "'%s' 20", support_program("tests/policies/slow"));
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(first, sizeof(first), "%s/replays/slow--seed-00000001.json", out);
    const char *argv[] = {program,       "bench",  "--command", command, "--id", "slow", "--seeds",
                          "1,2,3,4,5,6", "--jobs", "2",         "--out", out,    NULL,   NULL};
    run_interrupted(argv, first, &r);
    assert_int_equal(r.status, 130);
    assert_non_null(strstr(r.err, "not played: "));
    assert_non_null(strstr(r.err, "--resume plays the rest"));
    command_release(&r);
    argv[12] = "--resume";
    command_run(argv, NULL, &r);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, "6/6 games"));
    command_release(&r);
    support_scratch_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bench_plays_every_published_game),
        cmocka_unit_test(an_interrupted_bench_is_resumed),
    };
    return cmocka_run_group_tests_name("unit/tool/bench_rows", tests, NULL, NULL);
}
