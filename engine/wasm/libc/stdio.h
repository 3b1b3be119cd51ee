/*
 * stdio.h - a broken claim has nowhere to be printed in a page: the trap that follows is its word.
 *
 * Threads none.
 */
#ifndef ENGINE_WASM_LIBC_STDIO_H
#define ENGINE_WASM_LIBC_STDIO_H

#define stderr ((void *)0)

static inline int fprintf(void *to, const char *format, ...)
{
    (void)to;
    (void)format;
    return 0;
}

#endif
