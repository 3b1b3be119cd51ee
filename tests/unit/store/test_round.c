/* store/round.h: rounds and suites. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *st;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "rounds-%u", number++);
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

static struct roundfile *generate(uint32_t seed, uint32_t moves, const char *id)
{
    struct roundfile *r = NULL;
    assert_int_equal(roundfile_generate(seed, moves, id, "A round", &r, NULL), D7_OK);
    return r;
}

static void assert_same_round(const struct roundfile *a, const struct roundfile *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->seed_hex, b->seed_hex);
    assert_int_equal(a->round.maximum_moves, b->round.maximum_moves);
    assert_int_equal(a->round.disc_count, b->round.disc_count);
    assert_int_equal(a->round.row_count, b->round.row_count);
    assert_memory_equal(a->round.discs, b->round.discs, a->round.disc_count);
    assert_memory_equal(a->round.rows, b->round.rows, (size_t)a->round.row_count * BOARD_COLUMNS);
}

static void the_gauntlet_comes_back_as_it_was_generated(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= ROUND_GAUNTLET_COUNT; k++) {
        struct roundfile *want = NULL;
        struct roundfile *got = NULL;
        assert_int_equal(roundfile_gauntlet(k, &want), D7_OK);
        assert_int_equal(round_get(st, want->id, &got), D7_OK);
        assert_same_round(want, got);
        roundfile_free(want);
        roundfile_free(got);
    }
    int64_t before = 0;
    int64_t after = 0;
    assert_int_equal(store_version(st, &before), D7_OK);
    assert_int_equal(round_install_gauntlet(st, 9), D7_OK); /* again: nothing to do */
    assert_int_equal(store_version(st, &after), D7_OK);
    assert_int_equal(before, after);
}

static void an_equal_round_is_fine_another_of_that_id_is_not(void **state)
{
    (void)state;
    struct roundfile *r = generate(7, 3, "mine");
    struct roundfile *other = generate(8, 3, "mine");
    struct roundfile *got = NULL;
    assert_int_equal(round_get(st, "mine", &got), D7_ERR_NOT_FOUND);
    assert_null(got);
    assert_int_equal(round_add(st, r, 1), D7_OK);
    assert_int_equal(round_add(st, r, 2), D7_OK);
    assert_int_equal(round_add(st, other, 3), D7_ERR_CONFLICT);
    assert_int_equal(round_get(st, "mine", &got), D7_OK);
    assert_same_round(r, got);
    roundfile_free(got);
    roundfile_free(r);
    roundfile_free(other);
}

static void a_damaged_round_is_never_handed_out(void **state)
{
    (void)state;
    struct roundfile *got = NULL;
    assert_int_equal(stores_change(st, "UPDATE round SET discs = zeroblob(2000) "
                                       "WHERE id = 'gauntlet-03'"),
                     1);
    assert_int_equal(round_get(st, "gauntlet-03", &got), D7_ERR_CORRUPT);
    assert_null(got);
}

static void rounds_are_listed_in_pages_by_id(void **state)
{
    (void)state;
    struct store_page page = {.limit = 3};
    size_t seen = 0;
    char last[STORE_ID_SIZE] = "";
    do {
        struct round_row *rows = NULL;
        size_t count = 0;
        assert_int_equal(round_list(st, &page, &rows, &count), D7_OK);
        for (size_t i = 0; i < count; i++) {
            assert_true(strcmp(rows[i].id, last) > 0);
            memcpy(last, rows[i].id, sizeof(last));
            assert_int_equal(rows[i].maximum_moves, 2000);
        }
        seen += count;
        free(rows);
        memcpy(page.cursor, page.next, sizeof(page.cursor));
    } while (page.next[0]);
    assert_int_equal(seen, 8);
    assert_string_equal(last, "gauntlet-08");
}

static void a_suite_needs_known_and_different_rounds(void **state)
{
    (void)state;
    static const char *const unknown[] = {"gauntlet-01", "no-such-round"};
    static const char *const twice[] = {"gauntlet-01", "gauntlet-01"};
    struct suite_row suite = {0};
    assert_int_equal(suite_add(st, "short", "Short", false, unknown, 2, 1), D7_ERR_NOT_FOUND);
    assert_int_equal(suite_add(st, "short", "Short", false, twice, 2, 1), D7_ERR_INVALID);
    assert_int_equal(suite_add(st, "short", "Short", false, twice, 0, 1), D7_ERR_INVALID);
    assert_int_equal(suite_get(st, "short", &suite), D7_ERR_NOT_FOUND); /* nothing half-stored */
}

static void a_suite_keeps_its_order_and_its_id_is_taken(void **state)
{
    (void)state;
    static const char *const rounds[] = {"gauntlet-05", "gauntlet-02"};
    struct suite_row suite = {0};
    assert_int_equal(suite_add(st, "short", "Short", false, rounds, 2, 1), D7_OK);
    assert_int_equal(suite_add(st, "short", "Short", false, rounds, 2, 1), D7_ERR_CONFLICT);
    assert_int_equal(suite_get(st, "short", &suite), D7_OK);
    assert_int_equal(suite.round_count, 2);
    assert_string_equal(suite.round_ids[0], "gauntlet-05");
    assert_false(suite.is_default);
    suite_release(&suite);
}

static void there_is_one_default_suite(void **state)
{
    (void)state;
    static const char *const rounds[] = {"gauntlet-05"};
    struct suite_row suite = {0};
    assert_int_equal(suite_add(st, "new", "New", true, rounds, 1, 1), D7_OK);
    assert_int_equal(suite_get(st, NULL, &suite), D7_OK);
    assert_string_equal(suite.id, "new");
    suite_release(&suite);
    struct store_page page = {.limit = 1};
    struct suite_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(suite_list(st, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].id, "gauntlet");
    assert_int_equal(rows[0].round_count, 8);
    assert_false(rows[0].is_default);
    suite_release(&rows[0]);
    free(rows);
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    assert_int_equal(suite_list(st, &page, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].id, "new");
    assert_string_equal(page.next, "");
    suite_release(&rows[0]);
    free(rows);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        CASE(the_gauntlet_comes_back_as_it_was_generated),
        CASE(an_equal_round_is_fine_another_of_that_id_is_not),
        CASE(a_damaged_round_is_never_handed_out),
        CASE(rounds_are_listed_in_pages_by_id),
        CASE(a_suite_needs_known_and_different_rounds),
        CASE(a_suite_keeps_its_order_and_its_id_is_taken),
        CASE(there_is_one_default_suite),
    };
    int failed = cmocka_run_group_tests_name("unit/store/round", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
