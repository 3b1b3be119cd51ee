/*
 * test_speed.c - the fixed work comes to its published totals, and by plain play.
 */
#include "tests/support/support.h"

#include "engine/base/rng.h"
#include "engine/record/roundfile.h"
#include "engine/record/speed.h"

/* The same work told in the words of api.md, with nothing of speed.c. */
static void play_plainly(uint32_t g, struct speed_result *total)
{
    struct roundfile *file = NULL;
    struct game game;
    struct rng rng = {1 + g};
    assert_int_equal(roundfile_gauntlet(g % 8 + 1, &file), D7_OK);
    game_start(&game, &file->round);
    while (!game_is_done(&game)) {
        unsigned columns[7];
        unsigned count = 0;
        struct turn t;
        for (unsigned c = 0; c < 7; c++) {
            if (game.board.col[c] >> 24 == 0) {
                columns[count++] = c;
            }
        }
        double draw = (double)rng_next(&rng) / 4294967296.0;
        game_play(&game, &file->round, columns[(unsigned)(draw * count)], NULL, &t);
        total->waves += t.waves;
        total->moves++;
        total->score += t.points;
        total->cleared += t.cleared;
        total->revealed += t.revealed;
    }
    roundfile_free(file);
}

static void a_few_games_add_up_to_what_plain_play_gives(void **state)
{
    (void)state;
    struct speed_result want = {0};
    struct speed_result got;
    for (uint32_t g = 0; g < 100; g++) {
        play_plainly(g, &want);
    }
    assert_int_equal(speed_run(100, &got), D7_OK);
    assert_memory_equal(&want, &got, sizeof(want));
    assert_true(got.moves > 2000);
}

static void twenty_thousand_games_have_the_published_totals(void **state)
{
    (void)state;
    struct speed_result r;
    assert_int_equal(speed_run(20000, &r), D7_OK);
    assert_int_equal(r.moves, 522394);
    assert_int_equal(r.score, 1455000139);
    assert_int_equal(r.waves, 372039);
    assert_int_equal(r.cleared, 480512);
    assert_int_equal(r.revealed, 159382);
}

static void no_games_are_no_moves(void **state)
{
    (void)state;
    const struct speed_result zero = {0};
    struct speed_result r;
    assert_int_equal(speed_run(0, &r), D7_OK);
    assert_memory_equal(&r, &zero, sizeof(r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_games_add_up_to_what_plain_play_gives),
        cmocka_unit_test(twenty_thousand_games_have_the_published_totals),
        cmocka_unit_test(no_games_are_no_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
