/*
 * events.h - what the streams of runs share: each thread keeps the run it looked at last.
 */
#ifndef SERVER_API_EVENTS_H
#define SERVER_API_EVENTS_H

struct event_view;

/* Takes NULL. */
void event_view_free(struct event_view *v);

#endif
