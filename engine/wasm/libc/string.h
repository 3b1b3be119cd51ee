/*
 * string.h - the little of libc that rules and greedy policy use, for wasm32, which has none.
 *
 * Threads none.
 */
#ifndef ENGINE_WASM_LIBC_STRING_H
#define ENGINE_WASM_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *text);

#endif
