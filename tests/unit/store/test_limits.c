/* store: names, reasons, counts and folders at and over their limits. */
#include "tests/support/support.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "store/backup.h"
#include "store/handle.h"
#include "store/play.h"
#include "tests/support/scene.h"

static void a_folder_whose_name_is_too_long_is_refused(void **state)
{
    (void)state;
    struct store *st = NULL, *source = stores_open("source", STORE_MIGRATE);
    struct backup_report report;
    /* the scratch folder by a longer and longer name: ...././././x */
    char name[PATH_MAX + 100];
    size_t at = strlen(stores_path("long"));
    assert_int_equal(mkdir(stores_path("long"), 0700), 0);
    (void)snprintf(name, sizeof(name), "%s", stores_path("long"));
    unsigned refused = 0;
    for (; at + 2 < PATH_MAX + 90; at += 2) {
        memcpy(name + at, "/.", 3);
        if (at < PATH_MAX - 120) {
            continue;
        }
        struct d7_why why = {0}, other = {0};
        enum d7_err err = store_open(name, STORE_SERVE, &st, &why);
        assert_int_equal(err != D7_OK, why.text[0] != '\0');
        assert_int_equal(err != D7_OK, st == NULL);
        refused += err != D7_OK;
        store_close(st);
        st = NULL;
        assert_int_not_equal(store_backup(source, name, &report, &other), D7_OK); /* not empty */
        assert_true(other.text[0]);
    }
    assert_true(refused >= 45); /* those over PATH_MAX, and those that leave no room for a name */
    assert_int_not_equal(store_backup(source, "/nowhere/at/all", &report, NULL), D7_OK);
    assert_null(st);
    store_close(source);
    store_close(NULL);
}

static void an_artifact_is_named_by_a_sha256_and_by_nothing_else(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "../../../../etc/passwd",
        "0123456789abcdef",
        "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde/",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg",
    };
    struct store *st = stores_open("names", STORE_MIGRATE);
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        char path[PATH_MAX] = "x";
        store_artifact_path(st, names[i], path, sizeof(path));
        assert_string_equal(path, "");
        assert_int_equal(store_artifact_drop(st, names[i]), D7_ERR_INVALID);
        assert_int_equal(store_artifact_adopt(st, "/nowhere", names[i]), D7_ERR_INVALID);
    }
    char small[8];
    store_tmp_dir(st, small, sizeof(small));
    assert_string_equal(small, "");
    store_close(st);
}

/* What is in artifacts/ and is none is somebody else's: left alone when the folder is swept. */
static void what_is_no_artifact_is_not_swept(void **state)
{
    (void)state;
    store_close(stores_open("swept", STORE_SERVE));
    static const char *const kept[] = {"swept/artifacts/README", "swept/artifacts/ab/notes"};
    static const char stray[] =
        "swept/artifacts/ab/ab23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    assert_int_equal(mkdir(stores_path("swept/artifacts/ab"), 0700), 0);
    for (size_t i = 0; i < D7_COUNT(kept); i++) {
        assert_int_equal(file_write(stores_path(kept[i]), span_of("x"), 0600), D7_OK);
    }
    assert_int_equal(file_write(stores_path(stray), span_of("x"), 0600), D7_OK);
    assert_int_equal(mkdir(stores_path("swept/tmp/deep"), 0700), 0);
    store_close(stores_open("swept", STORE_SERVE));
    for (size_t i = 0; i < D7_COUNT(kept); i++) {
        assert_int_equal(access(stores_path(kept[i]), F_OK), 0);
    }
    assert_int_equal(access(stores_path(stray), F_OK), -1);
}

static struct scene scene_with_game(const char *name, char id[STORE_KEY_SIZE])
{
    struct scene s;
    scene_set(&s, name);
    s.number = 1;
    assert_int_equal(scene_submit(&s), D7_OK);
    assert_int_equal(scene_claim(&s), D7_OK);
    assert_int_equal(scene_pass(&s), D7_OK);
    assert_int_equal(scene_claim(&s), D7_OK);
    assert_int_equal(stores_finish(s.st, &s.job, OUTCOME_OVER, 10, id), D7_OK);
    return s;
}

static void a_game_is_void_once_and_for_a_reason_of_some_length(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE], reason[10000];
    struct scene s = scene_with_game("void", id);
    memset(reason, 'x', sizeof(reason) - 1);
    reason[sizeof(reason) - 1] = '\0';
    assert_int_equal(game_void(s.st, id, reason, 5), D7_ERR_INVALID);
    assert_int_equal(game_void(s.st, "none", "why", 5), D7_ERR_NOT_FOUND);
    assert_int_equal(stores_number(s.st, "SELECT sum(counted) FROM game"), 1);
    assert_int_equal(game_void(s.st, id, "why", 5), D7_OK);
    assert_int_equal(game_void(s.st, id, "another", 6), D7_OK);
    assert_int_equal(stores_number(s.st, "SELECT sum(counted) FROM game"), 0);
    store_close(s.st);
}

static void a_check_that_failed_says_why_in_some_words(void **state)
{
    (void)state;
    char text[10000];
    struct scene s;
    scene_set(&s, "checks");
    s.number = 1;
    assert_int_equal(scene_submit(&s), D7_OK);
    assert_int_equal(scene_claim(&s), D7_OK);
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    const struct check_outcome bad[] = {
        {.reason_code = NULL, .reason_message = "why"},
        {.reason_code = "code", .reason_message = NULL},
        {.reason_code = text, .reason_message = "why"},
        {.reason_code = "code", .reason_message = text},
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(job_finish_check(s.st, &s.job, &bad[i], 5), D7_ERR_INVALID);
    }
    const struct check_outcome good = {
        .reason_code = "code", .reason_message = "why", .log = span_make(text, sizeof(text) - 1)};
    assert_int_equal(job_finish_check(s.st, &s.job, &good, 5), D7_OK);
    assert_int_equal(stores_number(s.st, "SELECT count(*) FROM policy WHERE status = 'rejected'"),
                     1);
    store_close(s.st);
}

/* What an author need not say is empty, not missing. */
static void a_policy_needs_no_family_and_no_description(void **state)
{
    (void)state;
    char run[STORE_KEY_SIZE];
    struct policy_row p;
    struct scene s;
    const struct policy_new_row row = {
        .id = "bare", .name = "Bare", .kind = KIND_BUILTIN, .concurrency = 1};
    scene_set(&s, "bare");
    assert_int_equal(policy_add(s.st, &row, 1, run), D7_OK);
    assert_int_equal(policy_get(s.st, "bare", &p), D7_OK);
    assert_string_equal(p.family, "");
    assert_string_equal(p.description, "");
    assert_string_equal(run, "");
    store_close(s.st);
}

static void plays_and_lists_keep_to_their_counts(void **state)
{
    (void)state;
    struct game_row *rows = NULL;
    size_t count = 0;
    char id[STORE_KEY_SIZE], sha[SHA_HEX_SIZE];
    struct scene s = scene_with_game("counts", id);
    assert_int_equal(play_best_games(s.st, "gauntlet-01", 0, &rows, &count), D7_ERR_INVALID);
    assert_int_equal(play_best_games(s.st, "gauntlet-01", STORE_LIST_MAX + 1, &rows, &count),
                     D7_ERR_INVALID);
    struct play_row p = {.columns = NULL};
    assert_int_equal(scene_sit_down(&s), D7_OK);
    assert_int_equal(play_next_due(s.st, 1000, sha), D7_OK);
    assert_int_equal(play_get(s.st, sha, &p), D7_OK);
    assert_int_equal(play_move(s.st, &p, 7, 1, false, 11, 21), D7_ERR_INVALID);
    play_release(&p);
    assert_string_equal(play_status_text((enum play_status)99), "unknown");
    assert_string_equal(run_status_text((enum run_status)99), "unknown");
    assert_string_equal(quota_thing_text((enum quota_thing)99), "unknown");
    store_close(s.st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_whose_name_is_too_long_is_refused),
        cmocka_unit_test(an_artifact_is_named_by_a_sha256_and_by_nothing_else),
        cmocka_unit_test(what_is_no_artifact_is_not_swept),
        cmocka_unit_test(a_game_is_void_once_and_for_a_reason_of_some_length),
        cmocka_unit_test(a_check_that_failed_says_why_in_some_words),
        cmocka_unit_test(a_policy_needs_no_family_and_no_description),
        cmocka_unit_test(plays_and_lists_keep_to_their_counts),
    };
    int failed = cmocka_run_group_tests_name("unit/store/limits", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
