/* store: every allocation SQLite makes is made to fail once; nothing is half-written. */
#include "tests/support/support.h"

#include "store/handle.h"
#include "store/play.h"
#include "store/revision.h"
#include "tests/support/stores.h"

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

struct scene {
    struct store *st;
    int64_t owner;
    unsigned number;
    struct job job;
};

static enum d7_err submit(struct scene *s)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return stores_upload(s->st, id, s->owner, "one", run);
}

static enum d7_err claim(struct scene *s)
{
    return stores_claim(s->st, &s->job);
}

static enum d7_err pass(struct scene *s)
{
    return stores_pass(s->st, &s->job);
}

static enum d7_err finish(struct scene *s)
{
    char id[STORE_KEY_SIZE];
    return stores_finish(s->st, &s->job, OUTCOME_OVER, 10, id);
}

static enum d7_err revise(struct scene *s)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    int64_t number = 0;
    struct quota_excess excess;
    const struct quota quota = {{1000, 1000, 100000, 1 << 20}};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    sha_of(span_of(id), sha);
    const struct revision_new_row row = {.policy_id = id,
                                         .sha256 = sha,
                                         .size_bytes = 10,
                                         .format = "elf",
                                         .suite_id = "one",
                                         .quota = &quota,
                                         .excess = &excess};
    return revision_add(s->st, &row, 5, &number, run);
}

static enum d7_err suspend(struct scene *s)
{
    char id[32];
    const struct policy_patch patch = {
        .name = "Other", .has_status = true, .status = POLICY_SUSPENDED};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return policy_patch(s->st, id, &patch);
}

static enum d7_err cancel(struct scene *s)
{
    char id[32];
    struct policy_row p = {0};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    enum d7_err err = policy_get(s->st, id, &p);
    return err ? err : run_cancel(s->st, p.latest_run_id, "", 6);
}

static enum d7_err retire(struct scene *s)
{
    char id[32];
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return policy_retire(s->st, id, 7);
}

static void name_play(const struct scene *s, char sha[SHA_HEX_SIZE])
{
    char name[32];
    (void)snprintf(name, sizeof(name), "play-%u", s->number);
    sha_of(span_of(name), sha);
}

static enum d7_err sit_down(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    name_play(s, sha);
    return play_add(s->st, sha, "gauntlet-01", NULL, 0, 10, 20);
}

static enum d7_err move(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    struct play_row p = {.columns = NULL};
    name_play(s, sha);
    enum d7_err err = play_get(s->st, sha, &p);
    if (!err) {
        err = play_move(s->st, &p, 3, 7, true, 11, 21);
    }
    play_release(&p);
    return err;
}

static enum d7_err hand_in(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    char id[STORE_KEY_SIZE];
    struct play_row p = {.columns = NULL};
    name_play(s, sha);
    enum d7_err err = play_get(s->st, sha, &p);
    if (!err) {
        const struct game_result r = {.columns = p.columns,
                                      .think_us = p.think_us,
                                      .moves = p.moves,
                                      .summary = {.moves = 1, .checksum = "0123456789abcdef"},
                                      .outcome = OUTCOME_OVER,
                                      .reason = ""};
        err = play_submit(s->st, &p, "Ann", &r, 12, id);
    }
    play_release(&p);
    return err;
}

static enum d7_err list(struct scene *s)
{
    struct store_page page = {.limit = 5};
    struct game_filter filter = {.sort = GAME_SORT_BEST};
    struct game_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = game_list(s->st, &filter, &page, &rows, &count);
    if (!err) {
        free(rows);
    }
    return err;
}

static enum d7_err board(struct scene *s)
{
    struct suite_row suite = {0};
    struct board_input in = {0};
    enum d7_err err = suite_get(s->st, NULL, &suite);
    if (!err) {
        err = game_board_input(s->st, &suite, POLICY_READY, &in);
    }
    board_input_release(&in);
    suite_release(&suite);
    return err;
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

static void set_scene(struct scene *s, const char *name)
{
    static const char *const rounds[] = {"gauntlet-01"};
    *s = (struct scene){.st = stores_open(name, STORE_MIGRATE)};
    assert_int_equal(sqlite3_exec(s->st->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(suite_add(s->st, "one", "One", true, rounds, 1, 1), D7_OK);
    s->owner = stores_account(s->st, "ann");
}

static void a_failed_allocation_leaves_nothing_half_done(void **state)
{
    (void)state;
    struct scene s;
    set_scene(&s, "writes");
    enum d7_err (*const steps[])(struct scene *) = {submit, claim, pass, claim, finish};
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
    set_scene(&s, "changes");
    enum d7_err (*const steps[])(struct scene *) = {revise, suspend, cancel, retire};
    size_t over = 0;
    for (s.number = 1; s.number <= 1000 && over < D7_COUNT(steps); s.number++) {
        over = 0;
        assert_int_equal(submit(&s), D7_OK);
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
    set_scene(&s, "plays");
    enum d7_err (*const steps[])(struct scene *) = {sit_down, move, hand_in};
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
    set_scene(&s, "reads");
    for (s.number = 1; s.number <= 6; s.number++) {
        assert_int_equal(submit(&s), D7_OK);
    }
    assert_int_equal(stores_drain(s.st, OUTCOME_OVER), 6);
    long nth = 0;
    bool over = false;
    while (!over && nth < 1000) {
        nth++;
        over = try_step(&s, list, nth);
        over = try_step(&s, board, nth) && over;
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
