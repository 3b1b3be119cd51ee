#include "engine/policy/registry.h"

#include "engine/policy/expectimax.h"
#include "engine/policy/fair.h"

/*
 * One line a policy: what people are told about it, then which search it is with which bounds.
 *   X(id, name, family, public, slow, search, depth, max_work, description)
 */
#define POLICY_TABLE(X)                                                                            \
    X("greedy", "Greedy 1-ply", "heuristic-search", true, false, SEARCH_EXPECTIMAX, 1, 100000,     \
      "Values each column by the exact expectation of one move, over every number a gray disc "    \
      "may "                                                                                       \
      "hide. Where that takes more than 100,000 steps it plays one sample a column instead, with " \
      "a 4 under every gray disc.")                                                                \
    X("fair-d2-s7", "Fair D2, 7 strata", "fair-expectimax", true, false, SEARCH_FAIR, 2, 0,        \
      "Looks two own moves ahead over all columns, with seven evenly spread samples of hidden "    \
      "numbers and next disc for each move, and weighs the boards by eighteen terms.")

enum search_kind { SEARCH_EXPECTIMAX, SEARCH_FAIR };

struct bounds {
    enum search_kind kind;
    unsigned depth;
    uint64_t max_work; /* ticks of the expectimax */
};

/* Two arrays with the same order: the first is handed out. */
static const struct policy_info infos[] = {
#define X(id, name, family, public, slow, kind, depth, work, text)                                 \
    {id, name, family, text, public, slow},
    POLICY_TABLE(X)
#undef X
};

static const struct bounds bounds[] = {
#define X(id, name, family, public, slow, kind, depth, work, text) {kind, depth, work},
    POLICY_TABLE(X)
#undef X
};

struct policy {
    const struct policy_info *info;
    enum search_kind kind;
    union {
        struct expectimax *expectimax;
        struct fair *fair;
    } search; /* owned; which one by kind */
};

const struct policy_info *policy_registry(size_t *ret_count)
{
    *ret_count = D7_COUNT(infos);
    return infos;
}

const struct policy_info *policy_find(struct span id)
{
    for (size_t i = 0; i < D7_COUNT(infos); i++) {
        if (span_is(id, infos[i].id)) {
            return &infos[i];
        }
    }
    return NULL;
}

enum d7_err policy_new(const struct policy_info *info, unsigned threads, struct policy **ret)
{
    D7_CHECK(threads >= 1); /* every search so far keeps to one */
    D7_CHECK(info >= infos && info < infos + D7_COUNT(infos));
    const struct bounds *limit = &bounds[info - infos];
    struct policy *p = calloc(1, sizeof(*p));
    if (!p) {
        return D7_ERR_NOMEM;
    }
    p->info = info;
    p->kind = limit->kind;
    enum d7_err err = D7_OK;
    switch (limit->kind) {
    case SEARCH_EXPECTIMAX:
        err = expectimax_new(limit->depth, limit->max_work, &p->search.expectimax);
        break;
    case SEARCH_FAIR:
        err = fair_new(limit->depth, &p->search.fair);
        break;
    }
    if (err) {
        goto out;
    }
    *ret = p;
    p = NULL; /* now the caller's */
out:
    policy_free(p);
    return err;
}

void policy_free(struct policy *p)
{
    if (!p) {
        return;
    }
    switch (p->kind) {
    case SEARCH_EXPECTIMAX:
        expectimax_free(p->search.expectimax);
        break;
    case SEARCH_FAIR:
        fair_free(p->search.fair);
        break;
    }
    free(p);
}

const struct policy_info *policy_info_of(const struct policy *p)
{
    return p->info;
}

void policy_decide_extended(struct policy *p, const struct extended_state *at, struct decision *ret)
{
    switch (p->kind) {
    case SEARCH_EXPECTIMAX:
        expectimax_decide(p->search.expectimax, &at->position, ret);
        break;
    case SEARCH_FAIR:
        fair_decide(p->search.fair, &at->position, ret);
        break;
    }
}

void policy_decide(struct policy *p, const struct position *at, struct decision *ret)
{
    const struct extended_state state = {.position = *at, .level = 1, .moves = 0};
    policy_decide_extended(p, &state, ret);
}
