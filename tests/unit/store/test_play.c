/* store/play.h: plays, their moves, and how they end. */
#include "tests/support/support.h"

#include "store/play.h"
#include "tests/support/stores.h"

#define DAY 86400000

static struct store *st;
static int64_t owner;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "plays-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    owner = stores_account(st, "ada");
    const struct policy_new_row row = {.id = "far",
                                       .name = "far",
                                       .kind = KIND_REMOTE,
                                       .owner_id = owner,
                                       .public_information = true,
                                       .concurrency = 1,
                                       .format = "remote"};
    char run[STORE_KEY_SIZE];
    assert_int_equal(policy_add(st, &row, 1000, run), D7_OK);
    assert_string_equal(run, "");
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    stores_assert_consistent(st);
    store_close(st);
    st = NULL;
    return 0;
}

/* The hash of a play's name. */
static const char *hash(const char *name)
{
    static char texts[4][SHA_HEX_SIZE];
    static unsigned turn;
    char *to = texts[turn++ % 4];
    sha_of(span_of(name), to);
    return to;
}

static struct play_row get(const char *name)
{
    struct play_row p = {.columns = NULL};
    assert_int_equal(play_get(st, hash(name), &p), D7_OK);
    return p;
}

static void add(const char *name, const char *policy, int64_t now)
{
    assert_int_equal(
        play_add(st, hash(name), "gauntlet-01", policy, policy ? 1 : 0, now, now + DAY), D7_OK);
}

static enum d7_err move(const char *name, unsigned column, bool ends, int64_t now)
{
    struct play_row p = get(name);
    enum d7_err err = play_move(st, &p, column, 5000, ends, now, now + DAY);
    play_release(&p);
    return err;
}

/* A result that has the play's own columns. */
static struct game_result result_of(const struct play_row *p, enum outcome outcome, int64_t score)
{
    struct game_result r = {.columns = p->columns,
                            .think_us = p->think_us,
                            .moves = p->moves,
                            .summary = {.score = score, .moves = (uint32_t)p->moves},
                            .outcome = outcome,
                            .reason = outcome == OUTCOME_FORFEIT ? "abandoned" : ""};
    memcpy(r.summary.checksum, "0123456789abcdef", CHECKSUM_SIZE);
    return r;
}

static void a_play_comes_back_with_its_moves_and_times(void **state)
{
    (void)state;
    add("a", NULL, 5000);
    assert_int_equal(move("a", 3, false, 6000), D7_OK);
    struct play_row p = get("a");
    assert_int_equal(play_move(st, &p, 6, UINT32_MAX, true, 7000, 7000 + DAY), D7_OK);
    play_release(&p);
    p = get("a");
    assert_int_equal(p.moves, 2);
    assert_int_equal(p.columns[0], 3);
    assert_int_equal(p.columns[1], 6);
    assert_int_equal(p.think_us[0], 5000);
    assert_int_equal(p.think_us[1], UINT32_MAX);
    assert_int_equal(p.status, PLAY_FINISHED);
    assert_int_equal(p.created_at, 5000);
    assert_int_equal(p.moved_at, 7000);
    assert_int_equal(p.expires_at, 7000 + DAY);
    assert_string_equal(p.round_id, "gauntlet-01");
    assert_string_equal(p.policy_id, "");
    assert_string_equal(p.game_id, "");
    play_release(&p);
    assert_int_equal(play_get(st, hash("b"), &p), D7_ERR_NOT_FOUND);
}

static void of_two_moves_on_the_same_state_one_is_written(void **state)
{
    (void)state;
    add("a", NULL, 5000);
    struct play_row first = get("a");
    struct play_row second = get("a");
    assert_int_equal(play_move(st, &first, 1, 0, false, 6000, 6000 + DAY), D7_OK);
    assert_int_equal(play_move(st, &second, 2, 0, false, 6000, 6000 + DAY), D7_ERR_CONFLICT);
    play_release(&first);
    play_release(&second);
    struct play_row p = get("a");
    assert_int_equal(p.moves, 1);
    assert_int_equal(p.columns[0], 1);
    assert_int_equal(play_move(st, &p, 7, 0, false, 6000, 6000 + DAY), D7_ERR_INVALID);
    play_release(&p);
}

static void the_first_move_commits_a_policy_and_bars_its_other_plays(void **state)
{
    (void)state;
    add("a", "far", 5000);
    add("b", "far", 5000);
    assert_int_equal(move("a", 0, false, 6000), D7_OK);
    assert_int_equal(move("b", 0, false, 6000), D7_ERR_CONFLICT);
    assert_int_equal(play_add(st, hash("c"), "gauntlet-01", "far", 1, 6000, 7000), D7_ERR_CONFLICT);
    assert_int_equal(move("a", 1, false, 6000), D7_OK);
    assert_int_equal(play_add(st, hash("c"), "gauntlet-02", "far", 1, 6000, 7000), D7_OK);
    assert_int_equal(play_add(st, hash("d"), "nothing", NULL, 0, 6000, 7000), D7_ERR_NOT_FOUND);
}

static void a_persons_game_is_recorded_under_the_name_and_never_counts(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    int64_t before = 0;
    int64_t after = 0;
    add("a", NULL, 5000);
    assert_int_equal(move("a", 3, true, 6000), D7_OK);
    struct play_row p = get("a");
    struct game_result r = result_of(&p, OUTCOME_OVER, 700);
    assert_int_equal(store_board_version(st, &before), D7_OK);
    assert_int_equal(play_submit(st, &p, "", &r, 7000, id), D7_ERR_INVALID);
    assert_int_equal(play_submit(st, &p, "Ada", &r, 7000, id), D7_OK);
    assert_int_equal(store_board_version(st, &after), D7_OK);
    assert_true(after > before);
    char other[STORE_KEY_SIZE];
    assert_int_equal(play_submit(st, &p, "Ada", &r, 7000, other), D7_ERR_CONFLICT);
    play_release(&p);
    struct game_row game;
    assert_int_equal(game_get(st, id, &game), D7_OK);
    assert_string_equal(game.player, "Ada");
    assert_string_equal(game.policy_id, "");
    assert_string_equal(game.run_id, "");
    assert_int_equal(game.summary.score, 700);
    assert_false(game.counted);
    p = get("a");
    assert_int_equal(p.status, PLAY_SUBMITTED);
    assert_string_equal(p.game_id, id);
    play_release(&p);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 1);
}

static void a_policys_game_counts(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    add("a", "far", 5000);
    assert_int_equal(move("a", 3, true, 6000), D7_OK);
    struct play_row p = get("a");
    struct game_result r = result_of(&p, OUTCOME_OVER, 700);
    assert_int_equal(play_submit(st, &p, "Ada", &r, 7000, id), D7_ERR_INVALID);
    assert_int_equal(play_submit(st, &p, NULL, &r, 7000, id), D7_OK);
    play_release(&p);
    struct game_row game;
    assert_int_equal(game_counted(st, "far", "gauntlet-01", &game), D7_OK);
    assert_string_equal(game.id, id);
    assert_string_equal(game.player, "");
}

static void an_open_play_cannot_be_submitted(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    add("a", NULL, 5000);
    struct play_row p = get("a");
    struct game_result r = result_of(&p, OUTCOME_OVER, 700);
    assert_int_equal(play_submit(st, &p, "Ada", &r, 7000, id), D7_ERR_INVALID);
    play_release(&p);
}

static void the_overdue_come_in_order_and_expire_once(void **state)
{
    (void)state;
    char due[SHA_HEX_SIZE];
    add("late", NULL, 2000);
    add("early", "far", 1000);
    assert_int_equal(play_next_due(st, 1000 + DAY - 1, due), D7_ERR_NOT_FOUND);
    assert_int_equal(play_next_due(st, 9 * DAY, due), D7_OK);
    assert_string_equal(due, hash("early"));
    struct play_row p = get("early");
    assert_int_equal(play_expire(st, &p, NULL, 9 * DAY), D7_OK);
    assert_int_equal(play_expire(st, &p, NULL, 9 * DAY), D7_ERR_CONFLICT);
    play_release(&p);
    assert_int_equal(play_next_due(st, 9 * DAY, due), D7_OK);
    assert_string_equal(due, hash("late"));
    assert_int_equal(move("early", 0, false, 9 * DAY), D7_ERR_CONFLICT);
}

static void a_committed_policy_that_expires_leaves_a_forfeit(void **state)
{
    (void)state;
    add("a", "far", 5000);
    assert_int_equal(move("a", 3, false, 6000), D7_OK);
    struct play_row p = get("a");
    struct game_result r = result_of(&p, OUTCOME_FORFEIT, 0);
    assert_int_equal(play_expire(st, &p, &r, 9 * DAY), D7_OK);
    play_release(&p);
    struct game_row game;
    assert_int_equal(game_counted(st, "far", "gauntlet-01", &game), D7_OK);
    assert_int_equal(game.outcome, OUTCOME_FORFEIT);
    assert_string_equal(game.reason, "abandoned");
}

static void ended_plays_are_forgotten_but_not_what_bars_others(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    add("open", NULL, 5000);
    add("person", NULL, 5000);
    add("mine", "far", 5000);
    assert_int_equal(move("person", 3, true, 6000), D7_OK);
    assert_int_equal(move("mine", 3, true, 6000), D7_OK);
    struct play_row p = get("person");
    struct game_result r = result_of(&p, OUTCOME_OVER, 700);
    assert_int_equal(play_submit(st, &p, "Ada", &r, 7000, id), D7_OK);
    play_release(&p);
    p = get("mine");
    r = result_of(&p, OUTCOME_OVER, 700);
    assert_int_equal(play_submit(st, &p, NULL, &r, 7000, id), D7_OK);
    play_release(&p);
    assert_int_equal(play_forget(st, 6000 + DAY), D7_OK);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM play"), 3);
    assert_int_equal(play_forget(st, 6001 + DAY), D7_OK);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM play"), 2);
    assert_int_equal(play_get(st, hash("person"), &p), D7_ERR_NOT_FOUND);
    assert_int_equal(play_add(st, hash("x"), "gauntlet-01", "far", 1, 9 * DAY, 10 * DAY),
                     D7_ERR_CONFLICT);
}

static void person(const char *name, const char *player, int64_t score)
{
    char id[STORE_KEY_SIZE];
    add(name, NULL, 5000);
    assert_int_equal(move(name, 3, true, 6000), D7_OK);
    struct play_row p = get(name);
    struct game_result r = result_of(&p, OUTCOME_OVER, score);
    assert_int_equal(play_submit(st, &p, player, &r, 7000, id), D7_OK);
    play_release(&p);
}

static void the_best_game_of_each_name_is_found(void **state)
{
    (void)state;
    struct game_row *games = NULL;
    size_t count = 0;
    person("1", "Ada", 10);
    person("2", "Bob", 30);
    person("3", "Ada", 50);
    person("4", "Cy", 5);
    assert_int_equal(play_best_games(st, "gauntlet-01", 2, &games, &count), D7_OK);
    assert_int_equal(count, 2);
    assert_string_equal(games[0].player, "Ada");
    assert_int_equal(games[0].summary.score, 50);
    assert_string_equal(games[1].player, "Bob");
    assert_int_equal(game_void(st, games[0].id, "no", 8000), D7_OK);
    free(games);
    assert_int_equal(play_best_games(st, "gauntlet-01", 10, &games, &count), D7_OK);
    assert_int_equal(count, 3);
    assert_string_equal(games[0].player, "Bob");
    assert_int_equal(games[1].summary.score, 10);
    free(games);
    assert_int_equal(play_best_games(st, "gauntlet-02", 10, &games, &count), D7_OK);
    assert_int_equal(count, 0);
    free(games);
}

static void games_are_listed_by_player(void **state)
{
    (void)state;
    struct game_row *games = NULL;
    size_t count = 0;
    person("1", "Ada", 10);
    person("2", "Bob", 30);
    person("3", "Ada", 50);
    struct game_filter filter = {.sort = GAME_SORT_BEST, .player = "Ada"};
    struct store_page page = {.limit = 1};
    assert_int_equal(game_list(st, &filter, &page, &games, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_int_equal(games[0].summary.score, 50);
    free(games);
    memcpy(page.cursor, page.next, sizeof(page.cursor));
    assert_int_equal(game_list(st, &filter, &page, &games, &count), D7_OK);
    assert_int_equal(games[0].summary.score, 10);
    assert_string_equal(page.next, "");
    free(games);
    (void)snprintf(filter.player, sizeof(filter.player), "Bob");
    assert_int_equal(game_list(st, &filter, &page, &games, &count), D7_ERR_INVALID);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_play_comes_back_with_its_moves_and_times),
        CASE(of_two_moves_on_the_same_state_one_is_written),
        CASE(the_first_move_commits_a_policy_and_bars_its_other_plays),
        CASE(a_persons_game_is_recorded_under_the_name_and_never_counts),
        CASE(a_policys_game_counts),
        CASE(an_open_play_cannot_be_submitted),
        CASE(the_overdue_come_in_order_and_expire_once),
        CASE(a_committed_policy_that_expires_leaves_a_forfeit),
        CASE(ended_plays_are_forgotten_but_not_what_bars_others),
        CASE(the_best_game_of_each_name_is_found),
        CASE(games_are_listed_by_player),
    };
    int failed = cmocka_run_group_tests_name("unit/store/play", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
