/*
 * confined.h - run a program under drop7-sandbox as a worker would, and see what is left of it.
 *
 * Why     every hostile program must get its verdict and leave nothing: no process, no zombie.
 * Owns    the test process becomes the reaper of all descendants, so whatever escapes a launcher
 * turns up as its child.
 * Threads one.
 */
#ifndef TESTS_SUPPORT_CONFINED_H
#define TESTS_SUPPORT_CONFINED_H

#include <sys/resource.h>
#include <sys/types.h>

#include "server/sandbox/sandbox.h"
#include "tests/support/support.h"

#define CONFINED_OUTPUT 65536
#define CONFINED_NOBODY 65534

/* Copies the launcher and programs somewhere everybody can reach. Once per test program; asserts.
 */
void confined_setup(void);
void confined_teardown(void);
/* The copy of a file (made world-readable and executable), in a static buffer. */
const char *confined_copy(const char *path);
/* A file of that text in the same folder. */
const char *confined_script(const char *name, const char *text);
/* The folder. */
const char *confined_folder(void);

struct confined {
    bool as_nobody;           /* an ordinary user instead of root */
    const char *options[12];  /* of the launcher, NULL-ended */
    const char *file;         /* the policy file */
    const char *arguments[4]; /* the policy's, NULL-ended */
    const char *input;        /* written to stdin at once; stdin stays open */
    int inherit;              /* one more descriptor left open for the launcher, 0 for none */
    bool with_environment;    /* hands down SECRET=1 */
};

struct confined_run {
    pid_t pid;
    int in, out, err, report;
};

struct confined_end {
    int status;     /* of waitpid */
    bool over_time; /* was killed by us at the deadline */
    bool reported;
    struct sandbox_report report;
    char output[CONFINED_OUTPUT], errors[CONFINED_OUTPUT]; /* NUL-terminated, the first bytes */
    uint64_t output_bytes;
    int64_t ms;
    struct rusage usage;
};

/* Starts it in a process group of its own. */
struct confined_run confined_start(const struct confined *c);
/* One byte or more of its output within the deadline? Appends nothing; just waits. */
bool confined_wait_output(const struct confined_run *r, int ms);
/* Reads until both outputs and the process ended, or kills the group at the deadline; reaps. */
void confined_finish(struct confined_run *r, int deadline_ms, struct confined_end *ret);
/* Both. */
void confined_run(const struct confined *c, int deadline_ms, struct confined_end *ret);

/* Until the launcher of tier A has left the policy's group and sleeps. The policy may have spoken
 * before that, and a worker that dies in between leaves a cgroup for the next one's probe. */
void confined_wait_outside(pid_t pid);
/* Waits (2 s) until this process has no child but `keep` (0 for none); the number left over. */
unsigned confined_left(pid_t keep);
bool confined_alive(pid_t pid);
/* Is there a cgroup of this slot in any hierarchy? 0: of any slot whose process is gone. */
bool confined_cgroup(unsigned slot);
/* Open descriptors of this process. */
int confined_descriptors(void);
/* Settles as a worker does, then counts: prints "processes left N, zombies N, descriptors +N" and
 * asserts that all are 0. Needs nothing of the above. */
void confined_summary(int descriptors_before);
/* After a case that failed half-way: kills and reaps the groups it started and did not finish. */
void confined_reset(void);

#endif
