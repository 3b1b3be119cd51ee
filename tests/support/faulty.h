/*
 * faulty.h - runs a command of drop7 again and again, each time with another call failing.
 *
 * Errors  the test fails where the command is killed by a signal, hangs, ends well but with another
 * answer than without a fault, or badly without a word.
 */
#ifndef TESTS_SUPPORT_FAULTY_H
#define TESTS_SUPPORT_FAULTY_H

#include "tests/support/support.h"

struct faulty {
    const char *args;  /* words, separated by one space; @ is a scratch folder, made anew each time,
                                  and ~ a space inside of a word */
    const char *input; /* standard input; may be NULL */
    bool varies;       /* times and ids in the answer: not compared */
    unsigned most;     /* no call after this many is made to fail; 0: all */
    int clean;         /* the exit status without a fault */
};

/* kind: as FAULTS in faults.h. Returns how many calls were made to fail. */
unsigned faulty_run(const struct faulty *f, const char *kind);

#endif
