/*
 * supervisor.h - has the worker processes started and started again, watches leases and plays, and
 * ends them.
 *
 * Why     serve never plays: whatever a policy does to its worker, the server answers on.
 * Threads the main thread only.
 * Signals SIGCHLD, SIGTERM, SIGINT and SIGHUP are blocked by the caller before its first thread
 * and taken here with sigtimedwait: no handler, no race.
 * Errors  D7_ERR_NOMEM; a worker that cannot be started is logged and tried again, with backoff.
 * D7_ERR_IO: the keeper has ended by itself, and only serve's own parent can start one again.
 */
#ifndef SERVER_WORK_SUPERVISOR_H
#define SERVER_WORK_SUPERVISOR_H

#include <signal.h>
#include <sys/types.h>

#include "server/work/keeper.h"
#include "store/store.h"

#define RESPAWN_FIRST_MS    250
#define RESPAWN_LAST_MS     10000
#define RESPAWN_FORGIVEN_MS 60000
#define SUPERVISOR_GRACE_MS 10000

/* How soon a dead worker is started again: 250 ms doubling to 10 s, forgiven by a minute of life.
 */
struct respawn {
    int64_t delay_ms; /* 0: none yet */
};
int64_t respawn_delay(struct respawn *r, int64_t lived_ms);

struct supervisor_options {
    struct keeper *keeper; /* borrowed */
    unsigned workers;
    int64_t lease_dead_ms;
    int64_t play_expiry_ms;
    struct store *store; /* the main thread's */
};

struct supervisor;

/* The signals it waits for. */
void supervisor_signals(sigset_t *ret);
D7_MUST_USE enum d7_err supervisor_new(const struct supervisor_options *o, struct supervisor **ret);
/* Runs until SIGTERM or SIGINT; then the workers have been told to stop. */
D7_MUST_USE enum d7_err supervisor_run(struct supervisor *s);
/* After supervisor_run: waits for the workers to finish or hand back their jobs, at most
 * SUPERVISOR_GRACE_MS from the end of supervisor_run, then kills them. */
void supervisor_end(struct supervisor *s);
/* supervisor_end, and frees. Takes NULL. */
void supervisor_free(struct supervisor *s);

#endif
