/*
 * Each attack of tests/hostile against its verdict, in tiers A and B, as root and as an ordinary
 * user. After each: no process left, and a sibling confined beside it still lives.
 */
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "tests/support/confined.h"

enum verdict {
    HELD,   /* refused: the attack itself says so */
    SIGNAL, /* ended by that signal */
    SPENT,  /* ended by its limit of CPU time */
    ENDED,  /* ended by whatever limit came first, or refused */
    KILLED, /* goes on for ever: the deadline's SIGKILL ends it */
};

static const char *const verdict_names[] = {[HELD] = "refused",
                                            [SIGNAL] = "ended by its signal",
                                            [SPENT] = "ended by its CPU limit",
                                            [ENDED] = "ended by a limit or refused",
                                            [KILLED] = "killed at the deadline"};

static const struct attack {
    const char *program;
    const char *line; /* what it reads; %s is a secret of ours, %d our sibling's process id */
    enum verdict verdict;
    int signal;
    const char *option, *value;
} attacks[] = {
    {"files", "read /etc/shadow", HELD, 0, NULL, NULL},
    {"files", "read /etc/passwd", HELD, 0, NULL, NULL},
    {"files", "read /proc/1/environ", HELD, 0, NULL, NULL},
    {"files", "read %s", HELD, 0, NULL, NULL},
    {"files", "climb %s", HELD, 0, NULL, NULL},
    {"files", "climb /etc/passwd", HELD, 0, NULL, NULL},
    {"files", "write %s", HELD, 0, NULL, NULL},
    {"files", "write-anywhere", HELD, 0, NULL, NULL},
    {"files", "own-file", HELD, 0, NULL, NULL},
    {"files", "make-things", HELD, 0, NULL, NULL},
    {"files", "million-files", HELD, 0, NULL, NULL},
    {"files", "list-processes", HELD, 0, NULL, NULL},
    {"files", "many-descriptors", HELD, 0, NULL, NULL},
    {"files", "leave-word", HELD, 0, NULL, NULL},
    {"network", "inet", HELD, 0, NULL, NULL},
    {"network", "inet6", HELD, 0, NULL, NULL},
    {"network", "unix-path /run/dbus/system_bus_socket", HELD, 0, NULL, NULL},
    {"network", "unix-abstract drop7", HELD, 0, NULL, NULL},
    {"network", "netlink", HELD, 0, NULL, NULL},
    {"network", "vsock", HELD, 0, NULL, NULL},
    {"network", "socketpair", HELD, 0, NULL, NULL},
    {"network", "io-uring", HELD, 0, NULL, NULL},
    {"processes", "fork-bomb", HELD, 0, NULL, NULL},
    {"processes", "thread-bomb 2000", HELD, 0, NULL, NULL},
    {"processes", "daemonize", HELD, 0, NULL, NULL},
    {"processes", "kill-parent", HELD, 0, NULL, NULL},
    {"processes", "kill-all", HELD, 0, NULL, NULL},
    {"processes", "kill %d", HELD, 0, NULL, NULL},
    {"processes", "exec-shell", HELD, 0, NULL, NULL},
    {"processes", "exec-setuid", HELD, 0, NULL, NULL},
    {"processes", "exec-self", HELD, 0, NULL, NULL},
    {"processes", "ptrace", SIGNAL, SIGSYS, NULL, NULL},
    {"processes", "read-memory %d", SIGNAL, SIGSYS, NULL, NULL},
    {"processes", "deaf", KILLED, 0, NULL, NULL},
    {"resources", "memory", ENDED, 0, NULL, NULL},
    {"resources", "memory-file", HELD, 0, NULL, NULL},
    {"resources", "kernel-objects", HELD, 0, NULL, NULL},
    {"resources", "busy", SPENT, SIGXCPU, "--cpu", "1"},
    {"resources", "busy-deaf", SPENT, SIGKILL, "--cpu", "1"},
    {"resources", "stack", SIGNAL, SIGSEGV, NULL, NULL},
    {"resources", "core", SIGNAL, SIGABRT, NULL, NULL},
    {"resources", "limits", HELD, 0, NULL, NULL},
    {"resources", "affinity", HELD, 0, NULL, NULL},
    {"resources", "pipe-size", HELD, 0, NULL, NULL},
    {"resources", "lock-memory", HELD, 0, NULL, NULL},
    {"resources", "flood stdout", KILLED, 0, NULL, NULL},
    {"resources", "flood stderr", KILLED, 0, NULL, NULL},
    {"resources", "close-all", KILLED, 0, NULL, NULL},
    {"privileges", "root", HELD, 0, NULL, NULL},
    {"privileges", "capabilities", HELD, 0, NULL, NULL},
    {"privileges", "clone-user", HELD, 0, NULL, NULL},
    {"privileges", "unshare", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "mount", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "chroot", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "bpf", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "keyctl", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "userfaultfd", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "perf", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "abi-x32", SIGNAL, SIGSYS, NULL, NULL},
    {"privileges", "abi-32", SIGNAL, 0, NULL, NULL}, /* SIGSEGV without 32-bit support */
    {"privileges", "type-in", HELD, 0, NULL, NULL},
    {"privileges", "environment", HELD, 0, NULL, NULL},
    {"privileges", "descriptors", HELD, 0, NULL, NULL},
};

static char programs[5][PATH_MAX];
static const char *const names[] = {"files", "network", "processes", "resources", "privileges"};
static char secret[PATH_MAX];

static const char *program(const char *name)
{
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return programs[i];
        }
    }
    fail_msg("no program %s", name);
    return NULL;
}

static bool is_right(const struct attack *a, const struct confined_end *end)
{
    bool ended = WIFSIGNALED(end->status);
    int by = ended ? WTERMSIG(end->status) : 0;
    bool said_held = strcmp(end->output, "HELD\n") == 0 && !ended && !WEXITSTATUS(end->status);
    switch (a->verdict) {
    case HELD:
        return said_held;
    case SIGNAL:
        return ended && !end->over_time && (by == a->signal || !a->signal);
    case SPENT:
        return ended && !end->over_time && by == a->signal;
    case ENDED:
        return !end->over_time && (said_held || by == SIGKILL);
    case KILLED:
        return end->over_time && by == SIGKILL;
    }
    return false;
}

static void attack_one(const struct attack *a, bool as_nobody, const char *mode, pid_t sibling)
{
    static struct confined_end end;
    struct buf line;
    const char *hole = strchr(a->line, '%');
    buf_init(&line, PATH_MAX);
    buf_append(&line, a->line, hole ? (size_t)(hole - a->line) : strlen(a->line));
    if (hole && hole[1] == 's') {
        buf_text(&line, secret);
    } else if (hole) {
        buf_printf(&line, "%d", (int)sibling);
    }
    buf_char(&line, '\n');
    assert_int_equal(line.err, D7_OK);
    struct confined c = {.as_nobody = as_nobody,
                         .file = program(a->program),
                         .input = line.data,
                         .inherit = 1,
                         .with_environment = true};
    size_t n = 0;
    if (mode) {
        c.options[n++] = mode;
    }
    if (a->option) {
        c.options[n++] = a->option;
        c.options[n++] = a->value;
    }
    confined_run(&c, a->verdict == KILLED ? 300 : 60000, &end);
    buf_release(&line);
    if (end.reported) {
        fail_msg("%s %s: not started: step %u, %s", a->program, a->line, end.report.step,
                 strerrordesc_np(end.report.error));
    }
    if (!is_right(a, &end)) {
        fail_msg("%s %s: status %#x after %d ms%s, said '%.100s' '%.200s'", a->program, a->line,
                 (unsigned)end.status, (int)end.ms, end.over_time ? " (deadline)" : "", end.output,
                 end.errors);
    }
    unsigned left = confined_left(sibling);
    if (left) {
        fail_msg("%s %s left %u processes", a->program, a->line, left);
    }
    if (!confined_alive(sibling)) {
        fail_msg("%s %s: the sibling died", a->program, a->line);
    }
    print_message("%-10s %-44s tier %s, %-13s %s, as expected\n", a->program, a->line,
                  mode ? "B" : "A", as_nobody || getuid() ? "ordinary user" : "root",
                  verdict_names[a->verdict]);
}

static void attack_all(bool as_nobody, const char *mode)
{
    static struct confined_end end;
    if (!as_nobody && getuid() != 0) {
        support_skip("needs root");
        return;
    }
    struct confined sleeper = {.as_nobody = as_nobody && getuid() == 0,
                               .options = {mode, NULL},
                               .file = program("processes"),
                               .input = "deaf\n"};
    struct confined_run sibling = confined_start(&sleeper);
    assert_true(confined_wait_output(&sibling, 10000));
    for (size_t i = 0; i < D7_COUNT(attacks); i++) {
        attack_one(&attacks[i], as_nobody && getuid() == 0, mode, sibling.pid);
    }
    assert_true(confined_alive(sibling.pid));
    confined_finish(&sibling, 1, &end);
    assert_int_equal(confined_left(0), 0);
    struct buf bytes;
    buf_init(&bytes, 100);
    assert_int_equal(file_read(secret, &bytes), D7_OK);
    assert_true(span_is(buf_span(&bytes), "ours"));
    buf_release(&bytes);
    print_message("%zu attacks held\n", D7_COUNT(attacks));
}

static void every_attack_gets_its_verdict_in_tier_a_as_root(void **state)
{
    (void)state;
    attack_all(false, NULL);
}

static void every_attack_gets_its_verdict_in_tier_a_as_an_ordinary_user(void **state)
{
    (void)state;
    attack_all(true, NULL);
}

static void every_attack_gets_its_verdict_in_tier_b_as_root(void **state)
{
    (void)state;
    attack_all(false, "--confined");
}

static void every_attack_gets_its_verdict_in_tier_b_as_an_ordinary_user(void **state)
{
    (void)state;
    attack_all(true, "--confined");
}

static int descriptors_before;

static void nothing_is_left_of_them(void **state)
{
    (void)state;
    confined_summary(descriptors_before);
}

static int setup(void **state)
{
    (void)state;
    descriptors_before = confined_descriptors();
    confined_setup();
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "tests/hostile/%s", names[i]);
        (void)snprintf(programs[i], sizeof(programs[i]), "%s",
                       confined_copy(support_program(name)));
    }
    (void)snprintf(secret, sizeof(secret), "%s", confined_script("secret", "ours"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    confined_teardown();
    return 0;
}

static int after_each(void **state)
{
    (void)state;
    confined_reset();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_attack_gets_its_verdict_in_tier_a_as_root, after_each),
        cmocka_unit_test_teardown(every_attack_gets_its_verdict_in_tier_a_as_an_ordinary_user,
                                  after_each),
        cmocka_unit_test_teardown(every_attack_gets_its_verdict_in_tier_b_as_root, after_each),
        cmocka_unit_test_teardown(every_attack_gets_its_verdict_in_tier_b_as_an_ordinary_user,
                                  after_each),
        cmocka_unit_test(nothing_is_left_of_them),
    };
    return cmocka_run_group_tests_name("sandbox/hostile", tests, setup, teardown);
}
