#include "engine/policy/puct.h"

#include <math.h>

#include "engine/policy/columns.h"
#include "engine/policy/fair.h"
#include "engine/policy/follow.h"
#include "engine/policy/softmax.h"
#include "engine/policy/tree.h"

const struct puct_params puct_defaults = {
    .simulations = 256,
    .horizon = 8,
    .nodes = 4096,
    .continuation = 4,
    .baseline_depth = 2,
    .exploration = 1.25,
    .temperature = 0.75,
    .least_visits = 32,
    .share = 0.65,
    .advantage = 0.10,
};

struct prior {
    double of[BOARD_COLUMNS];
};

struct puct {
    struct puct_params params;
    struct tree tree;
    struct follow *follow; /* owned */
    struct fair *baseline; /* owned */
    struct prior *prior;   /* owned; by node */
    double low;            /* smallest and largest mean seen */
    double high;
};

static double normalised(const struct puct *p, double mean)
{
    return p->high > p->low ? (mean - p->low) / (p->high - p->low) : 0.0;
}

static double node_mean(const struct tree_node *n)
{
    double sum = 0.0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        sum += n->action[c].sum;
    }
    return sum / n->visits;
}

static unsigned select_action(void *ctx, uint32_t node)
{
    const struct puct *p = ctx;
    const struct tree_node *n = &p->tree.node[node];
    const double *prior = p->prior[node].of;
    double root = sqrt(n->visits);
    double untried = n->visits ? normalised(p, node_mean(n)) : 0.0;
    double best = -(double)INFINITY;
    double best_prior = 0.0;
    unsigned best_column = 0;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_centre[i];
        const struct tree_action *a = &n->action[c];
        if (!(n->legal >> c & 1u)) {
            continue;
        }
        double mean = a->visits ? normalised(p, tree_mean(a)) : untried;
        double score = mean + p->params.exploration * prior[c] * root / (1.0 + a->visits);
        if (score > best || (score >= best && prior[c] > best_prior)) {
            best = score;
            best_prior = prior[c];
            best_column = c;
        }
    }
    return best_column;
}

static void set_prior(struct puct *p, uint32_t node, const struct decision *values)
{
    double by_column[BOARD_COLUMNS] = {0};
    unsigned legal = 0;
    for (unsigned i = 0; i < values->value_count; i++) {
        by_column[values->values[i].column] = values->values[i].value;
        legal |= 1u << values->values[i].column;
    }
    softmax_shares(by_column, legal, p->params.temperature, p->prior[node].of);
}

static double grow(void *ctx, uint32_t node, unsigned simulation, unsigned ply)
{
    struct puct *p = ctx;
    const struct position *at = &p->tree.node[node].at;
    struct decision d;
    follow_look(p->follow, at, &d);
    set_prior(p, node, &d);
    return follow_play(p->follow, at, (unsigned)d.column, simulation, ply);
}

static double leaf(void *ctx, const struct position *at)
{
    struct puct *p = ctx;
    return follow_leaf(p->follow, at);
}

/* The means on the last path, as they are now. */
static void see_means(struct puct *p)
{
    for (unsigned i = 0; i < p->tree.length; i++) {
        const struct tree_step *s = &p->tree.path[i];
        double mean = tree_mean(&p->tree.node[s->node].action[s->column]);
        p->low = mean < p->low ? mean : p->low;
        p->high = mean > p->high ? mean : p->high;
    }
}

bool puct_overrides(const struct puct_params *params, const struct puct_claim *claim)
{
    if (claim->visits < params->least_visits || claim->baseline_visits == 0 ||
        !(claim->high > claim->low)) {
        return false;
    }
    double share = (double)claim->visits / claim->all_visits;
    double advantage = (claim->mean - claim->baseline_mean) / (claim->high - claim->low);
    return share > params->share && advantage > params->advantage;
}

/* The tree's favourite is the decision so far; `baseline` is a column of the root's own board. */
static void pass_gate(const struct puct *p, unsigned baseline, struct decision *ret)
{
    const struct tree_node *root = &p->tree.node[0];
    unsigned favourite = (unsigned)(p->tree.reversed ? 6 - ret->column : ret->column);
    const struct tree_action *for_it = &root->action[favourite];
    const struct tree_action *against = &root->action[baseline];
    const struct puct_claim claim = {
        .visits = for_it->visits,
        .all_visits = root->visits,
        .baseline_visits = against->visits,
        .mean = tree_mean(for_it),
        .baseline_mean = against->visits ? tree_mean(against) : 0.0,
        .low = p->low,
        .high = p->high,
    };
    if (!puct_overrides(&p->params, &claim)) {
        ret->column = (int)(p->tree.reversed ? 6 - baseline : baseline);
    }
}

void puct_decide(struct puct *p, const struct position *at, struct decision *ret)
{
    static const struct tree_guide guide = {select_action, grow, leaf};
    struct decision baseline;
    tree_start(&p->tree, at);
    p->low = (double)INFINITY;
    p->high = -(double)INFINITY;
    if (!p->tree.node[0].legal) {
        tree_report(&p->tree, ret);
        return;
    }
    fair_decide(p->baseline, &p->tree.node[0].at, &baseline);
    set_prior(p, 0, &baseline);
    for (unsigned i = 0; i < p->params.simulations; i++) {
        tree_simulate(&p->tree, &guide, p, i);
        see_means(p);
    }
    tree_report(&p->tree, ret);
    ret->work = p->params.simulations;
    pass_gate(p, (unsigned)baseline.column, ret);
}

enum d7_err puct_new(const struct puct_params *params, struct puct **ret)
{
    D7_CHECK(params->simulations >= 1 && params->simulations <= PUCT_SIMULATIONS_MAX);
    D7_CHECK(params->temperature > 0.0);
    struct puct *p = calloc(1, sizeof(*p));
    if (!p) {
        return D7_ERR_NOMEM;
    }
    const struct follow_plan plan = {PUCT_ID, params->simulations, params->horizon, params->nodes,
                                     params->continuation};
    p->params = *params;
    enum d7_err err = follow_begin(&plan, &p->tree, &p->follow);
    if (err) {
        goto out;
    }
    err = fair_new(params->baseline_depth, 1, &p->baseline);
    if (err) {
        goto out;
    }
    p->prior = calloc(p->tree.limits.nodes, sizeof(*p->prior));
    if (!p->prior) {
        err = D7_ERR_NOMEM;
        goto out;
    }
    *ret = p;
    p = NULL; /* now the caller's */
out:
    puct_free(p);
    return err;
}

void puct_free(struct puct *p)
{
    if (p) {
        tree_release(&p->tree);
        follow_free(p->follow);
        fair_free(p->baseline);
        free(p->prior);
        free(p);
    }
}

uint32_t puct_nodes(const struct puct *p)
{
    return p->tree.count;
}

void puct_priors(const struct puct *p, double ret[BOARD_COLUMNS])
{
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        ret[c] = p->prior[0].of[p->tree.reversed ? 6 - c : c];
    }
}
