/*
 * beam.h - open-loop-beam: plans of three columns, fixed in advance, tried on twelve scenarios; the
 * eight best of each length are made longer.
 *
 * Source  ../shared/spec/policies.md, section 10. Neither limit named there can be reached.
 * Why     the reported values are the best mean each root column had in the last layer it took part
 * in: the decision is the best plan's first column, not the largest of them.
 * Owns    beam_new allocates the plans; nothing is allocated later. beam_free takes NULL.
 * Threads one search belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 */
#ifndef ENGINE_POLICY_BEAM_H
#define ENGINE_POLICY_BEAM_H

#include "engine/policy/registry.h"

#define BEAM_SEED      0xbbbac972u
#define BEAM_SCENARIOS 12u
#define BEAM_DEPTH     3u
#define BEAM_REVEAL    0x5245564cu
#define BEAM_NEXT      0x44495343u

struct beam;

/* q: the seed of a decision, from the canonical root. */
uint32_t beam_seed(const struct position *canonical);
/* D, as chance_unit gives it; draw number e of a move has domain BEAM_REVEAL ^ (e+1)*CHANCE_EVENT.
 */
uint64_t beam_unit(uint32_t seed, unsigned scenario, unsigned ply, uint32_t domain);

/* depth: 1 to BEAM_DEPTH columns a plan. */
D7_MUST_USE enum d7_err beam_new(unsigned depth, struct beam **ret);
void beam_free(struct beam *b);
void beam_decide(struct beam *b, const struct position *at, struct decision *ret);

/* A plan in the real columns of the root, and how its utilities are spread. */
struct beam_plan {
    unsigned length;
    uint8_t column[BEAM_DEPTH];
    double mean;
    double variance;
};

/* The plan behind the last decision, which had a column. */
struct beam_plan beam_best(const struct beam *b);

#endif
