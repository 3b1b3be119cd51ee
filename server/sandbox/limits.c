#include "server/sandbox/launch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_FILES   32
#define STACK_BYTES  (8u << 20)
#define CPU_GRACE    1 /* seconds between SIGXCPU and SIGKILL */
#define SHARED_SLACK 32

/* One call of the kernel: for setrlimit a libc with threads in it may stop the world. */
static int limit(int what, rlim_t soft, rlim_t hard)
{
    struct rlimit was;
    if (syscall(SYS_prlimit64, 0, what, NULL, &was)) {
        return -1;
    }
    /* A limit somebody set on us before stays where it is the tighter one. */
    if (was.rlim_max != RLIM_INFINITY && was.rlim_max < hard) {
        hard = was.rlim_max;
    }
    struct rlimit now = {.rlim_cur = soft < hard ? soft : hard, .rlim_max = hard};
    return syscall(SYS_prlimit64, 0, what, &now, NULL) ? -1 : 0;
}

/* The kernel counts threads per uid. Where the policy shares ours, what runs already must not eat
 * its share: count it, and add. */
static rlim_t running_here(void)
{
    rlim_t count = 0;
    DIR *proc = opendir("/proc");
    if (!proc) {
        return 4096;
    }
    for (struct dirent *e = readdir(proc); e; e = readdir(proc)) {
        struct stat info;
        if (isdigit((unsigned char)e->d_name[0]) && !fstatat(dirfd(proc), e->d_name, &info, 0) &&
            info.st_uid == getuid() && info.st_nlink > 0) {
            count += 8; /* a process with its threads, roughly; the server is the largest */
        }
    }
    (void)closedir(proc);
    return count + SHARED_SLACK;
}

int limits_apply(const struct launch *l)
{
    bool counted_alone = l->own_uid || l->confinement == CONFINE_FULL;
    rlim_t processes = l->processes + (counted_alone ? 1 : running_here()); /* 1: its init */
    if (limit(RLIMIT_AS, l->memory_bytes, l->memory_bytes) ||
        limit(RLIMIT_CPU, l->cpu_seconds, (rlim_t)l->cpu_seconds + CPU_GRACE) ||
        limit(RLIMIT_NPROC, processes, processes) || limit(RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES) ||
        limit(RLIMIT_FSIZE, l->files_bytes, l->files_bytes) ||
        limit(RLIMIT_STACK, STACK_BYTES, STACK_BYTES)) {
        return -1;
    }
    /* One byte, not none: no file fits in either, but only 1 also keeps the kernel from starting
     * a core handler on the host (core(5), "|" patterns ignore a limit of 0). */
    if (limit(RLIMIT_CORE, 1, 1)) {
        return -1;
    }
    return limit(RLIMIT_MSGQUEUE, 0, 0) || limit(RLIMIT_MEMLOCK, 0, 0) ||
                   limit(RLIMIT_SIGPENDING, 128, 128) || limit(RLIMIT_RTPRIO, 0, 0)
               ? -1
               : 0;
}
