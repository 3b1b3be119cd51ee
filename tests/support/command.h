/*
 * command.h - runs a program to its end with its output caught: for tests of whole commands.
 */
#ifndef TESTS_SUPPORT_COMMAND_H
#define TESTS_SUPPORT_COMMAND_H

#include "tests/support/support.h"

struct command_result {
    int status; /* exit status; 128 + signal when killed */
    char *out;  /* owned */
    char *err;  /* owned */
};

/* argv is NULL-terminated, argv[0] a path. input may be NULL (empty). Kills and fails the test
 * after 60 s. */
void command_run(const char *const *argv, const char *input, struct command_result *ret);
/* The same with another limit. */
void command_run_within(const char *const *argv, const char *input, int64_t wait_ms,
                        struct command_result *ret);
void command_release(struct command_result *r);
/* For those who want one text: exit status, and stdout then stderr, which the caller frees (may be
 * NULL to drop it). */
int command_text(const char *const *argv, char **ret_text);

#endif
