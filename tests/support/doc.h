/*
 * doc.h - runs the commands of a document as its reader would: pasted into one shell, in order.
 *
 * Why     a command in a document is a promise. A block opened by ```sh is run; one that cannot be
 * run in a test is opened by ```sh tried-by=FILE, where FILE is the script or test that tries it.
 * Owns    nothing; doc_folder() is in support_scratch() and goes with it.
 * Errors  whatever goes wrong fails the test.
 */
#ifndef TESTS_SUPPORT_DOC_H
#define TESTS_SUPPORT_DOC_H

#include "tests/support/support.h"

/* A text of the document that is another one here: a port, a folder. */
struct doc_swap {
    const char *from, *to;
};

#define DOC_SWAPS 8

struct doc_run {
    const char *folder; /* of doc_folder() */
    const char *file;
    const char *heading;             /* only what is below this line; NULL: all of it */
    const char *before;              /* the shell's first lines, after `set -e`; NULL: none */
    struct doc_swap swap[DOC_SWAPS]; /* up to the first without a text */
    int64_t wait_ms;
};

/* A new scratch folder with repo/, where the shell stands: the repository by links, and a build/ of
 * its own that has the programs under test; and bin/, first on its path, with the same programs. */
const char *doc_folder(void);
/* Appends the blocks that are run. Returns how many there were. */
size_t doc_blocks(const struct doc_run *run, struct buf *to);
/* Runs them in bash, which stops at the first command that fails; a command that is not there
 * fails too. Sets how many blocks there were. Returns what was said on stdout; the caller frees. */
char *doc_run(const struct doc_run *run, size_t *ret_blocks);
/* Fails unless the texts are in `said` in this order. */
void doc_assert_says(const char *said, const char *const *wanted, size_t count);
/* A TCP port of 127.0.0.1 that is kept from others until the process ends, and which a program that
 * sets SO_REUSEADDR can listen on. */
unsigned doc_port(void);

#endif
