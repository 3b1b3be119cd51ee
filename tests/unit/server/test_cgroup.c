/*
 * server/sandbox/cgroup.c. v2: no machine at hand has memory and pids in a v2 hierarchy, so what is
 * decided from its files is tested against a tree of plain files in which mkdir and rmdir do what
 * the kernel does; being born in a group (clone3) against the real v2 hierarchy, where one is
 * mounted. v1 is what tests/sandbox runs on, where a machine has it.
 */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/support.h"

#define CGROUP_FOLDER "tree" /* below the test's own folder */
#define CGROUP_OWN    "own"
#define CGROUP_SPACE  "/proc/self/ns/pid"

static uint64_t own_space(void);
static char a_77[64], b_77[64]; /* of slot 77, below tree/a and tree/a/b */
static bool refuses_limits;     /* the kernel takes no number for memory.max */

static void make(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static const char *content(const char *folder, const char *name)
{
    static char text[256];
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    text[0] = '\0';
    if (f) {
        text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
        (void)fclose(f);
    }
    return text;
}

/* What the kernel puts into a new group: limits where the parent hands its controllers down. */
static void fill_group(const char *folder)
{
    char parent[PATH_MAX];
    (void)snprintf(parent, sizeof(parent), "%s/..", folder);
    make(folder, "cgroup.procs", "");
    make(folder, "cgroup.controllers", content(parent, "cgroup.subtree_control"));
    make(folder, "cgroup.subtree_control", "");
    if (strstr(content(parent, "cgroup.subtree_control"), "memory") && !refuses_limits) {
        make(folder, "memory.max", "max");
        make(folder, "memory.swap.max", "max");
        make(folder, "pids.max", "max");
    }
}

static int kernel_mkdir(const char *folder, mode_t mode)
{
    int result = mkdir(folder, mode);
    if (!result) {
        fill_group(folder);
    }
    return result;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    return at->level == 0 ? 0 : kind == FTW_F ? unlink(path) : -1;
}

static int kernel_rmdir(const char *folder)
{
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return rmdir(folder);
}

#define mkdir kernel_mkdir
#define rmdir kernel_rmdir
#include "server/sandbox/cgroup.c"
#undef mkdir
#undef rmdir

bool number_take(const char **at, uint64_t *ret)
{
    unsigned long long value = 0;
    int used = 0;
    if (sscanf(*at, "%llu%n", &value, &used) != 1) {
        return false;
    }
    *at += used;
    *ret = value;
    return true;
}

/* A v2 tree: root/a/b, we are in `own`; `handed` is what a hands down to b and its other children.
 */
static void plant(const char *own, const char *of_a, const char *of_b)
{
    char text[300];
    support_remove("tree");
    refuses_limits = false;
    assert_int_equal(mkdir("tree", 0755) | mkdir("tree/a", 0755) | mkdir("tree/a/b", 0755), 0);
    make("tree", "cgroup.procs", "");
    make("tree", "cgroup.controllers", "cpu memory pids\n");
    make("tree", "cgroup.subtree_control", "cpu memory pids\n");
    make("tree/a", "cgroup.procs", "");
    make("tree/a", "cgroup.controllers", "cpu memory pids\n");
    make("tree/a", "cgroup.subtree_control", of_a);
    make("tree/a/b", "cgroup.procs", "");
    make("tree/a/b", "cgroup.controllers", of_a);
    make("tree/a/b", "cgroup.subtree_control", of_b);
    (void)snprintf(text, sizeof(text), "1:name=systemd:/elsewhere\n0::%s\n", own);
    make(".", "own", text);
}

static const struct launch asked = {.slot = 77, .memory_bytes = 1000000, .processes = 32};

static void the_own_group_gets_a_limited_child(void **state)
{
    (void)state;
    struct cgroup g;
    plant("/a/b", "memory pids\n", "memory pids\n");
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], b_77);
    assert_string_equal(content(b_77, "memory.max"), "1000000");
    assert_string_equal(content(b_77, "memory.swap.max"), "0ax"); /* no truncation */
    assert_string_equal(content(b_77, "pids.max"), "33x");
    assert_int_equal(cgroup_enter(&g), 0);
    assert_string_equal(content(b_77, "cgroup.procs"), "0");
    cgroup_remove(&g);
    assert_int_equal(access(b_77, F_OK), -1);
}

/* The own group has processes, ours: it can hand nothing down, its parent can. */
static void the_parent_is_asked_where_the_own_group_hands_nothing_down(void **state)
{
    (void)state;
    struct cgroup g;
    plant("/a/b", "memory pids\n", "");
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], a_77);
    assert_int_equal(access(b_77, F_OK), -1); /* what was tried in vain is gone */
    assert_string_equal(content("tree/a/b", "cgroup.subtree_control"), "+memory +pids");
    cgroup_remove(&g);
    assert_int_equal(access(a_77, F_OK), -1);
    (void)close(g.door[UNIFIED]);
}

static void without_the_controllers_no_group_is_made(void **state)
{
    (void)state;
    struct cgroup g;
    plant("/a/b", "cpu\n", "cpu\n");
    make("tree/a", "cgroup.controllers", "cpu memorypids pid\n");
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], "");
    assert_int_equal(g.door[UNIFIED], -1);
    assert_int_equal(access(a_77, F_OK), -1);
    assert_string_equal(content("tree/a", "cgroup.subtree_control"), "cpu\n"); /* nor touched */
    assert_int_equal(cgroup_enter(&g), 0); /* nothing to enter is no failure */
    cgroup_remove(&g);
}

static void a_group_that_takes_no_limit_is_none(void **state)
{
    (void)state;
    struct cgroup g;
    plant("/a/b", "memory pids\n", "memory pids\n");
    refuses_limits = true;
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], "");
    assert_int_equal(access(b_77, F_OK), -1);
    assert_int_equal(access(a_77, F_OK), -1);
}

/* Counters of the slot's last policy must not be this one's. */
static void a_group_that_was_left_is_made_anew(void **state)
{
    (void)state;
    struct cgroup g;
    plant("/a/b", "memory pids\n", "memory pids\n");
    assert_int_equal(kernel_mkdir(b_77, 0755), 0);
    make(b_77, "memory.events", "oom 3\n");
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], b_77);
    assert_string_equal(content(b_77, "memory.events"), "");
    cgroup_remove(&g);
    (void)close(g.door[UNIFIED]);
}

static void strange_lists_of_groups_are_no_group(void **state)
{
    (void)state;
    static const char *const lists[] = {"",
                                        "0::",
                                        "0:/a/b\n",
                                        "::::\n",
                                        "\n\n0\n",
                                        "0::/none\n",
                                        "0:memory:/a/b\n",
                                        "1:pids\n",
                                        "0::/a/../../tree/none\n"};
    char wide[2000];
    memset(wide, 'a', sizeof(wide));
    memcpy(wide, "0::/", 4);
    wide[sizeof(wide) - 1] = '\0';
    for (size_t i = 0; i <= sizeof(lists) / sizeof(lists[0]); i++) {
        struct cgroup g;
        plant("/a/b", "memory pids\n", "memory pids\n");
        make("tree", "cgroup.controllers", ""); /* the root itself offers nothing */
        make(".", "own", i < sizeof(lists) / sizeof(lists[0]) ? lists[i] : wide);
        assert_int_equal(cgroup_make(&asked, &g), 0);
        assert_string_equal(g.path[UNIFIED], "");
    }
}

static const char *group_of(const char *folder, uint64_t space, pid_t slot)
{
    static char path[64];
    (void)snprintf(path, sizeof(path), "tree/%s/drop7-%llu-%d", folder, (unsigned long long)space,
                   (int)slot);
    return path;
}

static void the_sweep_takes_groups_of_the_dead_only(void **state)
{
    (void)state;
    char mine[64];
    plant("/a/b", "memory pids\n", "memory pids\n");
    (void)snprintf(mine, sizeof(mine), "%s", group_of("a/b", own_space(), getpid()));
    pid_t dead = fork();
    if (dead == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(dead, NULL, 0), dead);
    char gone[64], above[64];
    (void)snprintf(gone, sizeof(gone), "%s", group_of("a/b", own_space(), dead));
    (void)snprintf(above, sizeof(above), "%s", group_of("a", own_space(), dead));
    assert_int_equal(
        kernel_mkdir(mine, 0755) | kernel_mkdir(gone, 0755) | kernel_mkdir(above, 0755), 0);
    assert_int_equal(kernel_mkdir("tree/a/b/drop7-x", 0755), 0);
    cgroup_sweep();
    assert_int_equal(access(mine, F_OK), 0);
    assert_int_equal(access("tree/a/b/drop7-x", F_OK), 0);
    assert_int_equal(access(gone, F_OK), -1);
    assert_int_equal(access(above, F_OK), -1);
}

/* In another container the same number is another process, of which we know nothing: neither its
 * group nor what is in it is ours, and what may have been left is told by its age. */
static void groups_of_another_pid_namespace_are_others(void **state)
{
    (void)state;
    struct cgroup g;
    char fresh[64], old[64];
    const struct timespec hour_ago[2] = {{.tv_sec = time(NULL) - 3600},
                                         {.tv_sec = time(NULL) - 3600}};
    plant("/a/b", "memory pids\n", "memory pids\n");
    (void)snprintf(fresh, sizeof(fresh), "%s", group_of("a/b", own_space() + 1, 77));
    (void)snprintf(old, sizeof(old), "%s", group_of("a/b", own_space() + 2, 77));
    assert_int_equal(kernel_mkdir(fresh, 0755) | kernel_mkdir(old, 0755), 0);
    assert_int_equal(cgroup_make(&asked, &g), 0);
    assert_string_equal(g.path[UNIFIED], b_77);
    cgroup_remove(&g);
    (void)close(g.door[UNIFIED]);
    assert_int_equal(access(fresh, F_OK) | access(old, F_OK), 0);
    assert_int_equal(utimensat(AT_FDCWD, old, hour_ago, 0), 0);
    cgroup_sweep();
    assert_int_equal(access(fresh, F_OK), 0);
    assert_int_equal(access(old, F_OK), -1); /* with somebody in it the kernel would refuse */
}

/* Where the child of clone3 finds itself, by the kernel's word. */
static void a_child_is_born_in_its_group(void **state)
{
    (void)state;
    struct cgroup g = {.door = {-1, -1, -1}};
    const char *root = access("/sys/fs/cgroup/cgroup.controllers", F_OK) ? "/sys/fs/cgroup/unified"
                                                                         : "/sys/fs/cgroup";
    (void)snprintf(g.path[UNIFIED], sizeof(g.path[UNIFIED]), "%s/drop7-test-%d", root,
                   (int)getpid());
    if (mkdir(g.path[UNIFIED], 0755)) {
        support_skip("no writable v2 hierarchy");
        return;
    }
    g.door[UNIFIED] = open_door(UNIFIED, g.path[UNIFIED]);
    pid_t pid = cgroup_clone(&g, 0);
    if (pid == 0) {
        char list[4096], line[64];
        (void)snprintf(line, sizeof(line), "0::/drop7-test-%d\n", (int)getppid());
        (void)get("/proc/self/cgroup", list, sizeof(list));
        _exit(strstr(list, line) && g.door[UNIFIED] == -1 ? 0 : 1);
    }
    int status = -1;
    bool waited = waitpid(pid, &status, 0) == pid;
    bool removed = rmdir(g.path[UNIFIED]) == 0;
    (void)close(g.door[UNIFIED]);
    assert_true(pid > 0 && waited && removed);
    assert_int_equal(status, 0);
}

static char before[PATH_MAX];

static int setup(void **state)
{
    (void)state;
    (void)snprintf(a_77, sizeof(a_77), "tree/a/drop7-%llu-77", (unsigned long long)own_space());
    (void)snprintf(b_77, sizeof(b_77), "tree/a/b/drop7-%llu-77", (unsigned long long)own_space());
    return getcwd(before, sizeof(before)) && !chdir(support_scratch()) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    int result = chdir(before);
    support_scratch_remove();
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_own_group_gets_a_limited_child),
        cmocka_unit_test(the_parent_is_asked_where_the_own_group_hands_nothing_down),
        cmocka_unit_test(without_the_controllers_no_group_is_made),
        cmocka_unit_test(a_group_that_takes_no_limit_is_none),
        cmocka_unit_test(a_group_that_was_left_is_made_anew),
        cmocka_unit_test(strange_lists_of_groups_are_no_group),
        cmocka_unit_test(the_sweep_takes_groups_of_the_dead_only),
        cmocka_unit_test(groups_of_another_pid_namespace_are_others),
        cmocka_unit_test(a_child_is_born_in_its_group),
    };
    return cmocka_run_group_tests_name("server/cgroup", tests, setup, teardown);
}
