/*
 * worker.h - one worker process: claims a job, plays it, records it, again.
 *
 * Why     whatever a policy does to the process that plays it, the server and the other games go
 * on. Nothing is shared with serve but the store.
 * Threads one. The parent-death signal of sandboxed policies follows the thread that started them.
 * Signals SIGTERM and SIGINT end it: the job in hand is given back unharmed. A supervised worker
 * also ends when its server dies. An alarm bounds both, whatever a built-in policy is computing.
 * Errors  D7_ERR_NOT_FOUND, D7_ERR_VERSION (no store, or not of this program), the store's.
 */
#ifndef SERVER_WORK_WORKER_H
#define SERVER_WORK_WORKER_H

#include <sys/types.h>

#include "server/config.h"

struct worker_options {
    const struct config *config;
    pid_t parent;    /* who must stay our parent; 0: started by hand */
    unsigned number; /* of a supervised worker: which core is its own and its policies' */
};

/* Returns D7_OK after an orderly end. */
D7_MUST_USE enum d7_err worker_run(const struct worker_options *o, struct d7_why *why);

#endif
