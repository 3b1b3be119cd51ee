#include "engine/policy/mcts_fair.h"

#include <math.h>

#include "engine/policy/follow.h"
#include "engine/policy/log_table.h"
#include "engine/policy/tree.h"

const struct mcts_fair_params mcts_fair_defaults = {
    .simulations = 400,
    .horizon = 16,
    .nodes = 100000,
    .continuation = 4,
    .least_spread = 1000.0,
};

struct mcts_fair {
    struct mcts_fair_params params;
    struct tree tree;
    struct follow *follow; /* owned */
};

/* Of the means of the visited actions, the largest less the smallest. */
static double spread(const struct tree_node *n)
{
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (n->action[c].visits) {
            double mean = tree_mean(&n->action[c]);
            low = mean < low ? mean : low;
            high = mean > high ? mean : high;
        }
    }
    return high > low ? high - low : 0.0;
}

static unsigned select_action(void *ctx, uint32_t node)
{
    const struct mcts_fair *m = ctx;
    const struct tree_node *n = &m->tree.node[node];
    double exploration = spread(n);
    if (exploration < m->params.least_spread) {
        exploration = m->params.least_spread;
    }
    return tree_select_bound(n, exploration);
}

static double grow(void *ctx, uint32_t node, unsigned simulation, unsigned ply)
{
    struct mcts_fair *m = ctx;
    const struct position *at = &m->tree.node[node].at;
    struct decision d;
    follow_look(m->follow, at, &d);
    return follow_play(m->follow, at, (unsigned)d.column, simulation, ply);
}

static double leaf(void *ctx, const struct position *at)
{
    struct mcts_fair *m = ctx;
    return follow_leaf(m->follow, at);
}

void mcts_fair_decide(struct mcts_fair *m, const struct position *at, struct decision *ret)
{
    static const struct tree_guide guide = {select_action, grow, leaf};
    unsigned simulations = board_legal(&at->board) ? m->params.simulations : 0;
    tree_start(&m->tree, at);
    for (unsigned i = 0; i < simulations; i++) {
        tree_simulate(&m->tree, &guide, m, i);
    }
    tree_report(&m->tree, ret);
    ret->work = simulations;
}

enum d7_err mcts_fair_new(const struct mcts_fair_params *params, struct mcts_fair **ret)
{
    D7_CHECK(params->simulations >= 1 && params->simulations < LOG_TABLE_MAX);
    struct mcts_fair *m = calloc(1, sizeof(*m));
    if (!m) {
        return D7_ERR_NOMEM;
    }
    const struct follow_plan plan = {MCTS_FAIR_ID, params->simulations, params->horizon,
                                     params->nodes, params->continuation};
    m->params = *params;
    enum d7_err err = follow_begin(&plan, &m->tree, &m->follow);
    if (err) {
        goto out;
    }
    *ret = m;
    m = NULL; /* now the caller's */
out:
    mcts_fair_free(m);
    return err;
}

void mcts_fair_free(struct mcts_fair *m)
{
    if (m) {
        tree_release(&m->tree);
        follow_free(m->follow);
        free(m);
    }
}

uint32_t mcts_fair_nodes(const struct mcts_fair *m)
{
    return m->tree.count;
}
