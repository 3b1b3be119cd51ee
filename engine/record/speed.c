#include "engine/record/speed.h"

#include "engine/base/rng.h"
#include "engine/record/roundfile.h"

/* Column number n (from 0, ascending) of the set. All seven are legal in most positions. */
static unsigned nth_column(unsigned legal, unsigned n)
{
    if (legal == 127) {
        return n;
    }
    while (n--) {
        legal &= legal - 1;
    }
    return (unsigned)__builtin_ctz(legal);
}

/* Columns in the set. */
static unsigned count_columns(unsigned legal)
{
    /* sums of neighbours, then of pairs and fours */
    unsigned pairs = (legal & 0x55) + (legal >> 1 & 0x55);
    unsigned fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    return (fours & 15) + (fours >> 4);
}

static void play_one(const struct round *r, uint32_t seed, struct speed_result *total)
{
    struct rng rng = {seed};
    struct game g;
    struct turn turn;
    game_start(&g, r);
    while (!game_is_done(&g)) {
        unsigned legal = board_legal(&g.board);
        unsigned pick = rng_below(&rng, count_columns(legal));
        game_play(&g, r, nth_column(legal, pick), NULL, &turn);
        total->waves += turn.waves;
    }
    total->moves += g.moves;
    total->score += g.score;
    total->cleared += g.cleared;
    total->revealed += g.revealed;
}

enum d7_err speed_run(uint32_t games, struct speed_result *ret)
{
    struct roundfile *rounds[ROUND_GAUNTLET_COUNT] = {NULL};
    struct speed_result total = {0};
    enum d7_err err = D7_OK;
    for (unsigned k = 0; k < ROUND_GAUNTLET_COUNT && !err; k++) {
        err = roundfile_gauntlet(k + 1, &rounds[k]);
    }
    if (err) {
        goto out;
    }
    for (uint32_t g = 0; g < games; g++) {
        play_one(&rounds[g % ROUND_GAUNTLET_COUNT]->round, 1 + g, &total);
    }
    *ret = total;
out:
    for (unsigned k = 0; k < ROUND_GAUNTLET_COUNT; k++) {
        roundfile_free(rounds[k]);
    }
    return err;
}
