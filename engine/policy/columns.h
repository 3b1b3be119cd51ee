/*
 * columns.h - the order in which searches look at columns, and the choice among their values.
 *
 * Source  ../shared/spec/policies.md, section 0 ("Column orders", "Strict improvement").
 * Threads none.
 */
#ifndef ENGINE_POLICY_COLUMNS_H
#define ENGINE_POLICY_COLUMNS_H

#include "engine/policy/registry.h"

/* From the centre outwards: the earlier column wins a tie. */
extern const uint8_t columns_centre[BOARD_COLUMNS];

/* Where the text says "CENTRE, or MIRRORED if reversed": the column at place i of the order. */
static inline unsigned columns_at(unsigned i, bool reversed)
{
    return reversed ? 6u - columns_centre[i] : columns_centre[i];
}

/* A decision without a column yet: the values of the columns in `legal`, depth and work 0. */
void columns_list(const double values[BOARD_COLUMNS], unsigned legal, struct decision *ret);

/*
 * The decision for the values of the columns in `legal`. reversed: they were found on the mirror
 * image, so ties go the mirrored way; `values` are of real columns either way. depth and work are
 * 0.
 */
void columns_choose(const double values[BOARD_COLUMNS], unsigned legal, bool reversed,
                    struct decision *ret);

#endif
