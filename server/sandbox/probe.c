/*
 * Design note: the probe is this program started once more for every part, through the same
 * options, steps and exec as a policy; only its policy file is the launcher itself. So nothing it
 * finds depends on code that a policy's launch does not run. A part that says nothing, or ends in
 * any way but the expected one, has failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/sandbox/launch.h"

#define PART_MS     5000
#define OUTPUT_SIZE 2048
#define WHY_SIZE    256

struct outcome {
    int status;
    char output[OUTPUT_SIZE];
    char why[WHY_SIZE]; /* empty: the launch itself worked */
};

static int64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail for this clock */
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Up to end of file, the deadline or a full buffer; the bytes read. */
static size_t read_until(int fd, char *to, size_t size, int64_t deadline)
{
    size_t n = 0;
    while (n < size) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - now_ms();
        if (left <= 0 || poll(&ready, 1, (int)left) <= 0) {
            break;
        }
        ssize_t got = read(fd, to + n, size - n);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
    }
    return n;
}

static const char *const step_names[] = {
#define X(name, text) text,
    SANDBOX_STEP_TABLE(X)
#undef X
};

static int start(char *const argv[], int out, int report, pid_t *ret_pid)
{
    char *envp[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int number = posix_spawn_file_actions_init(&files);
    if (number) {
        return number;
    }
    number = posix_spawnattr_init(&attributes);
    if (!number) {
        number = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        number =
            number ? number : posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        number = number ? number : posix_spawn_file_actions_adddup2(&files, out, 1);
        number =
            number ? number : posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        number = number ? number : posix_spawn_file_actions_adddup2(&files, report, 3);
        number = number ? number : posix_spawn(ret_pid, argv[0], &files, &attributes, argv, envp);
        (void)posix_spawnattr_destroy(&attributes); /* neither destroy can fail */
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return number;
}

/* Ends of pipes above the numbers the child's become. */
static int open_high(int fds[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC)) {
        return -1;
    }
    fds[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 10);
    fds[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 10);
    (void)close(low[0]);
    (void)close(low[1]);
    return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

static void run_part(char *const argv[], struct outcome *ret)
{
    int out[2], report[2];
    pid_t pid = 0;
    struct sandbox_report told;
    *ret = (struct outcome){0};
    if (open_high(out) || open_high(report)) {
        (void)snprintf(ret->why, sizeof(ret->why), "no pipes: %s", strerror(errno));
        return;
    }
    int number = start(argv, out[1], report[1], &pid);
    (void)close(out[1]);
    (void)close(report[1]);
    if (number) {
        (void)snprintf(ret->why, sizeof(ret->why), "cannot start itself: %s", strerror(number));
    } else {
        int64_t deadline = now_ms() + PART_MS;
        size_t n = read_until(report[0], (char *)&told, sizeof(told), deadline);
        if (n == sizeof(told)) {
            (void)snprintf(ret->why, sizeof(ret->why), "%s: %s",
                           told.step < SANDBOX_STEP_COUNT ? step_names[told.step] : "?",
                           strerror(told.error));
        }
        n = read_until(out[0], ret->output, sizeof(ret->output) - 1, deadline);
        ret->output[n] = '\0';
        if (now_ms() >= deadline) {
            (void)snprintf(ret->why, sizeof(ret->why), "no end within %d ms", PART_MS);
            (void)kill(-pid, SIGKILL);
        }
        while (waitpid(pid, &ret->status, 0) < 0 && errno == EINTR) {
        }
    }
    (void)close(out[0]);
    (void)close(report[0]);
}

struct words {
    char self[PATH_MAX], slot[16], memory[24], parent[16];
    char inside[16], part[32];
    char *argv[24];
};

/* The part's command: the same options as a policy's launch. */
static bool words_make(struct words *w, const struct launch *l, enum confinement confinement,
                       const char *part)
{
    static char opt_slot[] = "--slot", opt_memory[] = "--memory", opt_parent[] = "--parent",
                opt_confined[] = "--confined", dashes[] = "--";
    size_t n = 0;
    ssize_t len = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);
    if (len <= 0) {
        return false;
    }
    w->self[len] = '\0';
    (void)snprintf(w->slot, sizeof(w->slot), "%u", (unsigned)l->slot);
    (void)snprintf(w->memory, sizeof(w->memory), "%llu", (unsigned long long)l->memory_bytes);
    (void)snprintf(w->parent, sizeof(w->parent), "%d", (int)getpid());
    (void)snprintf(w->inside, sizeof(w->inside), "--inside");
    (void)snprintf(w->part, sizeof(w->part), "%s", part);
    char *const fixed[] = {w->self,   opt_slot,   w->slot,  opt_memory,
                           w->memory, opt_parent, w->parent};
    for (; n < sizeof(fixed) / sizeof(fixed[0]); n++) {
        w->argv[n] = fixed[n];
    }
    if (confinement == CONFINE_PLAIN) {
        w->argv[n++] = opt_confined;
    }
    char *const tail[] = {dashes, w->self, w->inside, w->part, NULL};
    for (size_t i = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
        w->argv[n++] = tail[i];
    }
    return true;
}

/* All parts. What failed goes to `to` (where not NULL), the first reason to why. */
static bool holds(const struct launch *l, enum confinement confinement, FILE *to,
                  char why[WHY_SIZE])
{
    static struct words w;
    static struct outcome o;
    if (!words_make(&w, l, confinement, "all")) {
        (void)snprintf(why, WHY_SIZE, "no /proc/self/exe");
        return false;
    }
    run_part(w.argv, &o);
    if (o.why[0]) {
        (void)snprintf(why, WHY_SIZE, "%s", o.why);
        return false;
    }
    if (strcmp(o.output, "INSIDE OK\n") != 0) {
        if (to) {
            (void)fprintf(to, "%s%s", o.output, o.output[0] ? "" : "no answer from inside\n");
        }
        o.output[strcspn(o.output, "\n")] = '\0';
        (void)snprintf(why, WHY_SIZE, "%.200s", o.output[0] ? o.output : "no answer from inside");
        return false;
    }
    for (size_t i = 0; inside_lethal(i); i++) {
        if (!words_make(&w, l, confinement, inside_lethal(i))) {
            return false;
        }
        run_part(w.argv, &o);
        if (o.why[0] || !WIFSIGNALED(o.status)) {
            (void)snprintf(why, WHY_SIZE, "FAILED %s does not end the process%s%.150s",
                           inside_lethal(i), o.why[0] ? ": " : "", o.why);
            if (to) {
                (void)fprintf(to, "%s\n", why);
            }
            return false;
        }
    }
    return true;
}

int probe_run(const struct launch *l)
{
    char why[WHY_SIZE] = "";
    if (l->confinement == CONFINE_OFF) {
        /* Nothing would hold, and the attacks would be real. */
        (void)puts("PROBE FAILED --off confines nothing");
        return 1;
    }
    if (!holds(l, l->confinement, stdout, why)) {
        (void)printf("PROBE FAILED %s\n", why);
        return 1;
    }
    (void)puts("PROBE OK");
    return fflush(stdout) ? 1 : 0;
}

/* What this machine adds, for the operator. True where a cgroup limits memory. */
static bool describe(const struct launch *l, char *to, size_t size)
{
    bool memory = false, pids = false;
    struct launch look = *l;
    char landlock[32] = "no Landlock";
    ids_look(&look);
    cgroup_look(&memory, &pids);
    if (landlock_abi()) {
        (void)snprintf(landlock, sizeof(landlock), "Landlock %d", landlock_abi());
    }
    (void)snprintf(to, size, "%s, %s, cgroup limits: %s%s%s",
                   look.own_uid ? "a uid for each slot" : "one uid", landlock,
                   memory ? "memory " : "", pids ? "processes" : "", memory || pids ? "" : "none");
    return memory;
}

int probe_tier(const struct launch *l)
{
    char full[WHY_SIZE] = "", plain[WHY_SIZE] = "", about[128];
    cgroup_sweep();
    if (describe(l, about, sizeof(about))) {
        (void)puts("memory bounded");
    }
    if (holds(l, CONFINE_FULL, NULL, full)) {
        (void)printf("tier A\nwhy namespaces, own root, filter, %s\nPROBE OK\n", about);
    } else if (holds(l, CONFINE_PLAIN, NULL, plain)) {
        (void)printf("tier B\nwhy no full sandbox (%.80s); filter, %s\nPROBE OK\n", full, about);
    } else {
        (void)printf("tier C\nwhy full sandbox: %.85s; without namespaces: %.85s\n", full, plain);
    }
    return fflush(stdout) ? 1 : 0;
}
