/*
 * peer.h - a live policy: a child process over pipes, a TCP endpoint, or a built-in in this
 * process.
 *
 * Why     play.c knows one policy of faults and limits; the kinds differ only in how bytes come and
 * go.
 * Owns    a peer owns its process or connection; peer_free ends it (kill of the whole process
 * group, bounded wait, reap).
 * Threads a peer belongs to one thread.
 * Errors  a policy's misbehaviour is never an error here: it comes back as an enum peer_event.
 * enum d7_err is for our failures.
 * Signals a child's pipe may close at any time, so peer_child_new makes the process ignore SIGPIPE
 * where it still had its default action, and no longer ignore SIGCHLD (an ended child waits to be
 * asked); sockets are written with MSG_NOSIGNAL. Children start with all signals at their defaults
 * and none blocked.
 */
#ifndef ENGINE_HARNESS_PEER_H
#define ENGINE_HARNESS_PEER_H

#include "engine/d7p/proto.h"
#include "engine/harness/patience.h"
#include "engine/policy/registry.h"

/* Server options; the defaults are harness_limits_default(). Times in ms on the monotonic clock,
 * sizes in bytes. */
struct harness_limits {
    int64_t connect_ms;
    int64_t handshake_ms;
    int64_t ready_ms;
    int64_t move_ms;
    int64_t game_ms;
    size_t line_bytes;
    size_t output_bytes; /* per move */
    size_t stderr_bytes; /* tail kept */
    uint32_t restarts;   /* per game */
};

struct harness_limits harness_limits_default(void);

struct child_spec {
    const char *const *argv; /* argv[0] is an absolute path; borrowed, must outlive the peer */
    const char *const *envp; /* NULL: empty environment */
    const char *cwd;         /* NULL: unchanged */
    bool report_pipe; /* descriptor 3 of the child is a pipe read back as `report` (the sandbox
                         launcher's) */
    bool stop_between_moves; /* SIGSTOP after an answer, SIGCONT before a question */
};

struct peer;

D7_MUST_USE enum d7_err peer_child_new(const struct child_spec *spec,
                                       const struct harness_limits *limits, struct peer **ret);
/* An address already resolved, checked and printable: connect() goes to exactly this. */
struct tcp_spec {
    const void *address; /* struct sockaddr, borrowed for the peer's life */
    size_t address_len;
    bool has_stood; /* somebody is known to listen there: refused, it is tried again at first too */
};
D7_MUST_USE enum d7_err peer_tcp_new(const struct tcp_spec *spec,
                                     const struct harness_limits *limits, struct peer **ret);
/* Extended-state policies are told the true level and move number. */
D7_MUST_USE enum d7_err peer_builtin_new(const struct policy_info *info, unsigned threads,
                                         struct peer **ret);
void peer_free(struct peer *p);

/* The end of what the policy wrote to stderr (children only), borrowed until the next call; at most
 * limits.stderr_bytes. */
struct span peer_stderr(struct peer *p);

#define PEER_REPORT_MAX 64
/* What came back on the report pipe, from whichever of this peer's processes wrote there first
 * (kept across restarts); at most PEER_REPORT_MAX bytes, empty when nothing did; borrowed until the
 * next call. Not empty: the launcher failed,
 * which is no fault of the policy. */
struct span peer_report(struct peer *p);

#endif
