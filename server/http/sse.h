/*
 * sse.h - streams of events (text/event-stream): inside server/http only, around libmicrohttpd.
 *
 * Why     a client that follows something must not cost a thread: its connection is suspended, and
 * one ticker thread asks the sources what is new and wakes the connections that have something.
 * Owns    a stream takes over the reply's source and the bytes already in its body.
 * Threads see the design note in sse.c.
 * Bounds  streams hold at most SSE_SHARE percent of the connections; one buffers at most
 * SSE_PENDING_MAX bytes, and one whose client takes nothing for SSE_STUCK_MS is cut.
 */
#ifndef SERVER_HTTP_SSE_H
#define SERVER_HTTP_SSE_H

#include "server/http/mhd.h"

#define SSE_SHARE       60
#define SSE_PENDING_LOW (16u << 10) /* below it a source is asked for more */
#define SSE_PENDING_MAX (512u << 10)
#define SSE_STUCK_MS    60000

/* The hub and its thread. */
D7_MUST_USE enum d7_err sse_start(struct http_daemon *d);
/* Lets a reply with a source be a stream, or D7_ERR_BUSY with why (and the source released). */
D7_MUST_USE enum d7_err sse_admit(struct exchange *ex);
/* The response of an admitted stream; NULL without memory. */
struct MHD_Response *sse_response(struct exchange *ex);
/* Says goodbye to every stream and ends the thread: from here on no connection is suspended. */
void sse_stop(struct http_daemon *d);
/* After MHD has stopped. */
void sse_free(struct http_daemon *d);

#endif
