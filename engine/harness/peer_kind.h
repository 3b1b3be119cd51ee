/*
 * peer_kind.h - what a kind of peer must be able to do; for this folder, and for `drop7 check`,
 * which asks what a game never does.
 *
 * Why     three kinds (child, TCP, built-in) behind one set of faults: a kind knows how to start
 * and how to end, link.c knows lines, talk.c knows D7P, play.c knows the game.
 * Owns    see peer.h. A kind's struct begins with a struct peer.
 * Threads a peer belongs to one thread.
 * Errors  enum d7_err is ours; that a policy cannot be started is data (PEER_NO_START).
 */
#ifndef ENGINE_HARNESS_PEER_KIND_H
#define ENGINE_HARNESS_PEER_KIND_H

#include "engine/harness/link.h"
#include "engine/harness/peer.h"

#define PEER_WHY_SIZE 160

struct peer_kind {
    /* Starts a process or connects, within the patience; PEER_DONE: the link is open. PEER_LATE or
     * PEER_NO_START otherwise, with `why` filled for the latter. NULL for an in-process policy. */
    enum d7_err (*start)(struct peer *p, struct patience *w, enum peer_event *ret);
    /* Ends what runs and closes the link. politely: it was told to quit, give it a moment. */
    void (*stop)(struct peer *p, bool politely);
    /* Between moves the policy stands still. NULL: cannot. */
    void (*set_paused)(struct peer *p, bool paused);
    /* Fills `why` with how it ended, after a PEER_CLOSED. */
    void (*explain_end)(struct peer *p);
    /* An in-process policy's answer; NULL for the others. */
    unsigned (*decide)(struct peer *p, const struct extended_state *at);
    /* Frees what the kind owns beyond the base. NULL: nothing. */
    void (*release)(struct peer *p);
};

struct peer {
    const struct peer_kind *kind;
    const struct policy_info *info; /* built-in only */
    struct harness_limits limits;
    struct link link;
    bool running; /* the link is open */
    char why[PEER_WHY_SIZE];
    char report[PEER_REPORT_MAX];
    size_t report_len;
};

/* The base of a new peer; the link's buffers are made here. */
D7_MUST_USE enum d7_err peer_init(struct peer *p, const struct peer_kind *kind,
                                  const struct harness_limits *limits);
/* Takes the limits of this game. What is memory (line and stderr size) stays as it was born. */
void peer_set_limits(struct peer *p, const struct harness_limits *limits);
D7_MUST_USE enum d7_err peer_start(struct peer *p, struct patience *w, enum peer_event *ret);
/* Says quit when politely; does nothing when nothing runs. */
void peer_stop(struct peer *p, bool politely);
void peer_set_paused(struct peer *p, bool paused);

#endif
