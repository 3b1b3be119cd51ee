/*
 * session.h - one claimed job from its claim to its record: a check or a game.
 *
 * Threads the worker's only one.
 * Errors  none come out: whatever fails on our side gives the job back and is logged; the worker
 * goes on.
 */
#ifndef SERVER_WORK_SESSION_H
#define SERVER_WORK_SESSION_H

#include "server/config.h"
#include "server/work/claim.h"
#include "server/work/isolation.h"

struct session {
    const struct config *config;
    const struct isolation *iso;
    struct store *store;
    struct worker_row *self;
    const volatile sig_atomic_t *stop;
};

/* False when we failed: whatever was short may need a moment before the next job. */
bool session_run(const struct session *s, const struct job *job);

#endif
