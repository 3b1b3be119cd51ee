/* store/revision.h and what changes a policy later: candidates, texts, suspension, the end. */
#include "tests/support/support.h"

#include "store/handle.h"
#include "store/revision.h"
#include "tests/support/stores.h"

static struct store *st;
static int64_t ann;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "revisions-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    ann = stores_account(st, "ann");
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    stores_assert_consistent(st);
    store_close(st);
    st = NULL;
    return 0;
}

static struct policy_row policy_of(const char *id)
{
    struct policy_row row = {0};
    assert_int_equal(policy_get(st, id, &row), D7_OK);
    return row;
}

static struct run_row run_of(const char *id)
{
    struct run_row row = {0};
    assert_int_equal(run_get(st, id, &row), D7_OK);
    return row;
}

/* An uploaded policy "mine" of Ann's whose first revision has played. */
static void played_policy(void)
{
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
}

static enum d7_err revise(const char *bytes, int64_t *ret_number, char *ret_run)
{
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(bytes), sha);
    const struct revision_new_row row = {.policy_id = "mine",
                                         .sha256 = sha,
                                         .size_bytes = (int64_t)strlen(bytes),
                                         .format = "elf",
                                         .suite_id = "gauntlet"};
    return revision_add(st, &row, 5000, ret_number, ret_run);
}

static void check_next(bool passes)
{
    struct job job;
    const struct check_outcome outcome = {.passed = passes,
                                          .reason_code = "handshake",
                                          .reason_message = "no d7pok",
                                          .public_information = true,
                                          .log = span_of("said\n")};
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job.kind, JOB_CHECK);
    assert_int_equal(job_finish_check(st, &job, &outcome, 6000), D7_OK);
}

static void the_old_revision_stays_current_until_the_new_one_passes(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    played_policy();
    assert_int_equal(revise("two", &number, run), D7_OK);
    assert_int_equal(number, 2);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.status, POLICY_READY);
    assert_int_equal(p.current.number, 1);
    assert_int_equal(p.pending.number, 2);
    assert_int_equal(p.pending.status, POLICY_CHECKING);
    assert_string_equal(p.latest_run_id, run);
    assert_int_equal(run_of(run).revision, 2);
    check_next(true);
    p = policy_of("mine");
    assert_int_equal(p.current.number, 2);
    assert_int_equal(p.current.size_bytes, 3);
    assert_int_equal(p.pending.number, 0);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE counted = 1"), 16);
    struct suite_row suite = {0};
    struct board_input in = {0};
    assert_int_equal(suite_get(st, NULL, &suite), D7_OK);
    assert_int_equal(game_board_input(st, &suite, POLICY_READY, &in), D7_OK);
    assert_int_equal(in.game_count, 8);
    assert_int_equal(in.games[0].revision, 2);
    board_input_release(&in);
    suite_release(&suite);
}

static void a_rejected_candidate_leaves_the_policy_as_it_was(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    played_policy();
    assert_int_equal(revise("two", &number, run), D7_OK);
    check_next(false);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.status, POLICY_READY);
    assert_string_equal(p.reason_code, "");
    assert_int_equal(p.current.number, 1);
    assert_int_equal(p.pending.status, POLICY_REJECTED);
    assert_string_equal(p.pending.reason_code, "handshake");
    assert_int_equal(run_of(run).status, RUN_CANCELLED);
    /* a run is the current revision's again */
    char existing[STORE_KEY_SIZE];
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, run, existing), D7_OK);
    assert_int_equal(run_of(run).revision, 1);
}

static void a_run_of_the_old_revision_goes_on_beside_the_new_one(void **state)
{
    (void)state;
    int64_t number = 0;
    char old[STORE_KEY_SIZE];
    char new[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    played_policy();
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, old, existing), D7_OK);
    assert_int_equal(revise("two", &number, new), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 16);
    assert_int_equal(run_of(old).status, RUN_DONE);
    assert_int_equal(run_of(old).revision, 1);
    assert_int_equal(run_of(new).status, RUN_DONE);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE revision = 1"), 16);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE revision = 2"), 8);
}

static void a_rejected_policy_is_checked_again_with_its_next_revision(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    check_next(false);
    assert_int_equal(policy_of("mine").status, POLICY_REJECTED);
    assert_int_equal(revise("two", &number, run), D7_OK);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.status, POLICY_CHECKING);
    assert_string_equal(p.reason_code, "");
    check_next(true);
    assert_int_equal(policy_of("mine").status, POLICY_READY);
    assert_int_equal(policy_of("mine").current.number, 2);
}

/* Two candidates wait; what the first comes to says nothing about the second. */
static void an_overtaken_candidate_decides_nothing(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(revise("two", &number, run), D7_OK);
    check_next(false);
    assert_int_equal(policy_of("mine").status, POLICY_CHECKING);
    assert_int_equal(policy_of("mine").pending.number, 2);
    assert_int_equal(revise("three", &number, run), D7_OK);
    check_next(true);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.current.number, 2);
    assert_int_equal(p.pending.number, 3);
    check_next(true);
    assert_int_equal(policy_of("mine").current.number, 3);
}

static void an_older_revision_that_passes_late_does_not_come_back(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    struct job first;
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(stores_claim(st, &first), D7_OK); /* revision 1 is being checked */
    assert_int_equal(revise("two", &number, run), D7_OK);
    check_next(true);
    assert_int_equal(policy_of("mine").current.number, 2);
    assert_int_equal(stores_pass(st, &first), D7_OK);
    assert_int_equal(policy_of("mine").current.number, 2);
    assert_int_equal(policy_of("mine").pending.number, 0);
}

/* A candidate whose check failed three times by our fault is neither passed nor stuck. */
static void a_candidate_we_could_not_check_is_tried_again_with_the_next_run(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    struct job job;
    played_policy();
    assert_int_equal(revise("two", &number, run), D7_OK);
    for (int i = 0; i < JOB_ATTEMPTS_MAX; i++) {
        assert_int_equal(stores_claim(st, &job), D7_OK);
        assert_int_equal(job.kind, JOB_CHECK);
        assert_int_equal(job_release(st, &job, "our disk", 1), D7_OK);
    }
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(policy_of("mine").pending.status, POLICY_CHECKING);
    assert_int_equal(run_of(run).status, RUN_FAILED);
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, run, existing), D7_OK);
    check_next(false);
    assert_int_equal(policy_of("mine").pending.status, POLICY_REJECTED);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    /* one that was rejected is not */
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, run, existing), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job.kind, JOB_GAME);
}

static void revisions_are_listed_newest_first_and_read_one_by_one(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    played_policy();
    assert_int_equal(revise("two", &number, run), D7_OK);
    check_next(false);
    assert_int_equal(revise("three", &number, run), D7_OK);
    struct store_page page = {.limit = 2};
    struct revision *rows = NULL;
    size_t count = 0;
    assert_int_equal(revision_list(st, "mine", &page, &rows, &count), D7_OK);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].number, 3);
    assert_int_equal(rows[1].number, 2);
    assert_int_equal(rows[1].status, POLICY_REJECTED);
    free(rows);
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    assert_int_equal(revision_list(st, "mine", &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].number, 1);
    assert_string_equal(page.next, "");
    free(rows);
    assert_int_equal(revision_list(st, "other", &page, &rows, &count), D7_ERR_INVALID);
    struct revision r;
    assert_int_equal(revision_get(st, "mine", 3, &r), D7_OK);
    assert_int_equal(r.status, POLICY_CHECKING);
    assert_int_equal(revision_get(st, "mine", 4, &r), D7_ERR_NOT_FOUND);
    char *log = NULL;
    size_t len = 0;
    assert_int_equal(revision_log(st, "mine", 2, &log, &len), D7_OK);
    assert_int_equal(len, 5);
    assert_string_equal(log, "said\n");
    free(log);
    assert_int_equal(revision_log(st, "mine", 3, &log, &len), D7_OK);
    assert_int_equal(len, 0);
    free(log);
    assert_int_equal(revision_log(st, "mine", 9, &log, &len), D7_ERR_NOT_FOUND);
}

static void a_remote_policy_is_ready_at_once_and_never_queued(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE] = "untouched";
    char existing[STORE_KEY_SIZE];
    int64_t number = 0;
    const struct policy_new_row row = {.id = "far",
                                       .name = "Far",
                                       .kind = KIND_REMOTE,
                                       .owner_id = ann,
                                       .public_information = true,
                                       .suite_id = "gauntlet"};
    assert_int_equal(policy_add(st, &row, 1, run), D7_OK);
    assert_string_equal(run, "");
    assert_int_equal(policy_of("far").status, POLICY_READY);
    assert_int_equal(policy_of("far").current.number, 1);
    assert_string_equal(policy_of("far").current.format, "remote");
    assert_int_equal(run_add(st, "far", "gauntlet", NULL, 0, 1, run, existing), D7_ERR_UNSUPPORTED);
    const struct revision_new_row next = {.policy_id = "far", .suite_id = "gauntlet"};
    assert_int_equal(revision_add(st, &next, 2, &number, run), D7_OK);
    assert_int_equal(policy_of("far").current.number, 2);
    assert_int_equal(policy_of("far").pending.number, 0);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM job"), 0);
}

static void what_takes_no_revision_is_left_alone(void **state)
{
    (void)state;
    int64_t number = 7;
    char run[STORE_KEY_SIZE] = "untouched";
    const struct revision_new_row builtin = {.policy_id = "greedy"};
    assert_int_equal(stores_builtin(st, "greedy", NULL, run), D7_OK);
    assert_int_equal(revision_add(st, &builtin, 1, &number, run), D7_ERR_UNSUPPORTED);
    assert_int_equal(revise("two", &number, run), D7_ERR_NOT_FOUND);
    played_policy();
    const struct policy_patch suspend = {.has_status = true, .status = POLICY_SUSPENDED};
    assert_int_equal(policy_patch(st, "mine", &suspend), D7_OK);
    assert_int_equal(revise("two", &number, run), D7_ERR_FORBIDDEN);
    assert_int_equal(policy_retire(st, "mine", 9), D7_OK);
    assert_int_equal(revise("two", &number, run), D7_ERR_FORBIDDEN);
    assert_int_equal(number, 7);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM revision"), 2);
}

/* --- changes -------------------------------------------------------------------------------- */

static void texts_are_changed_one_by_one(void **state)
{
    (void)state;
    played_policy();
    int64_t before = 0;
    int64_t after = 0;
    assert_int_equal(store_board_version(st, &before), D7_OK);
    const struct policy_patch name = {.name = "Better"};
    assert_int_equal(policy_patch(st, "mine", &name), D7_OK);
    assert_int_equal(store_board_version(st, &after), D7_OK);
    assert_true(after > before);
    const struct policy_patch rest = {.family = "", .description = "words"};
    assert_int_equal(policy_patch(st, "mine", &rest), D7_OK);
    struct policy_row p = policy_of("mine");
    assert_string_equal(p.name, "Better");
    assert_string_equal(p.family, "");
    assert_string_equal(p.description, "words");
    assert_int_equal(policy_patch(st, "nobody", &rest), D7_ERR_NOT_FOUND);
}

static void a_suspended_policy_waits_and_comes_back_as_it_was(void **state)
{
    (void)state;
    const struct policy_patch suspend = {
        .has_status = true, .status = POLICY_SUSPENDED, .reason = "too loud"};
    const struct policy_patch resume = {.has_status = true, .status = POLICY_READY};
    char run[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(policy_patch(st, "mine", &resume), D7_ERR_CONFLICT); /* not checked yet */
    assert_int_equal(policy_patch(st, "mine", &suspend), D7_OK);
    assert_string_equal(policy_of("mine").reason_code, "suspended");
    assert_string_equal(policy_of("mine").reason_message, "too loud");
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(policy_patch(st, "mine", &resume), D7_OK);
    assert_int_equal(policy_of("mine").status, POLICY_CHECKING);
    assert_string_equal(policy_of("mine").reason_code, "");
    /* suspended while its check runs: the verdict is kept for later */
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(policy_patch(st, "mine", &suspend), D7_OK);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    assert_int_equal(policy_of("mine").status, POLICY_SUSPENDED);
    assert_string_equal(policy_of("mine").reason_message, "too loud");
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(policy_patch(st, "mine", &resume), D7_OK);
    assert_int_equal(policy_of("mine").status, POLICY_READY);
    assert_int_equal(policy_patch(st, "mine", &resume), D7_OK); /* twice does no harm */
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
}

static void a_policy_rejected_while_suspended_comes_back_rejected(void **state)
{
    (void)state;
    const struct policy_patch suspend = {.has_status = true, .status = POLICY_SUSPENDED};
    const struct policy_patch resume = {.has_status = true, .status = POLICY_READY};
    const struct check_outcome no = {.reason_code = "no-start", .reason_message = "it did not"};
    char run[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(policy_patch(st, "mine", &suspend), D7_OK);
    assert_int_equal(job_finish_check(st, &job, &no, 9), D7_OK);
    assert_int_equal(policy_patch(st, "mine", &resume), D7_OK);
    assert_int_equal(policy_of("mine").status, POLICY_REJECTED);
    assert_string_equal(policy_of("mine").reason_code, "no-start");
}

/* --- ends ----------------------------------------------------------------------------------- */

static void a_cancelled_run_takes_its_jobs_and_leases_with_it(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char game[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    check_next(true);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 5, game), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job_beat(st, job.id, job.lease, 3), D7_OK);
    assert_int_equal(run_cancel(st, run, "by its owner", 7000), D7_OK);
    assert_int_equal(job_beat(st, job.id, job.lease, 4), D7_ERR_CONFLICT);
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 5, game), D7_ERR_CONFLICT);
    struct run_row r = run_of(run);
    assert_int_equal(r.status, RUN_CANCELLED);
    assert_string_equal(r.reason, "by its owner");
    assert_int_equal(r.finished_at, 7000);
    assert_int_equal(r.done, 1);
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(run_cancel(st, run, "again", 7001), D7_ERR_CONFLICT);
    assert_string_equal(run_of(run).reason, "by its owner");
    assert_int_equal(run_cancel(st, "nothing", "", 1), D7_ERR_NOT_FOUND);
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, run, existing), D7_OK);
}

static void a_run_cancelled_before_the_check_leaves_the_check(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_int_equal(run_cancel(st, run, "", 2), D7_OK);
    check_next(true);
    assert_int_equal(policy_of("mine").status, POLICY_READY);
    assert_int_equal(run_of(run).status, RUN_CANCELLED);
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
}

static void retiring_ends_runs_and_checks_and_keeps_games_and_id(void **state)
{
    (void)state;
    int64_t number = 0;
    char old[STORE_KEY_SIZE];
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    struct job check;
    struct job game;
    played_policy();
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, old, existing), D7_OK);
    assert_int_equal(stores_claim(st, &game), D7_OK);
    assert_int_equal(revise("two", &number, run), D7_OK);
    assert_int_equal(stores_claim(st, &check), D7_OK);
    assert_int_equal(check.kind, JOB_CHECK);
    assert_int_equal(policy_retire(st, "mine", 8000), D7_OK);
    assert_int_equal(policy_of("mine").status, POLICY_RETIRED);
    assert_int_equal(run_of(old).status, RUN_CANCELLED);
    assert_int_equal(run_of(run).status, RUN_CANCELLED);
    assert_int_equal(stores_pass(st, &check), D7_ERR_CONFLICT);
    assert_int_equal(job_beat(st, game.id, game.lease, 1), D7_ERR_CONFLICT);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 8);
    assert_int_equal(policy_retire(st, "mine", 9000), D7_OK);
    assert_int_equal(run_of(run).finished_at, 8000);
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_ERR_CONFLICT);
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 1, run, existing), D7_ERR_FORBIDDEN);
    const struct policy_patch resume = {.has_status = true, .status = POLICY_READY};
    assert_int_equal(policy_patch(st, "mine", &resume), D7_ERR_FORBIDDEN);
    assert_int_equal(policy_retire(st, "nobody", 1), D7_ERR_NOT_FOUND);
}

static void artifacts_of_retired_policies_may_go_but_not_those_others_use(void **state)
{
    (void)state;
    int64_t number = 0;
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE] = "";
    played_policy();
    assert_int_equal(revise("two", &number, run), D7_OK);
    assert_int_equal(revision_next_artifact(st, "mine", "", sha), D7_OK);
    char first[SHA_HEX_SIZE];
    memcpy(first, sha, sizeof(first));
    assert_int_equal(revision_next_artifact(st, "mine", first, sha), D7_OK);
    assert_true(strcmp(first, sha) < 0);
    assert_int_equal(revision_next_artifact(st, "mine", sha, sha), D7_ERR_NOT_FOUND);
    sqlite3_stmt *uses = st->stmts[SQL_REVISION_USES];
    (void)sqlite3_bind_text(uses, 1, first, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(uses), SQLITE_ROW);
    (void)sqlite3_reset(uses);
    assert_int_equal(policy_retire(st, "mine", 3), D7_OK);
    assert_int_equal(sqlite3_step(uses), SQLITE_DONE);
    (void)sqlite3_reset(uses);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_old_revision_stays_current_until_the_new_one_passes),
        TEST(a_rejected_candidate_leaves_the_policy_as_it_was),
        TEST(a_run_of_the_old_revision_goes_on_beside_the_new_one),
        TEST(a_rejected_policy_is_checked_again_with_its_next_revision),
        TEST(an_overtaken_candidate_decides_nothing),
        TEST(an_older_revision_that_passes_late_does_not_come_back),
        TEST(a_candidate_we_could_not_check_is_tried_again_with_the_next_run),
        TEST(revisions_are_listed_newest_first_and_read_one_by_one),
        TEST(a_remote_policy_is_ready_at_once_and_never_queued),
        TEST(what_takes_no_revision_is_left_alone),
        TEST(texts_are_changed_one_by_one),
        TEST(a_suspended_policy_waits_and_comes_back_as_it_was),
        TEST(a_policy_rejected_while_suspended_comes_back_rejected),
        TEST(a_cancelled_run_takes_its_jobs_and_leases_with_it),
        TEST(a_run_cancelled_before_the_check_leaves_the_check),
        TEST(retiring_ends_runs_and_checks_and_keeps_games_and_id),
        TEST(artifacts_of_retired_policies_may_go_but_not_those_others_use),
    };
    int failed = cmocka_run_group_tests_name("unit/store/revision", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
