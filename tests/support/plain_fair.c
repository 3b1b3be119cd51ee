#include "tests/support/plain_fair.h"

#include <string.h>

#include "engine/base/rng.h"
#include "engine/policy/features.h"
#include "engine/rules/turn.h"

#define STRATA 7u
#define OVER   (-1000000.0)

double plain_fair_leaf(const struct board *b, unsigned rise)
{
    struct features f;
    features_read(b, &f);
    double covered_risk = 0.0;
    double low_risk = 0.0;
    double pressure = 0.0;
    double tallest = 0.0;
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        unsigned cell = board_cell(b, i);
        unsigned row = i / 7;
        double e = 7 - row;
        if (cell >= CELL_SOLID) {
            double edge = i % 7 == 0 || i % 7 == 6 ? 1.65 : 1.0;
            covered_risk += e * e * edge * (cell == CELL_SOLID ? 1.0 : 0.72);
        } else if ((cell == 1 || cell == 2) && e > 2) {
            low_risk += (e - 2) * (e - 2);
        }
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        double h = board_height(b, c);
        pressure += h * h * h / rise;
        tallest = h > tallest ? h : tallest;
    }
    double danger = tallest > 4 ? tallest - 4 : 0;
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
    v += covered_risk * -95.0;
    v += low_risk * -85.0;
    v += danger * danger * -1250.0;
    v += pressure * -35.0;
    return v;
}

unsigned plain_fair_options(const struct board *b, unsigned next)
{
    unsigned options = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned h = board_height(b, c);
        options += h < BOARD_ROWS && h + 1 == next;
    }
    return options;
}

/* The mirror image where it reads smaller. */
static bool canonical(struct board *b)
{
    char here[BOARD_TEXT_SIZE];
    char there[BOARD_TEXT_SIZE];
    struct board m = board_mirrored(b);
    board_format(b, here);
    board_format(&m, there);
    if (strcmp(there, here) >= 0) {
        return false;
    }
    *b = m;
    return true;
}

static uint32_t seed_of(const struct position *at, unsigned depth)
{
    uint32_t x = FNV_START;
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        x = fnv_step(x, board_cell(&at->board, i) + 1);
    }
    x = fnv_step(x, at->next) ^ at->rise;
    return mix32(x ^ 0xd7075eedu ^ ((depth + 1) * 0x85ebca6bu));
}

struct draws {
    uint32_t seed;
    uint32_t domain;
    unsigned sample;
    unsigned event;
};

static unsigned draw(void *ctx, unsigned index)
{
    struct draws *d = ctx;
    uint32_t e = mix32(d->seed ^ d->domain ^ ((++d->event) * 0x85ebca6bu));
    uint32_t jitter = mix32(e ^ ((d->sample + 1) * 0x9e3779b9u));
    unsigned k = (d->sample + e % STRATA) % STRATA;
    double u = (k + jitter / 4294967296.0) / STRATA;
    (void)index;
    return (unsigned)(7 * u) + 1;
}

static double state_value(const struct position *at, unsigned depth);

/* Q of a canonical state. */
static double column_value(const struct position *at, unsigned column, unsigned depth)
{
    double sum = 0.0;
    for (unsigned s = 0; s < STRATA; s++) {
        struct draws reveals = {seed_of(at, depth), 0x5245564cu, s, 0};
        struct draws next = {reveals.seed, 0x44495343u, s, 0};
        struct position after = {at->board, (uint8_t)draw(&next, 0), at->rise};
        struct turn t;
        turn_sampled(&after.board, column, at->next, &after.rise, draw, &reveals, NULL, &t);
        (void)canonical(&after.board);
        sum += (double)t.points + (t.over ? OVER : state_value(&after, depth - 1));
    }
    return sum / STRATA;
}

static double state_value(const struct position *at, unsigned depth)
{
    if (depth == 0) {
        return plain_fair_leaf(&at->board, at->rise) +
               plain_fair_options(&at->board, at->next) * 220.0;
    }
    double best = 0.0;
    bool any = false;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (board_legal(&at->board) >> c & 1u) {
            double value = column_value(at, c, depth);
            best = !any || value > best ? value : best;
            any = true;
        }
    }
    return any ? best : OVER;
}

double plain_fair_value(const struct position *root, unsigned column, unsigned depth)
{
    struct position at = *root;
    bool mirrored = canonical(&at.board);
    return column_value(&at, mirrored ? BOARD_COLUMNS - 1 - column : column, depth);
}
