/*
 * banned.h - force-included by gcc builds: library calls this project never makes do not compile.
 *
 * Why     each of them has cost somebody a hole (unbounded copies, hidden state, a shell). span.h,
 * buf.h and clock.h have the replacements. Note    the headers that declare them come first:
 * poisoning an identifier before its declaration is an error. Not for clang, which warns on the
 * system's own macros.
 */
#ifndef ENGINE_BASE_BANNED_H
#define ENGINE_BASE_BANNED_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(__ASSEMBLER__)
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atoll
#pragma GCC poison strtol strtoul strtoll strtoull rand srand system popen localtime asctime       \
    gmtime ctime
#endif

#endif
