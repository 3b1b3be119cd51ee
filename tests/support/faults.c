#include "tests/support/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/support/faults_in.h"

static atomic_int armed = -1;
static atomic_long left, period;
static atomic_bool fired;

bool faults_now(enum faults_kind kind)
{
    int now = atomic_load(&armed);
    if (now != (int)kind && !(now == FAULTS_LASTING && kind == FAULTS_DISK)) {
        return false;
    }
    long which = atomic_fetch_sub(&left, 1);
    if (which > 1 || (which < 1 && now != FAULTS_LASTING)) {
        return false;
    }
    if (now == FAULTS_INTERRUPT) {
        atomic_store(&left, period); /* again and again: one alone is the easy case */
    }
    atomic_store(&fired, true);
    return true;
}

void faults_arm(enum faults_kind kind, long at)
{
    atomic_store(&fired, false);
    atomic_store(&left, at);
    atomic_store(&period, at);
    atomic_store(&armed, (int)kind);
}

bool faults_disarm(void)
{
    atomic_store(&armed, -1);
    return atomic_load(&fired);
}

/* --- memory ------------------------------------------------------------------------------------
 */

#define MEMORY(name, params, args)                                                                 \
    void *__real_##name params;                                                                    \
    void *__wrap_##name params;                                                                    \
    void *__wrap_##name params                                                                     \
    {                                                                                              \
        if (faults_now(FAULTS_MEMORY)) {                                                           \
            errno = ENOMEM;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        return __real_##name args;                                                                 \
    }

MEMORY(malloc, (size_t size), (size))
MEMORY(calloc, (size_t count, size_t size), (count, size))
MEMORY(realloc, (void *old, size_t size), (old, size))
MEMORY(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
MEMORY(aligned_alloc, (size_t to, size_t size), (to, size))

/* --- calls that answer with -1 ------------------------------------------------------------------
 */

#define CALL(kind, number, type, name, params, args)                                               \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        if (faults_now(kind)) {                                                                    \
            errno = number;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        return __real_##name args;                                                                 \
    }
#define BOTH(number, type, name, params, args)                                                     \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        bool interrupted = faults_now(FAULTS_INTERRUPT);                                           \
        if (interrupted || faults_now(FAULTS_DISK)) {                                              \
            errno = interrupted ? EINTR : number;                                                  \
            return -1;                                                                             \
        }                                                                                          \
        return __real_##name args;                                                                 \
    }

BOTH(EIO, ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
BOTH(ENOSPC, ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
BOTH(EIO, int, flock, (int fd, int operation), (fd, operation))
BOTH(ENOMEM, int, poll, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms))
BOTH(ENOMEM, int, ppoll,
     (struct pollfd * fds, nfds_t count, const struct timespec *ts, const sigset_t *set),
     (fds, count, ts, set))
BOTH(ENOMEM, ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags))
CALL(FAULTS_DISK, EIO, int, fsync, (int fd), (fd))
CALL(FAULTS_DISK, EIO, int, rename, (const char *from, const char *to), (from, to))
CALL(FAULTS_DISK, ENOSPC, int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(FAULTS_DISK, EXDEV, int, link, (const char *from, const char *to), (from, to))
CALL(FAULTS_DISK, EIO, int, chmod, (const char *path, mode_t mode), (path, mode))
CALL(FAULTS_DISK, EIO, int, unlink, (const char *path), (path))
CALL(FAULTS_DISK, EIO, int, remove, (const char *path), (path))
CALL(FAULTS_DISK, EIO, int, stat, (const char *path, struct stat *to), (path, to))
CALL(FAULTS_DISK, EIO, int, lstat, (const char *path, struct stat *to), (path, to))
CALL(FAULTS_DISK, EIO, int, statvfs, (const char *path, struct statvfs *to), (path, to))
CALL(FAULTS_DISK, EMFILE, int, pipe2, (int fds[2], int flags), (fds, flags))
CALL(FAULTS_DISK, EMFILE, int, socket, (int family, int type, int protocol),
     (family, type, protocol))
CALL(FAULTS_DISK, ENOBUFS, int, listen, (int fd, int backlog), (fd, backlog))
CALL(FAULTS_DISK, EMFILE, int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
CALL(FAULTS_DISK, EMFILE, int, eventfd, (unsigned first, int flags), (first, flags))
CALL(FAULTS_DISK, EMFILE, int, pidfd_open, (pid_t pid, unsigned flags), (pid, flags))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (faults_now(FAULTS_DISK)) {
        errno = EMFILE;
        return -1;
    }
    return __real_open(path, flags, mode);
}

/* Closed all the same, as the kernel does. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int done = __real_close(fd);
    if (done == 0 && faults_now(FAULTS_DISK)) {
        errno = EIO;
        return -1;
    }
    return done;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    if (faults_now(FAULTS_DISK)) {
        errno = EMFILE;
        return NULL;
    }
    return __real_opendir(path);
}

/* --- calls that answer with the number of the error ---------------------------------------------
 */

int __real_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    return faults_now(FAULTS_DISK) ? EAGAIN
                                   : __real_posix_spawn(pid, path, actions, attr, argv, envp);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *ctx);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *ctx);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *ctx)
{
    return faults_now(FAULTS_DISK) ? EAGAIN : __real_pthread_create(thread, attr, run, ctx);
}

/* --- a whole program ----------------------------------------------------------------------------
 */

static void tell(void)
{
    const char *path = getenv("FAULTS_FIRED");
    if (faults_disarm() && path) {
        int fd = __real_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) {
            (void)__real_close(fd);
        }
    }
}

static __attribute__((constructor)) void from_environment(void)
{
    static const char *const names[FAULTS_KINDS] = {"memory", "disk", "lasting", "interrupt",
                                                    "sql"};
    const char *wanted = getenv("FAULTS");
    char name[16];
    long at = 0;
    if (!wanted || sscanf(wanted, "%15[a-z]:%ld", name, &at) != 2 || atexit(tell) != 0) {
        return;
    }
    for (int i = 0; i < FAULTS_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            faults_arm((enum faults_kind)i, at);
        }
    }
}
