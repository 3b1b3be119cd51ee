/* The drop7 program as its users run it: output, exit status, refusals. */
#include "tests/support/command.h"

#include <limits.h>
#include <math.h>

#include "engine/base/fdio.h"
#include "engine/base/json.h"

static char drop7[PATH_MAX];

static void run(struct command_result *ret, const char *input, const char *const *words)
{
    const char *argv[24] = {drop7};
    for (size_t i = 0; words[i]; i++) {
        assert_true(i + 2 < D7_COUNT(argv));
        argv[i + 1] = words[i];
    }
    command_run(argv, input, ret);
}
#define RUN(ret, input, ...) run(ret, input, (const char *const[]){__VA_ARGS__, NULL})

static struct span text_of(const struct jval *v, const char *key)
{
    struct span text = {0};
    assert_true(jval_text(jval_get(v, key), &text));
    return text;
}

static int64_t integer_of(const struct jval *v, const char *key)
{
    int64_t value = -1;
    assert_true(jval_integer(jval_get(v, key), &value));
    return value;
}

static void speed_prints_the_published_totals(void **state)
{
    (void)state;
    struct command_result r;
    RUN(&r, NULL, "speed", "--games", "20000");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "games 20000\nmoves 522394\nscore 1455000139\nwaves 372039\n"
                               "cleared 480512\nrevealed 159382\n");
    command_release(&r);
}

struct every {
    unsigned line;
    unsigned each;
};

static bool replay_line(void *ctx, struct span line)
{
    struct every *e = ctx;
    if (e->line++ % e->each) {
        return true;
    }
    struct jval *game = NULL;
    assert_int_equal(jval_parse(line, &game, NULL), D7_OK);
    char seed[20];
    char columns[4096];
    char cap[20] = "2000";
    int64_t moves = 0;
    assert_int_equal(span_copy(text_of(game, "seed"), seed, sizeof(seed)), D7_OK);
    assert_int_equal(span_copy(text_of(game, "columns"), columns, sizeof(columns)), D7_OK);
    if (jval_integer(jval_get(game, "maximumMoves"), &moves)) {
        (void)snprintf(cap, sizeof(cap), "%d", (int)moves);
    }
    struct command_result r;
    RUN(&r, NULL, "replay", "--seed", seed, "--moves", cap, "--columns", columns, "--json");
    assert_int_equal(r.status, 0);
    struct jval *summary = NULL;
    assert_int_equal(jval_parse(span_of(r.out), &summary, NULL), D7_OK);
    assert_true(span_equal(text_of(summary, "checksum"), text_of(game, "checksum")));
    assert_int_equal(integer_of(summary, "score"), integer_of(game, "score"));
    jval_free(summary);
    jval_free(game);
    command_release(&r);
    return true;
}

static void replay_verifies_recorded_games(void **state)
{
    (void)state;
    struct every e = {0, 9};
    support_vector_lines("games.jsonl", replay_line, &e);
    assert_true(e.line >= 100);
}

static void replay_names_the_move_that_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        const char *says;
    } cases[] = {{"40366", "move 5 is the last one"}, {"4037", "move 4"}};
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct command_result r;
        RUN(&r, NULL, "replay", "--seed", "0x5eed0001", "--columns", cases[i].columns);
        assert_int_equal(r.status, 1);
        assert_non_null(strstr(r.err, cases[i].says));
        command_release(&r);
    }
}

/* One row of moves.jsonl through `move --json`. */
static bool move_line(void *ctx, struct span line)
{
    struct every *e = ctx;
    if (e->line++ % e->each) {
        return true;
    }
    struct jval *m = NULL;
    assert_int_equal(jval_parse(line, &m, NULL), D7_OK);
    char board[50];
    char latent[50];
    char row[8] = "";
    char next[12];
    char rise[12];
    char column[12];
    assert_int_equal(span_copy(text_of(m, "board"), board, sizeof(board)), D7_OK);
    assert_int_equal(span_copy(text_of(m, "latent"), latent, sizeof(latent)), D7_OK);
    (void)snprintf(next, sizeof(next), "%d", (int)integer_of(m, "next"));
    (void)snprintf(rise, sizeof(rise), "%d", (int)integer_of(m, "rise"));
    (void)snprintf(column, sizeof(column), "%d", (int)integer_of(m, "column"));
    for (size_t i = 0; i < 7; i++) {
        int64_t v = 0;
        assert_true(jval_integer(jval_at(jval_get(m, "row"), i), &v));
        row[i] = (char)('0' + v);
    }
    struct command_result r;
    RUN(&r, NULL, "move", "--board", board, "--latent", latent, "--next", next, "--rise", rise,
        "--column", column, "--row", row, "--json");
    assert_int_equal(r.status, 0);
    struct jval *have = NULL;
    assert_int_equal(jval_parse(span_of(r.out), &have, NULL), D7_OK);
    assert_true(span_equal(text_of(have, "board"), text_of(m, "after")));
    assert_true(span_equal(text_of(have, "latentAfter"), text_of(m, "latentAfter")));
    assert_int_equal(integer_of(have, "scoreDelta"), integer_of(m, "scoreDelta"));
    assert_int_equal(integer_of(have, "riseAfter"), integer_of(m, "riseAfter"));
    assert_int_equal(integer_of(have, "chainDepth"), integer_of(m, "waves"));
    const struct jval *steps = jval_get(have, "steps");
    assert_true(jval_length(steps) >= 1);
    const struct jval *last = jval_at(steps, jval_length(steps) - 1);
    assert_true(span_equal(text_of(last, "board"), text_of(m, "after")));
    jval_free(have);
    jval_free(m);
    command_release(&r);
    return true;
}

static void move_gives_the_recorded_turns(void **state)
{
    (void)state;
    struct every e = {0, 11};
    support_vector_lines("moves.jsonl", move_line, &e);
    assert_true(e.line >= 200);
}

static void policy_answers_over_standard_input(void **state)
{
    (void)state;
    struct command_result r;
    RUN(&r,
        "d7p\nisready\nposition startpos next 2 rise 5\r\ngo\n"
        "position board 123 next 1 rise 1\ngo\nquit\n",
        "policy", "--policy", "greedy");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "d7pok\n"));
    assert_non_null(strstr(r.out, "readyok\nbestmove 3\ninfo error"));
    assert_non_null(strstr(r.out, "info error no position"));
    command_release(&r);
}

static void decide_answers_line_by_line_and_names_the_bad_one(void **state)
{
    (void)state;
#define OPENING "0000000000000000000000000000000000000000008888888"
    struct command_result r;
    RUN(&r, "# the opening\n\n" OPENING " 2 5\n" OPENING " 2 5 1 0\r\n", "decide", "--policy",
        "greedy", "--values");
    assert_int_equal(r.status, 0);
    const char *line = "3 0:-2742.9999999999995 1:-2742.9999999999995 2:-2742.9999999999995 "
                       "3:-2742.9999999999995 4:-2742.9999999999995 5:-2742.9999999999995 "
                       "6:-2742.9999999999995\n";
    assert_int_equal(strlen(r.out), 2 * strlen(line));
    assert_memory_equal(r.out, line, strlen(line));
    command_release(&r);
    RUN(&r, OPENING " 2 5\n" OPENING " 2 5 1 0\n", "decide", "--policy", "mcts", "--json");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "{\"column\":"));
    assert_non_null(strstr(r.out, "\"work\":400,\"values\":[{\"column\":0,\"value\":"));
    unsigned visits = 0;
    for (const char *at = r.out; (at = strstr(at, "\"visits\":")); at += 9) {
        struct span rest = span_make(at + 9, strcspn(at + 9, "}"));
        int64_t count = 0;
        assert_int_equal(span_parse_i64(rest, 0, 400, &count), D7_OK);
        visits += (unsigned)count;
    }
    assert_int_equal(visits, 2 * 400);
    command_release(&r);
    static const char *const bad[][2] = {
        {"123 1 1\n", "line 1: "},
        {OPENING " 8 5\n", "next must be 1 to 7"},
        {OPENING " 1 0\n", "rise must be 1 to 5"},
        {OPENING " 1 5 1\n", "moves must be"},
        {OPENING " 1 5 1 0 9\n", "too much on the line"},
        {"1000000000000000000000000000000000000000008888888 1 5\n", "line 1: "}, /* floating */
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        RUN(&r, bad[i][0], "decide", "--policy", "fair-d2-s7", "--threads", "2");
        assert_int_equal(r.status, 1);
        assert_non_null(strstr(r.err, bad[i][1]));
        command_release(&r);
    }
    RUN(&r, NULL, "decide", "--policy", "greedy", "--threads", "0");
    assert_int_equal(r.status, 2);
    command_release(&r);
#undef OPENING
}

static void a_generated_round_validates(void **state)
{
    (void)state;
    struct command_result r;
    RUN(&r, NULL, "round", "--seed", "0x5eed0001", "--id", "mine", "--name", "Mine", "--moves",
        "50");
    assert_int_equal(r.status, 0);
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/r.json", support_scratch());
    assert_int_equal(file_write(path, span_of(r.out), 0600), D7_OK);
    command_release(&r);
    RUN(&r, NULL, "round", "--validate", path);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "round mine (Mine), 50 moves"));
    command_release(&r);
    static const char bad[] = "{\"format\":\"drop7-scripted-round-v1\",\"id\":\"UPPER\"}";
    assert_int_equal(file_write(path, span_of(bad), 0600), D7_OK);
    RUN(&r, NULL, "round", "--validate", path);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "id"));
    command_release(&r);
    support_scratch_remove();
}

/* Finds row (policy, round) of bench.tsv and gives its checksum. */
struct wanted {
    const char *policy;
    const char *round;
    char checksum[17];
};

static bool bench_line(void *ctx, struct span line)
{
    struct wanted *w = ctx;
    struct span policy = span_cut(&line, '\t');
    struct span round = span_cut(&line, '\t');
    if (!span_is(policy, w->policy) || !span_is(round, w->round)) {
        return true;
    }
    struct span last = {0};
    while (line.len) {
        last = span_trim(span_cut(&line, '\t'));
    }
    assert_int_equal(span_copy(last, w->checksum, sizeof(w->checksum)), D7_OK);
    return false;
}

static void bench_gives_the_published_checksums_and_resumes(void **state)
{
    (void)state;
    char out[PATH_MAX];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    struct command_result r;
    RUN(&r, NULL, "bench", "--policies", "greedy,fair-d2-s7", "--rounds", "gauntlet-03,gauntlet-08",
        "--out", out, "--jobs", "2");
    assert_int_equal(r.status, 0);
    static const char *const policies[] = {"greedy", "fair-d2-s7"};
    static const char *const rounds[] = {"gauntlet-03", "gauntlet-08"};
    for (size_t i = 0; i < 4; i++) {
        struct wanted w = {policies[i / 2], rounds[i % 2], ""};
        support_vector_lines("bench.tsv", bench_line, &w);
        assert_int_equal(strlen(w.checksum), 16);
        assert_non_null(strstr(r.out, w.checksum));
        char path[PATH_MAX + 100];
        (void)snprintf(path, sizeof(path), "%s/replays/%s--%s.json", out, w.policy, w.round);
        struct command_result again;
        RUN(&again, NULL, "replay", path, "--json");
        assert_int_equal(again.status, 0);
        assert_non_null(strstr(again.out, w.checksum));
        command_release(&again);
    }
    command_release(&r);
    RUN(&r, NULL, "bench", "--policies", "greedy,fair-d2-s7", "--rounds", "gauntlet-03,gauntlet-08",
        "--out", out, "--resume");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, "4/4 games, 0 moves/s")); /* nothing was played again */
    command_release(&r);
    support_scratch_remove();
}

/* The interval is that of greedy's published scores (bench.tsv) under the second implementation of
 * tests/unit/rank/test_bootstrap.c. */
static void bench_writes_a_board_with_reference_and_intervals(void **state)
{
    (void)state;
    char out[PATH_MAX];
    char path[PATH_MAX + 40];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(path, sizeof(path), "%s/leaderboard.json", out);
    struct command_result r;
    RUN(&r, NULL, "bench", "--policies", "greedy", "--out", out);
    assert_int_equal(r.status, 0);
    command_release(&r);
    struct buf text;
    struct jval *board = NULL;
    buf_init(&text, 1u << 20);
    assert_int_equal(file_read(path, &text), D7_OK);
    assert_int_equal(jval_parse(buf_span(&text), &board, NULL), D7_OK);
    assert_true(span_is(text_of(board, "reference"), "greedy"));
    assert_int_equal(integer_of(jval_get(board, "bootstrap"), "resamples"), 10000);
    assert_int_equal(integer_of(jval_get(board, "bootstrap"), "seed"), 14135303);
    const struct jval *row = jval_at(jval_get(board, "summaries"), 0);
    const struct jval *ci = jval_get(row, "meanScoreCi95");
    double low = 0;
    double high = 0;
    assert_true(jval_number(jval_at(ci, 0), &low) && jval_number(jval_at(ci, 1), &high));
    assert_true(fabs(low - 111407.16875) < 1e-6 && fabs(high - 171932.74375) < 1e-6);
    assert_int_equal(integer_of(jval_get(row, "paired"), "ties"), 8);
    jval_free(board);
    buf_release(&text);
    support_scratch_remove();
}

static void bench_of_a_command_equals_the_built_in(void **state)
{
    (void)state;
    char out[PATH_MAX];
    char command[PATH_MAX + 40];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(command, sizeof(command), "'%s' policy --policy greedy", drop7);
    struct command_result r;
    RUN(&r, NULL, "bench", "--command", command, "--id", "mine", "--rounds", "gauntlet-01", "--out",
        out);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "11cda30514f06239"));
    command_release(&r);
    support_scratch_remove();
}

/* `bench` of greedy on one round; returns the path of its replay in a static buffer. */
static const char *bench_one(const char *out)
{
    static char path[PATH_MAX + 60];
    struct command_result r;
    RUN(&r, NULL, "bench", "--policies", "greedy", "--rounds", "gauntlet-08", "--out", out);
    assert_int_equal(r.status, 0);
    command_release(&r);
    (void)snprintf(path, sizeof(path), "%s/replays/greedy--gauntlet-08.json", out);
    return path;
}

static void replay_finds_every_field_that_was_tampered_with(void **state)
{
    (void)state;
    static const char *const edits[][2] = {
        {"\"score\":85267,\"moves\"", "\"score\":85268,\"moves\""},
        {"\"maxChain\":2", "\"maxChain\":3"},
        {"\"discsCleared\":29", "\"discsCleared\":28"},
        {"\"coveredRevealed\":9", "\"coveredRevealed\":8"},
        {"\"censored\":false", "\"censored\":true"},
        {"\"outcome\":\"over\"", "\"outcome\":\"forfeit\""},
        {"\"roundId\":\"gauntlet-08\"", "\"roundId\":\"gauntlet-07\""},
        {"\"generatorSeedHex\":\"0x5eed0008\"", "\"generatorSeedHex\":\"0x5eed0007\""},
        {"\"nextDisc\":", "\"nextDisk\":"},
        {"\"movesRemaining\":4", "\"movesRemaining\":5"},
        {"\"chainDepth\":0", "\"chainDepth\":1"},
        {"\"cleared\":0", "\"cleared\":1"},
        {"\"revealed\":0", "\"revealed\":1"},
        {"\"levelAdvanced\":false", "\"levelAdvanced\":true"},
        {"7e327af7947c3a06", "7e327af7947c3a07"},
    };
    char out[PATH_MAX];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    const char *path = bench_one(out);
    struct buf text;
    buf_init(&text, 1 << 20);
    assert_int_equal(file_read(path, &text), D7_OK);
    for (size_t i = 0; i < D7_COUNT(edits); i++) {
        const char *at = strstr(text.data, edits[i][0]);
        assert_non_null(at);
        struct buf changed;
        buf_init(&changed, 1 << 20);
        buf_append(&changed, text.data, (size_t)(at - text.data));
        buf_text(&changed, edits[i][1]);
        buf_text(&changed, at + strlen(edits[i][0]));
        assert_int_equal(file_write(path, buf_span(&changed), 0600), D7_OK);
        buf_release(&changed);
        struct command_result r;
        RUN(&r, NULL, "replay", path);
        if (r.status != 1 || !strstr(r.err, "differ")) {
            fail_msg("%s: status %d, %s", edits[i][1], r.status, r.err);
        }
        command_release(&r);
    }
    buf_release(&text);
    support_scratch_remove();
}

static void replay_json_has_the_facts_of_the_file(void **state)
{
    (void)state;
    char out[PATH_MAX];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    struct command_result r;
    RUN(&r, NULL, "bench", "--command", support_program("tests/policies/illegal"), "--rounds",
        "gauntlet-01", "--out", out);
    assert_int_equal(r.status, 0);
    command_release(&r);
    char path[PATH_MAX + 60];
    (void)snprintf(path, sizeof(path), "%s/replays/command--gauntlet-01.json", out);
    RUN(&r, NULL, "replay", path, "--json");
    assert_int_equal(r.status, 0);
    struct jval *facts = NULL;
    assert_int_equal(jval_parse(span_of(r.out), &facts, NULL), D7_OK);
    assert_true(span_is(text_of(facts, "policyId"), "command"));
    assert_true(integer_of(facts, "illegalMoves") > 0);
    assert_true(integer_of(facts, "elapsedMs") >= 0);
    jval_free(facts);
    command_release(&r);
    support_scratch_remove();
}

static void resume_never_takes_the_games_of_another_program(void **state)
{
    (void)state;
    char out[PATH_MAX];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    static const char *const players[] = {"tests/policies/good", "tests/policies/steady"};
    for (size_t i = 0; i < 2; i++) {
        struct command_result r;
        RUN(&r, NULL, "bench", "--command", support_program(players[i]), "--rounds", "gauntlet-01",
            "--out", out, "--resume");
        assert_int_equal(r.status, 0);
        assert_null(strstr(r.err, ", 0 moves/s")); /* played, not taken over */
        command_release(&r);
    }
    support_scratch_remove();
}

/* Cut short, empty, another game's, changed by a point, a pipe nobody writes to, a device. */
static void resume_plays_again_what_is_damaged(void **state)
{
    (void)state;
    static const char *const damage[] = {
        "truncate -s 1000 $1",        ": > $1",
        "cp ${1/01.json/02.json} $1", "sed -i 's/\"score\":207956/\"score\":207957/' $1",
        "rm $1; mkfifo $1",           "rm $1; ln -s /dev/zero $1",
    };
    char out[PATH_MAX];
    char replay[PATH_MAX + 100];
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(replay, sizeof(replay), "%s/replays/greedy--gauntlet-01.json", out);
    for (size_t i = 0; i <= D7_COUNT(damage); i++) {
        struct command_result r;
        RUN(&r, NULL, "bench", "--policies", "greedy", "--rounds", "gauntlet-01,gauntlet-02",
            "--out", out, "--resume");
        assert_int_equal(r.status, 0);
        assert_non_null(strstr(r.out, "11cda30514f06239"));
        assert_non_null(strstr(r.err, "2/2 games"));
        assert_null(strstr(r.err, ", 0 moves/s"));
        command_release(&r);
        RUN(&r, NULL, "replay", replay);
        assert_int_equal(r.status, 0);
        command_release(&r);
        if (i < D7_COUNT(damage)) {
            const char *const argv[] = {"/bin/bash", "-euc", damage[i], "damage", replay, NULL};
            command_run(argv, NULL, &r);
            assert_int_equal(r.status, 0);
            command_release(&r);
        }
    }
    support_scratch_remove();
}

static void a_crowd_of_games_on_few_cores_loses_none_on_time(void **state)
{
    (void)state;
    char out[PATH_MAX];
    char command[PATH_MAX];
    char seeds[250 * 12] = "";
    size_t len = 0;
    for (unsigned i = 0; i < 250; i++) {
        len += (size_t)snprintf(seeds + len, sizeof(seeds) - len, "%s%u", i ? "," : "", i + 1);
    }
    (void)snprintf(out, sizeof(out), "%s/out", support_scratch());
    (void)snprintf(command, sizeof(command), "'%s'", support_program("tests/policies/good"));
    struct command_result r;
    RUN(&r, NULL, "bench", "--command", command, "--id", "good", "--seeds", seeds, "--jobs", "64",
        "--out", out);
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, "250/250 games"));
    assert_null(strstr(r.out, "timeouts"));
    assert_null(strstr(r.out, "forfeit"));
    command_release(&r);
    RUN(&r, NULL, "bench", "--command", command, "--seeds", seeds, "--jobs", "250", "--out", out);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "--jobs"));
    command_release(&r);
    support_scratch_remove();
}

static void bad_usage_is_one_line_and_status_2(void **state)
{
    (void)state;
    static const char *const cases[][8] = {
        {"nonsense"},
        {"speed", "--games", "0"},
        {"speed", "--games", "03"},
        {"bench", "--policies", "nosuch"},
        {"bench", "--rounds", "gauntlet-09"},
        {"bench", "--jobs", "0"},
        {"bench", "--command", "/no/such/program"},
        {"policy"},
        {"policy", "--policy", "nosuch"},
        {"round", "--seed", "0x123456789"},
        {"round", "--seed", "1", "--moves", "10001"},
        {"move", "--board", "123"},
        {"replay", "a", "b"},
        {"policies", "--wrong"},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct command_result r;
        run(&r, NULL, cases[i]);
        if (r.status != 2 || strncmp(r.err, "drop7: ", 7) != 0) {
            fail_msg("case %zu: status %d, stderr %s", i, r.status, r.err);
        }
        command_release(&r);
    }
}

static void an_unknown_policy_gets_the_list_of_known_ones(void **state)
{
    (void)state;
    struct command_result r;
    RUN(&r, NULL, "bench", "--policies", "greedi");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "greedy"));
    assert_non_null(strstr(r.err, "fair-d2-s7"));
    command_release(&r);
}

int main(void)
{
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_prints_the_published_totals),
        cmocka_unit_test(replay_verifies_recorded_games),
        cmocka_unit_test(replay_names_the_move_that_is_wrong),
        cmocka_unit_test(move_gives_the_recorded_turns),
        cmocka_unit_test(policy_answers_over_standard_input),
        cmocka_unit_test(decide_answers_line_by_line_and_names_the_bad_one),
        cmocka_unit_test(a_generated_round_validates),
        cmocka_unit_test(bench_gives_the_published_checksums_and_resumes),
        cmocka_unit_test(bench_writes_a_board_with_reference_and_intervals),
        cmocka_unit_test(bench_of_a_command_equals_the_built_in),
        cmocka_unit_test(replay_finds_every_field_that_was_tampered_with),
        cmocka_unit_test(replay_json_has_the_facts_of_the_file),
        cmocka_unit_test(resume_never_takes_the_games_of_another_program),
        cmocka_unit_test(resume_plays_again_what_is_damaged),
        cmocka_unit_test(a_crowd_of_games_on_few_cores_loses_none_on_time),
        cmocka_unit_test(bad_usage_is_one_line_and_status_2),
        cmocka_unit_test(an_unknown_policy_gets_the_list_of_known_ones),
    };
    return cmocka_run_group_tests_name("unit/tool", tests, NULL, NULL);
}
