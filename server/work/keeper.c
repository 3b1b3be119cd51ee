/*
 * Design note. Two channels, so that an answer never has to be told from news: a packet socket for
 * questions and answers, one at a time, and a pipe on which the ends of workers come. The keeper
 * wakes serve with SIGCHLD, as the kernel would if the workers were serve's own. It ends when the
 * socket does: a parent-death signal would not do, because the kernel asks whether the dying parent
 * may signal the child, and one that gave up root may not.
 *
 * posix_spawn of our own program instead of a second fork: a worker starts with nothing of ours.
 * The worker sets its own parent-death signal as its first act and compares getppid() with the
 * parent it was told, which closes the gap between spawn and prctl. Each worker leads a process
 * group: a Ctrl-C in the terminal reaches serve alone, and the workers are stopped in order.
 */
#include "server/work/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct keeper {
    pid_t pid;
    int calls; /* packets: struct call there, int32_t errno value or process id back */
    int ends;  /* struct end comes; never blocks */
};

struct call {
    int32_t signal; /* 0: start worker `subject`; else send it to process `subject` */
    int32_t subject;
};

/* Smaller than PIPE_BUF: each is written and read whole. */
struct end {
    int32_t pid, status;
};

/* --- in the keeper -------------------------------------------------------------------------------
 */

struct ward {
    const struct keeper_options *o;
    char **argv; /* one allocation for the process's life */
    char place[16];
    pid_t parent;
    int calls, ends;
    pid_t workers[WORKER_COUNT_MAX]; /* 0: none; by number */
};

/* posix_spawn with the signals as a fresh program expects them. Returns an errno value. */
static int spawn_worker(const char *program, char *const *argv, pid_t *ret_pid)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t actions;
    int err = posix_spawnattr_init(&attr);
    if (err) {
        return err;
    }
    err = posix_spawn_file_actions_init(&actions);
    if (err) {
        (void)posix_spawnattr_destroy(&attr); /* cannot fail on Linux */
        return err;
    }
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    err = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    err = err ? err : posix_spawnattr_setsigmask(&attr, &none);
    err = err ? err : posix_spawnattr_setsigdefault(&attr, &all);
    err = err ? err : posix_spawnattr_setpgroup(&attr, 0);
    err = err ? err : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    err = err ? err : posix_spawn(ret_pid, program, &actions, &attr, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attr);
    return err;
}

/* program worker --supervised KEEPER NUMBER [options of serve]; false: no memory */
static bool build_argv(struct ward *w)
{
    static char worker[] = "worker", option[] = "--supervised", told[16];
    size_t given = w->o->argc > 0 ? (size_t)w->o->argc : 0;
    w->argv = calloc(given + 6, sizeof(*w->argv));
    if (!w->argv) {
        return false;
    }
    union {
        const char *in;
        char *out;
    } program = {w->o->program}; /* posix_spawn's argv is older than const; nobody writes to it */
    (void)snprintf(told, sizeof(told), "%d", (int)getpid()); /* fits */
    w->argv[0] = program.out;
    w->argv[1] = worker;
    w->argv[2] = option;
    w->argv[3] = told;
    w->argv[4] = w->place;
    for (size_t i = 0; i < given; i++) {
        w->argv[5 + i] = w->o->argv[i];
    }
    return true;
}

/* The worker's process id, or minus an errno value. */
static int32_t start_worker(struct ward *w, int32_t number)
{
    if (number < 0 || number >= WORKER_COUNT_MAX) {
        return -EINVAL;
    }
    if (w->workers[number]) {
        return -EEXIST;
    }
    (void)snprintf(w->place, sizeof(w->place), "%d", (int)number); /* fits */
    int failed = spawn_worker(w->o->program, w->argv, &w->workers[number]);
    if (failed) {
        w->workers[number] = 0;
        return -failed;
    }
    return w->workers[number];
}

/* Not reaped yet, so the process id is still its own. */
static int32_t signal_worker(const struct ward *w, int32_t pid, int32_t number)
{
    for (size_t i = 0; i < WORKER_COUNT_MAX; i++) {
        if (w->workers[i] == pid && pid > 0 && (number == SIGTERM || number == SIGKILL)) {
            return kill(pid, number) < 0 ? -errno : 0;
        }
    }
    return -ESRCH;
}

/* False when serve is gone. */
static bool answer_call(struct ward *w)
{
    struct call call;
    ssize_t got = recv(w->calls, &call, sizeof(call), 0);
    if (got < 0 && errno == EINTR) {
        return true;
    }
    if (got != (ssize_t)sizeof(call)) {
        return false;
    }
    int32_t answer =
        call.signal ? signal_worker(w, call.subject, call.signal) : start_worker(w, call.subject);
    return send(w->calls, &answer, sizeof(answer), MSG_NOSIGNAL) == (ssize_t)sizeof(answer);
}

static bool reap(struct ward *w)
{
    bool told = false;
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == EINTR) {
            continue;
        }
        if (pid <= 0) {
            break;
        }
        for (size_t i = 0; i < WORKER_COUNT_MAX; i++) {
            if (w->workers[i] == pid) {
                struct end end = {.pid = pid, .status = status};
                w->workers[i] = 0;
                if (write(w->ends, &end, sizeof(end)) != (ssize_t)sizeof(end)) {
                    return false;
                }
                told = true;
            }
        }
    }
    if (told) {
        (void)kill(w->parent, SIGCHLD); /* gone: the socket says so next */
    }
    return true;
}

/* The signals that are blocked stay so: whatever is sent to serve's whole group is for serve. */
static _Noreturn void keep(struct ward *w)
{
    sigset_t child;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
    (void)prctl(PR_SET_NAME, "drop7d-keeper");
    (void)setpgid(0, 0);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    bool going = signals >= 0 && build_argv(w);
    while (going) {
        struct pollfd ready[2] = {{.fd = w->calls, .events = POLLIN},
                                  {.fd = signals, .events = POLLIN}};
        if (poll(ready, 2, -1) < 0) {
            going = errno == EINTR;
            continue;
        }
        if (ready[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
            }
            going = reap(w);
        }
        if (going && ready[0].revents) {
            going = answer_call(w);
        }
    }
    _exit(0); /* the workers' parent-death signal ends them */
}

/* --- in serve ------------------------------------------------------------------------------------
 */

enum d7_err keeper_start(const struct keeper_options *o, struct keeper **ret, struct d7_why *why)
{
    int calls[2] = {-1, -1}, ends[2] = {-1, -1};
    struct keeper *k = calloc(1, sizeof(*k));
    if (!k) {
        return D7_ERR_NOMEM;
    }
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, calls) == 0 &&
        pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) {
        k->pid = fork();
    } else {
        k->pid = -1;
    }
    int number = errno;
    if (k->pid == 0) {
        struct ward w = {.o = o, .parent = parent, .calls = calls[1], .ends = ends[1]};
        (void)close(calls[0]); /* or the socket would never end */
        (void)close(ends[0]);
        keep(&w);
    }
    for (int i = k->pid < 0 ? 0 : 1; i < 2; i++) {
        if (calls[i] >= 0) {
            (void)close(calls[i]);
        }
        if (ends[i] >= 0) {
            (void)close(ends[i]);
        }
    }
    if (k->pid < 0) {
        free(k);
        return d7_refuse(why, d7_err_from_errno(number), NULL,
                         "cannot start the process that keeps the workers: %s",
                         strerrordesc_np(number));
    }
    k->calls = calls[0];
    k->ends = ends[0];
    *ret = k;
    return D7_OK;
}

/* The answer, or minus an errno value. */
static int32_t ask(const struct keeper *k, const struct call *call)
{
    int32_t answer = 0;
    ssize_t got = send(k->calls, call, sizeof(*call), MSG_NOSIGNAL);
    if (got == (ssize_t)sizeof(*call)) {
        do {
            got = recv(k->calls, &answer, sizeof(answer), 0);
        } while (got < 0 && errno == EINTR);
    }
    return got == (ssize_t)sizeof(answer) ? answer : -ECHILD;
}

int keeper_spawn(struct keeper *k, unsigned number, pid_t *ret_pid)
{
    int32_t answer = ask(k, &(struct call){.subject = (int32_t)number});
    if (answer <= 0) {
        return answer ? -answer : ECHILD;
    }
    *ret_pid = answer;
    return 0;
}

void keeper_signal(struct keeper *k, pid_t pid, int number)
{
    /* one that has ended meanwhile is told by keeper_next, and so is a keeper that has */
    (void)ask(k, &(struct call){.signal = number, .subject = pid});
}

enum keeper_news keeper_next(struct keeper *k, pid_t *ret_pid, int *ret_status)
{
    struct end end;
    ssize_t got = 0;
    do {
        got = read(k->ends, &end, sizeof(end));
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(end)) {
        *ret_pid = end.pid;
        *ret_status = end.status;
        return KEEPER_ENDED;
    }
    return got < 0 && errno == EAGAIN ? KEEPER_NOTHING : KEEPER_GONE;
}

void keeper_free(struct keeper *k)
{
    if (!k) {
        return;
    }
    (void)close(k->calls); /* it ends with this */
    (void)close(k->ends);
    while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    free(k);
}
