/* store: whatever call to the kernel, the allocator or SQLite fails, in whichever place: what was
 * to be done is done or undone, the store is whole, and the same goes well afterwards. */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/support.h"

#include "engine/base/fdio.h"
#include "store/backup.h"
#include "store/figures.h"
#include "store/handle.h"
#include "store/play.h"
#include "store/revision.h"
#include "tests/support/faults.h"
#include "tests/support/scene.h"

typedef enum d7_err (*step)(struct scene *s);

static const enum faults_kind kinds[] = {FAULTS_MEMORY, FAULTS_DISK, FAULTS_SQL};

/* Whether the step was over before its nth call. */
static bool try_step(struct scene *s, enum faults_kind kind, step run, long nth)
{
    faults_arm(kind, nth);
    enum d7_err err = run(s);
    bool fired = faults_disarm();
    if (err) {
        assert_true(fired);
        assert_int_equal(run(s), D7_OK);
    }
    return !fired;
}

/* Runs the steps in turn, each with its nth call failing, for n = 1, 2, ... until none has an nth.
 * before: prepares what they are about, without a fault; may be NULL. Returns n. */
static unsigned try_all(struct scene *s, enum faults_kind kind, step before, const step *steps,
                        size_t count)
{
    size_t over = 0;
    unsigned n = 0;
    while (over < count) {
        n++;
        s->number++;
        over = 0;
        assert_true(n < 5000);
        if (before) {
            assert_int_equal(before(s), D7_OK);
        }
        for (size_t i = 0; i < count; i++) {
            over += try_step(s, kind, steps[i], n);
        }
    }
    stores_assert_consistent(s->st);
    return n;
}

static void set(struct scene *s, const char *name, size_t kind)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%s-%zu", name, kind);
    scene_set(s, text);
}

static void a_failing_call_leaves_a_game_played_or_to_be_played(void **state)
{
    (void)state;
    static const step steps[] = {scene_submit, scene_claim, scene_pass, scene_claim, scene_finish};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        struct scene s;
        set(&s, "games", k);
        unsigned n = try_all(&s, kinds[k], NULL, steps, D7_COUNT(steps));
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM game"), n);
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM run WHERE status = 'done'"), n);
        store_close(s.st);
    }
}

static void a_failing_call_leaves_changes_whole_or_undone(void **state)
{
    (void)state;
    static const step steps[] = {scene_revise, scene_suspend, scene_cancel, scene_retire};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        struct scene s;
        set(&s, "changes", k);
        unsigned n = try_all(&s, kinds[k], scene_submit, steps, D7_COUNT(steps));
        assert_int_equal(
            stores_number(s.st, "SELECT count(*) FROM policy WHERE status = 'retired'"), n);
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM revision"), 2 * n);
        store_close(s.st);
    }
}

static void a_failing_call_costs_no_move_of_a_play(void **state)
{
    (void)state;
    static const step steps[] = {scene_sit_down, scene_move, scene_hand_in};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        struct scene s;
        set(&s, "plays", k);
        unsigned n = try_all(&s, kinds[k], NULL, steps, D7_COUNT(steps));
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM game"), n);
        store_close(s.st);
    }
}

/* --- rounds, suites, accounts, plays that end by themselves ------------------------------------
 */

static enum d7_err add_round(struct scene *s)
{
    struct roundfile *r = NULL;
    struct d7_why why;
    char id[32];
    (void)snprintf(id, sizeof(id), "round-%u", s->number);
    enum d7_err err = roundfile_generate(s->number, 25, id, NULL, &r, &why);
    err = err ? err : round_add(s->st, r, 1);
    roundfile_free(r);
    return err;
}

static enum d7_err add_suite(struct scene *s)
{
    char id[32], round[32];
    const char *const rounds[] = {"gauntlet-01", round};
    (void)snprintf(id, sizeof(id), "suite-%u", s->number);
    (void)snprintf(round, sizeof(round), "round-%u", s->number);
    return suite_add(s->st, id, "Suite", false, rounds, 2, 1);
}

static enum d7_err add_token(struct scene *s)
{
    char name[32], sha[SHA_HEX_SIZE], id[STORE_KEY_SIZE];
    struct account account;
    (void)snprintf(name, sizeof(name), "person-%u", s->number);
    sha_of(span_of(name), sha);
    enum d7_err err = account_by_token(s->st, sha, &account);
    if (err == D7_ERR_NOT_FOUND) {
        err = account_token_add(s->st, name, false, false, sha, 1, id);
    }
    return err ? err : token_used(s->st, sha, 2);
}

static enum d7_err expire(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    struct play_row p = {.columns = NULL};
    enum d7_err err = play_next_due(s->st, 1000, sha);
    if (err == D7_ERR_NOT_FOUND) {
        return D7_OK;
    }
    err = err ? err : play_get(s->st, sha, &p);
    if (!err) {
        err = play_expire(s->st, &p, NULL, 1000);
    }
    play_release(&p);
    return err ? err : play_forget(s->st, 1);
}

static void a_failing_call_leaves_rounds_suites_and_people_whole(void **state)
{
    (void)state;
    static const step steps[] = {add_round, add_suite, add_token, expire};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        struct scene s;
        set(&s, "rest", k);
        unsigned n = try_all(&s, kinds[k], scene_sit_down, steps, D7_COUNT(steps));
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM suite WHERE id LIKE 'suite-%'"),
                         n);
        assert_int_equal(stores_number(s.st, "SELECT count(*) FROM token"), n + 1);
        store_close(s.st);
    }
}

/* --- reading -----------------------------------------------------------------------------------
 */

static enum d7_err read_lists(struct scene *s)
{
    struct store_page page[4] = {{.limit = 2}, {.limit = 2}, {.limit = 2}, {.limit = 2}};
    const struct policy_filter any = {.has_kind = false};
    struct policy_row *policies = NULL;
    struct round_row *rounds = NULL;
    struct suite_row *suites = NULL;
    struct revision *revisions = NULL;
    size_t count[4] = {0};
    enum d7_err err = policy_list(s->st, &any, &page[0], &policies, &count[0]);
    err = err ? err : round_list(s->st, &page[1], &rounds, &count[1]);
    err = err ? err : suite_list(s->st, &page[2], &suites, &count[2]);
    err = err ? err : revision_list(s->st, "p-1", &page[3], &revisions, &count[3]);
    assert_true(err || (count[0] == 2 && count[1] == 2 && count[2] == 2 && count[3] == 1));
    free(policies);
    free(rounds);
    for (size_t i = 0; i < count[2]; i++) {
        suite_release(&suites[i]);
    }
    free(suites);
    free(revisions);
    return err;
}

static enum d7_err read_runs(struct scene *s)
{
    struct store_page page = {.limit = 2};
    const struct run_filter any = {.has_status = false};
    struct run_row *runs = NULL;
    struct run_round *rounds = NULL;
    struct run_row one;
    size_t count = 0, round_count = 0;
    enum d7_err err = run_list(s->st, &any, &page, &runs, &count);
    err = err ? err : run_get(s->st, runs[0].id, &one);
    err = err ? err : run_rounds(s->st, runs[0].id, &rounds, &round_count);
    assert_true(err || (count == 2 && round_count == 1));
    free(runs);
    free(rounds);
    return err;
}

static enum d7_err read_people(struct scene *s)
{
    struct token_row *tokens = NULL;
    struct game_row *best = NULL;
    char *log = NULL;
    size_t count = 0, best_count = 0, log_len = 0;
    enum d7_err err = token_list(s->st, &tokens, &count);
    err = err ? err : play_best_games(s->st, "gauntlet-01", 3, &best, &best_count);
    err = err ? err : revision_log(s->st, "p-1", 1, &log, &log_len);
    assert_true(err || count == 1);
    free(tokens);
    free(best);
    free(log);
    return err;
}

static enum d7_err read_figures(struct scene *s)
{
    struct game_totals totals = {0};
    struct job_figures jobs;
    struct store_sizes sizes;
    struct roundfile *round = NULL;
    enum d7_err err = game_totals_add(s->st, &totals);
    err = err ? err : job_figures_get(s->st, &jobs);
    err = err ? err : store_sizes_get(s->st, &sizes);
    err = err ? err : round_get(s->st, "gauntlet-01", &round);
    assert_true(err || totals.over == 7);
    roundfile_free(round);
    return err ? err : store_check(s->st);
}

static void a_failing_call_only_fails_the_reading(void **state)
{
    (void)state;
    static const step steps[] = {scene_list, scene_board, read_lists,
                                 read_runs,  read_people, read_figures};
    struct scene s;
    scene_set(&s, "reads");
    for (s.number = 1; s.number <= 6; s.number++) {
        assert_int_equal(scene_submit(&s), D7_OK);
    }
    assert_int_equal(stores_drain(s.st, OUTCOME_OVER), 6);
    assert_int_equal(scene_sit_down(&s), D7_OK);
    assert_int_equal(scene_move(&s), D7_OK);
    assert_int_equal(scene_hand_in(&s), D7_OK);
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        (void)try_all(&s, kinds[k], NULL, steps, D7_COUNT(steps));
    }
    store_close(s.st);
}

/* --- files -------------------------------------------------------------------------------------
 */

/* A finished upload beside the store. By stdio: its calls are the C library's own, which no fault
 * reaches. */
static void write_upload(const struct scene *s, char *path, size_t size, char sha[SHA_HEX_SIZE])
{
    static unsigned written; /* one that was not adopted may be read-only already */
    char folder[1000], text[32];
    (void)snprintf(text, sizeof(text), "p-%u", s->number);
    sha_of(span_of(text), sha);
    store_tmp_dir(s->st, folder, sizeof(folder));
    assert_true(snprintf(path, size, "%s/upload-%u", folder, ++written) < (int)size);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
}

static enum d7_err adopt(struct scene *s)
{
    char path[1100], sha[SHA_HEX_SIZE];
    write_upload(s, path, sizeof(path), sha);
    return store_artifact_adopt(s->st, path, sha);
}

static enum d7_err drop(struct scene *s)
{
    char text[32], sha[SHA_HEX_SIZE];
    (void)snprintf(text, sizeof(text), "p-%u", s->number);
    sha_of(span_of(text), sha);
    return store_artifact_drop(s->st, sha);
}

static void a_failing_call_leaves_an_artifact_there_or_not(void **state)
{
    (void)state;
    static const step steps[] = {adopt, drop};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        struct scene s;
        set(&s, "artifacts", k);
        (void)try_all(&s, kinds[k], NULL, steps, D7_COUNT(steps));
        store_close(s.st);
    }
}

static void copy_path(const struct scene *s, char *ret, size_t size)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "copy-%p-%u", (void *)s->st, s->number);
    assert_int_equal(span_copy(span_of(stores_path(name)), ret, size), D7_OK);
}

static struct scene backup_scene(const char *name)
{
    struct scene s;
    scene_set(&s, name);
    for (s.number = 1; s.number <= 2; s.number++) {
        assert_int_equal(adopt(&s), D7_OK);
        assert_int_equal(scene_submit(&s), D7_OK);
    }
    return s;
}

static struct store *opened(const char *folder)
{
    struct store *st = NULL;
    assert_int_equal(store_open(folder, STORE_SERVE, &st, NULL), D7_OK);
    stores_assert_consistent(st);
    return st;
}

static void a_backup_that_fails_is_none(void **state)
{
    (void)state;
    static const enum faults_kind all[] = {FAULTS_MEMORY, FAULTS_DISK, FAULTS_LASTING, FAULTS_SQL};
    struct scene s = backup_scene("source");
    for (size_t k = 0; k < D7_COUNT(all); k++) {
        bool over = false;
        for (long n = 1; !over; n++) {
            char path[PATH_MAX], file[PATH_MAX + 16];
            struct backup_report report = {0};
            struct d7_why why = {0};
            s.number++;
            copy_path(&s, path, sizeof(path));
            faults_arm(all[k], n);
            enum d7_err err = store_backup(s.st, path, &report, &why);
            over = !faults_disarm();
            assert_true(!err || (!over && why.text[0]));
            (void)snprintf(file, sizeof(file), "%s/drop7.db", path);
            bool is_there = access(file, F_OK) == 0;
            /* a disk that stays away after the last step: the copy is whole, and cannot be removed
             */
            assert_true(err ? !is_there || all[k] == FAULTS_LASTING : is_there);
            if (is_there) {
                store_close(opened(path));
            }
            assert_true(err || report.artifacts + report.missing == 2);
            if (err && all[k] != FAULTS_LASTING) { /* nothing is left of it */
                assert_int_equal(rmdir(path) < 0 ? errno : 0, ENOENT);
            }
            support_remove(path);
        }
    }
    stores_assert_consistent(s.st);
    store_close(s.st);
}

/* --- opening -----------------------------------------------------------------------------------
 */

/* A store as the first program made it. */
static void unpack_first(const char *folder)
{
    char file[PATH_MAX + 16];
    struct buf sql;
    sqlite3 *db = NULL;
    buf_init(&sql, 4u << 20);
    assert_int_equal(file_read("tests/golden/v1.sql", &sql), D7_OK);
    buf_append(&sql, "", 1);
    assert_int_equal(mkdir(folder, 0700), 0);
    (void)snprintf(file, sizeof(file), "%s/drop7.db", folder);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql.data, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    buf_release(&sql);
}

static void a_store_that_cannot_be_opened_is_left_as_it_was(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        bool over = false;
        for (long n = 1; !over; n++) {
            struct store *st = NULL;
            struct d7_why why = {0};
            char folder[PATH_MAX], name[32];
            (void)snprintf(name, sizeof(name), "first-%zu-%ld", k, n);
            assert_int_equal(span_copy(span_of(stores_path(name)), folder, sizeof(folder)), D7_OK);
            unpack_first(folder);
            faults_arm(kinds[k], n);
            enum d7_err err = store_open(folder, STORE_SERVE, &st, &why);
            over = !faults_disarm();
            assert_int_equal(err != D7_OK, st == NULL);
            if (err && (over || !(why.text[0] || err == D7_ERR_NOMEM))) {
                fail_msg("kind %zu, call %ld: error %d, '%s'", k, n, (int)err, why.text);
            }
            store_close(st);
            st = stores_open(name, STORE_SERVE);
            assert_int_equal(stores_number(st, "SELECT count(*) FROM game WHERE policy = 'match'"),
                             8);
            store_close(st);
            support_remove(folder);
        }
    }
}

static void an_interrupted_call_is_made_again(void **state)
{
    (void)state;
    struct scene s = backup_scene("patient");
    for (long every = 2; every <= 4; every++) { /* every single one would never end */
        s.number++;
        faults_arm(FAULTS_INTERRUPT, every);
        assert_int_equal(adopt(&s), D7_OK);
        assert_int_equal(drop(&s), D7_OK);
        assert_int_equal(scene_submit(&s), D7_OK);
        (void)faults_disarm();
    }
    store_close(s.st);
    for (long every = 2; every <= 4; every++) {
        struct store *st = NULL;
        faults_arm(FAULTS_INTERRUPT, every);
        assert_int_equal(store_open(stores_path("patient"), STORE_SERVE, &st, NULL), D7_OK);
        (void)faults_disarm();
        store_close(st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_call_leaves_a_game_played_or_to_be_played),
        cmocka_unit_test(a_failing_call_leaves_changes_whole_or_undone),
        cmocka_unit_test(a_failing_call_costs_no_move_of_a_play),
        cmocka_unit_test(a_failing_call_leaves_rounds_suites_and_people_whole),
        cmocka_unit_test(a_failing_call_only_fails_the_reading),
        cmocka_unit_test(a_failing_call_leaves_an_artifact_there_or_not),
        cmocka_unit_test(a_backup_that_fails_is_none),
        cmocka_unit_test(a_store_that_cannot_be_opened_is_left_as_it_was),
        cmocka_unit_test(an_interrupted_call_is_made_again),
    };
    int failed = cmocka_run_group_tests_name("unit/store/faults", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
