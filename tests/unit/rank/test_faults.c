/* The leaderboard without memory: no row, no pair, nothing left; then all of it. */
#include "tests/support/support.h"

#include "engine/rank/interval_memo.h"
#include "engine/rank/leaderboard.h"
#include "tests/support/faults.h"

#define POLICIES 3
#define ROUNDS   4

static void a_board_is_whole_or_none(void **state)
{
    (void)state;
    struct rank_policy who[POLICIES] = {
        {.id = "a", .seniority = 1}, {.id = "b", .seniority = 2}, {.id = "c", .seniority = 3}};
    struct rank_game games[POLICIES * ROUNDS];
    for (uint32_t i = 0; i < POLICIES * ROUNDS; i++) {
        games[i] = (struct rank_game){.round_index = i % ROUNDS, .outcome = OUTCOME_OVER};
        (void)snprintf(games[i].policy_id, sizeof(games[i].policy_id), "%c",
                       'a' + (int)(i / ROUNDS));
        games[i].summary.score = (int64_t)(i * i % 7);
        games[i].summary.over = true;
    }
    bool over = false;
    long n = 0;
    while (!over) {
        struct rank_result r = {0};
        n++;
        faults_arm(FAULTS_MEMORY, n);
        enum d7_err err = rank_compute(who, POLICIES, games, POLICIES * ROUNDS, ROUNDS, NULL, &r);
        bool computed = err == D7_OK;
        if (computed) {
            err = rank_pair(&r, "b", NULL);
        }
        over = !faults_disarm();
        assert_true(over ? err == D7_OK : err == D7_ERR_NOMEM || err == D7_OK);
        if (computed) {
            assert_int_equal(r.row_count, POLICIES);
            rank_release(&r);
        }
    }
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_is_whole_or_none),
    };
    return cmocka_run_group_tests_name("rank/faults", tests, NULL, NULL);
}
