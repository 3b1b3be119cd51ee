/*
 * hash.h - SHA-256 as lower-case hex, and random secrets. The only user of nettle.
 *
 * Threads none: a struct sha belongs to its caller.
 */
#ifndef ENGINE_BASE_HASH_H
#define ENGINE_BASE_HASH_H

#include <stdalign.h>

#include "engine/base/span.h"

#define SHA_HEX_SIZE 65

struct sha {
    alignas(8) uint8_t state[128]; /* holds nettle's context; hash.c checks the size */
};

void sha_init(struct sha *s);
void sha_update(struct sha *s, const void *bytes, size_t len);
/* 64 hex digits and a NUL; the context is as after sha_init. */
void sha_final(struct sha *s, char ret_hex[SHA_HEX_SIZE]);
void sha_of(struct span text, char ret_hex[SHA_HEX_SIZE]);

/* Equal in time independent of the contents (lengths may be told apart). */
bool secret_equal(struct span a, struct span b);
/* 2*bytes hex digits and a NUL from the kernel's random source; size must be 2*bytes + 1. D7_ERR_IO
 * if it fails. */
D7_MUST_USE enum d7_err random_hex(char *ret_hex, size_t bytes);

#endif
