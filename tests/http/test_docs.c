/* The documents, as their readers use them: every block, as it is pasted, in one shell that stops
 * at the first command that fails, against a server on a port of its own. */
#include <unistd.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"
#include "tests/support/doc.h"
#include "tests/support/games.h"

#define READER_MS 200000

static struct test_server server;
static char host[40], endpoint[40], endpoint_path[40], second[40], backup[300];

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

static void start(void)
{
    static const char *const options[] = {"--registration",   "open",        "--workers", "2",
                                          "--allow-endpoint", "127.0.0.0/8", NULL};
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, TEST_WAIT_MS), "C") == 0) {
        support_skip("no sandbox here that takes uploads");
    }
    (void)snprintf(host, sizeof(host), "http://127.0.0.1:%u", server.port);
}

static char *read_doc(const char *file, const char *heading, size_t blocks)
{
    const struct doc_run run = {.folder = doc_folder(),
                                .file = file,
                                .heading = heading,
                                .swap = {{"http://127.0.0.1:8080", host}},
                                .wait_ms = READER_MS};
    size_t found = 0;
    char *said = doc_run(&run, &found);
    assert_int_equal(found, blocks);
    return said;
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
    char *said = read_doc("docs/API.md", NULL, 7);
    doc_assert_says(said, wanted, D7_COUNT(wanted));
    free(said);
}

/* All it says, up to the checksums, which are the same from the server and from the bench at home.
 */
static void the_tour_of_the_readme_works_as_pasted(void **state)
{
    (void)state;
    static const char *const first[] = {"\"id\":\"lowest\"", "\"id\":\"match\"",
                                        "\"status\":\"done\"", "\"status\":\"done\""};
    static const char *const then[] = {"drop7-replay-v1", "watch it: http://", "gauntlet-01"};
    start();
    char *said = read_doc("README.md", "## A tour in 60 seconds", 1);
    doc_assert_says(said, first, D7_COUNT(first));
    assert_non_null(strstr(said, "lowest,8,"));
    doc_assert_says(said, then, D7_COUNT(then));
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
    free(said);
}

static void the_authors_guide_leads_to_the_leaderboard(void **state)
{
    (void)state;
    static const char *const wanted[] = {"45 steps: 45 passed",
                                         "45 steps: 45 passed",
                                         "45 steps: 45 passed", /* C, Python, JavaScript */
                                         "gauntlet-08",
                                         "greedy",
                                         "checksum", /* at home */
                                         "-c: done, 8 of 8",
                                         "-py: done, 8 of 8",
                                         "-js: done, 8 of 8",
                                         "-c: done, 8 of 8",
                                         "revision  2",
                                         "rank policy",
                                         "\"status\":\"checking\"",
                                         "45 steps: 45 passed",
                                         "-tcp: done, 8 of 8"};
    start();
    unsigned port = doc_port();
    (void)snprintf(endpoint, sizeof(endpoint), "127.0.0.1:%u", port);
    (void)snprintf(endpoint_path, sizeof(endpoint_path), "127.0.0.1/%u", port);
    const struct doc_run run = {.folder = doc_folder(),
                                .file = "docs/AUTHORS.md",
                                .before = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n",
                                .swap = {{"http://127.0.0.1:8080", host},
                                         {"127.0.0.1:7001", endpoint},
                                         {"127.0.0.1/7001", endpoint_path}},
                                .wait_ms = READER_MS};
    size_t blocks = 0;
    char *said = doc_run(&run, &blocks);
    assert_int_equal(blocks, 7);
    doc_assert_says(said, wanted, D7_COUNT(wanted));
    free(said);
}

static void play_one(const char *id, const char *file)
{
    const char *fields[] = {"id", id, "name", "Lowest", "family", "test", NULL};
    struct answer a = http_upload(&server, "/api/v1/policies",
                                  server_token(&server, "author", false), fields, file);
    assert_int_equal(a.status, 201);
    struct answer run = http_wait_run(&server, answer_text(&a, "latestRunId"), TEST_WAIT_MS);
    assert_string_equal(answer_text(&run, "status"), "done");
    answer_free(&run);
    answer_free(&a);
}

static void the_operators_guide_works_on_a_store_in_use(void **state)
{
    (void)state;
    static const char *const wanted[] = {"verified 8 games",
                                         "policyId,games",
                                         "lowest,8,",
                                         "\"status\":\"ready\"", /* after the restore */
                                         "drop7_store_up 1",
                                         "\"status\":\"ready\"",
                                         "artifacts",
                                         "drop7_store_free_bytes",
                                         "\"status\":\"suspended\"",
                                         "\"status\":\"ready\"",
                                         "author",
                                         "moderator (admin)",
                                         "\"status\":\"ready\"",
                                         "verified 8 games"};
    start();
    play_one("lowest", "docs/examples/match.py");
    (void)snprintf(second, sizeof(second), "127.0.0.1:%u", doc_port());
    const char *folder = doc_folder();
    (void)snprintf(backup, sizeof(backup), "%s/backup", folder);
    struct buf before;
    buf_init(&before, 1u << 16);
    buf_printf(&before, "FOLDER='%s' DATA='%s' PORT=%u SERVER=%d\n. tests/docs/stand_ins.sh\n",
               folder, server.data, server.port, (int)server.pid);
    const struct doc_run run = {.folder = folder,
                                .file = "docs/OPERATING.md",
                                .before = before.data,
                                .swap = {{"http://127.0.0.1:8080", host},
                                         {"127.0.0.1:8081", second},
                                         {"/var/lib/drop7", server.data},
                                         {"/backup", backup}},
                                .wait_ms = READER_MS};
    size_t blocks = 0;
    char *said = doc_run(&run, &blocks);
    assert_int_equal(blocks, 7);
    doc_assert_says(said, wanted, D7_COUNT(wanted));
    free(said);
    buf_release(&before);
}

static void a_single_test_runs_as_the_hackers_guide_says(void **state)
{
    (void)state;
    static const char *const wanted[] = {"rules/test_turn", "0 failed, 0 skipped"};
    char *said = read_doc("docs/HACKING.md", NULL, 1);
    doc_assert_says(said, wanted, D7_COUNT(wanted));
    free(said);
}

static void the_examples_of_the_manual_page_run(void **state)
{
    (void)state;
    static const char *const wanted[] = {"gauntlet-08", "45 steps: 45 passed", "3"};
    static const char script[] =
        "cd \"$1/repo\" && PATH=$1/bin:$PATH && cp docs/examples/match.py my.py && "
        "sed -n 's/^\\.Dl //p' docs/man/drop7.1 | sed 's/\\\\(dq/\"/g' >\"$1/examples\" && "
        "[ $(wc -l <\"$1/examples\") = 3 ] && bash -e \"$1/examples\"";
    const char *argv[] = {"/bin/bash", "-c", script, "examples", doc_folder(), NULL};
    struct command_result r;
    command_run(argv, NULL, &r);
    if (r.status) {
        fail_msg("exit %d: %s", r.status, r.err);
    }
    doc_assert_says(r.out, wanted, D7_COUNT(wanted));
    command_release(&r);
}

static void what_the_documents_name_is_there(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/bash", "tests/docs/names.sh", NULL};
    char *said = NULL;
    if (command_text(argv, &said) != 0) {
        fail_msg("%s", said);
    }
    free(said);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_api_tour_works_as_pasted),
        CASE(the_tour_of_the_readme_works_as_pasted),
        CASE(the_authors_guide_leads_to_the_leaderboard),
        CASE(the_operators_guide_works_on_a_store_in_use),
        CASE(a_single_test_runs_as_the_hackers_guide_says),
        CASE(the_examples_of_the_manual_page_run),
        CASE(what_the_documents_name_is_there),
    };
    return cmocka_run_group_tests_name("http/docs", tests, NULL, NULL);
}
