/*
 * speed.h - fixed work whose totals are known, so that a timing of it is a timing of the rules.
 *
 * Source  ../shared/spec/api.md, `drop7 speed`.
 * Owns    nothing; the eight gauntlet rounds live as long as the call.
 * Threads none: calls may run side by side.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_RECORD_SPEED_H
#define ENGINE_RECORD_SPEED_H

#include "engine/base/err.h"

#include <stdint.h>

/* Totals over all games. */
struct speed_result {
    int64_t moves;
    int64_t score;
    int64_t waves;
    int64_t cleared;
    int64_t revealed;
};

/* Game g = 0..games-1 plays Gauntlet round g mod 8 + 1 to its end; the generator seeded 1 + g draws
 * once a move and picks among the legal columns. */
D7_MUST_USE enum d7_err speed_run(uint32_t games, struct speed_result *ret);

#endif
