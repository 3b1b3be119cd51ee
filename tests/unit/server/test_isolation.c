/* The worker's side: the tier comes from the probe's own words, the command from the tier. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "server/sandbox/sandbox.h"
#include "server/work/isolation.h"
#include "tests/support/support.h"

/* A launcher that prints this, in the scratch folder. */
static void expect_tier(const char *says, enum isolation_tier tier, const char *reason)
{
    char path[PATH_MAX];
    struct isolation iso;
    struct buf text;
    const char *folder = support_scratch();
    buf_init(&text, 4096);
    buf_printf(&text, "#!/bin/sh\nprintf '%s'\n", says);
    (void)snprintf(path, sizeof(path), "%s/drop7-sandbox", folder);
    assert_int_equal(file_write(path, buf_span(&text), 0755), D7_OK);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(isolation_probe(folder, false, &iso), D7_OK);
    assert_string_equal(isolation_tier_name(iso.tier), isolation_tier_name(tier));
    assert_string_equal(iso.reason, reason);
    assert_int_equal(isolation_admits(&iso), tier != ISOLATION_C);
    buf_release(&text);
    support_scratch_remove();
}

static void only_the_line_probe_ok_opens_a_tier(void **state)
{
    (void)state;
    expect_tier("tier A\\nwhy all of it\\nPROBE OK\\n", ISOLATION_A, "all of it");
    expect_tier("tier B\\nwhy some of it\\nPROBE OK\\n", ISOLATION_B, "some of it");
    expect_tier("tier C\\nwhy no kernel\\n", ISOLATION_C, "no kernel");
    expect_tier("tier C\\nwhy odd\\nPROBE OK\\n", ISOLATION_C, "odd");
    expect_tier("tier A\\nwhy it says so\\n", ISOLATION_C, "it says so");
    expect_tier("tier A\\nwhy nearly\\nPROBE OK!\\n", ISOLATION_C, "nearly");
    expect_tier("tier AB\\nwhy both\\nPROBE OK\\n", ISOLATION_C, "both");
    expect_tier("", ISOLATION_C, "the probe of drop7-sandbox ended without an answer");
}

static void without_a_cgroup_only_what_fits_in_memory_runs_at_once(void **state)
{
    (void)state;
    static const uint64_t gib = (uint64_t)1 << 30;
    struct isolation bare = {.tier = ISOLATION_A}, bounded = {.memory_bounded = true};
    assert_int_equal(isolation_places(&bare, 4 * gib, false), 8);
    assert_int_equal(isolation_places(&bare, 4 * gib, true),
                     2); /* node wants three times as much */
    assert_int_equal(isolation_places(&bare, gib, true), 1);
    assert_int_equal(isolation_places(&bare, 0, false), 1);
    assert_int_equal(isolation_places(&bare, UINT64_MAX, false), UINT_MAX);
    assert_int_equal(isolation_places(&bounded, gib, true), UINT_MAX);
}

static void the_probe_says_whether_memory_is_bounded(void **state)
{
    (void)state;
    static const char *const says[] = {"tier A\\nwhy x\\nPROBE OK\\n",
                                       "memory bounded\\ntier A\\nwhy x\\nPROBE OK\\n"};
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_MAX], text[200];
        struct isolation iso;
        const char *folder = support_scratch();
        (void)snprintf(path, sizeof(path), "%s/drop7-sandbox", folder);
        (void)snprintf(text, sizeof(text), "#!/bin/sh\nprintf '%s'\n", says[i]);
        assert_int_equal(file_write(path, span_of(text), 0755), D7_OK);
        assert_int_equal(isolation_probe(folder, false, &iso), D7_OK);
        assert_int_equal(iso.tier, ISOLATION_A);
        assert_int_equal(iso.memory_bounded, i == 1);
        support_scratch_remove();
    }
}

static void a_missing_launcher_is_tier_c_with_the_reason(void **state)
{
    (void)state;
    struct isolation iso;
    assert_int_equal(isolation_probe("/nonexistent", false, &iso), D7_OK);
    assert_int_equal(iso.tier, ISOLATION_C);
    assert_string_equal(iso.reason, "cannot run drop7-sandbox: No such file or directory");
    struct isolation_command c;
    assert_int_equal(isolation_command(&iso, "/x", "elf", 1, &c), D7_ERR_UNAVAILABLE);
}

static void the_built_launcher_gives_a_tier_here(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    struct isolation iso;
    (void)snprintf(folder, sizeof(folder), "%s", support_program("drop7-sandbox"));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(isolation_probe(folder, false, &iso), D7_OK);
    print_message("tier %s: %s\n", isolation_tier_name(iso.tier), iso.reason);
    if (!isolation_admits(&iso)) {
        support_skip(iso.reason);
    }
}

static void expect_command(enum isolation_tier tier, const char *format, const char *const *words)
{
    struct isolation iso = {.tier = tier, .launcher = "/l", .cpu_seconds = 60};
    struct isolation_command c;
    char parent[16];
    assert_int_equal(isolation_command(&iso, "/store/ab", format, 12, &c), D7_OK);
    assert_ptr_equal(c.spec.argv, c.argv);
    assert_true(c.spec.report_pipe);
    assert_true(c.spec.stop_between_moves);
    assert_null(c.envp[0]);
    (void)snprintf(parent, sizeof(parent), "%d", (int)getpid());
    size_t i = 0;
    for (; words[i]; i++) {
        assert_non_null(c.argv[i]);
        assert_string_equal(c.argv[i], strcmp(words[i], "PARENT") == 0 ? parent : words[i]);
    }
    assert_null(c.argv[i]);
}

static void the_command_carries_slot_parent_and_limits(void **state)
{
    (void)state;
    char sh[ARTIFACT_PATH_SIZE];
    assert_int_equal(interpreter_find("sh", sh), D7_OK);
#define COMMON "/l", "--slot", "12", "--parent", "PARENT", "--cpu", "60"
    expect_command(ISOLATION_A, "elf", (const char *const[]){COMMON, "--", "/store/ab", NULL});
    expect_command(ISOLATION_B, "elf",
                   (const char *const[]){COMMON, "--confined", "--", "/store/ab", NULL});
    expect_command(ISOLATION_OFF, "elf",
                   (const char *const[]){COMMON, "--off", "--", "/store/ab", NULL});
    expect_command(ISOLATION_A, "script:sh",
                   (const char *const[]){COMMON, "--interpreter", sh, "--", "/store/ab", NULL});
#undef COMMON
}

static void what_cannot_be_started_is_refused(void **state)
{
    (void)state;
    struct isolation iso = {.tier = ISOLATION_A, .launcher = "/l", .cpu_seconds = 60};
    struct isolation_command c;
    char path[600];
    memset(path, 'a', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    assert_int_equal(isolation_command(&iso, path, "elf", 1, &c), D7_ERR_TOO_LARGE);
    assert_int_equal(isolation_command(&iso, "/x", "script:no-such-thing", 1, &c),
                     D7_ERR_NOT_FOUND);
    assert_int_equal(isolation_command(&iso, "/x", "wasm", 1, &c), D7_ERR_UNSUPPORTED);
    assert_int_equal(isolation_command(&iso, "/x", "elf", SANDBOX_SLOT_MAX + 1, &c),
                     D7_ERR_TOO_LARGE);
}

static void off_is_the_operators_word_and_not_probed(void **state)
{
    (void)state;
    struct isolation iso;
    assert_int_equal(isolation_probe("/nonexistent", true, &iso), D7_OK);
    assert_int_equal(iso.tier, ISOLATION_OFF);
    assert_string_equal(iso.launcher, "/nonexistent/drop7-sandbox");
    assert_true(isolation_admits(&iso));
}

static void a_report_becomes_a_sentence(void **state)
{
    (void)state;
    struct sandbox_report r = {.step = SANDBOX_STEP_MOUNTS, .error = 1};
    char text[128] = "";
    assert_true(isolation_report_text(span_make((char *)&r, sizeof(r)), text, sizeof(text)));
    assert_string_equal(text, "sandbox: mounts: Operation not permitted");
    r.step = 9999;
    r.error = 123456;
    assert_true(isolation_report_text(span_make((char *)&r, sizeof(r)), text, sizeof(text)));
    assert_string_equal(text, "sandbox: unknown step: unknown error");
    assert_false(isolation_report_text(span_make((char *)&r, 7), text, sizeof(text)));
    assert_false(isolation_report_text(span_make(NULL, 0), text, sizeof(text)));
}

static void settling_reaps_what_was_orphaned(void **state)
{
    (void)state;
    struct isolation iso;
    assert_int_equal(isolation_probe("/nonexistent", true, &iso), D7_OK); /* now the reaper */
    pid_t middle = fork();
    if (middle == 0) {
        if (fork() == 0) {
            _exit(0);
        }
        _exit(0);
    }
    assert_true(middle > 0);
    assert_true(isolation_settle());
    assert_true(isolation_settle()); /* also with nobody there */
}

static void settling_kills_what_left_its_group(void **state)
{
    (void)state;
    struct isolation iso;
    int ends[2];
    char byte = 0;
    assert_int_equal(isolation_probe("/nonexistent", true, &iso), D7_OK);
    assert_int_equal(pipe(ends), 0);
    pid_t middle = fork();
    if (middle == 0) {
        (void)setsid();
        for (int i = 0; i < 3; i++) {
            if (fork() == 0) { /* a daemon that has a child itself */
                (void)setsid();
                (void)fork();
                (void)pause();
            }
        }
        _exit(0);
    }
    assert_true(middle > 0);
    (void)close(ends[1]);
    assert_true(isolation_settle());
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody has the other end */
    (void)close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_line_probe_ok_opens_a_tier),
        cmocka_unit_test(without_a_cgroup_only_what_fits_in_memory_runs_at_once),
        cmocka_unit_test(the_probe_says_whether_memory_is_bounded),
        cmocka_unit_test(a_missing_launcher_is_tier_c_with_the_reason),
        cmocka_unit_test(the_built_launcher_gives_a_tier_here),
        cmocka_unit_test(the_command_carries_slot_parent_and_limits),
        cmocka_unit_test(what_cannot_be_started_is_refused),
        cmocka_unit_test(off_is_the_operators_word_and_not_probed),
        cmocka_unit_test(a_report_becomes_a_sentence),
        cmocka_unit_test(settling_reaps_what_was_orphaned),
        cmocka_unit_test(settling_kills_what_left_its_group),
    };
    return cmocka_run_group_tests_name("server/isolation", tests, NULL, NULL);
}
