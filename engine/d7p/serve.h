/*
 * serve.h - the policy side of D7P: answers one line of a session with a registry policy.
 *
 * Why     `drop7 policy` over stdin/stdout and over TCP, and the built-in peers of the tests, are
 * one code path. Threads a session belongs to one thread.
 */
#ifndef ENGINE_D7P_SERVE_H
#define ENGINE_D7P_SERVE_H

#include "engine/d7p/proto.h"

struct d7p_identity {
    const char *name;
    const char *family;
    bool public_information;
};

struct d7p_session {
    struct d7p_identity identity;
    /* The column for a position with at least one legal column. */
    unsigned (*choose)(void *ctx, const struct position *at);
    void *ctx;
    bool has_position;
    struct position position;
};

/* Answers one line (without LF) into `out`. Returns false when the session is over (quit). */
bool d7p_session_line(struct d7p_session *s, struct span line, struct buf *out);
/* Bytes as they come, split over any number of calls; over-long lines are refused with `info
 * error`. */
struct d7p_stream {
    struct d7p_session *session; /* borrowed */
    struct buf pending;
    bool skipping; /* inside a line over D7P_LINE_MAX */
};
void d7p_stream_init(struct d7p_stream *st, struct d7p_session *session);
void d7p_stream_release(struct d7p_stream *st);
/* false: the session is over; `out` holds what is still to be sent. A last line without LF counts
 * when `at_end`. */
bool d7p_stream_feed(struct d7p_stream *st, struct span bytes, bool at_end, struct buf *out);

#endif
