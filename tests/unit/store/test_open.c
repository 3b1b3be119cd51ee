/* store: opening, migrating, locking, artifacts, change counters. */
#include "tests/support/support.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "store/account.h"
#include "store/handle.h"
#include "tests/support/stores.h"

static void put(const char *path, const char *text)
{
    assert_int_equal(file_write(path, span_of(text), 0644), D7_OK);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static void assert_refused(const char *dir, enum store_mode mode, enum d7_err want,
                           const char *words)
{
    struct store *st = NULL;
    struct d7_why why = {0};
    assert_int_equal(store_open(dir, mode, &st, &why), want);
    assert_null(st);
    if (!strstr(why.text, words)) {
        fail_msg("'%s' does not say '%s'", why.text, words);
    }
}

static enum d7_err add_account(struct store *st, const char *name)
{
    char id[STORE_KEY_SIZE];
    char hash[SHA_HEX_SIZE];
    sha_of(span_of(name), hash);
    return account_token_add(st, name, false, true, hash, 1000, id);
}

/* SQLite would go on writing to the file without a name, and lose what was answered. */
static void a_file_that_is_gone_takes_no_write_until_it_is_back(void **state)
{
    (void)state;
    struct store *st = stores_open("gone", STORE_MIGRATE);
    char away[PATH_MAX];
    char here[PATH_MAX];
    (void)snprintf(here, sizeof(here), "%s", stores_path("gone"));
    (void)snprintf(away, sizeof(away), "%s", stores_path("gone-away"));
    assert_int_equal(add_account(st, "one"), D7_OK);
    assert_int_equal(rename(here, away), 0);
    assert_int_equal(add_account(st, "two"), D7_ERR_IO);
    assert_non_null(strstr(store_message(st), "moved away"));
    assert_int_equal(rename(away, here), 0);
    assert_int_equal(add_account(st, "two"), D7_OK);
    assert_int_equal(unlink(stores_path("gone/drop7.db")), 0);
    assert_int_equal(add_account(st, "three"), D7_ERR_IO);
    store_close(st);
}

static void an_empty_folder_becomes_a_private_store_with_the_gauntlet(void **state)
{
    (void)state;
    struct store *st = stores_open("empty", STORE_MIGRATE);
    struct suite_row suite = {0};
    assert_int_equal(suite_get(st, NULL, &suite), D7_OK);
    assert_string_equal(suite.id, "gauntlet");
    assert_int_equal(suite.round_count, 8);
    assert_string_equal(suite.round_ids[7], "gauntlet-08");
    suite_release(&suite);
    assert_int_equal(mode_of(stores_path("empty")), 0700);
    assert_int_equal(mode_of(stores_path("empty/drop7.db")), 0600);
    assert_int_equal(mode_of(stores_path("empty/drop7.db-wal")), 0600);
    assert_int_equal(mode_of(stores_path("empty/artifacts")), 0700);
    assert_int_equal(stores_number(st, "PRAGMA user_version"), store_schema_version());
    assert_int_equal(stores_number(st, "PRAGMA foreign_keys"), 1);
    assert_int_equal(stores_number(st, "PRAGMA synchronous"), 2);
    store_close(st);
    st = stores_open("empty", STORE_OPEN);
    assert_string_equal(store_dir(st), stores_path("empty"));
    assert_int_equal(store_check(st), D7_OK);
    store_close(st);
}

static void opening_what_is_not_there_says_so_and_makes_nothing(void **state)
{
    (void)state;
    assert_refused(stores_path("nowhere"), STORE_OPEN, D7_ERR_NOT_FOUND, "there is no store in");
    assert_int_equal(access(stores_path("nowhere"), F_OK), -1);
    assert_refused(stores_path("no/such/parent"), STORE_MIGRATE, D7_ERR_NOT_FOUND, "cannot create");
    put(stores_path("a-file"), "x");
    assert_refused(stores_path("a-file"), STORE_MIGRATE, D7_ERR_IO, "is not a folder");
}

static void a_file_that_is_no_database_is_refused_and_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"hello", "SQLite format 3"};
    for (size_t i = 0; i < D7_COUNT(texts); i++) {
        char long_text[2048];
        memset(long_text, 'x', sizeof(long_text) - 1);
        long_text[sizeof(long_text) - 1] = '\0';
        memcpy(long_text, texts[i], strlen(texts[i]));
        (void)mkdir(stores_path("garbage"), 0700);
        put(stores_path("garbage/drop7.db"), i ? long_text : texts[i]);
        assert_refused(stores_path("garbage"), STORE_MIGRATE, D7_ERR_CORRUPT, "is not a database");
        assert_refused(stores_path("garbage"), STORE_OPEN, D7_ERR_CORRUPT, "is not a database");
        struct buf got;
        buf_init(&got, 4096);
        assert_int_equal(file_read(stores_path("garbage/drop7.db"), &got), D7_OK);
        assert_string_equal(got.data, i ? long_text : texts[i]);
        buf_release(&got);
    }
}

static void run_raw(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void another_programs_database_is_refused_and_left_alone(void **state)
{
    (void)state;
    (void)mkdir(stores_path("foreign"), 0700);
    run_raw(stores_path("foreign/drop7.db"), "CREATE TABLE t(x); PRAGMA user_version = 1");
    assert_refused(stores_path("foreign"), STORE_MIGRATE, D7_ERR_CORRUPT, "another program");
    assert_int_equal(access(stores_path("foreign/drop7.db-wal"), F_OK), -1);
}

static void a_newer_schema_is_refused_an_older_one_only_where_nobody_migrates(void **state)
{
    (void)state;
    store_close(stores_open("versions", STORE_MIGRATE));
    run_raw(stores_path("versions/drop7.db"), "PRAGMA user_version = 900");
    assert_refused(stores_path("versions"), STORE_OPEN, D7_ERR_VERSION, "has schema 900");
    assert_refused(stores_path("versions"), STORE_MIGRATE, D7_ERR_VERSION, "has schema 900");
    assert_refused(stores_path("versions"), STORE_SERVE, D7_ERR_VERSION, "has schema 900");
    run_raw(stores_path("versions/drop7.db"), "PRAGMA user_version = 0");
    assert_refused(stores_path("versions"), STORE_OPEN, D7_ERR_VERSION, "run drop7d migrate");
}

static void a_second_serve_is_refused_while_others_may_open(void **state)
{
    (void)state;
    struct store *first = stores_open("serve", STORE_SERVE);
    assert_refused(stores_path("serve"), STORE_SERVE, D7_ERR_BUSY, "another drop7d serve");
    struct store *worker = stores_open("serve", STORE_OPEN);
    store_close(worker);
    store_close(first);
    store_close(stores_open("serve", STORE_SERVE));
}

/* Runs fn in a child process; the child ends with fn's result. */
static pid_t spawn(int (*fn)(int ready), int ready)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(fn(ready));
    }
    return child;
}

static int serve_and_hang(int ready)
{
    struct store *st = NULL;
    if (store_open(stores_path("killed"), STORE_SERVE, &st, NULL) || fd_write_all(ready, "x", 1)) {
        return 1;
    }
    for (;;) {
        (void)pause();
    }
}

static void a_killed_serve_leaves_no_lock_behind(void **state)
{
    (void)state;
    (void)stores_path(""); /* made here, not in the child */
    int ready[2];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t child = spawn(serve_and_hang, ready[1]);
    (void)close(ready[1]);
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_refused(stores_path("killed"), STORE_SERVE, D7_ERR_BUSY, "another drop7d serve");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    store_close(stores_open("killed", STORE_SERVE));
    (void)close(ready[0]);
}

static int open_fresh(int go)
{
    char byte;
    (void)!read(go, &byte, 1); /* end of file: everybody starts now */
    struct store *st = NULL;
    struct d7_why why = {0};
    enum d7_err err = store_open(stores_path("together"), STORE_MIGRATE, &st, &why);
    if (err) {
        (void)fprintf(stderr, "%s\n", why.text);
    }
    store_close(st);
    return (int)err;
}

static void processes_that_open_a_fresh_folder_at_once_all_succeed(void **state)
{
    (void)state;
    (void)stores_path("");
    int go[2];
    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    pid_t children[4];
    for (size_t i = 0; i < D7_COUNT(children); i++) {
        children[i] = fork();
        if (children[i] == 0) {
            (void)close(go[1]);
            _exit(open_fresh(go[0]));
        }
    }
    (void)close(go[1]);
    for (size_t i = 0; i < D7_COUNT(children); i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    (void)close(go[0]);
    struct store *st = stores_open("together", STORE_OPEN);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM round"), 8);
    store_close(st);
}

/* --- artifacts ------------------------------------------------------------------------------ */

static void make_upload(const struct store *st, const char *text, char *ret_path, size_t size)
{
    char tmp[900];
    store_tmp_dir(st, tmp, sizeof(tmp));
    assert_true(snprintf(ret_path, size, "%s/upload", tmp) < (int)size);
    put(ret_path, text);
}

static void an_adopted_artifact_is_in_its_place_and_read_only(void **state)
{
    (void)state;
    struct store *st = stores_open("artifacts", STORE_MIGRATE);
    char temporary[1024];
    char path[1024];
    char sha[SHA_HEX_SIZE];
    sha_of(span_of("program"), sha);
    for (int again = 0; again < 2; again++) {
        make_upload(st, "program", temporary, sizeof(temporary));
        assert_int_equal(store_artifact_adopt(st, temporary, sha), D7_OK);
        assert_int_equal(access(temporary, F_OK), -1);
    }
    store_artifact_path(st, sha, path, sizeof(path));
    assert_int_equal(mode_of(path), 0555);
    struct buf got;
    buf_init(&got, 100);
    assert_int_equal(file_read(path, &got), D7_OK);
    assert_string_equal(got.data, "program");
    buf_release(&got);
    make_upload(st, "program", temporary, sizeof(temporary));
    assert_int_equal(store_artifact_adopt(st, temporary, "../../etc"), D7_ERR_INVALID);
    assert_int_equal(store_artifact_adopt(st, stores_path("missing"), sha), D7_ERR_NOT_FOUND);
    store_artifact_path(st, "../x", path, sizeof(path));
    assert_string_equal(path, "");
    store_close(st);
}

static void only_artifacts_no_revision_has_are_dropped(void **state)
{
    (void)state;
    struct store *st = stores_open("drop", STORE_MIGRATE);
    char temporary[1024];
    char path[1024];
    char sha[SHA_HEX_SIZE];
    char run[STORE_KEY_SIZE];
    sha_of(span_of("used"), sha); /* the content stores_upload() claims for this id */
    make_upload(st, "used", temporary, sizeof(temporary));
    assert_int_equal(store_artifact_adopt(st, temporary, sha), D7_OK);
    assert_int_equal(stores_upload(st, "used", stores_account(st, "ann"), NULL, run), D7_OK);
    assert_int_equal(store_artifact_drop(st, sha), D7_OK);
    store_artifact_path(st, sha, path, sizeof(path));
    assert_int_equal(access(path, R_OK), 0);
    sha_of(span_of("orphan"), sha);
    assert_int_equal(store_artifact_drop(st, sha), D7_OK); /* not there */
    make_upload(st, "orphan", temporary, sizeof(temporary));
    assert_int_equal(store_artifact_adopt(st, temporary, sha), D7_OK);
    assert_int_equal(store_artifact_drop(st, sha), D7_OK);
    store_artifact_path(st, sha, path, sizeof(path));
    assert_int_equal(access(path, F_OK), -1);
    store_close(st);
}

static void serve_clears_what_a_killed_one_left_half_done(void **state)
{
    (void)state;
    struct store *st = stores_open("sweep", STORE_SERVE);
    char temporary[1024];
    char orphan[1024];
    char used[1024];
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    sha_of(span_of("orphan"), sha);
    make_upload(st, "orphan", temporary, sizeof(temporary));
    assert_int_equal(store_artifact_adopt(st, temporary, sha), D7_OK);
    store_artifact_path(st, sha, orphan, sizeof(orphan));
    sha_of(span_of("used"), sha);
    make_upload(st, "used", temporary, sizeof(temporary));
    assert_int_equal(store_artifact_adopt(st, temporary, sha), D7_OK);
    store_artifact_path(st, sha, used, sizeof(used));
    assert_int_equal(stores_upload(st, "used", stores_account(st, "ann"), NULL, run), D7_OK);
    make_upload(st, "half", temporary, sizeof(temporary));
    store_close(st);
    store_close(stores_open("sweep", STORE_MIGRATE));
    assert_int_equal(access(temporary, F_OK), 0); /* only serve clears */
    store_close(stores_open("sweep", STORE_SERVE));
    assert_int_equal(access(temporary, F_OK), -1);
    assert_int_equal(access(orphan, F_OK), -1);
    assert_int_equal(access(used, F_OK), 0);
}

/* --- change counters ------------------------------------------------------------------------ */

static int64_t version_of(struct store *st, bool board)
{
    int64_t version = -1;
    assert_int_equal(board ? store_board_version(st, &version) : store_version(st, &version),
                     D7_OK);
    return version;
}

static void versions_grow_with_what_a_reader_could_see(void **state)
{
    (void)state;
    struct store *st = stores_open("changes", STORE_MIGRATE);
    struct store *other = stores_open("changes", STORE_OPEN);
    int64_t version = version_of(st, false);
    int64_t board = version_of(st, true);
    const struct worker_row worker = {.id = "w", .pid = 1, .tier = "A"};
    assert_int_equal(worker_register(st, &worker, 1), D7_OK);
    assert_int_equal(store_check(st), D7_OK);
    int64_t ann = stores_account(st, "ann");
    assert_int_equal(version_of(other, false), version);
    char run[STORE_KEY_SIZE];
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_OK);
    assert_true(version_of(other, false) > version);
    assert_true(version_of(other, true) > board);
    struct job job;
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    version = version_of(st, false);
    board = version_of(st, true);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(job_beat(st, job.id, job.lease, 5), D7_OK);
    assert_true(version_of(other, false) >= version + 2);
    assert_int_equal(version_of(other, true), board); /* progress moves no leaderboard */
    char game[STORE_KEY_SIZE];
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 1, game), D7_OK);
    assert_true(version_of(other, true) > board);
    version = version_of(st, false);
    assert_int_equal(stores_upload(st, "mine", ann, "gauntlet", run), D7_ERR_CONFLICT);
    assert_int_equal(version_of(other, false), version); /* rolled back with the rest */
    store_close(other);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_gone_takes_no_write_until_it_is_back),
        cmocka_unit_test(an_empty_folder_becomes_a_private_store_with_the_gauntlet),
        cmocka_unit_test(opening_what_is_not_there_says_so_and_makes_nothing),
        cmocka_unit_test(a_file_that_is_no_database_is_refused_and_left_alone),
        cmocka_unit_test(another_programs_database_is_refused_and_left_alone),
        cmocka_unit_test(a_newer_schema_is_refused_an_older_one_only_where_nobody_migrates),
        cmocka_unit_test(a_second_serve_is_refused_while_others_may_open),
        cmocka_unit_test(a_killed_serve_leaves_no_lock_behind),
        cmocka_unit_test(processes_that_open_a_fresh_folder_at_once_all_succeed),
        cmocka_unit_test(an_adopted_artifact_is_in_its_place_and_read_only),
        cmocka_unit_test(only_artifacts_no_revision_has_are_dropped),
        cmocka_unit_test(serve_clears_what_a_killed_one_left_half_done),
        cmocka_unit_test(versions_grow_with_what_a_reader_could_see),
    };
    int failed = cmocka_run_group_tests_name("unit/store/open", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
