/* store: opening, migrating, locking, artifacts, change counters. */
#include "tests/support/support.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/fdio.h"
#include "store/handle.h"
#include "store/round.h"

static void path_of(char *to, size_t size, const char *name)
{
    assert_true(snprintf(to, size, "%s/%s", support_scratch(), name) < (int)size);
}

static struct store *open_or_fail(const char *dir, enum store_mode mode)
{
    struct store *st = NULL;
    struct d7_why why = {0};
    if (store_open(dir, mode, &st, &why)) {
        fail_msg("store_open: %s", why.text);
    }
    return st;
}

static void an_empty_folder_becomes_a_store_with_the_gauntlet(void **state)
{
    (void)state;
    char dir[512];
    path_of(dir, sizeof(dir), "empty");
    struct store *st = open_or_fail(dir, STORE_MIGRATE);
    struct suite_row suite = {0};
    assert_int_equal(suite_get(st, NULL, &suite), D7_OK);
    assert_string_equal(suite.id, "gauntlet");
    assert_int_equal(suite.round_count, 8);
    assert_string_equal(suite.round_ids[7], "gauntlet-08");
    suite_release(&suite);
    store_close(st);
    st = open_or_fail(dir, STORE_OPEN);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_folder_becomes_a_store_with_the_gauntlet),
    };
    int failed = cmocka_run_group_tests_name("unit/store/open", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
