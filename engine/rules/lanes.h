/*
 * lanes.h - four 32-bit words worked on at once, in the compilers' own vector syntax.
 *
 * Why     a board is two of them; the baseline of every target we have (SSE2, wasm simd128) holds
 * one in a register, so the rules need no dispatch at run time (the fair search has one:
 * fair_engine.h). Only the gathering of sign bits has no portable spelling that compiles to one
 * instruction. Threads none: plain values; no header of libc, so that wasm32 without one builds it.
 */
#ifndef ENGINE_RULES_LANES_H
#define ENGINE_RULES_LANES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES_FN static inline __attribute__((always_inline))

typedef uint32_t lanes __attribute__((vector_size(16)));

/* From and to 16 bytes of any alignment. */
LANES_FN lanes lanes_load(const uint32_t *from)
{
    lanes v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
}

LANES_FN void lanes_store(uint32_t *to, lanes v)
{
    __builtin_memcpy(to, &v, sizeof(v));
}

LANES_FN lanes lanes_all(uint32_t word)
{
    return (lanes){word, word, word, word};
}

/* All ones in the lanes above `than`; both under 2^31, where the signed comparison (the only one
 * SSE2 has) is the right one. */
LANES_FN lanes lanes_above(lanes v, uint32_t than)
{
    typedef int32_t signed_lanes __attribute__((vector_size(16)));
    return (lanes)((signed_lanes)v > (signed_lanes)lanes_all(than));
}

/* Bit i: the top bit of lane i (comparisons give all ones or 0). */
LANES_FN unsigned lanes_signs(lanes v)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)v);
#else
    return (v[0] >> 31) | (v[1] >> 31) << 1 | (v[2] >> 31) << 2 | (v[3] >> 31) << 3;
#endif
}

LANES_FN bool lanes_any(lanes v)
{
#ifdef __SSE2__
    return lanes_signs((lanes)(v == 0)) != 15;
#else
    uint64_t half[2];
    __builtin_memcpy(half, &v, sizeof(half));
    return (half[0] | half[1]) != 0;
#endif
}

#endif
