/*
 * drop7-sandbox - confines itself, then becomes the policy. sandbox.h has its arguments.
 *
 * Processes (tier A)
 *
 *   worker --posix_spawn--> launcher --clone(namespaces)--> init --vfork--> policy
 *                           outside; waits                  1 inside        2 inside
 *
 *   The launcher stays outside: it removes the slot's cgroup at the end and ends as the
 *   policy did, by the same signal or status. It holds none of the pipes once the policy has them.
 * Init exists because the kernel shields process 1 from default signal actions: as process 1 a
 * policy's abort or SIGPIPE would not end it. All three begin in the launcher's process group,
 * which the policy cannot leave (the filter knows no setsid, setpgid or fork). Once it runs, the
 * other two leave for a group of init's: a signal to the launcher's group then stops, continues or
 * kills the policy alone, which is what a move costs, and its end ends init and then the launcher,
 * so the cgroup goes too. At any time before, one of those in the group is enough to end all.
 * Init asks for SIGKILL at the launcher's death, the launcher at the worker's (for SIGTERM once it
 * has left, to tidy up): nothing survives a kill -9 of any of them. If the launcher is killed
 * before init, init's body is reaped by the nearest subreaper: the worker
 * (server/work/isolation.h). In tier B and with --off there is nobody to wait for: the launcher
 * itself becomes the policy.
 *
 * Order, fixed; what breaks if swapped stands at each step below and in the step's file.
 *   1 descriptors, session, death signal   nothing of the server is inherited
 *   2 cgroup, namespaces                   init is in the group before it does anything
 *   3 root                                 needs capabilities of the mount namespace
 *   4 limits                               before ids: a process limit is checked by the uid change
 *   5 ids, death signal again              a uid change clears it
 *   6 Landlock                             needs no_new_privs; opens paths the filter still allows
 *   7 filter                               last: no step after it needs more than exec
 *   8 exec
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/sandbox/launch.h"

static const char *const step_names[] = {
#define X(name, text) text,
    SANDBOX_STEP_TABLE(X)
#undef X
};

/* The only way out on failure: tell which step, and never go on. By hand, without a report pipe,
 * the line goes to stderr instead. */
static _Noreturn void give_up(enum sandbox_step step)
{
    struct sandbox_report report = {.step = (uint32_t)step, .error = errno};
    if (write(SANDBOX_REPORT_FD, &report, sizeof(report)) != (ssize_t)sizeof(report)) {
        (void)fprintf(stderr, "drop7-sandbox: %s: %s\n", step_names[step], strerror(report.error));
    }
    _exit(SANDBOX_EXIT);
}

static void must(enum sandbox_step step, int result)
{
    if (result) {
        give_up(step);
    }
}

/* --- 1: descriptors, session, death signal ---------------------------------------------------- */

static int close_from(unsigned fd)
{
    return syscall(SYS_close_range, fd, ~0u, 0) ? -1 : 0; /* by number: musl has no name for it */
}

static int own_descriptors(void)
{
    for (int fd = 0; fd < SANDBOX_REPORT_FD; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            return -1;
        }
    }
    if (fcntl(SANDBOX_REPORT_FD, F_SETFD, FD_CLOEXEC) &&
        open("/", O_PATH | O_CLOEXEC) != SANDBOX_REPORT_FD) { /* a place holder: not writable */
        return -1;
    }
    return close_from(SANDBOX_REPORT_FD + 1);
}

static int own_session(void)
{
    (void)umask(077);
    /* The caller may have made us leader of a group (or session) already: then there is one. */
    if (setsid() < 0 && getpgrp() != getpid()) {
        return -1;
    }
    /* Ignored signals and masks pass through exec: the worker's would be the policy's. */
    for (int s = 1; s < NSIG; s++) {
        if (s != SIGKILL && s != SIGSTOP) {
            (void)signal(s, SIG_DFL); /* the two that libc keeps for itself refuse */
        }
    }
    sigset_t none;
    (void)sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The check comes after the wish: a caller that died in between is seen by one of the two. */
static int die_with_caller(const struct launch *l)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) {
        return -1;
    }
    if (l->parent && getppid() != l->parent) {
        errno = ESRCH;
        return -1;
    }
    return 0;
}

/* --- 8: exec ---------------------------------------------------------------------------------- */

#define WORDS 12

static const char fd_path[] = "/dev/fd/";

struct command {
    const char *argv[WORDS];
    const char *envp[4];
    char copy[32]; /* /dev/fd/N of a script outside tier A */
};

static void command_make(const struct launch *l, struct command *ret)
{
    size_t n = 0;
    const char *file = LAUNCH_POLICY;
    *ret = (struct command){0};
    if (l->copy_fd >= 0) {
        (void)snprintf(ret->copy, sizeof(ret->copy), "%s%d", fd_path, l->copy_fd);
        file = ret->copy;
    }
    if (!l->interpreter) {
        ret->argv[n++] = "policy";
    } else {
        ret->argv[n++] = l->interpreter;
        if (interpreter_is(l->interpreter, "python")) {
            ret->argv[n++] = "-I"; /* no site folders, no PYTHON* */
            ret->argv[n++] = "-u"; /* an answer leaves at once, flushed or not */
        } else if (interpreter_is(l->interpreter, "node")) {
            ret->argv[n++] = "--preserve-symlinks-main"; /* /dev/fd/N leads to no path */
        }
        ret->argv[n++] = file;
        ret->envp[0] = "PATH=/usr/bin:/bin";
        ret->envp[1] = "HOME=/tmp";
        ret->envp[2] = "LANG=C.UTF-8";
    }
    for (size_t i = 0; l->arguments[i] && n + 1 < WORDS; i++) {
        ret->argv[n++] = l->arguments[i];
    }
}

/* Steps 6 to 8, the same in every tier but for what is left out of --off. */
static _Noreturn void become_policy(struct launch *l)
{
    struct command c;
    /* On the stack: the filter knows the address, which shall differ from start to start. */
    char empty[] = "", policy[] = LAUNCH_POLICY;
    bool by_fd = l->copy_fd >= 0 && !l->interpreter;
    const char *path = by_fd ? empty : l->interpreter ? l->interpreter : policy;
    command_make(l, &c);
    if (l->confinement != CONFINE_OFF) {
        must(SANDBOX_STEP_LANDLOCK, landlock_apply(l));
        must(SANDBOX_STEP_FILTER, filter_apply(l, path));
    }
    if (by_fd) {
        (void)syscall(SYS_execveat, l->copy_fd, path, c.argv, c.envp, AT_EMPTY_PATH);
    } else {
        (void)syscall(SYS_execve, path, c.argv, c.envp);
    }
    give_up(SANDBOX_STEP_EXEC);
}

/* --- 2 to 5, inside --------------------------------------------------------------------------- */

/* Waits for the policy only: nothing else is ever born here. */
static _Noreturn void be_init(pid_t policy, int outside)
{
    int status = 0;
    /* An init that kept the pipes would keep a dead policy's stdout open. */
    (void)dup2(outside, 0);
    (void)close_from(1);
    /* Out of the group, which is the policy's alone from now on; the launcher follows. Staying
     * would only mean to be stopped and woken with it at every move. */
    if (!setpgid(0, 0)) {
        (void)!write(0, "g", 1); /* the launcher gone: then we are about to be killed */
    }
    while (waitpid(policy, &status, 0) != policy && errno == EINTR) {
    }
    _exit(write(0, &status, sizeof(status)) == (ssize_t)sizeof(status) ? 0 : SANDBOX_EXIT);
}

static int policy_main(void *launch)
{
    become_policy(launch);
}

/* `outside` reads end of file once the launcher is gone. */
static _Noreturn void inside(struct launch *l, const struct cgroup *group, int outside)
{
    static const size_t size = 64 << 10;
    struct pollfd gone = {.fd = outside};
    must(SANDBOX_STEP_NAMESPACES, prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
    must(SANDBOX_STEP_CGROUP, cgroup_enter(group));
    must(SANDBOX_STEP_NAMESPACES, root_enter(l));
    must(SANDBOX_STEP_MOUNTS, root_build(l));
    must(SANDBOX_STEP_LIMITS, limits_apply(l));
    must(SANDBOX_STEP_IDS, ids_drop(l) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
    errno = ESRCH;
    must(SANDBOX_STEP_NAMESPACES, poll(&gone, 1, 0) != 0);
    /* As vfork does it: copying our pages would cost as much as the mounts, and we have nothing to
     * do before the policy's exec anyway. A stack of its own, because we come back to ours. */
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(SANDBOX_STEP_NAMESPACES, stack == MAP_FAILED);
    pid_t policy = clone(policy_main, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, l);
    must(SANDBOX_STEP_NAMESPACES, policy < 0);
    be_init(policy, outside);
}

/* --- the launcher ----------------------------------------------------------------------------- */

/* The end the policy had, as our own: the worker sees the very signal. */
static _Noreturn void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        struct rlimit one = {.rlim_cur = 1, .rlim_max = 1}; /* as in limits.c: no dump of us */
        sigset_t none;
        (void)sigemptyset(&none);
        (void)setrlimit(RLIMIT_CORE, &one);
        (void)signal(SIGTERM, SIG_DFL); /* see outlive_the_worker */
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        (void)kill(getpid(), WTERMSIG(status));
    }
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void on_term(int number)
{
    (void)number; /* only ends the wait */
}

/* From here on the worker's death is a request and no end, so that the cgroup goes too. Only once
 * we are out of the policy's group: stopped with it, we would never hear of it. */
static void outlive_the_worker(const struct launch *l)
{
    struct sigaction term = {.sa_handler = on_term};
    sigset_t mask;
    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, SIGTERM);
    if (sigaction(SIGTERM, &term, NULL) || sigprocmask(SIG_BLOCK, &mask, NULL) ||
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) || (l->parent && getppid() != l->parent)) {
        (void)raise(SIGTERM);
    }
}

/* Something to read, or the end of it; false when we are asked to end. */
static bool wait_for(int talk)
{
    struct pollfd ready = {.fd = talk, .events = POLLIN};
    sigset_t none;
    (void)sigemptyset(&none);
    return ppoll(&ready, 1, NULL, &none) == 1;
}

/* `talk` ends when init does; before that it brings a byte when init has left the policy's group,
 * and the policy's status, unless init failed. */
static _Noreturn void wait_outside(const struct launch *l, pid_t init, int talk,
                                   const struct cgroup *group)
{
    int status = 0, init_status = 0;
    char byte = 0;
    bool told = false;
    if (read(talk, &byte, 1) == 1) {
        if (!setpgid(0, init)) { /* else we are stopped with the policy, as well */
            outlive_the_worker(l);
        }
        if (!wait_for(talk)) {
            (void)kill(init, SIGKILL);
        }
        told = read(talk, &status, sizeof(status)) == (ssize_t)sizeof(status);
    }
    while (waitpid(init, &init_status, 0) != init && errno == EINTR) {
    }
    cgroup_remove(group);
    end_as(told ? status : init_status);
}

static _Noreturn void launch_full(struct launch *l)
{
    struct cgroup group;
    int talk[2];
    must(SANDBOX_STEP_CGROUP, cgroup_make(l, &group));
    must(SANDBOX_STEP_DESCRIPTORS, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk));
    unsigned long flags = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS |
                          CLONE_NEWCGROUP | (l->own_uid ? 0ul : (unsigned long)CLONE_NEWUSER);
    pid_t init = cgroup_clone(&group, flags);
    if (init == 0) {
        (void)close(talk[1]);
        inside(l, &group, talk[0]);
    }
    if (init < 0) {
        int error = errno;
        cgroup_remove(&group);
        errno = error;
        give_up(SANDBOX_STEP_NAMESPACES);
    }
    /* From here init reports for itself. Our copies go, so end of file means what it says. */
    if (dup2(talk[1], 0) != 0) {
        (void)kill(init, SIGKILL);
    }
    (void)close_from(1);
    wait_outside(l, init, 0, &group);
}

static _Noreturn void launch_in_place(struct launch *l)
{
    struct cgroup group;
    must(SANDBOX_STEP_CGROUP, cgroup_make(l, &group) || cgroup_enter(&group));
    must(SANDBOX_STEP_MOUNTS, file_seal(l) || chdir("/"));
    must(SANDBOX_STEP_LIMITS, limits_apply(l));
    if (l->confinement == CONFINE_PLAIN) {
        must(SANDBOX_STEP_IDS, ids_drop(l) || die_with_caller(l));
    }
    become_policy(l);
}

int main(int argc, char **argv)
{
    struct launch l;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return fputs(options_help, stdout) < 0;
    }
    if (argc == 3 && strcmp(argv[1], "--inside") == 0) {
        return inside_run(argv[2]);
    }
    if (!options_take(&l, argc, argv)) {
        (void)fputs(options_help, stderr);
        errno = EINVAL;
        give_up(SANDBOX_STEP_ARGUMENTS);
    }
    if (l.probe || l.tier) {
        return l.tier ? probe_tier(&l) : probe_run(&l);
    }
    must(SANDBOX_STEP_DESCRIPTORS, own_descriptors() || own_session() || die_with_caller(&l));
    must(SANDBOX_STEP_ARGUMENTS, file_open(&l));
    ids_look(&l);
    if (l.confinement != CONFINE_FULL) {
        launch_in_place(&l);
    }
    launch_full(&l);
}
