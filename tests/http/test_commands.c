/* drop7d's command lines: what they print, and how they end. */
#include <sqlite3.h>
#include <unistd.h>

#include "tests/support/command.h"
#include "tests/support/games.h"

static struct test_server server;
static char drop7d[PATH_MAX];

static int setup(void **state)
{
    (void)state;
    memset(&server, 0, sizeof(server));
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

/* Runs it, and expects this status and one line with these words. */
static void assert_one_line(const char *const *argv, int status, const char *words)
{
    char *text = NULL;
    int code = command_text(argv, &text);
    const char *end = text ? strchr(text, '\n') : NULL;
    if (code != status || !end || end[1] || !strstr(text, words)) {
        fail_msg("exit %d (wanted %d), said: %s (wanted one line with: %s)", code, status, text,
                 words);
    }
    free(text);
}

static void tokens_are_made_listed_and_ended(void **state)
{
    (void)state;
    server_start(&server, NULL);
    char token[80];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "someone", true));
    assert_int_equal(strlen(token), 67);
    struct answer a = http_send(&server, "GET", "/api/v1/me", token, NULL);
    assert_int_equal(a.status, 200);
    assert_string_equal(answer_text(&a, "name"), "someone");
    answer_free(&a);

    const char *list[] = {drop7d, "token", "list", "--data", server.data, NULL};
    char *text = NULL;
    assert_int_equal(command_text(list, &text), 0);
    assert_non_null(strstr(text, "someone (admin)"));
    assert_null(strstr(text, token + 3)); /* the secret is nowhere */
    const char *line = strchr(text, '\n');
    assert_non_null(line);
    char id[64] = "";
    assert_int_equal(sscanf(line, "%63s", id), 1);
    free(text);

    const char *revoke[] = {drop7d, "token", "revoke", id, "--data", server.data, NULL};
    assert_int_equal(command_text(revoke, NULL), 0);
    a = http_send(&server, "GET", "/api/v1/me", token, NULL);
    assert_int_equal(a.status, 401);
    answer_free(&a);
}

static void token_may_come_before_the_first_start(void **state)
{
    (void)state;
    char data[PATH_MAX];
    (void)snprintf(data, sizeof(data), "%s/new", support_scratch());
    const char *create[] = {drop7d, "token", "create", "early", "--data", data, NULL};
    assert_one_line(create, 0, "d7_");
    const char *verify[] = {drop7d, "verify", "--data", data, NULL};
    assert_one_line(verify, 0, "verified 0 games");
    const char *migrate[] = {drop7d, "migrate", "--data", data, NULL};
    assert_one_line(migrate, 0, "schema version");
}

static void token_that_nobody_could_read_is_revoked(void **state)
{
    (void)state;
    char script[3 * PATH_MAX];
    struct command_result r;
    const char *const shell[] = {"/bin/sh", "-c", script, NULL};
    (void)snprintf(script, sizeof(script),
                   "for to in /dev/full /dev/null; do '%s' token create x --data '%s/d' >$to; "
                   "echo $?; done; '%s' token list --data '%s/d' | grep -oE ' (live|revoked) '",
                   drop7d, support_scratch(), drop7d, support_scratch());
    command_run(shell, NULL, &r);
    assert_string_equal(r.out, "1\n0\n revoked \n live \n");
    assert_non_null(strstr(r.err, "cannot write to standard output"));
    command_release(&r);
}

/* Spoils the store behind the server's back. */
static void spoil(const char *sql)
{
    char path[PATH_MAX];
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%.3000s/drop7.db", server.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
    assert_true(sqlite3_changes(db) > 0);
    (void)sqlite3_close(db);
}

static void verify_names_the_games_that_differ(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "1", NULL};
    server_start(&server, options);
    games_finish(&server, "greedy");
    assert_int_equal(server_stop(&server), 0);
    games_assert_verified(&server, ROUND_GAUNTLET_COUNT);
    spoil("UPDATE game SET score = score + 1 WHERE policy = 'greedy' AND round = 'gauntlet-03'");
    spoil("UPDATE game_record SET columns = zeroblob(length(columns)) WHERE game IN (SELECT seq "
          "FROM game WHERE policy = 'greedy' AND round = 'gauntlet-05')");
    const char *argv[] = {drop7d, "verify", "--data", server.data, NULL};
    char *text = NULL;
    assert_int_equal(command_text(argv, &text), 1);
    assert_non_null(strstr(text, "(greedy on gauntlet-03) differs: score"));
    assert_non_null(strstr(text, "(greedy on gauntlet-05) differs: "));
    assert_null(strstr(text, "gauntlet-04"));
    assert_non_null(strstr(text, "2 of "));
    free(text);
}

static void token_list_says_when_a_token_was_used(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "0", "--interpreters", "sh,ruby-never", NULL};
    server_start(&server, options);
    assert_true(server_wait_log(&server, "scripts for ruby-never cannot be uploaded", 5000));
    const char *list[] = {drop7d, "token", "list", "--data", server.data, NULL};
    const char *token = server_token(&server, "ann", false);
    char *text = NULL;
    assert_int_equal(command_text(list, &text), 0);
    assert_non_null(strstr(text, "never"));
    free(text);
    struct answer a = http_send(&server, "GET", "/api/v1/me", token, NULL);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    text = NULL;
    assert_int_equal(command_text(list, &text), 0);
    assert_null(strstr(text, "never"));
    free(text);
}

static void void_game_no_longer_counts(void **state)
{
    (void)state;
    const char *options[] = {"--demo", "--workers", "1", NULL};
    server_start(&server, options);
    games_finish(&server, "greedy");
    static const char path[] = "/api/v1/policies/greedy/rounds/gauntlet-02/replay";
    struct answer a = http_get(&server, path);
    assert_int_equal(a.status, 200);
    char id[64];
    (void)snprintf(id, sizeof(id), "%s", answer_text(&a, "id"));
    answer_free(&a);
    const char *argv[] = {drop7d,           "game",   "void",      id,  "--reason",
                          "played by hand", "--data", server.data, NULL};
    assert_one_line(argv, 0, id);
    a = http_get(&server, path);
    assert_int_equal(a.status, 404);
    answer_free(&a);
    const char *again[] = {drop7d, "game",   "void",      "nosuchgame", "--reason",
                           "x",    "--data", server.data, NULL};
    assert_one_line(again, 1, "not found");
}

static void commands_on_no_store_say_so(void **state)
{
    (void)state;
    char data[PATH_MAX];
    (void)snprintf(data, sizeof(data), "%s/none", support_scratch());
    const char *verify[] = {drop7d, "verify", "--data", data, NULL};
    assert_one_line(verify, 1, data);
    const char *list[] = {drop7d, "token", "list", "--data", data, NULL};
    assert_one_line(list, 1, data);
    const char *worker[] = {drop7d, "worker", "--data", data, NULL};
    assert_one_line(worker, 1, data);
    assert_int_equal(access(data, F_OK), -1); /* and none was made */
}

static void second_server_on_the_same_folder_is_refused(void **state)
{
    (void)state;
    server_start(&server, NULL);
    const char *argv[] = {drop7d, "serve", "--listen", "127.0.0.1:0", "--data", server.data, NULL};
    assert_one_line(argv, 1, server.data);
    struct answer a = http_get(&server, "/healthz"); /* the first one did not notice */
    assert_int_equal(a.status, 200);
    answer_free(&a);
}

static void what_cannot_start_says_why_in_one_line(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "0", NULL};
    server_start(&server, options);
    char taken[32], other[1024], blocked[1024];
    (void)snprintf(taken, sizeof(taken), "127.0.0.1:%u", server.port);
    (void)snprintf(other, sizeof(other), "%.900s/other", server.data);
    (void)snprintf(blocked, sizeof(blocked), "%.900s/drop7.db/inside", server.data);
    const char *port[] = {drop7d, "serve", "--listen", taken, "--data", other, NULL};
    assert_one_line(port, 1, taken);
    const char *folder[] = {drop7d, "serve", "--listen", "127.0.0.1:0", "--data", blocked, NULL};
    assert_one_line(folder, 1, blocked);

    char path[1100];
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%s/drop7.db", other);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 9999", NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
    const char *newer[] = {drop7d, "serve", "--listen", "127.0.0.1:0", "--data", other, NULL};
    assert_one_line(newer, 1, "schema 9999");
    const char *worker[] = {drop7d, "worker", "--data", other, NULL};
    assert_one_line(worker, 1, "schema 9999");
}

static void bad_command_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *argv[6];
        const char *words;
    } table[] = {
        {{"serve", "--no-such-option"}, "--no-such-option"},
        {{"serve", "--workers", "many"}, "--workers"},
        {{"serve", "--listen", "nowhere"}, "--listen"},
        {{"serve", "--move-timeout", "-1"}, "--move-timeout"},
        {{"serve", "--allow-endpoint", "10.0.0.0/33"}, "--allow-endpoint"},
        {{"worker", "--supervised", "x"}, "--supervised"},
        {{"token", "create"}, "token"},
        {{"token", "create", "x", "--sudo"}, "--sudo"},
        {{"game", "void", "1"}, "--reason"},
        {{"verify", "everything"}, "everything"},
        {{"dance"}, "dance"},
    };
    for (size_t i = 0; i < D7_COUNT(table); i++) {
        const char *argv[8] = {drop7d};
        for (size_t k = 0; k < 6 && table[i].argv[k]; k++) {
            argv[k + 1] = table[i].argv[k];
        }
        assert_one_line(argv, 2, table[i].words);
    }
}

static void help_and_version_are_printed(void **state)
{
    (void)state;
    static const char *const ways[][2] = {{"--help", NULL}, {"serve", "--help"}};
    for (size_t i = 0; i < D7_COUNT(ways); i++) {
        const char *argv[] = {drop7d, ways[i][0], ways[i][1], NULL};
        char *text = NULL;
        assert_int_equal(command_text(argv, &text), 0);
        assert_non_null(strstr(text, "--allow-endpoint"));
        assert_non_null(strstr(text, "--lease-dead"));
        assert_non_null(strstr(text, "token create"));
        free(text);
    }
    const char *version[] = {drop7d, "--version", NULL};
    assert_one_line(version, 0, "drop7d ");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(tokens_are_made_listed_and_ended),
        CASE(token_may_come_before_the_first_start),
        CASE(token_that_nobody_could_read_is_revoked),
        CASE(verify_names_the_games_that_differ),
        CASE(token_list_says_when_a_token_was_used),
        CASE(void_game_no_longer_counts),
        CASE(commands_on_no_store_say_so),
        CASE(second_server_on_the_same_folder_is_refused),
        CASE(what_cannot_start_says_why_in_one_line),
        CASE(bad_command_lines_are_named),
        CASE(help_and_version_are_printed),
    };
    return cmocka_run_group_tests_name("http/commands", tests, NULL, NULL);
}
