#include "engine/policy/fair_leaf.h"

#include <string.h>

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
    for (unsigned rise = 1; rise <= 5; rise++) {
        for (unsigned h = 0; h <= BOARD_ROWS; h++) {
            l->rise_pressure[rise][h] = (double)(h * h * h) / (double)rise;
        }
    }
}

/* Term 14. Most leaves of a node share their gray cells, so the sum is remembered by its masks. */
static double covered_height_risk(struct fair_leaf *l, const struct grid *g)
{
    uint64_t hash = (g->covered ^ g->cracked * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;
    unsigned slot = (unsigned)(hash >> 40) % FAIR_LEAF_MEMO;
    if (l->memo[slot].covered == g->covered && l->memo[slot].cracked == g->cracked) {
        return l->memo[slot].risk;
    }
    double risk = 0.0;
    for (uint64_t left = g->covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        risk += l->cover_risk[g->cracked >> bit & 1u][bit];
    }
    l->memo[slot].covered = g->covered;
    l->memo[slot].cracked = g->cracked;
    l->memo[slot].risk = risk;
    return risk;
}

/* Term 15: integers, so their order does not matter. */
static double low_number_height_risk(const struct grid *g)
{
    unsigned sum = 0;
    for (uint64_t left = g->ones | g->twos; left; left &= left - 1) {
        unsigned elevation = grid_elevation(grid_lowest(left));
        sum += elevation > 2 ? (elevation - 2) * (elevation - 2) : 0;
    }
    return sum;
}

void fair_leaf_read(struct fair_leaf *l, const struct board *b, unsigned rise,
                    struct fair_value *ret)
{
    struct features f;
    features_read(b, &f);
    unsigned tallest = 0;
    double pressure = 0.0;
    unsigned options[9] = {0};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned height = f.height[c];
        tallest = height > tallest ? height : tallest;
        pressure += l->rise_pressure[rise][height];
        options[height + 1]++; /* a full column counts at 8, which is no disc */
    }
    double danger = tallest > 4 ? tallest - 4 : 0;

    /* one addition a line, in the order of the published table: it decides the last bit */
    double v = 0.0;
    v += f.open_columns * 180.0;
    v += f.height_load * -20.0;
    v += f.solid_cells * -620.0;
    v += f.cracked_cells * -220.0;
    v += f.numbered_cells * -18.0;
    v += f.high_low * -90.0;
    v += f.direct_potential * 1600.0;
    v += f.latent_chain * 700.0;
    v += f.cracked_exposure * 100.0;
    v += f.solid_exposure * 40.0;
    v += f.adjacent_ones * -550.0;
    v += f.triple_twos * -750.0;
    v += f.dead_low * -120.0;
    v += covered_height_risk(l, &f.grid) * -95.0;
    v += low_number_height_risk(&f.grid) * -85.0;
    v += danger * danger * -1250.0;
    v += pressure * -35.0;
    ret->base = v;
    for (unsigned next = 1; next <= 7; next++) {
        ret->options[next] = options[next] * 220.0;
    }
}
