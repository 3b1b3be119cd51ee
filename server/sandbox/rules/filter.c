/*
 * filter - makes the system-call filters as C, when drop7-sandbox is built: server/sandbox/filter.h
 * says what comes out. Putting the rules together takes libseccomp longer than everything else a
 * start does, and they never change.
 *
 * Design note: an allow-list. What is not on it gets ENOSYS, so a libc falls back as it would on an
 * older kernel; what programs try out of habit gets EPERM, so their message makes sense; what only
 * an attack does ends it (SIGSYS), as does another ABI (32-bit, x32). All three are equally closed.
 *
 *   threads   clone with the flags of a thread only; clone3 is ENOSYS (its flags are in memory,
 *             where a filter cannot look)
 *   signals   kill, tgkill, tkill to the own process id only
 *   exec      with the launcher's own pointer: the address is random, and what could be mapped
 *             there later is still only what Landlock lets execute
 *   locks     none: on a file that others see too (its own, /usr) one is a message to another game
 *   pipes     no F_SETPIPE_SZ, no F_SETOWN; ioctl only what isatty and event loops ask
 *
 * clock_gettime is not here to be filtered: the vDSO answers it without a system call.
 *
 * What is known at a start only (the process id, the pointer) is a mark in the program, and written
 * over there. The marks are 32-bit words no rule has; a pointer is two, as classic BPF compares it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "server/sandbox/filter.h"

#define N(name)      SCMP_SYS(name)
#define NO           SCMP_ACT_ERRNO(EPERM)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int allowed[] = {
    /* memory */
    N(brk), N(mmap), N(munmap), N(mremap), N(mprotect), N(madvise), N(msync), N(membarrier),
    /* threads and waiting */
    N(futex), N(set_robust_list), N(get_robust_list), N(set_tid_address), N(rseq), N(arch_prctl),
    N(sched_yield), N(sched_getaffinity), N(sched_getparam), N(sched_getscheduler),
    N(sched_get_priority_max), N(sched_get_priority_min), N(getpriority), N(getcpu), N(exit),
    N(exit_group), N(wait4), N(waitid), N(nanosleep), N(clock_nanosleep), N(restart_syscall),
    /* signals */
    N(rt_sigaction), N(rt_sigprocmask), N(rt_sigreturn), N(rt_sigpending), N(rt_sigsuspend),
    N(rt_sigtimedwait), N(sigaltstack), N(pause), N(alarm), N(setitimer), N(getitimer),
    N(timer_create), N(timer_settime), N(timer_gettime), N(timer_getoverrun), N(timer_delete),
    /* time and who am I */
    N(clock_gettime), N(clock_getres), N(gettimeofday), N(time), N(times), N(getrusage),
    N(getrlimit), N(sysinfo), N(uname), N(getpid), N(getppid), N(gettid), N(getuid), N(geteuid),
    N(getgid), N(getegid), N(getresuid), N(getresgid), N(getgroups), N(getpgrp), N(getpgid),
    N(getsid), N(capget), N(getrandom), N(umask),
    /* descriptors */
    N(read), N(write), N(readv), N(writev), N(pread64), N(pwrite64), N(preadv), N(pwritev),
    N(lseek), N(close), N(close_range), N(dup), N(dup2), N(dup3), N(pipe), N(pipe2), N(poll),
    N(ppoll), N(select), N(pselect6), N(epoll_create), N(epoll_create1), N(epoll_ctl),
    N(epoll_wait), N(epoll_pwait), N(epoll_pwait2), N(eventfd), N(eventfd2), N(timerfd_create),
    N(timerfd_settime), N(timerfd_gettime), N(fsync), N(fdatasync), N(ftruncate), N(fallocate),
    N(fadvise64), N(sendfile), N(copy_file_range),
    /* files: where, the mounts and Landlock say */
    N(open), N(openat), N(creat), N(stat), N(fstat), N(lstat), N(newfstatat), N(statx), N(statfs),
    N(fstatfs), N(access), N(faccessat), N(faccessat2), N(readlink), N(readlinkat), N(getdents),
    N(getdents64), N(getcwd), N(chdir), N(fchdir)};

/* In a script's /tmp. */
static const int allowed_with_tmp[] = {N(mkdir),    N(mkdirat), N(rmdir),    N(unlink),
                                       N(unlinkat), N(rename),  N(renameat), N(renameat2)};

/* Each rule costs libseccomp a walk over all before it, so only what programs really try. */
static const int refused[] = {N(socket),    N(socketpair), N(fork),         N(vfork),
                              N(setsid),    N(setpgid),    N(setuid),       N(setgid),
                              N(setresuid), N(setrlimit),  N(setpriority),  N(sched_setaffinity),
                              N(chmod),     N(fchmod),     N(link),         N(symlink),
                              N(mknod),     N(truncate),   N(memfd_create), N(shmget),
                              N(mlock),     N(mlockall),   N(flock)};

static const int lethal[] = {N(ptrace),
                             N(process_vm_readv),
                             N(process_vm_writev),
                             N(bpf),
                             N(perf_event_open),
                             N(userfaultfd),
                             N(unshare),
                             N(setns),
                             N(mount),
                             N(umount2),
                             N(pivot_root),
                             N(chroot),
                             N(keyctl),
                             N(add_key),
                             N(request_key),
                             N(init_module),
                             N(finit_module),
                             N(kexec_load),
                             N(reboot),
                             N(open_by_handle_at),
                             N(modify_ldt)};

static const uint64_t fcntl_commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,
                                          F_SETFD, F_GETFL,         F_SETFL};
static const uint64_t ioctl_requests[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
static const uint64_t prctl_options[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA};

/* A thread shares memory and handlers; it gets no namespace, no other parent, no tracer. */
#define THREAD_HAS (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD)
#define THREAD_LACKS                                                                               \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET | CLONE_IO | CLONE_PTRACE | CLONE_VFORK | CLONE_PARENT | CLONE_PIDFD)

static struct scmp_arg_cmp when(unsigned at, enum scmp_compare op, uint64_t value)
{
    return (struct scmp_arg_cmp){.arg = at, .op = op, .datum_a = value};
}

/* What the kernel looks at of an int argument is 32 bits. */
static struct scmp_arg_cmp when_int(unsigned at, uint64_t value)
{
    return (struct scmp_arg_cmp){
        .arg = at, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffffu, .datum_b = value};
}

static struct scmp_arg_cmp when_bits(unsigned at, uint64_t mask, uint64_t value)
{
    return (struct scmp_arg_cmp){
        .arg = at, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

static int add_calls(scmp_filter_ctx f, uint32_t action, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* A number this libseccomp cannot place (-EDOM: not on x86-64) keeps the default. */
        int result = seccomp_rule_add(f, action, calls[i], 0);
        if (result && result != -EDOM) {
            return result;
        }
    }
    return 0;
}

static int add_lists(scmp_filter_ctx f, enum filter_kind kind)
{
    const struct {
        uint32_t action;
        const int *calls;
        size_t count;
    } lists[] = {
        {SCMP_ACT_ALLOW, allowed, COUNT(allowed)},
        {NO, refused, COUNT(refused)},
        {SCMP_ACT_KILL_PROCESS, lethal, COUNT(lethal)},
        {kind == FILTER_SCRIPT ? SCMP_ACT_ALLOW : NO, allowed_with_tmp, COUNT(allowed_with_tmp)}};
    int result = 0;
    for (size_t i = 0; i < COUNT(lists) && !result; i++) {
        result = add_calls(f, lists[i].action, lists[i].calls, lists[i].count);
    }
    return result;
}

/* Calls with one argument from a list. */
static int add_values(scmp_filter_ctx f)
{
    static const struct {
        int call;
        unsigned at;
        const uint64_t *values;
        size_t count;
    } lists[] = {{N(fcntl), 1, fcntl_commands, COUNT(fcntl_commands)},
                 {N(ioctl), 1, ioctl_requests, COUNT(ioctl_requests)},
                 {N(prctl), 0, prctl_options, COUNT(prctl_options)}};
    for (size_t i = 0; i < COUNT(lists); i++) {
        for (size_t k = 0; k < lists[i].count; k++) {
            int result = seccomp_rule_add(f, SCMP_ACT_ALLOW, lists[i].call, 1,
                                          when_int(lists[i].at, lists[i].values[k]));
            if (result) {
                return result;
            }
        }
    }
    return 0;
}

/* Where the argument is exactly `value`: yes. Anywhere else: EPERM. The kernel takes 32 bits of a
 * process id; one with others set is refused, which no libc sends. */
static int add_only(scmp_filter_ctx f, int call, unsigned at, uint64_t value)
{
    int result = seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 1, when(at, SCMP_CMP_EQ, value));
    return result ? result : seccomp_rule_add(f, NO, call, 1, when(at, SCMP_CMP_NE, value));
}

static int add_signals(scmp_filter_ctx f)
{
    static const int calls[] = {N(kill), N(tgkill), N(tkill)};
    int result = 0;
    for (size_t i = 0; i < COUNT(calls) && !result; i++) {
        result = add_only(f, calls[i], 0, FILTER_MARK_PID);
    }
    return result;
}

static int add_threads(scmp_filter_ctx f)
{
    int result =
        seccomp_rule_add(f, SCMP_ACT_ALLOW, N(clone), 1,
                         when_bits(0, (uint32_t)(THREAD_HAS | THREAD_LACKS), (uint32_t)THREAD_HAS));
    return result ? result : seccomp_rule_add(f, NO, N(clone), 1, when_bits(0, CLONE_THREAD, 0));
}

/* Reads the own limits, sets none. */
static int add_limits(scmp_filter_ctx f)
{
    const uint64_t own[] = {0, FILTER_MARK_PID};
    int result = seccomp_rule_add(f, NO, N(prlimit64), 1, when(2, SCMP_CMP_NE, 0));
    for (size_t i = 0; i < COUNT(own) && !result; i++) {
        result = seccomp_rule_add(f, SCMP_ACT_ALLOW, N(prlimit64), 2, when(0, SCMP_CMP_EQ, own[i]),
                                  when(2, SCMP_CMP_EQ, 0));
    }
    return result;
}

static int add_exec(scmp_filter_ctx f, enum filter_kind kind)
{
    const uint64_t path = (uint64_t)FILTER_MARK_HIGH << 32 | FILTER_MARK_LOW;
    bool by_fd = kind == FILTER_BY_FD;
    int result = add_only(f, by_fd ? N(execveat) : N(execve), by_fd ? 1 : 0, path);
    return result ? result : seccomp_rule_add(f, NO, by_fd ? N(execve) : N(execveat), 0);
}

static int fill(scmp_filter_ctx f, enum filter_kind kind)
{
    int result = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    /* a tree over the call numbers, not a list: also what the kernel's own look at it costs */
    result = result ? result : seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    result = result ? result : add_lists(f, kind);
    result = result ? result : add_values(f);
    result = result ? result : add_signals(f);
    result = result ? result : add_threads(f);
    result = result ? result : add_limits(f);
    return result ? result : add_exec(f, kind);
}

/* --- as C --------------------------------------------------------------------------------------
 */

static const char *const kinds[FILTER_KINDS] = {"program", "by_fd", "script"};

/* The program of one kind, by way of a file that has no name. */
static int print_kind(scmp_filter_ctx f, enum filter_kind kind, unsigned *ret_length)
{
    struct sock_filter one;
    FILE *file = tmpfile();
    int result = file ? seccomp_export_bpf(f, fileno(file)) : -errno;
    if (!result) {
        rewind(file);
        (void)printf("static const struct sock_filter %s[] = {\n", kinds[kind]);
        for (*ret_length = 0; fread(&one, sizeof(one), 1, file) == 1; (*ret_length)++) {
            (void)printf("    {0x%02" PRIx16 ", %u, %u, 0x%08" PRIx32 "},\n", one.code,
                         (unsigned)one.jt, (unsigned)one.jf, one.k);
        }
        (void)printf("};\n\n");
        result = ferror(file) ? -EIO : 0;
    }
    if (file) {
        (void)fclose(file); /* only read from by now */
    }
    return result;
}

static int make_kind(enum filter_kind kind, unsigned *ret_length)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!f) {
        return -ENOMEM;
    }
    int result = fill(f, kind);
    result = result ? result : print_kind(f, kind, ret_length);
    seccomp_release(f);
    return result;
}

int main(void)
{
    unsigned lengths[FILTER_KINDS] = {0};
    /* the kernel this runs on has no say: it is another one's filter */
    int result = seccomp_api_set(3);
    (void)printf("/* made by server/sandbox/rules/filter.c */\n"
                 "#include \"server/sandbox/filter.h\"\n\n");
    for (int k = 0; k < FILTER_KINDS && !result; k++) {
        result = make_kind((enum filter_kind)k, &lengths[k]);
    }
    if (result) {
        (void)fprintf(stderr, "sandbox filter: %s\n", strerror(-result));
        return 1;
    }
    (void)printf("const struct filter_program filter_programs[FILTER_KINDS] = {\n");
    for (int k = 0; k < FILTER_KINDS; k++) {
        (void)printf("    {%s, %u},\n", kinds[k], lengths[k]);
    }
    (void)printf("};\n");
    return fflush(stdout) ? 1 : 0;
}
