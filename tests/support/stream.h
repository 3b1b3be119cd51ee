/*
 * stream.h - an event stream as a browser reads it: chunks taken apart, events one by one.
 *
 * Errors  what is no answer or no event fails the test.
 * Threads one stream, one thread. Every wait has a deadline.
 */
#ifndef TESTS_SUPPORT_STREAM_H
#define TESTS_SUPPORT_STREAM_H

#include "tests/support/support.h"

struct event_stream {
    int fd; /* -1: closed */
    int status;
    char head[4096];
    struct buf raw;  /* bytes not taken apart yet */
    struct buf text; /* of the body, not read as events yet */
    size_t left;     /* of a body whose length was given */
    bool is_sized;
    bool over;  /* the last chunk came, or the connection ended */
    bool whole; /* by the last chunk or byte */
    unsigned heartbeats;
};

struct event {
    char name[32]; /* empty: none given */
    char id[32];   /* empty: none given */
    char data[4096];
};

/* Sends the request and reads the answer's head. last_id NULL: none is sent. */
void stream_open(struct event_stream *s, unsigned port, const char *path, const char *last_id);
/* The next event within wait_ms; false at the end (s->over) or when none came. */
bool stream_next(struct event_stream *s, int64_t wait_ms, struct event *ret);
/* Waits for one more heartbeat; events before it are left alone. */
bool stream_heartbeat(struct event_stream *s, int64_t wait_ms);
void stream_close(struct event_stream *s);

#endif
