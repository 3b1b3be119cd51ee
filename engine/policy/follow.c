#include "engine/policy/follow.h"

#include "engine/policy/chance.h"
#include "engine/policy/fair.h"
#include "engine/policy/fair_leaf.h"
#include "engine/policy/mirror.h"

struct follow {
    struct follow_limits limits;
    struct fair *one_ply; /* owned */
    struct fair_leaf leaf;
};

void follow_look(struct follow *f, const struct position *at, struct decision *ret)
{
    fair_decide(f->one_ply, at, ret);
}

double follow_leaf(struct follow *f, const struct position *at)
{
    struct fair_value value;
    fair_leaf_read(&f->leaf, &at->board, at->rise, &value);
    return fair_leaf_value(&value, at->next);
}

double follow_play(struct follow *f, const struct position *from, unsigned column,
                   unsigned simulation, unsigned ply)
{
    const struct follow_limits *l = &f->limits;
    struct position at = *from;
    int64_t reward = 0;
    unsigned end = ply + l->moves < l->horizon ? ply + l->moves : l->horizon;
    for (unsigned first = ply; ply < end; ply++) {
        struct play p;
        if (ply > first) {
            struct decision d;
            follow_look(f, &at, &d);
            column = (unsigned)d.column;
        }
        tree_play(&p, &at, column, true, tree_stream(l->seed, simulation, ply, TREE_ROLLOUT));
        reward += p.turn.points;
        if (p.turn.over) {
            return (double)reward + FOLLOW_OVER;
        }
        at = p.after;
        (void)mirror_canonicalise(&at.board);
    }
    return (double)reward + follow_leaf(f, &at);
}

enum d7_err follow_new(const struct follow_limits *limits, struct follow **ret)
{
    struct follow *f = calloc(1, sizeof(*f));
    if (!f) {
        return D7_ERR_NOMEM;
    }
    f->limits = *limits;
    fair_leaf_init(&f->leaf);
    enum d7_err err = fair_new(1, 1, &f->one_ply);
    if (err) {
        goto out;
    }
    *ret = f;
    f = NULL; /* now the caller's */
out:
    follow_free(f);
    return err;
}

enum d7_err follow_begin(const struct follow_plan *plan, struct tree *tree, struct follow **ret)
{
    uint32_t seed = chance_policy_seed(plan->policy);
    uint32_t most = plan->simulations + 1; /* a simulation adds one node at most */
    const struct tree_limits limits = {
        .seed = seed,
        .horizon = plan->horizon,
        .nodes = plan->nodes < most ? plan->nodes : most,
        .over = FOLLOW_OVER,
    };
    const struct follow_limits follow = {seed, plan->continuation, plan->horizon};
    enum d7_err err = tree_init(tree, &limits);
    return err ? err : follow_new(&follow, ret);
}

void follow_free(struct follow *f)
{
    if (f) {
        fair_free(f->one_ply);
        free(f);
    }
}
