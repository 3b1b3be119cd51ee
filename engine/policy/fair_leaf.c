#include "engine/policy/fair_leaf.h"

#include <string.h>

#include "engine/base/check.h"

#define HIGH_ROWS 0xffffffffffu /* rows 0-4: elevation 3 and above */

void fair_leaf_init(struct fair_leaf *l)
{
    memset(l, 0, sizeof(*l)); /* the empty memo is right too: no gray cell, no risk */
    for (unsigned row = 0; row < BOARD_ROWS; row++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            double elevation = 7 - row;
            double risk = elevation * elevation * (c == 0 || c == 6 ? 1.65 : 1.0);
            l->cover_risk[0][8 * row + c] = risk;
            l->cover_risk[1][8 * row + c] = risk * 0.72;
        }
    }
    for (unsigned cost = 0; cost < D7_COUNT(l->additions); cost++) {
        for (unsigned need = 0; need < 8; need++) {
            l->additions[cost][need] =
                readiness_either(cost ? readiness(cost) : 0.0, need ? readiness(need) : 0.0);
        }
    }
}

unsigned fair_leaf_gray(struct fair_leaf *l, uint64_t covered, uint64_t cracked)
{
    uint64_t hash = (covered ^ cracked * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;
    unsigned slot = (unsigned)(hash >> 40) % FAIR_LEAF_MEMO;
    if (l->memo[slot].covered == covered && l->memo[slot].cracked == cracked) {
        return slot;
    }
    double risk = 0.0;
    for (uint64_t left = covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        risk += l->cover_risk[cracked >> bit & 1u][bit];
    }
    int32_t gray = (int32_t)grid_count(covered);
    int32_t broken = (int32_t)grid_count(cracked);
    l->memo[slot].covered = covered;
    l->memo[slot].cracked = cracked;
    l->memo[slot].risk = risk * -95.0;
    /* the profile counted each as a number */
    l->memo[slot].points = -620 * (gray - broken) - 220 * broken + 18 * gray;
    return slot;
}

uint32_t fair_leaf_low(uint64_t low)
{
    /* by row: terms 6 (in the low byte) and 15 of a one or two */
    static const uint16_t weight[BOARD_ROWS] = {0x1901, 0x1001, 0x0901, 0x0400, 0x0100, 0, 0};
    uint32_t sum = 0;
    for (uint64_t left = low & HIGH_ROWS; left; left &= left - 1) {
        sum += weight[grid_row(grid_lowest(left))];
    }
    return sum;
}

void fair_leaf_read(struct fair_leaf *l, const struct board *b, unsigned rise,
                    struct fair_value *ret)
{
    struct fair_reading r;
    double cracked_exposure;
    double solid_exposure;
    fair_reading_start(&r, b, 0, &l->profiles, &l->cells);
    unsigned gray = fair_leaf_gray(l, r.covered, r.cracked);
    uint32_t low = fair_leaf_low(r.is[1] | r.is[2]);
    double direct = fair_reading_additions(&r, l->additions);
    fair_reading_releases(&r);
    double ones = fair_reading_adjacent_ones(&r);
    double twos = fair_reading_triple_twos(&r);
    double latent = fair_reading_ready(&r);
    fair_reading_exposures(&r, &cracked_exposure, &solid_exposure);

    /* One addition a line, in the order of the published table: it decides the last bit. Terms 1-6
     * are integers far below 2^53, whatever their order. */
    double v = r.profile->points + l->memo[gray].points - 90 * (int32_t)(low & 255u);
    v += direct * 1600.0;
    v += latent * 700.0;
    v += cracked_exposure * 100.0;
    v += solid_exposure * 40.0;
    v += ones * -550.0;
    v += twos * -750.0;
    v += fair_reading_dead_low(&r) * -120.0;
    v += l->memo[gray].risk;
    v += (int32_t)(low >> 8) * -85.0;
    v += r.profile->danger;
    v += r.profile->pressure[rise];
    ret->base = v;
    ret->options = r.profile->options;
    fair_reading_end(&r);
}
