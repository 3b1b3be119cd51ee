/* What a worker makes of a launcher that fails: whose fault it was must never be mixed up. The
 * launcher here is a script beside a copy of drop7d. */
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "tests/support/games.h"

static struct test_server server;
static char program[PATH_MAX];

static void copy_file(const char *from, const char *to)
{
    struct buf bytes;
    buf_init(&bytes, 256u << 20);
    assert_int_equal(file_read(from, &bytes), D7_OK);
    assert_int_equal(file_write(to, buf_span(&bytes), 0755), D7_OK);
    buf_release(&bytes);
}

/* A server whose launcher claims tier A and then does `instead` of starting a policy. */
static void start_with_launcher(const char *instead)
{
    char folder[PATH_MAX - 32], launcher[PATH_MAX], script[512];
    (void)snprintf(folder, sizeof(folder), "%s", support_scratch());
    (void)snprintf(program, sizeof(program), "%s/drop7d", folder);
    (void)snprintf(launcher, sizeof(launcher), "%s/drop7-sandbox", folder);
    copy_file(support_program("drop7d"), program);
    (void)snprintf(script, sizeof(script),
                   "#!/bin/sh\n"
                   "if [ \"$1\" = --tier ]; then printf 'tier A\\nwhy a test\\nPROBE OK\\n'; exit; "
                   "fi\n%s\n",
                   instead);
    assert_int_equal(file_write(launcher, span_of(script), 0755), D7_OK);
    const char *options[] = {"--workers", "1", NULL};
    server_start_as(&server, program, options);
    assert_string_equal(server_wait_ready(&server, 40000), "A");
}

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

static void upload(void)
{
    const char *fields[] = {"id", "steady", "name", "Steady", "family", "tests", NULL};
    struct answer a = http_upload(&server, "/api/v1/policies", server_token(&server, "a", false),
                                  fields, support_program("tests/policies/steady"));
    if (a.status != 201) {
        fail_msg("%ld %s", a.status, a.body);
    }
    answer_free(&a);
}

/* What the run came to. */
static void assert_run(const char *status, const char *words)
{
    struct answer a = http_wait_run(&server, games_latest_run(&server, "steady"), GAMES_RUN_MS);
    if (strcmp(answer_text(&a, "status"), status) != 0 || !strstr(a.body, words)) {
        fail_msg("wanted %s with '%s': %s", status, words, a.body);
    }
    answer_free(&a);
}

static void failing_confinement_is_never_the_policys_fault(void **state)
{
    (void)state;
    start_with_launcher("printf '\\004\\000\\000\\000\\001\\000\\000\\000' >&3; exit 125");
    upload();
    assert_run("failed", "sandbox: ");
    struct answer a = http_get(&server, "/api/v1/policies/steady");
    assert_string_not_equal(answer_text(&a, "status"), "rejected");
    answer_free(&a);
    a = http_get(&server, "/api/v1/games?policy=steady");
    assert_int_equal(jval_length(jval_get(a.json, "items")), 0);
    answer_free(&a);
}

static void garbled_report_is_our_failure_too(void **state)
{
    (void)state;
    start_with_launcher("printf 'oops' >&3; exit 125");
    upload();
    assert_run("failed", "sandbox");
}

static void file_that_cannot_be_executed_is_the_policys_fault(void **state)
{
    (void)state;
    /* step exec; ENOEXEC (8), and EACCES (13): a loader that may not be executed */
    static const char *const reports[] = {
        "printf '\\012\\000\\000\\000\\010\\000\\000\\000' >&3; exit 125",
        "printf '\\012\\000\\000\\000\\015\\000\\000\\000' >&3; exit 125"};
    for (size_t i = 0; i < D7_COUNT(reports); i++) {
        start_with_launcher(reports[i]);
        upload();
        assert_run("cancelled", "");
        struct answer a = http_get(&server, "/api/v1/policies/steady");
        assert_string_equal(answer_text(&a, "status"), "rejected");
        assert_non_null(strstr(a.body, "\"no-start\""));
        answer_free(&a);
        if (i + 1 < D7_COUNT(reports)) {
            server_remove(&server);
        }
    }
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(failing_confinement_is_never_the_policys_fault),
        CASE(garbled_report_is_our_failure_too),
        CASE(file_that_cannot_be_executed_is_the_policys_fault),
    };
    return cmocka_run_group_tests_name("http/launcher", tests, NULL, NULL);
}
