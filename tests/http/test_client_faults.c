/* drop7's commands for a server, and its policies over TCP, where memory or the kernel fails them:
 * each call in turn, beside a real server. */
#include "tests/support/faulty.h"
#include "tests/support/games.h"

static struct test_server server;
static char args[5][300];

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

static void start(void)
{
    static const char *const options[] = {
        "--demo",       "--workers", "1", "--rate-writes", "0", "--quota-policies", "0",
        "--quota-jobs", "0",         NULL};
    server_start(&server, options);
    (void)server_wait_ready(&server, TEST_WAIT_MS);
}

static void try(const char *kind, int count)
{
    unsigned faults = 0;
    for (int i = 0; i < count; i++) {
        /* the id is taken: nothing changes on the server, whoever fails */
        const struct faulty f = {.args = args[i], .varies = true, .clean = i == 4};
        faults += faulty_run(&f, kind);
    }
    assert_true(faults >= 10);
}

static void commands_for_a_server_end_with_a_word(void **state)
{
    (void)state;
    start();
    (void)snprintf(args[0], sizeof(args[0]), "leaderboard --server http://127.0.0.1:%u",
                   server.port);
    (void)snprintf(args[1], sizeof(args[1]), "status --server http://127.0.0.1:%u", server.port);
    (void)snprintf(args[2], sizeof(args[2]), "status greedy --json --server http://127.0.0.1:%u",
                   server.port);
    (void)snprintf(args[3], sizeof(args[3]), "status greedy --follow --server http://127.0.0.1:%u",
                   server.port);
    (void)snprintf(args[4], sizeof(args[4]),
                   "submit --id greedy --name Taken --no-wait docs/examples/match.py "
                   "--server http://127.0.0.1:%u --token %s",
                   server.port, server_token(&server, "author", false));
    try("memory", 5);
    try("disk", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(commands_for_a_server_end_with_a_word, teardown),
    };
    return cmocka_run_group_tests_name("http/client_faults", tests, NULL, NULL);
}
