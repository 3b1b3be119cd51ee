/* What a decision says it took: the size of the search the text describes, told by its family. It
 * must not depend on what was spared, remembered or done by another thread. */
#include "tests/support/roots.h"
#include "tests/support/support.h"

#include "engine/policy/fair_play.h"
#include "engine/policy/mirror.h"
#include "tests/support/worked.h"

static struct policy *policy_of(const char *id, unsigned threads)
{
    struct policy *p = NULL;
    assert_int_equal(policy_new(policy_find(span_of(id)), threads, &p), D7_OK);
    return p;
}

static uint64_t work_of(struct policy *p, const struct position *at)
{
    struct decision d;
    policy_decide(p, at, &d);
    return d.work;
}

/* Position A of the text, 13.0: nothing ends there, no column fills, and it is its own mirror
 * image. */
static void the_opening_takes_what_the_text_says(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        uint64_t work;
    } want[] = {
        {"greedy", 77}, /* ticks: 13.2 */
        {"expectimax-d2", 2550},
        {"expectimax-d3", 110060},
        {"mcts", 400}, /* simulations */
        {"puct", 256},
        {"mcts-fair", 400},
        {"gray-throughput", 7 * 4 * (1 + 7 * 2)}, /* moves */
        {"rollout-h8", 7 * 8 * (8 + 7 * 7)},
        {"sparse-d2", 35 * (1 + 35)},
        {"risk-d2", 7 * 8 * (1 + 21 * (1 + 21))},
        {"open-loop-beam", 12 * (4 + 4 * 7 + 8 * 7)}, /* four columns have no twin before them */
        {"fair-d2-s7", 49 * (1 + 49)},
        {"fair-d3-s7", 49 * (1 + 49 * (1 + 49))},
    };
    const struct position opening = worked_state(&worked_a).position;
    for (size_t i = 0; i < D7_COUNT(want); i++) {
        struct policy *p = policy_of(want[i].id, 1);
        uint64_t got = work_of(p, &opening);
        if (got != want[i].work) {
            fail_msg("%s: %llu", want[i].id, (unsigned long long)got);
        }
        policy_free(p);
    }
}

/* The moves of the fair search, played one by one. */
static uint64_t plain_moves(const struct board *b, unsigned next, unsigned rise, unsigned depth,
                            bool settled)
{
    uint64_t moves = 0;
    struct fair_node n;
    unsigned legal = board_legal(b);
    fair_node_init(&n, b, chance_board_hash(b), next, rise, depth);
    n.settled = settled;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        struct fair_move move = {0};
        if (legal >> c & 1u) {
            fair_play(&n, c, false, &move);
            moves += CHANCE_STRATA;
        }
        for (unsigned i = 0; i < move.count; i++) {
            const struct fair_outcome *o = &move.outcome[i];
            for (unsigned s = 0; s < CHANCE_STRATA && depth > 1 && !o->over; s++) {
                if ((unsigned)o->strata >> s & 1u) {
                    moves += plain_moves(&o->board, n.disc[s], o->rise, depth - 1, true);
                }
            }
        }
    }
    return moves;
}

/* Full columns and lost games, and positions asked for again when much is remembered. */
static void the_fair_search_counts_what_it_remembers(void **state)
{
    (void)state;
    static const char *const id[] = {"fair-d2-s7", "fair-d3-s7"};
    const struct position last = worked_state(&worked_c).position;
    for (unsigned depth = 2; depth <= 3; depth++) {
        struct policy *p = policy_of(id[depth - 2], 1);
        for (size_t i = 0; i < roots_all()->count; i += 6) {
            for (unsigned again = 0; again < 2; again++) {
                const struct position *at = again ? &last : &roots_all()->at[i];
                struct board b = at->board;
                (void)mirror_canonicalise(&b);
                assert_int_equal(work_of(p, at), plain_moves(&b, at->next, at->rise, depth, false));
            }
        }
        policy_free(p);
    }
}

/* With one thread from the first position on, with three from the last one back. */
static void work_depends_on_the_position_alone(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *info = policy_registry(&count);
    for (size_t k = 0; k < count; k++) {
        struct policy *p = policy_of(info[k].id, 1);
        struct policy *q = policy_of(info[k].id, 3);
        size_t positions = info[k].slow ? 2 : roots_all()->count / 4;
        uint64_t work[ROOTS_MAX];
        for (size_t i = 0; i < positions; i++) {
            work[i] = work_of(p, &roots_all()->at[i]);
            assert_true(work[i] > 0);
        }
        for (size_t i = positions; i-- > 0;) {
            assert_int_equal(work_of(q, &roots_all()->at[i]), work[i]);
        }
        policy_free(p);
        policy_free(q);
    }
}

static void nothing_to_choose_from_takes_nothing(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *info = policy_registry(&count);
    struct position full = {.next = 4, .rise = 2};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        full.board.col[c] = 0x3888888;
    }
    for (size_t k = 0; k < count; k++) {
        struct policy *p = policy_of(info[k].id, 1);
        struct decision d;
        policy_decide(p, &full, &d);
        assert_int_equal(d.column, -1);
        assert_int_equal(d.work, 0);
        policy_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_opening_takes_what_the_text_says),
        cmocka_unit_test(the_fair_search_counts_what_it_remembers),
        cmocka_unit_test(work_depends_on_the_position_alone),
        cmocka_unit_test(nothing_to_choose_from_takes_nothing),
    };
    return cmocka_run_group_tests_name("unit/policy/work", tests, NULL, NULL);
}
