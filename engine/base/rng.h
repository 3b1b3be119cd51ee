/*
 * rng.h - the public 32-bit generator the rounds are made with (mulberry32) and the integer mixers
 * of the policies.
 *
 * Source  ../shared/spec/policies.md, section 2: every constant and the published first draws.
 * Threads none: state is the caller's. Header only, no libc: rules and policies inline it.
 */
#ifndef ENGINE_BASE_RNG_H
#define ENGINE_BASE_RNG_H

#include <stdint.h>

#define FNV_START 0x811c9dc5u
#define FNV_PRIME 0x01000193u

struct rng {
    uint32_t state;
};

/* The next 32 bits; the draw in [0, 1) is this / 2^32. */
static inline uint32_t rng_next(struct rng *r)
{
    r->state += 0x6d2b79f5u;
    uint32_t s = r->state;
    uint32_t v = (s ^ (s >> 15)) * (s | 1u);
    v ^= v + (v ^ (v >> 7)) * (v | 61u);
    return v ^ (v >> 14);
}

/* floor(n * r) for the next draw r: exact, since the product of a 32-bit draw and a small n is an
 * integer shift. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((uint64_t)rng_next(r) * n >> 32);
}

/* A disc 1..7. */
static inline uint8_t rng_disc(struct rng *r)
{
    return (uint8_t)(rng_below(r, 7) + 1);
}

static inline uint32_t mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

static inline uint32_t fnv_step(uint32_t h, uint32_t x)
{
    return (h ^ x) * FNV_PRIME;
}

#endif
