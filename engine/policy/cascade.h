/*
 * cascade.h - one wave of a cascade at a time, for searches that choose the revealed numbers
 * themselves.
 *
 * Source  ../shared/spec/policies.md, 1.1.
 * Use     while (cascade_clear(&x, &w)) { numbers = CASCADE_NO_NUMBERS; one cells_put a bit of
 * w.reveals, ascending; cascade_settle(&x, &w, numbers); }
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_CASCADE_H
#define ENGINE_POLICY_CASCADE_H

#include "engine/rules/wave.h"

#define CASCADE_NO_NUMBERS ((struct cells){{0}, {0}})

struct cascade_wave {
    struct cells gone;     /* the discs that clear */
    struct cells revealed; /* the gray discs that open */
    uint64_t reveals;      /* the same as bits in the order of their index; see cells_rows */
    unsigned cleared;      /* how many went */
};

/* The board with a disc dropped into a legal column. */
static inline struct cells cascade_drop(struct board b, unsigned column, unsigned disc)
{
    b.col[column] |= (uint32_t)disc << (4 * board_height(&b, column));
    return cells_load(&b);
}

/* Finds the next wave and cracks what it cracks. false: nothing matches, x is as it was. */
static inline bool cascade_clear(struct cells *x, struct cascade_wave *ret)
{
    struct cells cracked;
    ret->gone = wave_matches(*x);
    if (!cells_any(ret->gone)) {
        return false;
    }
    wave_hits(*x, ret->gone, &cracked, &ret->revealed);
    x->a += cracked.a; /* solid is 8, cracked 9 */
    x->b += cracked.b;
    ret->cleared = cells_count(ret->gone);
    ret->reveals = cells_any(ret->revealed) ? cells_rows(ret->revealed) : 0;
    return true;
}

/* Opens the revealed discs with their numbers, takes out the cleared ones and lets the rest fall.
 */
static inline void cascade_settle(struct cells *x, const struct cascade_wave *w,
                                  struct cells numbers)
{
    if (w->reveals) {
        wave_uncover(x, &numbers, w->revealed);
    }
    wave_settle(x, NULL, w->gone);
}

/* Every row one up and a row of solid gray discs below; the top row must be empty. */
static inline void cascade_raise(struct cells *x)
{
    x->a = x->a << 4 | CELL_SOLID;
    x->b = x->b << 4 | CELL_SOLID;
}

/* A disc in the top row: the board cannot rise. */
static inline bool cascade_top(struct cells x)
{
    return lanes_any((x.a | x.b) >> 24);
}

#endif
