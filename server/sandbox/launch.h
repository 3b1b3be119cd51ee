/*
 * launch.h - one launch: what was asked for, and the steps of main.c in their fixed order.
 *
 * Why     each step is a file of its own and says nothing: it returns 0, or -1 with errno, and
 * main.c reports which one failed.
 * Owns    struct launch borrows its strings from argv for the life of the process.
 * Threads none: the launcher has one thread, as the parent-death signal and clone need.
 * Errors  -1 and errno. There is no retry and no lesser mode.
 * Note    nothing of engine/ is used here, so the launcher links nothing but libc, statically (half
 * of a start was the loader's), and is never built with a sanitizer (a shadow of terabytes does not
 * fit an address-space limit).
 */
#ifndef SERVER_SANDBOX_LAUNCH_H
#define SERVER_SANDBOX_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/sandbox/sandbox.h"

enum confinement { CONFINE_FULL, CONFINE_PLAIN, CONFINE_OFF }; /* tiers A, B, off */

#define LAUNCH_PATH   256
#define LAUNCH_POLICY "/policy" /* the policy file in its own root */

struct launch {
    enum confinement confinement;
    const char *policy;
    const char *interpreter; /* NULL: the policy is a program */
    char *const *arguments;  /* further arguments for the policy (the probe's), NULL-ended */
    uint32_t slot;
    pid_t parent; /* 0: not told */
    uint64_t memory_bytes, files_bytes;
    uint32_t cpu_seconds, processes;
    bool probe, tier;

    /* found on the way */
    int policy_fd;  /* what policy names, for reading */
    uint64_t size;  /* of it */
    bool libraries; /* a script or dynamic program: sees /usr */
    bool own_uid;   /* root: the slot's uid; otherwise a user namespace, or our own uid */
    unsigned outside_uid, outside_gid;
    int copy_fd; /* tiers B and off: a sealed copy of the policy */
};

/* --- options.c
 * ------------------------------------------------------------------------------ */
extern const char options_help[];
/* False: something unknown, or out of its range. */
bool options_take(struct launch *l, int argc, char **argv);
/* A decimal number of up to 18 digits after blanks, which *at then stands behind. */
bool number_take(const char **at, uint64_t *ret);
/* Does the file name of this path begin so? */
bool interpreter_is(const char *path, const char *name);

/* --- file.c: the policy file ---------------------------------------------------------------- */
/* Opens it without following a link, and looks whether it needs libraries. */
int file_open(struct launch *l);
/* Copies it to an open file and makes that one readable and executable for everybody. */
int file_copy(const struct launch *l, int to);
/* A sealed copy in memory (copy_fd), for where there is no root of our own. */
int file_seal(struct launch *l);

/* --- root.c ----------------------------------------------------------------------------------- */
/* In the new namespaces: maps the user where it is a fresh user namespace, hides the host's name.
 */
int root_enter(const struct launch *l);
/* Makes the private read-only root and moves into it. */
int root_build(const struct launch *l);

/* --- limits.c --------------------------------------------------------------------------------- */
int limits_apply(const struct launch *l);

/* --- ids.c ------------------------------------------------------------------------------------ */
/* Can this process become the slot's uid? Sets own_uid. */
void ids_look(struct launch *l);
/* Slot's uid where own_uid, no groups, no capabilities, no_new_privs, not dumpable, nice. */
int ids_drop(const struct launch *l);

/* --- cgroup.c --------------------------------------------------------------------------------- */
#define CGROUP_KINDS 3
struct cgroup {
    char path[CGROUP_KINDS][LAUNCH_PATH * 2]; /* empty: not there */
    int door[CGROUP_KINDS];                   /* where one enters by writing, or -1 */
};
/* Makes the slot's groups with their limits where some hierarchy is writable, else leaves *ret
 * empty. Groups left by the slot's last policy are emptied and made anew. */
int cgroup_make(const struct launch *l, struct cgroup *ret);
/* fork with these flags of clone; in a v2 hierarchy the child is born in the group. */
pid_t cgroup_clone(struct cgroup *g, unsigned long flags);
/* The calling process, of one thread, moves into the groups it is not in yet. */
int cgroup_enter(const struct cgroup *g);
void cgroup_remove(const struct cgroup *g);
/* Removes the groups whose slot is the id of no living process. */
void cgroup_sweep(void);
/* Would cgroup_make limit memory, processes? */
void cgroup_look(bool *ret_memory, bool *ret_pids);

/* --- landlock.c ------------------------------------------------------------------------------- */
/* The kernel's ABI number, 0 for none. */
int landlock_abi(void);
/* Without Landlock: nothing in tier A, ENOSYS in tier B. */
int landlock_apply(const struct launch *l);

/* --- filter.c --------------------------------------------------------------------------------- */
/* The system-call filter. exec_path is the only pointer execve and execveat accept from now on. */
int filter_apply(const struct launch *l, const char *exec_path);

/* --- probe.c, inside.c ------------------------------------------------------------------------ */
/* The judge, outside: launches this program on itself. Prints what did not hold, then PROBE OK if
 * everything did; returns the exit status. */
int probe_run(const struct launch *l);
int probe_tier(const struct launch *l);
/* The attacks, inside. Prints a line for each that got through and returns how many did. */
int inside_run(const char *part);
/* The parts that must end the process, NULL after the last. */
const char *inside_lethal(size_t i);

#endif
