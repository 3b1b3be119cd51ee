/*
 * filter.h - the system-call filters as they are built into drop7-sandbox.
 *
 * Why     server/sandbox/rules/filter.c puts the rules together with libseccomp when the launcher
 * is built, and prints them as C; at a start they are copied, two values are written in, and the
 * kernel takes them. Owns    constants. Threads safe.
 */
#ifndef SERVER_SANDBOX_FILTER_H
#define SERVER_SANDBOX_FILTER_H

#include <linux/filter.h>

/* What is started, and by which call. */
enum filter_kind {
    FILTER_PROGRAM, /* execve */
    FILTER_BY_FD,   /* execveat of a descriptor */
    FILTER_SCRIPT,  /* execve of an interpreter; has a /tmp */
    FILTER_KINDS
};

struct filter_program {
    const struct sock_filter *code;
    unsigned length;
};

extern const struct filter_program filter_programs[FILTER_KINDS];

/* Marks in a comparison's constant, which filter_apply replaces. */
#define FILTER_MARK_PID  0x5eb1d01du /* the own process id */
#define FILTER_MARK_LOW  0x5eb1d02du /* the pointer execve and execveat accept */
#define FILTER_MARK_HIGH 0x5eb1d03du

#endif
