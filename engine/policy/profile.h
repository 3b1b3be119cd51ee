/*
 * profile.h - what a leaf can know from the heights of the columns alone, worked out once for each
 * profile met.
 *
 * The idea. Columns are packed, so seven heights decide which cells are occupied, hence every run,
 * every window's cost and which number could be completed where. A search sees a few hundred
 * profiles per decision and tens of boards on each. What depends on the discs as well is then a
 * matter of masks: a disc v has an addition exactly where adds[v] has its cell.
 * Rows     what a row costs follows from how much each column lacks to reach it, so rows are
 * remembered too, and most of a new profile is put together from rows met before.
 * Proof   nothing here is a floating-point sum but term 17, which is added up in its own order,
 * once per clock: the leaf adds the very same doubles as without the cache.
 * Owns    struct profiles is two direct-mapped caches, compared by the full key: a plain value; all
 * zero is the empty cache (the empty board's entry is made like any other).
 * Threads one per thread: every look-up may write.
 */
#ifndef ENGINE_POLICY_PROFILE_H
#define ENGINE_POLICY_PROFILE_H

#include "engine/policy/grid.h"

#define PROFILE_BITS     10u /* profiles remembered, as a power of two */
#define PROFILE_ROW_BITS 10u /* rows of profiles */

/* Bits are those of grid.h; [v] is by number 1-7. */
struct profile {
    uint64_t occupied;
    bool known;
    uint8_t column_height[8];
    int32_t points;         /* terms 1, 2 and the -18 of term 5 for every occupied cell */
    uint32_t options;       /* nibble v: columns on which a disc v comes to lie at its own height */
    double danger;          /* term 16, weighted */
    double pressure[6];     /* term 17, weighted, by clock */
    uint64_t adds[8];       /* cells where a disc v has an addition */
    uint64_t row_length[3]; /* of the row run of each cell: its bits, a mask a bit */
    uint64_t column_length[3]; /* of its column */
    uint8_t cost[56][8]; /* by cell and v: discs the cheapest window lacks, 0 when there is none */
};

/* A row of a profile. It is the same wherever as many discs are missing below it, column by column.
 */
struct profile_row {
    uint64_t gaps; /* byte c: what column c lacks to reach the row */
    uint64_t adds; /* byte v: columns where a window could be filled for a disc v */
    uint8_t cost[7][8];
    uint8_t length[3]; /* of the run of each cell: its bits */
    bool known;
};

struct profiles {
    struct profile slot[1u << PROFILE_BITS];
    struct profile_row row[1u << PROFILE_ROW_BITS];
};

/* The runs of a row: runs[mask of occupied cells][column] is the mask of the run, 0 where empty. */
extern const uint8_t profile_runs[128][8];

void profile_fill(struct profiles *all, uint64_t occupied, struct profile *ret);

static inline const struct profile *profile_of(struct profiles *all, uint64_t occupied)
{
    uint64_t hash = occupied * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    struct profile *p = &all->slot[hash * 0xbf58476d1ce4e5b9u >> (64 - PROFILE_BITS)];
    if (p->occupied != occupied || !p->known) {
        profile_fill(all, occupied, p);
    }
    return p;
}

/* What a disc v on that column lacks to match its height: 0 when it does not lack discs. */
static inline unsigned profile_need(const struct profile *p, unsigned bit, unsigned v)
{
    unsigned need = v - p->column_height[grid_column(bit)];
    return need & ((need >> 31) - 1); /* 0 where that went below 0, without a branch */
}

#endif
