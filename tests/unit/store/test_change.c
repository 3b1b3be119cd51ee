/* store/change: what nobody changed is known without asking the database, and what anybody changed
 * is never missed. */
#include "tests/support/stores.h"
#include "tests/support/support.h"

#include <sys/wait.h>

#include "store/handle.h"

static int teardown(void **state)
{
    (void)state;
    support_scratch_remove();
    return 0;
}

static int64_t version_of(struct store *st)
{
    int64_t version = -1;
    assert_int_equal(store_version(st, &version), D7_OK);
    return version;
}

static int64_t stored_version(struct store *st)
{
    return stores_number(st, "SELECT version FROM change WHERE id = 1");
}

static void bump(struct store *st)
{
    assert_int_equal(stores_change(st, "UPDATE change SET version = version + 1 WHERE id = 1"), 1);
}

static bool is_known(struct store *st)
{
    (void)version_of(st); /* the first look maps the header, the second knows it */
    (void)version_of(st);
    return st->change.header && st->change.known;
}

static void a_quiet_store_is_not_asked(void **state)
{
    (void)state;
    struct store *st = stores_open("quiet", STORE_MIGRATE);
    struct store *other = stores_open("quiet", STORE_OPEN);
    assert_true(is_known(st));
    /* behind the counters' back, and without a commit that could be seen: still the old answer */
    st->change.version = 4711;
    assert_int_equal(version_of(st), 4711);
    bump(other); /* a commit, and the database is asked again */
    assert_int_equal(version_of(st), stored_version(other));
    store_close(other);
    store_close(st);
}

static void every_commit_is_seen_at_once(void **state)
{
    (void)state;
    struct store *st = stores_open("seen", STORE_MIGRATE);
    struct store *other = stores_open("seen", STORE_OPEN);
    assert_true(is_known(st) && is_known(other));
    for (int i = 0; i < 300; i++) {
        struct store *writer = i % 3 ? other : st;
        int64_t before = version_of(st);
        bump(writer);
        assert_int_equal(version_of(st), before + 1);
        assert_int_equal(version_of(other), before + 1);
        if (i % 50 == 7) { /* the log starts over */
            assert_true(stores_change(st, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
            assert_int_equal(version_of(st), before + 1);
        }
    }
    store_close(other);
    store_close(st);
}

static void a_commit_of_another_process_is_seen_at_once(void **state)
{
    (void)state;
    struct store *st = stores_open("process", STORE_MIGRATE);
    store_close(st);
    int to[2];
    int from[2];
    assert_int_equal(pipe(to) | pipe(from), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store *mine = stores_open("process", STORE_OPEN);
        char c;
        while (read(to[0], &c, 1) == 1 && c == 'w') {
            bump(mine);
            (void)!write(from[1], &c, 1);
        }
        store_close(mine);
        _exit(0);
    }
    st = stores_open("process", STORE_OPEN);
    assert_true(is_known(st));
    char c = 'w';
    for (int i = 0; i < 100; i++) {
        int64_t before = version_of(st);
        assert_int_equal(write(to[1], &c, 1), 1);
        assert_int_equal(read(from[0], &c, 1), 1);
        assert_int_equal(version_of(st), before + 1);
    }
    c = 'q';
    assert_int_equal(write(to[1], &c, 1), 1);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    store_close(st);
}

static void what_is_rolled_back_is_no_change(void **state)
{
    (void)state;
    struct store *st = stores_open("back", STORE_MIGRATE);
    struct store *other = stores_open("back", STORE_OPEN);
    assert_true(is_known(st) && is_known(other));
    int64_t before = version_of(other);
    assert_true(stores_change(st, "BEGIN IMMEDIATE") >= 0);
    bump(st);
    assert_int_equal(version_of(other), before);
    assert_true(stores_change(st, "ROLLBACK") >= 0);
    assert_int_equal(version_of(other), before);
    assert_int_equal(version_of(st), before);
    store_close(other);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_store_is_not_asked),
        cmocka_unit_test(every_commit_is_seen_at_once),
        cmocka_unit_test(a_commit_of_another_process_is_seen_at_once),
        cmocka_unit_test(what_is_rolled_back_is_no_change),
    };
    return cmocka_run_group_tests_name("store/change", tests, NULL, teardown);
}
