#include "engine/rules/round.h"

#include "engine/base/cpu.h"
#include "engine/base/rng.h"
#include "engine/rules/game_wide.h"

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

void game_play_plain(struct game *g, const struct round *r, unsigned column, struct turn *ret)
{
    turn_hidden_settled(&g->board, &g->hidden, column, r->discs[g->moves], &g->rise,
                        r->rows[g->rises + 1], ret);
    game_count(g, r, ret);
}

void game_play(struct game *g, const struct round *r, unsigned column,
               const struct turn_watch *watch, struct turn *ret)
{
    if (watch) {
        turn_hidden(&g->board, &g->hidden, column, r->discs[g->moves], &g->rise,
                    r->rows[g->rises + 1], watch, ret);
        game_count(g, r, ret);
    } else if (game_play_wide && cpu_is_wide()) {
        game_play_wide(g, r, column, ret);
    } else {
        game_play_plain(g, r, column, ret);
    }
}
