/* Positions for drop7 check. Full columns are gray, so that nothing on them is about to clear. */
#include "engine/base/rng.h"
#include "engine/tool/check.h"

#define GAME_MOVES 100
#define FIRST_SEED 0xc4ec0000u

struct position check_position(const char *digits, uint8_t next, uint8_t rise)
{
    struct position at = {.next = next, .rise = rise};
    D7_CHECK(board_parse(digits, strlen(digits), &at.board) == BOARD_FINE);
    return at;
}

/* heights[c] gray discs in column c. */
static struct position gray(const unsigned heights[BOARD_COLUMNS], uint8_t next, uint8_t rise)
{
    char digits[BOARD_TEXT_SIZE] = "";
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        bool filled = BOARD_ROWS - i / BOARD_COLUMNS <= heights[i % BOARD_COLUMNS];
        digits[i] = !filled ? '0' : i % 3 == 0 ? '9' : '8';
    }
    return check_position(digits, next, rise);
}

struct position check_only_legal(unsigned column)
{
    unsigned heights[BOARD_COLUMNS];
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        heights[c] = c == column ? column : BOARD_ROWS;
    }
    return gray(heights, (uint8_t)(column + 1), 5);
}

struct position check_full(unsigned mask)
{
    unsigned heights[BOARD_COLUMNS];
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        heights[c] = mask >> c & 1u ? BOARD_ROWS : 1;
    }
    return gray(heights, 4, 3);
}

void check_games_init(struct check_games *g, struct rng *rng)
{
    g->rng = rng;
    g->seed = FIRST_SEED;
    g->game.over = true;
}

struct position check_games_next(struct check_games *g)
{
    if (game_is_done(&g->game)) {
        D7_CHECK(round_generated_rows(GAME_MOVES) == D7_COUNT(g->rows));
        round_generate(++g->seed, GAME_MOVES, g->discs, g->rows);
        g->round = (struct round){.maximum_moves = GAME_MOVES,
                                  .discs = g->discs,
                                  .disc_count = GAME_MOVES,
                                  .rows = (const uint8_t(*)[BOARD_COLUMNS])g->rows,
                                  .row_count = D7_COUNT(g->rows)};
        game_start(&g->game, &g->round);
    }
    struct position at = game_position(&g->game, &g->round);
    unsigned legal = board_legal(&at.board);
    unsigned column = rng_below(g->rng, BOARD_COLUMNS);
    while (!(legal >> column & 1u)) {
        column = (column + 1) % BOARD_COLUMNS;
    }
    struct turn turn;
    game_play(&g->game, &g->round, column, NULL, &turn);
    return at;
}
