/* engine/rank/interval_memo: what is remembered is what would be computed, to the bit. */
#include "tests/support/support.h"

#include <pthread.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/rank/leaderboard.h"

#define POLICIES 300
#define ROUNDS   8

static struct interval_memo *memo;

static int setup(void **state)
{
    (void)state;
    return interval_memo_new(INTERVAL_MEMO_SLOTS, &memo) == D7_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    interval_memo_free(memo);
    return 0;
}

static void fill(struct rng *rng, int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = rng_below(rng, 500000);
    }
}

static void the_second_time_is_the_first_to_the_bit(void **state)
{
    (void)state;
    struct rng rng = {7};
    int64_t values[64];
    for (int list = 0; list < 40; list++) {
        size_t n = 5 + (size_t)list;
        struct interval plain = {0, 0}, first = {0, 0}, again = {0, 0};
        fill(&rng, values, n);
        assert_true(bootstrap_mean(values, n, &plain));
        assert_true(interval_memo_mean(memo, values, n, &first));
        assert_int_equal(interval_memo_computed(memo), list + 1);
        assert_true(interval_memo_mean(memo, values, n, &again));
        assert_int_equal(interval_memo_computed(memo), list + 1);
        assert_memory_equal(&first, &plain, sizeof(plain));
        assert_memory_equal(&again, &plain, sizeof(plain));
    }
}

/* A list is known by its values, their order and their number. */
static void lists_that_differ_in_anything_are_others(void **state)
{
    (void)state;
    int64_t values[] = {1, 2, 3, 4, 5, 6};
    struct interval got, want;
    assert_true(interval_memo_mean(memo, values, 6, &got));
    assert_true(interval_memo_mean(memo, values, 5, &got));
    values[0] = 2;
    values[1] = 1;
    assert_true(interval_memo_mean(memo, values, 5, &got));
    assert_true(bootstrap_mean(values, 5, &want));
    assert_memory_equal(&got, &want, sizeof(want));
    values[4] = -5;
    assert_true(interval_memo_mean(memo, values, 5, &got));
    assert_int_equal(interval_memo_computed(memo), 4);
    assert_false(interval_memo_mean(memo, values, 4, &got)); /* too few: no interval */
    assert_int_equal(interval_memo_computed(memo), 4);
    assert_true(interval_memo_mean(NULL, values, 5, &want));
}

/* More lists than slots: what was pushed out is computed again, and right. */
static void a_full_table_forgets_and_stays_right(void **state)
{
    (void)state;
    enum { LISTS = 60 };
    struct rng rng = {9};
    struct interval_memo *small = NULL;
    int64_t lists[LISTS][5];
    struct interval got, want;
    assert_int_equal(interval_memo_new(16, &small), D7_OK);
    for (size_t i = 0; i < LISTS; i++) {
        fill(&rng, lists[i], 5);
        assert_true(interval_memo_mean(small, lists[i], 5, &got));
    }
    for (size_t i = 0; i < LISTS; i++) {
        assert_true(interval_memo_mean(small, lists[i], 5, &got));
        assert_true(bootstrap_mean(lists[i], 5, &want));
        assert_memory_equal(&got, &want, sizeof(want));
    }
    assert_in_range(interval_memo_computed(small), LISTS + LISTS - 16, 2 * LISTS);
    interval_memo_free(small);
}

static void *ask_around(void *ctx)
{
    int64_t(*lists)[5] = ctx;
    struct interval want, got;
    for (size_t i = 0; i < 60; i++) {
        size_t at = i * 7 % 20;
        if (!interval_memo_mean(memo, lists[at], 5, &got) || !bootstrap_mean(lists[at], 5, &want) ||
            memcmp(&got, &want, sizeof(want)) != 0) {
            return ctx;
        }
    }
    return NULL;
}

static void threads_asking_at_once_get_the_same(void **state)
{
    (void)state;
    int64_t lists[20][5];
    pthread_t threads[4];
    struct rng rng = {11};
    for (size_t i = 0; i < D7_COUNT(lists); i++) {
        fill(&rng, lists[i], 5);
    }
    for (size_t i = 0; i < D7_COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_around, lists), 0);
    }
    for (size_t i = 0; i < D7_COUNT(threads); i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

struct three_hundred {
    struct rank_policy who[POLICIES];
    struct rank_game games[POLICIES * ROUNDS];
};

static void make_board(struct three_hundred *b)
{
    struct rng rng = {3};
    for (size_t p = 0; p < POLICIES; p++) {
        (void)snprintf(b->who[p].id, sizeof(b->who[p].id), "policy-%03zu", p);
        b->who[p].seniority = (int64_t)p;
        for (uint32_t r = 0; r < ROUNDS; r++) {
            struct rank_game *g = &b->games[p * ROUNDS + r];
            *g = (struct rank_game){.round_index = r};
            memcpy(g->policy_id, b->who[p].id, sizeof(g->policy_id));
            g->summary.score = rng_below(&rng, 400000 + 1000 * (uint32_t)p);
            g->summary.moves = 40;
        }
    }
}

static void compute(const struct three_hundred *b, struct interval_memo *with,
                    struct rank_result *ret)
{
    assert_int_equal(
        rank_compute(b->who, POLICIES, b->games, (size_t)POLICIES * ROUNDS, ROUNDS, with, ret),
        D7_OK);
    assert_int_equal(rank_pair(ret, "policy-000", with), D7_OK);
}

/* One policy of three hundred improves: two lists are new (its scores and its differences from the
 * reference), and the board is the one computed from nothing. */
static void one_policy_that_changes_costs_two_intervals(void **state)
{
    (void)state;
    static struct three_hundred b;
    struct rank_result first, second, plain;
    make_board(&b);
    compute(&b, memo, &first);
    uint64_t before = interval_memo_computed(memo);
    assert_in_range(before, 2 * POLICIES - 20, 2 * POLICIES);
    b.games[(size_t)150 * ROUNDS + 3].summary.score += 12345;
    int64_t from = clock_mono_us();
    compute(&b, memo, &second);
    int64_t took = clock_mono_us() - from;
    uint64_t fresh = interval_memo_computed(memo) - before;
    from = clock_mono_us();
    compute(&b, NULL, &plain);
    (void)printf("300 policies, 8 rounds, one changed: %.0f ms, from nothing %.0f ms\n",
                 (double)took / 1000, (double)(clock_mono_us() - from) / 1000);
    assert_in_range(fresh, 2, 40); /* two, and what shares a set with too many others */
    assert_int_equal(second.row_count, plain.row_count);
    for (size_t i = 0; i < plain.row_count; i++) {
        const struct rank_row *x = &second.rows[i];
        const struct rank_row *y = &plain.rows[i];
        assert_string_equal(x->policy_id, y->policy_id);
        assert_true(x->has_mean_ci && y->has_mean_ci);
        assert_memory_equal(&x->mean_ci, &y->mean_ci, sizeof(x->mean_ci));
        assert_memory_equal(&x->rank_ci, &y->rank_ci, sizeof(x->rank_ci));
        assert_true(x->paired.has_delta_ci && y->paired.has_delta_ci);
        assert_memory_equal(&x->paired.delta_ci, &y->paired.delta_ci, sizeof(x->paired.delta_ci));
    }
    rank_release(&first);
    rank_release(&second);
    rank_release(&plain);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_second_time_is_the_first_to_the_bit),
        CASE(lists_that_differ_in_anything_are_others),
        CASE(a_full_table_forgets_and_stays_right),
        CASE(threads_asking_at_once_get_the_same),
        CASE(one_policy_that_changes_costs_two_intervals),
    };
    return cmocka_run_group_tests_name("rank/interval_memo", tests, NULL, NULL);
}
