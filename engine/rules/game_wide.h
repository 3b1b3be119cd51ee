/*
 * game_wide.h - game_play in two builds: for every processor, and for those that hold a whole board
 * in one register.
 *
 * Why     a move takes a fifth less time with AVX2; a program for every x86-64 may not use it
 * unasked. Proof: integers are exact, and a test holds the builds against each other.
 * Threads as game_play.
 */
#ifndef ENGINE_RULES_GAME_WIDE_H
#define ENGINE_RULES_GAME_WIDE_H

#include "engine/rules/round.h"

/* game_play without a watch. */
typedef void (*game_player)(struct game *g, const struct round *r, unsigned column,
                            struct turn *ret);

/* NULL where it is not built. Not for every processor: cpu_is_wide() is to be asked. */
extern const game_player game_play_wide;

void game_play_plain(struct game *g, const struct round *r, unsigned column, struct turn *ret);

#endif
