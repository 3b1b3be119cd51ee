/*
 * seat.h - the policy of a job, made ready to be played: built in, sandboxed upload, or endpoint.
 *
 * Why     what a policy does once it is met is the harness's business; whether we may meet it at
 * all (endpoint addresses) and how it is confined is decided here.
 * Owns    the peer and all it borrows. A seat points into itself: don't copy it.
 * Threads the worker's only one.
 * Errors  ours only, with a sentence in why. A policy we may not or cannot meet is a refusal.
 */
#ifndef SERVER_WORK_SEAT_H
#define SERVER_WORK_SEAT_H

#include "engine/harness/address.h"
#include "server/config.h"
#include "server/work/isolation.h"
#include "store/job.h"

struct seat {
    struct peer *peer; /* owned; NULL: refused */
    /* refused: public */
    const char *code; /* "endpoint-refused", "endpoint-unreachable" */
    char message[160];
    struct harness_limits limits;
    bool confined; /* by drop7-sandbox, which may report */
    struct isolation_command command;
    struct address_list addresses; /* the allowed ones */
    size_t address_next;
    bool was_met; /* an endpoint that has passed its check */
};

D7_MUST_USE enum d7_err seat_open(const struct config *config, const struct isolation *iso,
                                  const struct store *st, const struct job *job, struct seat *ret,
                                  struct d7_why *why);
/* For an endpoint that could not be reached: the next address of its name. False when there is
 * none; then the seat is as before. */
bool seat_try_next(struct seat *s);
void seat_close(struct seat *s);

enum seat_report {
    SEAT_FINE,      /* nothing was reported */
    SEAT_OUR_FAULT, /* the confinement failed: the game is void */
    SEAT_NO_EXEC    /* the file cannot be executed here: the policy's fault */
};
/* What the launcher said; text for the log. */
enum seat_report seat_reported(struct seat *s, char *ret_text, size_t size);

#endif
