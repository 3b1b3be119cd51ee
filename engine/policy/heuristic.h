/*
 * heuristic.h - the 'combined' evaluator V of the searches that look at the board alone.
 *
 * Source  ../shared/spec/policies.md, section 3.
 * Threads none: plain values.
 */
#ifndef ENGINE_POLICY_HEURISTIC_H
#define ENGINE_POLICY_HEURISTIC_H

#include "engine/policy/features.h"

#define HEURISTIC_OVER (-250000.0) /* V of a state in which the game is over */

/* V of a board in play, in the orientation given (mirror images may differ in the last bit). */
double heuristic_value(const struct board *b);
double heuristic_weigh(const struct features *f);

#endif
