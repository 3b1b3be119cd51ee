/* store/policy.h and run.h: registering, looking up, listing, queueing. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *st;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "policies-%u", number++);
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

static struct policy_row policy_of(const char *id)
{
    struct policy_row row = {0};
    assert_int_equal(policy_get(st, id, &row), D7_OK);
    return row;
}

static void names_and_texts_of_enums_agree(void **state)
{
    (void)state;
    for (int i = 0; i <= KIND_REMOTE; i++) {
        enum policy_kind kind = KIND_BUILTIN;
        assert_true(policy_kind_parse(span_of(policy_kind_text((enum policy_kind)i)), &kind));
        assert_int_equal(kind, i);
    }
    for (int i = 0; i <= POLICY_RETIRED; i++) {
        enum policy_status status = POLICY_CHECKING;
        assert_true(
            policy_status_parse(span_of(policy_status_text((enum policy_status)i)), &status));
        assert_int_equal(status, i);
    }
    for (int i = 0; i <= RUN_FAILED; i++) {
        enum run_status status = RUN_QUEUED;
        assert_true(run_status_parse(span_of(run_status_text((enum run_status)i)), &status));
        assert_int_equal(status, i);
    }
    enum run_status status = RUN_DONE;
    assert_false(run_status_parse(span_of("Queued"), &status));
    assert_int_equal(status, RUN_DONE);
}

static void a_new_upload_is_checking_with_its_candidate_and_queued_run(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    int64_t ann = stores_account(st, "ann");
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run_id), D7_OK);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.status, POLICY_CHECKING);
    assert_int_equal(p.kind, KIND_UPLOAD);
    assert_int_equal(p.owner_id, ann);
    assert_string_equal(p.owner, "ann");
    assert_int_equal(p.current.number, 0);
    assert_int_equal(p.pending.number, 1);
    assert_int_equal(p.pending.status, POLICY_CHECKING);
    assert_int_equal(strlen(p.pending.sha256), 64);
    assert_string_equal(p.latest_run_id, run_id);
    struct run_row run = {0};
    assert_int_equal(run_get(st, run_id, &run), D7_OK);
    assert_int_equal(run.status, RUN_QUEUED);
    assert_int_equal(run.games, 8);
    assert_string_equal(run.suite_id, "gauntlet");
    assert_int_equal(run.started_at, -1);
    assert_int_equal(run.finished_at, -1);
}

static void a_taken_id_is_a_conflict_for_everybody_and_stores_nothing(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    char other[STORE_KEY_SIZE] = "untouched";
    int64_t ann = stores_account(st, "ann");
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run_id), D7_OK);
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", other), D7_ERR_CONFLICT);
    assert_int_equal(stores_builtin(st, "mine", "gauntlet", other), D7_ERR_CONFLICT);
    assert_string_equal(other, "untouched");
    assert_int_equal(stores_number(st, "SELECT count(*) FROM run"), 1);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM job"), 9);
}

static void an_unknown_suite_registers_nothing(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    struct policy_row row;
    int64_t ann = stores_account(st, "ann");
    assert_int_equal(stores_upload(st, "mine", ann, "no-such-suite", run_id), D7_ERR_NOT_FOUND);
    assert_int_equal(policy_get(st, "mine", &row), D7_ERR_NOT_FOUND);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM job"), 0);
    assert_int_equal(stores_upload(st, "mine", 999, "gauntlet", run_id), D7_ERR_CONFLICT);
}

static void a_builtin_is_ready_at_once_and_updated_by_the_next_program(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE] = "untouched";
    char again[STORE_KEY_SIZE];
    assert_int_equal(stores_builtin(st, "greedy", NULL, run_id), D7_OK);
    assert_string_equal(run_id, "");
    struct policy_row p = policy_of("greedy");
    assert_int_equal(p.status, POLICY_READY);
    assert_int_equal(p.current.number, 1);
    assert_int_equal(p.owner_id, 0);
    assert_string_equal(p.owner, "");
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", run_id), D7_OK); /* its first run */
    assert_string_not_equal(run_id, "");
    int64_t before = 0;
    int64_t after = 0;
    assert_int_equal(store_version(st, &before), D7_OK);
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", again), D7_OK);
    assert_string_equal(again, run_id);
    assert_int_equal(store_version(st, &after), D7_OK);
    assert_int_equal(before, after); /* nothing new */
    struct policy_new_row row = {.id = "greedy",
                                 .name = "Greedy II",
                                 .family = "heuristic",
                                 .description = "text",
                                 .kind = KIND_BUILTIN,
                                 .format = "builtin",
                                 .slow = true};
    assert_int_equal(policy_add(st, &row, 1, again), D7_OK);
    p = policy_of("greedy");
    assert_string_equal(p.name, "Greedy II");
    assert_true(p.slow && !p.public_information);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM run"), 1);
}

static void a_rejected_revision_cancels_its_run_with_the_reason(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    struct job job;
    assert_int_equal(stores_upload(st, "mine", stores_account(st, "ann"), "gauntlet", run_id),
                     D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    struct check_outcome outcome = {
        .reason_code = "handshake", .reason_message = "no d7pok within 10 s", .log = {"boom", 4}};
    char long_text[300];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    struct check_outcome bad = outcome;
    bad.reason_message = long_text;
    assert_int_equal(job_finish_check(st, &job, &bad, 5), D7_ERR_INVALID);
    assert_int_equal(job_finish_check(st, &job, &outcome, 5), D7_OK);
    struct policy_row p = policy_of("mine");
    assert_int_equal(p.status, POLICY_REJECTED);
    assert_string_equal(p.reason_code, "handshake");
    assert_string_equal(p.reason_message, "no d7pok within 10 s");
    assert_int_equal(p.current.number, 0);
    assert_int_equal(p.pending.status, POLICY_REJECTED);
    assert_string_equal(p.pending.reason_code, "handshake");
    struct run_row run = {0};
    assert_int_equal(run_get(st, run_id, &run), D7_OK);
    assert_int_equal(run.status, RUN_CANCELLED);
    assert_string_equal(run.reason, "no d7pok within 10 s");
    assert_int_equal(run.finished_at, 5);
    assert_int_equal(stores_claim(st, &job), D7_ERR_NOT_FOUND);
    assert_int_equal(run_add(st, "mine", "gauntlet", NULL, 0, 6, run_id, existing),
                     D7_ERR_FORBIDDEN);
}

static void one_unfinished_run_per_revision(void **state)
{
    (void)state;
    char first[STORE_KEY_SIZE];
    char second[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE] = "untouched";
    static const char *const rounds[] = {"gauntlet-04", "gauntlet-02"};
    static const char *const unknown[] = {"gauntlet-04", "no-such-round"};
    static const char *const twice[] = {"gauntlet-04", "gauntlet-04"};
    assert_int_equal(stores_upload(st, "mine", stores_account(st, "ann"), "gauntlet", first),
                     D7_OK);
    assert_int_equal(run_add(st, "mine", NULL, rounds, 2, 5, second, existing), D7_ERR_CONFLICT);
    assert_string_equal(existing, first);
    assert_int_equal(stores_drain(st, OUTCOME_CENSORED), 8);
    assert_int_equal(run_add(st, "nobody", NULL, rounds, 2, 5, second, existing), D7_ERR_NOT_FOUND);
    assert_int_equal(run_add(st, "mine", "no-such", NULL, 0, 5, second, existing),
                     D7_ERR_NOT_FOUND);
    assert_int_equal(run_add(st, "mine", NULL, unknown, 2, 5, second, existing), D7_ERR_NOT_FOUND);
    assert_int_equal(run_add(st, "mine", NULL, twice, 2, 5, second, existing), D7_ERR_INVALID);
    assert_int_equal(run_add(st, "mine", NULL, rounds, 0, 5, second, existing), D7_ERR_INVALID);
    assert_int_equal(run_add(st, "mine", NULL, rounds, 2, 5, second, existing), D7_OK);
    assert_true(strcmp(second, first) > 0); /* ids sort by creation */
    struct run_row run = {0};
    assert_int_equal(run_get(st, second, &run), D7_OK);
    assert_string_equal(run.suite_id, "");
    assert_int_equal(run.games, 2);
    assert_string_equal(policy_of("mine").latest_run_id, second);
    struct run_round *list = NULL;
    size_t count = 0;
    assert_int_equal(run_rounds(st, second, &list, &count), D7_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].round_id, "gauntlet-04");
    assert_string_equal(list[0].job_state, "queued");
    free(list);
    assert_int_equal(run_rounds(st, "no-such-run", &list, &count), D7_ERR_NOT_FOUND);
    assert_int_equal(run_get(st, "no-such-run", &run), D7_ERR_NOT_FOUND);
}

static void queue_places_put_builtins_last(void **state)
{
    (void)state;
    char ours[STORE_KEY_SIZE];
    char first[STORE_KEY_SIZE];
    char second[STORE_KEY_SIZE];
    struct run_row run = {0};
    assert_int_equal(stores_builtin(st, "greedy", "gauntlet", ours), D7_OK);
    assert_int_equal(stores_upload(st, "one", stores_account(st, "ann"), "gauntlet", first), D7_OK);
    assert_int_equal(stores_upload(st, "two", stores_account(st, "bob"), "gauntlet", second),
                     D7_OK);
    assert_int_equal(run_get(st, ours, &run), D7_OK);
    assert_int_equal(run.queue_position, 3);
    assert_int_equal(run_get(st, first, &run), D7_OK);
    assert_int_equal(run.queue_position, 1);
    assert_int_equal(run_get(st, second, &run), D7_OK);
    assert_int_equal(run.queue_position, 2);
}

/* --- lists ---------------------------------------------------------------------------------- */

static void make_policies(void)
{
    char run[STORE_KEY_SIZE];
    char id[32];
    int64_t ann = stores_account(st, "ann");
    for (int i = 0; i < 5; i++) {
        (void)snprintf(id, sizeof(id), "up-%d", i);
        assert_int_equal(stores_upload(st, id, ann, "gauntlet", run), D7_OK);
        (void)snprintf(id, sizeof(id), "in-%d", i);
        assert_int_equal(stores_builtin(st, id, NULL, run), D7_OK);
    }
    assert_int_equal(stores_change(st, "UPDATE policy SET status = 'retired' WHERE id = 'in-4'"),
                     1);
}

static size_t walk_policies(const struct policy_filter *filter, uint32_t limit)
{
    struct store_page page = {.limit = limit};
    char last[STORE_ID_SIZE] = "";
    size_t seen = 0;
    do {
        struct policy_row *rows = NULL;
        size_t count = 0;
        assert_int_equal(policy_list(st, filter, &page, &rows, &count), D7_OK);
        assert_true(count <= limit);
        for (size_t i = 0; i < count; i++) {
            assert_true(strcmp(rows[i].id, last) > 0);
            memcpy(last, rows[i].id, sizeof(last));
        }
        seen += count;
        free(rows);
        memcpy(page.cursor, page.next, sizeof(page.cursor));
    } while (page.next[0]);
    return seen;
}

static void policies_are_listed_by_id_and_filters_hold(void **state)
{
    (void)state;
    make_policies();
    struct policy_filter all = {0};
    assert_int_equal(walk_policies(&all, 3), 9); /* the retired one is hidden */
    assert_int_equal(walk_policies(&all, 9), 9);
    assert_int_equal(walk_policies(&all, 500), 9);
    struct policy_filter kind = {.has_kind = true, .kind = KIND_BUILTIN};
    assert_int_equal(walk_policies(&kind, 2), 4);
    struct policy_filter retired = {.has_status = true, .status = POLICY_RETIRED};
    assert_int_equal(walk_policies(&retired, 2), 1);
    struct policy_filter family = {.family = "other"};
    assert_int_equal(walk_policies(&family, 2), 0);
}

static void a_cursor_is_good_for_its_own_list_only(void **state)
{
    (void)state;
    make_policies();
    struct policy_filter all = {0};
    struct policy_filter kind = {.has_kind = true, .kind = KIND_UPLOAD};
    struct policy_row *rows = NULL;
    struct run_row *runs = NULL;
    size_t count = 0;
    struct store_page page = {.limit = 2};
    assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_OK);
    free(rows);
    rows = NULL;
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    char good[STORE_CURSOR_SIZE];
    memcpy(good, page.next, sizeof(good));
    assert_int_equal(policy_list(st, &kind, &page, &rows, &count), D7_ERR_INVALID);
    struct run_filter any = {0};
    assert_int_equal(run_list(st, &any, &page, &runs, &count), D7_ERR_INVALID);
    static const char *const nonsense[] = {"x", ".", "0123456789abcdef.", "0123456789abcdef.up-1",
                                           "'; DROP TABLE policy; --"};
    for (size_t i = 0; i < D7_COUNT(nonsense); i++) {
        (void)snprintf(page.cursor, sizeof(page.cursor), "%s", nonsense[i]);
        assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_ERR_INVALID);
    }
    memcpy(page.cursor, good, sizeof(good));
    page.cursor[strlen(page.cursor) - 1] ^= 1; /* another key under the same hash */
    assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_ERR_INVALID);
    assert_null(rows);
    memcpy(page.cursor, good, sizeof(good));
    page.limit = 0;
    assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_ERR_INVALID);
    page.limit = STORE_LIST_MAX + 1;
    assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_ERR_INVALID);
    page.limit = STORE_LIST_MAX;
    assert_int_equal(policy_list(st, &all, &page, &rows, &count), D7_OK);
    free(rows);
}

static size_t walk_runs(const struct run_filter *filter, uint32_t limit)
{
    struct store_page page = {.limit = limit};
    char last[STORE_KEY_SIZE] = "Z";
    size_t seen = 0;
    do {
        struct run_row *rows = NULL;
        size_t count = 0;
        assert_int_equal(run_list(st, filter, &page, &rows, &count), D7_OK);
        for (size_t i = 0; i < count; i++) {
            assert_true(strcmp(rows[i].id, last) < 0);
            memcpy(last, rows[i].id, sizeof(last));
        }
        seen += count;
        free(rows);
        memcpy(page.cursor, page.next, sizeof(page.cursor));
    } while (page.next[0]);
    return seen;
}

static void runs_are_listed_newest_first_and_filters_hold(void **state)
{
    (void)state;
    make_policies(); /* five runs, at time 2000 */
    struct run_filter all = {0};
    assert_int_equal(walk_runs(&all, 2), 5);
    struct run_filter policy = {.policy_id = "up-3"};
    assert_int_equal(walk_runs(&policy, 2), 1);
    struct run_filter queued = {.has_status = true, .status = RUN_QUEUED};
    assert_int_equal(walk_runs(&queued, 2), 5);
    struct run_filter done = {.has_status = true, .status = RUN_DONE, .policy_id = "up-3"};
    assert_int_equal(walk_runs(&done, 2), 0);
    struct run_filter suite = {.suite_id = "gauntlet"};
    assert_int_equal(walk_runs(&suite, 4), 5);
    struct run_filter other = {.suite_id = "other"};
    assert_int_equal(walk_runs(&other, 4), 0);
    struct run_filter since = {.since = 2000, .until = 2001};
    assert_int_equal(walk_runs(&since, 4), 5);
    struct run_filter later = {.since = 2001};
    assert_int_equal(walk_runs(&later, 4), 0);
    struct run_filter before = {.until = 2000};
    assert_int_equal(walk_runs(&before, 4), 0);
}

static void a_run_never_moves_back_whatever_is_written(void **state)
{
    (void)state;
    char run_id[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", stores_account(st, "ann"), "gauntlet", run_id),
                     D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    assert_int_equal(stores_change(st, "UPDATE run SET status = 'playing', finished_at = NULL"),
                     -1);
    assert_int_equal(stores_change(st, "UPDATE run SET status = 'cancelled'"), -1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_texts_of_enums_agree),
        CASE(a_new_upload_is_checking_with_its_candidate_and_queued_run),
        CASE(a_taken_id_is_a_conflict_for_everybody_and_stores_nothing),
        CASE(an_unknown_suite_registers_nothing),
        CASE(a_builtin_is_ready_at_once_and_updated_by_the_next_program),
        CASE(a_rejected_revision_cancels_its_run_with_the_reason),
        CASE(one_unfinished_run_per_revision),
        CASE(queue_places_put_builtins_last),
        CASE(policies_are_listed_by_id_and_filters_hold),
        CASE(a_cursor_is_good_for_its_own_list_only),
        CASE(runs_are_listed_newest_first_and_filters_hold),
        CASE(a_run_never_moves_back_whatever_is_written),
    };
    int failed = cmocka_run_group_tests_name("unit/store/policy", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
