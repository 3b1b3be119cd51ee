/* store: rows that say what they cannot mean, as a damaged file or a strange hand leaves them, are
 * told as damage and never handed on. */
#include "tests/support/support.h"

#include "store/game_verify.h"
#include "store/handle.h"
#include "store/play.h"
#include "store/revision.h"
#include "tests/support/scene.h"

/* Changes what the schema's checks would not let pass. */
static void damage(struct store *st, const char *sql)
{
    assert_int_equal(sqlite3_exec(st->db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL),
                     SQLITE_OK);
    if (sqlite3_exec(st->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(st->db));
    }
    assert_true(sqlite3_changes(st->db) > 0);
}

static void begin(struct store *st)
{
    assert_int_equal(sqlite3_exec(st->db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
}

static void undo(struct store *st)
{
    assert_int_equal(sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
}

static void a_damaged_round_is_not_played(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE round SET maximum_moves = 0",
        "UPDATE round SET maximum_moves = 10001",
        "UPDATE round SET maximum_moves = -1",
        "UPDATE round SET maximum_moves = 4294967296",
        "UPDATE round SET discs = substr(discs, 1, maximum_moves - 1)",
        "UPDATE round SET discs = zeroblob(length(discs))",
        "UPDATE round SET discs = CAST(replace(discs, x'01', x'08') AS BLOB)",
        "UPDATE round SET latent = substr(latent, 1, length(latent) - 1)",
        "UPDATE round SET latent = substr(latent, 1, 7)",
        "UPDATE round SET latent = zeroblob(length(latent))",
        "UPDATE round SET seed_hex = CAST(zeroblob(70) AS TEXT)",
        "UPDATE round SET name = printf('%1000s', 'x')",
    };
    struct scene s;
    scene_set(&s, "rounds");
    for (size_t i = 0; i < D7_COUNT(damages); i++) {
        struct roundfile *r = NULL;
        begin(s.st);
        damage(s.st, damages[i]);
        enum d7_err err = round_get(s.st, "gauntlet-01", &r);
        if (err != D7_ERR_CORRUPT || r) {
            fail_msg("%s: %s", damages[i], d7_err_text(err));
        }
        undo(s.st);
    }
    store_close(s.st);
}

/* The same id for another round is a conflict, in whatever the two differ. */
static void a_round_is_added_again_only_as_it_is(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE round SET maximum_moves = maximum_moves - 1",
        "UPDATE round SET discs = CAST(discs || x'01' AS BLOB)",
        "UPDATE round SET latent = CAST(latent || x'01010101010101' AS BLOB)",
        "UPDATE round SET discs = CAST(replace(discs, x'01', x'02') AS BLOB)",
        "UPDATE round SET latent = CAST(replace(latent, x'01', x'02') AS BLOB)",
        "UPDATE round SET seed_hex = '00'",
        "UPDATE round SET name = 'Another'",
    };
    struct scene s;
    struct roundfile *r = NULL;
    struct d7_why why;
    scene_set(&s, "again");
    assert_int_equal(roundfile_generate(5, 30, "mine", NULL, &r, &why), D7_OK);
    assert_int_equal(round_add(s.st, r, 1), D7_OK);
    assert_int_equal(round_add(s.st, r, 2), D7_OK);
    size_t conflicts = 0;
    for (size_t i = 0; i < D7_COUNT(changes); i++) {
        char sql[200];
        (void)snprintf(sql, sizeof(sql), "%s WHERE id = 'mine'", changes[i]);
        struct store *st = s.st;
        assert_int_equal(sqlite3_exec(st->db,
                                      "CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT * FROM round "
                                      "WHERE id = 'mine'",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        damage(st, sql);
        enum d7_err err = round_add(st, r, 3);
        assert_true(err == D7_ERR_CONFLICT || err == D7_OK);
        conflicts += err == D7_ERR_CONFLICT;
        assert_int_equal(sqlite3_exec(st->db,
                                      "DELETE FROM round WHERE id = 'mine'; INSERT INTO round "
                                      "SELECT * FROM kept",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
    }
    assert_in_range(conflicts, 5, D7_COUNT(changes)); /* a name may be another one */
    roundfile_free(r);
    store_close(s.st);
}

static void a_damaged_game_is_told(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE game SET outcome = 'draw'",
        "UPDATE game SET moves = -1",
        "UPDATE game SET moves = 4294967296",
        "UPDATE game SET max_chain = -7",
        "UPDATE game SET illegal_moves = 99999999999",
        "UPDATE game SET checksum = 'short and then long'",
        "UPDATE game SET reason = printf('%9000s', 'x')",
    };
    struct scene s;
    char id[STORE_KEY_SIZE];
    scene_set(&s, "games");
    s.number = 1;
    assert_int_equal(scene_submit(&s), D7_OK);
    assert_int_equal(scene_claim(&s), D7_OK);
    assert_int_equal(scene_pass(&s), D7_OK);
    assert_int_equal(scene_claim(&s), D7_OK);
    assert_int_equal(stores_finish(s.st, &s.job, OUTCOME_OVER, 10, id), D7_OK);
    for (size_t i = 0; i < D7_COUNT(damages); i++) {
        struct game_row g = {0};
        begin(s.st);
        damage(s.st, damages[i]);
        enum d7_err err = game_get(s.st, id, &g);
        assert_int_equal(scene_list(&s), D7_ERR_CORRUPT);
        undo(s.st);
        if (err != D7_ERR_CORRUPT) {
            fail_msg("%s: %s", damages[i], d7_err_text(err));
        }
    }
    store_close(s.st);
}

static void a_damaged_play_is_not_played_on(void **state)
{
    (void)state;
    static const char *const damages[] = {
        "UPDATE play SET think = x'010203'",
        "UPDATE play SET status = 'paused'",
    };
    struct scene s;
    scene_set(&s, "plays");
    s.number = 1;
    assert_int_equal(scene_sit_down(&s), D7_OK);
    for (size_t i = 0; i < D7_COUNT(damages); i++) {
        begin(s.st);
        damage(s.st, damages[i]);
        assert_int_equal(scene_move(&s), D7_ERR_CORRUPT);
        undo(s.st);
    }
    store_close(s.st);
}

static void a_difference_is_named(void **state)
{
    (void)state;
    const struct game_row game = {.outcome = OUTCOME_OVER,
                                  .summary = {.score = 5,
                                              .moves = 2,
                                              .max_chain = 1,
                                              .discs_cleared = 3,
                                              .covered_revealed = 4,
                                              .over = true,
                                              .checksum = "0123456789abcdef"}};
    struct summary again = game.summary;
    assert_null(game_difference(&game, &again));
#define DIFFERS(field, value, name)                                                                \
    again = game.summary;                                                                          \
    again.field = value;                                                                           \
    assert_string_equal(game_difference(&game, &again), name)
    DIFFERS(score, 6, "score");
    DIFFERS(checksum[0], 'f', "checksum");
    DIFFERS(moves, 3, "moves");
    DIFFERS(max_chain, 2, "maxChain");
    DIFFERS(discs_cleared, 4, "discsCleared");
    DIFFERS(covered_revealed, 5, "coveredRevealed");
    DIFFERS(censored, true, "censored");
    DIFFERS(over, false, "outcome");
#undef DIFFERS
    struct game_row other = game;
    other.outcome = OUTCOME_FORFEIT;
    again = game.summary;
    assert_string_equal(game_difference(&other, &again), "outcome");
    again.over = false;
    assert_null(game_difference(&other, &again));
    other.outcome = OUTCOME_CENSORED;
    assert_string_equal(game_difference(&other, &again), "outcome"); /* neither over nor cut off */
}

static void faults_are_a_list_of_moves_and_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum d7_err err;
    } all[] = {
        {"[]", D7_OK},
        {"[{\"move\":3,\"kind\":\"timeout\"},{\"move\":0,\"kind\":\"crash\"}]", D7_OK},
        {"{}", D7_ERR_CORRUPT},
        {"[", D7_ERR_CORRUPT},
        {"", D7_ERR_CORRUPT},
        {"[1]", D7_ERR_CORRUPT},
        {"[{\"move\":-1,\"kind\":\"timeout\"}]", D7_ERR_CORRUPT},
        {"[{\"move\":10001,\"kind\":\"timeout\"}]", D7_ERR_CORRUPT},
        {"[{\"move\":\"3\",\"kind\":\"timeout\"}]", D7_ERR_CORRUPT},
        {"[{\"move\":3,\"kind\":\"\"}]", D7_ERR_CORRUPT},
        {"[{\"move\":3,\"kind\":7}]", D7_ERR_CORRUPT},
        {"[{\"move\":3}]", D7_ERR_CORRUPT},
    };
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        struct jval *list = NULL;
        struct d7_why why = {0};
        assert_int_equal(game_faults(all[i].text, &list, &why), all[i].err);
        assert_int_equal(list != NULL, all[i].err == D7_OK);
        assert_int_equal(why.text[0] != '\0', all[i].err != D7_OK);
        jval_free(list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_round_is_not_played),
        cmocka_unit_test(a_round_is_added_again_only_as_it_is),
        cmocka_unit_test(a_damaged_game_is_told),
        cmocka_unit_test(a_damaged_play_is_not_played_on),
        cmocka_unit_test(a_difference_is_named),
        cmocka_unit_test(faults_are_a_list_of_moves_and_kinds),
    };
    int failed = cmocka_run_group_tests_name("unit/store/damage", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
