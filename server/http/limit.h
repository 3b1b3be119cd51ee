/*
 * limit.h - how often somebody may do something: token buckets by account and by address.
 *
 * Why     a limit that holds must not cost memory by the number of strangers: each kind has a table
 * of fixed size. A full bucket is the same as none, so those make room first; where a row has no
 * full one, the fullest goes (whoever fills the table gains a fresh bucket, never takes one away).
 * Owns    struct limiter owns its tables. Threads any: one mutex, held for a row's length.
 * Bounds  LIMIT_SLOTS buckets a kind, LIMIT_ROW looked at in each call.
 * Time    the caller's monotonic microseconds.
 */
#ifndef SERVER_HTTP_LIMIT_H
#define SERVER_HTTP_LIMIT_H

#include "server/cidr.h"

#define LIMIT_SLOTS 4096
#define LIMIT_ROW   8

enum limit_kind {
    LIMIT_WRITES,   /* by account */
    LIMIT_TOKENS,   /* accounts made, by address */
    LIMIT_FAILURES, /* tokens that are none, by address */
    LIMIT_PLAYS,    /* moves of plays, by address */
    LIMIT_KINDS
};

/* `count` at once, and as many again over each period. count 0: no limit. */
struct limit_rate {
    unsigned count;
    int64_t period_ms;
};

struct limit_key {
    uint8_t bytes[9];
};
struct limit_key limit_key_account(int64_t id);
/* IPv6 clients own a /64 as a rule, so that is one address. */
struct limit_key limit_key_address(const struct ip_address *address);

struct limiter;
/* D7_ERR_NOMEM, D7_ERR_IO (no random number: rows must not be guessable). */
D7_MUST_USE enum d7_err limiter_new(const struct limit_rate rates[LIMIT_KINDS],
                                    struct limiter **ret);
/* Takes NULL. No call may be running. */
void limiter_free(struct limiter *l);

/* Takes one; D7_ERR_RATE with the seconds (1 or more) after which there is one again. A NULL
 * limiter limits nothing. */
D7_MUST_USE enum d7_err limit_take(struct limiter *l, enum limit_kind kind, struct limit_key key,
                                   int64_t now_us, int *ret_retry_s);
/* What was taken came to nothing: it does not count. */
void limit_give_back(struct limiter *l, enum limit_kind kind, struct limit_key key);

#endif
