#include "tests/support/confined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "server/work/isolation.h"
#include "tests/support/process.h"

#define HIGH 50 /* our pipe ends lie above what the child's become */

#define RUNS 4 /* at once */

static pid_t running[RUNS];
static char folder[PATH_MAX / 2];
static char launcher[PATH_MAX];

const char *confined_folder(void)
{
    return folder;
}

const char *confined_copy(const char *path)
{
    static char to[PATH_MAX];
    struct buf bytes;
    const char *name = strrchr(path, '/');
    buf_init(&bytes, 64u << 20);
    assert_int_equal(file_read(path, &bytes), D7_OK);
    (void)snprintf(to, sizeof(to), "%s/%s", folder, name ? name + 1 : path);
    assert_int_equal(file_write(to, buf_span(&bytes), 0755), D7_OK);
    assert_int_equal(chmod(to, 0755), 0);
    buf_release(&bytes);
    return to;
}

const char *confined_script(const char *name, const char *text)
{
    static char to[PATH_MAX];
    (void)snprintf(to, sizeof(to), "%s/%s", folder, name);
    assert_int_equal(file_write(to, span_of(text), 0755), D7_OK);
    assert_int_equal(chmod(to, 0755), 0);
    return to;
}

void confined_setup(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", support_scratch());
    assert_int_equal(chmod(folder, 0755), 0);
    (void)snprintf(launcher, sizeof(launcher), "%s",
                   confined_copy(support_program("drop7-sandbox")));
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void open_pipe(int fds[2])
{
    int low[2];
    assert_int_equal(pipe2(low, O_CLOEXEC), 0);
    for (int i = 0; i < 2; i++) {
        fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, HIGH);
        assert_true(fds[i] >= HIGH);
        (void)close(low[i]);
    }
}

static _Noreturn void become(const struct confined *c, const int child[4])
{
    const char *argv[32];
    char parent[16];
    char *none[] = {NULL};
    static char secret[] = "SECRET=1";
    char *some[] = {secret, NULL};
    size_t n = 0;
    (void)snprintf(parent, sizeof(parent), "%d", (int)getppid());
    argv[n++] = launcher;
    argv[n++] = "--parent";
    argv[n++] = parent;
    for (size_t i = 0; c->options[i]; i++) {
        argv[n++] = c->options[i];
    }
    argv[n++] = "--";
    argv[n++] = c->file;
    for (size_t i = 0; c->arguments[i]; i++) {
        argv[n++] = c->arguments[i];
    }
    argv[n] = NULL;
    for (int i = 0; i < 4; i++) {
        (void)dup2(child[i], i);
    }
    if (c->inherit) {
        (void)dup2(c->inherit, 7);
        (void)dup2(c->inherit, 40);
    }
    (void)setpgid(0, 0);
    if (c->as_nobody &&
        (setgroups(0, NULL) || setgid(CONFINED_NOBODY) || setuid(CONFINED_NOBODY))) {
        _exit(99);
    }
    char *const *words = NULL;
    const char *const *plain = argv;
    memcpy(&words, &plain, sizeof(words));
    (void)execve(launcher, words, c->with_environment ? some : none);
    _exit(98);
}

struct confined_run confined_start(const struct confined *c)
{
    int in[2], out[2], err[2], report[2];
    open_pipe(in);
    open_pipe(out);
    open_pipe(err);
    open_pipe(report);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        become(c, (const int[]){in[0], out[1], err[1], report[1]});
    }
    for (size_t i = 0; i < RUNS; i++) {
        if (!running[i]) {
            running[i] = pid;
            break;
        }
    }
    (void)setpgid(pid, pid); /* whoever of the two is first */
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(err[1]);
    (void)close(report[1]);
    if (c->input) {
        (void)!write(in[1], c->input, strlen(c->input));
    }
    return (struct confined_run){
        .pid = pid, .in = in[1], .out = out[0], .err = err[0], .report = report[0]};
}

bool confined_wait_output(const struct confined_run *r, int ms)
{
    struct pollfd ready = {.fd = r->out, .events = POLLIN};
    return poll(&ready, 1, ms) == 1 && (ready.revents & POLLIN);
}

/* Drains one descriptor; -1 afterwards at its end. */
static void drain(int *fd, char *to, uint64_t *total)
{
    static char chunk[65536];
    ssize_t n = read(*fd, chunk, sizeof(chunk));
    if (n <= 0) {
        (void)close(*fd);
        *fd = -1;
        return;
    }
    size_t room = *total < CONFINED_OUTPUT - 1 ? CONFINED_OUTPUT - 1 - (size_t)*total : 0;
    if (room) {
        memcpy(to + *total, chunk, (size_t)n < room ? (size_t)n : room);
    }
    *total += (uint64_t)n;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

void confined_finish(struct confined_run *r, int deadline_ms, struct confined_end *ret)
{
    int64_t from = clock_mono_ms(), left = deadline_ms;
    uint64_t error_bytes = 0;
    memset(ret, 0, sizeof(*ret));
    while ((left = deadline_ms - (clock_mono_ms() - from)) > 0) {
        struct pollfd ready[2] = {{.fd = r->out, .events = POLLIN},
                                  {.fd = r->err, .events = POLLIN}};
        bool open = r->out >= 0 || r->err >= 0;
        if (!open && has_ended(r->pid)) {
            break;
        }
        (void)poll(ready, 2, open ? (int)left : 2); /* closed both, but alive: look again */
        if (ready[0].revents) {
            drain(&r->out, ret->output, &ret->output_bytes);
        }
        if (ready[1].revents) {
            drain(&r->err, ret->errors, &error_bytes);
        }
    }
    ret->over_time = !has_ended(r->pid);
    ret->ms = clock_mono_ms() - from;
    (void)kill(-r->pid, SIGKILL); /* as the worker does, ended or not */
    assert_int_equal(wait4(r->pid, &ret->status, 0, &ret->usage), r->pid);
    for (size_t i = 0; i < RUNS; i++) {
        running[i] = running[i] == r->pid ? 0 : running[i];
    }
    ret->reported =
        read(r->report, &ret->report, sizeof(ret->report)) == (ssize_t)sizeof(ret->report);
    int *fds[] = {&r->in, &r->out, &r->err, &r->report};
    for (size_t i = 0; i < D7_COUNT(fds); i++) {
        if (*fds[i] >= 0) {
            (void)close(*fds[i]);
            *fds[i] = -1;
        }
    }
}

void confined_run(const struct confined *c, int deadline_ms, struct confined_end *ret)
{
    struct confined_run r = confined_start(c);
    confined_finish(&r, deadline_ms, ret);
}

void confined_wait_outside(pid_t pid)
{
    int64_t until = clock_mono_ms() + support_patience(10000);
    while (clock_mono_ms() < until && (getpgid(pid) == pid || process_state(pid) != 'S')) {
        (void)poll(NULL, 0, 1);
    }
}

/* The fourth field of /proc/PID/stat, counted from behind the name. */
static int64_t parent_of(const char *pid)
{
    char path[64], text[512];
    int64_t parent = 0;
    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f) {
        return 0;
    }
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    (void)fclose(f);
    text[n] = '\0';
    const char *after = strrchr(text, ')');
    struct span rest = span_of(after ? after + 1 : "");
    (void)span_token(&rest);
    return span_parse_i64(span_token(&rest), 0, INT32_MAX, &parent) ? 0 : parent;
}

static unsigned children(pid_t keep)
{
    unsigned count = 0;
    DIR *proc = opendir("/proc");
    assert_non_null(proc);
    for (struct dirent *e = readdir(proc); e; e = readdir(proc)) {
        int64_t pid = 0;
        if (span_parse_i64(span_of(e->d_name), 1, INT32_MAX, &pid) || pid == keep ||
            parent_of(e->d_name) != getpid()) {
            continue;
        }
        if (waitpid((pid_t)pid, NULL, WNOHANG) != pid) {
            count++;
        }
    }
    (void)closedir(proc);
    return count;
}

unsigned confined_left(pid_t keep)
{
    unsigned count = 0;
    int64_t until = clock_mono_ms() + 2000;
    while ((count = children(keep)) > 0 && clock_mono_ms() < until) {
        struct timespec tick = {.tv_nsec = 2000000};
        (void)nanosleep(&tick, NULL); /* killed, dying: nothing to wait on for strangers */
    }
    return count;
}

bool confined_alive(pid_t pid)
{
    return kill(pid, 0) == 0 && !has_ended(pid);
}

int confined_descriptors(void)
{
    DIR *open_ones = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(open_ones);
    for (const struct dirent *e = readdir(open_ones); e; e = readdir(open_ones)) {
        count += e->d_name[0] != '.';
    }
    (void)closedir(open_ones);
    return count - 1; /* without the open_ones's own */
}

void confined_summary(int descriptors_before)
{
    unsigned processes = 0, zombies = 0;
    bool settled = isolation_settle();
    DIR *proc = opendir("/proc");
    assert_non_null(proc);
    for (const struct dirent *e = readdir(proc); e; e = readdir(proc)) {
        int64_t pid = 0;
        if (!span_parse_i64(span_of(e->d_name), 1, INT32_MAX, &pid) &&
            parent_of(e->d_name) == getpid()) {
            siginfo_t info = {.si_pid = 0};
            (void)waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
            zombies += info.si_pid != 0;
            processes += info.si_pid == 0;
        }
    }
    (void)closedir(proc);
    int descriptors = confined_descriptors() - descriptors_before;
    print_message("processes left %u, zombies %u, descriptors %+d\n", processes, zombies,
                  descriptors);
    assert_true(settled);
    assert_int_equal(processes, 0);
    assert_int_equal(zombies, 0);
    assert_int_equal(descriptors, 0);
}

static unsigned wanted_slot;

/* "drop7-NAMESPACE-SLOT": the slot's group, or one whose worker is gone. */
static int is_slots_group(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    char prefix[48];
    int64_t slot = 0;
    struct stat space;
    const char *name = path + at->base;
    assert_int_equal(stat("/proc/self/ns/pid", &space), 0);
    (void)snprintf(prefix, sizeof(prefix), "drop7-%llu-", (unsigned long long)space.st_ino);
    (void)info;
    if (kind != FTW_D || strncmp(name, prefix, strlen(prefix)) != 0 ||
        span_parse_i64(span_of(name + strlen(prefix)), 1, INT32_MAX, &slot)) {
        return 0;
    }
    return wanted_slot ? slot == wanted_slot : kill((pid_t)slot, 0) != 0 && errno == ESRCH;
}

bool confined_cgroup(unsigned slot)
{
    wanted_slot = slot;
    return nftw("/sys/fs/cgroup", is_slots_group, 16, FTW_PHYS) > 0;
}

void confined_reset(void)
{
    for (size_t i = 0; i < RUNS; i++) {
        if (running[i]) {
            (void)kill(-running[i], SIGKILL);
            (void)waitpid(running[i], NULL, 0);
            running[i] = 0;
        }
    }
}

/* A killed launcher leaves its cgroups, empty; the launcher's own sweep takes them. */
void confined_teardown(void)
{
    static struct confined_end end;
    confined_reset();
    const struct confined sweep = {.options = {"--tier", NULL}, .file = launcher};
    confined_run(&sweep, 30000, &end);
    support_scratch_remove();
}
