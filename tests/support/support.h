/*
 * support.h - what every test program may use: vectors, scratch folders, skips that show. May break
 * any wall.
 */
#ifndef TESTS_SUPPORT_SUPPORT_H
#define TESTS_SUPPORT_SUPPORT_H

/* cmocka wants these before it, in this order */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "engine/base/buf.h"

/* The file of ../shared/vectors, or its copy in tests/vectors. Caller frees. Fails the test when
 * there is neither. */
char *support_vector(const char *name);
/* Calls fn for each line (without LF) of such a file; fn returns false to stop. */
void support_vector_lines(const char *name, bool (*fn)(void *ctx, struct span line), void *ctx);
/* A fresh folder under $TMPDIR, in a static buffer; removed with everything in it by
 * support_scratch_remove(). */
const char *support_scratch(void);
void support_scratch_remove(void);
/* Removes a folder and everything in it. */
void support_remove(const char *folder);
/* Path of a built program ("drop7d", "drop7", "drop7-sandbox") or test player
 * ("tests/policies/slow"), absolute. Static buffer per call: copy it. */
const char *support_program(const char *name);
/* A limit for a wait that ends by itself when all is well; longer where the programs are many times
 * slower, so that no test fails for its time. */
int64_t support_patience(int64_t wait_ms);
/* skip() with a reason on stdout; under D7_MUST_RUN=1 a failure instead. */
void support_skip(const char *reason);

#endif
