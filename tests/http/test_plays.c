/* Rounds played move by move over HTTP, on a real server. */
#include <poll.h>
#include <pthread.h>

#include "engine/base/clock.h"
#include "engine/record/replay.h"
#include "tests/support/games.h"

static struct test_server server;
static char play[100]; /* the play's path */

static const char *const no_hurry[] = {"--workers", "0", "--rate-plays", "0", NULL};

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

static void start_play(const char *round)
{
    char body[100];
    (void)snprintf(body, sizeof(body), "{\"round\":\"%s\"}", round);
    struct answer a = http_send(&server, "POST", "/api/v1/plays", NULL, body);
    assert_int_equal(a.status, 201);
    (void)snprintf(play, sizeof(play), "/api/v1/plays/%s", answer_text(&a, "id"));
    answer_free(&a);
}

static struct answer move(int64_t n, int64_t column)
{
    char path[120], body[80];
    (void)snprintf(path, sizeof(path), "%s/moves", play);
    (void)snprintf(body, sizeof(body), "{\"move\":%lld,\"column\":%lld}", (long long)n,
                   (long long)column);
    return http_send(&server, "POST", path, NULL, body);
}

static long move_status(int64_t n, int64_t column)
{
    struct answer a = move(n, column);
    long status = a.status;
    answer_free(&a);
    return status;
}

static struct answer submit(const char *name)
{
    char path[120], body[100];
    (void)snprintf(path, sizeof(path), "%s/submit", play);
    (void)snprintf(body, sizeof(body), "{\"displayName\":\"%s\"}", name);
    return http_send(&server, "POST", path, NULL, body);
}

/* The middle one of the columns that are legal on a board, as a client finds it. */
static int64_t choose(const char *board)
{
    static const int64_t order[] = {3, 2, 4, 1, 5, 0, 6};
    for (size_t i = 0; i < D7_COUNT(order); i++) {
        if (board[order[i]] == '0') {
            return order[i];
        }
    }
    fail_msg("no legal column on %s", board);
    return 0;
}

static void a_round_played_in_a_loop_is_the_game_of_its_columns(void **state)
{
    (void)state;
    static uint8_t columns[ROUND_GAUNTLET_MOVES];
    char board[BOARD_TEXT_SIZE];
    size_t n = 0;
    server_start(&server, no_hurry);
    start_play("gauntlet-03");
    struct answer a = http_get(&server, play);
    for (bool over = false; !over;) {
        (void)snprintf(board, sizeof(board), "%s", answer_text(&a, "board"));
        int64_t column = choose(board);
        answer_free(&a);
        columns[n++] = (uint8_t)column;
        a = move((int64_t)n, column);
        assert_int_equal(a.status, 200);
        if (n % 7 == 0) { /* the answer got lost on its way: once more */
            struct answer again = move((int64_t)n, column);
            assert_int_equal(again.status, 200);
            assert_string_equal(again.body, a.body);
            answer_free(&again);
        }
        over = jval_kind_of(jval_get(a.json, "nextDisc")) == JVAL_NULL;
    }
    answer_free(&a);
    struct roundfile *round = NULL;
    struct summary sum;
    assert_int_equal(roundfile_gauntlet(3, &round), D7_OK);
    assert_int_equal(replay_run(&round->round, columns, n, NULL, &sum, NULL), D7_OK);
    roundfile_free(round);
    a = submit("Loop");
    assert_int_equal(a.status, 201);
    assert_string_equal(answer_text(&a, "checksum"), sum.checksum);
    assert_int_equal(games_number(a.json, "score"), sum.score);
    assert_int_equal(games_number(a.json, "moves"), n);
    assert_string_equal(answer_text(&a, "player"), "Loop");
    answer_free(&a);
    games_assert_verified(&server, 1);
}

struct rival {
    pthread_t thread;
    pthread_barrier_t *both;
    int64_t column;
    long status[10];
};

static void *race(void *ctx)
{
    struct rival *r = ctx;
    for (size_t n = 1; n <= D7_COUNT(r->status); n++) {
        (void)pthread_barrier_wait(r->both);
        r->status[n - 1] = move_status((int64_t)n, r->column + (int64_t)(n % 3));
        (void)pthread_barrier_wait(r->both); /* the move is decided for both */
    }
    return NULL;
}

static void of_two_clients_on_one_play_one_wins_each_move(void **state)
{
    (void)state;
    pthread_barrier_t both;
    struct rival rivals[2] = {{.column = 0}, {.column = 4}};
    server_start(&server, no_hurry);
    start_play("gauntlet-01");
    assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
    for (size_t i = 0; i < 2; i++) {
        rivals[i].both = &both;
        assert_int_equal(pthread_create(&rivals[i].thread, NULL, race, &rivals[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(rivals[i].thread, NULL), 0);
    }
    (void)pthread_barrier_destroy(&both);
    for (size_t n = 0; n < D7_COUNT(rivals[0].status); n++) {
        long first = rivals[0].status[n];
        long second = rivals[1].status[n];
        if (!((first == 200 && second == 409) || (first == 409 && second == 200))) {
            fail_msg("move %zu: %ld and %ld", n + 1, first, second);
        }
    }
    struct answer a = http_get(&server, play);
    assert_int_equal(games_number(a.json, "move"), D7_COUNT(rivals[0].status));
    answer_free(&a);
}

static void a_play_outlives_a_killed_server(void **state)
{
    (void)state;
    server_start(&server, no_hurry);
    start_play("gauntlet-05");
    for (int64_t n = 1; n <= 6; n++) {
        assert_int_equal(move_status(n, n), 200);
    }
    struct answer before = http_get(&server, play);
    server_kill(&server);
    server_run(&server, no_hurry);
    struct answer after = http_get(&server, play);
    assert_string_equal(after.body, before.body);
    answer_free(&before);
    answer_free(&after);
    assert_int_equal(move_status(6, 6), 200);
    assert_int_equal(move_status(7, 0), 200);
}

static void too_many_moves_a_second_are_told_to_wait(void **state)
{
    (void)state;
    const char *const options[] = {"--workers", "0", "--rate-plays", "5", NULL};
    server_start(&server, options);
    start_play("gauntlet-01");
    long status = 0;
    int64_t n = 0;
    while (status != 429) {
        n++;
        struct answer a = move(n, n % 7);
        status = a.status;
        assert_true(status == 200 || status == 429);
        if (status == 429) {
            assert_string_equal(answer_text(&a, "code"), "rate-limited");
            assert_non_null(strcasestr(a.headers, "Retry-After: 1"));
        }
        answer_free(&a);
        assert_true(n < 30);
    }
    assert_true(n >= 5);
    struct answer a = http_get(&server, play); /* reading goes on */
    assert_int_equal(a.status, 200);
    assert_int_equal(games_number(a.json, "move"), n - 1);
    answer_free(&a);
}

static void an_abandoned_play_expires(void **state)
{
    (void)state;
    const char *const options[] = {"--workers", "0", "--play-expiry", "1", NULL};
    server_start(&server, options);
    start_play("gauntlet-01");
    struct answer a = http_wait_status(&server, play, "open", 20000);
    assert_string_equal(answer_text(&a, "status"), "expired");
    answer_free(&a);
    assert_int_equal(move_status(1, 1), 409);
    a = submit("Late");
    assert_int_equal(a.status, 409);
    answer_free(&a);
}

static void a_remote_policy_that_leaves_its_play_forfeits(void **state)
{
    (void)state;
    const char *const options[] = {"--workers", "0", "--play-expiry", "1", NULL};
    server_start(&server, options);
    char token[80];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "author", false));
    struct answer a = http_send(&server, "POST", "/api/v1/policies", token,
                                "{\"id\":\"far\",\"name\":\"Far\",\"remote\":true}");
    assert_int_equal(a.status, 201);
    answer_free(&a);
    const char *body = "{\"round\":\"gauntlet-01\",\"policy\":\"far\"}";
    a = http_send(&server, "POST", "/api/v1/plays", NULL, body);
    assert_int_equal(a.status, 401);
    answer_free(&a);
    a = http_send(&server, "POST", "/api/v1/plays", token, body);
    assert_int_equal(a.status, 201);
    (void)snprintf(play, sizeof(play), "/api/v1/plays/%s", answer_text(&a, "id"));
    answer_free(&a);
    assert_int_equal(move_status(1, 3), 200);
    a = http_wait_status(&server, play, "open", 20000);
    assert_string_equal(answer_text(&a, "status"), "expired");
    answer_free(&a);
    /* the game is written down when the server looks next */
    int64_t until = clock_mono_ms() + 20000;
    size_t games = 0;
    while (games == 0 && clock_mono_ms() < until) {
        a = http_get(&server, "/api/v1/games?policy=far&outcome=forfeit");
        games = jval_length(jval_get(a.json, "items"));
        answer_free(&a);
        (void)poll(NULL, 0, 50);
    }
    assert_int_equal(games, 1);
    a = http_send(&server, "POST", "/api/v1/plays", token, body);
    assert_int_equal(a.status, 409);
    answer_free(&a);
    games_assert_verified(&server, 1);
}

static void the_id_of_a_play_is_not_in_the_log(void **state)
{
    (void)state;
    server_start(&server, no_hurry);
    start_play("gauntlet-01");
    assert_int_equal(move_status(1, 1), 200);
    assert_int_equal(move_status(1, 2), 409);
    assert_int_equal(server_stop(&server), 0);
    assert_true(server_wait_silence(&server, 5000));
    const char *id = strrchr(play, '/') + 1;
    assert_non_null(strstr(server.log, "play-move"));
    assert_null(strstr(server.log, id));
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_round_played_in_a_loop_is_the_game_of_its_columns),
        CASE(of_two_clients_on_one_play_one_wins_each_move),
        CASE(a_play_outlives_a_killed_server),
        CASE(too_many_moves_a_second_are_told_to_wait),
        CASE(an_abandoned_play_expires),
        CASE(a_remote_policy_that_leaves_its_play_forfeits),
        CASE(the_id_of_a_play_is_not_in_the_log),
    };
    return cmocka_run_group_tests_name("http/plays", tests, NULL, NULL);
}
