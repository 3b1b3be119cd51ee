#include "engine/record/speed.h"

#include "engine/base/rng.h"
#include "engine/record/roundfile.h"

#define BYTES 0x0101010101010101u /* times a byte: that byte in all eight */

/* The legal column number floor(r * count), ascending, for the next draw r. */
static unsigned pick_column(struct rng *rng, unsigned legal)
{
    if (legal == 127) {
        return rng_below(rng, 7); /* mostly so, and then the draw need not wait for the board */
    }
    /* a byte a column, 1 where legal; the product sums them up from column 0 */
    uint64_t spread = (legal * BYTES & 0x0040201008040201u) + 0x7f * BYTES;
    uint64_t upto = (spread >> 7 & BYTES) * BYTES;
    uint64_t n = rng_below(rng, (uint32_t)(upto >> 56));
    /* the columns with at most n legal ones up to and with them come before number n */
    uint64_t before = ((n | 0x80) * BYTES - upto) >> 7 & BYTES;
    return (unsigned)(before * BYTES >> 56);
}

static void play_one(const struct round *r, uint32_t seed, struct speed_result *total)
{
    struct rng rng = {seed};
    struct game g;
    struct turn turn;
    game_start(&g, r);
    while (!game_is_done(&g)) {
        game_play(&g, r, pick_column(&rng, board_legal(&g.board)), NULL, &turn);
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
