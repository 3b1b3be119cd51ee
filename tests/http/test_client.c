/* drop7 submit, status and leaderboard against a real server and real workers. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"
#include "tests/support/games.h"

static struct test_server server;
static char drop7[PATH_MAX];
static char address[64];
static char token[80];

static int setup(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", "--allow-endpoint", "127.0.0.0/8", NULL};
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    server_start(&server, options);
    (void)server_wait_ready(&server, 40000);
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "author", false));
    (void)snprintf(address, sizeof(address), "http://127.0.0.1:%u/", server.port);
    return setenv("no_proxy", "*", 1) || setenv("DROP7_SERVER", address, 1) ||
           setenv("DROP7_TOKEN", token, 1);
}

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

static void need_sandbox(void)
{
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
}

/* Runs `drop7 WORDS` and expects that exit status. */
static void run(const char *const *words, int status, struct command_result *ret)
{
    const char *argv[32] = {drop7};
    for (size_t i = 0; words[i]; i++) {
        assert_true(i + 2 < D7_COUNT(argv));
        argv[i + 1] = words[i];
    }
    command_run(argv, NULL, ret);
    if (ret->status != status) {
        fail_msg("%s %s: exit %d, not %d; said: %s%s", words[0], words[1] ? words[1] : "",
                 ret->status, status, ret->out, ret->err);
    }
    assert_null(strstr(ret->out, "d7_")); /* no secret, ever */
    assert_null(strstr(ret->err, "d7_"));
}

static void assert_says(const char *where, const char *text)
{
    if (!strstr(where, text)) {
        fail_msg("'%s' is not in: %s", text, where);
    }
}

static void assert_one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    if (!end || end[1]) {
        fail_msg("not one line: %s", text);
    }
}

/* A player of tests/policies, a file of the tree, or a script made of text. */
static const char *player(const char *name)
{
    static char path[PATH_MAX];
    char relative[PATH_MAX];
    (void)snprintf(relative, sizeof(relative), "tests/policies/%s", name);
    (void)snprintf(path, sizeof(path), "%s", support_program(relative));
    return path;
}

static const char *written(const char *name, const char *text)
{
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", support_scratch(), name);
    assert_int_equal(file_write(path, span_of(text), 0600), D7_OK);
    return path;
}

static struct jval *parse(const char *text)
{
    struct jval *root = NULL;
    struct d7_why why;
    if (jval_parse(span_of(text), &root, &why)) {
        fail_msg("%s: %s", why.text, text);
    }
    return root;
}

static void assert_member(const struct jval *v, const char *key, const char *want)
{
    struct span text = {NULL, 0};
    if (!jval_text(jval_get(v, key), &text) || !span_is(text, want)) {
        fail_msg("%s is '%.*s', not '%s'", key, (int)text.len, text.ptr ? text.ptr : "", want);
    }
}

static void c_program_is_followed_to_its_end_in_plain_lines(void **state)
{
    (void)state;
    struct command_result r;
    need_sandbox();
    const char *words[] = {"submit", "--id",           "steady",   "--name",
                           "Steady", "--description",  "it plays", "--family",
                           "tests",  player("steady"), NULL};
    run(words, 0, &r);
    assert_says(r.err, "registered steady, run ");
    for (unsigned i = 1; i <= ROUND_GAUNTLET_COUNT; i++) {
        char count[16];
        char round[32];
        (void)snprintf(count, sizeof(count), "\n[%u/%d] ", i, ROUND_GAUNTLET_COUNT);
        (void)snprintf(round, sizeof(round), " gauntlet-0%u ", i);
        assert_says(r.err, count);
        assert_says(r.err, round);
        assert_says(r.out, round);
    }
    assert_says(r.err, "\ndone, 8 of 8 games\n");
    assert_null(strpbrk(r.err, "\r\033"));
    assert_says(r.out, " of steady: done, 8 of 8 games\n");
    assert_says(r.out, "\n  mean ");
    command_release(&r);

    const char *status[] = {"status", "steady", NULL};
    run(status, 0, &r);
    assert_says(r.out, "policy steady: ready\n");
    assert_says(r.out, "done, 8 of 8 games");
    command_release(&r);
}

static void script_is_submitted_with_a_token_file_and_json(void **state)
{
    (void)state;
    struct command_result r;
    char line[120];
    need_sandbox();
    (void)snprintf(line, sizeof(line), "%s\n", token);
    const char *words[] = {"submit",
                           "--id",
                           "match",
                           "--name",
                           "Match",
                           "--token-file",
                           written("token", line),
                           "--json",
                           "docs/examples/match.py",
                           NULL};
    assert_int_equal(unsetenv("DROP7_TOKEN"), 0);
    run(words, 0, &r);
    assert_int_equal(setenv("DROP7_TOKEN", token, 1), 0);
    struct jval *root = parse(r.out);
    assert_member(jval_get(root, "policy"), "status", "ready");
    assert_member(jval_get(root, "run"), "status", "done");
    assert_int_equal(jval_length(jval_get(jval_get(root, "run"), "games")), ROUND_GAUNTLET_COUNT);
    jval_free(root);
    command_release(&r);
}

static void endpoint_is_submitted_and_followed(void **state)
{
    (void)state;
    struct command_result r;
    char at[64];
    char endpoint[80];
    const char *serve[] = {drop7, "policy", "--policy", "greedy", "--listen", "127.0.0.1:0", NULL};
    pid_t pid = program_start(serve, at, sizeof(at));
    (void)snprintf(endpoint, sizeof(endpoint), "tcp://%s", at);
    const char *words[] = {"submit", "--id",       "afar",   "--name",
                           "Afar",   "--endpoint", endpoint, NULL};
    run(words, 0, &r);
    assert_says(r.out, " of afar: done, 8 of 8 games\n");
    program_end(pid);
    command_release(&r);
}

static void rejected_program_is_status_1_with_its_reason(void **state)
{
    (void)state;
    struct command_result r;
    need_sandbox();
    const char *words[] = {"submit", "--id", "ends",
                           "--name", "Ends", written("ends.sh", "#!/bin/sh\nexit 3\n"),
                           "--json", NULL};
    run(words, 1, &r);
    assert_says(r.err, "drop7: rejected: the program ended with exit status 3");
    struct jval *root = parse(r.out);
    assert_member(jval_get(root, "policy"), "status", "rejected");
    assert_member(jval_get(root, "run"), "status", "cancelled");
    jval_free(root);
    command_release(&r);
}

static void refusals_are_status_1_and_name_the_fields(void **state)
{
    (void)state;
    struct command_result r;
    need_sandbox();
    const char *words[] = {"submit", "--id",      "once",           "--name",
                           "Once",   "--no-wait", player("steady"), NULL};
    run(words, 0, &r);
    assert_says(r.out, "policy once: checking\n");
    assert_says(r.out, "\nrun ");
    command_release(&r);
    run(words, 1, &r); /* it is taken now */
    assert_says(r.err, "409 conflict: this id is taken; there is /api/v1/policies/once");
    assert_string_equal(r.out, "");
    command_release(&r);
    games_finish(&server, "once");

    const char *bad[] = {"submit", "--id", "Upper", "--name", "", player("steady"), NULL};
    run(bad, 1, &r);
    assert_says(r.err, "400 validation");
    assert_says(r.err, "\n  id: id must be 2 to 63");
    assert_says(r.err, "\n  name: name must have 1 to 80");
    command_release(&r);

    const char *wrong[] = {"submit",          "--id",           "other",
                           "--name",          "Other",          "--token",
                           "d7_wrong-secret", player("steady"), NULL};
    run(wrong, 1, &r);
    assert_says(r.err, "401 unauthorized");
    assert_one_line(r.err);
    command_release(&r);

    const char *nothing[] = {"status", "nothing-of-that-id", NULL};
    run(nothing, 1, &r);
    assert_says(r.err, "404 not-found");
    command_release(&r);
    const char *suite[] = {"leaderboard", "--suite", "no-such-suite", NULL};
    run(suite, 1, &r);
    assert_one_line(r.err);
    command_release(&r);
}

static void unreachable_server_is_one_line_and_status_1(void **state)
{
    (void)state;
    /* bound, but not listening: nobody else gets the port, and nobody answers on it */
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    char url[64];
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
    const char *const commands[][10] = {
        {"leaderboard", "--server", url},
        {"status", "--server", url},
        {"status", "steady", "--follow", "--server", url},
        {"submit", "--id", "a-b", "--name", "N", "--server", url, "docs/examples/match.py"},
        {"leaderboard", "--server", "http://no-such-host.invalid"},
    };
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        struct command_result r;
        run(commands[i], 1, &r);
        assert_says(r.err, "drop7: no answer from http://");
        assert_one_line(r.err);
        assert_string_equal(r.out, "");
        command_release(&r);
    }
    (void)close(fd);
}

static void leaderboard_is_a_table_json_or_csv(void **state)
{
    (void)state;
    struct command_result r;
    const char *table[] = {"leaderboard", NULL};
    run(table, 0, &r);
    struct span rest = span_of(r.out);
    size_t width = 0;
    unsigned rows = 0;
    for (; rest.len; rows++) {
        struct span line = span_cut(&rest, '\n');
        width = width ? width : line.len;
        assert_int_equal(line.len, width); /* aligned: none is provisional */
    }
    assert_true(rows >= 2); /* the endpoint's at least */
    assert_says(r.out, " afar ");
    command_release(&r);

    const char *json[] = {"leaderboard", "--json", "--suite", "gauntlet", NULL};
    run(json, 0, &r);
    struct jval *root = parse(r.out);
    assert_member(root, "format", "drop7-leaderboard-v1");
    assert_int_equal(jval_length(jval_get(root, "summaries")), rows - 1);
    jval_free(root);
    command_release(&r);

    const char *csv[] = {"leaderboard", "--csv", NULL};
    run(csv, 0, &r);
    assert_int_equal(strncmp(r.out, "policyId,games,meanScore,", 25), 0);
    assert_says(r.out, "\r\nafar,8,");
    command_release(&r);
}

static void status_without_words_lists_the_newest_runs(void **state)
{
    (void)state;
    struct command_result r;
    const char *words[] = {"status", NULL};
    run(words, 0, &r);
    assert_says(r.out, " afar ");
    assert_says(r.out, "    8/8 ");
    command_release(&r);
    const char *json[] = {"status", "--json", NULL};
    run(json, 0, &r);
    struct jval *root = parse(r.out);
    assert_true(jval_length(jval_get(root, "items")) > 0);
    jval_free(root);
    command_release(&r);
}

/* Reads from fd into `to` until it has that text. */
static void read_until(int fd, struct buf *to, const char *text)
{
    while (!to->len || !strstr(to->data, text)) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        assert_int_equal(buf_reserve(to, 4096), D7_OK);
        ssize_t got = poll(&ready, 1, TEST_WAIT_MS) == 1 ? read(fd, to->data + to->len, 4096) : 0;
        if (got <= 0) {
            fail_msg("never said '%s': %s", text, to->len ? to->data : "");
        }
        to->len += (size_t)got;
        to->data[to->len] = '\0';
    }
}

static void interrupt_leaves_the_run_going_and_says_where(void **state)
{
    (void)state;
    int pipes[2];
    int status = 0;
    struct buf said;
    need_sandbox();
    const char *argv[] = {drop7, "submit", "--id", "slow", "--name", "Slow", player("slow"), NULL};
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = process_spawn(argv, pipes[1]);
    (void)close(pipes[1]);
    buf_init(&said, 1 << 20);
    read_until(pipes[0], &said, "[1/8] ");
    assert_int_equal(kill(pid, SIGINT), 0);
    read_until(pipes[0], &said, "to see it again: drop7 status ");
    assert_true(process_wait(pid, 5000, &status));
    assert_int_equal(process_exit_code(status), 130);
    assert_says(said.data, "the run goes on");
    char id[64] = "";
    assert_int_equal(sscanf(strstr(said.data, "drop7 status "), "drop7 status %63s", id), 1);
    assert_string_equal(id, games_latest_run(&server, "slow"));
    struct command_result r;
    const char *words[] = {"status", id, NULL};
    run(words, 0, &r);
    assert_says(r.out, " of slow: playing, ");
    command_release(&r);
    buf_release(&said);
    (void)close(pipes[0]);
}

static void terminal_gets_a_bar(void **state)
{
    (void)state;
    int status = 0;
    struct buf said;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    assert_true(master >= 0);
    assert_int_equal(grantpt(master) || unlockpt(master), 0);
    assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
    int terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    const char *argv[] = {drop7, "status", "afar", "--follow", NULL};
    pid_t pid = process_spawn(argv, terminal);
    buf_init(&said, 1 << 20);
    read_until(master, &said, "  mean ");
    assert_true(process_wait(pid, 5000, &status));
    assert_int_equal(process_exit_code(status), 0);
    assert_says(said.data, "\r\033[K[########################################] done, 8 of 8 games");
    assert_says(said.data, "\r\033[Kpolicy afar: ready"); /* the bar is gone by then */
    buf_release(&said);
    (void)close(terminal);
    (void)close(master);
}

static void bad_usage_is_one_line_and_status_2(void **state)
{
    (void)state;
    static const char file[] = "docs/examples/match.py";
    const char *const commands[][12] = {
        {"submit", "--id", "a-b", "--name", "N"},
        {"submit", "--id", "a-b", "--name", "N", "--endpoint", "tcp://h:1", file},
        {"submit", "--name", "N", file},
        {"submit", "--id", "a-b", file},
        {"submit", "--id", "a/../b", "--name", "N", file},
        {"submit", "--id", "a-b", "--name", "N", "--revision", file},
        {"submit", "--id", "a-b", "--name", "N", "no/such/file"},
        {"submit", "--id", "a-b", "--name", "N", "docs"},
        {"submit", "--id", "a-b", "--name", "N", "--token", "two words", file},
        {"submit", "--id", "a-b", "--name", "N", "--token", "x", "--token-file", "y", file},
        {"submit", "--id", "a-b", "--name", "N", "--token-file", "no/such/file", file},
        {"status", "--follow"},
        {"status", "a?b"},
        {"leaderboard", "--json", "--csv"},
        {"leaderboard", "--suite", "a&b"},
        {"leaderboard", "--server", "localhost:8080"},
        {"leaderboard", "--server", "http://me:hidden@localhost"},
        {"leaderboard", "--server", "file:///etc/passwd"},
    };
    for (size_t i = 0; i < D7_COUNT(commands); i++) {
        struct command_result r;
        run(commands[i], 2, &r);
        assert_one_line(r.err);
        assert_null(strstr(r.err, "hidden"));
        assert_string_equal(r.out, "");
        command_release(&r);
    }
    struct command_result r;
    const char *words[] = {"submit", "--id", "a-b", "--name", "N", file, NULL};
    assert_int_equal(unsetenv("DROP7_TOKEN"), 0);
    run(words, 2, &r);
    assert_int_equal(setenv("DROP7_TOKEN", token, 1), 0);
    assert_says(r.err, "a token is needed");
    command_release(&r);
}

int main(void)
{
    /* one server for all; the endpoint's games are what the later ones look at */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoint_is_submitted_and_followed),
        cmocka_unit_test(c_program_is_followed_to_its_end_in_plain_lines),
        cmocka_unit_test(script_is_submitted_with_a_token_file_and_json),
        cmocka_unit_test(rejected_program_is_status_1_with_its_reason),
        cmocka_unit_test(refusals_are_status_1_and_name_the_fields),
        cmocka_unit_test(unreachable_server_is_one_line_and_status_1),
        cmocka_unit_test(leaderboard_is_a_table_json_or_csv),
        cmocka_unit_test(status_without_words_lists_the_newest_runs),
        cmocka_unit_test(terminal_gets_a_bar),
        cmocka_unit_test(interrupt_leaves_the_run_going_and_says_where),
        cmocka_unit_test(bad_usage_is_one_line_and_status_2),
    };
    return cmocka_run_group_tests_name("http/client", tests, setup, teardown);
}
