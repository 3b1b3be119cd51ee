/*
 * artifact.h - is this file something we could run, and by which interpreter?
 *
 * Why     an upload is judged from its bytes before it is stored, with one sentence for its author;
 * whether it plays is another question (the check of its revision). Only interpreters of the
 * operator's list that are installed below /usr count: the caller's PATH never does.
 * Owns    nothing; lists are plain values.
 * Threads safe: no state.
 * Errors  D7_ERR_INVALID with the field "file" (a refusal), D7_ERR_NOT_FOUND (no such interpreter).
 * Bounds  the first line of a script ends within 256 bytes; names have up to 24 characters.
 */
#ifndef SERVER_WORK_ARTIFACT_H
#define SERVER_WORK_ARTIFACT_H

#include "engine/base/span.h"

#define ARTIFACT_FORMAT_SIZE  32   /* "elf" or "script:NAME", with its NUL */
#define ARTIFACT_HEAD_BYTES   4096 /* enough of the file for artifact_format */
#define ARTIFACT_PATH_SIZE    256
#define ARTIFACT_INTERPRETERS 16

struct interpreter_list {
    char name[ARTIFACT_INTERPRETERS][25];
    size_t count;
};

/* Adds a name of the operator's list. D7_ERR_INVALID: not a plain file name of up to 24 characters;
 * D7_ERR_FULL: more than ARTIFACT_INTERPRETERS. */
D7_MUST_USE enum d7_err interpreter_list_add(struct interpreter_list *list, struct span name);
/* Drops the names that interpreter_find does not find. */
void interpreter_list_keep_installed(struct interpreter_list *list);
/* The real path of an installed interpreter below /usr. D7_ERR_NOT_FOUND where there is none. */
D7_MUST_USE enum d7_err interpreter_find(const char *name, char ret_path[ARTIFACT_PATH_SIZE]);

/* Judges the file whose first bytes are `head` (ARTIFACT_HEAD_BYTES of them, or all) and whose
 * length is `size`: "elf" (64-bit x86-64, EXEC or DYN, every header and segment inside the file) or
 * "script:NAME". `allowed` is what scripts may ask for. D7_ERR_INVALID with the reason otherwise.
 */
D7_MUST_USE enum d7_err artifact_format(struct span head, uint64_t size,
                                        const struct interpreter_list *allowed,
                                        char ret_format[ARTIFACT_FORMAT_SIZE], struct d7_why *why);

/* Is the stored file still the one that was uploaded? D7_ERR_UNAVAILABLE, with a sentence for the
 * public, when it is not: our failure, not its author's. One thread a process. */
D7_MUST_USE enum d7_err artifact_verify(const char *path, const char *sha256, struct d7_why *why);

#endif
