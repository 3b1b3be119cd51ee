/*
 * process.h - starting programs from a test, and finding out whether processes are gone. To run one
 * to its end: command.h.
 *
 * Owns    the caller waits for what it spawned (process_wait, program_end).
 * Errors  whatever goes wrong fails the test. Every program dies with the test that started it.
 */
#ifndef TESTS_SUPPORT_PROCESS_H
#define TESTS_SUPPORT_PROCESS_H

#include <sys/types.h>

#include "tests/support/support.h"

/* argv[0] is a path, NULL-terminated; out_fd becomes stdout and stderr, stdin is empty. */
pid_t process_spawn(const char *const *argv, int out_fd);
/* The same with a descriptor for each of the three. */
pid_t process_spawn_on(const char *const *argv, int in_fd, int out_fd, int err_fd);
/* A bounded waitpid; false when it still runs. */
bool process_wait(pid_t pid, int64_t wait_ms, int *ret_status);
/* 128 + N for signal N. */
int process_exit_code(int status);

/* Children of a process by /proc (direct ones). Returns how many were written. */
size_t process_children(pid_t parent, pid_t *ret_pids, size_t max);

/* All descendants, by walking down. */
size_t process_descendants(pid_t parent, pid_t *ret_pids, size_t max);

/* Its letter in /proc/PID/stat: R, S, T, Z ...; 0 when there is none. */
char process_state(pid_t pid);

/* Waits until none of them is a living process (a zombie is not). */
bool process_wait_gone(const pid_t *pids, size_t count, int64_t wait_ms);

/* Starts one that serves (`drop7 policy --listen`): returns once its stderr said "listening on ",
 * and what followed on that line. End it with program_end. */
pid_t program_start(const char *const *argv, char *ret_listening, size_t size);
void program_end(pid_t pid);

#endif
