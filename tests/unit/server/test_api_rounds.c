/* server/api: rounds and suites an administrator adds, and games by player. */
#include "tests/support/call.h"

#define SUITES "/api/v1/suites"
#define ROUNDS "/api/v1/rounds"

/* The JSON of a generated round; the caller frees. */
static char *round_json(uint32_t seed, uint32_t moves, const char *id)
{
    struct roundfile *r = NULL;
    struct buf text;
    struct jout j;
    buf_init(&text, ROUND_FILE_MAX);
    assert_int_equal(roundfile_generate(seed, moves, id, "A round", &r, NULL), D7_OK);
    jout_init(&j, &text);
    roundfile_write(&j, r);
    roundfile_free(r);
    buf_char(&text, '\0');
    return buf_steal(&text);
}

static int add_round(struct call *c, uint32_t seed, uint32_t moves, const char *id)
{
    char *json = round_json(seed, moves, id);
    int status = call_post(c, ROUNDS, json);
    free(json);
    return status;
}

static void an_added_round_is_served_as_it_came(void **state)
{
    struct call *c = *state;
    c->as = &c->admin;
    assert_int_equal(add_round(c, 7, ROUND_MOVES_MAX, "long-one"), 201);
    assert_string_equal(call_header(c, "Location"), ROUNDS "/long-one");
    assert_string_equal(call_text(c, "id"), "long-one");
    assert_int_equal(call_int(c, "maximumMoves"), 10000);
    char *json = round_json(7, ROUND_MOVES_MAX, "long-one");
    assert_int_equal(call_get(c, ROUNDS "/long-one"), 200);
    assert_string_equal(c->body, json);
    free(json);
    assert_int_equal(add_round(c, 7, ROUND_MOVES_MAX, "long-one"), 409);
    assert_string_equal(call_text(c, "existing"), ROUNDS "/long-one");
    assert_int_equal(add_round(c, 8, 5, "gauntlet-01"), 409);
}

static void rounds_are_added_by_admins_and_judged(void **state)
{
    struct call *c = *state;
    assert_int_equal(add_round(c, 1, 5, "one"), 403);
    c->as = NULL;
    assert_int_equal(add_round(c, 1, 5, "one"), 401);
    c->as = &c->admin;
    assert_int_equal(call_post(c, ROUNDS, "{\"format\":\"drop7-scripted-round-v1\",\"id\":\"X\"}"),
                     400);
    assert_string_equal(call_text(c, "code"), "validation");
    assert_non_null(call_field_error(c, "id"));
    assert_int_equal(call_post(c, ROUNDS, "[]"), 400);
    assert_int_equal(call_post(c, ROUNDS, "{\"a\":1,\"a\":2}"), 400);
    assert_string_equal(call_text(c, "code"), "bad-json");
    char *json = round_json(1, 5, "one");
    char *at = strstr(json, "\"maximumMoves\":5");
    assert_non_null(at);
    at[strlen("\"maximumMoves\":")] = '9'; /* more moves than discs */
    assert_int_equal(call_post(c, ROUNDS, json), 400);
    free(json);
    assert_int_equal(call_get(c, ROUNDS "/one"), 404);
}

static void a_suite_is_made_of_rounds_there_are(void **state)
{
    struct call *c = *state;
    c->as = &c->admin;
    assert_int_equal(add_round(c, 1, 5, "one"), 201);
    assert_int_equal(
        call_post(c, SUITES,
                  "{\"id\":\"short\",\"name\":\"Short\",\"rounds\":[\"one\",\"gauntlet-03\"]}"),
        201);
    assert_string_equal(call_header(c, "Location"), SUITES "/short");
    assert_string_equal(call_text(c, "rounds.1"), "gauntlet-03");
    assert_false(call_bool(c, "default"));
    assert_int_equal(
        call_post(c, SUITES, "{\"id\":\"short\",\"name\":\"Short\",\"rounds\":[\"one\"]}"), 409);
    assert_string_equal(call_text(c, "existing"), SUITES "/short");
    assert_int_equal(call_get(c, SUITES "/short"), 200);
    assert_int_equal(call_length(c, "rounds"), 2);
    assert_int_equal(
        call_post(c, SUITES, "{\"id\":\"s2\",\"name\":\"S\",\"rounds\":[\"one\",\"nothing\"]}"),
        404);
    assert_non_null(strstr(call_text(c, "detail"), "nothing"));
    assert_int_equal(call_get(c, SUITES "/s2"), 404);
    c->as = &c->owner;
    assert_int_equal(call_post(c, SUITES, "{\"id\":\"s2\",\"name\":\"S\",\"rounds\":[\"one\"]}"),
                     403);
}

static void a_new_default_suite_is_what_new_policies_play(void **state)
{
    struct call *c = *state;
    c->as = &c->admin;
    assert_int_equal(call_post(c, SUITES,
                               "{\"id\":\"solo\",\"name\":\"Solo\",\"rounds\":[\"gauntlet-05\"],"
                               "\"default\":true}"),
                     201);
    assert_true(call_bool(c, "default"));
    assert_int_equal(call_get(c, SUITES "/gauntlet"), 200);
    assert_false(call_bool(c, "default"));
    c->as = &c->owner;
    assert_int_equal(
        call_post(c, "/api/v1/policies",
                  "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://a.example:7\"}"),
        201);
    assert_int_equal(call_play(c, 9, 0), 1);
    assert_int_equal(call_get(c, "/api/v1/games?suite=solo"), 200);
    assert_int_equal(call_length(c, "items"), 1);
}

static void wrong_fields_of_a_suite_are_named(void **state)
{
    struct call *c = *state;
    c->as = &c->admin;
    static const struct {
        const char *body, *field;
    } bad[] = {
        {"{\"name\":\"S\",\"rounds\":[\"gauntlet-01\"]}", "id"},
        {"{\"id\":\"-s\",\"name\":\"S\",\"rounds\":[\"gauntlet-01\"]}", "id"},
        {"{\"id\":\"s2\",\"rounds\":[\"gauntlet-01\"]}", "name"},
        {"{\"id\":\"s2\",\"name\":\" \\u3164\",\"rounds\":[\"gauntlet-01\"]}", "name"},
        {"{\"id\":\"s2\",\"name\":\"S\"}", "rounds"},
        {"{\"id\":\"s2\",\"name\":\"S\",\"rounds\":[]}", "rounds"},
        {"{\"id\":\"s2\",\"name\":\"S\",\"rounds\":[\"gauntlet-01\",\"gauntlet-01\"]}", "rounds"},
        {"{\"id\":\"s2\",\"name\":\"S\",\"rounds\":[\"gauntlet-01\"],\"default\":1}", "default"},
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, SUITES, bad[i].body), 400);
        if (!call_field_error(c, bad[i].field)) {
            fail_msg("no error for %s in %s", bad[i].field, c->body);
        }
        assert_int_equal(call_length(c, "errors"), 1);
    }
}

static void games_are_filtered_by_player(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/games?player=Zoe%20B"), 200);
    assert_int_equal(call_length(c, "items"), 0);
    assert_int_equal(call_get(c, "/api/v1/games?player="), 400);
    assert_int_equal(call_get(c, "/api/v1/games?player=%07"), 400);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_added_round_is_served_as_it_came),
        TEST(rounds_are_added_by_admins_and_judged),
        TEST(a_suite_is_made_of_rounds_there_are),
        TEST(a_new_default_suite_is_what_new_policies_play),
        TEST(wrong_fields_of_a_suite_are_named),
        TEST(games_are_filtered_by_player),
    };
    return cmocka_run_group_tests_name("server/api_rounds", tests, NULL, NULL);
}
