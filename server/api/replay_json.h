/*
 * replay_json.h - the Replay object, verified while it is written.
 *
 * Why     frames are not stored: they come from replaying the columns on the round. What comes out
 * is held against what was recorded; a difference is an alarm, never an answer.
 * Errors  D7_ERR_CORRUPT (naming game and field, for the log), the store's, D7_ERR_NOMEM.
 * Threads none.
 */
#ifndef SERVER_API_REPLAY_JSON_H
#define SERVER_API_REPLAY_JSON_H

#include "server/api/api.h"

D7_MUST_USE enum d7_err replay_reply(struct api *api, const struct game_row *game, bool steps,
                                     enum cache_rule cache, struct reply *reply);

#endif
