/* drop7 check on a program that ends after so many lines, whichever: the check ends too, fails, and
 * says at which step. */
#include "tests/support/command.h"

static void a_program_that_ends_after_any_line_fails_the_check(void **state)
{
    (void)state;
    static const unsigned lines[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 24, 40};
    char drop7[300], good[300], command[700];
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    (void)snprintf(good, sizeof(good), "%s", support_program("tests/policies/good"));
    for (size_t i = 0; i < D7_COUNT(lines); i++) {
        struct command_result r;
        (void)snprintf(command, sizeof(command), "sh -c 'sed -u %uq | exec \"%s\"'", lines[i],
                       good);
        const char *argv[] = {drop7, "check",   "--command", command, "--timeout",
                              "5",   "--quick", "1",         NULL};
        command_run(argv, NULL, &r);
        if (r.status != 1 || !strstr(r.out, " FAIL ") || !strstr(r.out, "45 steps: ")) {
            fail_msg("%u lines: exit %d: %s%s", lines[i], r.status, r.out, r.err);
        }
        command_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_ends_after_any_line_fails_the_check),
    };
    return cmocka_run_group_tests_name("tool/check_ends", tests, NULL, NULL);
}
