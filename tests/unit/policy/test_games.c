/* Whole games of the policies on the gauntlet, against bench.tsv. */
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
        struct position at = game_position(&g, r);
        struct decision d;
        policy_decide(p, &at, &d);
        assert_true(d.column >= 0);
        columns[g.moves] = (uint8_t)d.column;
        game_play(&g, r, (unsigned)d.column, NULL, &turn);
    }
    assert_int_equal(replay_run(r, columns, g.moves, NULL, ret, &why), D7_OK);
}

struct bench {
    struct policy *policy;
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

static void check_gauntlet(const char *id)
{
    struct bench b = {0};
    assert_non_null(policy_find(span_of(id)));
    assert_int_equal(policy_new(policy_find(span_of(id)), 1, &b.policy), D7_OK);
    support_vector_lines("bench.tsv", on_line, &b);
    policy_free(b.policy);
    assert_int_equal(b.rounds, ROUND_GAUNTLET_COUNT);
}

static void greedy_plays_the_published_gauntlet_games(void **state)
{
    (void)state;
    check_gauntlet("greedy");
}

static void fair_depth_2_plays_the_published_gauntlet_games(void **state)
{
    (void)state;
    check_gauntlet("fair-d2-s7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_plays_the_published_gauntlet_games),
        cmocka_unit_test(fair_depth_2_plays_the_published_gauntlet_games),
    };
    return cmocka_run_group_tests_name("unit/policy/games", tests, NULL, NULL);
}
