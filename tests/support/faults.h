/*
 * faults.h - makes the nth call of a kind fail that our own objects make: allocations, the disk and
 * the kernel, SQLite's statements, libcurl's requests; or makes calls come back interrupted.
 *
 * Why     what is done when such a call fails is code like any other, and no disk fails on demand.
 * A caller tries n = 1, 2, ... until the operation ends before the nth: no error is left out.
 * Owns    nothing. A program that uses it is linked with --wrap (FAULTS_LINK in the Makefile), so
 * libraries are not touched. The program build/FLAVOUR/tests/faults/drop7 is drop7 with
 * FAULTS=KIND:N in its environment; it makes the file FAULTS_FIRED when the fault has come. Threads
 * calls are counted over all threads.
 */
#ifndef TESTS_SUPPORT_FAULTS_H
#define TESTS_SUPPORT_FAULTS_H

#include <stdbool.h>

enum faults_kind {
    FAULTS_MEMORY,    /* malloc and its like give NULL; libcurl's too */
    FAULTS_DISK,      /* files, folders, descriptors, processes: -1 and an errno */
    FAULTS_LASTING,   /* the same, and every call after it fails too */
    FAULTS_INTERRUPT, /* every nth of those that a signal can interrupt: -1 and EINTR */
    FAULTS_SQL,       /* a statement of SQLite's: SQLITE_IOERR */
    FAULTS_KINDS
};

/* at: 1 is the next call. */
void faults_arm(enum faults_kind kind, long at);
/* No more of them. Whether there was one. */
bool faults_disarm(void);

#endif
