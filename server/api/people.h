/*
 * people.h - the best games of people on the rounds of a board: shown beside it, never ranked.
 *
 * Owns    struct people owns its rows: people_release.
 * Threads none.
 * Errors  the store's; D7_ERR_NOMEM.
 * Bounds  the PEOPLE_MAX best names.
 */
#ifndef SERVER_API_PEOPLE_H
#define SERVER_API_PEOPLE_H

#include "engine/base/jsonout.h"
#include "store/play.h"

#define PEOPLE_MAX 100

struct people {
    struct game_row *games; /* owned; one a name, the best first */
    size_t count;
    int64_t newest; /* created_at of the newest; 0 without any */
};

/* Takes in one more round. */
D7_MUST_USE enum d7_err people_add(struct people *p, struct store *st, const char *round_id);
void people_release(struct people *p);
/* The games as an array. */
void people_write(struct jout *j, const struct people *p);

#endif
