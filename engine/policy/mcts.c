/*
 * Design note
 *
 * Nodes lie in one array in the order of their birth; a table of indexes, open addressing and twice
 * as large as there can be nodes, finds them by board, next disc and clock. A decision starts by
 * emptying that table: 2 KiB.
 *
 * An action keeps count and sum, as the text does; a mean is divided out where it is wanted, so its
 * last bit is the text's.
 */
#include "engine/policy/mcts.h"

#include <math.h>
#include <string.h>

#include "engine/policy/chance.h"
#include "engine/policy/columns.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/log_table.h"
#include "engine/policy/mirror.h"
#include "engine/policy/play.h"

#define HORIZON       16u
#define ROLLOUT_MOVES 2u
#define EXPLORATION   40000.0
#define NODES         (MCTS_SIMULATIONS + 1)
#define SLOTS         1024u
#define NO_NODE       UINT16_MAX

struct action {
    uint32_t visits;
    double sum;
};

struct node {
    struct position at; /* canonical */
    uint32_t visits;
    unsigned legal;
    struct action action[BOARD_COLUMNS];
};

struct step {
    uint16_t node;
    uint8_t column;
    int64_t reward;
};

struct mcts {
    unsigned simulations;
    bool settled; /* the root; every other node is */
    struct mcts_counts counts;
    struct step path[HORIZON];
    uint16_t slot[SLOTS];
    struct node node[NODES];
};

uint32_t mcts_stream(uint32_t seed, unsigned simulation, unsigned ply, uint32_t domain)
{
    return mix32(seed ^ ((simulation + 1) * CHANCE_SAMPLE) ^ ((ply + 1) * CHANCE_STEP) ^ domain);
}

static inline unsigned draw_stream(void *ctx, unsigned sample, unsigned event)
{
    (void)sample;
    (void)event;
    return rng_disc(ctx);
}

/* A move on a stream, and the next disc from what is left of it. */
static void play_stream(struct mcts *m, struct play *p, const struct position *at, unsigned column,
                        bool settled, uint32_t stream)
{
    struct rng rng = {stream};
    play_move(p, at, column, settled, draw_stream, &rng);
    p->after.next = rng_disc(&rng); /* unused where the game is over */
    m->counts.plays++;
}

static double evaluate(struct mcts *m, const struct board *b)
{
    m->counts.evaluations++;
    return heuristic_value(b);
}

/* The slot of a position: of its node, or a free one. */
static unsigned find_slot(const struct mcts *m, const struct position *at)
{
    uint64_t hash = (uint64_t)at->next << 8 | at->rise;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        hash = (hash ^ at->board.col[c]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    unsigned slot = (unsigned)(hash >> 40) % SLOTS;
    for (; m->slot[slot] != NO_NODE; slot = (slot + 1) % SLOTS) {
        const struct position *here = &m->node[m->slot[slot]].at;
        if (here->next == at->next && here->rise == at->rise &&
            memcmp(&here->board, &at->board, sizeof(at->board)) == 0) {
            break;
        }
    }
    return slot;
}

static void add_node(struct mcts *m, const struct position *at, unsigned slot)
{
    m->slot[slot] = (uint16_t)m->counts.nodes;
    m->node[m->counts.nodes++] = (struct node){.at = *at, .legal = board_legal(&at->board)};
}

/* An action never tried, or the one with the highest bound. */
static unsigned select_action(const struct node *n)
{
    double log_visits = log_table[n->visits + 1];
    double best = -(double)INFINITY;
    unsigned best_column = 0;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_centre[i];
        const struct action *a = &n->action[c];
        if (!(n->legal >> c & 1u)) {
            continue;
        }
        if (a->visits == 0) {
            return c;
        }
        double bound = a->sum / a->visits + EXPLORATION * sqrt(log_visits / a->visits);
        if (bound > best) {
            best = bound;
            best_column = c;
        }
    }
    return best_column;
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
        play_stream(m, &p, at, c, true, mcts_stream(seed, simulation, ply, MCTS_PROBE));
        double value =
            (double)p.turn.points + (p.turn.over ? HEURISTIC_OVER : evaluate(m, &p.after.board));
        if (value > best) {
            best = value;
            best_column = c;
        }
    }
    return best_column;
}

static double rollout(struct mcts *m, const struct position *from, unsigned simulation,
                      unsigned first_ply)
{
    struct position at = *from;
    int64_t reward = 0;
    unsigned end = first_ply + ROLLOUT_MOVES < HORIZON ? first_ply + ROLLOUT_MOVES : HORIZON;
    for (unsigned ply = first_ply; ply < end; ply++) {
        struct play p;
        unsigned column = greedy_column(m, &at, simulation, ply);
        play_stream(m, &p, &at, column, true,
                    mcts_stream(MCTS_SEED, simulation, ply, MCTS_ROLLOUT));
        reward += p.turn.points;
        if (p.turn.over) {
            return (double)reward + HEURISTIC_OVER;
        }
        at = p.after;
        (void)mirror_canonicalise(&at.board);
    }
    return (double)reward + evaluate(m, &at.board);
}

/* Walks down to a new node, the end of the game or the horizon; the path is left in m. Returns the
 * value there. */
static double descend(struct mcts *m, unsigned simulation, unsigned *ret_length)
{
    unsigned at = 0;
    for (unsigned ply = 0;; ply++) {
        const struct node *n = &m->node[at];
        unsigned column = select_action(n);
        struct play p;
        play_stream(m, &p, &n->at, column, m->settled || at > 0,
                    mcts_stream(MCTS_SEED, simulation, ply, MCTS_TREE));
        m->path[ply] = (struct step){(uint16_t)at, (uint8_t)column, p.turn.points};
        *ret_length = ply + 1;
        if (p.turn.over) {
            return HEURISTIC_OVER;
        }
        (void)mirror_canonicalise(&p.after.board);
        if (ply == HORIZON - 1) {
            return evaluate(m, &p.after.board);
        }
        unsigned slot = find_slot(m, &p.after);
        if (m->slot[slot] == NO_NODE) {
            add_node(m, &p.after, slot);
            return rollout(m, &p.after, simulation, ply + 1);
        }
        m->counts.reused++;
        at = m->slot[slot];
    }
}

static void simulate(struct mcts *m, unsigned simulation)
{
    unsigned length = 0;
    double value = descend(m, simulation, &length);
    m->counts.longest_path = length > m->counts.longest_path ? length : m->counts.longest_path;
    while (length-- > 0) {
        const struct step *s = &m->path[length];
        struct node *n = &m->node[s->node];
        value += (double)s->reward;
        n->action[s->column].visits++;
        n->action[s->column].sum += value;
        n->visits++;
    }
}

/* Most visits, then the better mean, then the order. */
static void choose(const struct node *root, bool reversed, unsigned legal, struct decision *ret)
{
    double means[BOARD_COLUMNS] = {0};
    const struct action *best = NULL;
    double best_mean = 0.0;
    int column = -1;
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_at(i, reversed);
        const struct action *a = &root->action[reversed ? 6 - c : c];
        if (!(legal >> c & 1u)) {
            continue;
        }
        means[c] = a->visits ? a->sum / a->visits : -(double)INFINITY;
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
        ret->values[i].visits = root->action[reversed ? 6 - c : c].visits;
    }
}

void mcts_decide(struct mcts *m, const struct position *at, struct decision *ret)
{
    struct position root = *at;
    bool reversed = mirror_canonicalise(&root.board);
    unsigned legal = board_legal(&at->board);
    m->settled = play_is_settled(&at->board);
    m->counts = (struct mcts_counts){0};
    memset(m->slot, 0xff, sizeof(m->slot));
    add_node(m, &root, find_slot(m, &root));
    for (unsigned i = 0; i < m->simulations && legal; i++) {
        simulate(m, i);
    }
    choose(&m->node[0], reversed, legal, ret);
    ret->work = legal ? m->simulations : 0;
}

enum d7_err mcts_new(unsigned simulations, struct mcts **ret)
{
    D7_CHECK(simulations >= 1 && simulations <= MCTS_SIMULATIONS);
    struct mcts *m = calloc(1, sizeof(*m));
    if (!m) {
        return D7_ERR_NOMEM;
    }
    m->simulations = simulations;
    *ret = m;
    return D7_OK;
}

void mcts_free(struct mcts *m)
{
    free(m);
}

struct mcts_counts mcts_counts(const struct mcts *m)
{
    return m->counts;
}
