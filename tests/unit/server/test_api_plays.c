/* server/api: plays, from the first move to the recorded game; and their keeper. */
#include "tests/support/call.h"

#include "engine/base/clock.h"
#include "server/work/plays.h"

static char play[200]; /* its path */

static void remember_play(struct call *c)
{
    (void)snprintf(play, sizeof(play), "/api/v1/plays/%s", call_text(c, "id"));
}

static void start(struct call *c, const char *body)
{
    assert_int_equal(call_post(c, "/api/v1/plays", body), 201);
    remember_play(c);
    assert_string_equal(call_header(c, "Location"), play);
}

static int move(struct call *c, int64_t n, unsigned column)
{
    char path[240];
    char body[80];
    (void)snprintf(path, sizeof(path), "%s/moves", play);
    (void)snprintf(body, sizeof(body), "{\"move\":%lld,\"column\":%u}", (long long)n, column);
    return call_post(c, path, body);
}

static int submit(struct call *c, const char *body)
{
    char path[240];
    (void)snprintf(path, sizeof(path), "%s/submit", play);
    return call_post(c, path, body);
}

static void remote_policy(struct call *c, const char *id)
{
    char body[100];
    (void)snprintf(body, sizeof(body), "{\"id\":\"%s\",\"name\":\"R\",\"remote\":true}", id);
    c->as = &c->owner;
    assert_int_equal(call_post(c, "/api/v1/policies", body), 201);
    assert_string_equal(call_text(c, "status"), "ready");
}

/* Plays the leftmost legal column to the end; the columns, as digits, in a static buffer. */
static const char *play_out(struct call *c)
{
    static char columns[ROUND_GAUNTLET_MOVES + 1];
    size_t n = 0;
    assert_int_equal(call_get(c, play), 200);
    while (strcmp(call_text(c, "status"), "open") == 0) {
        unsigned column = (unsigned)call_int(c, "legal.0");
        assert_true(n + 1 < sizeof(columns));
        columns[n++] = (char)('0' + column);
        assert_int_equal(move(c, (int64_t)n, column), 200);
        assert_int_equal(call_get(c, play), 200);
        assert_int_equal(call_int(c, "move"), (int64_t)n);
    }
    columns[n] = '\0';
    return columns;
}

static void a_new_play_shows_the_opening_and_nothing_more(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    start(c, "{\"round\":\"gauntlet-01\"}");
    assert_int_equal(strlen(call_text(c, "id")), 32);
    assert_string_equal(call_text(c, "status"), "open");
    assert_string_equal(call_text(c, "round"), "gauntlet-01");
    assert_true(call_is_null(c, "policyId"));
    assert_true(call_is_null(c, "gameId"));
    assert_int_equal(call_int(c, "move"), 0);
    assert_int_equal(call_int(c, "nextDisc"), 2);
    assert_int_equal(call_int(c, "movesRemaining"), 5);
    assert_int_equal(call_int(c, "score"), 0);
    assert_int_equal(call_length(c, "legal"), 7);
    assert_string_equal(call_text(c, "board"), "0000000000000000000000000000000000000000008888888");
    int64_t expires = 0;
    assert_int_equal(clock_parse(span_of(call_text(c, "expiresAt")), &expires), D7_OK);
    assert_true(expires > clock_utc_ms() + 86000000);
    static const char *const hidden[] = {"discs", "latent", "seed", "1465174"};
    for (size_t i = 0; i < D7_COUNT(hidden); i++) {
        assert_null(strstr(c->body, hidden[i]));
    }
    assert_int_equal(call_get(c, play), 200);
    assert_int_equal(call_int(c, "nextDisc"), 2);
}

static void a_move_answers_its_frame_and_a_retry_the_same(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    start(c, "{\"round\":\"gauntlet-01\",\"policy\":null}");
    assert_int_equal(move(c, 1, 3), 200);
    assert_int_equal(call_int(c, "move"), 1);
    assert_int_equal(call_int(c, "disc"), 2);
    assert_int_equal(call_int(c, "column"), 3);
    assert_string_equal(call_text(c, "steps.0.kind"), "drop");
    char *first = strdup(c->body);
    assert_non_null(first);
    assert_int_equal(move(c, 2, 0), 200);
    assert_int_equal(move(c, 1, 3), 200);
    assert_string_equal(c->body, first);
    free(first);
    assert_int_equal(move(c, 1, 4), 409);
    assert_int_equal(move(c, 4, 4), 409);
    assert_non_null(strstr(call_text(c, "detail"), "the next move is 3"));
    assert_int_equal(call_get(c, play), 200);
    assert_int_equal(call_int(c, "move"), 2);
}

static void a_full_column_is_refused_and_nothing_recorded(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    start(c, "{\"round\":\"gauntlet-01\"}");
    int64_t n = 0;
    int status = 200;
    while (status == 200) { /* clears may make room, but not for ever in one column */
        assert_true(n < 200);
        status = move(c, ++n, 6);
    }
    assert_int_equal(status, 400);
    assert_string_equal(call_text(c, "code"), "validation");
    assert_non_null(call_field_error(c, "column"));
    assert_int_equal(call_get(c, play), 200);
    assert_int_equal(call_int(c, "move"), n - 1);
    assert_string_equal(call_text(c, "status"), "open");
    assert_true(call_length(c, "legal") < 7);
    assert_int_equal(move(c, n, 0), 200);
}

static void what_is_wrong_with_a_move_is_named(void **state)
{
    struct call *c = *state;
    char path[240];
    static const struct {
        const char *body, *field;
    } bad[] = {
        {"{\"column\":1}", "move"},
        {"{\"move\":0,\"column\":1}", "move"},
        {"{\"move\":1.5,\"column\":1}", "move"},
        {"{\"move\":10001,\"column\":1}", "move"},
        {"{\"move\":1}", "column"},
        {"{\"move\":1,\"column\":7}", "column"},
        {"{\"move\":1,\"column\":-1}", "column"},
        {"{\"move\":1,\"column\":\"1\"}", "column"},
        {"{\"move\":1,\"column\":1,\"x\":1}", "x"},
    };
    start(c, "{\"round\":\"gauntlet-01\"}");
    (void)snprintf(path, sizeof(path), "%s/moves", play);
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, path, bad[i].body), 400);
        assert_non_null(call_field_error(c, bad[i].field));
    }
    assert_int_equal(call_get(c, play), 200);
    assert_int_equal(call_int(c, "move"), 0);
}

static void plays_need_a_round_that_exists_and_a_secret_that_is_known(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_post(c, "/api/v1/plays", "{}"), 400);
    assert_non_null(call_field_error(c, "round"));
    assert_int_equal(call_post(c, "/api/v1/plays", "{\"round\":\"gauntlet-99\"}"), 404);
    assert_int_equal(call_get(c, "/api/v1/plays/0123456789abcdef0123456789abcdef"), 404);
    assert_null(strstr(c->body, "0123456789abcdef"));
    assert_int_equal(call_get(c, "/api/v1/plays/1"), 404);
    start(c, "{\"round\":\"gauntlet-01\"}");
    char longer[240];
    (void)snprintf(longer, sizeof(longer), "%s0", play);
    assert_int_equal(call_get(c, longer), 404);
}

static void a_finished_play_becomes_a_verified_game_of_its_player(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    start(c, "{\"round\":\"gauntlet-02\"}");
    assert_int_equal(submit(c, "{\"displayName\":\"Ada\"}"), 409);
    const char *columns = play_out(c);
    size_t moves = strlen(columns);
    int64_t score = call_int(c, "score");
    assert_true(call_is_null(c, "nextDisc"));
    assert_int_equal(call_length(c, "legal"), 0);
    assert_string_equal(call_text(c, "status"), "finished");
    assert_int_equal(move(c, (int64_t)moves + 1, 0), 409);
    assert_int_equal(move(c, (int64_t)moves, (unsigned)(columns[moves - 1] - '0')), 200);
    assert_true(call_is_null(c, "nextDisc"));

    static const char *const bad[] = {"{}",
                                      "{\"displayName\":\"\"}",
                                      "{\"displayName\":\"  \"}",
                                      "{\"displayName\":7}",
                                      "{\"displayName\":\"a\\u0007b\"}",
                                      "{\"displayName\":\"\\u200b \\u3164\"}"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(submit(c, bad[i]), 400);
        assert_non_null(call_field_error(c, "displayName"));
    }
    assert_int_equal(submit(c, "{\"displayName\":\"Ada <b>\"}"), 201);
    assert_string_equal(call_text(c, "player"), "Ada <b>");
    assert_true(call_is_null(c, "policyId"));
    assert_true(call_is_null(c, "policyRevision"));
    assert_false(call_bool(c, "counted"));
    assert_int_equal(call_int(c, "score"), score);
    assert_int_equal(call_int(c, "moves"), (int64_t)moves);
    char game[100];
    (void)snprintf(game, sizeof(game), "/api/v1/games/%s", call_text(c, "id"));
    assert_string_equal(call_header(c, "Location"), game);

    /* the same columns replayed on the round are the same game */
    struct roundfile *round = NULL;
    struct summary again;
    uint8_t bytes[ROUND_GAUNTLET_MOVES];
    for (size_t i = 0; i < moves; i++) {
        bytes[i] = (uint8_t)(columns[i] - '0');
    }
    assert_int_equal(roundfile_gauntlet(2, &round), D7_OK);
    assert_int_equal(replay_run(&round->round, bytes, moves, NULL, &again, NULL), D7_OK);
    assert_string_equal(call_text(c, "checksum"), again.checksum);
    roundfile_free(round);

    /* a retry is harmless, another name too late */
    assert_int_equal(submit(c, "{\"displayName\":\"Ada <b>\"}"), 200);
    assert_int_equal(submit(c, "{\"displayName\":\"Bob\"}"), 409);
    assert_string_equal(call_text(c, "existing"), game);
    assert_int_equal(call_get(c, "/api/v1/games?player=Ada+%3Cb%3E"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    assert_int_equal(call_get(c, "/api/v1/games?player=Nobody"), 200);
    assert_int_equal(call_length(c, "items"), 0);
    char replay[120];
    (void)snprintf(replay, sizeof(replay), "%s/replay", game);
    assert_int_equal(call_get(c, replay), 200);
    assert_int_equal(call_length(c, "frames"), moves);
    assert_int_equal(call_get(c, play), 200);
    assert_string_equal(call_text(c, "status"), "submitted");
    assert_non_null(strstr(game, call_text(c, "gameId")));
}

/* A person's game of that score, as it is recorded; its columns are nobody's. */
static void record(struct call *c, const char *round, const char *player, int64_t score)
{
    char secret[33];
    char sha[SHA_HEX_SIZE];
    char id[STORE_KEY_SIZE];
    struct play_row p = {.columns = NULL};
    int64_t now = clock_utc_ms();
    assert_int_equal(random_hex(secret, 16), D7_OK);
    sha_of(span_of(secret), sha);
    assert_int_equal(play_add(c->api.store, sha, round, NULL, 0, now, now + 1000), D7_OK);
    assert_int_equal(play_get(c->api.store, sha, &p), D7_OK);
    assert_int_equal(play_move(c->api.store, &p, 3, 0, true, now, now + 1000), D7_OK);
    play_release(&p);
    assert_int_equal(play_get(c->api.store, sha, &p), D7_OK);
    struct game_result r = {.columns = p.columns,
                            .think_us = p.think_us,
                            .moves = 1,
                            .summary = {.score = score, .moves = 1, .checksum = "0123456789abcdef"},
                            .outcome = OUTCOME_OVER,
                            .reason = ""};
    assert_int_equal(play_submit(c->api.store, &p, player, &r, now, id), D7_OK);
    play_release(&p);
}

static void the_board_shows_the_best_game_of_each_person_beside_it(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "human"), 0);
    assert_true(call_is_null(c, "generatedAt"));
    record(c, "gauntlet-01", "Ada", 10);
    record(c, "gauntlet-02", "Bob", 30);
    record(c, "gauntlet-08", "Ada", 50);
    record(c, "gauntlet-03", "Cy", 30);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "human"), 3);
    assert_string_equal(call_text(c, "human.0.player"), "Ada");
    assert_string_equal(call_text(c, "human.0.roundId"), "gauntlet-08");
    assert_int_equal(call_int(c, "human.0.score"), 50);
    assert_string_equal(call_text(c, "human.1.player"), "Bob"); /* of equals the earlier */
    assert_string_equal(call_text(c, "human.2.player"), "Cy");
    assert_false(call_is_null(c, "generatedAt"));
    assert_int_equal(call_length(c, "summaries"), 0);
    assert_int_equal(call_length(c, "games"), 0);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds=gauntlet-01,gauntlet-02"), 200);
    assert_int_equal(call_length(c, "human"), 2);
    assert_string_equal(call_text(c, "human.0.player"), "Bob");
    assert_int_equal(call_int(c, "human.1.score"), 10);
    for (int i = 0; i < 120; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "P%d", i);
        record(c, i % 2 ? "gauntlet-05" : "gauntlet-06", name, 100 + i);
    }
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "human"), 100);
    assert_string_equal(call_text(c, "human.0.player"), "P119");
    assert_string_equal(call_text(c, "human.99.player"), "P20");
}

static void a_play_for_a_policy_needs_its_owner(void **state)
{
    struct call *c = *state;
    const char *body = "{\"round\":\"gauntlet-01\",\"policy\":\"mine\"}";
    remote_policy(c, "mine");
    call_builtin(c, "alpha");
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/plays", body), 401);
    c->as = &c->other;
    assert_int_equal(call_post(c, "/api/v1/plays", body), 403);
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/plays", body), 403);
    c->as = &c->owner;
    assert_int_equal(
        call_post(c, "/api/v1/plays", "{\"round\":\"gauntlet-01\",\"policy\":\"nobody\"}"), 404);
    assert_int_equal(
        call_post(c, "/api/v1/plays", "{\"round\":\"gauntlet-01\",\"policy\":\"alpha\"}"), 403);
    start(c, body);
    assert_string_equal(call_text(c, "policyId"), "mine");
    c->as = &c->other;
    assert_int_equal(move(c, 1, 0), 403);
    c->as = NULL;
    assert_int_equal(move(c, 1, 0), 200);
    assert_int_equal(submit(c, "{}"), 401);
    c->as = &c->other;
    assert_int_equal(submit(c, "{}"), 403);
}

static void only_remote_policies_are_played_over_http(void **state)
{
    struct call *c = *state;
    assert_int_equal(
        call_post(c, "/api/v1/policies",
                  "{\"id\":\"far\",\"name\":\"F\",\"endpoint\":\"tcp://e.example:7\"}"),
        201);
    assert_int_equal(
        call_post(c, "/api/v1/plays", "{\"round\":\"gauntlet-01\",\"policy\":\"far\"}"), 400);
    assert_non_null(call_field_error(c, "policy"));
}

static void a_remote_policy_plays_each_round_once_and_ranks(void **state)
{
    struct call *c = *state;
    const char *body = "{\"round\":\"gauntlet-01\",\"policy\":\"mine\"}";
    remote_policy(c, "mine");
    start(c, body);
    char second[200];
    (void)snprintf(second, sizeof(second), "%s", play);
    start(c, body); /* two may be begun ... */
    assert_int_equal(move(c, 1, 3), 200);
    assert_int_equal(call_post(c, "/api/v1/plays", body), 409);
    char first[200];
    (void)snprintf(first, sizeof(first), "%s", play);
    (void)snprintf(play, sizeof(play), "%s", second);
    assert_int_equal(move(c, 1, 3), 409); /* ... but one played */
    (void)snprintf(play, sizeof(play), "%s", first);
    assert_int_equal(move(c, 1, 3), 200);
    for (int64_t n = 2; call_get(c, play) == 200 && strcmp(call_text(c, "status"), "open") == 0;
         n++) {
        assert_int_equal(move(c, n, (unsigned)call_int(c, "legal.0")), 200);
    }
    assert_int_equal(submit(c, "{}"), 201);
    assert_string_equal(call_text(c, "policyId"), "mine");
    assert_true(call_is_null(c, "player"));
    assert_true(call_bool(c, "counted"));
    assert_int_equal(submit(c, "{}"), 200);
    char game[STORE_KEY_SIZE];
    (void)snprintf(game, sizeof(game), "%s", call_text(c, "id"));
    assert_int_equal(call_post(c, "/api/v1/plays", body), 409);
    assert_non_null(strstr(call_text(c, "existing"), game));
    assert_int_equal(call_get(c, "/api/v1/leaderboard?kind=remote"), 200);
    assert_string_equal(call_text(c, "summaries.0.policyId"), "mine");
    assert_string_equal(call_text(c, "policies.0.badges.0"), "remote");
}

static struct plays_report look(struct call *c, int64_t later_ms)
{
    struct plays_keeper keeper = {0};
    struct plays_report report;
    assert_int_equal(plays_look(&keeper, c->api.store, c->config.play_expiry_ms, 1,
                                clock_utc_ms() + later_ms, &report),
                     D7_OK);
    return report;
}

static void abandoned_plays_expire_and_a_committed_policy_forfeits(void **state)
{
    struct call *c = *state;
    remote_policy(c, "mine");
    start(c, "{\"round\":\"gauntlet-02\",\"policy\":\"mine\"}"); /* never moved */
    start(c, "{\"round\":\"gauntlet-01\"}");
    assert_int_equal(move(c, 1, 3), 200);
    char person[200];
    (void)snprintf(person, sizeof(person), "%s", play);
    start(c, "{\"round\":\"gauntlet-01\",\"policy\":\"mine\"}");
    assert_int_equal(move(c, 1, 3), 200);
    assert_int_equal(look(c, 0).expired, 0);
    struct plays_report report = look(c, c->config.play_expiry_ms + 1000);
    assert_int_equal(report.expired, 3);
    assert_int_equal(report.recorded, 1);
    assert_int_equal(report.damaged, 0);
    assert_int_equal(call_get(c, play), 200);
    assert_string_equal(call_text(c, "status"), "expired");
    assert_int_equal(move(c, 2, 3), 409);
    assert_int_equal(move(c, 1, 3), 200); /* still a harmless retry */
    assert_int_equal(submit(c, "{}"), 409);
    assert_int_equal(call_get(c, "/api/v1/games?policy=mine"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    assert_string_equal(call_text(c, "items.0.outcome"), "forfeit");
    assert_true(call_bool(c, "items.0.counted"));
    assert_int_equal(call_int(c, "items.0.moves"), 1);
    (void)snprintf(play, sizeof(play), "%s", person);
    assert_int_equal(call_get(c, play), 200);
    assert_string_equal(call_text(c, "status"), "expired");
    (void)look(c, 3 * c->config.play_expiry_ms);
    assert_int_equal(call_get(c, play), 404);
}

static void a_finished_play_of_a_policy_that_expires_is_its_game(void **state)
{
    struct call *c = *state;
    remote_policy(c, "mine");
    start(c, "{\"round\":\"gauntlet-03\",\"policy\":\"mine\"}");
    size_t moves = strlen(play_out(c));
    assert_int_equal(look(c, c->config.play_expiry_ms + 1000).recorded, 1);
    assert_int_equal(call_get(c, "/api/v1/games?policy=mine"), 200);
    assert_string_equal(call_text(c, "items.0.outcome"), "over");
    assert_int_equal(call_int(c, "items.0.moves"), (int64_t)moves);
}

static void an_overdue_play_is_over_before_anybody_looks(void **state)
{
    struct call *c = *state;
    c->config.play_expiry_ms = -1;
    start(c, "{\"round\":\"gauntlet-01\"}");
    assert_string_equal(call_text(c, "status"), "expired");
    assert_int_equal(move(c, 1, 3), 409);
}

static void who_moves_too_fast_is_told_to_wait(void **state)
{
    struct call *c = *state;
    const struct limit_rate rates[LIMIT_KINDS] = {[LIMIT_PLAYS] = {3, 1000000}};
    limiter_free(c->site.limiter);
    assert_int_equal(limiter_new(rates, &c->site.limiter), D7_OK);
    start(c, "{\"round\":\"gauntlet-01\"}");
    assert_int_equal(move(c, 1, 3), 200);
    assert_int_equal(move(c, 2, 3), 200);
    assert_int_equal(move(c, 3, 3), 429);
    assert_string_equal(call_text(c, "code"), "rate-limited");
    assert_true(c->reply.retry_after_s >= 300);
    assert_int_equal(call_get(c, play), 200);
    assert_int_equal(call_int(c, "move"), 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_new_play_shows_the_opening_and_nothing_more),
        CASE(a_move_answers_its_frame_and_a_retry_the_same),
        CASE(a_full_column_is_refused_and_nothing_recorded),
        CASE(what_is_wrong_with_a_move_is_named),
        CASE(plays_need_a_round_that_exists_and_a_secret_that_is_known),
        CASE(a_finished_play_becomes_a_verified_game_of_its_player),
        CASE(the_board_shows_the_best_game_of_each_person_beside_it),
        CASE(a_play_for_a_policy_needs_its_owner),
        CASE(only_remote_policies_are_played_over_http),
        CASE(a_remote_policy_plays_each_round_once_and_ranks),
        CASE(abandoned_plays_expire_and_a_committed_policy_forfeits),
        CASE(a_finished_play_of_a_policy_that_expires_is_its_game),
        CASE(an_overdue_play_is_over_before_anybody_looks),
        CASE(who_moves_too_fast_is_told_to_wait),
    };
    return cmocka_run_group_tests_name("server/api_plays", tests, NULL, NULL);
}
