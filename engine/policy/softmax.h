/*
 * softmax.h - shares of a whole for values: the larger, the more.
 *
 * Why     a policy's games must be the same everywhere, and exp() of two C libraries may differ in
 * the last bit. This one is a fixed sequence of IEEE-754 additions, multiplications and one scaling
 * by a power of two: the same bits from every compiler that does not contract them.
 * Threads none.
 */
#ifndef ENGINE_POLICY_SOFTMAX_H
#define ENGINE_POLICY_SOFTMAX_H

#include "engine/rules/board.h"

#define SOFTMAX_LEAST (-700.0) /* below this the exponential is taken for 0 */

/* e^x for x <= 0, within one unit in the last place; 0 below SOFTMAX_LEAST. */
double softmax_exp(double x);

/*
 * The softmax of the values of the columns in `legal`, at least one, divided by their spread
 * (largest less smallest; equal values share evenly) and by the temperature. Other columns get 0.
 * Summed over columns 0 to 6, in that order.
 */
void softmax_shares(const double values[BOARD_COLUMNS], unsigned legal, double temperature,
                    double ret[BOARD_COLUMNS]);

#endif
