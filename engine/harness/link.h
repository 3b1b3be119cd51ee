/*
 * link.h - lines over descriptors, with a deadline, a line limit and a limit on all output.
 *
 * Why     pipes and sockets differ in how they are opened and ended, not in how lines are read:
 * every fault of the wire is found here, once.
 * Owns    its buffers and the descriptors given to link_open, until link_close. Lines handed out
 * are borrowed until the next call.
 * Threads one game, one thread.
 * Errors  enum d7_err is ours (see patience.h); what the other side does is an enum peer_event.
 * Bounds  memory is line_bytes + LINK_CHUNK + 2 * stderr_bytes, taken once; nothing is allocated a
 * move. Writing never blocks: while a write waits for room, input is read and dropped, so two full
 * pipes cannot hold each other.
 */
#ifndef ENGINE_HARNESS_LINK_H
#define ENGINE_HARNESS_LINK_H

#include "engine/harness/patience.h"

#define LINK_CHUNK 16384

/* What a policy did; never an error of ours. */
enum peer_event {
    PEER_DONE,         /* what was asked for came in time */
    PEER_LATE,         /* the deadline passed */
    PEER_CLOSED,       /* process ended, pipe or connection closed */
    PEER_LINE_LIMIT,   /* a line over line_bytes */
    PEER_OUTPUT_LIMIT, /* over output_bytes since link_begin */
    PEER_NO_START      /* no program to run, nobody to connect to */
};

struct link_limits {
    size_t line_bytes;
    size_t output_bytes;
    size_t stderr_bytes; /* tail kept; 0: none */
};

struct link {
    int read_fd;  /* owned; -1: closed. All four */
    int write_fd; /* the same number as read_fd for a socket */
    int error_fd;
    int exit_fd; /* pidfd: readable when the process has ended, even if somebody holds its pipes */
    struct link_limits limits;
    char *in;              /* owned; line_bytes + LINK_CHUNK */
    size_t in_from, in_to; /* bytes not yet handed out */
    size_t scanned;        /* of them known to hold no LF */
    size_t output;         /* bytes of the lines taken since link_begin */
    bool asked;            /* by link_begin; nothing was waited for since */
    bool at_end;           /* end of file or a broken connection was seen */
    enum d7_err failed;    /* ours: a read that the other side cannot have broken */
    char *tail;            /* owned; 2 * stderr_bytes: moved down when full */
    size_t tail_len;
};

/* Nothing is open yet. */
D7_MUST_USE enum d7_err link_init(struct link *l, const struct link_limits *limits);
void link_release(struct link *l);

/* Takes over four nonblocking descriptors (-1: there is none; a socket is given as both read_fd and
 * write_fd). What an earlier connection left in the input is forgotten; the tail of stderr stays.
 */
void link_open(struct link *l, int read_fd, int write_fd, int error_fd, int exit_fd);
void link_close(struct link *l);
/* The other side reads end of file from now on; what it says is still read. */
void link_end_input(struct link *l);

/* Drops every complete line that has come so far, and starts the count of output anew: what was
 * said before the question cannot be the answer to it. */
void link_begin(struct link *l, enum peer_event *ret);
/* As many of the bytes as there is room for now, without waiting; what is left of them. */
struct span link_offer(const struct link *l, struct span bytes);
D7_MUST_USE enum d7_err link_write(struct link *l, struct patience *w, struct span bytes,
                                   enum peer_event *ret);
/* The next line without its LF. Lines that came before the end of file are handed out first. */
D7_MUST_USE enum d7_err link_next(struct link *l, struct patience *w, struct span *ret_line,
                                  enum peer_event *ret);

/* The unfinished line, for the record of a fault. */
struct span link_pending(const struct link *l);
/* Reads what is left in stderr, without waiting. */
void link_drain_errors(struct link *l);
struct span link_tail(struct link *l);

#endif
