/*
 * gray.h - gray-throughput: four samples of each column and the best answer to each, judged by how
 * low and open the board stays and by how much clears.
 *
 * Source  ../shared/spec/policies.md, section 6.
 * Why extended state: level and move number enter the hash that names the draws, and nothing else.
 * Threads none: no state between decisions.
 */
#ifndef ENGINE_POLICY_GRAY_H
#define ENGINE_POLICY_GRAY_H

#include "engine/policy/registry.h"

#define GRAY_SEED         0x67726179u
#define GRAY_CONTINUATION 0x47434f4eu
#define GRAY_ROOT_REVEAL  (0x47524f54u ^ 0x47524556u)
#define GRAY_ROOT_NEXT    0x47444953u
#define GRAY_SAMPLES      4u
#define GRAY_FEATURES     13u

/* Hs. */
uint32_t gray_hash(const struct extended_state *at, uint32_t seed);
/* Z, as chance_unit gives it; draw number e of an event source has domain ^ (e+1)*CHANCE_EVENT. */
uint64_t gray_unit(uint32_t hash, unsigned sample, unsigned samples, uint32_t domain);
/* The features of G in the order of the text. */
void gray_features(const struct position *at, double ret[GRAY_FEATURES]);
/* G. */
double gray_score(const struct position *at);

void gray_decide(const struct extended_state *at, struct decision *ret);

#endif
