#include "engine/policy/mcts.h"

#include <math.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/mirror.h"
#include "engine/policy/tree.h"

#define HORIZON       16u
#define ROLLOUT_MOVES 2u
#define EXPLORATION   40000.0

struct mcts {
    unsigned simulations;
    struct mcts_counts counts;
    struct tree tree;
};

static void play_stream(struct mcts *m, struct play *p, const struct position *at, unsigned column,
                        uint32_t stream)
{
    tree_play(p, at, column, true, stream);
    m->counts.plays++;
}

static double evaluate(struct mcts *m, const struct board *b)
{
    m->counts.evaluations++;
    return heuristic_value(b);
}

/* The column of the best single move of a rollout. */
static unsigned greedy_column(struct mcts *m, const struct position *at, unsigned simulation,
                              unsigned ply)
{
    unsigned legal = board_legal(&at->board);
    double best = -(double)INFINITY;
    unsigned best_column = 0;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_centre[i];
        struct play p;
        if (!(legal >> c & 1u)) {
            continue;
        }
        uint32_t seed = MCTS_SEED ^ ((c + 1) * CHANCE_EVENT);
        play_stream(m, &p, at, c, tree_stream(seed, simulation, ply, MCTS_PROBE));
        double value =
            (double)p.turn.points + (p.turn.over ? HEURISTIC_OVER : evaluate(m, &p.after.board));
        if (value > best) {
            best = value;
            best_column = c;
        }
    }
    return best_column;
}

static double rollout(void *ctx, uint32_t node, unsigned simulation, unsigned first_ply)
{
    struct mcts *m = ctx;
    struct position at = m->tree.node[node].at;
    int64_t reward = 0;
    unsigned end = first_ply + ROLLOUT_MOVES < HORIZON ? first_ply + ROLLOUT_MOVES : HORIZON;
    for (unsigned ply = first_ply; ply < end; ply++) {
        struct play p;
        unsigned column = greedy_column(m, &at, simulation, ply);
        play_stream(m, &p, &at, column, tree_stream(MCTS_SEED, simulation, ply, TREE_ROLLOUT));
        reward += p.turn.points;
        if (p.turn.over) {
            return (double)reward + HEURISTIC_OVER;
        }
        at = p.after;
        (void)mirror_canonicalise(&at.board);
    }
    return (double)reward + evaluate(m, &at.board);
}

static unsigned select_action(void *ctx, uint32_t node)
{
    const struct mcts *m = ctx;
    return tree_select_bound(&m->tree.node[node], EXPLORATION);
}

static double leaf(void *ctx, const struct position *at)
{
    return evaluate(ctx, &at->board);
}

void mcts_decide(struct mcts *m, const struct position *at, struct decision *ret)
{
    static const struct tree_guide guide = {select_action, rollout, leaf};
    unsigned simulations = board_legal(&at->board) ? m->simulations : 0;
    m->counts = (struct mcts_counts){0};
    tree_start(&m->tree, at);
    for (unsigned i = 0; i < simulations; i++) {
        tree_simulate(&m->tree, &guide, m, i);
        m->counts.plays += m->tree.length;
    }
    tree_report(&m->tree, ret);
    ret->work = simulations;
    m->counts.nodes = m->tree.count;
    m->counts.reused = m->tree.reused;
    m->counts.longest_path = m->tree.longest;
}

enum d7_err mcts_new(unsigned simulations, struct mcts **ret)
{
    D7_CHECK(simulations >= 1 && simulations <= MCTS_SIMULATIONS);
    struct mcts *m = calloc(1, sizeof(*m));
    if (!m) {
        return D7_ERR_NOMEM;
    }
    const struct tree_limits limits = {MCTS_SEED, HORIZON, simulations + 1, HEURISTIC_OVER};
    enum d7_err err = tree_init(&m->tree, &limits);
    if (err) {
        goto out;
    }
    m->simulations = simulations;
    *ret = m;
    m = NULL; /* now the caller's */
out:
    mcts_free(m);
    return err;
}

void mcts_free(struct mcts *m)
{
    if (m) {
        tree_release(&m->tree);
        free(m);
    }
}

struct mcts_counts mcts_counts(const struct mcts *m)
{
    return m->counts;
}
