/*
 * features.h - what the evaluators see in a board: thirteen figures, most of them about what could
 * clear.
 *
 * Source  ../shared/spec/policies.md, section 3 (passes 1-5) and 14.5 (terms 1-13): the same
 * figures under two sets of weights.
 * Exact   every sum runs in the order of the text; features that are 0 for a cell are skipped,
 * which adds nothing. Boards are bottom-packed, as they are between moves.
 * Threads none: plain values.
 */
#ifndef ENGINE_POLICY_FEATURES_H
#define ENGINE_POLICY_FEATURES_H

#include "engine/policy/grid.h"

struct features {
    struct grid grid; /* what they were read from, for evaluators with terms of their own */
    uint8_t height[BOARD_COLUMNS];
    double open_columns;
    double height_load;
    double solid_cells;
    double cracked_cells;
    double numbered_cells;
    double high_low; /* ones and twos at elevation 5 and above */
    double direct_potential;
    double latent_chain;
    double cracked_exposure;
    double solid_exposure;
    double adjacent_ones;
    double triple_twos;
    double dead_low;
};

void features_read(const struct board *b, struct features *ret);

#endif
