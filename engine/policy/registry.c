#include "engine/policy/registry.h"

#include "engine/policy/beam.h"
#include "engine/policy/expectimax.h"
#include "engine/policy/fair.h"
#include "engine/policy/gray.h"
#include "engine/policy/mcts.h"
#include "engine/policy/mcts_fair.h"
#include "engine/policy/puct.h"
#include "engine/policy/risk.h"
#include "engine/policy/rollout.h"
#include "engine/policy/sparse.h"

/* What all three of a family say of themselves. */
#define EXPECTIMAX_TEXT(moves, steps)                                                              \
    "Exact expectimax over every number a gray disc may hide and every next disc, to the deepest " \
    "of " moves " own moves that is completed within " steps " steps: the named depth on a "       \
    "minority of moves, one move or less where many gray discs open. Where not even one move "     \
    "fits, it plays one sample a column with a 4 under every gray disc."
#define FAIR_TEXT(moves)                                                                           \
    "Looks " moves " own moves ahead over all columns, with seven evenly spread samples of "       \
    "hidden numbers and next disc for each move, and weighs the boards by eighteen terms."

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
    X("expectimax-d2", "Expectimax D2", "fair-expectimax", true, false, SEARCH_EXPECTIMAX, 2,      \
      100000, EXPECTIMAX_TEXT("one or two", "100,000"))                                            \
    X("expectimax-d3", "Expectimax D3", "fair-expectimax", true, false, SEARCH_EXPECTIMAX, 3,      \
      400000, EXPECTIMAX_TEXT("one to three", "400,000"))                                          \
    X("expectimax-d4", "Expectimax D4", "fair-expectimax", true, true, SEARCH_EXPECTIMAX, 4,       \
      3200000, EXPECTIMAX_TEXT("one to four", "3,200,000"))                                        \
    X("gray-throughput", "Gray throughput", "heuristic-search", false, false, SEARCH_GRAY, 0, 0,   \
      "Plays four samples of each column and the best of seven answers to each, and prefers "      \
      "moves that clear and reveal much and boards that stay low. Level and move number, which "   \
      "no player is shown, choose its samples.")                                                   \
    X("rollout-h8", "Rollout H8", "heuristic-search", true, false, SEARCH_ROLLOUT, 0, 0,           \
      "Plays each column out eight times, eight moves far: numbers and discs are drawn, the "      \
      "moves after the first are greedy ones with a 4 under every gray disc. The mean of points "  \
      "and final board decides.")                                                                  \
    X("mcts", "MCTS", "tree-search", true, false, SEARCH_MCTS, 0, 0,                               \
      "A tree search of 400 simulations over visible positions, by upper confidence bounds; each " \
      "ends in two greedy moves on drawn numbers and the value of the board. Plays the column it " \
      "visited most.")                                                                             \
    X("sparse-d2", "Sparse expectimax D2", "heuristic-search", true, false, SEARCH_SPARSE, 0, 0,   \
      "Looks two own moves ahead over all columns, with five evenly spread samples of hidden "     \
      "numbers and next disc for each move.")                                                      \
    X("risk-d2", "Risk-sensitive D2", "heuristic-search", true, false, SEARCH_RISK, 0, 0,          \
      "Tries each column in eight scenarios, each followed by a search of two more own moves "     \
      "with three samples a move. A column's value is half the mean of its scenarios and half "    \
      "that of its worst two.")                                                                    \
    X("open-loop-beam", "Open-loop beam", "heuristic-search", true, false, SEARCH_BEAM, 0, 0,      \
      "Tries plans of three columns, fixed in advance, on twelve scenarios of hidden numbers and " \
      "discs, keeps the eight best of each length and plays the first column of the best.")        \
    X("fair-d2-s7", "Fair D2, 7 strata", "fair-expectimax", true, false, SEARCH_FAIR, 2, 0,        \
      FAIR_TEXT("two"))                                                                            \
    X("fair-d3-s7", "Fair D3, 7 strata", "fair-expectimax", true, false, SEARCH_FAIR, 3, 0,        \
      FAIR_TEXT("three"))                                                                          \
    X("fair-d4-s7", "Fair D4, 7 strata", "fair-expectimax", true, true, SEARCH_FAIR, 4, 0,         \
      FAIR_TEXT("four"))                                                                           \
    X(PUCT_ID, "PUCT", "tree-search", true, false, SEARCH_PUCT, 0, 0,                              \
      "Plays as fair-d2-s7, unless a tree search of 256 simulations is sure of better: nearly "    \
      "two thirds of its visits and a clear lead of the mean. Fair values of the columns guide "   \
      "the tree; its walks end in up to four moves of the fair search at depth one and the value " \
      "of the board.")                                                                             \
    X(MCTS_FAIR_ID, "MCTS, fair continuation", "tree-search", true, false, SEARCH_MCTS_FAIR, 0, 0, \
      "The tree search of mcts, 400 simulations by upper confidence bounds; each ends in up to "   \
      "four moves of the fair search at depth one and its value of the board. Plays the column "   \
      "it visited most.")

enum search_kind {
    SEARCH_EXPECTIMAX,
    SEARCH_FAIR,
    SEARCH_MCTS,
    SEARCH_MCTS_FAIR,
    SEARCH_PUCT,
    SEARCH_BEAM,
    /* these keep nothing between decisions */
    SEARCH_GRAY,
    SEARCH_ROLLOUT,
    SEARCH_SPARSE,
    SEARCH_RISK,
};

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
        struct mcts *mcts;
        struct mcts_fair *mcts_fair;
        struct puct *puct;
        struct beam *beam;
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
    D7_CHECK(threads >= 1);
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
        err = fair_new(limit->depth, threads, &p->search.fair);
        break;
    case SEARCH_MCTS:
        err = mcts_new(MCTS_SIMULATIONS, &p->search.mcts);
        break;
    case SEARCH_MCTS_FAIR:
        err = mcts_fair_new(&mcts_fair_defaults, &p->search.mcts_fair);
        break;
    case SEARCH_PUCT:
        err = puct_new(&puct_defaults, &p->search.puct);
        break;
    case SEARCH_BEAM:
        err = beam_new(BEAM_DEPTH, &p->search.beam);
        break;
    case SEARCH_GRAY:
    case SEARCH_ROLLOUT:
    case SEARCH_SPARSE:
    case SEARCH_RISK:
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
    case SEARCH_MCTS:
        mcts_free(p->search.mcts);
        break;
    case SEARCH_MCTS_FAIR:
        mcts_fair_free(p->search.mcts_fair);
        break;
    case SEARCH_PUCT:
        puct_free(p->search.puct);
        break;
    case SEARCH_BEAM:
        beam_free(p->search.beam);
        break;
    case SEARCH_GRAY:
    case SEARCH_ROLLOUT:
    case SEARCH_SPARSE:
    case SEARCH_RISK:
        break;
    }
    free(p);
}

const struct policy_info *policy_info_of(const struct policy *p)
{
    return p->info;
}

static void decide_public(struct policy *p, const struct position *at, struct decision *ret)
{
    switch (p->kind) {
    case SEARCH_EXPECTIMAX:
        expectimax_decide(p->search.expectimax, at, ret);
        break;
    case SEARCH_FAIR:
        fair_decide(p->search.fair, at, ret);
        break;
    case SEARCH_MCTS:
        mcts_decide(p->search.mcts, at, ret);
        break;
    case SEARCH_MCTS_FAIR:
        mcts_fair_decide(p->search.mcts_fair, at, ret);
        break;
    case SEARCH_PUCT:
        puct_decide(p->search.puct, at, ret);
        break;
    case SEARCH_BEAM:
        beam_decide(p->search.beam, at, ret);
        break;
    case SEARCH_ROLLOUT:
        rollout_decide(at, ret);
        break;
    case SEARCH_SPARSE:
        sparse_decide(at, ret);
        break;
    case SEARCH_RISK:
        risk_decide(at, ret);
        break;
    case SEARCH_GRAY:
        break; /* not a public one */
    }
}

void policy_decide_extended(struct policy *p, const struct extended_state *at, struct decision *ret)
{
    if (p->kind == SEARCH_GRAY) {
        gray_decide(at, ret); /* the only one that is handed more than the position */
    } else {
        decide_public(p, &at->position, ret);
    }
}

void policy_decide(struct policy *p, const struct position *at, struct decision *ret)
{
    const struct extended_state state = {.position = *at, .level = 1, .moves = 0};
    policy_decide_extended(p, &state, ret);
}
