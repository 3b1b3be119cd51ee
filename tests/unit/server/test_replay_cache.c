/* server/api/replay_cache: bounds and order without games; then replays through the handlers, where
 * what is kept must be what would be computed. */
#include "tests/support/call.h"

#include "engine/base/clock.h"
#include "server/api/replay_cache.h"

static struct kept *bytes_of(size_t size, char fill)
{
    struct buf b;
    struct kept *k = NULL;
    buf_init(&b, size);
    for (size_t i = 0; i < size; i++) {
        buf_char(&b, fill);
    }
    assert_int_equal(kept_new(&b, 0, &k), D7_OK);
    return k;
}

static struct replay_key key_of(size_t number, bool steps)
{
    struct replay_key key = {.steps = steps};
    (void)snprintf(key.game_id, sizeof(key.game_id), "G%zu", number);
    return key;
}

static void put(struct replay_cache *c, size_t number, int64_t version, const struct game_row *game,
                size_t size)
{
    struct replay_key key = key_of(number, false);
    struct kept *k = bytes_of(size, 'x');
    replay_cache_put(c, &key, version, game, k);
    kept_unref(k);
}

static bool has(struct replay_cache *c, size_t number, int64_t version)
{
    bool voided = false;
    struct replay_key key = key_of(number, false);
    struct kept *k = replay_cache_at(c, &key, version, &voided);
    kept_unref(k);
    return k != NULL;
}

static void the_least_recently_used_make_room(void **state)
{
    (void)state;
    enum { SIZE = 100000, FIT = REPLAY_CACHE_BYTES / (SIZE + 400) };
    struct replay_cache *c = NULL;
    const struct game_row game = {.counted = true};
    assert_int_equal(replay_cache_new(&c), D7_OK);
    for (size_t i = 0; i < FIT; i++) {
        put(c, i, 1, &game, SIZE);
    }
    assert_true(replay_cache_bytes(c) <= REPLAY_CACHE_BYTES);
    for (size_t i = 0; i < FIT; i++) {
        assert_true(has(c, i, 1));
    }
    assert_true(has(c, 0, 1)); /* used last: the next to go is number 1 */
    put(c, FIT, 1, &game, SIZE);
    put(c, FIT + 1, 1, &game, SIZE);
    assert_true(has(c, 0, 1));
    assert_false(has(c, 1, 1));
    assert_true(has(c, FIT, 1) && has(c, FIT + 1, 1));
    put(c, FIT, 1, &game, 10); /* in place of the larger one */
    assert_true(has(c, FIT, 1));
    put(c, 9999, 1, &game, REPLAY_CACHE_BYTES / 4); /* too large to be kept */
    assert_false(has(c, 9999, 1));
    assert_true(replay_cache_bytes(c) <= REPLAY_CACHE_BYTES);
    replay_cache_free(c);
}

static void entries_are_bounded_however_small_they_are(void **state)
{
    (void)state;
    struct replay_cache *c = NULL;
    const struct game_row game = {.counted = true};
    assert_int_equal(replay_cache_new(&c), D7_OK);
    for (size_t i = 0; i < REPLAY_CACHE_ENTRIES + 100; i++) {
        put(c, i, 1, &game, 1);
    }
    for (size_t i = 0; i < REPLAY_CACHE_ENTRIES + 100; i++) {
        assert_int_equal(has(c, i, 1), i >= 100);
    }
    replay_cache_free(c);
}

static void an_entry_is_right_at_its_version_or_for_an_equal_row(void **state)
{
    (void)state;
    struct replay_cache *c = NULL;
    struct game_row game = {.counted = true};
    struct replay_key key = key_of(1, false);
    struct replay_key steps = key_of(1, true);
    assert_int_equal(replay_cache_new(&c), D7_OK);
    put(c, 1, 7, &game, 10);
    assert_true(has(c, 1, 7));
    assert_false(has(c, 1, 8));
    assert_null(replay_cache_for(c, &steps, 8, &game));
    struct kept *k = replay_cache_for(c, &key, 8, &game);
    assert_non_null(k);
    kept_unref(k);
    assert_true(has(c, 1, 8)); /* the look at the row was noted */
    game.voided = true;
    assert_null(replay_cache_for(c, &key, 9, &game));
    game = (struct game_row){.counted = false};
    assert_null(replay_cache_for(c, &key, 9, &game));
    replay_cache_free(c);
}

/* --- through the handlers ------------------------------------------------------------------- */

static char path[200];

/* A policy with one game; `path` is its replay's. */
static void one_game(struct call *c)
{
    call_builtin(c, "first");
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"first\"}"), 202);
    assert_int_equal(call_play(c, 2, 0), 2);
    assert_int_equal(call_get(c, "/api/v1/games?sort=createdAt"), 200);
    (void)snprintf(path, sizeof(path), "/api/v1/games/%s/replay", call_text(c, "items.0.id"));
}

static char *replay_of(struct call *c, const char *query)
{
    char full[300];
    (void)snprintf(full, sizeof(full), "%s%s", path, query);
    assert_int_equal(call_get(c, full), 200);
    return strdup(c->body);
}

static void a_kept_replay_is_the_computed_one(void **state)
{
    struct call *c = *state;
    one_game(c);
    static const char *const queries[] = {"", "?steps=1"};
    for (size_t i = 0; i < D7_COUNT(queries); i++) {
        char *first = replay_of(c, queries[i]);
        assert_true(replay_cache_bytes(c->site.replays) > 0);
        char *again = replay_of(c, queries[i]);
        assert_string_equal(again, first);
        assert_int_equal(c->reply.cache, CACHE_IMMUTABLE);
        free(again);
        assert_int_equal(call_play(c, 1, 0), 1); /* the board changed: the row is looked at again */
        again = replay_of(c, queries[i]);
        assert_string_equal(again, first);
        free(again);
        free(first);
    }
}

static void a_voided_game_is_not_served_as_it_was(void **state)
{
    struct call *c = *state;
    one_game(c);
    char *before = replay_of(c, "");
    assert_non_null(strstr(before, "\"counted\":true"));
    assert_null(strstr(before, "\"voided\""));
    char id[STORE_KEY_SIZE];
    (void)snprintf(id, sizeof(id), "%s", call_text(c, "id"));
    assert_int_equal(game_void(c->api.store, id, "cheated", clock_utc_ms()), D7_OK);
    for (int i = 0; i < 2; i++) {
        char *after = replay_of(c, "");
        assert_non_null(strstr(after, "\"counted\":false"));
        assert_non_null(strstr(after, "\"voided\":true"));
        assert_int_equal(c->reply.cache, CACHE_REVALIDATE);
        free(after);
    }
    free(before);
}

/* The policy's address gives the same bytes under another rule, from memory too. */
static void both_addresses_share_the_bytes_not_the_rule(void **state)
{
    struct call *c = *state;
    one_game(c);
    char *by_game = replay_of(c, "");
    char other[200];
    (void)snprintf(other, sizeof(other), "/api/v1/policies/first/rounds/%s/replay",
                   call_text(c, "roundId"));
    size_t kept = replay_cache_bytes(c->site.replays);
    assert_int_equal(call_get(c, other), 200);
    assert_string_equal(c->body, by_game);
    assert_int_equal(c->reply.cache, CACHE_REVALIDATE);
    assert_int_equal(replay_cache_bytes(c->site.replays), kept);
    free(by_game);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_make_room),
        cmocka_unit_test(entries_are_bounded_however_small_they_are),
        cmocka_unit_test(an_entry_is_right_at_its_version_or_for_an_equal_row),
        CASE(a_kept_replay_is_the_computed_one),
        CASE(a_voided_game_is_not_served_as_it_was),
        CASE(both_addresses_share_the_bytes_not_the_rule),
    };
    return cmocka_run_group_tests_name("server/replay_cache", tests, NULL, NULL);
}
