#include "engine/policy/sparse.h"

#include <math.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/mirror.h"
#include "engine/policy/play.h"

#define SPARSE_DEPTH 2u

/* A state and its draws: all columns see the same ones. */
struct node {
    const struct position *at;
    unsigned depth;
    uint32_t seed;
    bool settled;
    uint8_t next[SPARSE_SAMPLES];
};

static double best_value(const struct position *at, unsigned depth, uint64_t *moves);

uint64_t sparse_unit(uint32_t node, unsigned sample, uint32_t domain, unsigned event)
{
    uint32_t rotation = mix32(node ^ domain ^ ((event + 1) * CHANCE_STEP));
    uint32_t jitter = mix32(rotation ^ ((sample + 1) * CHANCE_SAMPLE));
    return chance_unit(rotation, jitter, sample, SPARSE_SAMPLES);
}

static inline unsigned draw(void *ctx, unsigned sample, unsigned event)
{
    const uint32_t *seed = ctx;
    return chance_unit_disc(sparse_unit(*seed, sample, SPARSE_REVEAL, event), SPARSE_SAMPLES);
}

static struct node node_of(const struct position *at, unsigned depth, bool settled)
{
    struct node n = {.at = at,
                     .depth = depth,
                     .seed = chance_node_seed(chance_board_hash(&at->board), at->next, at->rise,
                                              SPARSE_SEED, depth),
                     .settled = settled};
    for (unsigned s = 0; s < SPARSE_SAMPLES; s++) {
        n.next[s] = chance_unit_disc(sparse_unit(n.seed, s, SPARSE_NEXT, 0), SPARSE_SAMPLES);
    }
    return n;
}

/* Adds the column's samples and what is played below them, also where it is played once for several
 * samples. */
static double column_value(struct node *n, unsigned column, uint64_t *moves)
{
    struct play plays[SPARSE_SAMPLES];
    unsigned distinct =
        play_column(plays, n->at, column, n->settled, SPARSE_SAMPLES, draw, &n->seed);
    double value = HEURISTIC_OVER;
    double sum = 0.0;
    uint64_t below = 0;
    *moves += SPARSE_SAMPLES;
    for (unsigned s = 0; s < SPARSE_SAMPLES; s++) {
        struct play *p = &plays[s < distinct ? s : 0];
        /* below the last move only the board counts, and the next disc makes no other */
        bool known = s >= distinct && (n->depth == 1 || n->next[s] == n->next[s - 1]);
        if (s < distinct) {
            (void)mirror_canonicalise(&p->after.board);
        }
        if (p->turn.over) {
            value = HEURISTIC_OVER;
            below = 0;
        } else if (!known) {
            p->after.next = n->next[s];
            below = 0;
            value = best_value(&p->after, n->depth - 1, &below);
        }
        *moves += below;
        sum += (double)p->turn.points + value;
    }
    return sum / SPARSE_SAMPLES;
}

/* B: of a canonical state in play. */
static double best_value(const struct position *at, unsigned depth, uint64_t *moves)
{
    if (depth == 0) {
        return heuristic_value(&at->board);
    }
    struct node n = node_of(at, depth, true);
    unsigned legal = board_legal(&at->board);
    double best = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            double value = column_value(&n, c, moves);
            best = value > best ? value : best;
        }
    }
    return best;
}

void sparse_decide_depth(const struct position *at, unsigned depth, struct decision *ret)
{
    struct position canonical = *at;
    bool reversed = mirror_canonicalise(&canonical.board);
    struct node n = node_of(&canonical, depth, play_is_settled(&at->board));
    unsigned legal = board_legal(&at->board);
    double values[BOARD_COLUMNS] = {0};
    uint64_t moves = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            values[c] = column_value(&n, reversed ? 6 - c : c, &moves);
        }
    }
    columns_choose(values, legal, reversed, ret);
    ret->work = moves;
}

void sparse_decide(const struct position *at, struct decision *ret)
{
    sparse_decide_depth(at, SPARSE_DEPTH, ret);
}
