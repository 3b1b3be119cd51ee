#include "engine/policy/gray.h"

#include <math.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/grid.h"
#include "engine/policy/mirror.h"
#include "engine/policy/play.h"

#define ANSWER_SAMPLES 2u
#define ANSWER_REVEAL  (GRAY_CONTINUATION ^ 0x47524556u)
#define ANSWER_WEIGHT  0.72
#define GRAY_OVER      10000000.0 /* taken off, instead of an advantage, where the move ends it */

#define HIGH_ROWS 0xffffffffffu /* rows 0-4: elevation 7 to 3 */

/* 1/(1 + distance) */
static const double nearness[8] = {1.0,       1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0,
                                   1.0 / 5.0, 1.0 / 6.0, 1.0 / 7.0, 1.0 / 8.0};

uint32_t gray_hash(const struct extended_state *at, uint32_t seed)
{
    uint32_t hash = chance_hash_rows(seed, &at->position.board, BOARD_ROWS, 1);
    hash = fnv_step(hash, at->position.next);
    hash = fnv_step(hash, at->level);
    hash = fnv_step(hash, at->position.rise);
    return mix32(fnv_step(hash, at->moves));
}

uint64_t gray_unit(uint32_t hash, unsigned sample, unsigned samples, uint32_t domain)
{
    uint32_t rotation = mix32(hash ^ domain);
    uint32_t jitter = mix32(hash ^ domain ^ ((sample + 1) * CHANCE_SAMPLE));
    return chance_unit(rotation, jitter, sample, samples);
}

static inline unsigned draw_root(void *ctx, unsigned sample, unsigned event)
{
    const uint32_t *hash = ctx;
    uint32_t domain = GRAY_ROOT_REVEAL ^ ((event + 1) * CHANCE_EVENT);
    return chance_unit_disc(gray_unit(*hash, sample, GRAY_SAMPLES, domain), GRAY_SAMPLES);
}

static inline unsigned draw_answer(void *ctx, unsigned sample, unsigned event)
{
    const uint32_t *hash = ctx;
    uint32_t domain = ANSWER_REVEAL ^ ((event + 1) * CHANCE_EVENT);
    return chance_unit_disc(gray_unit(*hash, sample, ANSWER_SAMPLES, domain), ANSWER_SAMPLES);
}

/* Features 5, 6, 12 and 13 look at cells. */
static void cell_features(const struct board *b, const struct grid *g, double *f)
{
    double high_covers = 0.0;
    for (uint64_t left = g->covered & HIGH_ROWS; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned above = grid_elevation(bit) - 2;
        high_covers += (double)(above * above) * (g->cracked >> bit & 1u ? 0.65 : 1.0);
    }
    double exposed = 0.0;
    double live = 0.0;
    for (uint64_t left = g->occupied & ~g->covered; left; left &= left - 1) {
        unsigned bit = grid_lowest(left);
        unsigned row = (unsigned)(g->occupied >> (bit & ~7u)) & 127u;
        unsigned value = grid_cell(b, bit);
        unsigned run = wave_runs[row][grid_column(bit)];
        unsigned height = board_height(b, grid_column(bit));
        unsigned off_run = value > run ? value - run : run - value;
        unsigned off_height = value > height ? value - height : height - value;
        double near = nearness[off_run < off_height ? off_run : off_height];
        exposed += near * grid_count(grid_beside((uint64_t)1 << bit) & g->covered);
        live += value >= run || value >= height ? near : 0.0;
    }
    f[4] = high_covers;
    f[11] = exposed;
    f[12] = live;
}

/* Features 10 and 11: ones and twos on top of columns. */
static void cap_features(const struct board *b, const uint8_t height[BOARD_COLUMNS], double *f)
{
    double low = 0.0;
    double adjacent = 0.0;
    unsigned left = 0; /* height of the column to the left, if it has a low cap */
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned h = height[c];
        unsigned cap = h ? b->col[c] >> (4 * (h - 1)) : 0;
        if (cap != 1 && cap != 2) {
            left = 0;
            continue;
        }
        unsigned lower = left < h ? left : h;
        low += (double)(h * h) * (cap == 1 ? 1.5 : 1.0);
        adjacent += (double)(lower * lower);
        left = h;
    }
    f[9] = low;
    f[10] = adjacent;
}

void gray_features(const struct position *at, double ret[GRAY_FEATURES])
{
    /* over the cells of a column of that height: max(0, elevation - 3)^2 */
    static const uint8_t above_band[8] = {0, 0, 0, 0, 1, 5, 14, 30};
    const struct grid g = grid_of(&at->board);
    uint8_t height[BOARD_COLUMNS];
    unsigned occupied = 0;
    unsigned band = 0;
    unsigned peak = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        height[c] = (uint8_t)board_height(&at->board, c);
        occupied += height[c];
        band += above_band[height[c]];
        peak = height[c] > peak ? height[c] : peak;
    }
    unsigned covers = grid_count(g.covered);
    unsigned cracked = grid_count(g.cracked);
    unsigned excess = peak > 3 ? peak - 3 : 0;
    unsigned pressing = peak > 2 ? peak - 2 : 0;
    double mean = (double)occupied / 7.0;
    double mean_excess = mean > 2.5 ? mean - 2.5 : 0.0;
    ret[0] = occupied;
    ret[1] = covers;
    ret[2] = covers - cracked;
    ret[3] = cracked;
    ret[5] = band;
    ret[6] = excess * excess * excess;
    ret[7] = mean_excess * mean_excess;
    ret[8] = (double)(pressing * pressing) / (double)at->rise;
    cell_features(&at->board, &g, ret);
    cap_features(&at->board, height, ret);
}

double gray_score(const struct position *at)
{
    static const double weight[GRAY_FEATURES] = {-380.0,  -260.0,  -120.0, 30.0,   -360.0,
                                                 -720.0,  -2400.0, -750.0, -900.0, -800.0,
                                                 -1150.0, 520.0,   180.0};
    double f[GRAY_FEATURES];
    double score = 0.0;
    gray_features(at, f);
    for (unsigned i = 0; i < GRAY_FEATURES; i++) {
        score += f[i] * weight[i];
    }
    return score;
}

/* T: what a move did. */
static double transition_score(const struct turn *t)
{
    double cleared = t->cleared;
    double revealed = t->revealed;
    double chained = t->waves > 1 ? t->waves - 1 : 0;
    /* one addition a line, in the order of the text: it decides the last bit */
    double score = (cleared - 2.4) * 650.0;
    score += (revealed - 1.4) * 520.0;
    score += t->cracks * 380.0;
    score += revealed * 620.0;
    score += cleared * 220.0;
    score += chained * chained * 180.0;
    score += (double)t->points * 0.035;
    return score;
}

static double advantage(const struct play *p, double score_before)
{
    return (transition_score(&p->turn) + gray_score(&p->after)) - score_before;
}

/* The best column's mean over two samples of one more move. */
static double best_answer(const struct extended_state *at, double score)
{
    uint32_t hash = gray_hash(at, GRAY_SEED ^ GRAY_CONTINUATION);
    unsigned legal = board_legal(&at->position.board);
    double best = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        struct play plays[ANSWER_SAMPLES];
        if (!(legal >> c & 1u)) {
            continue;
        }
        unsigned distinct =
            play_column(plays, &at->position, c, true, ANSWER_SAMPLES, draw_answer, &hash);
        double gain = 0.0;
        double total = 0.0;
        for (unsigned s = 0; s < ANSWER_SAMPLES; s++) {
            if (s < distinct) {
                gain = plays[s].turn.over ? -GRAY_OVER : advantage(&plays[s], score);
            }
            total += gain;
        }
        double mean = total / ANSWER_SAMPLES;
        best = mean > best ? mean : best;
    }
    return best;
}

/* The canonical root. */
struct root {
    struct extended_state state;
    uint32_t hash;
    double score;
    bool settled;
    uint64_t moves; /* so far; an answer that is worked out once for two samples is two */
};

/* The state a move of the root led to, with the next disc of the sample. */
static struct extended_state state_after(const struct root *root, const struct play *p,
                                         unsigned sample)
{
    uint64_t unit = gray_unit(root->hash, sample, GRAY_SAMPLES, GRAY_ROOT_NEXT);
    struct extended_state after = {.position = p->after,
                                   .level = root->state.level + p->turn.rose,
                                   .moves = root->state.moves + 1};
    after.position.next = chance_unit_disc(unit, GRAY_SAMPLES);
    return after;
}

/* Means over the samples. */
static double column_value(struct root *root, unsigned column)
{
    struct play plays[GRAY_SAMPLES];
    unsigned distinct = play_column(plays, &root->state.position, column, root->settled,
                                    GRAY_SAMPLES, draw_root, &root->hash);
    double total = 0.0;
    double reached = 0.0;
    root->moves += GRAY_SAMPLES;
    double gain = 0.0;
    for (unsigned s = 0; s < GRAY_SAMPLES; s++) {
        const struct play *p = &plays[s < distinct ? s : 0];
        if (p->turn.over) {
            total -= GRAY_OVER;
            continue;
        }
        const struct extended_state after = state_after(root, p, s);
        if (s < distinct) {
            reached = gray_score(&p->after);
            gain = (transition_score(&p->turn) + reached) - root->score;
        }
        total += gain + ANSWER_WEIGHT * best_answer(&after, reached);
        root->moves +=
            ANSWER_SAMPLES * (unsigned)__builtin_popcount(board_legal(&after.position.board));
    }
    return total / GRAY_SAMPLES;
}

void gray_decide(const struct extended_state *at, struct decision *ret)
{
    struct root root = {.state = *at};
    bool reversed = mirror_canonicalise(&root.state.position.board);
    root.hash = gray_hash(&root.state, GRAY_SEED);
    root.score = gray_score(&root.state.position);
    root.settled = play_is_settled(&at->position.board);
    unsigned legal = board_legal(&at->position.board);
    double values[BOARD_COLUMNS] = {0};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            values[c] = column_value(&root, reversed ? 6 - c : c);
        }
    }
    columns_choose(values, legal, reversed, ret);
    ret->work = root.moves;
}
