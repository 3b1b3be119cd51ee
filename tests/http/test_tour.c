/* The tours of README.md and docs/API.md: every block, as it is pasted, in one shell that stops at
 * the first command that fails, against a server on a port of its own. */
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"
#include "tests/support/games.h"

#define HOST_OF_TOURS "http://127.0.0.1:8080"
#define TOUR_MS       200000

static struct test_server server;
static char script_path[300];

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

static void append_line(struct buf *to, struct span line)
{
    const char *host = NULL;
    while ((host = line.len ? memmem(line.ptr, line.len, HOST_OF_TOURS, strlen(HOST_OF_TOURS))
                            : NULL)) {
        buf_append(to, line.ptr, (size_t)(host - line.ptr));
        buf_printf(to, "http://127.0.0.1:%u", server.port);
        size_t used = (size_t)(host - line.ptr) + strlen(HOST_OF_TOURS);
        line = span_make(line.ptr + used, line.len - used);
    }
    buf_append(to, line.ptr, line.len);
    buf_char(to, '\n');
}

/* The ```sh blocks after the heading (NULL: all), as one script. Returns how many there were. */
static size_t write_script(const char *file, const char *heading)
{
    struct buf text, script;
    size_t blocks = 0;
    bool after = !heading, inside = false;
    buf_init(&text, 1u << 20);
    buf_init(&script, 1u << 20);
    assert_int_equal(file_read(file, &text), D7_OK);
    buf_text(&script, "set -e\n");
    for (struct span rest = buf_span(&text); rest.len;) {
        struct span line = span_cut(&rest, '\n');
        if (span_starts(line, "#") && heading && !inside) {
            after = span_is(line, heading);
        } else if (span_starts(line, "```")) {
            inside = after && !inside && span_is(line, "```sh");
            blocks += inside;
        } else if (inside) {
            append_line(&script, line);
        }
    }
    assert_int_equal(script.err, D7_OK);
    (void)snprintf(script_path, sizeof(script_path), "%s/tour.sh", support_scratch());
    assert_int_equal(file_write(script_path, buf_span(&script), 0600), D7_OK);
    buf_release(&text);
    buf_release(&script);
    return blocks;
}

/* Runs it in the repository's folder; what it said, the caller frees. */
static char *run_script(void)
{
    static const char *const words[] = {"unbound", "command not found", "No such file"};
    const char *argv[] = {"/bin/bash", script_path, NULL};
    struct command_result r;
    command_run_within(argv, NULL, TOUR_MS, &r);
    if (r.status != 0) {
        fail_msg("exit %d: %s%s", r.status, r.out, r.err);
    }
    for (size_t i = 0; i < D7_COUNT(words); i++) {
        if (strstr(r.err, words[i])) {
            fail_msg("%s", r.err);
        }
    }
    free(r.err);
    return r.out;
}

static void assert_says(const char *said, const char *const *wanted, size_t count)
{
    const char *at = said;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, wanted[i]);
        if (!found) {
            fail_msg("'%s' is missing, or not in its place: %s", wanted[i], said);
        }
        at = found + strlen(wanted[i]);
    }
}

static void start(void)
{
    static const char *const options[] = {"--registration", "open", "--workers", "2", NULL};
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, TEST_WAIT_MS), "C") == 0) {
        support_skip("no sandbox here that takes uploads");
    }
}

static void the_api_tour_works_as_pasted(void **state)
{
    (void)state;
    static const char *const wanted[] = {"HTTP/1.1 201",
                                         "Location: /api/v1/policies/api-tour-",
                                         "\"quota\":",
                                         "event: game",
                                         "event: end",
                                         "\"done\"",
                                         "\"roundId\":\"gauntlet-0",
                                         "304 0 bytes",
                                         "\"paired\":{",
                                         "policyId,games,meanScore,medianScore\n",
                                         "api-tour-",
                                         "\"player\":\"Shell loop\"",
                                         "\"score\":",
                                         "\"outcome\":\"over\"",
                                         "201\n",
                                         "200\n",
                                         "204\n",
                                         "\"code\":\"not-found\""};
    start();
    assert_int_equal(write_script("docs/API.md", NULL), 7);
    char *said = run_script();
    assert_says(said, wanted, D7_COUNT(wanted));
    free(said);
}

/* All it says, up to the checksums, which are the same from the server and from the bench at home.
 */
static void the_tour_of_the_readme_works_as_pasted(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "\"id\":\"lowest\"", "\"id\":\"match\"", "\"status\":\"done\"", "\"status\":\"done\"",
        "lowest,8,",         "drop7-replay-v1",  "watch it: http://",   "gauntlet-01"};
    start();
    assert_int_equal(write_script("README.md", "## A tour in 60 seconds"), 1);
    char *said = run_script();
    char *in_any_order = strdup(said);
    assert_says(in_any_order, wanted, 4);
    assert_non_null(strstr(said, "lowest,8,"));
    assert_says(said, wanted + 5, 3);
    const char *at = strstr(said, "watch it:");
    unsigned twice = 0;
    for (unsigned k = 1; k <= ROUND_GAUNTLET_COUNT; k++) {
        char local[32];
        (void)snprintf(local, sizeof(local), "gauntlet-%02u ", k);
        const char *line = strstr(at, local);
        assert_non_null(line);
        char sum[20];
        (void)snprintf(sum, sizeof(sum), "\"%.16s\"", line + strlen(local));
        twice += strstr(line, sum) != NULL; /* the server's, in quotes */
    }
    assert_int_equal(twice, ROUND_GAUNTLET_COUNT);
    free(in_any_order);
    free(said);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_api_tour_works_as_pasted),
        CASE(the_tour_of_the_readme_works_as_pasted),
    };
    return cmocka_run_group_tests_name("http/tour", tests, NULL, NULL);
}
