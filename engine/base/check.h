/*
 * check.h - assertions that stay on, and scope-bound clean-up.
 *
 * Why     D7_CHECK is for our own bugs only: input, disk, network and children are never a CHECK,
 * they are errors. Threads none.
 */
#ifndef ENGINE_BASE_CHECK_H
#define ENGINE_BASE_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define D7_CHECK(claim)                                                                            \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            (void)fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #claim);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define D7_MUST_USE          __attribute__((warn_unused_result))
#define D7_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define D7_COUNT(array)      (sizeof(array) / sizeof((array)[0]))

static inline void d7_auto_free(void *slot)
{
    free(*(void **)slot);
}

static inline void d7_auto_close(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

/* Freed, or closed, when the variable goes out of scope. For short scopes; several objects are
 * built with goto out. */
#define D7_AUTO_FREE  __attribute__((cleanup(d7_auto_free)))
#define D7_AUTO_CLOSE __attribute__((cleanup(d7_auto_close)))

#endif
