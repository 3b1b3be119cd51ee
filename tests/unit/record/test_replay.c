/*
 * test_replay.c - frames, filmstrip, summary and refusals of a replay.
 */
#include "tests/support/support.h"

#include "engine/base/json.h"
#include "engine/record/replay.h"

#define STRIP_GAMES 24 /* of games.jsonl, from its start */

static uint64_t bit(unsigned index)
{
    return (uint64_t)1 << index;
}

/* --- the filmstrip -------------------------------------------------------------------------- */

struct strip_check {
    struct board board; /* after the step before */
    int64_t score;
    unsigned frames;
    unsigned kinds[5];
};

static unsigned run_through(const struct board *b, int index, int step, int lo, int hi)
{
    unsigned n = 1;
    for (int i = index - step; i >= lo && board_cell(b, (unsigned)i); i -= step) {
        n++;
    }
    for (int i = index + step; i <= hi && board_cell(b, (unsigned)i); i += step) {
        n++;
    }
    return n;
}

static uint64_t matches_of(const struct board *b)
{
    uint64_t mask = 0;
    for (int i = 0; i < BOARD_CELLS; i++) {
        unsigned cell = board_cell(b, (unsigned)i);
        int row = i / 7;
        if (cell >= 1 && cell <= 7 &&
            (run_through(b, i, 1, 7 * row, 7 * row + 6) == cell ||
             run_through(b, i, 7, 0, BOARD_CELLS - 1) == cell)) {
            mask |= bit((unsigned)i);
        }
    }
    return mask;
}

/* Cells where the two boards differ. */
static uint64_t changed(const struct board *a, const struct board *b)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        mask |= board_cell(a, i) != board_cell(b, i) ? bit(i) : 0;
    }
    return mask;
}

static void check_drop(const struct board *before, const struct turn_step *s, unsigned column,
                       unsigned disc)
{
    unsigned index = (unsigned)__builtin_ctzll(s->cells);
    assert_int_equal(s->cells, bit(index));
    assert_int_equal(index % 7, column);
    assert_int_equal(changed(before, &s->board), s->cells);
    assert_int_equal(board_cell(&s->board, index), disc);
    assert_true(index / 7 == 6 || board_cell(before, index + 7) != 0);
}

static void check_burst(const struct board *before, const struct turn_step *s)
{
    assert_int_equal(s->cells, matches_of(before));
    assert_int_equal(changed(before, &s->board), s->cells);
    for (uint64_t left = s->cells; left; left &= left - 1) {
        assert_int_equal(board_cell(&s->board, (unsigned)__builtin_ctzll(left)), CELL_EMPTY);
    }
    assert_int_equal(s->points_each, turn_wave_points(s->wave));
}

static void check_impact(const struct board *before, const struct turn_step *s)
{
    assert_int_not_equal(s->cells, 0);
    assert_int_equal(s->cracked & s->revealed, 0);
    assert_int_equal(s->cells, s->cracked | s->revealed);
    assert_int_equal(changed(before, &s->board), s->cells);
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        unsigned was = board_cell(before, i);
        unsigned is = board_cell(&s->board, i);
        if (s->cracked & bit(i)) {
            assert_int_equal(was, CELL_SOLID);
            assert_int_equal(is, CELL_CRACKED);
        }
        if (s->revealed & bit(i)) {
            assert_true(was == CELL_SOLID || was == CELL_CRACKED);
            assert_true(is >= 1 && is <= 7);
        }
    }
}

static void check_settle(const struct board *before, const struct turn_step *s)
{
    uint64_t came_to_rest = 0;
    for (unsigned c = 0; c < 7; c++) {
        unsigned to = 7;
        for (unsigned row = 7; row-- > 0;) {
            unsigned cell = board_cell(before, 7 * row + c);
            if (cell) {
                to--;
                assert_int_equal(board_cell(&s->board, 7 * to + c), cell);
                came_to_rest |= to != row ? bit(7 * to + c) : 0;
            }
        }
        while (to-- > 0) {
            assert_int_equal(board_cell(&s->board, 7 * to + c), CELL_EMPTY);
        }
    }
    assert_int_equal(s->cells, came_to_rest);
    assert_int_not_equal(s->cells, 0);
}

static void check_rise(const struct board *before, const struct turn_step *s)
{
    assert_int_equal(s->cells, (uint64_t)127 << 42);
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        assert_int_equal(board_cell(&s->board, i), i < 42 ? board_cell(before, i + 7) : CELL_SOLID);
    }
}

/* Floating cells are allowed between a burst and its settle only. */
static bool floats(const struct board *b)
{
    char text[BOARD_TEXT_SIZE];
    struct board again;
    board_format(b, text);
    return board_parse(text, BOARD_CELLS, &again) == BOARD_FLOATING;
}

static enum d7_err check_frame(void *ctx, const struct frame *f)
{
    struct strip_check *check = ctx;
    char text[BOARD_TEXT_SIZE];
    int64_t points = 0;
    uint32_t wave = 0;
    bool rose = false;
    assert_true(f->step_count >= 1);
    for (size_t i = 0; i < f->step_count; i++) {
        const struct turn_step *s = &f->steps[i];
        const struct board *before = &check->board;
        assert_int_equal(s->kind == STEP_DROP, i == 0);
        if (s->kind == STEP_BURST || s->kind == STEP_RISE) {
            assert_false(floats(before)); /* a settle was left out wrongly */
        }
        switch (s->kind) {
        case STEP_DROP:
            check_drop(before, s, f->column, f->disc);
            break;
        case STEP_BURST:
            wave++;
            check_burst(before, s);
            points += (int64_t)s->points_each * __builtin_popcountll(s->cells);
            break;
        case STEP_IMPACT:
            check_impact(before, s);
            break;
        case STEP_SETTLE:
            check_settle(before, s);
            break;
        case STEP_RISE:
            assert_false(rose);
            rose = true;
            check_rise(before, s);
            points += TURN_RISE_BONUS;
            break;
        default:
            fail_msg("kind %d", (int)s->kind);
        }
        bool in_wave = s->kind != STEP_DROP && s->kind != STEP_RISE;
        assert_int_equal(s->wave, in_wave ? wave : 0);
        check->kinds[s->kind]++;
        check->board = s->board;
    }
    assert_int_equal(matches_of(&check->board), 0);
    board_format(&check->board, text);
    assert_string_equal(text, f->board);
    assert_int_equal((f->score_delta - points) % TURN_CLEAR_BONUS, 0);
    assert_int_equal(wave, f->chain_depth);
    assert_int_equal(rose, f->level_advanced);
    check->score += f->score_delta;
    assert_int_equal(check->score, f->score);
    assert_int_equal(f->move, ++check->frames);
    return D7_OK;
}

struct strip_run {
    unsigned games;
    unsigned kinds[5];
};

static bool check_game(void *ctx, struct span line)
{
    struct strip_run *run = ctx;
    struct jval *v = NULL;
    struct roundfile *round = NULL;
    struct span digits;
    struct span id;
    struct span want;
    assert_int_equal(jval_parse(line, &v, NULL), D7_OK);
    assert_true(jval_text(jval_get(v, "round"), &id));
    assert_true(jval_text(jval_get(v, "columns"), &digits));
    assert_true(jval_text(jval_get(v, "checksum"), &want));
    assert_int_equal(roundfile_by_id(id, &round), D7_OK);
    uint8_t columns[ROUND_GAUNTLET_MOVES];
    for (size_t i = 0; i < digits.len; i++) {
        columns[i] = (uint8_t)(digits.ptr[i] - '0');
    }
    struct strip_check check = {.board = board_opening()};
    const struct replay_watch watch = {check_frame, &check, true, 0};
    struct summary s;
    assert_int_equal(replay_run(&round->round, columns, digits.len, &watch, &s, NULL), D7_OK);
    assert_true(span_is(want, s.checksum)); /* watching changes nothing */
    assert_int_equal(check.frames, digits.len);
    for (size_t k = 0; k < D7_COUNT(run->kinds); k++) {
        run->kinds[k] += check.kinds[k];
    }
    roundfile_free(round);
    jval_free(v);
    return ++run->games < STRIP_GAMES;
}

static void the_steps_of_a_turn_lead_from_board_to_board(void **state)
{
    (void)state;
    struct strip_run run = {0};
    support_vector_lines("games.jsonl", check_game, &run);
    assert_int_equal(run.games, STRIP_GAMES);
    for (size_t k = 0; k < D7_COUNT(run.kinds); k++) {
        assert_true(run.kinds[k] > 20);
    }
}

/* --- JSON ----------------------------------------------------------------------------------- */

static enum d7_err write_frame(void *ctx, const struct frame *f)
{
    frame_write(ctx, f);
    return D7_OK;
}

/* The frames of a game on seed 0x5eed0001, as one JSON array. */
static char *frames_of(uint32_t moves, const uint8_t *columns, size_t count, bool steps)
{
    struct roundfile *round = NULL;
    struct buf text;
    struct jout j;
    struct summary s;
    assert_int_equal(roundfile_generate(0x5eed0001u, moves, NULL, NULL, &round, NULL), D7_OK);
    buf_init(&text, 1 << 20);
    jout_init(&j, &text);
    jout_array(&j);
    const struct replay_watch watch = {write_frame, &j, steps, 0};
    assert_int_equal(replay_run(&round->round, columns, count, &watch, &s, NULL), D7_OK);
    jout_array_end(&j);
    assert_int_equal(text.err, D7_OK);
    roundfile_free(round);
    return buf_steal(&text);
}

#define EMPTY_TO_ROW_5 "000000000000000000000000000000000000000"

static void a_frame_with_steps_is_the_object_of_the_contract(void **state)
{
    (void)state;
    const uint8_t columns[] = {4};
    char *got = frames_of(2000, columns, 1, true);
    assert_string_equal(
        got, "[{\"move\":1,\"disc\":2,\"column\":4,\"scoreDelta\":7,\"score\":7,"
             "\"board\":\"0000000000000000000000000000000000000000008888988\",\"nextDisc\":6,"
             "\"movesRemaining\":4,\"chainDepth\":1,\"cleared\":1,\"revealed\":0,"
             "\"levelAdvanced\":false,\"steps\":["
             "{\"kind\":\"drop\",\"wave\":null,\"cells\":[39],"
             "\"board\":\"" EMPTY_TO_ROW_5 "2008888888\"},"
             "{\"kind\":\"burst\",\"wave\":1,\"cells\":[39],\"points\":[7],"
             "\"board\":\"" EMPTY_TO_ROW_5 "0008888888\"},"
             "{\"kind\":\"impact\",\"wave\":1,\"cells\":[46],\"cracked\":[46],\"revealed\":[],"
             "\"board\":\"" EMPTY_TO_ROW_5 "0008888988\"}]}]");
    free(got);
}

static void a_frame_has_no_steps_unless_asked_and_no_disc_after_the_end(void **state)
{
    (void)state;
    const uint8_t columns[] = {4};
    char *got = frames_of(1, columns, 1, false);
    assert_string_equal(
        got, "[{\"move\":1,\"disc\":2,\"column\":4,\"scoreDelta\":7,\"score\":7,"
             "\"board\":\"0000000000000000000000000000000000000000008888988\",\"nextDisc\":null,"
             "\"movesRemaining\":4,\"chainDepth\":1,\"cleared\":1,\"revealed\":0,"
             "\"levelAdvanced\":false}]");
    free(got);
}

static void assert_keys(const struct jval *step, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_non_null(jval_get(step, keys[i]));
    }
    const char *known[9] = {NULL};
    memcpy(known, keys, count * sizeof(*keys));
    assert_null(jval_unknown_key(step, known));
}

static void points_and_hit_lists_are_on_their_own_kinds_only(void **state)
{
    (void)state;
    static const char *const plain[] = {"kind", "wave", "cells", "board"};
    static const char *const burst[] = {"kind", "wave", "cells", "board", "points"};
    static const char *const impact[] = {"kind", "wave", "cells", "board", "cracked", "revealed"};
    static const char moves[] = "403661452633021130252102452144";
    uint8_t columns[sizeof(moves) - 1];
    for (size_t i = 0; i < sizeof(columns); i++) {
        columns[i] = (uint8_t)(moves[i] - '0');
    }
    char *text = frames_of(2000, columns, sizeof(columns), true);
    struct jval *frames = NULL;
    unsigned bursts = 0;
    unsigned settles = 0;
    assert_int_equal(jval_parse(span_of(text), &frames, NULL), D7_OK);
    assert_int_equal(jval_length(frames), sizeof(columns));
    for (size_t m = 0; m < jval_length(frames); m++) {
        const struct jval *steps = jval_get(jval_at(frames, m), "steps");
        for (size_t i = 0; i < jval_length(steps); i++) {
            const struct jval *step = jval_at(steps, i);
            const struct jval *wave = jval_get(step, "wave");
            struct span kind;
            assert_true(jval_text(jval_get(step, "kind"), &kind));
            bool unnumbered = span_is(kind, "drop") || span_is(kind, "rise");
            assert_int_equal(jval_kind_of(wave), unnumbered ? JVAL_NULL : JVAL_INTEGER);
            if (span_is(kind, "burst")) {
                assert_keys(step, burst, D7_COUNT(burst));
                assert_int_equal(jval_length(jval_get(step, "points")),
                                 jval_length(jval_get(step, "cells")));
                bursts++;
            } else if (span_is(kind, "impact")) {
                assert_keys(step, impact, D7_COUNT(impact));
            } else {
                assert_keys(step, plain, D7_COUNT(plain));
                settles += span_is(kind, "settle");
            }
        }
    }
    assert_true(bursts > 10 && settles > 0);
    jval_free(frames);
    free(text);
}

static void a_summary_has_its_keys(void **state)
{
    (void)state;
    struct summary s = {.score = 85715,
                        .moves = 30,
                        .max_chain = 3,
                        .discs_cleared = 31,
                        .covered_revealed = 11,
                        .over = true,
                        .checksum = "0988c11f6bad668c"};
    struct buf text;
    struct jout j;
    buf_init(&text, 4096);
    jout_init(&j, &text);
    jout_object(&j);
    summary_write(&j, &s);
    jout_object_end(&j);
    assert_int_equal(text.err, D7_OK);
    assert_string_equal(text.data,
                        "{\"score\":85715,\"moves\":30,\"censored\":false,\"maxChain\":3,"
                        "\"discsCleared\":31,\"coveredRevealed\":11,"
                        "\"checksum\":\"0988c11f6bad668c\"}");
    buf_release(&text);
}

/* --- refusals and ends ---------------------------------------------------------------------- */

static enum d7_err replay_seed(uint32_t moves, const uint8_t *columns, size_t count,
                               struct summary *ret, struct d7_why *why)
{
    struct roundfile *round = NULL;
    assert_int_equal(roundfile_generate(0x5eed0001u, moves, NULL, NULL, &round, NULL), D7_OK);
    enum d7_err err = replay_run(&round->round, columns, count, NULL, ret, why);
    roundfile_free(round);
    return err;
}

static void an_illegal_column_is_named_with_its_move(void **state)
{
    (void)state;
    struct summary s = {.moves = 77};
    struct d7_why why = {0};
    const uint8_t outside[] = {4, 0, 7};
    assert_int_equal(replay_seed(2000, outside, 3, &s, &why), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "move 3:"));
    assert_non_null(strstr(why.text, "column 7"));
    assert_string_equal(why.field, "columns");
    /* one column fills up long before 40 moves */
    uint8_t same[40] = {0};
    assert_int_equal(replay_seed(2000, same, sizeof(same), &s, &why), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "column 0 is full"));
    struct span rest = span_of(why.text);
    (void)span_token(&rest);
    struct span number = span_trim(span_cut(&rest, ':'));
    int64_t value = 0;
    assert_int_equal(span_parse_i64(number, 1, 40, &value), D7_OK);
    assert_int_equal(replay_seed(2000, same, (size_t)value - 1, &s, &why), D7_OK);
    assert_int_equal(s.moves, value - 1);
}

static void columns_after_the_end_are_refused(void **state)
{
    (void)state;
    struct summary s;
    struct d7_why why = {0};
    const uint8_t columns[] = {0, 1, 2, 3};
    assert_int_equal(replay_seed(3, columns, 3, &s, &why), D7_OK);
    assert_true(s.censored && !s.over);
    assert_int_equal(replay_seed(3, columns, 4, &s, &why), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "move 4:"));
    assert_non_null(strstr(why.text, "ended with move 3"));
    /* the first published game ends by the rules with its last column */
    static const char moves[] = "4036614526330211302521024521440";
    uint8_t game[sizeof(moves) - 1];
    for (size_t i = 0; i < sizeof(game); i++) {
        game[i] = (uint8_t)(moves[i] - '0');
    }
    assert_int_equal(replay_seed(2000, game, 30, &s, &why), D7_OK);
    assert_true(s.over && !s.censored);
    assert_int_equal(s.score, 85715);
    assert_int_equal(replay_seed(2000, game, 31, &s, &why), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "move 31:"));
}

static void columns_that_stop_early_are_neither_over_nor_censored(void **state)
{
    (void)state;
    struct summary s;
    const uint8_t columns[] = {4, 0};
    assert_int_equal(replay_seed(2000, columns, 2, &s, NULL), D7_OK);
    assert_true(!s.over && !s.censored);
    assert_int_equal(s.moves, 2);
    assert_int_equal(replay_seed(2000, columns, 0, &s, NULL), D7_OK);
    assert_int_equal(s.moves, 0);
    assert_string_equal(s.checksum, "e3b0c44298fc1c14"); /* of nothing */
}

static enum d7_err stop_at_two(void *ctx, const struct frame *f)
{
    ++*(unsigned *)ctx;
    return f->move == 2 ? D7_ERR_CANCELLED : D7_OK;
}

static void an_error_of_the_watcher_stops_the_replay(void **state)
{
    (void)state;
    struct roundfile *round = NULL;
    struct summary s = {.moves = 77};
    unsigned calls = 0;
    const uint8_t columns[] = {4, 0, 1};
    const struct replay_watch watch = {stop_at_two, &calls, true, 0};
    assert_int_equal(roundfile_gauntlet(1, &round), D7_OK);
    assert_int_equal(replay_run(&round->round, columns, 3, &watch, &s, NULL), D7_ERR_CANCELLED);
    assert_int_equal(calls, 2);
    assert_int_equal(s.moves, 77);
    roundfile_free(round);
}

struct seen {
    unsigned calls, first;
    size_t steps;
};

static enum d7_err note(void *ctx, const struct frame *f)
{
    struct seen *seen = ctx;
    seen->first = seen->calls++ ? seen->first : f->move;
    seen->steps += f->step_count;
    return D7_OK;
}

static void frames_before_the_wanted_one_are_played_but_not_shown(void **state)
{
    (void)state;
    struct roundfile *round = NULL;
    struct summary all;
    struct summary some;
    struct seen seen = {0, 0, 0};
    const uint8_t columns[] = {4, 0, 1};
    const struct replay_watch watch = {note, &seen, true, 3};
    assert_int_equal(roundfile_gauntlet(1, &round), D7_OK);
    assert_int_equal(replay_run(&round->round, columns, 3, NULL, &all, NULL), D7_OK);
    assert_int_equal(replay_run(&round->round, columns, 3, &watch, &some, NULL), D7_OK);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.first, 3);
    assert_true(seen.steps > 0);
    assert_string_equal(some.checksum, all.checksum);
    roundfile_free(round);
}

static void outcomes_have_names_both_ways(void **state)
{
    (void)state;
    static const enum outcome all[] = {OUTCOME_OVER, OUTCOME_CENSORED, OUTCOME_FORFEIT};
    static const char *const names[] = {"over", "censored", "forfeit"};
    enum outcome o;
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        assert_string_equal(outcome_text(all[i]), names[i]);
        assert_true(outcome_parse(span_of(names[i]), &o));
        assert_int_equal(o, all[i]);
    }
    assert_false(outcome_parse(span_of("Over"), &o));
    assert_false(outcome_parse(span_of(""), &o));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steps_of_a_turn_lead_from_board_to_board),
        cmocka_unit_test(a_frame_with_steps_is_the_object_of_the_contract),
        cmocka_unit_test(a_frame_has_no_steps_unless_asked_and_no_disc_after_the_end),
        cmocka_unit_test(points_and_hit_lists_are_on_their_own_kinds_only),
        cmocka_unit_test(a_summary_has_its_keys),
        cmocka_unit_test(an_illegal_column_is_named_with_its_move),
        cmocka_unit_test(columns_after_the_end_are_refused),
        cmocka_unit_test(columns_that_stop_early_are_neither_over_nor_censored),
        cmocka_unit_test(an_error_of_the_watcher_stops_the_replay),
        cmocka_unit_test(frames_before_the_wanted_one_are_played_but_not_shown),
        cmocka_unit_test(outcomes_have_names_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
