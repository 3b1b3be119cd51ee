/*
 * test_game_wide.c - the builds of a move against the whole turn with its full scan.
 */
#include "tests/support/support.h"

#include "engine/base/cpu.h"
#include "engine/rules/game_wide.h"
#include "tests/unit/rules/reference.h"

#define GAMES 1500
#define MOVES 200
#define ROWS  60

struct build {
    const char *name;
    game_player play;
};

static unsigned builds_here(struct build ret[2])
{
    unsigned n = 0;
    ret[n++] = (struct build){"plain", game_play_plain};
    if (game_play_wide && cpu_is_wide()) {
        ret[n++] = (struct build){"wide", game_play_wide};
    } else {
        print_message("this processor, or this build, has no wide move\n");
    }
    return n;
}

static unsigned pick_column(struct rng *rng, const struct board *b)
{
    unsigned legal = board_legal(b);
    unsigned c;
    do {
        c = rng_below(rng, BOARD_COLUMNS);
    } while (!(legal >> c & 1));
    return c;
}

static void by_the_whole_turn(struct game *g, const struct round *r, unsigned column,
                              struct turn *ret)
{
    turn_hidden(&g->board, &g->hidden, column, game_next_disc(g, r), &g->rise,
                r->rows[g->rises + 1], NULL, ret);
    game_count(g, r, ret);
}

static void assert_same(const struct game *want, const struct turn *turn, const struct game *got,
                        const struct turn *t)
{
    assert_memory_equal(&want->board, &got->board, sizeof(want->board));
    assert_memory_equal(&want->hidden, &got->hidden, sizeof(want->hidden));
    assert_int_equal(want->moves, got->moves);
    assert_int_equal(want->rises, got->rises);
    assert_int_equal(want->score, got->score);
    assert_int_equal(want->rise, got->rise);
    assert_int_equal(want->over, got->over);
    assert_int_equal(want->censored, got->censored);
    assert_int_equal(want->max_chain, got->max_chain);
    assert_int_equal(want->cleared, got->cleared);
    assert_int_equal(want->revealed, got->revealed);
    assert_int_equal(turn->points, t->points);
    assert_int_equal(turn->waves, t->waves);
    assert_int_equal(turn->cleared, t->cleared);
    assert_int_equal(turn->revealed, t->revealed);
    assert_int_equal(turn->cracks, t->cracks);
    assert_int_equal(turn->rose, t->rose);
    assert_int_equal(turn->over, t->over);
}

/* A board no game may reach, as a first turn settles it; false where none is left to play. */
static bool start_outside(struct rng *rng, struct game *g, const struct round *r)
{
    struct ref_board any;
    struct turn t;
    ref_random(rng, &any);
    *g = (struct game){.rise = (uint8_t)(1 + rng_below(rng, TURN_RISE_EVERY))};
    ref_pack(&any, &g->board, &g->hidden);
    if (!board_legal(&g->board)) {
        return false;
    }
    by_the_whole_turn(g, r, pick_column(rng, &g->board), &t);
    return !game_is_done(g);
}

static void every_build_plays_the_same_game(void **state)
{
    (void)state;
    static uint8_t discs[MOVES];
    static uint8_t rows[ROWS][BOARD_COLUMNS];
    const struct round r = {MOVES, discs, MOVES, (const uint8_t(*)[BOARD_COLUMNS])rows, ROWS};
    struct build builds[2];
    unsigned count = builds_here(builds);
    unsigned outside = 0, over = 0, deepest = 0;
    for (uint32_t seed = 1; seed <= GAMES; seed++) {
        struct rng rng = {seed * 31};
        struct game g;
        round_generate(seed, MOVES, discs, rows);
        game_start(&g, &r);
        outside += seed % 2 && start_outside(&rng, &g, &r);
        while (!game_is_done(&g)) {
            struct game want = g;
            struct turn turn;
            unsigned column = pick_column(&rng, &g.board);
            by_the_whole_turn(&want, &r, column, &turn);
            for (unsigned k = 0; k < count; k++) {
                struct game got = g;
                struct turn t;
                builds[k].play(&got, &r, column, &t);
                assert_same(&want, &turn, &got, &t);
            }
            deepest = turn.waves > deepest ? turn.waves : deepest;
            g = want;
        }
        over += g.over;
    }
    assert_true(outside > GAMES / 4 && over > GAMES / 2 && deepest >= 8);
}

static void every_build_pays_for_an_emptied_board(void **state)
{
    (void)state;
    static const uint8_t disc = 1;
    static const uint8_t rows[2][BOARD_COLUMNS] = {{0}, {1, 2, 3, 4, 5, 6, 7}};
    const struct round r = {2, &disc, 2, rows, 2};
    struct build builds[2];
    for (unsigned k = 0; k < builds_here(builds); k++) {
        for (unsigned column = 0; column < BOARD_COLUMNS; column++) {
            struct game g = {.rise = 5};
            struct turn t;
            builds[k].play(&g, &r, column, &t); /* a lone 1 clears itself */
            assert_int_equal(t.points, 7 + TURN_CLEAR_BONUS);
            assert_true(board_is_empty(&g.board) && !g.over && g.rise == 4);
            g = (struct game){.rise = 1};
            builds[k].play(&g, &r, column, &t); /* and before the rise */
            assert_int_equal(t.points, 7 + TURN_CLEAR_BONUS + TURN_RISE_BONUS);
            assert_true(!board_is_empty(&g.board) && t.rose && g.rise == 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_pays_for_an_emptied_board),
        cmocka_unit_test(every_build_plays_the_same_game),
    };
    return cmocka_run_group_tests_name("rules/game_wide", tests, NULL, NULL);
}
