/*
 * play_table.h - a play as a request finds it, and who may do what with it.
 *
 * Why     the play's id is the only thing a client needs to keep, and it is a secret: 128 bits, of
 * which the store knows the hash. It is in no message and no log.
 * Owns    a table owns the play's row and its round: table_release.
 * Threads none.
 * Errors  with a sentence in the reply; the store's.
 */
#ifndef SERVER_API_PLAY_TABLE_H
#define SERVER_API_PLAY_TABLE_H

#include "server/api/api.h"
#include "store/play.h"

#define PLAY_SECRET_BYTES 16
#define PLAY_ID_SIZE      (2 * PLAY_SECRET_BYTES + 1)

struct table {
    char id[PLAY_ID_SIZE];
    struct play_row row;
    struct roundfile *round; /* owned */
};
/* Takes an empty one. */
void table_release(struct table *t);

/* The play a path names; D7_ERR_NOT_FOUND. */
D7_MUST_USE enum d7_err table_find(struct api *api, const struct request *req, struct reply *reply,
                                   struct table *ret);
/* Its row as it is now (t->id is set). */
D7_MUST_USE enum d7_err table_read(struct api *api, struct table *t, struct reply *reply);

/* D7_ERR_RATE when this address is in too much of a hurry. */
D7_MUST_USE enum d7_err play_pace(struct api *api, const struct request *req, struct reply *reply);
/* D7_ERR_UNAUTHORIZED, D7_ERR_FORBIDDEN: not the token of the policy's owner. Admins do not play
 * for others. policy NULL: is there a token at all? */
D7_MUST_USE enum d7_err play_owner(const struct request *req, const struct policy_row *policy,
                                   struct reply *reply);
/* 409 for a revision that has committed itself on the round, with the game where there is one. */
enum d7_err play_committed(struct api *api, struct reply *reply, const char *policy,
                           const char *round);

#endif
