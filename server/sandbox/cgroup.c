/*
 * Design note: memory and process count of a whole policy, where some hierarchy lets us make a
 * group. Nothing depends on it: the limits of limits.c hold without, per process.
 *
 *   v2   <unified>/<our group or its parent>/drop7-<slot>   memory.max, memory.swap.max, pids.max
 *   v1   <memory>/<our group>/drop7-<slot>                  memory.limit_in_bytes
 *        <pids>/<our group>/drop7-<slot>                    pids.max
 *
 * v2 lets a group with processes have no limited children, so the parent is tried as well (systemd:
 * Delegate=yes and DelegateSubgroup=). A launcher that is killed leaves its groups behind, empty;
 * the slot's next launch makes them anew, and a sweep removes those of dead workers.
 */
#include "server/sandbox/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BASE_SIZE     (LAUNCH_PATH + 160)
#define ATTEMPTS      200 /* of 5 ms: how long the dead may take to leave */
#define PREFIX        "drop7-"
#define CGROUP_FOLDER "/sys/fs/cgroup"

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

/* The list between the first two colons of a line of /proc/self/cgroup names this controller? */
static bool names(const char *list, size_t len, const char *controller)
{
    size_t want = strlen(controller);
    for (size_t at = 0; at <= len;) {
        const char *comma = memchr(list + at, ',', len - at);
        size_t part = comma ? (size_t)(comma - list) - at : len - at;
        if (part == want && memcmp(list + at, controller, want) == 0) {
            return true;
        }
        at += part + 1;
    }
    return false;
}

/* Our own group in one hierarchy, as a folder. */
static bool own_group(enum kind kind, char ret[BASE_SIZE])
{
    const char *root = CGROUP_FOLDER;
    char line[LAUNCH_PATH];
    bool found = false;
    if (kind == UNIFIED) {
        root = exists(CGROUP_FOLDER "/unified", "cgroup.procs") ? CGROUP_FOLDER "/unified" : root;
    }
    FILE *list = fopen("/proc/self/cgroup", "re");
    while (list && !found && fgets(line, sizeof(line), list)) {
        char *first = strchr(line, ':');
        char *second = first ? strchr(first + 1, ':') : NULL;
        char *end = strchr(line, '\n');
        if (second && end && names(first + 1, (size_t)(second - first - 1), controllers[kind])) {
            *end = '\0';
            int n = snprintf(ret, BASE_SIZE, "%s%s%s%s", root, kind == UNIFIED ? "" : "/",
                             controllers[kind], strcmp(second + 1, "/") == 0 ? "" : second + 1);
            found = n > 0 && n < BASE_SIZE && exists(ret, "cgroup.procs");
        }
    }
    if (list) {
        (void)fclose(list);
    }
    return found;
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

/* One group below `base`. A hierarchy that does not let us is no failure: *ret stays empty. */
static bool try_base(const struct launch *l, enum kind kind, const char *base, char *ret,
                     size_t size)
{
    char group[BASE_SIZE + 32];
    (void)snprintf(group, sizeof(group), "%s/" PREFIX "%u", base, (unsigned)l->slot);
    if (access(base, W_OK) != 0) {
        return false;
    }
    /* Anew, not reused: counters of the slot's last policy must not be this one's. */
    if (mkdir(group, 0755) && (errno != EEXIST || remove_group(group) || mkdir(group, 0755))) {
        return false;
    }
    if (kind == UNIFIED && !exists(group, "memory.max")) {
        (void)put(base, "cgroup.subtree_control", "+memory +pids");
    }
    int n = snprintf(ret, size, "%s", group);
    if (n < 0 || (size_t)n >= size || limit_group(l, kind, group)) {
        (void)rmdir(group);
        ret[0] = '\0';
        return false;
    }
    return true;
}

int cgroup_make(const struct launch *l, struct cgroup *ret)
{
    *ret = (struct cgroup){0};
    for (int k = 0; k < CGROUP_KINDS; k++) {
        char base[BASE_SIZE];
        enum kind kind = (enum kind)k;
        if (!own_group(kind, base)) {
            continue;
        }
        if (try_base(l, kind, base, ret->path[k], sizeof(ret->path[k])) || kind != UNIFIED) {
            continue;
        }
        char *slash = strrchr(base, '/');
        if (slash && (size_t)(slash - base) > sizeof(CGROUP_FOLDER)) {
            *slash = '\0';
            (void)try_base(l, kind, base, ret->path[k], sizeof(ret->path[k]));
        }
    }
    return 0;
}

int cgroup_add(const struct cgroup *g, pid_t pid)
{
    for (int k = 0; k < CGROUP_KINDS; k++) {
        if (g->path[k][0] && put_number(g->path[k], "cgroup.procs", (uint64_t)pid)) {
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

static void sweep_folder(const char *base)
{
    DIR *folder = opendir(base);
    if (!folder) {
        return;
    }
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        uint64_t slot = 0;
        char group[BASE_SIZE + 300];
        const char *at = e->d_name + strlen(PREFIX);
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 && number_take(&at, &slot) &&
            slot > 1 && slot <= SANDBOX_SLOT_MAX && kill((pid_t)slot, 0) && errno == ESRCH) {
            (void)snprintf(group, sizeof(group), "%s/%s", base, e->d_name);
            (void)rmdir(group); /* busy or gone by another sweep: as well */
        }
    }
    (void)closedir(folder);
}

void cgroup_sweep(void)
{
    for (int k = 0; k < CGROUP_KINDS; k++) {
        char base[BASE_SIZE];
        if (!own_group((enum kind)k, base)) {
            continue;
        }
        sweep_folder(base);
        char *slash = k == UNIFIED ? strrchr(base, '/') : NULL;
        if (slash && (size_t)(slash - base) > sizeof(CGROUP_FOLDER)) {
            *slash = '\0';
            sweep_folder(base);
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
        cgroup_remove(&g);
    }
}
