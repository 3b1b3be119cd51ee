/*
 * token_use.h - when a token's use is worth a write: once a minute, not at every request.
 *
 * Owns    struct token_uses is a plain value, zeroed at birth.
 * Threads none: one a thread; so a token may be noted once a minute by each of them.
 * Bounds  the last TOKEN_USES_KEPT tokens; one that fell out is noted again, which does no harm.
 */
#ifndef SERVER_API_TOKEN_USE_H
#define SERVER_API_TOKEN_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash.h"

#define TOKEN_USES_KEPT   16
#define TOKEN_USE_EACH_MS 60000

struct token_uses {
    struct {
        char sha256[SHA_HEX_SIZE]; /* empty: free */
        int64_t at_ms;
    } kept[TOKEN_USES_KEPT];
    size_t next;
};

/* Is this use to be noted? Then it counts as noted, whatever becomes of the write. */
bool token_use_is_due(struct token_uses *uses, const char *sha256, int64_t now_mono_ms);

#endif
