/*
 * fair_crew.h - threads that value states side by side for one fair search.
 *
 * The idea. A decision is a fixed list of states below the root; each is valued on its own, by
 * whichever thread comes to it, and the caller adds the values up in the list's order.
 * Proof   a value is a function of its state: neither the thread nor what it remembers changes a
 * bit of it, so the sums are the same for every number of threads.
 * Owns    fair_crew_new starts the threads, fair_crew_free (takes NULL) ends and joins them.
 * Between runs they wait on a condition. Threads one caller; it works too, so a crew of one has no
 * thread of its own. Errors  D7_ERR_NOMEM, D7_ERR_UNAVAILABLE (the system gives no more threads).
 */
#ifndef ENGINE_POLICY_FAIR_CREW_H
#define ENGINE_POLICY_FAIR_CREW_H

#include "engine/policy/fair_search.h"

#define FAIR_CREW_MAX 49u /* more threads than a root has outcomes find nothing to do */

struct fair_task {
    struct fair_outcome outcome;
    uint8_t next;
    double value; /* the answer, and the moves it is made of */
    uint32_t moves;
};

struct fair_crew;

/* threads >= 1, all of them counted; more than FAIR_CREW_MAX are that many. depth: of every task.
 */
D7_MUST_USE enum d7_err fair_crew_new(unsigned threads, unsigned depth, struct fair_crew **ret);
void fair_crew_free(struct fair_crew *c);
/* Fills in the values; returns when all are there. */
void fair_crew_run(struct fair_crew *c, struct fair_task *tasks, unsigned count);

#endif
