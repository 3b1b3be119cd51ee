/*
 * sandbox.h - the contract between the worker and drop7-sandbox: its arguments, and what it
 * reports.
 *
 * The launcher is a program: drop7-sandbox [options] -- POLICY-FILE. Descriptors 0, 1, 2 are the
 * policy's pipes; 3 is the report pipe (CLOEXEC set before exec: a clean end of file with no report
 * means the policy runs). On failure it writes one struct sandbox_report and exits 125; it never
 * runs less confined.
 *
 *   --interpreter PATH  the policy file is a script for this interpreter
 *   --slot N            0..: own uid, cgroup and tmp of this slot
 *   --memory BYTES --cpu SECONDS --files BYTES ...  limits (see --help)
 *   --probe             run the built-in hostile checks in exactly this confinement; prints PROBE
 * OK on success
 *   --tier              print the tier this machine can give (A, B or C) and why, after probing
 *   --off               no confinement but limits and a process group of its own (the operator's
 * choice)
 */
#ifndef SERVER_SANDBOX_SANDBOX_H
#define SERVER_SANDBOX_SANDBOX_H

#include <stdint.h>

#define SANDBOX_EXIT      125
#define SANDBOX_REPORT_FD 3

enum sandbox_step {
    SANDBOX_STEP_NONE,
    SANDBOX_STEP_ARGUMENTS,
    SANDBOX_STEP_DESCRIPTORS,
    SANDBOX_STEP_NAMESPACES,
    SANDBOX_STEP_MOUNTS,
    SANDBOX_STEP_LIMITS,
    SANDBOX_STEP_CGROUP,
    SANDBOX_STEP_IDS,
    SANDBOX_STEP_LANDLOCK,
    SANDBOX_STEP_FILTER,
    SANDBOX_STEP_EXEC
};

/* Native byte order: both ends are this machine. */
struct sandbox_report {
    uint32_t step;
    int32_t error; /* errno */
};

#endif
