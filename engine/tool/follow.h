/*
 * follow.h - a run followed to its end: by its event stream, or by asking again and again where the
 * server has none.
 *
 * Why     runs outlive connections: a lost one is taken up where it was, for FOLLOW_PATIENCE_MS
 * without a word from the server; and stopping to follow leaves the run alone.
 * Errors  said on stderr; the result is an exit status.
 * Threads none.
 */
#ifndef ENGINE_TOOL_FOLLOW_H
#define ENGINE_TOOL_FOLLOW_H

#include "engine/tool/progress.h"
#include "engine/tool/remote.h"

#define FOLLOW_PATIENCE_MS 120000

/* 0: *ret has the run as GET /runs/{id} shows it, over; to be released. Otherwise the exit status:
 * 1, or REMOTE_INTERRUPTED; both say how to see the run again. */
int follow_run(struct remote *r, const char *run_id, struct client_answer *ret);

/* `drop7 status RUN` for this server, on stderr. */
void follow_hint(const struct remote *r, const char *run_id);

#endif
