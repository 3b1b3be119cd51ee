/*
 * rollout.h - rollout-h8: each column is played out eight times, eight moves far, greedily.
 *
 * Source  ../shared/spec/policies.md, section 7.
 * Threads none: no state between decisions.
 */
#ifndef ENGINE_POLICY_ROLLOUT_H
#define ENGINE_POLICY_ROLLOUT_H

#include "engine/policy/registry.h"

#define ROLLOUT_SEED 0x9a396ef5u

/* K: the seed of a kind of draw at a ply of a rollout, or the draw itself. */
uint32_t rollout_bits(unsigned rollout, unsigned ply, uint32_t domain);
#define ROLLOUT_REVEAL 0x5245564cu
#define ROLLOUT_NEXT   0x44495343u

void rollout_decide(const struct position *at, struct decision *ret);

#endif
