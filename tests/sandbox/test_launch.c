/* What a launch does for an honest policy, and how it ends: interpreters, signals, limits,
 * failures. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "server/work/artifact.h"
#include "tests/support/confined.h"

static const struct way {
    const char *name;
    bool as_nobody;
    const char *mode;
} ways[] = {{"tier A, root", false, NULL},         {"tier A, ordinary user", true, NULL},
            {"tier B, root", false, "--confined"}, {"tier B, ordinary user", true, "--confined"},
            {"off, root", false, "--off"},         {"off, ordinary user", true, "--off"}};
#define CONFINED_WAYS 4 /* the first ones */

static char deaf[PATH_MAX], cat[PATH_MAX], files[PATH_MAX];
static struct confined_end end;

static bool can(const struct way *w)
{
    return w->as_nobody || getuid() == 0;
}

static struct confined in_way(const struct way *w, const char *file, const char *input)
{
    return (struct confined){.as_nobody = w->as_nobody && getuid() == 0,
                             .options = {w->mode, NULL},
                             .file = file,
                             .input = input};
}

static void add_options(struct confined *c, const char *name, const char *value)
{
    size_t n = 0;
    while (c->options[n]) {
        n++;
    }
    c->options[n] = name;
    c->options[n + 1] = value;
}

/* --- honest policies ---------------------------------------------------------------------------
 */

static void every_interpreter_answers_a_line_in_every_tier(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } scripts[] = {{"python3",
                    "#!/usr/bin/env python3\nimport sys, random, json, collections, threading\n"
                    "for line in sys.stdin:\n    print('got', line.strip())\n    break\n"},
                   {"node", "#!/usr/bin/env node\nconst r = require('readline')"
                            ".createInterface({input: process.stdin});\n"
                            "r.on('line', l => { console.log('got ' + l); process.exit(0); });\n"},
                   {"perl", "#!/usr/bin/perl\nuse strict; my $l = <STDIN>; print \"got $l\";\n"},
                   {"sh", "#!/bin/sh\nread -r l && echo \"got $l\"\n"}};
    for (size_t i = 0; i < D7_COUNT(scripts); i++) {
        char interpreter[ARTIFACT_PATH_SIZE], file[PATH_MAX];
        if (interpreter_find(scripts[i].name, interpreter)) {
            print_message("%s is not installed\n", scripts[i].name);
            continue;
        }
        (void)snprintf(file, sizeof(file), "%s", confined_script(scripts[i].name, scripts[i].text));
        for (size_t k = 0; k < D7_COUNT(ways); k++) {
            if (!can(&ways[k])) {
                continue;
            }
            struct confined c = in_way(&ways[k], file, "ping\n");
            add_options(&c, "--interpreter", interpreter);
            confined_run(&c, 20000, &end);
            if (strcmp(end.output, "got ping\n") != 0 || end.status) {
                fail_msg("%s, %s: status %#x, '%s', '%s'", scripts[i].name, ways[k].name,
                         (unsigned)end.status, end.output, end.errors);
            }
        }
    }
    assert_int_equal(confined_left(0), 0);
}

static void a_dynamic_program_runs_against_the_servers_libraries(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], cat, "hello\n");
            struct confined_run r = confined_start(&c);
            assert_true(confined_wait_output(&r, 10000));
            (void)close(r.in);
            r.in = -1;
            confined_finish(&r, 10000, &end);
            assert_string_equal(end.output, "hello\n");
            assert_int_equal(end.status, 0);
        }
    }
}

/* Executable for everybody its file is shown as it lies, else copied: either way it runs, reads
 * itself, changes nothing and leaves no word for the next game. */
static void a_program_runs_the_same_bound_or_copied(void **state)
{
    (void)state;
    static const mode_t modes[] = {0555, 0444, 0644, 0755};
    static const char *const lines[] = {"own-file\n", "leave-word\n"};
    for (size_t i = 0; i < D7_COUNT(modes) * D7_COUNT(lines); i++) {
        mode_t mode = modes[i % D7_COUNT(modes)];
        for (size_t k = 0; k < CONFINED_WAYS; k++) {
            if (!can(&ways[k])) {
                continue;
            }
            struct confined c = in_way(&ways[k], files, lines[i / D7_COUNT(modes)]);
            assert_int_equal(chmod(files, mode), 0);
            confined_run(&c, 10000, &end);
            if (strcmp(end.output, "HELD\n") != 0) {
                fail_msg("%s, %o: status %#x, '%s'", ways[k].name, (unsigned)mode,
                         (unsigned)end.status, end.output);
            }
        }
    }
}

static void threads_work_and_are_limited(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], deaf, "thread-bomb 4\n");
            add_options(&c, "--processes", "8");
            confined_run(&c, 10000, &end);
            assert_string_equal(end.output, "ESCAPED\n"); /* more than 4 ... */
            c = in_way(&ways[k], deaf, "thread-bomb 9\n");
            add_options(&c, "--processes", "8");
            confined_run(&c, 10000, &end);
            assert_string_equal(end.output, "HELD\n"); /* ... and less than 9 */
        }
    }
}

static void a_shell_has_its_builtins_and_no_other_program(void **state)
{
    (void)state;
    char sh[ARTIFACT_PATH_SIZE], file[PATH_MAX];
    if (interpreter_find("sh", sh)) {
        support_skip("no sh below /usr");
        return;
    }
    (void)snprintf(file, sizeof(file), "%s",
                   confined_script("fork.sh", "echo one\nid\necho two\n(echo three)\n"));
    for (size_t k = 0; k < CONFINED_WAYS; k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], file, NULL);
            add_options(&c, "--interpreter", sh);
            confined_run(&c, 10000, &end);
            assert_string_equal(end.output, "one\n"); /* it gives up at its first fork */
            assert_int_equal(confined_left(0), 0);
        }
    }
}

/* --- the private /tmp --------------------------------------------------------------------------
 */

static void a_scripts_tmp_is_private_bounded_and_empty_each_time(void **state)
{
    (void)state;
    char python[ARTIFACT_PATH_SIZE], file[PATH_MAX];
    if (interpreter_find("python3", python)) {
        support_skip("no python3 below /usr");
        return;
    }
    (void)snprintf(file, sizeof(file), "%s",
                   confined_script(
                       "fill.py", "import os\n"
                                  "print(len(os.listdir('/tmp')))\n"
                                  "n = 0\n"
                                  "try:\n"
                                  "    while True:\n"
                                  "        open('/tmp/f%d' % n, 'w').close(); n += 1\n"
                                  "except OSError as e: print('files', n < 300, e.errno)\n"
                                  "for i in range(n): os.unlink('/tmp/f%d' % i)\n"
                                  "total = 0\n"
                                  "try:\n"
                                  "    for k in range(64):\n"
                                  "        with open('/tmp/g%d' % k, 'wb', 0) as f:\n"
                                  "            total += f.write(b'x' * (1 << 20))\n"
                                  "except OSError as e: print('bytes', total <= 8 << 20, e.errno)\n"
                                  "try: os.mkdir('/elsewhere')\n"
                                  "except OSError as e: print('root', e.errno)\n"));
    for (size_t k = 0; k < 2; k++) {
        for (int again = 0; can(&ways[k]) && again < 2; again++) {
            struct confined c = in_way(&ways[k], file, NULL);
            char expected[128];
            (void)snprintf(expected, sizeof(expected), "0\nfiles True %d\nbytes True %d\nroot %d\n",
                           ENOSPC, ENOSPC, EROFS);
            add_options(&c, "--interpreter", python);
            confined_run(&c, 20000, &end);
            if (strncmp(end.output, expected, strlen(expected) - 6) != 0) {
                fail_msg("%s: '%s' '%s'", ways[k].name, end.output, end.errors);
            }
            assert_non_null(strstr(end.output, "root "));
        }
    }
}

/* --- limits -----------------------------------------------------------------------------------
 */

static void limits_start_anew_with_each_run_in_the_same_slot(void **state)
{
    (void)state;
    char resources[PATH_MAX];
    (void)snprintf(resources, sizeof(resources), "%s",
                   confined_copy(support_program("tests/hostile/resources")));
    const struct way *w = &ways[getuid() ? 1 : 0];
    for (int again = 0; again < 2; again++) {
        struct confined c = in_way(w, resources, "busy\n");
        add_options(&c, "--cpu", "1");
        add_options(&c, "--slot", "3");
        confined_run(&c, 20000, &end);
        assert_false(end.over_time);
        assert_true(WIFSIGNALED(end.status)); /* a whole second each time, whatever went before */
        int64_t used_ms = end.usage.ru_utime.tv_sec * 1000 + end.usage.ru_utime.tv_usec / 1000 +
                          end.usage.ru_stime.tv_sec * 1000 + end.usage.ru_stime.tv_usec / 1000;
        assert_true(used_ms >= 900 || end.ms >= 900);
        c = in_way(w, resources, "memory\n"); /* nor does its memory stay charged */
        add_options(&c, "--slot", "3");
        confined_run(&c, 60000, &end);
        assert_false(end.over_time);
    }
    struct confined c = in_way(w, deaf, "deaf\n");
    add_options(&c, "--slot", "3");
    struct confined_run r = confined_start(&c);
    assert_true(confined_wait_output(&r, 10000));
    confined_finish(&r, 1, &end);
    assert_int_equal(confined_left(0), 0);
}

/* --- ends --------------------------------------------------------------------------------------
 */

/* Starts one that ignores every signal, from a "worker" that then dies; both ids come back. */
static pid_t start_under_worker(const struct way *w, pid_t *ret_launcher)
{
    int tell[2];
    assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
    pid_t worker = fork();
    assert_true(worker >= 0);
    if (worker == 0) {
        struct confined c = in_way(w, deaf, "deaf\n");
        struct confined_run r = confined_start(&c);
        pid_t pid = confined_wait_output(&r, 10000) ? r.pid : 0;
        (void)!write(tell[1], &pid, sizeof(pid));
        for (;;) {
            (void)pause();
        }
    }
    (void)close(tell[1]);
    assert_int_equal(read(tell[0], ret_launcher, sizeof(*ret_launcher)), sizeof(*ret_launcher));
    (void)close(tell[0]);
    assert_true(*ret_launcher > 0);
    return worker;
}

static void nothing_outlives_a_killed_worker(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (can(&ways[k])) {
            pid_t launcher = 0;
            pid_t worker = start_under_worker(&ways[k], &launcher);
            assert_int_equal(kill(launcher, 0), 0);
            if (!ways[k].mode) {
                confined_wait_outside(launcher);
            }
            assert_int_equal(kill(worker, SIGKILL), 0);
            unsigned left = confined_left(0);
            if (left || kill(launcher, 0) == 0) {
                fail_msg("%s: %u processes left", ways[k].name, left);
            }
            /* in tier B the launcher has become the policy: the next one's probe removes it */
            if (!ways[k].mode && confined_cgroup((unsigned)launcher)) {
                fail_msg("%s: a cgroup is left", ways[k].name);
            }
        }
    }
}

static void nothing_outlives_a_killed_launcher(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], deaf, "deaf\n");
            struct confined_run r = confined_start(&c);
            assert_true(confined_wait_output(&r, 10000));
            assert_int_equal(kill(r.pid, SIGKILL), 0); /* it alone, not its group */
            confined_finish(&r, 5000, &end);
            assert_false(end.over_time); /* the pipes closed too: init and policy are gone */
            assert_int_equal(confined_left(0), 0);
        }
    }
}

static void the_group_is_stopped_and_continued(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (!can(&ways[k])) {
            continue;
        }
        struct confined c = in_way(&ways[k], cat, "a");
        struct confined_run r = confined_start(&c);
        char byte = 0;
        assert_true(confined_wait_output(&r, 10000));
        assert_int_equal(read(r.out, &byte, 1), 1);
        assert_int_equal(kill(-r.pid, SIGSTOP), 0);
        assert_int_equal(write(r.in, "b", 1), 1);
        if (confined_wait_output(&r, 100)) {
            fail_msg("%s: answers while stopped", ways[k].name);
        }
        assert_int_equal(kill(-r.pid, SIGCONT), 0);
        assert_true(confined_wait_output(&r, 10000));
        assert_int_equal(read(r.out, &byte, 1), 1);
        assert_int_equal(byte, 'b');
        confined_finish(&r, 1, &end);
    }
    assert_int_equal(confined_left(0), 0);
}

/* Tier A: the group is the policy's alone once it runs, and killing it is enough. */
static void the_launcher_outlives_the_group_and_removes_its_cgroup(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        if (!can(&ways[k])) {
            continue;
        }
        struct confined c = in_way(&ways[k], deaf, "deaf\n");
        add_options(&c, "--slot", "4194301");
        struct confined_run r = confined_start(&c);
        assert_true(confined_wait_output(&r, 10000));
        for (int i = 0; i < 2000 && getpgid(r.pid) == r.pid; i++) {
            (void)usleep(1000);
        }
        assert_int_not_equal(getpgid(r.pid), r.pid);
        assert_int_not_equal(getpgid(r.pid), getpgrp());
        confined_finish(&r, 1, &end);
        assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
        assert_int_equal(confined_left(0), 0);
        assert_false(confined_cgroup(4194301));
    }
}

static void a_server_that_is_nice_can_confine_too(void **state)
{
    (void)state;
    pid_t pid = fork(); /* the way back is a privilege */
    assert_true(pid >= 0);
    if (pid == 0) {
        struct confined c = in_way(&ways[getuid() ? 1 : 0], cat, "a");
        (void)!nice(12);
        struct confined_run r = confined_start(&c);
        bool runs = confined_wait_output(&r, 10000);
        confined_finish(&r, 1, &end);
        _exit(runs && !end.reported ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void the_report_pipe_ends_silently_once_the_policy_runs(void **state)
{
    (void)state;
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], deaf, "deaf\n");
            struct confined_run r = confined_start(&c);
            struct pollfd ready = {.fd = r.report, .events = POLLIN};
            char byte = 0;
            assert_int_equal(poll(&ready, 1, 10000), 1);
            assert_int_equal(read(r.report, &byte, 1), 0); /* end of file, and it lives: */
            assert_true(confined_wait_output(&r, 10000));
            confined_finish(&r, 1, &end);
            assert_true(end.over_time);
        }
    }
}

static void a_closed_output_is_seen_as_its_end(void **state)
{
    (void)state;
    char python[ARTIFACT_PATH_SIZE], file[PATH_MAX];
    if (interpreter_find("python3", python)) {
        support_skip("no python3 below /usr");
        return;
    }
    (void)snprintf(file, sizeof(file), "%s",
                   confined_script("closes.py",
                                   "import os, time\nos.write(1, b'x\\n')\nos.close(1)\n"
                                   "os.close(2)\ntime.sleep(100)\n"));
    struct confined c = in_way(&ways[getuid() ? 1 : 0], file, NULL);
    add_options(&c, "--interpreter", python);
    struct confined_run r = confined_start(&c);
    char text[8];
    assert_true(confined_wait_output(&r, 10000));
    assert_int_equal(read(r.out, text, sizeof(text)), 2);
    struct pollfd ready = {.fd = r.out, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 10000), 1);
    assert_int_equal(read(r.out, text, sizeof(text)), 0); /* nobody of ours holds it open */
    confined_finish(&r, 1, &end);
}

static void status_and_signal_of_the_policy_come_out(void **state)
{
    (void)state;
    char perl[ARTIFACT_PATH_SIZE], file[PATH_MAX];
    if (interpreter_find("perl", perl)) {
        support_skip("no perl below /usr");
        return;
    }
    (void)snprintf(file, sizeof(file), "%s",
                   confined_script("exit.pl", "my $n = <STDIN>; kill(9 + 0, $$) if $n < 0;"
                                              " kill(15, $$) if $n == 1000; exit $n;\n"));
    static const struct {
        const char *line;
        int status;
    } rows[] = {{"0\n", 0},          {"7\n", 7 << 8},     {"125\n", 125 << 8},
                {"139\n", 139 << 8}, {"1000\n", SIGTERM}, {"-1\n", SIGKILL}};
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        for (size_t i = 0; can(&ways[k]) && i < D7_COUNT(rows); i++) {
            struct confined c = in_way(&ways[k], file, rows[i].line);
            add_options(&c, "--interpreter", perl);
            confined_run(&c, 10000, &end);
            if (end.status != rows[i].status || end.reported) {
                fail_msg("%s: %s gives %#x", ways[k].name, rows[i].line, (unsigned)end.status);
            }
        }
    }
}

/* --- failures ----------------------------------------------------------------------------------
 */

static void expect_report(const struct confined *c, enum sandbox_step step, int error)
{
    confined_run(c, 10000, &end);
    if (!end.reported || end.report.step != step || end.report.error != error ||
        end.status != SANDBOX_EXIT << 8) {
        fail_msg("status %#x, report %d: step %u, error %d instead of %u, %d (%s)",
                 (unsigned)end.status, end.reported, end.report.step, end.report.error, step, error,
                 end.errors);
    }
    assert_int_equal(confined_left(0), 0);
}

static void what_cannot_be_launched_is_reported_and_not_run(void **state)
{
    (void)state;
    char link[PATH_MAX], fifo[PATH_MAX], junk[PATH_MAX], outside[PATH_MAX];
    (void)snprintf(link, sizeof(link), "%s/link", confined_folder());
    (void)snprintf(fifo, sizeof(fifo), "%s/fifo", confined_folder());
    (void)snprintf(junk, sizeof(junk), "%s", confined_script("junk", "no program"));
    (void)snprintf(outside, sizeof(outside), "%s", confined_script("python3", "#!/bin/sh\n"));
    assert_int_equal(symlink(deaf, link), 0);
    assert_int_equal(mkfifo(fifo, 0666), 0);
    for (size_t k = 0; k < D7_COUNT(ways); k++) {
        if (!can(&ways[k])) {
            continue;
        }
        struct confined c = in_way(&ways[k], "/nonexistent", NULL);
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, ENOENT);
        c = in_way(&ways[k], link, NULL);
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, ELOOP);
        c = in_way(&ways[k], fifo, NULL);
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, EINVAL);
        c = in_way(&ways[k], confined_folder(), NULL);
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, EINVAL);
        c = in_way(&ways[k], junk, NULL);
        expect_report(&c, SANDBOX_STEP_EXEC, ENOEXEC);
        c = in_way(&ways[k], deaf, NULL);
        add_options(&c, "--interpreter", outside);
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, EINVAL);
        c = in_way(&ways[k], deaf, NULL);
        add_options(&c, "--slot", "-1");
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, EINVAL);
        c = in_way(&ways[k], deaf, NULL);
        add_options(&c, "--memory", "1");
        expect_report(&c, SANDBOX_STEP_ARGUMENTS, EINVAL);
        c = in_way(&ways[k], deaf, NULL);
        add_options(&c, "--parent", "1"); /* not the caller: it is dead by now */
        expect_report(&c, SANDBOX_STEP_DESCRIPTORS, ESRCH);
    }
}

/* --- the probe ---------------------------------------------------------------------------------
 */

static void the_probe_holds_in_both_tiers(void **state)
{
    (void)state;
    for (size_t k = 0; k < CONFINED_WAYS; k++) {
        if (can(&ways[k])) {
            struct confined c = in_way(&ways[k], deaf, NULL);
            add_options(&c, "--probe", NULL);
            confined_run(&c, 30000, &end);
            assert_string_equal(end.output, "PROBE OK\n");
            assert_int_equal(end.status, 0);
        }
    }
    assert_int_equal(confined_left(0), 0);
}

static void the_probe_holds_for_a_server_under_nice(void **state)
{
    errno = 0;
    int before = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(errno, 0);
    assert_int_equal(setpriority(PRIO_PROCESS, 0, 12), 0);
    the_probe_holds_in_both_tiers(state);
    (void)setpriority(PRIO_PROCESS, 0, before); /* an ordinary user stays where he is */
}

static void the_probe_does_not_pass_without_confinement(void **state)
{
    (void)state;
    struct confined c = in_way(&ways[5], deaf, NULL);
    add_options(&c, "--probe", NULL);
    confined_run(&c, 30000, &end);
    assert_null(strstr(end.output, "PROBE OK"));
    assert_int_not_equal(end.status, 0);
}

static int setup(void **state)
{
    (void)state;
    confined_setup();
    (void)snprintf(deaf, sizeof(deaf), "%s",
                   confined_copy(support_program("tests/hostile/processes")));
    (void)snprintf(cat, sizeof(cat), "%s", confined_copy("/bin/cat"));
    (void)snprintf(files, sizeof(files), "%s",
                   confined_copy(support_program("tests/hostile/files")));
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
        cmocka_unit_test_teardown(every_interpreter_answers_a_line_in_every_tier, after_each),
        cmocka_unit_test_teardown(a_dynamic_program_runs_against_the_servers_libraries, after_each),
        cmocka_unit_test_teardown(a_program_runs_the_same_bound_or_copied, after_each),
        cmocka_unit_test_teardown(threads_work_and_are_limited, after_each),
        cmocka_unit_test_teardown(a_shell_has_its_builtins_and_no_other_program, after_each),
        cmocka_unit_test_teardown(a_scripts_tmp_is_private_bounded_and_empty_each_time, after_each),
        cmocka_unit_test_teardown(limits_start_anew_with_each_run_in_the_same_slot, after_each),
        cmocka_unit_test_teardown(nothing_outlives_a_killed_worker, after_each),
        cmocka_unit_test_teardown(nothing_outlives_a_killed_launcher, after_each),
        cmocka_unit_test_teardown(the_group_is_stopped_and_continued, after_each),
        cmocka_unit_test_teardown(the_launcher_outlives_the_group_and_removes_its_cgroup,
                                  after_each),
        cmocka_unit_test_teardown(a_server_that_is_nice_can_confine_too, after_each),
        cmocka_unit_test_teardown(the_report_pipe_ends_silently_once_the_policy_runs, after_each),
        cmocka_unit_test_teardown(a_closed_output_is_seen_as_its_end, after_each),
        cmocka_unit_test_teardown(status_and_signal_of_the_policy_come_out, after_each),
        cmocka_unit_test_teardown(what_cannot_be_launched_is_reported_and_not_run, after_each),
        cmocka_unit_test_teardown(the_probe_holds_in_both_tiers, after_each),
        cmocka_unit_test_teardown(the_probe_holds_for_a_server_under_nice, after_each),
        cmocka_unit_test_teardown(the_probe_does_not_pass_without_confinement, after_each),
    };
    return cmocka_run_group_tests_name("sandbox/launch", tests, setup, teardown);
}
