/*
 * game_row.h - reading the columns every query for games has, for store/ only.
 */
#ifndef STORE_GAME_ROW_H
#define STORE_GAME_ROW_H

#include "store/game.h"
#include "store/row.h"

/* The columns of GAME_SELECT (sql.h) into a zeroed row; returns the game's place in the order of
 * creation. */
int64_t row_game(struct query *q, struct game_row *g);

#endif
