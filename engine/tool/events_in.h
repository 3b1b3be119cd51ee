/*
 * events_in.h - reading text/event-stream (WHATWG HTML, 9.2.6): bytes in, events out.
 *
 * Why     what arrives is cut anywhere; and an id counts only once its event is whole, or the event
 * that was cut off would be missing after coming back with Last-Event-ID.
 * Owns    its buffers; events are borrowed for the length of the call.
 * Errors  D7_ERR_TOO_LARGE, D7_ERR_NOMEM.
 * Bounds  EVENTS_IN_MAX bytes of a line and of an event's data; names and ids that do not fit are
 * as if they were not there.
 * Threads none.
 */
#ifndef ENGINE_TOOL_EVENTS_IN_H
#define ENGINE_TOOL_EVENTS_IN_H

#include "engine/base/buf.h"

#define EVENTS_IN_MAX (256u << 10)

struct events_in {
    struct buf line; /* up to its end */
    struct buf data; /* of the event being read */
    char name[32];
    char next_id[64]; /* of the event being read */
    char last_id[64]; /* of the last whole event; empty: none had one */
    int64_t retry_ms; /* what the server asks for; -1: nothing */
    bool after_cr;    /* a line feed would belong to it */
    bool has_data;    /* an empty data line is data too */
};

/* Returns false to read no further. */
typedef bool events_in_take(void *ctx, const char *name, struct span data);

void events_in_init(struct events_in *in);
void events_in_release(struct events_in *in);
/* A new connection: what was left of the old one's last event is dropped, the last id stays. */
void events_in_restart(struct events_in *in);
/* *ret_stopped: `take` wanted no more. */
D7_MUST_USE enum d7_err events_in_feed(struct events_in *in, struct span bytes,
                                       events_in_take *take, void *ctx, bool *ret_stopped);

#endif
