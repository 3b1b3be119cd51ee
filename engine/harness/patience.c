#include "engine/harness/patience.h"

#include <errno.h>

#include "engine/base/clock.h"

#define ASK_EVERY_US 500000

void patience_within(struct patience *w, int64_t ms)
{
    int64_t now = clock_mono_us();
    w->seen_us = now;
    w->deadline_us = w->final_us - now > ms * 1000 ? now + ms * 1000 : w->final_us;
}

bool patience_is_spent(const struct patience *w)
{
    return clock_mono_us() >= w->final_us;
}

enum d7_err patience_ask(struct patience *w)
{
    w->seen_us = clock_mono_us();
    w->ask_us = w->seen_us + ASK_EVERY_US;
    if (w->watch && !w->watch->keep_going(w->watch->ctx, w->moves)) {
        return D7_ERR_CANCELLED;
    }
    return D7_OK;
}

enum d7_err patience_poll(struct patience *w, struct pollfd *fds, nfds_t count, bool *ret_ready)
{
    for (;;) {
        int64_t now = clock_mono_us();
        if (now >= w->ask_us) {
            enum d7_err err = patience_ask(w);
            if (err) {
                return err;
            }
        }
        if (now >= w->deadline_us) {
            *ret_ready = false;
            return D7_OK;
        }
        int64_t until = w->deadline_us < w->ask_us ? w->deadline_us : w->ask_us;
        int64_t left = until > now ? until - now : 0;
        struct timespec t = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
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
