/*
 * cpu.h - what this processor can do beyond the one the program is built for.
 *
 * Threads safe: read once by libgcc before main. Allocates nothing.
 */
#ifndef ENGINE_BASE_CPU_H
#define ENGINE_BASE_CPU_H

#include <stdbool.h>

/* Runs what the makefile's WIDE lets the compiler use (files *_wide.c; nothing else calls them). */
static inline bool cpu_is_wide(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

#endif
