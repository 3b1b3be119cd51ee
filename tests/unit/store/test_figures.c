/* store/figures: totals that only grow, the queue, sizes, and failures counted. */
#include "tests/support/support.h"

#include "store/figures.h"
#include "store/handle.h"
#include "tests/support/stores.h"

static void totals_add_what_is_new_and_can_be_made_anew(void **state)
{
    (void)state;
    struct store *st = stores_open("totals", STORE_MIGRATE);
    char run[STORE_KEY_SIZE];
    struct game_totals kept = {0};
    assert_int_equal(game_totals_add(st, &kept), D7_OK);
    assert_int_equal(kept.over + kept.censored + kept.forfeits + kept.moves, 0);
    assert_int_equal(stores_builtin(st, "one", "gauntlet", run), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    assert_int_equal(game_totals_add(st, &kept), D7_OK);
    assert_int_equal(kept.over, 8);
    assert_int_equal(kept.moves, 32);
    assert_int_equal(game_totals_add(st, &kept), D7_OK); /* nothing new */
    assert_int_equal(kept.over, 8);
    assert_int_equal(stores_builtin(st, "two", "gauntlet", run), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 3);
    assert_int_equal(game_totals_add(st, &kept), D7_OK);
    assert_int_equal(kept.forfeits, 3);
    assert_int_equal(kept.crashes, 9);
    assert_int_equal(kept.moves, 44);
    struct game_totals anew = {0};
    assert_int_equal(game_totals_add(st, &anew), D7_OK);
    assert_memory_equal(&anew, &kept, sizeof(kept));
    store_close(st);
}

static void queue_is_told_by_kind_and_state(void **state)
{
    (void)state;
    struct store *st = stores_open("queue", STORE_MIGRATE);
    char run[STORE_KEY_SIZE];
    struct job job;
    struct job_figures f;
    int64_t owner = stores_account(st, "somebody");
    assert_int_equal(stores_builtin(st, "one", "gauntlet", run), D7_OK);
    assert_int_equal(stores_upload(st, "two", owner, "gauntlet", run), D7_OK);
    assert_int_equal(job_figures_get(st, &f), D7_OK);
    assert_int_equal(f.checks[JOBS_QUEUED], 1);
    assert_int_equal(f.games[JOBS_QUEUED], 3);
    assert_int_equal(f.games[JOBS_WAITING], 5 + 8);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job.kind, JOB_CHECK);
    assert_int_equal(job_figures_get(st, &f), D7_OK);
    assert_int_equal(f.checks[JOBS_QUEUED], 0);
    assert_int_equal(f.checks[JOBS_PLAYING], 1);
    for (int i = 0; i < JOB_ATTEMPTS_MAX; i++) {
        assert_int_equal(job_release(st, &job, "we failed", 5), D7_OK);
        if (i + 1 < JOB_ATTEMPTS_MAX) {
            assert_int_equal(stores_claim(st, &job), D7_OK);
        }
    }
    assert_int_equal(job_figures_get(st, &f), D7_OK);
    assert_int_equal(f.checks[JOBS_FAILED], 1);
    assert_int_equal(f.checks[JOBS_PLAYING], 0);
    store_close(st);
}

static void sizes_are_those_of_the_files(void **state)
{
    (void)state;
    struct store *st = stores_open("sizes", STORE_MIGRATE);
    struct store_sizes sizes;
    assert_int_equal(store_check(st), D7_OK);
    assert_int_equal(store_sizes_get(st, &sizes), D7_OK);
    assert_true(sizes.wal_bytes > 0);
    assert_true(sizes.free_bytes > 0);
    assert_int_equal(stores_number(st, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
    assert_int_equal(store_sizes_get(st, &sizes), D7_OK);
    assert_int_equal(sizes.wal_bytes, 0);
    assert_int_equal(sizes.db_bytes,
                     stores_number(st, "SELECT page_count * page_size FROM pragma_page_count, "
                                       "pragma_page_size"));
    store_close(st);
}

static void failures_are_counted_by_kind_and_conflicts_are_none(void **state)
{
    (void)state;
    struct store *st = stores_open("failures", STORE_MIGRATE);
    struct store *other = stores_open("failures", STORE_OPEN);
    struct store_errors errors = {0};
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "one", "gauntlet", run), D7_OK);
    store_count_errors(st, &errors);
    assert_int_equal(sqlite3_busy_timeout(st->db, 1), SQLITE_OK);
    assert_int_equal(stores_change(other, "BEGIN IMMEDIATE"), 0);
    assert_int_equal(worker_remove(st, "nobody"), D7_ERR_BUSY);
    assert_int_equal(atomic_load(&errors.busy), 1);
    assert_int_equal(stores_change(other, "ROLLBACK"), 0);
    (void)stores_number(st, "PRAGMA max_page_count = 1"); /* the least there can be: as it is */
    static uint8_t columns[10000];
    static uint32_t think[10000];
    struct game_result big = {.columns = columns,
                              .think_us = think,
                              .moves = D7_COUNT(columns),
                              .summary = {.moves = D7_COUNT(columns)},
                              .reason = ""};
    struct job job;
    char game[STORE_KEY_SIZE];
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job_finish_game(st, &job, &big, 5, game), D7_ERR_FULL);
    assert_int_equal(atomic_load(&errors.full), 1);
    assert_int_equal(job_beat(st, job.id, "not mine", 1), D7_ERR_CONFLICT);
    assert_int_equal(atomic_load(&errors.busy) + atomic_load(&errors.full), 2);
    assert_int_equal(atomic_load(&errors.other) + atomic_load(&errors.io), 0);
    store_close(other);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_add_what_is_new_and_can_be_made_anew),
        cmocka_unit_test(queue_is_told_by_kind_and_state),
        cmocka_unit_test(sizes_are_those_of_the_files),
        cmocka_unit_test(failures_are_counted_by_kind_and_conflicts_are_none),
    };
    int failed = cmocka_run_group_tests_name("unit/store/figures", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
