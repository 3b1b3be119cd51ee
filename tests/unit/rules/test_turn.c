/*
 * test_turn.c - turns against the cell-by-cell reference, and what every game keeps true.
 */
#include "tests/support/support.h"

#include "engine/rules/round.h"
#include "engine/rules/wave.h"
#include "tests/unit/rules/reference.h"

#define RANDOM_TURNS 6000
#define RANDOM_GAMES 400

/* A legal column of the board, or -1. */
static int pick_column(struct rng *rng, const struct board *b)
{
    unsigned legal = board_legal(b);
    if (!legal) {
        return -1;
    }
    for (;;) {
        unsigned c = rng_below(rng, 7);
        if (legal >> c & 1) {
            return (int)c;
        }
    }
}

static void assert_same(const struct ref_board *want_board, const struct ref_turn *want,
                        const struct board *b, const struct board *hidden, const struct turn *t)
{
    struct board cells;
    struct board under;
    ref_pack(want_board, &cells, &under);
    assert_memory_equal(&cells, b, sizeof(cells));
    if (hidden) {
        assert_memory_equal(&under, hidden, sizeof(under));
    }
    assert_int_equal(want->points, t->points);
    assert_int_equal(want->waves, t->waves);
    assert_int_equal(want->cleared, t->cleared);
    assert_int_equal(want->revealed, t->revealed);
    assert_int_equal(want->cracks, t->cracks);
    assert_int_equal(want->rose, t->rose);
    assert_int_equal(want->over, t->over);
}

static void turns_on_boards_from_outside_equal_the_reference(void **state)
{
    (void)state;
    struct rng rng = {2024};
    unsigned deepest = 0;
    for (int i = 0; i < RANDOM_TURNS; i++) {
        struct ref_board ref;
        struct board b;
        struct board hidden;
        ref_random(&rng, &ref);
        ref_pack(&ref, &b, &hidden);
        int column = pick_column(&rng, &b);
        if (column < 0) {
            continue;
        }
        uint8_t row[7];
        for (unsigned c = 0; c < 7; c++) {
            row[c] = rng_disc(&rng);
        }
        uint8_t rise = (uint8_t)(1 + rng_below(&rng, 5));
        uint8_t disc = rng_disc(&rng);
        struct ref_turn want;
        struct turn got;
        ref_play(&ref, column, disc, rise, row, NULL, NULL, &want);
        turn_hidden(&b, &hidden, (unsigned)column, disc, &rise, row, NULL, &got);
        assert_same(&ref, &want, &b, &hidden, &got);
        assert_int_equal(want.rise, rise);
        deepest = want.waves > deepest ? want.waves : deepest;
    }
    assert_true(deepest >= 5); /* or the boards were too tame to show anything */
}

/* Answers with a fixed sequence and remembers which cells were asked for. */
struct asked {
    struct rng rng;
    unsigned count;
    unsigned index[64];
};

static unsigned answer(void *ctx, unsigned index)
{
    struct asked *a = ctx;
    assert_true(a->count < D7_COUNT(a->index));
    a->index[a->count++] = index;
    return rng_disc(&a->rng);
}

static void sampled_turns_ask_for_the_same_cells_in_the_same_order(void **state)
{
    (void)state;
    struct rng rng = {77};
    unsigned most = 0;
    for (int i = 0; i < RANDOM_TURNS; i++) {
        struct ref_board ref;
        struct board b;
        struct board unused;
        ref_random(&rng, &ref);
        ref_pack(&ref, &b, &unused);
        int column = pick_column(&rng, &b);
        if (column < 0) {
            continue;
        }
        uint8_t rise = (uint8_t)(1 + rng_below(&rng, 5));
        uint8_t disc = rng_disc(&rng);
        struct asked ours = {.rng = {(uint32_t)i}};
        struct asked theirs = {.rng = {(uint32_t)i}};
        struct ref_turn want;
        struct turn got;
        ref_play(&ref, column, disc, rise, NULL, answer, &theirs, &want);
        turn_sampled(&b, (unsigned)column, disc, &rise, answer, &ours, NULL, &got);
        assert_same(&ref, &want, &b, NULL, &got);
        assert_int_equal(ours.count, theirs.count);
        assert_memory_equal(ours.index, theirs.index, sizeof(ours.index));
        most = ours.count > most ? ours.count : most;
    }
    assert_true(most >= 8);
}

struct seen {
    unsigned drops, bursts, impacts, settles, rises;
    uint64_t burst_cells; /* of them all, counted */
};

static void see(void *ctx, const struct turn_step *step)
{
    struct seen *s = ctx;
    s->drops += step->kind == STEP_DROP;
    s->bursts += step->kind == STEP_BURST;
    s->impacts += step->kind == STEP_IMPACT;
    s->settles += step->kind == STEP_SETTLE;
    s->rises += step->kind == STEP_RISE;
    s->burst_cells += step->kind == STEP_BURST ? (uint64_t)__builtin_popcountll(step->cells) : 0;
}

static void assert_equal_turns(const struct turn *a, const struct turn *b) /* they have padding */
{
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->waves, b->waves);
    assert_int_equal(a->cleared, b->cleared);
    assert_int_equal(a->revealed, b->revealed);
    assert_int_equal(a->cracks, b->cracks);
    assert_int_equal(a->rose, b->rose);
    assert_int_equal(a->over, b->over);
}

static void assert_seen(const struct seen *s, const struct turn *t)
{
    assert_int_equal(s->drops, 1);
    assert_int_equal(s->bursts, t->waves);
    assert_true(s->settles <= t->waves); /* without those in which nothing moved */
    assert_true(s->impacts <= t->waves);
    assert_int_equal(s->rises, t->rose);
    assert_int_equal(s->burst_cells, t->cleared);
}

static void a_watched_turn_is_the_same_turn(void **state)
{
    (void)state;
    struct rng rng = {606};
    for (int i = 0; i < RANDOM_TURNS; i++) {
        struct ref_board ref;
        struct board b, under;
        ref_random(&rng, &ref);
        ref_pack(&ref, &b, &under);
        int column = pick_column(&rng, &b);
        if (column < 0) {
            continue;
        }
        uint8_t row[7];
        for (unsigned c = 0; c < 7; c++) {
            row[c] = rng_disc(&rng);
        }
        const uint8_t rise = (uint8_t)(1 + rng_below(&rng, 5));
        const uint8_t disc = rng_disc(&rng);
        struct board watched = b, watched_under = under, sampled = b, watched_sampled = b;
        uint8_t left[4] = {rise, rise, rise, rise};
        struct asked ours = {.rng = {(uint32_t)i}}, theirs = {.rng = {(uint32_t)i}};
        struct seen seen = {0}, seen_sampled = {0};
        const struct turn_watch watch = {see, &seen}, watch_sampled = {see, &seen_sampled};
        struct turn turn[4];
        unsigned at = (unsigned)column;
        turn_hidden(&b, &under, at, disc, &left[0], row, NULL, &turn[0]);
        turn_hidden(&watched, &watched_under, at, disc, &left[1], row, &watch, &turn[1]);
        turn_sampled(&sampled, at, disc, &left[2], answer, &ours, NULL, &turn[2]);
        turn_sampled(&watched_sampled, at, disc, &left[3], answer, &theirs, &watch_sampled,
                     &turn[3]);
        assert_memory_equal(&b, &watched, sizeof(b));
        assert_memory_equal(&under, &watched_under, sizeof(under));
        assert_equal_turns(&turn[0], &turn[1]);
        assert_memory_equal(&sampled, &watched_sampled, sizeof(b));
        assert_equal_turns(&turn[2], &turn[3]);
        assert_true(left[0] == left[1] && left[2] == left[3]);
        assert_seen(&seen, &turn[1]);
        assert_seen(&seen_sampled, &turn[3]);
    }
}

static void matches_of_a_whole_board_equal_the_reference(void **state)
{
    (void)state;
    struct rng rng = {5};
    for (int i = 0; i < RANDOM_TURNS; i++) {
        struct ref_board ref;
        struct board b;
        struct board unused;
        bool hit[7][7];
        ref_random(&rng, &ref);
        ref_pack(&ref, &b, &unused);
        unsigned count = ref_matches(&ref, hit);
        struct cells got = wave_matches(cells_load(&b));
        assert_int_equal(cells_count(got), count);
        assert_int_equal(cells_any(got), count > 0);
        uint64_t rows = cells_rows(got);
        unsigned last = 0;
        for (; rows; rows &= rows - 1, count--) {
            unsigned index = cells_index((unsigned)__builtin_ctzll(rows));
            assert_true(index < BOARD_CELLS);
            assert_true(hit[index / 7][index % 7]);
            assert_true(index >= last);
            last = index;
        }
        assert_int_equal(count, 0);
    }
}

static void run_lengths_of_every_row_pattern_are_right(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 128; mask++) {
        for (unsigned c = 0; c < 8; c++) {
            unsigned n = 15;
            if (c < 7 && mask >> c & 1) {
                n = 1;
                for (unsigned k = c; k-- > 0 && mask >> k & 1;) {
                    n++;
                }
                for (unsigned k = c + 1; k < 7 && mask >> k & 1; k++) {
                    n++;
                }
            }
            assert_int_equal(wave_runs[mask][c], n);
        }
    }
}

/* No floating cell, nothing matches, and a number lies exactly under the gray cells. */
static void assert_settled(const struct game *g)
{
    for (unsigned c = 0; c < 7; c++) {
        for (unsigned k = 0; k < 7; k++) {
            unsigned cell = g->board.col[c] >> (4 * k) & 15;
            unsigned under = g->hidden.col[c] >> (4 * k) & 15;
            assert_true(cell <= 9 && under <= 7);
            assert_int_equal(cell >= 8, under != 0);
            assert_true(cell == 0 || k == 0 || (g->board.col[c] >> (4 * k - 4) & 15) != 0);
        }
        assert_int_equal(g->board.col[c] >> 28, 0);
        assert_int_equal(g->hidden.col[c] >> 28, 0);
    }
    assert_int_equal(g->board.col[7] | g->hidden.col[7], 0);
    assert_false(cells_any(wave_matches(cells_load(&g->board))));
}

static unsigned cells_in(const struct board *b, bool gray_only)
{
    unsigned n = 0;
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        unsigned cell = board_cell(b, i);
        n += gray_only ? cell >= 8 : cell != 0;
    }
    return n;
}

/* The same move once through game_play and once through turn_hidden with its full scan. */
static void play_both(struct game *g, const struct round *r, unsigned column, struct turn *ret)
{
    struct board b = g->board;
    struct board hidden = g->hidden;
    uint8_t rise = g->rise;
    struct turn full;
    turn_hidden(&b, &hidden, column, game_next_disc(g, r), &rise, r->rows[g->rises + 1], NULL,
                &full);
    game_play(g, r, column, NULL, ret);
    assert_memory_equal(&b, &g->board, sizeof(b));
    assert_memory_equal(&hidden, &g->hidden, sizeof(hidden));
    assert_int_equal(rise, g->rise);
    assert_int_equal(full.points, ret->points);
    assert_int_equal(full.waves, ret->waves);
    assert_int_equal(full.cracks, ret->cracks);
}

static void random_games_keep_boards_and_counts_consistent(void **state)
{
    (void)state;
    static uint8_t discs[200];
    static uint8_t rows[60][BOARD_COLUMNS];
    const struct round r = {200, discs, 200, (const uint8_t(*)[BOARD_COLUMNS])rows, 60};
    for (uint32_t seed = 1; seed <= RANDOM_GAMES; seed++) {
        round_generate(seed, 200, discs, rows);
        struct rng rng = {seed * 31};
        struct game g;
        game_start(&g, &r);
        int64_t score = 0;
        while (!game_is_done(&g)) {
            unsigned before = cells_in(&g.board, false);
            unsigned gray = cells_in(&g.board, true);
            uint32_t moves = g.moves;
            struct turn t;
            play_both(&g, &r, (unsigned)pick_column(&rng, &g.board), &t);
            assert_settled(&g);
            assert_int_equal(cells_in(&g.board, false), before + 1 + (t.rose ? 7 : 0) - t.cleared);
            assert_int_equal(cells_in(&g.board, true), gray + (t.rose ? 7 : 0) - t.revealed);
            assert_int_equal(g.moves, moves + 1);
            score += t.points;
            assert_int_equal(g.score, score);
            assert_true(g.over || (g.rise >= 1 && g.rise <= 5));
        }
        assert_true(g.over || g.moves == 200);
    }
}

static void wave_points_are_exact_square_roots(void **state)
{
    (void)state;
    static const unsigned first[] = {7, 39, 109, 224, 391, 617, 907, 1267};
    for (unsigned d = 1; d <= 200; d++) {
        uint64_t square = 49; /* under 2^44 for d up to 200 */
        for (int k = 0; k < 5; k++) {
            square *= d;
        }
        uint64_t root = (uint64_t)turn_wave_points(d);
        assert_true(root * root <= square && (root + 1) * (root + 1) > square);
        if (d <= D7_COUNT(first)) {
            assert_int_equal(turn_wave_points(d), first[d - 1]);
        }
    }
}

static void an_emptied_board_pays_before_and_after_the_rise(void **state)
{
    (void)state;
    /* a lone 1 clears itself; the rise then brings seven solid discs */
    struct board b = {{0}};
    struct board hidden = {{0}};
    const uint8_t row[7] = {1, 2, 3, 4, 5, 6, 7};
    uint8_t rise = 1;
    struct turn t;
    turn_hidden(&b, &hidden, 3, 1, &rise, row, NULL, &t);
    assert_int_equal(t.points, 7 + 70000 + 17000);
    assert_true(t.rose && !t.over);
    assert_int_equal(t.waves, 1);
    assert_int_equal(rise, 5);
    assert_int_equal(cells_in(&b, true), 7);
    rise = 5;
    b = hidden = (struct board){{0}};
    turn_hidden_settled(&b, &hidden, 6, 1, &rise, row, &t);
    assert_int_equal(t.points, 7 + 70000);
    assert_true(board_is_empty(&b));
    assert_int_equal(rise, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_on_boards_from_outside_equal_the_reference),
        cmocka_unit_test(sampled_turns_ask_for_the_same_cells_in_the_same_order),
        cmocka_unit_test(a_watched_turn_is_the_same_turn),
        cmocka_unit_test(matches_of_a_whole_board_equal_the_reference),
        cmocka_unit_test(run_lengths_of_every_row_pattern_are_right),
        cmocka_unit_test(random_games_keep_boards_and_counts_consistent),
        cmocka_unit_test(wave_points_are_exact_square_roots),
        cmocka_unit_test(an_emptied_board_pays_before_and_after_the_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
