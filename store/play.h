/*
 * play.h - rounds played move by move over HTTP: by a person, or by a remote policy's owner.
 *
 * Why     the server holds the tape: of a play only its columns are stored, and what the player may
 * see is computed from them. Key     a play's public id is a secret, like a token's: the store
 * knows its SHA-256 only, and callers look it up by that. Once    a move is written only onto the
 * play as its caller read it, so of two at once one wins; the first move of a policy's play commits
 * it (one a revision and round); the game and the end of its play are one transaction.
 * Errors  those of store.h; D7_ERR_CONFLICT: somebody else was quicker, read again.
 */
#ifndef STORE_PLAY_H
#define STORE_PLAY_H

#include "store/game.h"
#include "store/job.h"

#define PLAY_OPEN_MAX 100000 /* plays not ended, of everybody */

enum play_status { PLAY_OPEN, PLAY_FINISHED, PLAY_SUBMITTED, PLAY_EXPIRED };
/* "open", "finished", "submitted", "expired". */
const char *play_status_text(enum play_status s);

struct play_row {
    char sha256[SHA_HEX_SIZE];
    char round_id[STORE_ID_SIZE];
    char policy_id[STORE_ID_SIZE]; /* empty: a person's */
    int64_t revision;
    enum play_status status;
    uint8_t *columns;   /* owned; one byte a move, 0-6 */
    uint32_t *think_us; /* owned; one a move: since the move before, or since the start */
    size_t moves;
    int64_t created_at, moved_at, expires_at;
    char game_id[STORE_KEY_SIZE]; /* empty: none recorded */
};
void play_release(struct play_row *p);

/* A new open play. policy_id NULL or empty: a person's. D7_ERR_NOT_FOUND: no such round;
 * D7_ERR_CONFLICT: that revision has committed itself on the round; D7_ERR_BUSY: PLAY_OPEN_MAX. */
D7_MUST_USE enum d7_err play_add(struct store *st, const char *sha256, const char *round_id,
                                 const char *policy_id, int64_t revision, int64_t now,
                                 int64_t expires_at);
D7_MUST_USE enum d7_err play_get(struct store *st, const char *sha256, struct play_row *ret);
/* Appends a move the caller has found legal to the play as it was read; ends: no further move can
 * follow. D7_ERR_CONFLICT when it is not as read any more, or (first moves) when another play of
 * the revision has committed it. */
D7_MUST_USE enum d7_err play_move(struct store *st, const struct play_row *as_read, unsigned column,
                                  uint32_t think_us, bool ends, int64_t now, int64_t expires_at);
/* Records the game of a finished play: the policy's counted one, or the player's (who is then
 * named). */
D7_MUST_USE enum d7_err play_submit(struct store *st, const struct play_row *as_read,
                                    const char *player, const struct game_result *result,
                                    int64_t now, char ret_game_id[STORE_KEY_SIZE]);
/* Ends a play that was abandoned. result: the game a committed policy leaves behind; NULL: none. */
D7_MUST_USE enum d7_err play_expire(struct store *st, const struct play_row *as_read,
                                    const struct game_result *result, int64_t now);

/* The hash of the play that is overdue longest; D7_ERR_NOT_FOUND: none is. */
D7_MUST_USE enum d7_err play_next_due(struct store *st, int64_t now, char ret[SHA_HEX_SIZE]);
/* Removes ended plays that expired before that time; committed ones of policies stay. */
D7_MUST_USE enum d7_err play_forget(struct store *st, int64_t before);

/* People's games on a round, the best one of each name, best first: `limit` of them. Never ranked.
 */
D7_MUST_USE enum d7_err play_best_games(struct store *st, const char *round_id, uint32_t limit,
                                        struct game_row **ret_rows, size_t *ret_count);

#endif
