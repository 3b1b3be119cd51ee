#include "engine/rules/round.h"

#include "engine/base/rng.h"

void round_generate(uint32_t seed, uint32_t moves, uint8_t *ret_discs,
                    uint8_t (*ret_rows)[BOARD_COLUMNS])
{
    struct rng rng = {seed};
    for (uint32_t m = 0; m < moves; m++) {
        ret_discs[m] = rng_disc(&rng);
    }
    for (uint32_t r = 0; r < round_generated_rows(moves); r++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            ret_rows[r][c] = rng_disc(&rng);
        }
    }
}

void game_start(struct game *g, const struct round *r)
{
    *g = (struct game){.board = board_opening(), .rise = TURN_RISE_EVERY};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        g->hidden.col[c] = r->rows[0][c];
    }
}

void game_play(struct game *g, const struct round *r, unsigned column,
               const struct turn_watch *watch, struct turn *ret)
{
    unsigned disc = r->discs[g->moves];
    const uint8_t *row = r->rows[g->rises + 1];
    if (watch) {
        turn_hidden(&g->board, &g->hidden, column, disc, &g->rise, row, watch, ret);
    } else {
        turn_hidden_settled(&g->board, &g->hidden, column, disc, &g->rise, row, ret);
    }
    g->moves++;
    g->rises += ret->rose;
    g->score += ret->points;
    g->over = ret->over;
    g->censored = !ret->over && g->moves == r->maximum_moves;
    g->cleared += ret->cleared;
    g->revealed += ret->revealed;
    g->max_chain = ret->waves > g->max_chain ? ret->waves : g->max_chain;
}
