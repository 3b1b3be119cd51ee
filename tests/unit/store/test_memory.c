/* store: every allocation SQLite makes is made to fail once; nothing is half-written. */
#include "tests/support/support.h"

#include "store/handle.h"
#include "tests/support/scene.h"

static sqlite3_mem_methods real;
static long countdown; /* the allocation to fail; 0: none */

static bool fails_now(void)
{
    return countdown > 0 && --countdown == 0;
}

static void *failing_malloc(int size)
{
    return fails_now() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *old, int size)
{
    return fails_now() ? NULL : real.xRealloc(old, size);
}

static void install(void)
{
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real), SQLITE_OK);
    static sqlite3_mem_methods mine;
    mine = real;
    mine.xMalloc = failing_malloc;
    mine.xRealloc = failing_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
    /* Or most small ones would never reach us. */
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

/* Fails the Nth allocation of the step; after a failure the same step must still succeed. Returns
 * whether the step was over before. */
static bool try_step(struct scene *s, enum d7_err (*step)(struct scene *), long nth)
{
    countdown = nth;
    enum d7_err err = step(s);
    bool over = countdown > 0;
    countdown = 0;
    if (err) {
        assert_int_equal(err, D7_ERR_NOMEM);
        assert_int_equal(step(s), D7_OK);
    }
    return over;
}

static void a_failed_allocation_leaves_nothing_half_done(void **state)
{
    (void)state;
    struct scene s;
    scene_set(&s, "writes");
    enum d7_err (*const steps[])(struct scene *) = {scene_submit, scene_claim, scene_pass,
                                                    scene_claim, scene_finish};
    size_t over = 0;
    for (s.number = 1; s.number <= 250; s.number++) {
        over = 0;
        for (size_t i = 0; i < D7_COUNT(steps); i++) {
            over += try_step(&s, steps[i], (long)s.number);
        }
    }
    assert_int_equal(over, D7_COUNT(steps)); /* each was tried past its last allocation */
    s.number--;
    stores_assert_consistent(s.st);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM game"), s.number);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM run WHERE status = 'done'"),
                     s.number);
    store_close(s.st);
}

static void a_failed_allocation_leaves_changes_whole_or_undone(void **state)
{
    (void)state;
    struct scene s;
    scene_set(&s, "changes");
    enum d7_err (*const steps[])(struct scene *) = {scene_revise, scene_suspend, scene_cancel,
                                                    scene_retire};
    size_t over = 0;
    for (s.number = 1; s.number <= 1000 && over < D7_COUNT(steps); s.number++) {
        over = 0;
        assert_int_equal(scene_submit(&s), D7_OK);
        for (size_t i = 0; i < D7_COUNT(steps); i++) {
            over += try_step(&s, steps[i], (long)s.number);
        }
    }
    assert_int_equal(over, D7_COUNT(steps));
    stores_assert_consistent(s.st);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM policy WHERE status <> 'retired'"),
                     0);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM revision"), 2 * (s.number - 1));
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM run WHERE status <> 'cancelled'"),
                     0);
    store_close(s.st);
}

static void a_failed_allocation_costs_no_move_of_a_play(void **state)
{
    (void)state;
    struct scene s;
    scene_set(&s, "plays");
    enum d7_err (*const steps[])(struct scene *) = {scene_sit_down, scene_move, scene_hand_in};
    size_t over = 0;
    for (s.number = 1; s.number <= 250 && over < D7_COUNT(steps); s.number++) {
        over = 0;
        for (size_t i = 0; i < D7_COUNT(steps); i++) {
            over += try_step(&s, steps[i], (long)s.number);
        }
    }
    assert_int_equal(over, D7_COUNT(steps));
    stores_assert_consistent(s.st);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM play WHERE status = 'submitted' "
                                         "AND game IS NOT NULL AND columns = x'03'"),
                     s.number - 1);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM game"), s.number - 1);
    store_close(s.st);
}

static void a_failed_allocation_only_fails_the_reading(void **state)
{
    (void)state;
    struct scene s;
    scene_set(&s, "reads");
    for (s.number = 1; s.number <= 6; s.number++) {
        assert_int_equal(scene_submit(&s), D7_OK);
    }
    assert_int_equal(stores_drain(s.st, OUTCOME_OVER), 6);
    long nth = 0;
    bool over = false;
    while (!over && nth < 1000) {
        nth++;
        over = try_step(&s, scene_list, nth);
        over = try_step(&s, scene_board, nth) && over;
    }
    assert_true(over && nth > 10);
    store_close(s.st);
}

static void a_store_that_cannot_be_opened_is_released(void **state)
{
    (void)state;
    store_close(stores_open("again", STORE_MIGRATE));
    bool over = false;
    for (long nth = 1; !over; nth += 29) {
        struct store *st = NULL;
        countdown = nth;
        /* SQLite calls some of these failures by other names. */
        enum d7_err err = store_open(stores_path("again"), STORE_MIGRATE, &st, NULL);
        over = countdown > 0;
        countdown = 0;
        assert_true((err == D7_OK) == (st != NULL));
        assert_true(!over || err == D7_OK);
        store_close(st);
    }
    store_close(stores_open("again", STORE_MIGRATE));
}

int main(void)
{
    install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_leaves_nothing_half_done),
        cmocka_unit_test(a_failed_allocation_leaves_changes_whole_or_undone),
        cmocka_unit_test(a_failed_allocation_costs_no_move_of_a_play),
        cmocka_unit_test(a_failed_allocation_only_fails_the_reading),
        cmocka_unit_test(a_store_that_cannot_be_opened_is_released),
    };
    int failed = cmocka_run_group_tests_name("unit/store/memory", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
