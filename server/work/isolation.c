#include "server/work/isolation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/sandbox/sandbox.h"

#define PROBE_MS     30000
#define PROBE_BYTES  4096
#define SETTLE_MS    2000
#define CPU_SECONDS  1800
#define SCRIPT       "script:"
#define PROGRAM_NAME "drop7-sandbox"

const char *isolation_tier_name(enum isolation_tier tier)
{
    static const char *const names[] = {"A", "B", "C", "off"};
    return names[tier];
}

bool isolation_admits(const struct isolation *iso)
{
    return iso->tier != ISOLATION_C;
}

unsigned isolation_places(const struct isolation *iso, uint64_t memory_bytes, bool with_node)
{
    uint64_t each = with_node ? SANDBOX_MEMORY_NODE : SANDBOX_MEMORY_PROGRAM;
    uint64_t places = memory_bytes / each;
    if (iso->memory_bounded || places >= UINT_MAX) {
        return UINT_MAX;
    }
    return places ? (unsigned)places : 1;
}

unsigned isolation_slot(void)
{
    return (unsigned)getpid();
}

/* --- the probe -------------------------------------------------------------------------------- */

static int spawn_probe(const char *launcher, int out, pid_t *ret_pid)
{
    char program[] = PROGRAM_NAME, option[] = "--tier";
    char *argv[] = {program, option, NULL}, *envp[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int number = posix_spawn_file_actions_init(&files);
    if (number) {
        return number;
    }
    number = posix_spawnattr_init(&attributes);
    if (!number) {
        number = posix_spawnattr_setpgroup(&attributes, 0);
        number = number ? number : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        number =
            number ? number : posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        number = number ? number : posix_spawn_file_actions_adddup2(&files, out, 1);
        number = number ? number : posix_spawn(ret_pid, launcher, &files, &attributes, argv, envp);
        (void)posix_spawnattr_destroy(&attributes); /* neither destroy can fail */
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return number;
}

/* What the probe printed, up to its end or the deadline. */
static void read_probe(int fd, struct buf *to)
{
    int64_t until = clock_mono_ms() + PROBE_MS;
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = until - clock_mono_ms();
        char chunk[512];
        if (left <= 0 || poll(&ready, 1, (int)left) == 0) {
            return;
        }
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return;
        }
        if (n > 0) {
            buf_append(to, chunk, (size_t)n);
        }
    }
}

/* The lines of sandbox.h: "tier X", "why TEXT", "memory bounded", "PROBE OK". Whatever is missing
 * is tier C. */
static void judge_probe(struct span text, struct isolation *iso)
{
    bool held = false;
    struct span tier = {0}, why = {0};
    while (text.len) {
        struct span line = span_cut(&text, '\n');
        if (span_starts(line, "tier ")) {
            tier = span_make(line.ptr + 5, line.len - 5);
        } else if (span_starts(line, "why ")) {
            why = span_make(line.ptr + 4, line.len - 4);
        }
        held = held || span_is(line, "PROBE OK");
        iso->memory_bounded = iso->memory_bounded || span_is(line, "memory bounded");
    }
    iso->tier = ISOLATION_C;
    if (held && span_is(tier, "A")) {
        iso->tier = ISOLATION_A;
    } else if (held && span_is(tier, "B")) {
        iso->tier = ISOLATION_B;
    }
    if (why.len) {
        (void)span_escape(why, iso->reason, sizeof(iso->reason));
    } else {
        (void)snprintf(iso->reason, sizeof(iso->reason),
                       "the probe of " PROGRAM_NAME " ended without an answer");
    }
}

static enum d7_err run_probe(struct isolation *iso)
{
    int fds[2];
    pid_t pid = 0;
    struct buf text;
    if (pipe2(fds, O_CLOEXEC)) {
        return d7_err_from_errno(errno);
    }
    buf_init(&text, PROBE_BYTES);
    int number = spawn_probe(iso->launcher, fds[1], &pid);
    (void)close(fds[1]); /* the child has its copy */
    if (number) {
        iso->tier = ISOLATION_C;
        (void)snprintf(iso->reason, sizeof(iso->reason), "cannot run " PROGRAM_NAME ": %s",
                       strerrordesc_np(number));
    } else {
        read_probe(fds[0], &text);
        (void)kill(-pid, SIGKILL); /* as a rule it has ended */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
        judge_probe(buf_span(&text), iso);
    }
    (void)close(fds[0]); /* only read from */
    buf_release(&text);
    return D7_OK;
}

enum d7_err isolation_probe(const char *program_dir, bool off, struct isolation *ret)
{
    struct isolation iso = {.tier = ISOLATION_OFF, .cpu_seconds = CPU_SECONDS};
    int n = snprintf(iso.launcher, sizeof(iso.launcher), "%s/" PROGRAM_NAME, program_dir);
    if (n < 0 || (size_t)n >= sizeof(iso.launcher)) {
        return D7_ERR_TOO_LARGE;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) {
        return d7_err_from_errno(errno);
    }
    enum d7_err err = D7_OK;
    if (off) {
        (void)snprintf(iso.reason, sizeof(iso.reason),
                       "confinement is switched off (--sandbox off): limits only");
    } else {
        err = run_probe(&iso);
    }
    if (!err) {
        *ret = iso;
    }
    return err;
}

/* --- one policy ------------------------------------------------------------------------------- */

static enum d7_err find_interpreter(const char *format, struct isolation_command *c)
{
    struct span name = span_of(format);
    if (span_is(name, "elf")) {
        return D7_OK;
    }
    return span_starts(name, SCRIPT) ? interpreter_find(format + strlen(SCRIPT), c->interpreter)
                                     : D7_ERR_UNSUPPORTED;
}

enum d7_err isolation_command(const struct isolation *iso, const char *artifact_path,
                              const char *format, unsigned slot, struct isolation_command *ret)
{
    size_t n = 0;
    if (!isolation_admits(iso)) {
        return D7_ERR_UNAVAILABLE;
    }
    if (strlen(artifact_path) >= sizeof(ret->path) || slot > SANDBOX_SLOT_MAX) {
        return D7_ERR_TOO_LARGE;
    }
    *ret = (struct isolation_command){0};
    enum d7_err err = find_interpreter(format, ret);
    if (err) {
        return err;
    }
    (void)snprintf(ret->path, sizeof(ret->path), "%s", artifact_path);
    (void)snprintf(ret->slot, sizeof(ret->slot), "%u", slot);
    (void)snprintf(ret->cpu, sizeof(ret->cpu), "%u", (unsigned)iso->cpu_seconds);
    (void)snprintf(ret->parent, sizeof(ret->parent), "%d", (int)getpid());
    const char *const words[] = {iso->launcher, "--slot", ret->slot, "--parent",
                                 ret->parent,   "--cpu",  ret->cpu};
    for (; n < D7_COUNT(words); n++) {
        ret->argv[n] = words[n];
    }
    if (iso->tier != ISOLATION_A) {
        ret->argv[n++] = iso->tier == ISOLATION_B ? "--confined" : "--off";
    }
    if (ret->interpreter[0]) {
        ret->argv[n++] = "--interpreter";
        ret->argv[n++] = ret->interpreter;
    }
    ret->argv[n++] = "--";
    ret->argv[n++] = ret->path;
    ret->spec = (struct child_spec){
        .argv = ret->argv, .envp = ret->envp, .report_pipe = true, .stop_between_moves = true};
    return D7_OK;
}

bool isolation_report_text(struct span report, char *ret_text, size_t size)
{
    static const char *const steps[] = {
#define X(name, text) text,
        SANDBOX_STEP_TABLE(X)
#undef X
    };
    struct sandbox_report r;
    if (report.len < sizeof(r)) {
        return false;
    }
    memcpy(&r, report.ptr, sizeof(r));
    const char *reason = strerrordesc_np(r.error);
    (void)snprintf(ret_text, size, "sandbox: %s: %s",
                   r.step < SANDBOX_STEP_COUNT ? steps[r.step] : "unknown step",
                   reason ? reason : "unknown error");
    return true;
}

/* --- afterwards ------------------------------------------------------------------------------- */

/* The parent in /proc/PID/stat: the second word behind the name, which may hold anything. */
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
    (void)fclose(f); /* only read from */
    text[n] = '\0';
    const char *after = strrchr(text, ')');
    struct span rest = span_of(after ? after + 1 : "");
    (void)span_token(&rest);
    return span_parse_i64(span_token(&rest), 0, INT32_MAX, &parent) ? 0 : parent;
}

/* Whatever lost its parent became our child (isolation_probe made us the reaper), and we have no
 * other: without confinement a policy may have left its process group. */
static void kill_children(void)
{
    DIR *proc = opendir("/proc");
    for (struct dirent *e = proc ? readdir(proc) : NULL; e; e = readdir(proc)) {
        int64_t pid = 0;
        if (!span_parse_i64(span_of(e->d_name), 1, INT32_MAX, &pid) &&
            parent_of(e->d_name) == getpid()) {
            (void)kill((pid_t)pid, SIGKILL); /* dead already is as good */
        }
    }
    if (proc) {
        (void)closedir(proc);
    }
}

bool isolation_settle(void)
{
    int64_t until = clock_mono_ms() + SETTLE_MS;
    for (;;) {
        pid_t gone = waitpid(-1, NULL, WNOHANG);
        if (gone < 0 && errno != EINTR) {
            return true; /* ECHILD: nobody left */
        }
        if (gone == 0) {
            struct timespec tick = {.tv_nsec = 1000000};
            if (clock_mono_ms() >= until) {
                return false;
            }
            kill_children();
            (void)nanosleep(&tick, NULL); /* no descriptor tells of the end of processes that were
                                             never ours */
        }
    }
}
