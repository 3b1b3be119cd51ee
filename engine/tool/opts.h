/*
 * opts.h - command-line options of the drop7 commands: one table a command, read by one parser.
 *
 * Errors  D7_ERR_INVALID with one line naming the option; the commands print it and exit 2.
 * Threads none.
 */
#ifndef ENGINE_TOOL_OPTS_H
#define ENGINE_TOOL_OPTS_H

#include "engine/base/jsonout.h"

#define OPTS_REPEAT_MAX 64

struct opt {
    const char *name;       /* "--rounds" */
    const char *value_name; /* "LIST" for the help; NULL: a flag */
    const char *help;
    const char **ret_text; /* where the value goes; NULL for flags */
    bool *ret_flag;
};

struct opts {
    const char *usage; /* "drop7 bench [options]" */
    const struct opt *table;
    size_t count;
    unsigned positional_max;
    const char *positional[2]; /* out */
    unsigned positional_count; /* out */
    bool help;                 /* out: --help was asked */
};

/* argv[0] is the command's name. Both `--name value` and `--name=value`; the last one wins. */
D7_MUST_USE enum d7_err opts_parse(struct opts *o, int argc, char **argv, struct d7_why *why);
void opts_help(const struct opts *o, FILE *to);
/* Parses, and deals with --help and errors: returns -1 to go on, otherwise the exit status. */
int opts_begin(struct opts *o, int argc, char **argv);
/* "drop7: message" on stderr; returns status. */
int tool_fail(int status, const char *format, ...) D7_PRINTF(2, 3);
/* A line on stdout, and releases the text; where it could not be put together, says so. Returns the
 * exit status: 0 or 1. */
int tool_print(struct buf *text);
/* An integer option within limits, default when text is NULL; on failure says so and returns false.
 */
bool opts_integer(const char *name, const char *text, int64_t lo, int64_t hi, int64_t fallback,
                  int64_t *ret);
bool opts_seed(const char *name, const char *text, uint32_t fallback, uint32_t *ret);
/* One of a list. */
bool opts_seed_in(const char *name, struct span text, uint32_t *ret);

#endif
