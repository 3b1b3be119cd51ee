/*
 * game_verify.h - does a recorded game hold what its replay says?
 *
 * Why     a replay that is served and `drop7d verify` must find the same faults, by the same names.
 * Threads none.
 * Errors  D7_ERR_CORRUPT with a sentence naming the field, D7_ERR_NOMEM.
 */
#ifndef STORE_GAME_VERIFY_H
#define STORE_GAME_VERIFY_H

#include "engine/base/json.h"
#include "store/game.h"

/* The first recorded figure the replay contradicts, by its name in the API; NULL: none. */
const char *game_difference(const struct game_row *game, const struct summary *again);
/* The fault list as it is kept, found to be one: a list of objects with `move` and `kind`. Free it
 * with jval_free. */
D7_MUST_USE enum d7_err game_faults(const char *faults_json, struct jval **ret_list,
                                    struct d7_why *why);

#endif
