/*
 * runtable.h - runs and policies as the API has them, as text for people.
 *
 * Threads none.
 */
#ifndef ENGINE_TOOL_RUNTABLE_H
#define ENGINE_TOOL_RUNTABLE_H

#include "engine/base/json.h"

/* A policy in a few lines: what it is, where it stands, and why. */
void runtable_policy(const struct jval *policy);
/* A run and its games, with their mean. */
void runtable_run(const struct jval *run);
/* Runs, one a line. */
void runtable_runs(const struct jval *items);
/* The policy's sentence for its last candidate's rejection; "" when it was not rejected. Borrowed
 * from `to` (REMOTE_TEXT_SIZE bytes). */
const char *runtable_rejection(const struct jval *policy, char *to);

#endif
