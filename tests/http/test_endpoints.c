/* Endpoints against a real server, as they come and go: stopped and started again in mid-game, and
 * a name whose address may no longer be connected to. */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/games.h"

#define POLICY "mcts" /* slow enough to be met in mid-game */

static struct test_server server;
static pid_t player;

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    if (player) {
        program_end(player);
        player = 0;
    }
    return 0;
}

/* `drop7 policy --listen`; address: where, and then where it listens. */
static void start_player(const char *policy, char *address, size_t size)
{
    char drop7[PATH_MAX], at[80];
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    (void)snprintf(at, sizeof(at), "%s", address);
    const char *argv[] = {drop7, "policy", "--policy", policy, "--listen", at, NULL};
    player = program_start(argv, address, size);
}

static void post(const char *path, const char *token, const char *json, long wanted)
{
    struct answer a = http_send(&server, "POST", path, token, json);
    if (a.status != wanted) {
        fail_msg("POST %s %s: %ld %s", path, json, a.status, a.body);
    }
    answer_free(&a);
}

static void register_endpoint(const char *id, const char *token, const char *address)
{
    char json[400];
    (void)snprintf(json, sizeof(json),
                   "{\"id\":\"%s\",\"name\":\"%s\",\"family\":\"tests\",\"endpoint\":\"tcp://%s\"}",
                   id, id, address);
    post("/api/v1/policies", token, json, 201);
}

static int64_t moves_played(const char *run, int64_t *ret_done)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", run);
    struct answer a = http_get(&server, path);
    const struct jval *progress = jval_get(a.json, "progress");
    int64_t moves = games_number(progress, "playing") ? games_number(progress, "moves") : 0;
    *ret_done = games_number(progress, "done");
    answer_free(&a);
    return moves;
}

/* Holds the player still, and says whether that was in the middle of a game: one that was over is
 * recorded within the second. */
static bool hold_in_mid_game(const char *run, int64_t *ret_done)
{
    int64_t before = 0;
    if (moves_played(run, ret_done) == 0) {
        return false;
    }
    assert_int_equal(kill(player, SIGSTOP), 0);
    int64_t moves = moves_played(run, &before);
    for (int i = 0; i < 10 && moves > 0; i++) {
        (void)usleep(100000);
        moves = moves_played(run, ret_done);
        moves = *ret_done == before ? moves : 0;
    }
    if (moves == 0) {
        assert_int_equal(kill(player, SIGCONT), 0);
    }
    return moves > 0;
}

static int64_t crashes_of(const char *policy)
{
    char path[128];
    int64_t crashes = 0;
    (void)snprintf(path, sizeof(path), "/api/v1/games?policy=%s", policy);
    struct answer a = http_get(&server, path);
    const struct jval *items = jval_get(a.json, "items");
    for (size_t i = 0; i < jval_length(items); i++) {
        crashes += games_number(jval_at(items, i), "crashes");
    }
    answer_free(&a);
    return crashes;
}

static void endpoint_started_again_in_mid_game_plays_the_same_games(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "1", "--allow-endpoint", "127.0.0.0/8", "--lease-beat",
                             "0.1",       NULL};
    char address[80] = "127.0.0.1:0", run[64];
    int64_t done = 0;
    start_player(POLICY, address, sizeof(address));
    server_start(&server, options);
    const char *token = server_token(&server, "author", false);
    register_endpoint("far", token, address);
    (void)snprintf(run, sizeof(run), "%s", games_latest_run(&server, "far"));
    while (!hold_in_mid_game(run, &done)) {
        assert_int_not_equal(done, ROUND_GAUNTLET_COUNT);
        (void)usleep(20000);
    }
    program_end(player);
    start_player(POLICY, address, sizeof(address));
    games_finish(&server, "far");
    games_assert_bench(&server, "far", POLICY);
    int64_t crashes = crashes_of("far");
    assert_true(crashes >= 1 && crashes <= 2); /* the one game that was being played, no other */
    games_assert_verified(&server, ROUND_GAUNTLET_COUNT);
}

/* Takes the player's place, to see who comes. */
static int listen_instead(const char *address)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int64_t port = 0;
    int on = 1;
    assert_int_equal(span_parse_i64(span_of(strrchr(address, ':') + 1), 1, 65535, &port), D7_OK);
    at.sin_port = htons((uint16_t)port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

/* As if the name had been moved to a private address after its check: what the check found is not
 * believed at the next connection. */
static void name_that_has_turned_private_is_refused_at_connect(void **state)
{
    (void)state;
    const char *allowed[] = {"--workers", "1", "--allow-endpoint", "127.0.0.0/8", NULL};
    const char *refused[] = {"--workers", "1", NULL};
    char address[80] = "127.0.0.1:0", name[100];
    start_player("greedy", address, sizeof(address));
    server_start(&server, allowed);
    char token[80];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "author", false));
    (void)snprintf(name, sizeof(name), "localhost%s", strrchr(address, ':'));
    register_endpoint("moved", token, name);
    games_finish(&server, "moved");
    assert_int_equal(server_stop(&server), 0);
    program_end(player);
    player = 0;
    int fd = listen_instead(address);
    server_run(&server, refused);
    post("/api/v1/runs", token, "{\"policy\":\"moved\"}", 202);
    struct answer a = http_wait_run(&server, games_latest_run(&server, "moved"), GAMES_RUN_MS);
    assert_string_equal(answer_text(&a, "status"), "stopped"); /* three forfeits */
    const struct jval *games = jval_get(a.json, "games");
    assert_int_equal(jval_length(games), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(games_number(jval_at(games, i), "moves"), 0);
    }
    assert_non_null(strstr(a.body, "the endpoint's address is not one this server may connect to"));
    answer_free(&a);
    struct pollfd came = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&came, 1, 0), 0); /* nobody knocked */
    (void)close(fd);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(endpoint_started_again_in_mid_game_plays_the_same_games),
        CASE(name_that_has_turned_private_is_refused_at_connect),
    };
    return cmocka_run_group_tests_name("http/endpoints", tests, NULL, NULL);
}
