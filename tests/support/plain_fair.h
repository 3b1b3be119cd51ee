/*
 * plain_fair.h - the fair search read off the text: no tables, nothing shared, nothing remembered.
 *
 * Source  ../shared/spec/policies.md, section 14. Slow and obvious; of the engine it uses the turn
 * (which has a reference of its own) and, for terms 1-13 of the leaf, the features greedy reads.
 * Threads none: plain values.
 */
#ifndef TESTS_SUPPORT_PLAIN_FAIR_H
#define TESTS_SUPPORT_PLAIN_FAIR_H

#include "engine/rules/board.h"

/* Terms 1-17. */
double plain_fair_leaf(const struct board *b, unsigned rise);
/* Columns of term 18. */
unsigned plain_fair_options(const struct board *b, unsigned next);
/* Q of a legal column with `depth` >= 1 moves to look ahead, at a root as it comes. */
double plain_fair_value(const struct position *root, unsigned column, unsigned depth);

#endif
