/*
 * sparse.h - sparse-d2: expectimax over two own moves that samples chance five times instead of
 * enumerating it.
 *
 * Source  ../shared/spec/policies.md, section 8.
 * Why no cache: a value depends on board, next disc, clock and depth alone, so remembering it
 * changes nothing; plain recursion is enough.
 * Threads none: no state between decisions.
 */
#ifndef ENGINE_POLICY_SPARSE_H
#define ENGINE_POLICY_SPARSE_H

#include "engine/policy/registry.h"

#define SPARSE_SEED    0x0b16a6f2u
#define SPARSE_SAMPLES 5u
#define SPARSE_REVEAL  0x5245564cu
#define SPARSE_NEXT    0x44495343u

/* Y of a node's seed, as chance_unit gives it. */
uint64_t sparse_unit(uint32_t node, unsigned sample, uint32_t domain, unsigned event);

void sparse_decide(const struct position *at, struct decision *ret);
/* The same search to another depth, 1 or more. */
void sparse_decide_depth(const struct position *at, unsigned depth, struct decision *ret);

#endif
