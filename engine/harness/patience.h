/*
 * patience.h - waiting on descriptors: until when, and whether the game still matters meanwhile.
 *
 * Why     every wait of the harness (connect, write, read, reap) goes through patience_poll, so
 * the deadline and the question "go on?" hold everywhere, during the wait. Time in which this
 * process did not run (stopped, starved, held up by its watch) is nobody's thinking time: the
 * deadlines move by it.
 * Units   microseconds on the monotonic clock.
 * Threads one game, one thread. Owns nothing.
 * Errors  D7_ERR_CANCELLED (the watch said stop), D7_ERR_IO / NOMEM when poll itself fails.
 */
#ifndef ENGINE_HARNESS_PATIENCE_H
#define ENGINE_HARNESS_PATIENCE_H

#include <poll.h>

#include "engine/base/span.h"

/* Asked before every move (and at least once a second while waiting): false cancels the game with
 * D7_ERR_CANCELLED. */
struct harness_watch {
    bool (*keep_going)(void *ctx, uint32_t moves_played);
    void *ctx;
};

/* Longer than a tick of the kernel's: a timer that comes before the next one has to be set in the
 * hardware, which costs more than the glance saves. */
#define PATIENCE_GLANCE_US 20000

struct patience {
    int64_t deadline_us;               /* of this wait; patience_within sets it */
    int64_t final_us;                  /* of all of them (the game limit); no wait goes beyond it */
    const struct harness_watch *watch; /* borrowed; NULL: nobody to ask */
    uint32_t moves;                    /* what the watch is told */
    int64_t ask_us;                    /* when it is asked again at the latest */
    int64_t seen_us;                   /* the time when patience_ask or _within was last called */
    int64_t due_us;                    /* when we were to look at the clock again; 0: never yet */
    int64_t lost_us;                   /* in which we did not run, so far; deadlines moved by it */
    bool overdue;                      /* the one look after the deadline was had */
};

/* The next waits have ms from now, and never go beyond final_us. */
void patience_within(struct patience *w, int64_t ms);
/* The clock without what was lost so far: for durations. */
int64_t patience_now_us(struct patience *w);
/* final_us has passed. */
bool patience_is_spent(const struct patience *w);
/* Asks the watch now. */
D7_MUST_USE enum d7_err patience_ask(struct patience *w);
/*
 * Polls until a descriptor is ready (*ret_ready true) or the deadline has passed (false). What was
 * ready when poll came back counts as in time, and there is one look after the deadline: when this
 * process is late, nobody pays for it.
 */
D7_MUST_USE enum d7_err patience_poll(struct patience *w, struct pollfd *fds, nfds_t count,
                                      bool *ret_ready);
/* The same for one descriptor to read from and a moment (PATIENCE_GLANCE_US) only, right after
 * patience_within: false says nothing yet. Who answers at once is heard without the cost of looking
 * everywhere. */
bool patience_glance(const struct patience *w, int fd);

#endif
