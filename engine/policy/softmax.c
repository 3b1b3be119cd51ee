/*
 * Design note
 *
 * e^x = 2^k e^r with k the integer nearest to x / ln 2 and |r| <= ln 2 / 2. ln 2 is split in two:
 * the upper part has 32 bits, so k times it is exact for every k here, and so is x less that (the
 * two are close); only the lower part rounds, far below the last place of r.
 *
 * e^r = 1 + (r + r^2 q), q the Taylor series from 1/2! to 1/13!: what is cut off is under
 * r^14 / 14! < 5e-18, a twentieth of the last place of the smallest result, 0.7. The large terms
 * are added last. A table or a fitted polynomial would save a few of the multiplications; there are
 * seven exponentials a node, and these coefficients need no proof.
 */
#include "engine/policy/softmax.h"

#include <math.h>
#include <string.h>

#define LN2_UPPER   0x1.62e42feep-1
#define LN2_LOWER   0x1.a39ef35793c76p-33
#define LN2_INVERSE 0x1.71547652b82fep+0
#define TERMS       12

/* 1/13!, 1/12!, ... 1/2!: the factorials are exact, so each is one rounding. */
static const double taylor[TERMS] = {
    1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
    1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
    1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0,
};

double softmax_exp(double x)
{
    if (!(x >= SOFTMAX_LEAST)) {
        return 0.0;
    }
    int k = (int)(x * LN2_INVERSE - 0.5); /* x <= 0: towards zero is to the nearest */
    double r = (x - k * LN2_UPPER) - k * LN2_LOWER;
    double q = taylor[0];
    for (unsigned i = 1; i < TERMS; i++) {
        q = q * r + taylor[i];
    }
    double near = 1.0 + (r + r * r * q);
    uint64_t bits = (uint64_t)(1023 + k) << 52; /* 2^k, a normal number: k >= -1010 */
    double scale = 0.0;
    memcpy(&scale, &bits, sizeof(scale));
    return near * scale;
}

void softmax_shares(const double values[BOARD_COLUMNS], unsigned legal, double temperature,
                    double ret[BOARD_COLUMNS])
{
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            low = values[c] < low ? values[c] : low;
            high = values[c] > high ? values[c] : high;
        }
    }
    double spread = high > low ? high - low : 1.0; /* else every difference is 0 */
    double sum = 0.0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        ret[c] = 0.0;
        if (legal >> c & 1u) {
            ret[c] = softmax_exp((values[c] - high) / spread / temperature);
            sum += ret[c];
        }
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        ret[c] /= sum;
    }
}
