/*
 * stdlib.h - memory for wasm32 without a libc: given out once, from a fixed store, never back.
 *
 * Why     the one allocation is the cache of the greedy policy, which lives as long as the page.
 * Threads none.
 */
#ifndef ENGINE_WASM_LIBC_STDLIB_H
#define ENGINE_WASM_LIBC_STDLIB_H

#include <stddef.h>

/* NULL when the store is used up. */
void *calloc(size_t count, size_t size);
void free(void *block);

static inline _Noreturn void abort(void)
{
    __builtin_trap();
}

#endif
