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

/* From memory if it is there and right, without looking into the store; false: replay_reply. For
 * the address of a game, whose bytes are immutable. */
bool replay_kept(struct api *api, const struct request *req, const char *game_id, bool steps,
                 struct reply *reply);

/* version: store_board_version() before the row was read. */
D7_MUST_USE enum d7_err replay_reply(struct api *api, const struct request *req,
                                     const struct game_row *game, bool steps, int64_t version,
                                     enum cache_rule cache, struct reply *reply);

#endif
