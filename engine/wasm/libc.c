/*
 * Design note
 *
 * The page supplies a memory of MEMORY_SIZE, zero at the start, and the linker says where the
 * module's own part of it ends: calloc gives out the rest. (A static array would do, but a module
 * that imports its memory carries its zeros as data.) The loops are told not to be turned into
 * calls of themselves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_SIZE (8u << 20) /* as the Makefile links it and static/js/engine.js supplies it */

extern unsigned char __heap_base; /* the linker's */
static size_t used;

void *calloc(size_t count, size_t size)
{
    size_t room = MEMORY_SIZE - (size_t)(uintptr_t)&__heap_base - used;
    if (size && count > room / size) {
        return NULL;
    }
    size_t wanted = (count * size + 15) & ~(size_t)15;
    if (wanted > room) {
        return NULL;
    }
    void *block = &__heap_base + used; /* zero since the start: nothing is given out twice */
    used += wanted;
    return block;
}

void free(void *block)
{
    (void)block;
}

__attribute__((no_builtin)) void *memcpy(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
    }
    return to;
}

__attribute__((no_builtin)) void *memset(void *to, int byte, size_t n)
{
    unsigned char *t = to;
    for (size_t i = 0; i < n; i++) {
        t[i] = (unsigned char)byte;
    }
    return to;
}

__attribute__((no_builtin)) int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a;
    const unsigned char *y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t n = 0;
    while (text[n]) {
        n++;
    }
    return n;
}
