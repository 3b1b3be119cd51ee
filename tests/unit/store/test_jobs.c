/* store: claiming, leases, the ends of jobs, fair share. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *fresh(void)
{
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "jobs-%u", number++);
    return stores_open(name, STORE_MIGRATE);
}

static struct run_row run_of(struct store *st, const char *id)
{
    struct run_row run = {0};
    assert_int_equal(run_get(st, id, &run), D7_OK);
    return run;
}

static struct job claim(struct store *st)
{
    struct job job = {0};
    assert_int_equal(stores_claim(st, &job), D7_OK);
    return job;
}

static void a_registration_is_checked_then_played_to_the_end(void **state)
{
    (void)state;
    struct store *st = fresh();
    char run_id[STORE_KEY_SIZE];
    char game[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", stores_account(st, "ann"), "gauntlet", run_id),
                     D7_OK);
    struct job job = claim(st);
    assert_int_equal(job.kind, JOB_CHECK);
    assert_string_equal(job.policy_id, "mine");
    assert_string_equal(job.format, "elf");
    struct job none;
    assert_int_equal(stores_claim(st, &none), D7_ERR_NOT_FOUND); /* unchecked: no games yet */
    assert_int_equal(run_of(st, run_id).status, RUN_QUEUED);
    assert_int_equal(run_of(st, run_id).queue_position, 1);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    struct policy_row policy;
    assert_int_equal(policy_get(st, "mine", &policy), D7_OK);
    assert_int_equal(policy.status, POLICY_READY);
    assert_int_equal(policy.current.number, 1);
    assert_int_equal(policy.pending.number, 0);
    assert_string_equal(policy.owner, "ann");
    assert_string_equal(policy.latest_run_id, run_id);
    job = claim(st);
    assert_int_equal(job.kind, JOB_GAME);
    assert_string_equal(job.round_id, "gauntlet-01");
    assert_string_equal(job.run_id, run_id);
    struct run_row run = run_of(st, run_id);
    assert_int_equal(run.status, RUN_PLAYING);
    assert_int_equal(run.playing, 1);
    assert_int_equal(run.games, 8);
    assert_int_equal(run.queue_position, 0);
    assert_int_equal(job_beat(st, job.id, job.lease, 17), D7_OK);
    assert_int_equal(run_of(st, run_id).moves, 17);
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 500, game), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 7);
    run = run_of(st, run_id);
    assert_int_equal(run.status, RUN_DONE);
    assert_int_equal(run.done, 8);
    assert_int_equal(run.moves, 8 * 4);
    assert_int_equal(run.finished_at, 4000);
    struct game_row row;
    assert_int_equal(game_counted(st, "mine", "gauntlet-01", &row), D7_OK);
    assert_string_equal(row.id, game);
    assert_int_equal(row.summary.score, 500);
    assert_true(row.counted && row.summary.over && !row.summary.censored);
    store_close(st);
}

static void three_forfeits_stop_the_run(void **state)
{
    (void)state;
    struct store *st = fresh();
    char run_id[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "bad", stores_account(st, "ann"), "gauntlet", run_id),
                     D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 3);
    struct run_row run = run_of(st, run_id);
    assert_int_equal(run.status, RUN_STOPPED);
    assert_int_equal(run.done, 3);
    struct run_round *rounds = NULL;
    size_t count = 0;
    assert_int_equal(run_rounds(st, run_id, &rounds, &count), D7_OK);
    assert_int_equal(count, 8);
    assert_string_equal(rounds[2].job_state, "done");
    assert_string_not_equal(rounds[2].game_id, "");
    assert_string_equal(rounds[3].job_state, "cancelled");
    assert_string_equal(rounds[3].game_id, "");
    free(rounds);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registration_is_checked_then_played_to_the_end),
        cmocka_unit_test(three_forfeits_stop_the_run),
    };
    int failed = cmocka_run_group_tests_name("unit/store/jobs", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
