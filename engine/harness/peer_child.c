/*
 * Design: posix_spawn into a process group of its own, so that one kill reaches all of it; nothing
 * of ours runs between fork and exec. The child gets descriptors 0, 1, 2 (and 3 where there is a
 * report pipe) and no other, all signals at their defaults, none blocked, and an environment that
 * is empty unless given. A pidfd tells of its end: end of file on its output does not, since a
 * grandchild may hold the pipe open.
 *
 * Ending: SIGKILL to the group while its leader is not yet reaped (so the number cannot be another
 * group's), then reap the leader within REAP_MS: a launcher may have left the group by then, and
 * ends, after tidying up, because the policy did; one that does not is killed by its own number.
 * Rejected: SIGTERM first; a program that wants to clean up has `quit` and QUIT_MS.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/harness/peer_kind.h"

#define QUIT_MS   200  /* to end by itself after `quit` */
#define REAP_MS   5000 /* a killed process that takes longer is stuck in the kernel */
#define STATUS_MS 100  /* between closing its output and having an exit status */
#define FIRST_FD  10   /* our ends live above the numbers the child's become */
#define READ_END  0
#define WRITE_END 1
#define PIPE_CLOSED                                                                                \
    {                                                                                              \
        -1, -1                                                                                     \
    }

struct peer_child {
    struct peer base;
    struct child_spec spec;
    pid_t pid; /* 0: none */
    int report_fd;
    bool paused;
};

struct pipes {
    int in[2], out[2], errors[2], report[2];
};

static struct peer_child *child_of(struct peer *p)
{
    return (struct peer_child *)p;
}

static void close_pipe(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]); /* nothing of ours is buffered in it */
        }
        fds[i] = -1;
    }
}

static void close_pipes(struct pipes *all)
{
    close_pipe(all->in);
    close_pipe(all->out);
    close_pipe(all->errors);
    close_pipe(all->report);
}

/* Both ends CLOEXEC and above FIRST_FD, or dup2 onto 0-3 in the child could hit a pipe it has still
 * to hand out. `ours` does not block. */
static enum d7_err open_pipe(int fds[2], int ours)
{
    if (pipe2(fds, O_CLOEXEC) < 0) {
        fds[0] = -1;
        fds[1] = -1;
        return d7_err_from_errno(errno);
    }
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= FIRST_FD) {
            continue;
        }
        int high = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FD);
        if (high < 0) {
            return d7_err_from_errno(errno);
        }
        (void)close(fds[i]); /* the copy is what counts */
        fds[i] = high;
    }
    return fd_set_nonblock(fds[ours]);
}

static enum d7_err open_pipes(struct pipes *all, bool report)
{
    enum d7_err err = open_pipe(all->in, WRITE_END);
    if (!err) {
        err = open_pipe(all->out, READ_END);
    }
    if (!err) {
        err = open_pipe(all->errors, READ_END);
    }
    if (!err && report) {
        err = open_pipe(all->report, READ_END);
    }
    return err;
}

/* The spawn calls return errno values; the first one that is not 0 is kept. */
static int describe_child(const struct child_spec *spec, const struct pipes *all,
                          posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t every;
    (void)sigemptyset(&none); /* cannot fail */
    (void)sigfillset(&every);
    int number = posix_spawn_file_actions_adddup2(files, all->in[READ_END], 0);
    number = number ? number : posix_spawn_file_actions_adddup2(files, all->out[WRITE_END], 1);
    number = number ? number : posix_spawn_file_actions_adddup2(files, all->errors[WRITE_END], 2);
    if (spec->report_pipe && !number) {
        number = posix_spawn_file_actions_adddup2(files, all->report[WRITE_END], 3);
    }
    number = number ? number
                    : posix_spawn_file_actions_addclosefrom_np(files, spec->report_pipe ? 4 : 3);
    if (spec->cwd && !number) {
        number = posix_spawn_file_actions_addchdir_np(files, spec->cwd);
    }
    number = number ? number : posix_spawnattr_setpgroup(attributes, 0);
    number = number ? number : posix_spawnattr_setsigmask(attributes, &none);
    number = number ? number : posix_spawnattr_setsigdefault(attributes, &every);
    return number ? number
                  : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
                                                             POSIX_SPAWN_SETSIGMASK |
                                                             POSIX_SPAWN_SETSIGDEF);
}

/* posix_spawn wants pointers to char that it does not write through. */
static char *const *as_vector(const char *const *words)
{
    char *const *same = NULL;
    memcpy(&same, &words, sizeof(same));
    return same;
}

static int spawn_child(const struct child_spec *spec, const struct pipes *all, pid_t *ret_pid)
{
    static const char *const nothing[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int number = posix_spawn_file_actions_init(&files);
    if (number) {
        return number;
    }
    number = posix_spawnattr_init(&attributes);
    if (!number) {
        number = describe_child(spec, all, &files, &attributes);
        number =
            number ? number
                   : posix_spawn(ret_pid, spec->argv[0], &files, &attributes, as_vector(spec->argv),
                                 as_vector(spec->envp ? spec->envp : nothing));
        (void)posix_spawnattr_destroy(&attributes); /* neither destroy can fail */
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return number;
}

/* What is wrong with the program itself; anything else that fails is ours. */
static bool is_programs_fault(int number)
{
    static const int list[] = {ENOENT, EACCES, ENOEXEC, ENOTDIR, EISDIR,       ELOOP,
                               EPERM,  EINVAL, ELIBBAD, E2BIG,   ENAMETOOLONG, ETXTBSY};
    for (size_t i = 0; i < D7_COUNT(list); i++) {
        if (list[i] == number) {
            return true;
        }
    }
    return false;
}

static void wait_for_exit(const struct peer *p, int ms)
{
    struct pollfd fd = {.fd = p->link.exit_fd, .events = POLLIN};
    int64_t until = clock_mono_ms() + ms;
    while (ms > 0 && poll(&fd, 1, ms) < 0 && errno == EINTR) {
        ms = (int)(until - clock_mono_ms());
    }
}

static bool reap_within(const struct peer_child *c, int ms)
{
    int64_t until = clock_mono_ms() + ms;
    for (;;) {
        pid_t got = waitpid(c->pid, NULL, WNOHANG);
        int64_t left = until - clock_mono_ms();
        if (got > 0 || (got < 0 && errno != EINTR)) {
            return true;
        }
        if (left <= 0) {
            return false;
        }
        /* without a pidfd (an old kernel's filter may forbid them) look every few ms */
        wait_for_exit(&c->base, c->base.link.exit_fd < 0 && left > 5 ? 5 : (int)left);
    }
}

static void reap(struct peer_child *c)
{
    if (!reap_within(c, REAP_MS)) {
        (void)kill(c->pid, SIGKILL); /* not reaped, so the number is still its own */
        (void)reap_within(c, REAP_MS);
    }
    c->pid = 0;
}

static void read_report(struct peer_child *c)
{
    struct peer *p = &c->base;
    while (c->report_fd >= 0) {
        char chunk[PEER_REPORT_MAX];
        ssize_t got = read(c->report_fd, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        size_t room = sizeof(p->report) - p->report_len;
        size_t take = (size_t)got < room ? (size_t)got : room;
        memcpy(p->report + p->report_len, chunk, take);
        p->report_len += take;
        if (take == 0) {
            break; /* more than we keep: no launcher of ours */
        }
    }
}

static void child_stop(struct peer *p, bool politely)
{
    struct peer_child *c = child_of(p);
    if (politely) {
        wait_for_exit(p, QUIT_MS);
    }
    (void)kill(-c->pid, SIGKILL); /* fails only where nobody is left */
    reap(c);
    link_drain_errors(&p->link);
    read_report(c);
    if (c->report_fd >= 0) {
        (void)close(c->report_fd); /* only read from */
        c->report_fd = -1;
    }
    link_close(&p->link);
    c->paused = false;
}

static enum d7_err child_start(struct peer *p, struct patience *w, enum peer_event *ret)
{
    (void)w; /* starting a process does not wait for it */
    struct peer_child *c = child_of(p);
    struct pipes all = {PIPE_CLOSED, PIPE_CLOSED, PIPE_CLOSED, PIPE_CLOSED};
    pid_t pid = 0;
    int number = 0;
    enum d7_err err = open_pipes(&all, c->spec.report_pipe);
    if (err) {
        goto out;
    }
    number = spawn_child(&c->spec, &all, &pid);
    if (number && is_programs_fault(number)) {
        /* the kernel says "no such file" of a file that is there, too, and means its first line */
        bool is_there = number == ENOENT && access(c->spec.argv[0], F_OK) == 0;
        (void)snprintf(p->why, sizeof(p->why), "the program cannot be started: %s",
                       is_there ? "its interpreter is missing" : strerrordesc_np(number));
        *ret = PEER_NO_START;
        goto out;
    }
    if (number) {
        err = d7_err_from_errno(number);
        goto out;
    }
    c->pid = pid;
    c->report_fd = all.report[READ_END];
    link_open(&p->link, all.out[READ_END], all.in[WRITE_END], all.errors[READ_END],
              pidfd_open(pid, 0));
    all.out[READ_END] = -1; /* now the link's and the peer's */
    all.in[WRITE_END] = -1;
    all.errors[READ_END] = -1;
    all.report[READ_END] = -1;
    *ret = PEER_DONE;
out:
    close_pipes(&all);
    return err;
}

static void child_set_paused(struct peer *p, bool paused)
{
    struct peer_child *c = child_of(p);
    if (c->spec.stop_between_moves && c->pid > 0 && c->paused != paused) {
        (void)kill(-c->pid, paused ? SIGSTOP : SIGCONT); /* it may have ended: seen at the read */
        c->paused = paused;
    }
}

static void child_explain_end(struct peer *p)
{
    struct peer_child *c = child_of(p);
    siginfo_t info = {.si_pid = 0};
    wait_for_exit(p, STATUS_MS);
    /* WNOWAIT: it stays a zombie, so that its group can still be killed by number */
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) {
        (void)snprintf(p->why, sizeof(p->why), "the program closed its input or output");
    } else if (info.si_code == CLD_EXITED) {
        (void)snprintf(p->why, sizeof(p->why), "the program ended with exit status %d",
                       info.si_status);
    } else {
        const char *name = sigdescr_np(info.si_status);
        (void)snprintf(p->why, sizeof(p->why), "the program was ended by signal %d (%s)",
                       info.si_status, name ? name : "unknown");
    }
}

static const struct peer_kind child_kind = {
    .start = child_start,
    .stop = child_stop,
    .set_paused = child_set_paused,
    .explain_end = child_explain_end,
};

/* Ours may be as whoever started us left them. Where ended children are not kept for us to ask,
 * how a policy ended is lost, and its number may be another process's when we kill. */
static void set_signals(void)
{
    struct sigaction now;
    if (sigaction(SIGCHLD, NULL, &now) == 0 &&
        (now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT))) {
        now.sa_handler = now.sa_handler == SIG_IGN ? SIG_DFL : now.sa_handler;
        now.sa_flags &= ~SA_NOCLDWAIT;
        (void)sigaction(SIGCHLD, &now, NULL); /* cannot fail for a valid signal */
    }
    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
        now.sa_handler = SIG_IGN;
        (void)sigaction(SIGPIPE, &now, NULL); /* cannot fail for a valid signal */
    }
}

enum d7_err peer_child_new(const struct child_spec *spec, const struct harness_limits *limits,
                           struct peer **ret)
{
    struct peer_child *c = calloc(1, sizeof(*c));
    if (!c) {
        return D7_ERR_NOMEM;
    }
    set_signals();
    c->spec = *spec;
    c->report_fd = -1;
    enum d7_err err = peer_init(&c->base, &child_kind, limits);
    if (err) {
        peer_free(&c->base);
        return err;
    }
    *ret = &c->base;
    return D7_OK;
}

struct span peer_report(struct peer *p)
{
    if (p->kind == &child_kind) {
        read_report(child_of(p));
    }
    return span_make(p->report, p->report_len);
}
