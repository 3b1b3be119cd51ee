/*
 * keeper.h - the process that starts, signals and reaps the workers on behalf of serve.
 *
 * Why     started as root, serve gives root up before it hears a stranger's first byte, but workers
 *         want root, for a uid per policy, and have to be started again when they die. Something
 *         small has to stay root: this. It takes no words from serve, only numbers: start worker
 *         N, with the command line it was given before it began; send SIGTERM or SIGKILL to a
 *         worker that it started itself and has not reaped. It is there as an ordinary user too,
 *         so that there is one way in which workers start.
 * Owns    keeper_start gives the process; keeper_free ends it. Workers it still has then are
 *         killed.
 * Threads keeper_start forks, so it comes before the first thread; the rest in the main thread.
 *         SIGCHLD is blocked by the caller, and says that keeper_next has news.
 * Errors  keeper_start: D7_ERR_IO, D7_ERR_NOMEM. Spawning: an errno value. A keeper that is gone
 *         is KEEPER_GONE, and its workers go with it (their parent-death signal).
 */
#ifndef SERVER_WORK_KEEPER_H
#define SERVER_WORK_KEEPER_H

#include <sys/types.h>

#include "engine/base/err.h"

#define WORKER_COUNT_MAX 256

struct keeper;

struct keeper_options {
    const char *program; /* absolute path of drop7d */
    int argc;            /* options of serve, handed on as they were given */
    char *const *argv;
};

D7_MUST_USE enum d7_err keeper_start(const struct keeper_options *o, struct keeper **ret,
                                     struct d7_why *why);
/* Starts `program worker --supervised KEEPER NUMBER options...`, leader of its own process group,
 * stdin from /dev/null. 0, or an errno value. */
D7_MUST_USE int keeper_spawn(struct keeper *k, unsigned number, pid_t *ret_pid);
/* SIGTERM or SIGKILL; nothing happens when the worker has been reaped already. */
void keeper_signal(struct keeper *k, pid_t pid, int number);

enum keeper_news { KEEPER_NOTHING, KEEPER_ENDED, KEEPER_GONE };
/* Does not wait. KEEPER_ENDED: that worker has ended, with the status of waitpid. */
D7_MUST_USE enum keeper_news keeper_next(struct keeper *k, pid_t *ret_pid, int *ret_status);
/* Takes NULL. */
void keeper_free(struct keeper *k);

#endif
