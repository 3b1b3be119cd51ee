/*
 * risk.h - risk-d2: eight scenarios of a column, each followed by a sampled search of two own
 * moves; the mean, pulled towards the mean of the two worst.
 *
 * Source  ../shared/spec/policies.md, section 9. The work limit there cannot be reached, and its
 * cache cannot change a value: neither exists here.
 * Threads none: no state between decisions.
 */
#ifndef ENGINE_POLICY_RISK_H
#define ENGINE_POLICY_RISK_H

#include "engine/policy/registry.h"

#define RISK_SEED      0xd6a2cbd3u
#define RISK_ROOT      0x5253434eu /* the root's seed: RISK_SEED ^ this, depth 3 */
#define RISK_SCENARIOS 8u
#define RISK_SAMPLES   3u /* of each move after the first */

/* Hr: the seed of a node. */
uint32_t risk_seed(const struct extended_state *at, uint32_t seed, unsigned depth);
/* X, as chance_unit gives it. */
uint64_t risk_unit(uint32_t node, unsigned sample, unsigned samples, uint32_t domain,
                   unsigned event);
#define RISK_ROOT_REVEAL 0x5252564cu
#define RISK_ROOT_NEXT   0x52524443u

/* What each scenario of a real, legal column is worth; in the order of the scenarios. */
void risk_utilities(const struct position *at, unsigned column, double ret[RISK_SCENARIOS]);
void risk_decide(const struct position *at, struct decision *ret);

#endif
