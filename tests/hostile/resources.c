/* Takes everything there is: memory, time, stack, room in memory files, bytes on stdout. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "attack.h"

#define MIB ((size_t)1 << 20)

/* 8 GiB, every page touched; held when less than 2 came. */
static bool memory(const char *word)
{
    size_t got = 0;
    (void)word;
    for (; got < 8192; got += 16) {
        char *p = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            break;
        }
        for (size_t i = 0; i < 16 * MIB; i += 4096) {
            p[i] = 1;
        }
    }
    return got < 2048;
}

static bool memory_file(const char *word)
{
    (void)word;
    return memfd_create("x", 0) < 0 && syscall(SYS_memfd_secret, 0) < 0 &&
           syscall(SYS_shmget, 0, 4096, 0600) < 0 &&
           syscall(SYS_mq_open, "/q", O_CREAT, 0600, NULL) < 0;
}

/* What stays in the kernel, or tells of others there, though no file is named. */
static bool kernel_objects(const char *word)
{
    (void)word;
    return syscall(SYS_msgget, 0x6437, 0600 | 01000) < 0 &&
           syscall(SYS_semget, 0x6437, 1, 0600 | 01000) < 0 &&
           syscall(SYS_shmat, 0, NULL, 0) == -1 && syscall(SYS_io_setup, 1, &(long){0}) < 0 &&
           syscall(SYS_inotify_init1, 0) < 0 && syscall(SYS_fanotify_init, 0, 0) < 0 &&
           syscall(SYS_signalfd4, -1, &(long){0}, 8, 0) < 0 &&
           syscall(SYS_syslog, 3, NULL, 0) < 0 && syscall(SYS_personality, 0x0400000) < 0;
}

static bool busy(const char *word)
{
    (void)word;
    for (volatile unsigned long n = 1; n; n++) {
    }
    return false;
}

static bool busy_deaf(const char *word)
{
    signal(SIGXCPU, SIG_IGN);
    return busy(word);
}

static int deeper(int n)
{
    volatile char page[4096];
    page[0] = (char)n;
    return n < 0 ? page[0] : deeper(n + 1) + page[0];
}

static bool stack(const char *word)
{
    (void)word;
    return deeper(0) == -1;
}

static bool core(const char *word)
{
    struct rlimit l;
    (void)word;
    if (getrlimit(RLIMIT_CORE, &l) || l.rlim_max > 1) {
        return false;
    }
    abort();
}

static bool raise_limits(const char *word)
{
    struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}, was;
    (void)word;
    return setrlimit(RLIMIT_AS, &l) && setrlimit(RLIMIT_CPU, &l) && setrlimit(RLIMIT_NPROC, &l) &&
           setrlimit(RLIMIT_CORE, &l) && prlimit(getppid(), RLIMIT_CPU, NULL, &was) &&
           prlimit(getppid(), RLIMIT_CPU, &l, NULL) && prlimit(1, RLIMIT_NOFILE, &l, NULL);
}

static bool affinity(const char *word)
{
    cpu_set_t all;
    struct sched_param first = {.sched_priority = 1};
    (void)word;
    memset(&all, 0xff, sizeof(all));
    return sched_setaffinity(0, sizeof(all), &all) &&
           sched_setaffinity(getppid(), sizeof(all), &all) &&
           sched_setscheduler(0, SCHED_FIFO, &first) && setpriority(PRIO_PROCESS, 0, -20);
}

static bool pipe_size(const char *word)
{
    (void)word;
    return fcntl(1, F_SETPIPE_SZ, 1 << 20) < 0 && fcntl(0, F_SETPIPE_SZ, 1 << 20) < 0;
}

static bool lock_memory(const char *word)
{
    (void)word;
    return mlockall(MCL_CURRENT | MCL_FUTURE) && syscall(SYS_mlock, &attack_main, 1) < 0;
}

static bool flood(const char *word)
{
    static char bytes[65536];
    int fd = strcmp(word, "stderr") == 0 ? 2 : 1;
    memset(bytes, 'x', sizeof(bytes));
    while (write(fd, bytes, sizeof(bytes)) > 0) {
    }
    return true;
}

static bool close_all(const char *word)
{
    (void)word;
    printf("READY\n");
    fflush(stdout);
    close(0);
    close(1);
    close(2);
    while (pause()) {
    }
    return false;
}

static const struct attack attacks[] = {{"memory", memory},
                                        {"memory-file", memory_file},
                                        {"kernel-objects", kernel_objects},
                                        {"busy", busy},
                                        {"stack", stack},
                                        {"busy-deaf", busy_deaf},
                                        {"core", core},
                                        {"limits", raise_limits},
                                        {"affinity", affinity},
                                        {"pipe-size", pipe_size},
                                        {"lock-memory", lock_memory},
                                        {"flood", flood},
                                        {"close-all", close_all}};
ATTACK_MAIN(attacks)
