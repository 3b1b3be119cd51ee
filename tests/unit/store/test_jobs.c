/* store/job.h: claiming, leases, the ends of jobs, fair share, workers. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *st;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "jobs-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    store_close(st);
    st = NULL;
    return 0;
}

static struct run_row run_of(const char *id)
{
    struct run_row run = {0};
    assert_int_equal(run_get(st, id, &run), D7_OK);
    return run;
}

static struct job claim(void)
{
    struct job job = {0};
    assert_int_equal(stores_claim(st, &job), D7_OK);
    return job;
}

static void assert_nothing_to_do(void)
{
    struct job job;
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
}

static void upload(const char *id, const char *owner, char *ret_run)
{
    assert_int_equal(stores_upload(st, id, stores_account(st, owner), "gauntlet", ret_run), D7_OK);
}

static void finish(const struct job *job, enum outcome outcome)
{
    char id[STORE_KEY_SIZE];
    assert_int_equal(stores_finish(st, job, outcome, 10, id), D7_OK);
}

/* Passes all the checks there are. */
static void pass_checks(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct job job = claim();
        assert_int_equal(job.kind, JOB_CHECK);
        assert_int_equal(stores_pass(st, &job), D7_OK);
    }
}

static void a_registration_is_checked_then_played_to_the_end(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    char game[STORE_KEY_SIZE];
    upload("mine", "ann", run_id);
    struct job job = claim();
    assert_int_equal(job.kind, JOB_CHECK);
    assert_string_equal(job.policy_id, "mine");
    assert_string_equal(job.format, "elf");
    assert_int_equal(strlen(job.sha256), 64);
    assert_int_equal(strlen(job.lease), 32);
    assert_nothing_to_do(); /* unchecked: no games yet */
    assert_int_equal(run_of(run_id).status, RUN_QUEUED);
    assert_int_equal(run_of(run_id).queue_position, 1);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    struct policy_row policy;
    assert_int_equal(policy_get(st, "mine", &policy), D7_OK);
    assert_int_equal(policy.status, POLICY_READY);
    assert_int_equal(policy.current.number, 1);
    assert_int_equal(policy.pending.number, 0);
    assert_string_equal(policy.owner, "ann");
    job = claim();
    assert_int_equal(job.kind, JOB_GAME);
    assert_string_equal(job.round_id, "gauntlet-01");
    assert_string_equal(job.run_id, run_id);
    struct run_row run = run_of(run_id);
    assert_int_equal(run.status, RUN_PLAYING);
    assert_int_equal(run.started_at, 3000);
    assert_int_equal(run.playing, 1);
    assert_int_equal(run.games, 8);
    assert_int_equal(run.queue_position, 0);
    assert_int_equal(job_beat(st, job.id, job.lease, 17), D7_OK);
    assert_int_equal(run_of(run_id).moves, 17);
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 500, game), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 7);
    run = run_of(run_id);
    assert_int_equal(run.status, RUN_DONE);
    assert_int_equal(run.done, 8);
    assert_int_equal(run.playing, 0);
    assert_int_equal(run.moves, 8 * 4);
    assert_int_equal(run.finished_at, 4000);
    struct game_row row;
    assert_int_equal(game_counted(st, "mine", "gauntlet-01", &row), D7_OK);
    assert_string_equal(row.id, game);
    assert_int_equal(row.summary.score, 500);
}

static void the_check_decides_about_public_information(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    upload("mine", "ann", run_id);
    struct job job = claim();
    const struct check_outcome outcome = {.passed = true, .public_information = false};
    assert_int_equal(job_finish_check(st, &job, &outcome, 5), D7_OK);
    struct policy_row policy;
    assert_int_equal(policy_get(st, "mine", &policy), D7_OK);
    assert_false(policy.public_information);
}

/* --- the first three rounds ----------------------------------------------------------------- */

static void three_forfeits_stop_the_run(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    upload("bad", "ann", run_id);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 3);
    struct run_row run = run_of(run_id);
    assert_int_equal(run.status, RUN_STOPPED);
    assert_string_not_equal(run.reason, "");
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
    struct policy_row policy;
    assert_int_equal(policy_get(st, "bad", &policy), D7_OK);
    assert_int_equal(policy.status, POLICY_READY); /* stopped is a run's end, not the policy's */
}

static void the_other_rounds_wait_for_one_of_the_first_three(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run_id), D7_OK);
    struct job jobs[3] = {claim(), claim(), claim()};
    assert_nothing_to_do();
    struct run_round *rounds = NULL;
    size_t count = 0;
    assert_int_equal(run_rounds(st, run_id, &rounds, &count), D7_OK);
    assert_string_equal(rounds[2].job_state, "playing");
    assert_string_equal(rounds[3].job_state, "queued"); /* that it cannot be claimed yet is ours */
    free(rounds);
    finish(&jobs[1], OUTCOME_FORFEIT);
    finish(&jobs[0], OUTCOME_FORFEIT);
    assert_nothing_to_do();
    finish(&jobs[2], OUTCOME_CENSORED);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 5); /* later forfeits stop nothing */
    assert_int_equal(run_of(run_id).status, RUN_DONE);
}

static void a_run_of_two_rounds_has_no_such_rule(void **state)
{
    (void)state;
    static const char *const rounds[] = {"gauntlet-01", "gauntlet-02"};
    char run_id[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", NULL, run_id), D7_OK);
    assert_int_equal(run_add(st, "greedy", NULL, rounds, 2, 5, run_id, existing), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 2);
    assert_int_equal(run_of(run_id).status, RUN_DONE);
}

static void a_run_of_three_rounds_is_stopped_too(void **state)
{
    (void)state;
    static const char *const rounds[] = {"gauntlet-01", "gauntlet-02", "gauntlet-03"};
    char run_id[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", NULL, run_id), D7_OK);
    assert_int_equal(run_add(st, "greedy", NULL, rounds, 3, 5, run_id, existing), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_FORFEIT), 3);
    assert_int_equal(run_of(run_id).status, RUN_STOPPED);
}

/* --- who is served -------------------------------------------------------------------------- */

static void owners_take_turns_and_builtins_come_last(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    int64_t ann = stores_account(st, "ann");
    int64_t bob = stores_account(st, "bob");
    assert_int_equal(stores_upload(st, "ann-1", ann, "gauntlet", run), D7_OK);
    assert_int_equal(stores_upload(st, "ann-2", ann, "gauntlet", run), D7_OK);
    assert_int_equal(stores_upload(st, "bob-1", bob, "gauntlet", run), D7_OK);
    static const char *const checks[] = {"ann-1", "bob-1", "ann-2"};
    for (size_t i = 0; i < D7_COUNT(checks); i++) {
        struct job job = claim();
        assert_int_equal(job.kind, JOB_CHECK);
        assert_string_equal(job.policy_id, checks[i]);
        assert_int_equal(stores_pass(st, &job), D7_OK);
    }
    /* bob was served before ann's second check, so he goes first; then in turns, the older run of
     * one owner before the newer. Each has three claimable rounds a run. */
    static const char *const games[] = {"bob-1", "ann-1", "bob-1", "ann-1",  "bob-1",  "ann-1",
                                        "ann-2", "ann-2", "ann-2", "greedy", "greedy", "greedy"};
    for (size_t i = 0; i < D7_COUNT(games); i++) {
        struct job job = claim();
        assert_int_equal(job.kind, JOB_GAME);
        assert_string_equal(job.policy_id, games[i]);
    }
    assert_nothing_to_do();
}

static void a_check_comes_before_games_of_others(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    upload("old", "ann", run);
    pass_checks(1);
    struct job job = claim();
    assert_int_equal(job.kind, JOB_GAME);
    upload("new", "ann", run);
    job = claim();
    assert_int_equal(job.kind, JOB_CHECK);
    assert_string_equal(job.policy_id, "new");
}

static void a_newcomer_is_not_behind_a_long_queue(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char id[32];
    int64_t ann = stores_account(st, "ann");
    for (int i = 0; i < 10; i++) {
        (void)snprintf(id, sizeof(id), "ann-%d", i);
        assert_int_equal(stores_upload(st, id, ann, "gauntlet", run), D7_OK);
    }
    pass_checks(10);
    (void)claim();
    upload("bob-1", "bob", run);
    pass_checks(1);
    (void)claim(); /* ann: she was served before bob's check */
    assert_string_equal(claim().policy_id, "bob-1");
    assert_string_equal(claim().policy_id, "ann-0");
    assert_string_equal(claim().policy_id, "bob-1");
}

static void a_worker_gets_only_what_it_can_do(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    upload("mine", "ann", run);
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    struct job job;
    const struct job_skills none = {0};
    const struct job_skills builtins = {.builtins = true, .endpoints = true};
    assert_int_equal(job_claim(st, &none, "lease-1", 1, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(job_claim(st, &builtins, "lease-2", 1, &job), D7_OK);
    assert_string_equal(job.policy_id, "greedy");
    assert_int_equal(job.policy_kind, KIND_BUILTIN);
    assert_int_equal(job_claim(st, &stores_all_skills, "lease-3", 1, &job), D7_OK);
    assert_string_equal(job.policy_id, "mine");
}

static void an_endpoint_is_played_as_often_at_once_as_it_allows(void **state)
{
    (void)state;
    for (uint32_t concurrency = 1; concurrency <= 2; concurrency++) {
        char id[32];
        char run[STORE_KEY_SIZE];
        char name[32];
        (void)snprintf(id, sizeof(id), "remote-%u", concurrency);
        (void)snprintf(name, sizeof(name), "owner-%u", concurrency);
        const struct policy_new_row row = {.id = id,
                                           .name = id,
                                           .family = "",
                                           .description = "",
                                           .kind = KIND_ENDPOINT,
                                           .owner_id = stores_account(st, name),
                                           .concurrency = concurrency,
                                           .format = "endpoint",
                                           .endpoint = "tcp://example.org:4000",
                                           .suite_id = "gauntlet"};
        assert_int_equal(policy_add(st, &row, 5, run), D7_OK);
        struct job job = claim();
        assert_string_equal(job.endpoint, "tcp://example.org:4000");
        assert_string_equal(job.sha256, "");
        assert_int_equal(stores_pass(st, &job), D7_OK);
        struct job first = claim();
        if (concurrency == 2) {
            (void)claim();
        }
        assert_nothing_to_do();
        finish(&first, OUTCOME_OVER);
        assert_string_equal(claim().policy_id, id);
        assert_nothing_to_do();
    }
}

static void suspended_policies_are_not_played(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    upload("mine", "ann", run);
    pass_checks(1);
    assert_int_equal(stores_change(st, "UPDATE policy SET status = 'suspended'"), 1);
    assert_nothing_to_do();
}

/* --- leases --------------------------------------------------------------------------------- */

static struct lease_row only_lease(void)
{
    struct lease_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(job_leases(st, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    struct lease_row row = rows[0];
    free(rows);
    return row;
}

static void a_lost_lease_changes_nothing(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char id[STORE_KEY_SIZE] = "untouched";
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    struct job late = claim();
    struct lease_row seen = only_lease();
    assert_string_equal(seen.lease, late.lease);
    assert_int_equal(job_expire(st, &seen, 5), D7_OK);
    assert_int_equal(job_expire(st, &seen, 5), D7_ERR_CONFLICT); /* requeued once */
    struct job again = claim();
    assert_int_equal(again.id, late.id); /* the oldest */
    assert_int_equal(again.attempts, 1);
    assert_int_equal(job_beat(st, late.id, late.lease, 5), D7_ERR_CONFLICT);
    assert_int_equal(stores_finish(st, &late, OUTCOME_OVER, 1, id), D7_ERR_CONFLICT);
    assert_int_equal(job_release(st, &late, NULL, 5), D7_ERR_CONFLICT);
    assert_string_equal(id, "untouched");
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 0);
    assert_int_equal(stores_finish(st, &again, OUTCOME_OVER, 1, id), D7_OK);
    assert_int_equal(stores_finish(st, &again, OUTCOME_OVER, 1, id), D7_ERR_CONFLICT); /* once */
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 1);
}

static void a_beat_keeps_the_lease(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    struct job job = claim();
    struct lease_row seen = only_lease();
    assert_int_equal(job_beat(st, job.id, job.lease, 3), D7_OK);
    assert_int_equal(only_lease().beat, seen.beat + 1);
    assert_int_equal(job_expire(st, &seen, 5), D7_ERR_CONFLICT);
    assert_int_equal(run_of(run).playing, 1);
}

static void a_job_given_back_at_shutdown_is_unharmed(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    for (int i = 0; i < 2 * JOB_ATTEMPTS_MAX; i++) {
        struct job job = claim();
        assert_int_equal(job.attempts, 0);
        assert_int_equal(job_beat(st, job.id, job.lease, 40), D7_OK);
        assert_int_equal(job_release(st, &job, NULL, 5), D7_OK);
        assert_int_equal(run_of(run).moves, 0); /* it starts again */
    }
    assert_int_equal(run_of(run).status, RUN_PLAYING); /* never back to queued */
}

static void our_failures_are_counted_and_end_the_run(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    struct job other = {0};
    for (uint32_t i = 0; i < JOB_ATTEMPTS_MAX; i++) {
        struct job job = claim();
        assert_int_equal(job.attempts, i);
        if (i == JOB_ATTEMPTS_MAX - 1) {
            other = claim();
        }
        assert_int_equal(job_release(st, &job, "the disk was full", 6), D7_OK);
    }
    struct run_row row = run_of(run);
    assert_int_equal(row.status, RUN_FAILED);
    assert_string_equal(row.reason, "the disk was full");
    assert_int_equal(row.finished_at, 6);
    assert_int_equal(job_beat(st, other.id, other.lease, 1), D7_ERR_CONFLICT); /* stop */
    assert_nothing_to_do();
    struct run_round *rounds = NULL;
    size_t count = 0;
    assert_int_equal(run_rounds(st, run, &rounds, &count), D7_OK);
    assert_string_equal(rounds[0].job_state, "failed");
    assert_string_equal(rounds[1].job_state, "cancelled");
    free(rounds);
    struct job_counts counts = {0};
    assert_int_equal(job_count(st, &counts), D7_OK);
    assert_int_equal(counts.failed, 1);
    assert_int_equal(counts.games_waiting, 0);
    char existing[STORE_KEY_SIZE];
    assert_int_equal(run_add(st, "greedy", "gauntlet", NULL, 0, 7, run, existing), D7_OK);
}

static void a_check_that_we_failed_is_tried_again_with_the_next_run(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    upload("mine", "ann", run);
    for (uint32_t i = 0; i < JOB_ATTEMPTS_MAX; i++) {
        struct job job = claim();
        struct lease_row seen = only_lease();
        assert_int_equal(job.kind, JOB_CHECK);
        assert_int_equal(job_expire(st, &seen, 6), D7_OK);
    }
    assert_nothing_to_do();
    assert_int_equal(run_of(run).status, RUN_FAILED);
    struct policy_row policy;
    assert_int_equal(policy_get(st, "mine", &policy), D7_OK);
    assert_int_equal(policy.status, POLICY_CHECKING); /* nobody found fault with it */
    assert_string_equal(policy.reason_code, "check-failed");
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 7, run, existing), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    assert_int_equal(policy_get(st, "mine", &policy), D7_OK);
    assert_int_equal(policy.status, POLICY_READY);
    assert_string_equal(policy.reason_code, "");
}

static void a_result_that_cannot_be_right_is_refused(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char id[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run), D7_OK);
    struct job job = claim();
    static const uint8_t wrong[] = {7};
    static const uint8_t right[] = {6};
    static const uint32_t think[] = {1};
    struct game_result result = {
        .columns = wrong, .think_us = think, .moves = 1, .summary = {.moves = 1}, .reason = ""};
    assert_int_equal(job_finish_game(st, &job, &result, 5, id), D7_ERR_INVALID);
    result.columns = right;
    result.summary.moves = 2;
    assert_int_equal(job_finish_game(st, &job, &result, 5, id), D7_ERR_INVALID);
    result.summary.moves = 1;
    result.stderr_tail = span_make("", 1 << 20);
    assert_int_equal(job_finish_game(st, &job, &result, 5, id), D7_ERR_TOO_LARGE);
    result.stderr_tail = span_make("", 0);
    result.summary.score = -1;
    assert_int_equal(job_finish_game(st, &job, &result, 5, id), D7_ERR_INVALID);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 0);
    assert_int_equal(job_beat(st, job.id, job.lease, 1), D7_OK); /* still ours */
    const struct check_outcome check = {.passed = true};
    assert_int_equal(job_finish_check(st, &job, &check, 5), D7_ERR_INVALID); /* it is a game */
    result.summary.score = 1;
    assert_int_equal(job_finish_game(st, &job, &result, 5, id), D7_OK);
}

static void counts_say_what_waits_and_plays(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    upload("mine", "ann", run);
    struct job_counts counts = {0};
    assert_int_equal(job_count(st, &counts), D7_OK);
    assert_int_equal(counts.checks_waiting, 1);
    assert_int_equal(counts.games_waiting, 8);
    pass_checks(1);
    (void)claim();
    assert_int_equal(job_count(st, &counts), D7_OK);
    assert_int_equal(counts.checks_waiting, 0);
    assert_int_equal(counts.games_waiting, 7);
    assert_int_equal(counts.playing, 1);
    assert_int_equal(counts.failed, 0);
}

/* --- workers -------------------------------------------------------------------------------- */

static void workers_come_beat_and_go(void **state)
{
    (void)state;
    const struct worker_row row = {.id = "w1", .pid = 44, .tier = "off", .tier_reason = "asked"};
    struct worker_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(worker_register(st, &row, 5), D7_OK);
    assert_int_equal(worker_list(st, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    int64_t beat = rows[0].beat;
    assert_string_equal(rows[0].tier, "off");
    assert_string_equal(rows[0].tier_reason, "asked");
    assert_int_equal(rows[0].pid, 44);
    free(rows);
    assert_int_equal(worker_beat(st, &row, 6), D7_OK);
    assert_int_equal(worker_list(st, &rows, &count), D7_OK);
    assert_int_equal(rows[0].beat, beat + 1);
    free(rows);
    assert_int_equal(worker_remove(st, "w1"), D7_OK);
    assert_int_equal(worker_remove(st, "w1"), D7_OK);
    assert_int_equal(worker_list(st, &rows, &count), D7_OK);
    assert_int_equal(count, 0);
    free(rows);
    assert_int_equal(worker_beat(st, &row, 7), D7_OK); /* it was thought dead, and is not */
    assert_int_equal(worker_list(st, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    free(rows);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        CASE(a_registration_is_checked_then_played_to_the_end),
        CASE(the_check_decides_about_public_information),
        CASE(three_forfeits_stop_the_run),
        CASE(the_other_rounds_wait_for_one_of_the_first_three),
        CASE(a_run_of_two_rounds_has_no_such_rule),
        CASE(a_run_of_three_rounds_is_stopped_too),
        CASE(owners_take_turns_and_builtins_come_last),
        CASE(a_check_comes_before_games_of_others),
        CASE(a_newcomer_is_not_behind_a_long_queue),
        CASE(a_worker_gets_only_what_it_can_do),
        CASE(an_endpoint_is_played_as_often_at_once_as_it_allows),
        CASE(suspended_policies_are_not_played),
        CASE(a_lost_lease_changes_nothing),
        CASE(a_beat_keeps_the_lease),
        CASE(a_job_given_back_at_shutdown_is_unharmed),
        CASE(our_failures_are_counted_and_end_the_run),
        CASE(a_check_that_we_failed_is_tried_again_with_the_next_run),
        CASE(a_result_that_cannot_be_right_is_refused),
        CASE(counts_say_what_waits_and_plays),
        CASE(workers_come_beat_and_go),
    };
    int failed = cmocka_run_group_tests_name("unit/store/jobs", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
