/*
 * fair_reading.h - what the leaf of the fair search sees in one board: which discs could be
 * completed, which could be released, and what gray discs and low numbers make of that.
 *
 * Source  ../shared/spec/policies.md, section 14.5: VA, HA, A, HR, VR, R, READY; terms 7-13.
 * Use     all of them, in the order they stand here; ..._end leaves the cells all zero again.
 * Threads none: a reading belongs to one thread, with the cells and profiles it was given.
 */
#ifndef ENGINE_POLICY_FAIR_READING_H
#define ENGINE_POLICY_FAIR_READING_H

#include "engine/policy/profile.h"
#include "engine/policy/readiness.h"

#define FAIR_CELLS 64 /* seven rows, and an empty one below */

/* What is found about each cell, by grid bit. around is 0
 * wherever nothing was found; the releases are 0 between readings, and each is put back when it has
 * been used. */
struct fair_cells {
    double row_release[FAIR_CELLS];
    double column_release[FAIR_CELLS];
    double around[8 + FAIR_CELLS]; /* ready: additions, before the releases join them */
};

struct fair_reading {
    const struct profile *profile;
    struct fair_cells *cells;
    double *ready; /* around, from its second row on: neighbours of row 0 may be read */
    uint64_t covered;
    uint64_t cracked;
    uint64_t numbers;
    uint64_t is[8];     /* by number */
    uint64_t number[3]; /* the bits of the numbers; not meant for gray cells */
    uint64_t adds;      /* discs with an addition */
    uint64_t releases;
    uint64_t dead_low; /* ones and twos whose runs are both too long */
};

/* Numbers under the length of a run: by one, by two, by more. */
struct fair_excess {
    uint64_t one;
    uint64_t two;
    uint64_t more;
};

/* Subtracts all numbers from their runs' lengths at once: three columns of a subtraction, a bit a
 * cell. */
static inline struct fair_excess fair_excess_of(const struct fair_reading *r,
                                                const uint64_t length[3])
{
    const uint64_t *v = r->number;
    uint64_t borrow = ~length[0] & v[0];
    uint64_t d0 = length[0] ^ v[0];
    uint64_t d1 = length[1] ^ v[1] ^ borrow;
    borrow = (~length[1] & (v[1] | borrow)) | (v[1] & borrow);
    uint64_t d2 = length[2] ^ v[2] ^ borrow;
    borrow = (~length[2] & (v[2] | borrow)) | (v[2] & borrow);
    uint64_t numbers = r->numbers & ~borrow;
    return (struct fair_excess){d0 & ~d1 & ~d2 & numbers, d1 & ~d0 & ~d2 & numbers,
                                ((d0 & d1) | d2) & numbers};
}

static inline unsigned fair_number_at(const struct fair_reading *r, unsigned bit)
{
    return (unsigned)(r->number[0] >> bit & 1u) | (unsigned)(r->number[1] >> bit & 1u) << 1 |
           (unsigned)(r->number[2] >> bit & 1u) << 2;
}

static inline uint64_t fair_row_run(uint64_t occupied, unsigned bit)
{
    unsigned shift = bit & ~7u;
    return (uint64_t)profile_runs[occupied >> shift & 127u][grid_column(bit)] << shift;
}

/* cells: all zero. hole: a cell that is occupied, but neither gray nor a number; 0 for none. */
void fair_reading_start(struct fair_reading *r, const struct board *b, uint64_t hole,
                        struct profiles *profiles, struct fair_cells *cells);
/* Finds the additions, from a table by cost and need; returns their sum, term 7. */
double fair_reading_additions(struct fair_reading *r, double table[][8]);
/* The readiest but `rank` - 1 of some discs, 1 being the readiest; 0 when there are fewer. */
double fair_reading_ranked(const struct fair_reading *r, uint64_t others, unsigned rank);
/* Finds the releases. */
void fair_reading_releases(struct fair_reading *r);
/* Terms 11 and 12. */
double fair_reading_adjacent_ones(const struct fair_reading *r);
double fair_reading_triple_twos(const struct fair_reading *r);
/* Joins releases and additions to ready and forgets the releases; returns their sum, term 8. */
double fair_reading_ready(struct fair_reading *r);
/* Terms 9 and 10. */
void fair_reading_exposures(const struct fair_reading *r, double *ret_cracked, double *ret_solid);
/* Term 13. */
double fair_reading_dead_low(const struct fair_reading *r);
void fair_reading_end(const struct fair_reading *r);

#endif
