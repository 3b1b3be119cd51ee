#include "engine/base/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/base/hash.h"

enum d7_err fd_write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        ssize_t put = write(fd, at, len);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            return d7_err_from_errno(errno);
        }
        at += put;
        len -= (size_t)put;
    }
    return D7_OK;
}

enum d7_err fd_read_all(int fd, struct buf *to)
{
    for (;;) {
        char chunk[16384];
        ssize_t got = read(fd, chunk, sizeof(chunk));
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return d7_err_from_errno(errno);
        }
        if (got == 0) {
            return D7_OK;
        }
        buf_append(to, chunk, (size_t)got);
        if (to->err) {
            return to->err;
        }
    }
}

enum d7_err fd_set_nonblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        return d7_err_from_errno(errno);
    }
    return D7_OK;
}

enum d7_err file_read(const char *path, struct buf *to)
{
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return d7_err_from_errno(errno);
    }
    return fd_read_all(fd, to);
}

static enum d7_err sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    if (span_copy(span_of(path), folder, sizeof(folder))) {
        return D7_ERR_TOO_LARGE;
    }
    char *slash = strrchr(folder, '/');
    if (!slash) {
        folder[0] = '.';
        folder[1] = '\0';
    } else {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    D7_AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0) {
        return d7_err_from_errno(errno);
    }
    return D7_OK;
}

enum d7_err file_write(const char *path, struct span bytes, unsigned mode)
{
    char tag[17];
    enum d7_err err = random_hex(tag, 8);
    if (err) {
        return err;
    }
    char temporary[PATH_MAX];
    int used = snprintf(temporary, sizeof(temporary), "%s.%s.tmp", path, tag);
    if (used < 0 || (size_t)used >= sizeof(temporary)) {
        return D7_ERR_TOO_LARGE;
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, (mode_t)mode);
    if (fd < 0) {
        return d7_err_from_errno(errno);
    }
    err = fd_write_all(fd, bytes.ptr, bytes.len);
    if (!err && fsync(fd) < 0) {
        err = d7_err_from_errno(errno);
    }
    if (close(fd) < 0 && !err) {
        err = d7_err_from_errno(errno); /* some file systems report a full disk only here */
    }
    if (!err && rename(temporary, path) < 0) {
        err = d7_err_from_errno(errno);
    }
    if (err) {
        (void)unlink(temporary); /* nothing half-written stays; the first error is what counts */
        return err;
    }
    return sync_folder_of(path);
}
