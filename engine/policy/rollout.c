#include "engine/policy/rollout.h"

#include <math.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/mirror.h"
#include "engine/policy/play.h"

#define ROLLOUTS 8u
#define HORIZON  8u

uint32_t rollout_bits(unsigned rollout, unsigned ply, uint32_t domain)
{
    return mix32(ROLLOUT_SEED ^ ((rollout + 1) * CHANCE_SAMPLE) ^ ((ply + 1) * CHANCE_STEP) ^
                 domain);
}

static inline unsigned draw_stream(void *ctx, unsigned sample, unsigned event)
{
    (void)sample;
    (void)event;
    return rng_disc(ctx);
}

static inline unsigned draw_four(void *ctx, unsigned sample, unsigned event)
{
    (void)ctx;
    (void)sample;
    (void)event;
    return 4;
}

/* The column of the best single move, with a 4 under every gray disc. Adds the moves it tries. */
static unsigned greedy_column(const struct position *at, uint64_t *moves)
{
    bool reversed = mirror_is_reversed(&at->board);
    unsigned legal = board_legal(&at->board);
    *moves += (unsigned)__builtin_popcount(legal);
    unsigned best_column = 0;
    double best = -(double)INFINITY;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_at(i, reversed);
        struct play p;
        if (!(legal >> c & 1u)) {
            continue;
        }
        play_move(&p, at, c, true, draw_four, NULL);
        double value = (double)p.turn.points +
                       (p.turn.over ? HEURISTIC_OVER : heuristic_value(&p.after.board));
        if (value > best) {
            best = value;
            best_column = c;
        }
    }
    return best_column;
}

/* Points of one rollout from a column on, and the value of where it ends. */
static double utility(const struct position *root, bool settled, unsigned column, unsigned rollout,
                      uint64_t *moves)
{
    struct position at = *root;
    int64_t total = 0;
    for (unsigned ply = 0;; ply++) {
        struct play p;
        struct rng rng = {rollout_bits(rollout, ply, ROLLOUT_REVEAL)};
        play_move(&p, &at, column, settled || ply > 0, draw_stream, &rng);
        total += p.turn.points;
        ++*moves;
        if (p.turn.over) {
            return (double)total + HEURISTIC_OVER;
        }
        if (ply == HORIZON - 1) {
            return (double)total + heuristic_value(&p.after.board);
        }
        at = p.after;
        at.next = chance_bits_disc(rollout_bits(rollout, ply + 1, ROLLOUT_NEXT));
        column = greedy_column(&at, moves);
    }
}

void rollout_decide(const struct position *at, struct decision *ret)
{
    bool settled = play_is_settled(&at->board);
    unsigned legal = board_legal(&at->board);
    double values[BOARD_COLUMNS] = {0};
    uint64_t moves = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        double mean = 0.0;
        for (unsigned r = 0; r < ROLLOUTS && (legal >> c & 1u); r++) {
            double from_mean = utility(at, settled, c, r, &moves) - mean;
            mean += from_mean / (r + 1); /* a running mean: sum/8 rounds otherwise */
        }
        values[c] = mean;
    }
    columns_choose(values, legal, mirror_is_reversed(&at->board), ret);
    ret->work = moves;
}
