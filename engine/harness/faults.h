/*
 * faults.h - what a policy did wrong in one game: the list, the counts, and who is out.
 *
 * Source  ../shared/spec/d7p.md, the fault table.
 * Owns    its list until faults_release.
 * Threads one game, one thread.
 * Errors  D7_ERR_NOMEM.
 * Bounds  FAULT_KEEP_MAX entries; later ones are counted only.
 */
#ifndef ENGINE_HARNESS_FAULTS_H
#define ENGINE_HARNESS_FAULTS_H

#include "engine/harness/play.h"

struct faults {
    struct fault *list; /* owned */
    size_t count;
    size_t room;
    uint32_t illegal_moves, timeouts, crashes;
};

/* Counts and keeps it; a stall counts as a crash. `seen` may be anything: it is escaped and cut. */
D7_MUST_USE enum d7_err faults_add(struct faults *f, uint32_t move, enum fault_kind kind,
                                   struct span seen);
/* More crashes than restarts are allowed. */
bool faults_are_too_many(const struct faults *f, uint32_t restarts);
void faults_release(struct faults *f);

#endif
