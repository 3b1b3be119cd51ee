/*
 * quota.h - how much of the server one account may hold.
 *
 * Why     everything an account can pile up has an end. What is there is counted in the transaction
 * that would add to it, so requests side by side cannot get past a limit together.
 * Errors  D7_ERR_QUOTA, with the true numbers.
 * Threads none: plain values.
 */
#ifndef STORE_QUOTA_H
#define STORE_QUOTA_H

#include "store/store.h"

enum quota_thing {
    QUOTA_POLICIES,  /* not retired */
    QUOTA_REVISIONS, /* of the last 24 hours; a policy's first one counts */
    QUOTA_JOBS,      /* checks and games nobody has begun */
    QUOTA_ARTIFACTS, /* bytes of programs of policies not retired; equal files once */
    QUOTA_THINGS
};
/* As the API names it. */
const char *quota_thing_text(enum quota_thing t);

struct quota {
    int64_t limit[QUOTA_THINGS]; /* 0: none */
};

/* What a refused addition came to. */
struct quota_excess {
    enum quota_thing thing;
    int64_t used, asked, limit;
};

/* What the account holds now, of one moment. */
D7_MUST_USE enum d7_err quota_used(struct store *st, int64_t account, int64_t now,
                                   int64_t ret_used[QUOTA_THINGS]);

#endif
