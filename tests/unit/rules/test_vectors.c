/*
 * test_vectors.c - every published game and turn comes out exactly.
 */
#include "tests/support/support.h"

#include "engine/base/json.h"
#include "engine/record/replay.h"

static const struct jval *field(const struct jval *line, const char *key)
{
    const struct jval *v = jval_get(line, key);
    if (!v) {
        fail_msg("the vector has no field %s", key);
    }
    return v;
}

static int64_t integer(const struct jval *line, const char *key)
{
    int64_t value = 0;
    assert_true(jval_integer(field(line, key), &value));
    return value;
}

static bool boolean(const struct jval *line, const char *key)
{
    bool value = false;
    assert_true(jval_bool(field(line, key), &value));
    return value;
}

static struct span text(const struct jval *line, const char *key)
{
    struct span value = {NULL, 0};
    assert_true(jval_text(field(line, key), &value));
    return value;
}

static void same_text(struct span want, const char *got)
{
    if (!span_is(want, got)) {
        fail_msg("expected %.*s, got %s", (int)want.len, want.ptr, got);
    }
}

static struct jval *parse(struct span line)
{
    struct jval *root = NULL;
    struct d7_why why = {0};
    assert_int_equal(jval_parse(line, &root, &why), D7_OK);
    return root;
}

static bool play_game(void *ctx, struct span line)
{
    struct jval *v = parse(line);
    int64_t moves = ROUND_GAUNTLET_MOVES;
    if (jval_get(v, "maximumMoves")) {
        moves = integer(v, "maximumMoves");
    }
    uint32_t seed = 0;
    assert_int_equal(span_parse_seed(text(v, "seed"), &seed), D7_OK);
    struct roundfile *round = NULL;
    assert_int_equal(roundfile_generate(seed, (uint32_t)moves, NULL, NULL, &round, NULL), D7_OK);
    struct span digits = text(v, "columns");
    uint8_t columns[ROUND_GAUNTLET_MOVES];
    assert_true(digits.len <= sizeof(columns));
    for (size_t i = 0; i < digits.len; i++) {
        columns[i] = (uint8_t)(digits.ptr[i] - '0');
    }
    struct summary s;
    struct d7_why why = {0};
    if (replay_run(&round->round, columns, digits.len, NULL, &s, &why)) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(s.score, integer(v, "score"));
    assert_int_equal(s.moves, integer(v, "moves"));
    assert_int_equal(s.max_chain, integer(v, "maxChain"));
    assert_int_equal(s.discs_cleared, integer(v, "discsCleared"));
    assert_int_equal(s.covered_revealed, integer(v, "coveredRevealed"));
    assert_int_equal(s.censored, boolean(v, "censored"));
    assert_int_equal(s.over, !s.censored);
    same_text(text(v, "checksum"), s.checksum);
    roundfile_free(round);
    jval_free(v);
    ++*(unsigned *)ctx;
    return true;
}

static void every_published_game_has_its_summary_and_checksum(void **state)
{
    (void)state;
    unsigned count = 0;
    support_vector_lines("games.jsonl", play_game, &count);
    assert_true(count >= 107);
}

static bool play_turn(void *ctx, struct span line)
{
    struct jval *v = parse(line);
    struct board b;
    struct board hidden = {{0}};
    uint8_t row[BOARD_COLUMNS];
    char out[BOARD_TEXT_SIZE];
    struct span cells = text(v, "board");
    struct span latent = text(v, "latent");
    assert_int_equal(board_parse(cells.ptr, cells.len, &b), BOARD_FINE);
    assert_int_equal(latent.len, BOARD_CELLS);
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        hidden.col[i % 7] = hidden.col[i % 7] << 4 | (uint32_t)(latent.ptr[i] - '0');
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        int64_t disc = 0;
        assert_true(jval_integer(jval_at(field(v, "row"), c), &disc));
        row[c] = (uint8_t)disc;
    }
    uint8_t rise = (uint8_t)integer(v, "rise");
    struct turn turn;
    turn_hidden(&b, &hidden, (unsigned)integer(v, "column"), (unsigned)integer(v, "next"), &rise,
                row, NULL, &turn);
    board_format(&b, out);
    same_text(text(v, "after"), out);
    board_format(&hidden, out);
    same_text(text(v, "latentAfter"), out);
    assert_int_equal(rise, integer(v, "riseAfter"));
    assert_int_equal(turn.points, integer(v, "scoreDelta"));
    assert_int_equal(turn.waves, integer(v, "waves"));
    assert_int_equal(turn.cleared, integer(v, "cleared"));
    assert_int_equal(turn.revealed, integer(v, "revealed"));
    assert_int_equal(turn.rose, boolean(v, "rose"));
    assert_int_equal(turn.over, boolean(v, "over"));
    jval_free(v);
    ++*(unsigned *)ctx;
    return true;
}

static void every_published_turn_comes_out_in_all_fields(void **state)
{
    (void)state;
    unsigned count = 0;
    support_vector_lines("moves.jsonl", play_turn, &count);
    assert_true(count >= 225);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_published_game_has_its_summary_and_checksum),
        cmocka_unit_test(every_published_turn_comes_out_in_all_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
