/*
 * leases.h - the observer: finds leases and workers whose beat counter stands still.
 *
 * Why     a lease is a random owner and a beat counter, without a time in it: whether it has ended
 * is judged by whoever watches it, on a monotonic clock. Wall clock jumps neither kill nor
 * immortalise a lease, and hosts need no common time.
 * Owns    struct leases keeps its own copy of what it saw.
 * Threads none: serve's main thread has one.
 * Errors  D7_ERR_NOMEM, and the store's.
 * Bounds  linear in the number of leases and workers; lookups are linear too (one lease a worker).
 */
#ifndef SERVER_WORK_LEASES_H
#define SERVER_WORK_LEASES_H

#include "store/job.h"

/* The longest stretch between two looks that counts as watched. An observer that was itself stopped
 * (a paused machine, a debugger) has seen nothing meanwhile. */
#define LEASES_LOOK_MAX_MS 5000

struct pulse {
    char key[STORE_KEY_SIZE];
    int64_t beat;
    int64_t since_ms; /* watched time at which this beat was first seen */
    bool present;     /* in the listing being taken in */
};

/* What was seen of one kind of beating thing. */
struct pulses {
    struct pulse *rows; /* owned */
    size_t count, cap;
};

struct leases {
    struct pulses jobs;
    struct pulses workers;
    int64_t dead_ms;
    int64_t last_look_ms; /* -1: none yet */
    int64_t watched_ms;   /* time spent watching */
};

void leases_init(struct leases *l, int64_t dead_ms);
void leases_release(struct leases *l);

/* One listing: leases_look once with the monotonic time, pulses_see for each row, then
 * pulses_forget_absent. ret_dead: the counter has been the same for dead_ms of watched time. */
void leases_look(struct leases *l, int64_t now_mono_ms);
D7_MUST_USE enum d7_err pulses_see(struct pulses *p, const struct leases *l, const char *key,
                                   int64_t beat, bool *ret_dead);
void pulses_forget_absent(struct pulses *p);

struct leases_report {
    size_t expired; /* jobs requeued */
    size_t gone;    /* workers removed */
};
/* Looks at the store: requeues the jobs of ended leases and removes silent workers. */
D7_MUST_USE enum d7_err leases_tick(struct leases *l, struct store *st, int64_t now_mono_ms,
                                    int64_t now_utc_ms, struct leases_report *ret);

#endif
