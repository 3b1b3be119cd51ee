/*
 * Design note: this runs as the policy, in exactly the confinement a policy gets, and tries what a
 * policy must not be able to do. It is the launcher's own program again (drop7-sandbox --inside
 * PART), so what it shows holds for a dynamic program, the kind that sees most.
 *
 *   all       everything that is refused with an error; prints a line for each that got through
 *   others    one call that must end the process; returning is getting through
 *
 * A check is a claim that holds; what it needs from outside it does not take from the environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "server/sandbox/launch.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#define X32_BIT 0x40000000

static bool cannot_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)close(fd); /* open was the crime */
    }
    return fd < 0;
}

static bool host_files(void)
{
    return cannot_open("/etc/passwd", O_RDONLY) && cannot_open("/etc/shadow", O_RDONLY) &&
           cannot_open("/etc/hostname", O_RDONLY);
}

static bool host_folders(void)
{
    static const char *const list[] = {"/etc", "/var", "/var/lib", "/home", "/root", "/proc",
                                       "/sys", "/dev", "/run",     "/srv",  "/opt",  "/mnt"};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (!cannot_open(list[i], O_RDONLY | O_DIRECTORY)) {
            return false;
        }
    }
    return true;
}

static bool other_processes(void)
{
    return cannot_open("/proc/1/environ", O_RDONLY) && cannot_open("/proc/1/maps", O_RDONLY) &&
           cannot_open("/proc/self/mem", O_RDWR);
}

static bool writing(void)
{
    static const char *const list[] = {"/x",         "/tmp/x",  "/var/tmp/x",
                                       "/dev/shm/x", "/usr/x",  "/usr/bin/x",
                                       "/run/x",     "/policy", "/proc/self/oom_score_adj"};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (!cannot_open(list[i], O_WRONLY | O_CREAT)) {
            return false;
        }
    }
    return true;
}

static bool making_and_changing(void)
{
    return mkdir("/tmp/d", 0700) && symlink("/etc/shadow", "/tmp/l") &&
           link("/usr/bin", "/tmp/h") && mkfifo("/tmp/f", 0600) &&
           mknod("/tmp/n", S_IFCHR | 0600, 0x103) && chmod("/policy", 0777) &&
           rename("/policy", "/p") && unlink("/policy") && truncate("/policy", 0) &&
           chown("/policy", 0, 0);
}

static bool sockets(void)
{
    static const int families[] = {AF_UNIX,  AF_INET, AF_INET6,     AF_NETLINK, AF_PACKET,
                                   AF_VSOCK, AF_ALG,  AF_BLUETOOTH, AF_XDP,     AF_TIPC};
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
            if (socket(families[i], types[k], 0) >= 0) {
                return false;
            }
        }
    }
    return true;
}

static bool socket_pairs(void)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0;
}

static bool forks(void)
{
    static const long flags[] = {SIGCHLD, SIGCHLD | CLONE_VFORK | CLONE_VM, SIGCHLD | CLONE_PARENT,
                                 SIGCHLD | CLONE_NEWUSER, CLONE_NEWPID};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        /* With CLONE_VM a child on our stack could only crash us: it is refused before. */
        long pid = flags[i] & CLONE_VM ? syscall(SYS_vfork)
                                       : syscall(SYS_clone, flags[i], NULL, NULL, NULL, NULL);
        if (pid == 0) {
            _exit(0);
        }
        if (pid > 0) {
            return false;
        }
    }
    struct clone_args args = {.exit_signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid == 0) {
        _exit(0);
    }
    return pid < 0;
}

static bool signals(void)
{
    return kill(-1, 0) && kill(0, 0) && kill(1, 0) && kill(getppid(), 0) && kill(-getpid(), 0) &&
           syscall(SYS_tgkill, getppid(), getppid(), 0) &&
           syscall(SYS_rt_sigqueueinfo, getpid(), SIGCONT, NULL) && !kill(getpid(), 0);
}

static bool process_descriptors(void)
{
    return syscall(SYS_pidfd_open, getppid(), 0) < 0 && syscall(SYS_pidfd_open, getpid(), 0) < 0;
}

static bool sessions(void)
{
    return setsid() < 0 && setpgid(0, 0) < 0;
}

static bool ids(void)
{
    return getuid() != 0 && geteuid() != 0 && getgid() != 0 && setuid(0) && setgid(0) &&
           setresuid(0, 0, 0) && syscall(SYS_setgroups, 0, NULL);
}

static bool rings(void)
{
    char params[256] = {0};
    return syscall(SYS_io_uring_setup, 4, params) < 0;
}

static bool memory_files(void)
{
    return memfd_create("x", 0) < 0 && syscall(SYS_memfd_secret, 0) < 0 &&
           syscall(SYS_shmget, 0, 4096, 0600) < 0;
}

static bool raised_limits(void)
{
    struct rlimit one = {.rlim_cur = 1, .rlim_max = 1}, was;
    return setrlimit(RLIMIT_CPU, &one) &&
           syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, NULL, &was) &&
           syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &one, NULL) &&
           !syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &was);
}

static bool limits_set(void)
{
    static const struct {
        int what;
        rlim_t most;
    } list[] = {{RLIMIT_CORE, 1},
                {RLIMIT_NOFILE, 32},
                {RLIMIT_STACK, 8u << 20},
                {RLIMIT_MSGQUEUE, 0},
                {RLIMIT_AS, (rlim_t)1 << 46},
                {RLIMIT_CPU, 2000000},
                {RLIMIT_NPROC, 32768},
                {RLIMIT_FSIZE, (rlim_t)1 << 40}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        struct rlimit is;
        if (syscall(SYS_prlimit64, 0, list[i].what, NULL, &is) || is.rlim_max > list[i].most) {
            return false;
        }
    }
    return true;
}

static bool memory_limit(void)
{
    struct rlimit is;
    if (getrlimit(RLIMIT_AS, &is)) {
        return false;
    }
    return mmap(NULL, is.rlim_cur, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static bool affinity(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    CPU_SET(0, &all);
    struct sched_param first = {.sched_priority = 1};
    return sched_setaffinity(0, sizeof(all), &all) && sched_setscheduler(0, SCHED_FIFO, &first) &&
           setpriority(PRIO_PROCESS, 0, -5);
}

static bool pipes(void)
{
    return fcntl(1, F_SETPIPE_SZ, 1 << 20) < 0 && fcntl(1, F_SETOWN, getppid()) < 0 &&
           ioctl(0, TIOCSTI, "x") < 0;
}

/* A shell, and the policy's own loader on one. */
static bool other_programs(void)
{
    static char name[] = "sh";
    char *argv[] = {name, NULL}, *envp[] = {NULL};
    (void)execve("/bin/sh", argv, envp);
    (void)execve("/usr/bin/dash", argv, envp);
    (void)syscall(SYS_execveat, AT_FDCWD, "/usr/bin/dash", argv, envp, 0);
    return true; /* else we are not here any more, and say nothing */
}

static bool environment(void)
{
    return !environ || !environ[0];
}

static bool descriptors(void)
{
    for (int fd = 3; fd < 4096; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            return false;
        }
    }
    return true;
}

static void *nothing(void *arg)
{
    return arg;
}

static bool threads_allowed(void)
{
    pthread_t thread;
    void *back = NULL;
    return !pthread_create(&thread, NULL, nothing, &back) && !pthread_join(thread, &back);
}

static const struct {
    const char *name;
    bool (*holds)(void);
} checks[] = {{"the host's files are out of reach", host_files},
              {"the host's folders are out of reach", host_folders},
              {"other processes are out of reach", other_processes},
              {"no file can be written", writing},
              {"no file can be made, renamed, removed or changed", making_and_changing},
              {"no socket of any family", sockets},
              {"no socket pair", socket_pairs},
              {"no new process", forks},
              {"no signal to others", signals},
              {"no process descriptor", process_descriptors},
              {"the session and group cannot be left", sessions},
              {"an ordinary user for good", ids},
              {"no io_uring", rings},
              {"no memory files", memory_files},
              {"limits cannot be changed, nor others' read", raised_limits},
              {"limits are set", limits_set},
              {"the address space ends", memory_limit},
              {"no affinity or priority changes", affinity},
              {"pipes cannot grow, signal or type", pipes},
              {"no other program", other_programs},
              {"the environment is empty", environment},
              {"no descriptor was left open", descriptors},
              {"threads work", threads_allowed}};

/* --- what must end the process ---------------------------------------------------------------- */

static void try_ptrace(void)
{
    (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void try_reading_memory(void)
{
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    (void)process_vm_readv(getppid(), &here, 1, &there, 1, 0);
}

static void try_bpf(void)
{
    (void)syscall(SYS_bpf, 0, NULL, 0);
}

static void try_unshare(void)
{
    (void)unshare(CLONE_NEWUSER);
}

static void try_mount(void)
{
    (void)syscall(SYS_mount, NULL, NULL, NULL, 0, NULL); /* fails where it is let through */
}

static void try_x32(void)
{
    (void)syscall(X32_BIT | SYS_getpid);
}

static void try_32bit(void)
{
    long result = 20; /* getpid there */
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
}

static const struct {
    const char *name;
    void (*attack)(void);
} lethal[] = {{"ptrace", try_ptrace}, {"process_vm_readv", try_reading_memory},
              {"bpf", try_bpf},       {"unshare", try_unshare},
              {"mount", try_mount},   {"x32", try_x32},
              {"int80", try_32bit}};

const char *inside_lethal(size_t i)
{
    return i < sizeof(lethal) / sizeof(lethal[0]) ? lethal[i].name : NULL;
}

int inside_run(const char *part)
{
    for (size_t i = 0; i < sizeof(lethal) / sizeof(lethal[0]); i++) {
        if (strcmp(part, lethal[i].name) == 0) {
            lethal[i].attack();
            return 0;
        }
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* one check may end us: what is known by then counts */
    int through = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (!checks[i].holds()) {
            through++;
            (void)printf("FAILED %s\n", checks[i].name);
        }
    }
    (void)printf("%s\n", through ? "INSIDE FAILED" : "INSIDE OK");
    return fflush(stdout) || through ? 1 : 0;
}
