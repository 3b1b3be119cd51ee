#include "tests/support/games.h"
#include "tests/support/command.h"

typedef char checksums[ROUND_GAUNTLET_COUNT][CHECKSUM_SIZE];

int64_t games_number(const struct jval *object, const char *key)
{
    int64_t value = -1;
    if (!jval_integer(jval_get(object, key), &value)) {
        fail_msg("no number `%s`", key);
    }
    return value;
}

const char *games_latest_run(const struct test_server *s, const char *policy)
{
    static char run[64];
    char path[128];
    (void)snprintf(path, sizeof(path), "/api/v1/policies/%s", policy);
    struct answer a = http_get(s, path);
    if (a.status != 200) {
        fail_msg("%s: %ld %s", path, a.status, a.body);
    }
    (void)snprintf(run, sizeof(run), "%s", answer_text(&a, "latestRunId"));
    answer_free(&a);
    return run;
}

void games_finish(const struct test_server *s, const char *policy)
{
    struct answer a = http_wait_run(s, games_latest_run(s, policy), GAMES_RUN_MS);
    if (strcmp(answer_text(&a, "status"), "done") != 0) {
        fail_msg("run of %s: %s", policy, a.body);
    }
    answer_free(&a);
}

static size_t round_index(struct span round)
{
    if (!span_starts(round, "gauntlet-0") || round.len != 11 || round.ptr[10] < '1' ||
        round.ptr[10] > '8') {
        fail_msg("not a gauntlet round");
    }
    return (size_t)(round.ptr[10] - '1');
}

static void recorded(const struct test_server *s, const char *policy, checksums ret)
{
    char path[160];
    (void)snprintf(path, sizeof(path), "/api/v1/games?policy=%s&limit=500", policy);
    struct answer a = http_get(s, path);
    assert_int_equal(a.status, 200);
    const struct jval *items = jval_get(a.json, "items");
    assert_int_equal(jval_length(items), ROUND_GAUNTLET_COUNT);
    memset(ret, 0, sizeof(checksums));
    for (size_t i = 0; i < jval_length(items); i++) {
        struct span round = {NULL, 0}, checksum = {NULL, 0};
        assert_true(jval_text(jval_get(jval_at(items, i), "roundId"), &round));
        assert_true(jval_text(jval_get(jval_at(items, i), "checksum"), &checksum));
        size_t at = round_index(round);
        assert_int_equal(ret[at][0], 0); /* no round twice */
        assert_int_equal(span_copy(checksum, ret[at], CHECKSUM_SIZE), D7_OK);
    }
    answer_free(&a);
}

static void assert_same(checksums got, checksums expected)
{
    for (size_t i = 0; i < ROUND_GAUNTLET_COUNT; i++) {
        assert_int_equal(strlen(expected[i]), CHECKSUM_SIZE - 1);
        assert_string_equal(got[i], expected[i]);
    }
}

struct bench {
    const char *policy;
    char (*sums)[CHECKSUM_SIZE];
};

/* policy, round, ..., checksum: the first two and the last column count here */
static bool bench_line(void *ctx, struct span line)
{
    struct bench *b = ctx;
    struct span policy = span_cut(&line, '\t');
    struct span round = span_cut(&line, '\t');
    if (span_is(policy, b->policy) && span_starts(round, "gauntlet-0")) {
        while (memchr(line.ptr, '\t', line.len)) {
            (void)span_cut(&line, '\t');
        }
        assert_int_equal(span_copy(span_trim(line), b->sums[round_index(round)], CHECKSUM_SIZE),
                         D7_OK);
    }
    return true;
}

void games_assert_bench(const struct test_server *s, const char *policy, const char *as)
{
    checksums expected = {{0}}, got;
    struct bench b = {as, expected};
    support_vector_lines("bench.tsv", bench_line, &b);
    recorded(s, policy, got);
    assert_same(got, expected);
}

void games_assert_local(const struct test_server *s, const char *policy, const char *const *argv)
{
    checksums expected, got;
    struct harness_limits limits = harness_limits_default();
    struct child_spec spec = {.argv = argv};
    for (unsigned k = 1; k <= ROUND_GAUNTLET_COUNT; k++) {
        struct roundfile *round = NULL;
        struct peer *peer = NULL;
        struct played played = {0};
        assert_int_equal(roundfile_gauntlet(k, &round), D7_OK);
        assert_int_equal(peer_child_new(&spec, &limits, &peer), D7_OK);
        assert_int_equal(harness_play(peer, &round->round, &limits, NULL, &played), D7_OK);
        assert_int_not_equal(played.outcome, OUTCOME_FORFEIT);
        memcpy(expected[k - 1], played.summary.checksum, CHECKSUM_SIZE);
        played_release(&played);
        peer_free(peer);
        roundfile_free(round);
    }
    recorded(s, policy, got);
    assert_same(got, expected);
}

void games_assert_verified(const struct test_server *s, unsigned at_least)
{
    char drop7d[PATH_MAX];
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    const char *argv[] = {drop7d, "verify", "--data", s->data, NULL};
    char *text = NULL;
    int code = command_text(argv, &text);
    int64_t games = 0;
    struct span rest = span_of(text);
    bool said = span_is(span_token(&rest), "verified") &&
                span_parse_i64(span_token(&rest), 0, INT64_MAX, &games) == D7_OK;
    if (code != 0 || !said || games < at_least) {
        fail_msg("verify: exit %d: %s", code, text);
    }
    free(text);
}
