/*
 * Design note: memory and process count of a whole policy, where some hierarchy lets us make a
 * group. Nothing depends on it: the limits of limits.c hold without, per process.
 *
 *   v2   <unified>/<our group or its parent>/NAME   memory.max, memory.swap.max, pids.max
 *   v1   <memory>/<our group>/NAME                  memory.limit_in_bytes
 *        <pids>/<our group>/NAME                    pids.max
 *   NAME is drop7-<number of our pid namespace>-<slot>
 *
 * A slot is a process id, so its pid namespace is part of the name: servers in two containers may
 * share a parent, and one must neither take the other's running group for its own slot's leavings
 * nor for a dead worker's.
 *
 * v2 lets a group with processes have no limited children, so the parent is tried as well (systemd:
 * Delegate=yes and DelegateSubgroup=). A launcher that is killed leaves its groups behind, empty;
 * the slot's next launch makes them anew, and a sweep removes those of dead workers; of another
 * namespace those that are empty and not of this minute, for it may be gone for good.
 *
 * To move a process by its id makes the kernel wait until no fork is under way anywhere, which is
 * milliseconds on a busy machine. Two ways in are free of that: in v1 a process moves its only
 * thread itself (0 written to `tasks`), in v2 it is born in the group (clone3).
 */
#include "server/sandbox/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BASE_SIZE (LAUNCH_PATH + 160)
#define ATTEMPTS  200 /* of 5 ms: how long the dead may take to leave */
#define PREFIX    "drop7-"
#define FRESH_S   60  /* a group is empty for a moment between being made and entered */
#ifndef CGROUP_FOLDER /* the unit test has a folder of its own */
#define CGROUP_FOLDER "/sys/fs/cgroup"
#define CGROUP_OWN    "/proc/self/cgroup"
#define CGROUP_SPACE  "/proc/self/ns/pid"
#endif

enum kind { UNIFIED, MEMORY, PIDS };
static const char *const controllers[CGROUP_KINDS] = {"", "memory", "pids"};

static int put(const char *folder, const char *file, const char *text)
{
    char path[BASE_SIZE + 160];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, file);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    ssize_t written = write(fd, text, strlen(text));
    int error = errno;
    (void)close(fd); /* a kernel file: write has told all there is */
    errno = error;
    return written < 0 ? -1 : 0;
}

static int put_number(const char *folder, const char *file, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return put(folder, file, text);
}

static bool exists(const char *folder, const char *file)
{
    char path[BASE_SIZE + 160];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, file);
    return n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0;
}

/* Is this word in the list of `len` bytes? */
static bool names(const char *list, size_t len, const char *between, const char *word)
{
    size_t want = strlen(word);
    for (size_t at = 0; at <= len;) {
        size_t part = 0;
        while (at + part < len && !strchr(between, list[at + part])) {
            part++;
        }
        if (part == want && memcmp(list + at, word, want) == 0) {
            return true;
        }
        at += part + 1;
    }
    return false;
}

/* The start of a file, as text. */
static size_t get(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
    if (fd >= 0) {
        (void)close(fd); /* only read from */
    }
    to[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Our own group in one hierarchy, as a folder. `list` is /proc/self/cgroup: lines of
 * "number:controllers:path". */
static bool own_group(enum kind kind, const char *list, char ret[BASE_SIZE])
{
    const char *root = CGROUP_FOLDER;
    if (kind == UNIFIED && exists(CGROUP_FOLDER "/unified", "cgroup.procs")) {
        root = CGROUP_FOLDER "/unified";
    }
    for (const char *line = list; *line;) {
        const char *end = strchrnul(line, '\n');
        const char *first = memchr(line, ':', (size_t)(end - line));
        const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
        if (second && names(first + 1, (size_t)(second - first - 1), ",", controllers[kind])) {
            char path[LAUNCH_PATH] = "";
            size_t len = (size_t)(end - second - 1);
            if (len >= sizeof(path)) {
                return false;
            }
            memcpy(path, second + 1, len > 1 ? len : 0); /* "/" is the root itself */
            int n = snprintf(ret, BASE_SIZE, "%s%s%s%s", root, kind == UNIFIED ? "" : "/",
                             controllers[kind], path);
            return n > 0 && n < BASE_SIZE && exists(ret, "cgroup.procs");
        }
        line = *end ? end + 1 : end;
    }
    return false;
}

/* Can a group in this v2 folder have limits? Asked before one is made in vain at every start, where
 * v1 has the controllers. */
static bool offers_limits(const char *base)
{
    char path[BASE_SIZE + 160], list[512];
    (void)snprintf(path, sizeof(path), "%s/cgroup.controllers", base);
    size_t len = get(path, list, sizeof(list));
    return names(list, len, " \n", "memory") && names(list, len, " \n", "pids");
}

static void pause_ms(long ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&t, NULL);
}

static void kill_members(const char *folder)
{
    if (!put(folder, "cgroup.kill", "1")) {
        return;
    }
    char path[BASE_SIZE + 160];
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
    FILE *list = fopen(path, "re");
    char line[32];
    while (list && fgets(line, sizeof(line), list)) {
        const char *at = line;
        uint64_t pid = 0;
        if (number_take(&at, &pid) && pid > 1 && pid <= SANDBOX_SLOT_MAX) {
            (void)kill((pid_t)pid, SIGKILL); /* gone already is as good */
        }
    }
    if (list) {
        (void)fclose(list);
    }
}

/* Empty groups go at once; the dying need a moment. */
static int remove_group(const char *folder)
{
    for (unsigned i = 0; rmdir(folder); i++) {
        if (errno != EBUSY || i == ATTEMPTS) {
            return errno == ENOENT ? 0 : -1;
        }
        kill_members(folder);
        pause_ms(5);
    }
    return 0;
}

static int limit_group(const struct launch *l, enum kind kind, const char *group)
{
    uint64_t tasks = l->processes + 1u;
    switch (kind) {
    case UNIFIED:
        (void)put(group, "memory.swap.max", "0"); /* not there without swap accounting */
        return put_number(group, "memory.max", l->memory_bytes) ||
                       put_number(group, "pids.max", tasks)
                   ? -1
                   : 0;
    case MEMORY:
        return put_number(group, "memory.limit_in_bytes", l->memory_bytes);
    case PIDS:
        return put_number(group, "pids.max", tasks);
    }
    return -1;
}

/* Where a process of its own enters by writing "0". */
static int open_door(enum kind kind, const char *group)
{
    char path[BASE_SIZE + 160];
    (void)snprintf(path, sizeof(path), "%s/%s", group, kind == UNIFIED ? "cgroup.procs" : "tasks");
    return open(path, O_WRONLY | O_CLOEXEC);
}

/* The number of our pid namespace; 0 without /proc. */
static uint64_t own_space(void)
{
    struct stat info;
    return stat(CGROUP_SPACE, &info) ? 0 : (uint64_t)info.st_ino;
}

/* One group below `base`. A hierarchy that does not let us is no failure: ret stays empty. */
static bool try_base(const struct launch *l, enum kind kind, const char *base, struct cgroup *ret)
{
    char group[BASE_SIZE + 32];
    (void)snprintf(group, sizeof(group), "%s/" PREFIX "%llu-%u", base,
                   (unsigned long long)own_space(), (unsigned)l->slot);
    if (access(base, W_OK) != 0 || (kind == UNIFIED && !offers_limits(base))) {
        return false;
    }
    /* Anew, not reused: counters of the slot's last policy must not be this one's. */
    if (mkdir(group, 0755) && (errno != EEXIST || remove_group(group) || mkdir(group, 0755))) {
        return false;
    }
    if (kind == UNIFIED && !exists(group, "memory.max")) {
        (void)put(base, "cgroup.subtree_control", "+memory +pids");
    }
    int door = limit_group(l, kind, group) ? -1 : open_door(kind, group);
    int n = snprintf(ret->path[kind], sizeof(ret->path[kind]), "%s", group);
    if (door < 0 || n < 0 || (size_t)n >= sizeof(ret->path[kind])) {
        if (door >= 0) {
            (void)close(door);
        }
        (void)rmdir(group);
        ret->path[kind][0] = '\0';
        return false;
    }
    ret->door[kind] = door;
    return true;
}

/* The parent of a v2 group, where it is not the root. */
static bool go_up(char base[BASE_SIZE])
{
    char *slash = strrchr(base, '/');
    if (!slash || (size_t)(slash - base) <= sizeof(CGROUP_FOLDER)) {
        return false;
    }
    *slash = '\0';
    return true;
}

int cgroup_make(const struct launch *l, struct cgroup *ret)
{
    char list[4096], base[BASE_SIZE];
    *ret = (struct cgroup){.door = {-1, -1, -1}};
    (void)get(CGROUP_OWN, list, sizeof(list));
    for (int k = 0; k < CGROUP_KINDS; k++) {
        enum kind kind = (enum kind)k;
        bool known = own_group(kind, list, base);
        if (known && !try_base(l, kind, base, ret) && kind == UNIFIED && go_up(base)) {
            (void)try_base(l, kind, base, ret);
        }
    }
    return 0;
}

pid_t cgroup_clone(struct cgroup *g, unsigned long flags)
{
    int folder = -1;
    if (g->path[UNIFIED][0]) {
        folder = open(g->path[UNIFIED], O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    long pid = -1;
    if (folder >= 0) {
        struct clone_args args = {
            .flags = flags | CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned)folder};
        pid = syscall(SYS_clone3, &args, sizeof(args));
    }
    if (pid == 0) {
        (void)close(g->door[UNIFIED]); /* it is inside: never a second time */
        g->door[UNIFIED] = -1;
    }
    if (folder >= 0) {
        (void)close(folder);
    }
    /* No v2, or a container that knows no clone3: then it enters by the door. */
    return (pid_t)(pid >= 0 ? pid : syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL));
}

int cgroup_enter(const struct cgroup *g)
{
    for (int k = 0; k < CGROUP_KINDS; k++) {
        if (g->door[k] >= 0 && (write(g->door[k], "0", 1) != 1 || close(g->door[k]))) {
            return -1;
        }
    }
    return 0;
}

void cgroup_remove(const struct cgroup *g)
{
    for (int k = 0; k < CGROUP_KINDS; k++) {
        if (g->path[k][0]) {
            (void)remove_group(g->path[k]); /* what stays, the slot's next launch removes */
        }
    }
}

/* Is `name` a group whose worker is dead, or may it be tried whether it is left over? */
static bool is_left(int folder, const char *name, uint64_t space)
{
    uint64_t of = 0, slot = 0;
    struct stat info;
    const char *at = name + strlen(PREFIX);
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !number_take(&at, &of) || *at++ != '-' ||
        !number_take(&at, &slot) || *at || slot <= 1 || slot > SANDBOX_SLOT_MAX) {
        return false;
    }
    if (of == space) {
        return kill((pid_t)slot, 0) && errno == ESRCH;
    }
    return !fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) &&
           info.st_mtime < time(NULL) - FRESH_S;
}

static void sweep_folder(const char *base, uint64_t space)
{
    DIR *folder = opendir(base);
    if (!folder) {
        return;
    }
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        char group[BASE_SIZE + 300];
        if (is_left(dirfd(folder), e->d_name, space)) {
            (void)snprintf(group, sizeof(group), "%s/%s", base, e->d_name);
            (void)rmdir(group); /* busy or gone by another sweep: as well */
        }
    }
    (void)closedir(folder);
}

void cgroup_sweep(void)
{
    char list[4096], base[BASE_SIZE];
    uint64_t space = own_space();
    (void)get(CGROUP_OWN, list, sizeof(list));
    for (int k = 0; k < CGROUP_KINDS; k++) {
        if (!own_group((enum kind)k, list, base)) {
            continue;
        }
        sweep_folder(base, space);
        if (k == UNIFIED && go_up(base)) {
            sweep_folder(base, space);
        }
    }
}

void cgroup_look(bool *ret_memory, bool *ret_pids)
{
    struct launch l = {.slot = (uint32_t)getpid(), .memory_bytes = 1u << 30, .processes = 32};
    struct cgroup g;
    *ret_memory = *ret_pids = false;
    if (!cgroup_make(&l, &g)) {
        *ret_memory = g.path[UNIFIED][0] || g.path[MEMORY][0];
        *ret_pids = g.path[UNIFIED][0] || g.path[PIDS][0];
        for (int k = 0; k < CGROUP_KINDS; k++) {
            if (g.door[k] >= 0) {
                (void)close(g.door[k]);
            }
        }
        cgroup_remove(&g);
    }
}
