/* store/quota.h: every limit is met to the unit, with the true numbers; and games by player. */
#include "tests/support/support.h"

#include "store/handle.h"
#include "store/revision.h"
#include "tests/support/stores.h"

#define DAY_MS 86400000

static struct store *st;
static int64_t ann;
static struct quota quota;
static struct quota_excess excess;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "quotas-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    ann = stores_account(st, "ann");
    quota = (struct quota){{0}};
    excess = (struct quota_excess){0};
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

static enum d7_err upload(const char *id, const char *bytes, int64_t size, const char *suite,
                          int64_t now)
{
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(bytes), sha);
    const struct policy_new_row row = {.id = id,
                                       .name = id,
                                       .kind = KIND_UPLOAD,
                                       .owner_id = ann,
                                       .concurrency = 1,
                                       .sha256 = sha,
                                       .size_bytes = size,
                                       .format = "elf",
                                       .suite_id = suite,
                                       .quota = &quota,
                                       .excess = &excess};
    return policy_add(st, &row, now, run);
}

static enum d7_err revise(const char *id, const char *bytes, int64_t size, int64_t now)
{
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    int64_t number = 0;
    sha_of(span_of(bytes), sha);
    const struct revision_new_row row = {.policy_id = id,
                                         .sha256 = sha,
                                         .size_bytes = size,
                                         .format = "elf",
                                         .quota = &quota,
                                         .excess = &excess};
    return revision_add(st, &row, now, &number, run);
}

static void assert_excess(enum quota_thing thing, int64_t used, int64_t asked)
{
    assert_int_equal(excess.thing, thing);
    assert_int_equal(excess.used, used);
    assert_int_equal(excess.asked, asked);
    assert_int_equal(excess.limit, quota.limit[thing]);
}

static void policies_are_counted_until_they_are_retired(void **state)
{
    (void)state;
    quota.limit[QUOTA_POLICIES] = 2;
    assert_int_equal(upload("one", "1", 1, NULL, 1), D7_OK);
    assert_int_equal(upload("two", "2", 1, NULL, 1), D7_OK);
    assert_int_equal(upload("three", "3", 1, NULL, 1), D7_ERR_QUOTA);
    assert_excess(QUOTA_POLICIES, 2, 1);
    assert_int_equal(upload("two", "2", 1, NULL, 1), D7_ERR_CONFLICT); /* said first */
    struct policy_row row;
    assert_int_equal(policy_get(st, "three", &row), D7_ERR_NOT_FOUND);
    assert_int_equal(policy_retire(st, "one", 2), D7_OK);
    assert_int_equal(upload("three", "3", 1, NULL, 3), D7_OK);
}

static void revisions_are_counted_over_a_day(void **state)
{
    (void)state;
    quota.limit[QUOTA_REVISIONS] = 3;
    assert_int_equal(upload("one", "1", 1, NULL, 1000), D7_OK);
    assert_int_equal(revise("one", "2", 1, 2000), D7_OK);
    assert_int_equal(revise("one", "3", 1, 3000), D7_OK);
    assert_int_equal(revise("one", "4", 1, 4000), D7_ERR_QUOTA);
    assert_excess(QUOTA_REVISIONS, 3, 1);
    assert_int_equal(upload("two", "5", 1, NULL, 4000), D7_ERR_QUOTA);
    assert_int_equal(revise("one", "4", 1, 999 + DAY_MS), D7_ERR_QUOTA);
    assert_int_equal(revise("one", "4", 1, 1000 + DAY_MS), D7_OK);
    /* another's are their own */
    ann = stores_account(st, "bob");
    assert_int_equal(upload("two", "5", 1, NULL, 4000), D7_OK);
}

static void waiting_jobs_are_checks_and_games_nobody_has_begun(void **state)
{
    (void)state;
    quota.limit[QUOTA_JOBS] = 17;
    assert_int_equal(upload("one", "1", 1, "gauntlet", 1), D7_OK); /* a check and eight games */
    assert_int_equal(upload("two", "2", 1, "gauntlet", 1), D7_ERR_QUOTA);
    assert_excess(QUOTA_JOBS, 9, 9);
    struct job job;
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(upload("two", "2", 1, "gauntlet", 1), D7_OK);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 16);
    quota.limit[QUOTA_JOBS] = 7;
    char run[STORE_KEY_SIZE] = "untouched";
    char existing[STORE_KEY_SIZE];
    const struct run_new_row row = {
        .policy_id = "one", .suite_id = "gauntlet", .quota = &quota, .excess = &excess};
    assert_int_equal(run_add_row(st, &row, 1, run, existing), D7_ERR_QUOTA);
    assert_excess(QUOTA_JOBS, 0, 8);
    assert_string_equal(run, "untouched");
    quota.limit[QUOTA_JOBS] = 8;
    assert_int_equal(run_add_row(st, &row, 1, run, existing), D7_OK);
}

static void builtin_runs_are_nobodys(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    quota.limit[QUOTA_JOBS] = 1;
    assert_int_equal(stores_builtin(st, "greedy", NULL, run), D7_OK);
    const struct run_new_row row = {
        .policy_id = "greedy", .suite_id = "gauntlet", .quota = &quota, .excess = &excess};
    assert_int_equal(run_add_row(st, &row, 1, run, existing), D7_OK);
}

static void equal_artifacts_are_counted_once_and_those_of_retired_policies_not(void **state)
{
    (void)state;
    quota.limit[QUOTA_ARTIFACTS] = 100;
    assert_int_equal(upload("one", "x", 60, NULL, 1), D7_OK);
    assert_int_equal(upload("two", "x", 60, NULL, 1), D7_OK);
    assert_int_equal(revise("two", "y", 41, 1), D7_ERR_QUOTA);
    assert_excess(QUOTA_ARTIFACTS, 60, 41);
    assert_int_equal(revise("two", "y", 40, 1), D7_OK);
    int64_t used[QUOTA_THINGS];
    assert_int_equal(quota_used(st, ann, 1, used), D7_OK);
    assert_int_equal(used[QUOTA_POLICIES], 2);
    assert_int_equal(used[QUOTA_REVISIONS], 3);
    assert_int_equal(used[QUOTA_JOBS], 3);
    assert_int_equal(used[QUOTA_ARTIFACTS], 100);
    assert_int_equal(policy_retire(st, "two", 2), D7_OK);
    assert_int_equal(quota_used(st, ann, 1, used), D7_OK);
    assert_int_equal(used[QUOTA_ARTIFACTS], 60);
    assert_int_equal(used[QUOTA_REVISIONS], 3);
    assert_int_equal(used[QUOTA_JOBS], 1);
}

static void no_limit_is_no_limit(void **state)
{
    (void)state;
    char id[16];
    for (int i = 0; i < 30; i++) {
        (void)snprintf(id, sizeof(id), "p-%d", i);
        assert_int_equal(upload(id, id, INT64_C(1) << 40, "gauntlet", 1), D7_OK);
    }
    for (size_t i = 0; i < QUOTA_THINGS; i++) {
        assert_true(strlen(quota_thing_text((enum quota_thing)i)) > 5);
    }
}

/* --- games of people ------------------------------------------------------------------------ */

static void add_human_game(const char *player, int score)
{
    char sql[700];
    (void)snprintf(
        sql, sizeof(sql),
        "INSERT INTO game (id, player, round, outcome, reason, score, moves, max_chain, "
        "discs_cleared, covered_revealed, checksum, illegal_moves, timeouts, crashes, "
        "nondeterministic, counted, elapsed_ms, ms_p50, ms_p95, ms_p99, ms_max, created_at) VALUES "
        "('human-%d', '%s', 'gauntlet-01', 'over', '', %d, 0, 0, 0, 0, '', 0, 0, 0, 0, 0, 0, 0, 0, "
        "0, 0, 1)",
        score, player, score);
    assert_int_equal(stores_change(st, sql), 1);
}

static void games_are_listed_by_player(void **state)
{
    (void)state;
    assert_int_equal(upload("one", "1", 1, "gauntlet", 1), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    add_human_game("Zoe", 3);
    add_human_game("Zoe", 9);
    add_human_game("Max", 5);
    struct game_filter filter = {.player = "Zoe", .sort = GAME_SORT_BEST};
    struct store_page page = {.limit = 1};
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].player, "Zoe");
    assert_string_equal(rows[0].policy_id, "");
    assert_int_equal(rows[0].summary.score, 9);
    free(rows);
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].summary.score, 3);
    assert_string_equal(page.next, "");
    free(rows);
    (void)snprintf(filter.player, sizeof(filter.player), "Max");
    assert_int_equal(game_list(st, &filter, &page, &rows, &count), D7_ERR_INVALID); /* cursor */
    (void)stores_change(st, "DELETE FROM game WHERE player IS NOT NULL"); /* they have no record */
}

/* --- from an older schema ------------------------------------------------------------------- */

struct migration {
    const char *name;
    const char *start;
    const char *end;
};
extern const struct migration embed_migrations[];

static void a_store_of_the_first_schema_is_brought_up_to_date(void **state)
{
    (void)state;
    char path[1200];
    sqlite3 *db = NULL;
    struct store *old = stores_open("old", STORE_MIGRATE); /* for the folder */
    store_close(old);
    (void)snprintf(path, sizeof(path), "%s/drop7.db", stores_path("old"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, embed_migrations[0].start, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA user_version = 1;"
                     "INSERT INTO account (name, admin, created_at) VALUES ('eve', 0, 1);",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    struct store *new = stores_open("old", STORE_MIGRATE);
    assert_int_equal(stores_number(new, "PRAGMA user_version"), store_schema_version());
    assert_int_equal(stores_number(new, "SELECT count(*) FROM account WHERE name = 'eve'"), 1);
    assert_int_equal(
        stores_number(new, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'game_player%'"), 2);
    store_close(new);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(policies_are_counted_until_they_are_retired),
        TEST(revisions_are_counted_over_a_day),
        TEST(waiting_jobs_are_checks_and_games_nobody_has_begun),
        TEST(builtin_runs_are_nobodys),
        TEST(equal_artifacts_are_counted_once_and_those_of_retired_policies_not),
        TEST(no_limit_is_no_limit),
        TEST(games_are_listed_by_player),
        TEST(a_store_of_the_first_schema_is_brought_up_to_date),
    };
    int failed = cmocka_run_group_tests_name("unit/store/quota", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
