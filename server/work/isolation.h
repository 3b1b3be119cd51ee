/*
 * isolation.h - the worker's side of drop7-sandbox: which confinement this machine gives, and the
 * command that starts an uploaded policy in it.
 *
 * Why     the tier is found by behaviour: the launcher attacks itself in exactly the sandbox it
 * would offer, and only its line PROBE OK counts. The worker learns nothing else about namespaces
 * or filters.
 * Owns    plain values. struct isolation_command points into itself: don't copy it, and keep it
 * until the peer made from it is freed.
 * Threads one worker, one thread: the launcher dies with the thread that spawned it.
 * Errors  ours only. A machine that cannot confine is tier C with the reason, not an error.
 * Bounds  the probe takes at most 30 s (tens of milliseconds as a rule).
 */
#ifndef SERVER_WORK_ISOLATION_H
#define SERVER_WORK_ISOLATION_H

#include "engine/harness/peer.h"
#include "server/work/artifact.h"

enum isolation_tier { ISOLATION_A, ISOLATION_B, ISOLATION_C, ISOLATION_OFF };

struct isolation {
    enum isolation_tier tier;
    char reason[201];     /* one line: what holds, or why nothing does */
    char launcher[512];   /* absolute path of drop7-sandbox */
    uint32_t cpu_seconds; /* CPU time of one policy process; isolation_probe sets 1800 */
    bool memory_bounded;  /* a cgroup limits the memory of a policy as a whole */
};

/* "A", "B", "C", "off": as the store keeps it. */
const char *isolation_tier_name(enum isolation_tier tier);
/* May this worker run uploads? Not in tier C. */
bool isolation_admits(const struct isolation *iso);

/* How many policies may run at once on a machine of so many bytes: where no cgroup limits them,
 * only as many as their address-space limits fit in, but one; else UINT_MAX. */
unsigned isolation_places(const struct isolation *iso, uint64_t memory_bytes, bool with_node);

/* Runs program_dir/drop7-sandbox --tier (also removes cgroups that dead workers left). `off` is the
 * operator's --sandbox off. Makes this process the reaper of its descendants, see
 * isolation_settle. */
D7_MUST_USE enum d7_err isolation_probe(const char *program_dir, bool off, struct isolation *ret);

struct isolation_command {
    struct child_spec spec; /* for peer_child_new; descriptor 3 is the report pipe, struct
                               sandbox_report of server/sandbox/sandbox.h */
    const char *argv[24];
    const char *envp[1];
    char path[512], interpreter[ARTIFACT_PATH_SIZE], slot[16], cpu[16], parent[16];
};

/* A number no other live worker of this machine has (the process id): gives the policy its own
 * uid. */
unsigned isolation_slot(void);
/* The command for one policy process. `format` is the artifact's ("elf", "script:python3").
 * D7_ERR_UNAVAILABLE in tier C, D7_ERR_NOT_FOUND when the interpreter is gone, D7_ERR_TOO_LARGE
 * for a path that does not fit. The launcher's exit is 125 with a report on descriptor 3 when *we*
 * failed; otherwise it ends as the policy did (128 + N for signal N in tier A). */
D7_MUST_USE enum d7_err isolation_command(const struct isolation *iso, const char *artifact_path,
                                          const char *format, unsigned slot,
                                          struct isolation_command *ret);
/* "sandbox: mounts: Operation not permitted" for the bytes of a report; false when they are none.
 */
bool isolation_report_text(struct span report, char *ret_text, size_t size);

/* After a game, when the caller has freed its peers and has no child of its own left: kills what
 * policies left behind (with --sandbox off they may have left their group) and waits, at most 2 s,
 * until all of it is reaped. False when one still lives. */
bool isolation_settle(void);

#endif
