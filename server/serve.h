/*
 * serve.h - `drop7d serve`: the store, the HTTP daemon and the supervisor, wired together.
 *
 * Threads the calling thread (main) blocks the signals and forks the keeper before it starts any
 * other.
 */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "server/config.h"

/* Runs until SIGTERM or SIGINT. options: what followed `serve`, handed on to the workers.
 * ret_why: one line when it cannot start. */
D7_MUST_USE enum d7_err serve_run(const struct config *config, int option_count,
                                  char *const *options, struct d7_why *ret_why);

#endif
