/*
 * readiness.h - how near something is, as a share of 1, and how near the nearer of two things is.
 *
 * Source  ../shared/spec/policies.md, sections 3 ("ready", "U") and 14.5 ("readiness", "union").
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_READINESS_H
#define ENGINE_POLICY_READINESS_H

#include <stdint.h>
#include <string.h>

/* 2^(1-n) for n >= 1, without a table or a loop. */
static inline double readiness(unsigned n)
{
    uint64_t bits = (uint64_t)(1024u - n) << 52;
    double value = 0.0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline double readiness_either(double a, double b)
{
    return 1.0 - (1.0 - a) * (1.0 - b);
}

#endif
