#include "engine/harness/patience.h"

#include <errno.h>

#include "engine/base/clock.h"

#define ASK_EVERY_US 500000
#define LOST_US      1000000 /* so late we are only where something kept us from running */

/* We were to look at w->due_us, and it is `now`. */
static void excuse_ourselves(struct patience *w, int64_t now)
{
    int64_t lost = w->due_us ? now - w->due_us : 0;
    if (lost > LOST_US) {
        w->lost_us += lost;
        w->deadline_us += lost;
        w->final_us = w->final_us < INT64_MAX - lost ? w->final_us + lost : INT64_MAX;
    }
    w->due_us = now;
}

void patience_within(struct patience *w, int64_t ms)
{
    int64_t now = clock_mono_us();
    w->seen_us = now;
    w->due_us = now; /* what was done since the last wait was no wait */
    w->overdue = false;
    w->deadline_us = w->final_us - now > ms * 1000 ? now + ms * 1000 : w->final_us;
}

int64_t patience_now_us(struct patience *w)
{
    int64_t now = clock_mono_us();
    excuse_ourselves(w, now);
    return now - w->lost_us;
}

bool patience_is_spent(const struct patience *w)
{
    return clock_mono_us() >= w->final_us;
}

enum d7_err patience_ask(struct patience *w)
{
    bool go_on = !w->watch || w->watch->keep_going(w->watch->ctx, w->moves);
    /* Looked at afterwards: who is asked may take his time, and the wait goes on between two asks,
     * or it would never end while each of them takes longer than ASK_EVERY_US. */
    w->seen_us = clock_mono_us();
    w->ask_us = w->seen_us + ASK_EVERY_US;
    excuse_ourselves(w, w->seen_us);
    return go_on ? D7_OK : D7_ERR_CANCELLED;
}

enum d7_err patience_poll(struct patience *w, struct pollfd *fds, nfds_t count, bool *ret_ready)
{
    for (;;) {
        int64_t now = clock_mono_us();
        excuse_ourselves(w, now);
        if (now >= w->ask_us) {
            enum d7_err err = patience_ask(w);
            if (err) {
                return err;
            }
            now = w->seen_us;
        }
        if (now >= w->deadline_us && w->overdue) {
            *ret_ready = false;
            return D7_OK;
        }
        w->overdue = now >= w->deadline_us;
        int64_t until = w->deadline_us < w->ask_us ? w->deadline_us : w->ask_us;
        int64_t left = until > now ? until - now : 0;
        struct timespec t = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
        w->due_us = now + left;
        int ready = ppoll(fds, count, &t, NULL);
        if (ready < 0 && errno != EINTR) {
            return errno == ENOMEM ? D7_ERR_NOMEM : D7_ERR_IO;
        }
        if (ready > 0) {
            *ret_ready = true;
            return D7_OK;
        }
    }
}

bool patience_glance(const struct patience *w, int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    const struct timespec moment = {.tv_nsec = PATIENCE_GLANCE_US * 1000};
    return w->deadline_us - w->seen_us > PATIENCE_GLANCE_US && ppoll(&one, 1, &moment, NULL) > 0;
}
