/* Whole games of the policies on the gauntlet, against bench.tsv. Of the slower policies the first
 * rounds only; D7_ALL_VECTORS=1 takes all. */
#include "tests/support/support.h"

#include "engine/policy/registry.h"
#include "engine/record/replay.h"

static void play_round(struct policy *p, const struct round *r, struct summary *ret)
{
    static uint8_t columns[ROUND_MOVES_MAX];
    struct game g;
    struct turn turn;
    struct d7_why why;
    game_start(&g, r);
    while (!game_is_done(&g)) {
        const struct extended_state at = {game_position(&g, r), 1 + g.rises, g.moves};
        struct decision d;
        policy_decide_extended(p, &at, &d);
        assert_true(d.column >= 0);
        columns[g.moves] = (uint8_t)d.column;
        game_play(&g, r, (unsigned)d.column, NULL, &turn);
    }
    assert_int_equal(replay_run(r, columns, g.moves, NULL, ret, &why), D7_OK);
}

struct bench {
    struct policy *policy;
    unsigned limit;
    unsigned rounds;
};

/* policy round seed score moves censored maxChain discsCleared coveredRevealed illegalMoves
 * checksum, with tabs between */
static bool on_line(void *ctx, struct span line)
{
    struct bench *b = ctx;
    struct span field[11];
    for (size_t i = 0; i < D7_COUNT(field); i++) {
        field[i] = span_trim(span_cut(&line, '\t'));
    }
    if (!span_is(field[0], policy_info_of(b->policy)->id)) {
        return true;
    }
    if (b->rounds == b->limit) {
        return false;
    }
    struct roundfile *r = NULL;
    struct summary s;
    assert_int_equal(roundfile_by_id(field[1], &r), D7_OK);
    play_round(b->policy, &r->round, &s);
    roundfile_free(r);
    const int64_t got[] = {s.score, s.moves, s.max_chain, s.discs_cleared, s.covered_revealed};
    const size_t at[] = {3, 4, 6, 7, 8};
    for (size_t i = 0; i < D7_COUNT(got); i++) {
        int64_t want = -1;
        assert_int_equal(span_parse_i64(field[at[i]], 0, INT64_MAX, &want), D7_OK);
        assert_int_equal(got[i], want);
    }
    assert_true(span_is(field[10], s.checksum));
    b->rounds++;
    return true;
}

static void check_gauntlet(const char *id, unsigned rounds, unsigned usual)
{
    struct bench b = {.limit = getenv("D7_ALL_VECTORS") ? rounds : usual};
    assert_non_null(policy_find(span_of(id)));
    assert_int_equal(policy_new(policy_find(span_of(id)), 1, &b.policy), D7_OK);
    support_vector_lines("bench.tsv", on_line, &b);
    policy_free(b.policy);
    assert_int_equal(b.rounds, b.limit);
}

/* X(case, id, rounds in the file, rounds played usually) */
#define POLICIES(X)                                                                                \
    X(greedy_plays_the_published_games, "greedy", 8, 8)                                            \
    X(expectimax_depth_2_plays_the_published_games, "expectimax-d2", 8, 8)                         \
    X(expectimax_depth_3_plays_the_published_games, "expectimax-d3", 8, 2)                         \
    X(expectimax_depth_4_plays_the_published_games, "expectimax-d4", 3, 1)                         \
    X(gray_throughput_plays_the_published_games, "gray-throughput", 8, 8)                          \
    X(rollout_plays_the_published_games, "rollout-h8", 8, 8)                                       \
    X(mcts_plays_the_published_games, "mcts", 8, 4)                                                \
    X(sparse_plays_the_published_games, "sparse-d2", 8, 8)                                         \
    X(risk_plays_the_published_games, "risk-d2", 8, 4)                                             \
    X(beam_plays_the_published_games, "open-loop-beam", 8, 8)                                      \
    X(fair_depth_2_plays_the_published_games, "fair-d2-s7", 8, 8)                                  \
    X(fair_depth_3_plays_the_published_games, "fair-d3-s7", 8, 1)

#define X(name, id, rounds, usual)                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_gauntlet(id, rounds, usual);                                                         \
    }
POLICIES(X)
/* a game takes minutes: only where all vectors are wanted */
X(fair_depth_4_plays_the_published_games, "fair-d4-s7", 8, 8)
#undef X

int main(void)
{
#define X(name, id, rounds, usual) cmocka_unit_test(name),
    const struct CMUnitTest usual[] = {POLICIES(X)};
    const struct CMUnitTest all[] = {POLICIES(X)
                                         cmocka_unit_test(fair_depth_4_plays_the_published_games)};
#undef X
    if (getenv("D7_ALL_VECTORS")) {
        return cmocka_run_group_tests_name("unit/policy/games", all, NULL, NULL);
    }
    return cmocka_run_group_tests_name("unit/policy/games", usual, NULL, NULL);
}
