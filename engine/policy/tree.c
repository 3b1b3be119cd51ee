/*
 * Design note
 *
 * Nodes lie in one array in the order of their birth; a table of their numbers, open addressing and
 * at least twice as large as there can be nodes, finds them by board, next disc and clock. A slot
 * carries the number of the decision that filled it, so a new decision empties the table by
 * counting.
 *
 * An action keeps count and sum, as the text does; a mean is divided out where it is wanted, so its
 * last bit is the text's.
 */
#include "engine/policy/tree.h"

#include <math.h>
#include <string.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/log_table.h"
#include "engine/policy/mirror.h"

struct tree_slot {
    uint32_t epoch;
    uint32_t node;
};

uint32_t tree_stream(uint32_t seed, unsigned simulation, unsigned ply, uint32_t domain)
{
    return mix32(seed ^ ((simulation + 1) * CHANCE_SAMPLE) ^ ((ply + 1) * CHANCE_STEP) ^ domain);
}

static inline unsigned draw_stream(void *ctx, unsigned sample, unsigned event)
{
    (void)sample;
    (void)event;
    return rng_disc(ctx);
}

void tree_play(struct play *ret, const struct position *at, unsigned column, bool settled,
               uint32_t stream)
{
    struct rng rng = {stream};
    play_move(ret, at, column, settled, draw_stream, &rng);
    ret->after.next = rng_disc(&rng); /* unused where the game is over */
}

/* The slot of a position: of its node, or a free one. */
static struct tree_slot *find_slot(const struct tree *t, const struct position *at)
{
    uint64_t hash = (uint64_t)at->next << 8 | at->rise;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        hash = (hash ^ at->board.col[c]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    uint32_t i = (uint32_t)(hash >> 32) & t->mask;
    for (; t->slot[i].epoch == t->epoch; i = (i + 1) & t->mask) {
        const struct position *here = &t->node[t->slot[i].node].at;
        if (here->next == at->next && here->rise == at->rise &&
            memcmp(&here->board, &at->board, sizeof(at->board)) == 0) {
            break;
        }
    }
    return &t->slot[i];
}

static void add_node(struct tree *t, const struct position *at, struct tree_slot *slot)
{
    *slot = (struct tree_slot){t->epoch, t->count};
    t->node[t->count++] = (struct tree_node){.at = *at, .legal = board_legal(&at->board)};
}

void tree_start(struct tree *t, const struct position *at)
{
    struct position root = *at;
    t->settled = play_is_settled(&at->board);
    t->reversed = mirror_canonicalise(&root.board);
    t->reused = 0;
    t->longest = 0;
    t->count = 0;
    if (++t->epoch == 0) { /* every number was used: slots must not look filled by this one */
        memset(t->slot, 0, ((size_t)t->mask + 1) * sizeof(*t->slot));
        t->epoch = 1;
    }
    add_node(t, &root, find_slot(t, &root));
}

/* Walks down to a new position, the end of the game or the horizon. Returns the value there. */
static double descend(struct tree *t, const struct tree_guide *guide, void *ctx,
                      unsigned simulation)
{
    uint32_t at = 0;
    for (unsigned ply = 0;; ply++) {
        unsigned column = guide->select(ctx, at);
        struct play p;
        tree_play(&p, &t->node[at].at, column, t->settled || at > 0,
                  tree_stream(t->limits.seed, simulation, ply, TREE_CHANCE));
        t->path[ply] = (struct tree_step){at, (uint8_t)column, p.turn.points};
        t->length = ply + 1;
        if (p.turn.over) {
            return t->limits.over;
        }
        (void)mirror_canonicalise(&p.after.board);
        if (ply == t->limits.horizon - 1) {
            return guide->leaf(ctx, &p.after);
        }
        struct tree_slot *slot = find_slot(t, &p.after);
        if (slot->epoch != t->epoch) {
            if (t->count == t->limits.nodes) {
                return guide->leaf(ctx, &p.after);
            }
            add_node(t, &p.after, slot);
            return guide->grow(ctx, slot->node, simulation, ply + 1);
        }
        t->reused++;
        at = slot->node;
    }
}

void tree_simulate(struct tree *t, const struct tree_guide *guide, void *ctx, unsigned simulation)
{
    double value = descend(t, guide, ctx, simulation);
    t->longest = t->length > t->longest ? t->length : t->longest;
    for (unsigned i = t->length; i-- > 0;) {
        const struct tree_step *s = &t->path[i];
        struct tree_node *n = &t->node[s->node];
        value += (double)s->reward;
        n->action[s->column].visits++;
        n->action[s->column].sum += value;
        n->visits++;
    }
}

unsigned tree_select_bound(const struct tree_node *n, double exploration)
{
    double log_visits = log_table[n->visits + 1];
    double best = -(double)INFINITY;
    unsigned best_column = 0;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_centre[i];
        const struct tree_action *a = &n->action[c];
        if (!(n->legal >> c & 1u)) {
            continue;
        }
        if (a->visits == 0) {
            return c;
        }
        double bound = tree_mean(a) + exploration * sqrt(log_visits / a->visits);
        if (bound > best) {
            best = bound;
            best_column = c;
        }
    }
    return best_column;
}

void tree_report(const struct tree *t, struct decision *ret)
{
    const struct tree_node *root = &t->node[0];
    double means[BOARD_COLUMNS] = {0};
    unsigned legal = 0; /* real columns */
    const struct tree_action *best = NULL;
    double best_mean = 0.0;
    int column = -1;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned here = columns_centre[i];
        unsigned c = columns_at(i, t->reversed);
        const struct tree_action *a = &root->action[here];
        if (!(root->legal >> here & 1u)) {
            continue;
        }
        legal |= 1u << c;
        means[c] = a->visits ? tree_mean(a) : -(double)INFINITY;
        if (!best || a->visits > best->visits ||
            (a->visits == best->visits && means[c] > best_mean)) {
            best = a;
            best_mean = means[c];
            column = (int)c;
        }
    }
    columns_list(means, legal, ret);
    ret->column = column;
    for (unsigned i = 0; i < ret->value_count; i++) {
        unsigned c = ret->values[i].column;
        ret->values[i].visits = root->action[t->reversed ? 6 - c : c].visits;
    }
}

enum d7_err tree_init(struct tree *t, const struct tree_limits *limits)
{
    D7_CHECK(limits->horizon >= 2 && limits->horizon <= TREE_HORIZON_MAX);
    D7_CHECK(limits->nodes >= 1 && limits->nodes <= UINT32_MAX / 4);
    uint32_t slots = 2;
    while (slots < 2 * limits->nodes) {
        slots *= 2;
    }
    *t = (struct tree){.limits = *limits, .mask = slots - 1};
    t->node = calloc(limits->nodes, sizeof(*t->node));
    t->slot = calloc(slots, sizeof(*t->slot));
    if (!t->node || !t->slot) {
        tree_release(t);
        return D7_ERR_NOMEM;
    }
    return D7_OK;
}

void tree_release(struct tree *t)
{
    free(t->node);
    free(t->slot);
    *t = (struct tree){0};
}
