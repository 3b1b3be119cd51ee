/* make install into a staging folder: what lands there runs, and tells the truth about the options.
 */
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"

static char root[300];
static char prefix[400];

static void shell(const char *script, struct command_result *ret)
{
    const char *const argv[] = {"/bin/bash", "-euo", "pipefail", "-c", script, NULL};
    command_run(argv, NULL, ret);
}

/* The flavour of the programs under test is installed, with a make of its own. */
static int setup(void **state)
{
    (void)state;
    char script[1500];
    struct command_result r;
    (void)snprintf(root, sizeof(root), "%s", support_scratch());
    (void)snprintf(prefix, sizeof(prefix), "%s/usr", root);
    (void)snprintf(script, sizeof(script),
                   "unset MAKEFLAGS MAKELEVEL MFLAGS; flavour=$(basename \"$OUT\"); "
                   "make -s install FLAVOUR=\"$flavour\" DESTDIR='%s' PREFIX=/usr",
                   root);
    shell(script, &r);
    if (r.status) {
        print_error("%s%s\n", r.out, r.err);
    }
    int status = r.status;
    command_release(&r);
    return status;
}

static int teardown(void **state)
{
    (void)state;
    support_scratch_remove();
    return 0;
}

static void expect(const char *format, const char *want)
{
    char script[3000];
    struct command_result r;
    (void)snprintf(script, sizeof(script), "cd '%s'; %s", prefix, format);
    shell(script, &r);
    if (r.status || !strstr(r.out, want)) {
        fail_msg("%s: %d\n%s%s", format, r.status, r.out, r.err);
    }
    command_release(&r);
}

static void programs_run_from_their_links(void **state)
{
    (void)state;
    expect("bin/drop7 policies", "fair-d2-s7");
    expect("bin/drop7d --help", "usage: drop7d");
    /* drop7d looks for the launcher beside itself, not beside the link */
    expect("test -x lib/drop7/drop7-sandbox && test -L bin/drop7d && echo yes", "yes");
}

#define NONE_WRONG "| awk '{ print; n++ } END { print n + 0 \" wrong\"; exit n > 0 }'"

static void manual_pages_and_completion_name_every_option_and_no_other(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "bin/drop7 bench",  "bin/drop7 check",  "bin/drop7 policy", "bin/drop7 decide",
        "bin/drop7 round",  "bin/drop7 replay", "bin/drop7 move",   "bin/drop7 submit",
        "bin/drop7 status", "bin/drop7 speed",  "bin/drop7d",       "bin/drop7 leaderboard",
    };
    char script[1000];
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        const char *page = strstr(commands[i], "drop7d") ? "man8/drop7d.8" : "man1/drop7.1";
        (void)snprintf(script, sizeof(script),
                       "%s --help | grep -oE '^  --[a-z-]+' | while read -r o; do "
                       "grep -qE -- \"Fl -${o#--}( |$)\" share/man/%s || echo \"missing $o\"; "
                       "done " NONE_WRONG,
                       commands[i], page);
        expect(script, "0 wrong");
    }
    expect("{ bin/drop7d --help; for c in $(bin/drop7 --help | awk '/^  [a-z]/ { print $1 }'); do "
           "bin/drop7 $c --help; done; echo ' --help --admin '; } >help.txt 2>&1; "
           "grep -hoE 'Fl -[a-z-]+' share/man/man?/drop7* | cut -c4- | sort -u | "
           "while read -r o; do grep -qE -- \"-$o\\b\" help.txt || echo \"unknown $o\"; "
           "done " NONE_WRONG "; rm help.txt",
           "0 wrong");
}

static void completion_completes(void **state)
{
    (void)state;
#define COMPLETE                                                                                   \
    "PATH=$PWD/bin:$PATH; . share/bash-completion/completions/drop7; "                             \
    "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _drop7; echo \"${COMPREPLY[*]}\"; }; "
    expect(COMPLETE "try drop7 be", "bench");
    expect(COMPLETE "try drop7 bench --move", "--move-timeout");
    expect(COMPLETE "try drop7 policy --policy fair-d", "fair-d2-s7 fair-d3-s7 fair-d4-s7");
    expect(COMPLETE "try drop7d serve --rate-w", "--rate-writes");
    expect(COMPLETE "try drop7d token ''", "create list revoke");
#undef COMPLETE
}

static void the_unit_names_the_installed_program(void **state)
{
    (void)state;
    expect("! grep -r @PREFIX@ lib share; grep ExecStart lib/systemd/system/drop7d.service",
           "ExecStart=/usr/lib/drop7/drop7d serve");
}

static void uninstall_leaves_nothing(void **state)
{
    (void)state;
    char script[1000];
    struct command_result r;
    (void)snprintf(script, sizeof(script),
                   "unset MAKEFLAGS MAKELEVEL MFLAGS; make -s uninstall DESTDIR='%s' PREFIX=/usr; "
                   "find '%s' -type f -o -type l",
                   root, root);
    shell(script, &r);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "");
    command_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run_from_their_links),
        cmocka_unit_test(manual_pages_and_completion_name_every_option_and_no_other),
        cmocka_unit_test(completion_completes),
        cmocka_unit_test(the_unit_names_the_installed_program),
        cmocka_unit_test(uninstall_leaves_nothing),
    };
    return cmocka_run_group_tests_name("tool/install", tests, setup, teardown);
}
