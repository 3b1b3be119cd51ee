/*
 * sandbox.h - the contract between the worker and drop7-sandbox: its arguments, and what it
 * reports.
 *
 * The launcher is a program: drop7-sandbox [options] -- POLICY-FILE. Descriptors 0, 1, 2 are the
 * policy's pipes; 3 is the report pipe (CLOEXEC set before exec: a clean end of file with no report
 * means the policy runs). On failure it writes one struct sandbox_report and exits 125; it never
 * runs less confined. Start it in a process group (or session) of its own: signals to that group
 * (SIGSTOP, SIGCONT, SIGKILL) reach the policy too, and SIGKILL ends everything inside.
 *
 *   --interpreter PATH  the policy file is a script for this interpreter (a real path below /usr)
 *   --slot N            own uid and cgroup of this slot; no two live policies share one
 *   --parent PID        the caller: a policy never outlives it, not even one dead already
 *   --memory BYTES --cpu SECONDS --files BYTES --processes N   limits (see --help)
 *   --probe             run the built-in hostile checks in exactly this confinement; prints PROBE
 *                       OK on success
 *   --tier              print the tier this machine can give (A, B or C) and why, after probing;
 *                       lines "tier X", "why TEXT", "memory bounded" where a cgroup limits a
 *                       policy's memory as a whole, and, for A and B, "PROBE OK"
 *   --confined          tier B: Landlock, seccomp and limits, no namespaces
 *   --off               no confinement but limits and a process group of its own (the operator's
 *                       choice)
 */
#ifndef SERVER_SANDBOX_SANDBOX_H
#define SERVER_SANDBOX_SANDBOX_H

#include <stdint.h>

#define SANDBOX_EXIT      125
#define SANDBOX_REPORT_FD 3
/* As root each slot has the host uid (and gid) SANDBOX_UID_BASE + slot: above every range that
 * systemd or subuid hand out by default, below 2^31. */
#define SANDBOX_UID_BASE 0x70000000u
#define SANDBOX_SLOT_MAX 4194304u /* the largest process id Linux has */
/* The one loader a dynamic program may have: the only other file its sandbox lets be executed. */
#define SANDBOX_LOADER "/lib64/ld-linux-x86-64.so.2"
/* Address space where --memory is not given. */
#define SANDBOX_MEMORY_PROGRAM ((uint64_t)512 << 20)
#define SANDBOX_MEMORY_SCRIPT  ((uint64_t)256 << 20)
#define SANDBOX_MEMORY_NODE    ((uint64_t)1536 << 20) /* V8 reserves what it never touches */

#define SANDBOX_STEP_TABLE(X)                                                                      \
    X(SANDBOX_STEP_NONE, "none")                                                                   \
    X(SANDBOX_STEP_ARGUMENTS, "arguments")                                                         \
    X(SANDBOX_STEP_DESCRIPTORS, "descriptors")                                                     \
    X(SANDBOX_STEP_NAMESPACES, "namespaces")                                                       \
    X(SANDBOX_STEP_MOUNTS, "mounts")                                                               \
    X(SANDBOX_STEP_LIMITS, "limits")                                                               \
    X(SANDBOX_STEP_CGROUP, "cgroup")                                                               \
    X(SANDBOX_STEP_IDS, "ids")                                                                     \
    X(SANDBOX_STEP_LANDLOCK, "landlock")                                                           \
    X(SANDBOX_STEP_FILTER, "filter")                                                               \
    X(SANDBOX_STEP_EXEC, "exec")

enum sandbox_step {
#define X(name, text) name,
    SANDBOX_STEP_TABLE(X)
#undef X
        SANDBOX_STEP_COUNT
};

/* Native byte order: both ends are this machine. */
struct sandbox_report {
    uint32_t step;
    int32_t error; /* errno */
};

#endif
