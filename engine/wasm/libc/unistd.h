/*
 * unistd.h - a page has no descriptors; engine/base/check.h names close in a macro's helper.
 *
 * Threads none.
 */
#ifndef ENGINE_WASM_LIBC_UNISTD_H
#define ENGINE_WASM_LIBC_UNISTD_H

static inline int close(int fd)
{
    (void)fd;
    return -1;
}

#endif
