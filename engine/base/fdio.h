/*
 * fdio.h - the few descriptor and file calls everybody needs, with EINTR and short counts handled
 * once.
 *
 * Errors  by d7_err_from_errno.
 * Threads safe.
 */
#ifndef ENGINE_BASE_FDIO_H
#define ENGINE_BASE_FDIO_H

#include "engine/base/buf.h"

/* Writes everything to a blocking descriptor. */
D7_MUST_USE enum d7_err fd_write_all(int fd, const void *bytes, size_t len);
/* Appends all up to end of file to `to` (its limit holds: D7_ERR_TOO_LARGE). */
D7_MUST_USE enum d7_err fd_read_all(int fd, struct buf *to);
D7_MUST_USE enum d7_err fd_set_nonblock(int fd);
/* The whole file appended to `to`. D7_ERR_NOT_FOUND, D7_ERR_TOO_LARGE, D7_ERR_IO. */
D7_MUST_USE enum d7_err file_read(const char *path, struct buf *to);
/* Atomically: temporary name beside it, fsync, rename, fsync of the folder. Nothing is left on
 * failure. */
D7_MUST_USE enum d7_err file_write(const char *path, struct span bytes, unsigned mode);

#endif
