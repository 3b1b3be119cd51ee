/* store/backup: a copy of a store in use is whole, settled and usable, or it is not there. */
#include "tests/support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/fdio.h"
#include "store/backup.h"
#include "store/handle.h"
#include "tests/support/stores.h"

/* An uploaded policy whose artifact is there; its path, static. */
static const char *upload_with_file(struct store *st, const char *id, int64_t owner)
{
    static char path[PATH_MAX];
    char sha[SHA_HEX_SIZE], run[STORE_KEY_SIZE], folder[1000], tmp[1100];
    sha_of(span_of(id), sha); /* as stores_upload names it */
    store_tmp_dir(st, folder, sizeof(folder));
    (void)snprintf(tmp, sizeof(tmp), "%s/upload", folder);
    assert_int_equal(file_write(tmp, span_of(id), 0600), D7_OK); /* its contents are its id */
    assert_int_equal(store_artifact_adopt(st, tmp, sha), D7_OK);
    assert_int_equal(stores_upload(st, id, owner, "gauntlet", run), D7_OK);
    store_artifact_path(st, sha, path, sizeof(path));
    return path;
}

static void path_of_copy(const char *dir, const char *id, char *ret, size_t size)
{
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(id), sha);
    assert_true(snprintf(ret, size, "%s/artifacts/%.2s/%s", dir, sha, sha) < (int)size);
}

static size_t entries(const char *dir)
{
    DIR *folder = opendir(dir);
    assert_non_null(folder);
    size_t count = 0;
    for (struct dirent *e = NULL; (e = readdir(folder));) {
        count += e->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

static void backup(struct store *st, const char *dir, struct backup_report *ret)
{
    struct d7_why why = {0};
    if (store_backup(st, dir, ret, &why)) {
        fail_msg("store_backup: %s", why.text);
    }
}

static void a_copy_has_everything_and_nobody_is_at_work_in_it(void **state)
{
    (void)state;
    struct store *st = stores_open("whole", STORE_SERVE);
    struct backup_report report = {0};
    struct job job;
    int64_t owner = stores_account(st, "somebody");
    (void)upload_with_file(st, "first", owner);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 8);
    (void)upload_with_file(st, "second", owner);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    struct worker_row worker = {.id = "w", .pid = 1, .tier = "A"};
    assert_int_equal(worker_register(st, &worker, 1), D7_OK);

    backup(st, stores_path("whole-copy"), &report);
    assert_int_equal(report.artifacts, 2);
    assert_int_equal(report.missing, 0);
    struct stat at;
    assert_int_equal(stat(stores_path("whole-copy/drop7.db"), &at), 0);
    assert_int_equal(report.db_bytes, at.st_size);
    assert_int_equal(at.st_mode & 07777, 0600);
    assert_int_equal(entries(stores_path("whole-copy")), 3); /* drop7.db, artifacts, tmp */

    /* the store goes on, and the copy is another one */
    char game[STORE_KEY_SIZE];
    assert_int_equal(stores_finish(st, &job, OUTCOME_OVER, 1, game), D7_OK);
    struct store *copy = stores_open("whole-copy", STORE_SERVE);
    assert_int_equal(stores_number(copy, "SELECT count(*) FROM game"), 8);
    assert_int_equal(stores_number(copy, "SELECT count(*) FROM worker"), 0);
    assert_int_equal(stores_number(copy, "SELECT count(*) FROM job WHERE state = 'playing'"), 0);
    assert_int_equal(stores_number(copy, "SELECT max(attempts) FROM job"), 0);
    stores_assert_consistent(copy);
    char path[PATH_MAX];
    path_of_copy(stores_path("whole-copy"), "second", path, sizeof(path));
    assert_int_equal(stat(path, &at), 0);
    assert_int_equal(at.st_nlink, 2); /* one file system: no second copy of the bytes */
    assert_int_equal(stores_drain(copy, OUTCOME_OVER), 8);
    stores_assert_consistent(copy);
    store_close(copy);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 7);
    stores_assert_consistent(st);
    store_close(st);
}

static void a_folder_with_anything_in_it_is_left_alone(void **state)
{
    (void)state;
    struct store *st = stores_open("picky", STORE_MIGRATE);
    struct backup_report report = {0};
    struct d7_why why = {0};
    const char *target = stores_path("picky-copy");
    assert_int_equal(mkdir(target, 0755), 0);
    assert_int_equal(file_write(stores_path("picky-copy/mine"), span_of("x"), 0644), D7_OK);
    assert_int_equal(store_backup(st, target, &report, &why), D7_ERR_CONFLICT);
    assert_non_null(strstr(why.text, "not empty"));
    assert_int_equal(entries(target), 1);
    assert_int_equal(unlink(stores_path("picky-copy/mine")), 0);
    backup(st, target, &report); /* empty is as good as absent */
    assert_int_equal(store_backup(st, target, &report, &why), D7_ERR_CONFLICT);
    assert_int_equal(entries(target), 3);
    assert_int_equal(store_backup(st, stores_path("no/such/folder"), &report, &why),
                     D7_ERR_NOT_FOUND);
    assert_int_equal(file_write(stores_path("plain"), span_of("x"), 0644), D7_OK);
    assert_int_not_equal(store_backup(st, stores_path("plain"), &report, &why), D7_OK);
    store_close(st);
}

/* The next start would have emptied tmp, and the copy with it. */
static void a_copy_inside_the_store_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    static const char *const inside[] = {"inner", "inner/tmp", "inner/copy", "inner/artifacts/copy",
                                         "outer/../inner/tmp"};
    struct store *st = stores_open("inner", STORE_MIGRATE);
    assert_int_equal(mkdir(stores_path("outer"), 0700), 0);
    size_t before = entries(stores_path("inner"));
    for (size_t i = 0; i < D7_COUNT(inside); i++) {
        struct backup_report report = {0};
        struct d7_why why = {0};
        assert_int_equal(store_backup(st, stores_path(inside[i]), &report, &why), D7_ERR_INVALID);
        assert_non_null(strstr(why.text, "of the store itself"));
        assert_int_equal(entries(stores_path("inner")), before);
    }
    assert_int_equal(entries(stores_path("inner/tmp")), 0);
    assert_int_equal(entries(stores_path("inner/artifacts")), 0);
    struct backup_report report = {0};
    backup(st, stores_path("inner-copy"), &report); /* a name that only begins like it */
    store_close(st);
}

static void an_unfinished_copy_is_no_store(void **state)
{
    (void)state;
    struct store *st = NULL;
    struct d7_why why = {0};
    const char *dir = stores_path("half");
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(file_write(stores_path("half/" BACKUP_PARTIAL), span_of(""), 0600), D7_OK);
    assert_int_equal(store_open(dir, STORE_SERVE, &st, &why), D7_ERR_CONFLICT);
    assert_non_null(strstr(why.text, "not finished"));
    assert_int_equal(store_open(dir, STORE_OPEN, &st, &why), D7_ERR_NOT_FOUND);
    assert_int_equal(access(stores_path("half/drop7.db"), F_OK), -1);
}

static void what_the_store_lost_is_told_and_the_rest_is_copied(void **state)
{
    (void)state;
    struct store *st = stores_open("lost", STORE_MIGRATE);
    struct backup_report report = {0};
    int64_t owner = stores_account(st, "somebody");
    (void)upload_with_file(st, "kept", owner);
    assert_int_equal(unlink(upload_with_file(st, "lost", owner)), 0);
    backup(st, stores_path("lost-copy"), &report);
    assert_int_equal(report.artifacts, 1);
    assert_int_equal(report.missing, 1);
    store_close(st);
}

static void retired_policies_need_no_artifact(void **state)
{
    (void)state;
    struct store *st = stores_open("retired", STORE_MIGRATE);
    struct backup_report report = {0};
    (void)upload_with_file(st, "gone", stores_account(st, "somebody"));
    assert_int_equal(stores_change(st, "UPDATE policy SET status = 'retired'"), 1);
    backup(st, stores_path("retired-copy"), &report);
    assert_int_equal(report.artifacts + report.missing, 0);
    store_close(st);
}

/* --- writers at work -------------------------------------------------------------------------- */

static int play_until_told(const char *name, int told)
{
    struct store *st = stores_open(name, STORE_OPEN);
    char run[STORE_KEY_SIZE], existing[STORE_KEY_SIZE], byte = 0;
    (void)fcntl(told, F_SETFL, O_NONBLOCK);
    while (read(told, &byte, 1) < 0) {
        if (stores_drain(st, OUTCOME_OVER) == 0 &&
            run_add(st, "busy", "gauntlet", NULL, 0, 9, run, existing)) {
            return 1;
        }
    }
    store_close(st);
    return 0;
}

static void copies_made_while_games_are_recorded_are_of_one_moment(void **state)
{
    (void)state;
    struct store *st = stores_open("moving", STORE_MIGRATE);
    char run[STORE_KEY_SIZE];
    int told[2];
    assert_int_equal(stores_builtin(st, "busy", "gauntlet", run), D7_OK);
    store_close(st); /* never across a fork */
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(play_until_told("moving", told[0]));
    }
    st = stores_open("moving", STORE_OPEN);
    int64_t last = 0;
    for (int i = 0; i < 5; i++) {
        char name[32];
        struct backup_report report = {0};
        (void)snprintf(name, sizeof(name), "moving-%d", i);
        int64_t before = stores_number(st, "SELECT count(*) FROM game");
        backup(st, stores_path(name), &report);
        int64_t after = stores_number(st, "SELECT count(*) FROM game");
        struct store *copy = stores_open(name, STORE_MIGRATE);
        last = stores_number(copy, "SELECT count(*) FROM game");
        assert_true(last >= before && last <= after);
        stores_assert_consistent(copy);
        store_close(copy);
        while (i < 4 && stores_number(st, "SELECT count(*) FROM game") < after + 8) {
            (void)sched_yield(); /* the writer is what is waited for */
        }
    }
    assert_int_equal(write(told[1], "x", 1), 1);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(last >= 32);
    stores_assert_consistent(st);
    store_close(st);
    (void)close(told[0]);
    (void)close(told[1]);
}

/* --- another disk, and a full one ------------------------------------------------------------- */

#define NO_MOUNT 99

static bool mount_small(const char *folder, const char *size)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", folder, "tmpfs", 0, size) == 0;
}

/* Copies `name` to a file system of its own: the number of the step that went wrong, or 0. */
static int onto_another_disk(const char *name, const char *target)
{
    if (!mount_small(target, "size=16m,mode=0700")) {
        return NO_MOUNT;
    }
    struct store *st = NULL;
    struct backup_report report = {0};
    struct stat at;
    char path[PATH_MAX];
    if (store_open(stores_path(name), STORE_OPEN, &st, NULL) ||
        store_backup(st, target, &report, NULL) || report.artifacts != 1 || report.missing != 1) {
        return 1;
    }
    path_of_copy(target, "sound", path, sizeof(path));
    if (stat(path, &at) < 0 || at.st_size != 5 || at.st_nlink != 1 ||
        (at.st_mode & 07777) != 0555) {
        return 2;
    }
    path_of_copy(target, "damaged", path, sizeof(path));
    if (access(path, F_OK) == 0) { /* what it is named after is not what it is */
        return 3;
    }
    store_close(st);
    if (store_open(target, STORE_SERVE, &st, NULL)) {
        return 4;
    }
    store_close(st);
    return 0;
}

/* A disk that is full before the copy is whole: nothing is left, and nothing claims to be one. */
static int onto_a_full_disk(const char *name, const char *target)
{
    if (!mount_small(target, "size=128k,mode=0700")) {
        return NO_MOUNT;
    }
    struct store *st = NULL;
    struct backup_report report = {.artifacts = -7};
    struct d7_why why = {0};
    if (store_open(stores_path(name), STORE_OPEN, &st, NULL)) {
        return 1;
    }
    enum d7_err err = store_backup(st, target, &report, &why);
    if (err != D7_ERR_FULL || !why.text[0] || report.artifacts != -7) {
        (void)fprintf(stderr, "%d: %s\n", (int)err, why.text);
        return 2;
    }
    if (entries(target) != 0) {
        return 3;
    }
    store_close(st);
    return 0;
}

static void in_a_child(int (*run)(const char *name, const char *target), const char *name,
                       const char *target)
{
    assert_int_equal(mkdir(target, 0700), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(run(name, target));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_MOUNT) {
        support_skip("no right to mount a small tmpfs here");
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void on_another_disk_artifacts_are_copied_and_compared(void **state)
{
    (void)state;
    struct store *st = stores_open("near", STORE_MIGRATE);
    int64_t owner = stores_account(st, "somebody");
    (void)upload_with_file(st, "sound", owner);
    const char *path = upload_with_file(st, "damaged", owner);
    assert_int_equal(file_write(path, span_of("rubbish"), 0444), D7_OK);
    store_close(st);
    in_a_child(onto_another_disk, "near", stores_path("far"));
}

static void a_full_disk_leaves_no_half_copy(void **state)
{
    (void)state;
    store_close(stores_open("large", STORE_MIGRATE)); /* more than the disk has */
    in_a_child(onto_a_full_disk, "large", stores_path("small-disk"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_everything_and_nobody_is_at_work_in_it),
        cmocka_unit_test(a_folder_with_anything_in_it_is_left_alone),
        cmocka_unit_test(a_copy_inside_the_store_is_refused_and_leaves_nothing),
        cmocka_unit_test(an_unfinished_copy_is_no_store),
        cmocka_unit_test(what_the_store_lost_is_told_and_the_rest_is_copied),
        cmocka_unit_test(retired_policies_need_no_artifact),
        cmocka_unit_test(copies_made_while_games_are_recorded_are_of_one_moment),
        cmocka_unit_test(on_another_disk_artifacts_are_copied_and_compared),
        cmocka_unit_test(a_full_disk_leaves_no_half_copy),
    };
    int failed = cmocka_run_group_tests_name("unit/store/backup", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
