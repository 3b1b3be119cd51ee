/*
 * command.h - "PROG ARGS" from the command line, as an argument vector for a child.
 *
 * Why     bench and check start the user's own program the same way: no shell, PATH looked up here,
 * since a policy starts with an environment of its own.
 * Owns    struct command holds its words; argv points into it, so it must not move.
 * Errors  said on stderr in one line naming --command; the result is an exit status (0, or 2).
 * Bounds  COMMAND_SIZE bytes, COMMAND_WORDS_MAX words.
 */
#ifndef ENGINE_TOOL_COMMAND_H
#define ENGINE_TOOL_COMMAND_H

#define COMMAND_SIZE      4096
#define COMMAND_WORDS_MAX 31

struct command {
    const char *argv[COMMAND_WORDS_MAX + 1]; /* NULL-terminated; argv[0] is an absolute path */
    char words[COMMAND_SIZE];
    char program[COMMAND_SIZE];
};

/* Splits at blanks (single or double quotes keep them inside a word) and finds the program. */
int command_parse(const char *text, struct command *ret);
/* The environment such a program gets: a PATH and a UTF-8 locale. */
const char *const *command_environment(void);

#endif
