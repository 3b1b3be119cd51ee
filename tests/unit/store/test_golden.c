/* Stores of every earlier schema (tests/golden, made by the programs of their time) open, migrate
 * and lose nothing. */
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "store/handle.h"
#include "store/migrate.h"
#include "tests/support/command.h"
#include "tests/support/stores.h"

/* A folder with the store that tests/golden/vN.sql describes; its name is static. */
static const char *unpack(int version)
{
    char path[64];
    char name[16];
    struct buf sql;
    sqlite3 *db = NULL;
    buf_init(&sql, 4u << 20);
    (void)snprintf(path, sizeof(path), "tests/golden/v%d.sql", version);
    assert_int_equal(file_read(path, &sql), D7_OK);
    buf_append(&sql, "", 1);
    assert_int_equal(sql.err, D7_OK);
    (void)snprintf(name, sizeof(name), "v%d", version);
    const char *folder = stores_path(name);
    assert_int_equal(mkdir(folder, 0700), 0);
    char file[600];
    (void)snprintf(file, sizeof(file), "%s/drop7.db", folder);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql.data, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    buf_release(&sql);
    return folder;
}

static void nothing_is_lost(int version)
{
    const char *folder = unpack(version);
    struct d7_why why = {{0}, {0}};
    struct store *st = NULL;
    bool is_old = version < store_schema_version();
    assert_int_equal(store_open(folder, STORE_OPEN, &st, &why), is_old ? D7_ERR_VERSION : D7_OK);
    store_close(st);
    st = NULL;
    if (store_open(folder, STORE_MIGRATE, &st, &why)) {
        fail_msg("v%d: %s", version, why.text);
    }
    stores_assert_consistent(st);
    assert_int_equal(stores_number(st, "PRAGMA user_version"), store_schema_version());
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE policy = 'match'"), 8);
    assert_int_equal(stores_number(st, "SELECT sum(score) FROM game"), 702562);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM policy WHERE status = 'rejected'"), 1);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM token"), 1);
    if (version >= 3) {
        assert_int_equal(stores_number(st, "SELECT count(*) FROM play"), 1);
    }
    store_close(st);

    char program[600];
    struct command_result r;
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7d"));
    const char *const verify[] = {program, "verify", "--data", folder, NULL};
    command_run(verify, NULL, &r);
    if (r.status || !strstr(r.out, "8")) {
        fail_msg("v%d: %d %s%s", version, r.status, r.out, r.err);
    }
    command_release(&r);
}

static void every_schema_of_the_past_migrates(void **state)
{
    (void)state;
    for (int version = 1; version <= store_schema_version(); version++) {
        nothing_is_lost(version); /* a file for each: a new migration brings its own */
    }
}

static int teardown(void **state)
{
    (void)state;
    support_scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schema_of_the_past_migrates),
    };
    return cmocka_run_group_tests_name("store/golden", tests, NULL, teardown);
}
