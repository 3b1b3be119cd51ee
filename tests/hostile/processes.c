/* Multiplies, hides, kills, looks into others, becomes something else. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attack.h"

static bool fork_bomb(const char *word)
{
    volatile int born = 0;
    (void)word;
    for (int i = 0; i < 500; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (;;) {
                pause();
            }
        }
        born += pid > 0;
        pid = vfork();
        if (pid == 0) {
            _exit(0);
        }
        born += pid > 0;
    }
    return born == 0;
}

static void *wait_for_ever(void *arg)
{
    for (;;) {
        pause();
    }
    return arg;
}

/* As many as it gets; what is enough is the sandbox's to say: at most `word` of them. */
static bool thread_bomb(const char *word)
{
    long born = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int i = 0; i < 20000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, wait_for_ever, NULL)) {
            break;
        }
        born++;
    }
    return born < strtol(word, NULL, 10);
}

static bool daemonize(const char *word)
{
    (void)word;
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() == 0) {
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
    return pid < 0 && setsid() < 0 && setpgid(0, 0) < 0;
}

static bool kill_parent(const char *word)
{
    (void)word;
    return kill(getppid(), SIGKILL) && kill(1, SIGKILL) && kill(getppid(), SIGSTOP) &&
           syscall(SYS_tkill, getppid(), SIGKILL) && kill(0, SIGTERM) && kill(-getpgrp(), SIGKILL);
}

static bool kill_all(const char *word)
{
    (void)word;
    return kill(-1, SIGKILL) && kill(-1, SIGSTOP);
}

static bool kill_number(const char *word)
{
    pid_t pid = (pid_t)strtol(word, NULL, 10);
    return kill(pid, SIGKILL) && kill(-pid, SIGKILL) && syscall(SYS_tgkill, pid, pid, SIGKILL) &&
           syscall(SYS_pidfd_open, pid, 0) < 0;
}

static bool trace(const char *word)
{
    (void)word;
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    return false;
}

static bool read_memory(const char *word)
{
    char byte = 0;
    struct iovec mine = {&byte, 1}, theirs = {&byte, 1};
    process_vm_readv((pid_t)strtol(word, NULL, 10), &mine, 1, &theirs, 1, 0);
    return false;
}

static bool exec_shell(const char *word)
{
    char *argv[] = {"sh", "-c", "echo ESCAPED", NULL}, *envp[] = {NULL};
    (void)word;
    execve("/bin/sh", argv, envp);
    execve("/usr/bin/dash", argv, envp);
    execve("/bin/bash", argv, envp);
    return true;
}

static bool exec_setuid(const char *word)
{
    char *argv[] = {"su", NULL}, *envp[] = {NULL};
    (void)word;
    execve("/usr/bin/su", argv, envp);
    execve("/usr/bin/passwd", argv, envp);
    execve("/usr/bin/mount", argv, envp);
    return true;
}

static bool exec_self(const char *word)
{
    char *argv[] = {"policy", NULL}, *envp[] = {NULL};
    (void)word;
    execve("/policy", argv, envp);
    execve("/proc/self/exe", argv, envp);
    return true;
}

static bool deaf(const char *word)
{
    (void)word;
    for (int s = 1; s < 65; s++) {
        signal(s, SIG_IGN);
    }
    printf("READY\n");
    fflush(stdout);
    while (pause()) {
    }
    return false;
}

static const struct attack attacks[] = {{"fork-bomb", fork_bomb},   {"thread-bomb", thread_bomb},
                                        {"daemonize", daemonize},   {"kill-parent", kill_parent},
                                        {"kill-all", kill_all},     {"kill", kill_number},
                                        {"ptrace", trace},          {"read-memory", read_memory},
                                        {"exec-shell", exec_shell}, {"exec-setuid", exec_setuid},
                                        {"exec-self", exec_self},   {"deaf", deaf}};
ATTACK_MAIN(attacks)
