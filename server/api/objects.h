/*
 * objects.h - the JSON objects of api.md, written from the store's rows.
 *
 * Source  ../shared/spec/api.md, "Objects".
 * Errors  kept in the writer's buffer.
 * Threads none.
 */
#ifndef SERVER_API_OBJECTS_H
#define SERVER_API_OBJECTS_H

#include "server/http/message.h"
#include "store/game.h"

/* May this account see and change what belongs to the policy's owner? */
bool may_manage(const struct request *req, const struct policy_row *p);

/* private_too: with the endpoint's address (owner and admins). */
void policy_write(struct jout *j, const struct policy_row *p, bool private_too);
/* private_too as above. */
void revision_write(struct jout *j, const struct revision *r, const struct policy_row *p,
                    bool private_too);
void revision_write_keys(struct jout *j, const struct revision *r, const struct policy_row *p,
                         bool private_too);
void suite_write(struct jout *j, const struct suite_row *s);
/* A game's keys into an open object; `voided` may change, so bytes that must not leave it out. */
void game_write_keys(struct jout *j, const struct game_row *g, bool with_voided);
void game_write(struct jout *j, const struct game_row *g);
/* A run's `progress` and `queuePosition` into an open object. */
void run_progress_write(struct jout *j, const struct run_row *run);
/* games: the recorded ones of this run, in any order; those not handed in are written as their id
 * and round alone (lists). */
void run_write(struct jout *j, const struct run_row *run, const struct run_round *rounds,
               size_t round_count, const struct game_row *games, size_t game_count);

#endif
