/*
 * Design note
 *
 * Plans are large (twelve states), so they stay where they were made: a layer is a list of
 * pointers, best first, into a pool of one more plan than the beam is wide. A candidate is made in
 * the plan left over; whichever plan then falls off the end is the next one left over.
 *
 * Scenarios of a plan often share their state: nothing was revealed and the next disc is one of
 * seven. Such a state is played once, as long as its move draws nothing.
 */
#include "engine/policy/beam.h"

#include <math.h>
#include <string.h>

#include "engine/policy/chance.h"
#include "engine/policy/frame.h"
#include "engine/policy/heuristic.h"
#include "engine/policy/play.h"

#define BEAM_WIDTH   8u
#define BEAM_STRATUM 0x53545241u
#define BEAM_JITTER  0x4a495454u
#define BEAM_LOCAL   0x5343454eu

/* A scenario of a plan. */
struct scenario {
    struct position at;
    int64_t reward; /* so far */
    bool dead;      /* the game ended in it; at means nothing */
    uint8_t same;   /* the first scenario with this state, perhaps this one */
};

struct plan {
    struct scenario scenario[BEAM_SCENARIOS];
    double mean;
    double variance;
    uint8_t length;
    uint8_t column[BEAM_DEPTH]; /* of the canonical board */
    uint8_t root_column;        /* the real first one */
    uint8_t priority;           /* its place in the root order */
};

struct layer {
    unsigned count;
    struct plan *best_first[BEAM_WIDTH];
    struct plan *spare;
    struct plan pool[BEAM_WIDTH + 1];
};

/* What is reported of a real root column. */
struct report {
    double mean;
    unsigned layer; /* the last one in which the column had a candidate; 0: none yet */
};

struct beam {
    unsigned depth;
    uint32_t seed;
    bool reversed;
    bool settled;                             /* the root */
    uint8_t next[BEAM_DEPTH][BEAM_SCENARIOS]; /* the disc after the move of a ply */
    struct report report[BOARD_COLUMNS];
    struct layer layer[2]; /* of the plans that are made longer, and of the longer ones */
    const struct plan *best;
    uint64_t moves; /* of this decision: one a scenario of a plan that can play its column */
};

/* The draws of one move in one scenario. */
struct source {
    uint32_t seed;
    unsigned ply;
    unsigned scenario;
};

uint32_t beam_seed(const struct position *canonical)
{
    uint32_t hash = chance_hash_rows(BEAM_SEED ^ BEAM_LOCAL, &canonical->board, BOARD_ROWS, 0);
    hash = fnv_step(hash, canonical->next);
    hash = fnv_step(hash, 1); /* level */
    hash = fnv_step(hash, canonical->rise);
    hash = fnv_step(hash, 0);        /* moves */
    return mix32(fnv_step(hash, 0)); /* not over */
}

uint64_t beam_unit(uint32_t seed, unsigned scenario, unsigned ply, uint32_t domain)
{
    uint32_t here = seed ^ ((ply + 1) * CHANCE_STEP) ^ domain;
    uint32_t rotation = mix32(here ^ BEAM_STRATUM);
    uint32_t jitter = mix32(here ^ ((scenario + 1) * CHANCE_SAMPLE) ^ BEAM_JITTER);
    return chance_unit(rotation, jitter, scenario, BEAM_SCENARIOS);
}

static inline unsigned draw(void *ctx, unsigned sample, unsigned event)
{
    const struct source *from = ctx;
    uint32_t domain = BEAM_REVEAL ^ ((event + 1) * CHANCE_EVENT);
    (void)sample; /* one scenario at a time */
    return chance_unit_disc(beam_unit(from->seed, from->scenario, from->ply, domain),
                            BEAM_SCENARIOS);
}

/* The text's running mean and variance; another order of sums rounds otherwise. */
static void set_statistics(struct plan *p, const double utility[BEAM_SCENARIOS])
{
    double mean = 0.0;
    double squares = 0.0;
    for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
        double from_mean = utility[k] - mean;
        mean += from_mean / (k + 1);
        squares += from_mean * (utility[k] - mean);
    }
    p->mean = mean;
    p->variance = squares > 0.0 ? squares / BEAM_SCENARIOS : 0.0;
}

static bool same_state(const struct scenario *a, const struct scenario *b)
{
    return !a->dead && !b->dead && a->at.next == b->at.next && a->at.rise == b->at.rise &&
           memcmp(&a->at.board, &b->at.board, sizeof(a->at.board)) == 0;
}

/* Notes which scenarios of a plan share their state. */
static void find_same(struct plan *p)
{
    for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
        unsigned j = 0;
        while (j < k && !same_state(&p->scenario[j], &p->scenario[k])) {
            j++;
        }
        p->scenario[k].same = (uint8_t)j;
    }
}

/* What one scenario's move came to. */
struct result {
    struct play play;
    double value; /* of the board, or of the game's end */
    bool drew;    /* numbers: another scenario has others */
};

static void play_scenario(const struct beam *b, const struct position *at, unsigned column,
                          unsigned ply, unsigned scenario, struct result *ret)
{
    ret->drew = play_start(&ret->play, at, column, b->settled || ply > 0);
    if (ret->drew) {
        struct source from = {b->seed, ply, scenario};
        play_finish(&ret->play, draw, &from, 0);
    }
    ret->value = ret->play.turn.over ? HEURISTIC_OVER : heuristic_value(&ret->play.after.board);
}

/* Plays the last column of a plan in every scenario of the plan before it. */
static void play_plan(struct beam *b, const struct scenario *before, struct plan *p)
{
    unsigned ply = p->length - 1u;
    unsigned column = p->column[ply];
    double utility[BEAM_SCENARIOS];
    struct result result[BEAM_SCENARIOS];
    for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
        struct scenario *now = &p->scenario[k];
        now->reward = before[k].reward;
        now->dead = before[k].dead || before[k].at.board.col[column] >> 24;
        if (now->dead) {
            utility[k] = (double)now->reward + HEURISTIC_OVER;
            continue;
        }
        const struct result *r = &result[before[k].same];
        b->moves++;
        if (before[k].same == k || r->drew) {
            play_scenario(b, &before[k].at, column, ply, k, &result[k]);
            r = &result[k];
        }
        now->reward += r->play.turn.points;
        now->dead = r->play.turn.over;
        now->at = r->play.after;
        now->at.next = b->next[ply][k];
        utility[k] = (double)now->reward + r->value;
    }
    set_statistics(p, utility);
}

/* Earlier in the text's order of columns, for plans of equal worth. */
static int compare_columns(const struct plan *a, const struct plan *b)
{
    static const uint8_t place[BOARD_COLUMNS] = {5, 3, 1, 0, 2, 4, 6}; /* in CENTRE */
    for (unsigned i = 0; i < a->length && i < b->length; i++) {
        if (a->column[i] != b->column[i]) {
            return place[a->column[i]] < place[b->column[i]] ? -1 : 1;
        }
    }
    return a->length - b->length;
}

static bool is_worse(const struct plan *a, const struct plan *than)
{
    if (a->mean < than->mean || a->mean > than->mean) {
        return a->mean < than->mean;
    }
    if (a->variance < than->variance || a->variance > than->variance) {
        return a->variance > than->variance;
    }
    if (a->priority != than->priority) {
        return a->priority > than->priority;
    }
    return compare_columns(a, than) > 0;
}

/* Offers the spare plan to its layer. */
static void insert(struct layer *l)
{
    struct plan *candidate = l->spare;
    unsigned at = l->count;
    while (at > 0 && is_worse(l->best_first[at - 1], candidate)) {
        at--;
    }
    if (at >= BEAM_WIDTH) {
        return; /* still spare */
    }
    if (l->count == BEAM_WIDTH) {
        l->spare = l->best_first[BEAM_WIDTH - 1];
    } else {
        l->count++;
        l->spare = &l->pool[l->count];
    }
    for (unsigned i = l->count - 1; i > at; i--) {
        l->best_first[i] = l->best_first[i - 1];
    }
    l->best_first[at] = candidate;
}

static void note(struct beam *b, const struct plan *p, unsigned layer)
{
    struct report *r = &b->report[p->root_column];
    if (r->layer != layer || p->mean > r->mean) {
        *r = (struct report){p->mean, layer};
    }
}

static struct layer *empty_layer(struct beam *b, unsigned number)
{
    struct layer *l = &b->layer[number % 2];
    l->count = 0;
    l->spare = &l->pool[0];
    return l;
}

/* Plans of one column: each root column, of mirror-equal ones the first. */
static struct layer *root_plans(struct beam *b, const struct frame *f)
{
    struct layer *l = empty_layer(b, 1);
    struct scenario root[BEAM_SCENARIOS];
    unsigned searched = 0;
    unsigned priority = 0;
    for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
        root[k] = (struct scenario){.at = f->canonical.position};
    }
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_at(i, f->reversed);
        unsigned column = frame_column(f, c);
        if (!(f->legal >> c & 1u)) {
            continue;
        }
        if (!(searched >> column & 1u)) {
            struct plan *p = l->spare;
            p->length = 1;
            p->column[0] = (uint8_t)column;
            p->root_column = (uint8_t)c;
            p->priority = (uint8_t)priority;
            play_plan(b, root, p);
            note(b, p, 1);
            insert(l);
            searched |= 1u << column;
        }
        priority++;
    }
    return l;
}

static bool is_dead(const struct plan *p)
{
    unsigned alive = 0;
    for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
        alive += !p->scenario[k].dead;
    }
    return alive == 0;
}

/* The plans of a layer, each with one more column. */
static struct layer *longer_plans(struct beam *b, const struct layer *from, unsigned number)
{
    struct layer *l = empty_layer(b, number);
    for (unsigned m = 0; m < from->count; m++) {
        struct plan *shorter = from->best_first[m];
        if (is_dead(shorter)) {
            *l->spare = *shorter;
            note(b, shorter, number);
            insert(l);
            continue;
        }
        find_same(shorter);
        for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
            struct plan *p = l->spare;
            memcpy(p->column, shorter->column, sizeof(p->column));
            p->column[shorter->length] = columns_centre[i];
            p->length = (uint8_t)(shorter->length + 1);
            p->root_column = shorter->root_column;
            p->priority = shorter->priority;
            play_plan(b, shorter->scenario, p);
            note(b, p, number);
            insert(l);
        }
    }
    return l;
}

static void draw_next_discs(struct beam *b)
{
    for (unsigned ply = 0; ply < b->depth; ply++) {
        for (unsigned k = 0; k < BEAM_SCENARIOS; k++) {
            uint64_t unit = beam_unit(b->seed, k, ply + 1, BEAM_NEXT);
            b->next[ply][k] = chance_unit_disc(unit, BEAM_SCENARIOS);
        }
    }
}

void beam_decide(struct beam *b, const struct position *at, struct decision *ret)
{
    struct frame f = frame_of(at);
    double values[BOARD_COLUMNS] = {0};
    memset(b->report, 0, sizeof(b->report));
    b->best = NULL;
    b->moves = 0;
    b->reversed = f.reversed;
    b->settled = play_is_settled(&at->board);
    b->seed = beam_seed(&f.canonical.position);
    draw_next_discs(b);
    const struct layer *l = root_plans(b, &f);
    for (unsigned number = 2; number <= b->depth; number++) {
        l = longer_plans(b, l, number);
    }
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        /* a column that was not searched has a twin that was */
        values[c] = b->report[b->report[c].layer ? c : 6 - c].mean;
    }
    columns_list(values, f.legal, ret);
    ret->work = b->moves;
    if (l->count > 0) {
        b->best = l->best_first[0];
        ret->column = b->best->root_column;
    }
}

struct beam_plan beam_best(const struct beam *b)
{
    const struct plan *p = b->best;
    struct beam_plan best = {.length = p->length, .mean = p->mean, .variance = p->variance};
    for (unsigned i = 0; i < p->length; i++) {
        best.column[i] = b->reversed ? (uint8_t)(6 - p->column[i]) : p->column[i];
    }
    return best;
}

enum d7_err beam_new(unsigned depth, struct beam **ret)
{
    D7_CHECK(depth >= 1 && depth <= BEAM_DEPTH);
    struct beam *b = calloc(1, sizeof(*b));
    if (!b) {
        return D7_ERR_NOMEM;
    }
    b->depth = depth;
    *ret = b;
    return D7_OK;
}

void beam_free(struct beam *b)
{
    free(b);
}
