/*
 * fair_engine.h - the fair search below the root, built more than once: for every processor, and
 * for those with wider registers.
 *
 * Why     the same text in AVX2 and BMI instructions takes a tenth less time; a program for every
 * x86-64 may not use them unasked.
 * Proof   integers are exact, and a double's operations are the same ones in the same order: no
 * instruction here rounds otherwise, and none is fused. A test holds the builds against each other.
 * Threads none: constants. Errors: those of fair_search.h.
 */
#ifndef ENGINE_POLICY_FAIR_ENGINE_H
#define ENGINE_POLICY_FAIR_ENGINE_H

#include "engine/policy/fair_search.h"

/* The functions of fair_search.h. A search is its engine's alone. */
struct fair_engine {
    enum d7_err (*search_new)(unsigned depth, struct fair_search **ret);
    void (*search_free)(struct fair_search *f);
    double (*search_value)(struct fair_search *f, const struct fair_outcome *o, unsigned next,
                           unsigned depth);
    uint32_t (*search_moves)(const struct fair_search *f, const struct fair_outcome *o,
                             unsigned next, unsigned depth);
};

/* fair_wide.c's; NULL where it is not built. Not for every processor: ask fair_engine_at. */
extern const struct fair_engine *const fair_engine_wide;

/* The engines this processor runs, the fastest first; NULL past the last one. */
const struct fair_engine *fair_engine_at(unsigned rank);

#endif
