#include "engine/harness/peer_kind.h"

struct harness_limits harness_limits_default(void)
{
    return (struct harness_limits){
        .connect_ms = 5000,
        .handshake_ms = 10000,
        .ready_ms = 10000,
        .move_ms = 10000,
        .game_ms = 30 * 60 * 1000,
        .line_bytes = D7P_LINE_MAX,
        .output_bytes = 1 << 20,
        .stderr_bytes = 16384,
        .restarts = 2,
    };
}

enum d7_err peer_init(struct peer *p, const struct peer_kind *kind,
                      const struct harness_limits *limits)
{
    p->kind = kind;
    p->limits = *limits;
    struct link_limits sizes = {limits->line_bytes, limits->output_bytes, limits->stderr_bytes};
    return link_init(&p->link, &sizes);
}

void peer_set_limits(struct peer *p, const struct harness_limits *limits)
{
    p->limits = *limits;
    p->link.limits.output_bytes = limits->output_bytes;
    p->limits.line_bytes = p->link.limits.line_bytes;
    p->limits.stderr_bytes = p->link.limits.stderr_bytes;
}

enum d7_err peer_start(struct peer *p, struct patience *w, enum peer_event *ret)
{
    D7_CHECK(!p->running);
    enum d7_err err = p->kind->start(p, w, ret);
    p->running = !err && *ret == PEER_DONE;
    return err;
}

void peer_stop(struct peer *p, bool politely)
{
    if (!p->running) {
        return;
    }
    if (politely) {
        peer_set_paused(p, false);
        struct patience none = {.ask_us = INT64_MAX}; /* deadline 0: what does not fit at once is
                                                         not said */
        enum peer_event ignored;
        if (link_write(&p->link, &none, span_of("quit\n"), &ignored)) {
            politely = false;
        }
    }
    p->kind->stop(p, politely);
    p->running = false;
}

void peer_set_paused(struct peer *p, bool paused)
{
    if (p->kind->set_paused) {
        p->kind->set_paused(p, paused);
    }
}

void peer_free(struct peer *p)
{
    if (!p) {
        return;
    }
    peer_stop(p, false);
    if (p->kind->release) {
        p->kind->release(p);
    }
    link_release(&p->link);
    free(p);
}

struct span peer_stderr(struct peer *p)
{
    link_drain_errors(&p->link);
    return link_tail(&p->link);
}
