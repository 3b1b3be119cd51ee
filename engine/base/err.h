/*
 * err.h - the one error enum, and the reason that goes with a refusal.
 *
 * Why     code and text come from one table; the HTTP layer maps codes to statuses in one place
 * (server/http/reply.c). Threads none: d7_err_text returns constants; a struct d7_why belongs to
 * its caller.
 */
#ifndef ENGINE_BASE_ERR_H
#define ENGINE_BASE_ERR_H

#include "engine/base/check.h"

#define D7_ERR_TABLE(X)                                                                            \
    X(D7_OK, "ok")                                                                                 \
    X(D7_ERR_NOMEM, "out of memory")                                                               \
    X(D7_ERR_INVALID, "invalid value")                                                             \
    X(D7_ERR_SYNTAX, "malformed text")                                                             \
    X(D7_ERR_NOT_FOUND, "not found")                                                               \
    X(D7_ERR_CONFLICT, "conflict with what is stored")                                             \
    X(D7_ERR_TOO_LARGE, "over the size limit")                                                     \
    X(D7_ERR_UNAUTHORIZED, "no valid token")                                                       \
    X(D7_ERR_FORBIDDEN, "not allowed")                                                             \
    X(D7_ERR_QUOTA, "quota used up")                                                               \
    X(D7_ERR_RATE, "too many requests")                                                            \
    X(D7_ERR_BUSY, "busy")                                                                         \
    X(D7_ERR_FULL, "no space left")                                                                \
    X(D7_ERR_IO, "input or output failed")                                                         \
    X(D7_ERR_TIMEOUT, "timed out")                                                                 \
    X(D7_ERR_CLOSED, "the other side closed")                                                      \
    X(D7_ERR_CANCELLED, "cancelled")                                                               \
    X(D7_ERR_CORRUPT, "stored data is damaged")                                                    \
    X(D7_ERR_VERSION, "written by a newer version")                                                \
    X(D7_ERR_UNSUPPORTED, "not supported here")                                                    \
    X(D7_ERR_UNAVAILABLE, "not available now")                                                     \
    X(D7_ERR_INTERNAL, "internal error")

enum d7_err {
#define X(name, text) name,
    D7_ERR_TABLE(X)
#undef X
        D7_ERR_COUNT
};

/* Why something was refused: which field, and a sentence naming the limit. Both empty when unknown.
 */
struct d7_why {
    char field[64];
    char text[320];
};

/* A constant sentence; never NULL, also for values outside the enum. */
const char *d7_err_text(enum d7_err err);

/* Fills *why (may be NULL) and returns err, so a refusal is one statement. Over-long text is cut.
 * field may be NULL. */
enum d7_err d7_refuse(struct d7_why *why, enum d7_err err, const char *field, const char *format,
                      ...) D7_PRINTF(4, 5);

/* The error an errno value stands for (ENOSPC -> FULL, ENOMEM -> NOMEM, ENOENT -> NOT_FOUND, ...
 * else IO). */
enum d7_err d7_err_from_errno(int number);

#endif
