/* Root starts the server: it serves with another user's rights, and only the keeper and the workers
 * stay root. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/privilege.h"
#include "tests/support/command.h"
#include "tests/support/games.h"

#define SOMEBODY 65534 /* nobody's account, anywhere */

static struct test_server server;

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    support_scratch_remove();
    return 0;
}

static void need_root(void)
{
    if (geteuid() != 0) {
        support_skip("only root can give root up");
    }
}

/* The effective user of a process, -1 when it is gone. */
static int64_t user_of(pid_t pid)
{
    char path[64];
    struct stat at;
    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    return stat(path, &at) == 0 ? (int64_t)at.st_uid : -1;
}

static uid_t owner;
static int foreign; /* entries of the data folder that are not owner's */

static int count_foreign(const char *path, const struct stat *at, int kind, struct FTW *walk)
{
    (void)path;
    (void)kind;
    (void)walk;
    foreign += at->st_uid != owner;
    return 0;
}

static void assert_all_owned_by(uid_t uid)
{
    owner = uid;
    foreign = 0;
    assert_int_equal(nftw(server.data, count_foreign, 8, FTW_PHYS), 0);
    assert_int_equal(foreign, 0);
}

/* serve with that user's rights, keeper and workers with root's. */
static void assert_serves_as(int64_t uid)
{
    pid_t keeper = 0, workers[4];
    assert_string_not_equal(server_wait_ready(&server, 40000), "");
    assert_int_equal(user_of(server.pid), uid);
    assert_int_equal(process_children(server.pid, &keeper, 1), 1);
    assert_int_equal(user_of(keeper), 0);
    assert_int_equal(server_workers(&server, workers, 4), 1);
    assert_int_equal(user_of(workers[0]), 0);
}

static const char *const one_worker[] = {"--workers", "1", NULL};

static void upload_and_finish(const char *id)
{
    const char *fields[] = {"id", id, "name", id, "family", "tests", NULL};
    char token[80];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, id, false));
    struct answer a = http_upload(&server, "/api/v1/policies", token, fields,
                                  support_program("tests/policies/good"));
    assert_int_equal(a.status, 201);
    answer_free(&a);
    games_finish(&server, id);
}

static void serve_drops_root_and_all_works_on_a_second_start(void **state)
{
    (void)state;
    need_root();
    server_start(&server, one_worker);
    int64_t uid = user_of(server.pid);
    assert_int_not_equal(uid, 0);
    assert_serves_as(uid);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    upload_and_finish("first");
    assert_all_owned_by((uid_t)uid); /* also what workers wrote, who are root */
    assert_int_equal(server_stop(&server), 0);
    server_run(&server, one_worker);
    assert_serves_as(uid);
    upload_and_finish("second");
    assert_all_owned_by((uid_t)uid);
    games_assert_verified(&server, 2 * ROUND_GAUNTLET_COUNT);
    assert_int_equal(server_stop(&server), 0);
}

static void the_owner_of_the_data_folder_is_who_serves(void **state)
{
    (void)state;
    need_root();
    (void)snprintf(server.data, sizeof(server.data), "/tmp/drop7d-XXXXXX");
    assert_non_null(mkdtemp(server.data));
    assert_int_equal(chown(server.data, SOMEBODY, SOMEBODY), 0);
    server_run(&server, one_worker);
    assert_serves_as(SOMEBODY);
    assert_all_owned_by(SOMEBODY);
}

static void told_to_stay_root_it_stays(void **state)
{
    (void)state;
    need_root();
    const char *options[] = {"--workers", "1", "--user", "root", NULL};
    server_start(&server, options);
    assert_serves_as(0);
    assert_null(strstr(server.log, "serving as root"));
}

/* Below a folder of root's alone nobody else can serve: root stays, and says why. */
static void where_nobody_else_can_reach_the_data_root_stays_and_says_why(void **state)
{
    (void)state;
    need_root();
    memset(&server, 0, sizeof(server));
    (void)snprintf(server.data, sizeof(server.data), "%s/data", support_scratch());
    assert_int_equal(chmod(support_scratch(), 0700), 0);
    server_run(&server, one_worker);
    assert_true(server_wait_log(&server, "serving as root: ", 5000));
    assert_true(server_wait_log(&server, "cannot reach", 1000));
    assert_serves_as(0);
    assert_all_owned_by(0); /* nothing was given away */
}

static void assert_refused(const char *user, const char *data, const char *reason)
{
    const char *argv[] = {support_program("drop7d"),
                          "serve",
                          "--listen",
                          "127.0.0.1:0",
                          "--data",
                          data,
                          "--user",
                          user,
                          NULL};
    char *text = NULL;
    assert_int_not_equal(command_text(argv, &text), 0);
    if (!strstr(text, "--user") || !strstr(text, reason)) {
        fail_msg("--user %s: %s", user, text);
    }
    free(text);
}

static void users_that_cannot_serve_are_refused(void **state)
{
    (void)state;
    need_root();
    char data[PATH_MAX], number[32];
    (void)snprintf(data, sizeof(data), "%s/data", support_scratch());
    (void)snprintf(number, sizeof(number), "%d", SOMEBODY);
    assert_int_equal(chmod(support_scratch(), 0700), 0);
    assert_refused("no-such-user", data, "no user 'no-such-user'");
    assert_refused("-1", data, "no user '-1'");
    assert_refused("4294967296", data, "no user '4294967296'");
    assert_refused(number, data, "cannot reach");
}

/* A server that was taken over may have left links to files of root's: they change nothing. */
static void links_in_the_data_folder_give_nothing_away(void **state)
{
    (void)state;
    need_root();
    char secret[PATH_MAX], link_path[PATH_MAX + 16];
    struct stat at;
    (void)snprintf(secret, sizeof(secret), "%s/secret", support_scratch());
    int fd = open(secret, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    server_start(&server, one_worker);
    assert_int_equal(server_stop(&server), 0);
    (void)snprintf(link_path, sizeof(link_path), "%s/symbolic", server.data);
    assert_int_equal(symlink(secret, link_path), 0);
    (void)snprintf(link_path, sizeof(link_path), "%s/hard", server.data);
    bool same_disk = link(secret, link_path) == 0;
    assert_true(same_disk || errno == EXDEV);
    server_run(&server, one_worker);
    assert_int_equal(stat(secret, &at), 0);
    assert_int_equal(at.st_uid, 0);
    assert_int_equal(at.st_gid, 0);
}

/* Root binds it before root is given up. (Where the kernel lets anybody have such a port this
 * shows little.) */
static void a_port_below_1024_is_taken_before_root_is_given_up(void **state)
{
    (void)state;
    need_root();
    for (unsigned port = 1021; port > 900; port -= 7) {
        char listen_at[32];
        (void)snprintf(listen_at, sizeof(listen_at), "127.0.0.1:%u", port);
        const char *options[] = {"--workers", "1", "--listen", listen_at, NULL};
        char open_it[200], *text = NULL;
        (void)snprintf(open_it, sizeof(open_it), "exec 3<>/dev/tcp/127.0.0.1/%u", port);
        const char *argv[] = {"/bin/bash", "-c", open_it, NULL};
        bool is_free = command_text(argv, &text) != 0;
        free(text);
        if (is_free) {
            server_start(&server, options);
            assert_int_equal(server.port, port);
            assert_int_not_equal(user_of(server.pid), 0);
            return;
        }
    }
    fail_msg("no port below 1024 is free");
}

/* Without it no worker can be started again: the server ends and says so, and nothing stays. */
static void a_killed_keeper_ends_the_server_and_its_workers(void **state)
{
    (void)state;
    pid_t keeper = 0, workers[4];
    int status = 0;
    server_start(&server, one_worker);
    (void)server_wait_ready(&server, 40000);
    assert_int_equal(process_children(server.pid, &keeper, 1), 1);
    size_t count = server_workers(&server, workers, D7_COUNT(workers));
    assert_int_equal(count, 1);
    assert_int_equal(kill(keeper, SIGKILL), 0);
    assert_true(process_wait(server.pid, 15000, &status));
    server.pid = 0;
    assert_int_equal(process_exit_code(status), 1);
    assert_true(server_wait_log(&server, "keeps the workers is gone", 1000));
    assert_true(process_wait_gone(workers, count, 5000));
    server_run(&server, one_worker);
    assert_string_not_equal(server_wait_ready(&server, 40000), "");
}

/* Signals to the keeper itself are none of its business: it ends when serve does. */
static void a_terminated_keeper_goes_on(void **state)
{
    (void)state;
    pid_t keeper = 0, workers[4];
    server_start(&server, one_worker);
    (void)server_wait_ready(&server, 40000);
    assert_int_equal(process_children(server.pid, &keeper, 1), 1);
    assert_int_equal(kill(keeper, SIGTERM), 0);
    assert_int_equal(kill(keeper, SIGHUP), 0);
    assert_int_equal(server_workers(&server, workers, D7_COUNT(workers)), 1);
    assert_int_equal(kill(workers[0], SIGKILL), 0);
    assert_true(server_wait_log(&server, "ended by signal 9", 5000));
    pid_t first = workers[0];
    for (int i = 0; i < 1000 && (server_workers(&server, workers, 4) != 1 || workers[0] == first);
         i++) {
        (void)usleep(10000);
    }
    assert_int_not_equal(workers[0], first);
    assert_int_equal(server_stop(&server), 0);
    assert_true(process_wait_gone(&keeper, 1, 1000));
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    (void)unsetenv("DROP7_USER"); /* `make coverage` sets it, and would have serve stay root */
    const struct CMUnitTest tests[] = {
        CASE(serve_drops_root_and_all_works_on_a_second_start),
        CASE(the_owner_of_the_data_folder_is_who_serves),
        CASE(told_to_stay_root_it_stays),
        CASE(where_nobody_else_can_reach_the_data_root_stays_and_says_why),
        CASE(users_that_cannot_serve_are_refused),
        CASE(links_in_the_data_folder_give_nothing_away),
        CASE(a_port_below_1024_is_taken_before_root_is_given_up),
        CASE(a_killed_keeper_ends_the_server_and_its_workers),
        CASE(a_terminated_keeper_goes_on),
    };
    return cmocka_run_group_tests_name("http/privilege", tests, NULL, NULL);
}
