#include "engine/policy/risk.h"

#include <math.h>
#include <string.h>

#include "engine/policy/chance.h"
#include "engine/policy/frame.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/play.h"

#define RISK_DEPTH   2u /* own moves after the scenario's */
#define RISK_TAIL    2u /* a quarter of the scenarios */
#define RISK_WEIGHT  0.5
#define RISK_JITTER  0x4a495452u
#define INNER_REVEAL 0x4952564cu
#define INNER_NEXT   0x49445343u

/* A node below the root: every column sees the same draws. */
struct node {
    const struct extended_state *at;
    unsigned depth;
    uint32_t seed;
    uint8_t next[RISK_SAMPLES];
};

static double best_value(const struct extended_state *at, unsigned depth, uint64_t *moves);

uint32_t risk_seed(const struct extended_state *at, uint32_t seed, unsigned depth)
{
    uint32_t hash = seed ^ ((depth + 1) * CHANCE_STEP);
    hash = chance_hash_rows(hash, &at->position.board, BOARD_ROWS, 0);
    hash = fnv_step(hash, at->position.next);
    hash = fnv_step(hash, at->level);
    hash = fnv_step(hash, at->position.rise);
    hash = fnv_step(hash, at->moves);
    return mix32(fnv_step(hash, 0)); /* 0: not over */
}

uint64_t risk_unit(uint32_t node, unsigned sample, unsigned samples, uint32_t domain,
                   unsigned event)
{
    uint32_t rotation = mix32(node ^ domain ^ ((event + 1) * CHANCE_STEP));
    uint32_t jitter = mix32(rotation ^ ((sample + 1) * CHANCE_SAMPLE) ^ RISK_JITTER);
    return chance_unit(rotation, jitter, sample, samples);
}

static inline unsigned draw_root(void *ctx, unsigned sample, unsigned event)
{
    const uint32_t *seed = ctx;
    return chance_unit_disc(risk_unit(*seed, sample, RISK_SCENARIOS, RISK_ROOT_REVEAL, event),
                            RISK_SCENARIOS);
}

static inline unsigned draw_inner(void *ctx, unsigned sample, unsigned event)
{
    const uint32_t *seed = ctx;
    return chance_unit_disc(risk_unit(*seed, sample, RISK_SAMPLES, INNER_REVEAL, event),
                            RISK_SAMPLES);
}

/* The canonical state a move led to, with its next disc. */
static struct extended_state state_after(const struct extended_state *at, const struct play *p,
                                         uint8_t next)
{
    struct extended_state after = {
        .position = p->after, .level = at->level + p->turn.rose, .moves = at->moves + 1};
    after.position.next = next;
    (void)mirror_canonicalise(&after.position.board);
    return after;
}

/* Adds the column's samples and what is played below them, also where it is played once for several
 * samples. */
static double column_value(struct node *n, unsigned column, uint64_t *moves)
{
    struct play plays[RISK_SAMPLES];
    unsigned distinct =
        play_column(plays, &n->at->position, column, true, RISK_SAMPLES, draw_inner, &n->seed);
    double value = HEURISTIC_OVER;
    double sum = 0.0;
    uint64_t below = 0;
    *moves += RISK_SAMPLES;
    for (unsigned s = 0; s < RISK_SAMPLES; s++) {
        const struct play *p = &plays[s < distinct ? s : 0];
        /* below the last move only the board counts, and the next disc makes no other */
        bool known = s >= distinct && (n->depth == 1 || n->next[s] == n->next[s - 1]);
        if (p->turn.over) {
            value = HEURISTIC_OVER;
            below = 0;
        } else if (!known) {
            const struct extended_state after = state_after(n->at, p, n->next[s]);
            below = 0;
            value = best_value(&after, n->depth - 1, &below);
        }
        *moves += below;
        sum += (double)p->turn.points + value;
    }
    return sum / RISK_SAMPLES;
}

/* B: of a canonical state in play. */
static double best_value(const struct extended_state *at, unsigned depth, uint64_t *moves)
{
    if (depth == 0) {
        return heuristic_value(&at->position.board);
    }
    struct node n = {.at = at, .depth = depth, .seed = risk_seed(at, RISK_SEED, depth)};
    for (unsigned s = 0; s < RISK_SAMPLES; s++) {
        n.next[s] =
            chance_unit_disc(risk_unit(n.seed, s, RISK_SAMPLES, INNER_NEXT, 0), RISK_SAMPLES);
    }
    unsigned legal = board_legal(&at->position.board);
    double best = -(double)INFINITY;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            double value = column_value(&n, c, moves);
            best = value > best ? value : best;
        }
    }
    return best;
}

/* Of a column of the canonical board. */
static void scenario_utilities(const struct frame *f, bool settled, unsigned column,
                               uint64_t *moves, double ret[RISK_SCENARIOS])
{
    uint32_t seed = risk_seed(&f->canonical, RISK_SEED ^ RISK_ROOT, 3);
    struct play plays[RISK_SCENARIOS];
    unsigned distinct = play_column(plays, &f->canonical.position, column, settled, RISK_SCENARIOS,
                                    draw_root, &seed);
    double of_next[8]; /* eight scenarios, seven discs: where only the disc differs, some agree */
    uint64_t below[8] = {0};
    unsigned known = 0;
    *moves += RISK_SCENARIOS;
    for (unsigned k = 0; k < RISK_SCENARIOS; k++) {
        const struct play *p = &plays[k < distinct ? k : 0];
        double value = HEURISTIC_OVER;
        if (!p->turn.over) {
            uint8_t next = chance_unit_disc(risk_unit(seed, k, RISK_SCENARIOS, RISK_ROOT_NEXT, 0),
                                            RISK_SCENARIOS);
            if (distinct > 1 || !(known >> next & 1u)) {
                const struct extended_state after = state_after(&f->canonical, p, next);
                below[next] = 0;
                of_next[next] = best_value(&after, RISK_DEPTH, &below[next]);
                known |= 1u << next;
            }
            value = of_next[next];
            *moves += below[next];
        }
        ret[k] = (double)p->turn.points + value;
    }
}

static double blend(double utilities[RISK_SCENARIOS])
{
    for (unsigned i = 1; i < RISK_SCENARIOS; i++) { /* ascending: sums depend on the order */
        double value = utilities[i];
        unsigned at = i;
        for (; at > 0 && utilities[at - 1] > value; at--) {
            utilities[at] = utilities[at - 1];
        }
        utilities[at] = value;
    }
    double sum = 0.0;
    double tail = 0.0;
    for (unsigned i = 0; i < RISK_SCENARIOS; i++) {
        sum += utilities[i];
        tail = i < RISK_TAIL ? sum : tail;
    }
    double mean = sum / RISK_SCENARIOS;
    return mean + RISK_WEIGHT * (tail / RISK_TAIL - mean);
}

void risk_utilities(const struct position *at, unsigned column, double ret[RISK_SCENARIOS])
{
    struct frame f = frame_of(at);
    uint64_t moves = 0;
    scenario_utilities(&f, play_is_settled(&at->board), frame_column(&f, column), &moves, ret);
}

void risk_decide(const struct position *at, struct decision *ret)
{
    struct frame f = frame_of(at);
    bool settled = play_is_settled(&at->board);
    double values[BOARD_COLUMNS] = {0};
    uint64_t moves[BOARD_COLUMNS] = {0};
    uint64_t all_moves = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (!(f.legal >> c & 1u)) {
            continue;
        }
        if (f.symmetric && c > 3) {
            values[c] = values[6 - c];
            moves[c] = moves[6 - c];
        } else {
            double utilities[RISK_SCENARIOS];
            scenario_utilities(&f, settled, frame_column(&f, c), &moves[c], utilities);
            values[c] = blend(utilities);
        }
        all_moves += moves[c];
    }
    columns_choose(values, f.legal, f.reversed, ret);
    ret->work = all_moves;
}
