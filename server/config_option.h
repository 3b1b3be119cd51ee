/*
 * config_option.h - inside config: one row of the option table, and setting a value by its kind.
 *
 * Why     the limits stand in the row, so a refusal can always name them.
 * Threads none. Errors  D7_ERR_INVALID with source and limit in why.
 */
#ifndef SERVER_CONFIG_OPTION_H
#define SERVER_CONFIG_OPTION_H

#include "server/config.h"

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,
    OPTION_SECONDS,
    OPTION_BYTES,
    OPTION_CHOICE,
    OPTION_CIDRS,
    OPTION_NAMES,
    OPTION_LISTEN
};

struct option {
    const char *name;
    enum option_kind kind;
    size_t at;             /* offset of the field in struct config */
    size_t more;           /* TEXT, LISTEN: size of the field. CIDRS, NAMES: offset of the count */
    int64_t lo, hi;        /* COUNT; SECONDS in ms; BYTES */
    const char *choice[2]; /* CHOICE: the word for false and the one for true */
    const char *value, *fallback, *help;
};

/* One option being set: where it came from, for messages, and where it goes. */
struct setting {
    const struct option *o;
    const char *source; /* "--workers" or "DROP7_WORKERS" */
    struct span value;
    struct config *to;
    struct d7_why *why;
};

D7_MUST_USE enum d7_err option_set(const struct setting *s);
/* Empties a list before the command line's first value for it replaces the environment's. */
void option_clear(const struct setting *s);

#endif
