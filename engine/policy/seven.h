/*
 * seven.h - what a leaf is worth with each of the numbers 1-7 in one cell, worked out side by side.
 *
 * Layout  lane v - 1 belongs to number v; the eighth lane is 0 or of no account. Each operation is
 * the plain one on doubles, lane by lane: a lane's bits are those a loop over it would give.
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_SEVEN_H
#define ENGINE_POLICY_SEVEN_H

#include "engine/rules/lanes.h"

typedef double seven_pair __attribute__((vector_size(16)));

struct seven {
    seven_pair part[4];
};

LANES_FN seven_pair pair_larger(seven_pair a, seven_pair b)
{
#ifdef __SSE2__
    return (seven_pair)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (seven_pair){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

LANES_FN seven_pair pair_smaller(seven_pair a, seven_pair b)
{
#ifdef __SSE2__
    return (seven_pair)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return (seven_pair){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
}

#define SEVEN_EACH(expression)                                                                     \
    for (unsigned i = 0; i < 4; i++) {                                                             \
        r.part[i] = (expression);                                                                  \
    }

LANES_FN struct seven seven_all(double x)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(((seven_pair){x, x}))
    return r;
}

LANES_FN struct seven seven_load(const double from[8])
{
    struct seven r = {{{0}}};
    __builtin_memcpy(&r, from, sizeof(r));
    return r;
}

LANES_FN void seven_store(double to[8], struct seven x)
{
    __builtin_memcpy(to, &x, sizeof(x));
}

LANES_FN struct seven seven_add(struct seven a, struct seven b)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(a.part[i] + b.part[i])
    return r;
}

LANES_FN struct seven seven_times(struct seven a, double b)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(a.part[i] * b)
    return r;
}

LANES_FN struct seven seven_product(struct seven a, struct seven b)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(a.part[i] * b.part[i])
    return r;
}

/* 1 - a */
LANES_FN struct seven seven_rest(struct seven a)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(1.0 - a.part[i])
    return r;
}

LANES_FN struct seven seven_larger(struct seven a, struct seven b)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(pair_larger(a.part[i], b.part[i]))
    return r;
}

LANES_FN struct seven seven_smaller(struct seven a, struct seven b)
{
    struct seven r = {{{0}}};
    SEVEN_EACH(pair_smaller(a.part[i], b.part[i]))
    return r;
}

/* 1 - (1 - a)(1 - b) */
LANES_FN struct seven seven_either(struct seven a, struct seven b)
{
    return seven_rest(seven_product(seven_rest(a), seven_rest(b)));
}

#undef SEVEN_EACH

#endif
