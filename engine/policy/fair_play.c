/*
 * Design note
 *
 * The idea. A move is played once for each group of strata that cannot be told apart yet. All seven
 * begin as one. A revealed cell stays closed: the group carries the rotation of its draw, which
 * gives each stratum its number, and plays on. Only strata in which a closed cell clears leave, in
 * groups that clear the same cells. A number is one of seven and clears at two of them at most, so
 * most strata stay together to the end, and the two that leave go on as one: their number is gone.
 * Proof   what a wave does follows from which cells are occupied, which of them clear and which are
 * gray; never from a number that does not clear. A group shares all three, and its draws: they are
 * counted in the order of the reveals, which is the same for all of it.
 * Layout  closed cells keep their gray code, so they are occupied and match nothing; they are taken
 * out of the gray cells that a wave hits. A number is (rotation + stratum) mod 7 + 1, so it matches
 * a run of n in the stratum (n - 1 - rotation) mod 7: no stratum is tried that cannot match.
 * Why not play.h: that plays one sample at a time from a split on.
 */
#include "engine/policy/fair_play.h"

#include "engine/policy/cascade.h"
#include "engine/policy/mirror.h"
#include "engine/rules/turn.h"

#define ALL_STRATA ((1u << CHANCE_STRATA) - 1)

/* Strata that have gone the same way so far. */
struct group {
    struct cells cells;  /* closed cells are gray */
    struct cells turned; /* the closed cells: 1 + the rotation of their draw; 0 elsewhere */
    struct cells hit;    /* what clears next; none: the board is at rest */
    int32_t points;
    uint8_t strata; /* a mask */
    uint8_t waves;
    uint8_t events; /* numbers revealed so far */
    uint8_t rise;
    bool rose;
    bool closed; /* turned is not all 0 */
};

/* Groups that wait for their turn: never more than there are strata. */
struct waiting {
    struct group group[CHANCE_STRATA];
    unsigned count;
};

void fair_node_init(struct fair_node *n, const struct board *b, uint32_t board_hash, unsigned next,
                    unsigned rise, unsigned depth)
{
    n->board = *b;
    n->next = (uint8_t)next;
    n->rise = (uint8_t)rise;
    n->settled = true;
    n->seed = chance_node_seed(board_hash, next, rise, CHANCE_FAIR_SEED, depth);
    unsigned rotation = chance_rotation(n->seed, CHANCE_FAIR_NEXT, 0);
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        n->disc[s] = chance_disc(rotation, s);
    }
}

/* The numbers of closed cells in a stratum. 1 + rotation + stratum is 13 at most: no carry. */
LANES_FN lanes numbers_in(lanes turned, unsigned stratum)
{
    lanes sum = turned + wave_occupied(turned) * stratum;
    lanes above = sum >> 3 & WAVE_ONES;
    return sum - ((above << 3) - above);
}

/* A group of one stratum needs no closed cells. */
LANES_FN void open_cells(struct group *g)
{
    unsigned stratum = (unsigned)__builtin_ctz(g->strata);
    lanes a = wave_whole(wave_occupied(g->turned.a));
    lanes b = wave_whole(wave_occupied(g->turned.b));
    g->cells.a = (g->cells.a & ~a) | numbers_in(g->turned.a, stratum);
    g->cells.b = (g->cells.b & ~b) | numbers_in(g->turned.b, stratum);
    g->turned = CASCADE_NO_NUMBERS;
    g->closed = false;
}

/* The row runs and heights of all cells, and the closed ones among them. */
struct lengths {
    struct cells run;
    struct cells height;
    struct cells closed;
};

/* A mask of the strata in which some closed cell matches. */
LANES_FN unsigned matching_strata(const struct group *g, const struct lengths *l)
{
    const struct cells *u = &l->closed;
    uint64_t by_run[4];
    uint64_t by_height[4];
    uint64_t flags[4];
    lanes_store((uint32_t *)by_run, l->run.a + u->a * 7 - g->turned.a);
    lanes_store((uint32_t *)(by_run + 2), l->run.b + u->b * 7 - g->turned.b);
    lanes_store((uint32_t *)by_height, l->height.a + u->a * 7 - g->turned.a);
    lanes_store((uint32_t *)(by_height + 2), l->height.b + u->b * 7 - g->turned.b);
    lanes_store((uint32_t *)flags, u->a);
    lanes_store((uint32_t *)(flags + 2), u->b);
    /* the fourfold word holds each cell's flag; the last lane is column 3 again */
    uint64_t all = flags[0] | flags[1] << 1 | flags[2] << 2 | (uint32_t)flags[3] << 3;
    unsigned strata = 0;
    for (; all; all &= all - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(all);
        strata |= 1u << (by_run[bit % 4] >> (bit & ~3u) & 15u);
        strata |= 1u << (by_height[bit % 4] >> (bit & ~3u) & 15u);
    }
    return (strata | strata >> 7) & g->strata;
}

/* The closed cells that match in a stratum. */
LANES_FN struct cells matching_cells(const struct group *g, const struct lengths *l,
                                     unsigned stratum)
{
    lanes a = numbers_in(g->turned.a, stratum);
    lanes b = numbers_in(g->turned.b, stratum);
    lanes miss_a = wave_differ(a, l->run.a) & wave_differ(a, l->height.a);
    lanes miss_b = wave_differ(b, l->run.b) & wave_differ(b, l->height.b);
    return (struct cells){~miss_a >> 3 & l->closed.a, ~miss_b >> 3 & l->closed.b};
}

/* Sends the strata in which closed cells match their own ways; one group of them stays as g where
 * it would be empty otherwise. */
static void part(struct group *g, const struct lengths *l, unsigned leaving, struct waiting *w)
{
    unsigned staying = g->strata & ~leaving;
    do {
        unsigned first = (unsigned)__builtin_ctz(leaving);
        unsigned alike = 1u << first;
        struct cells hit = matching_cells(g, l, first);
        for (unsigned left = leaving & (leaving - 1); left; left &= left - 1) {
            struct cells other = matching_cells(g, l, (unsigned)__builtin_ctz(left));
            if (!lanes_any((hit.a ^ other.a) | (hit.b ^ other.b))) {
                alike |= left & (0 - left);
            }
        }
        leaving &= ~alike;
        struct group *to = staying | leaving ? &w->group[w->count++] : g;
        *to = *g;
        to->strata = (uint8_t)alike;
        to->hit.a |= hit.a;
        to->hit.b |= hit.b;
        if (!(alike & (alike - 1))) {
            open_cells(to);
        }
    } while (leaving);
    if (staying) {
        g->strata = (uint8_t)staying;
        if (!(staying & (staying - 1))) {
            open_cells(g);
        }
    }
}

/* What clears next, in a group that may part over it. */
LANES_FN void find_matches(struct group *g, struct waiting *w)
{
    if (!g->closed) {
        g->hit = wave_matches(g->cells);
        return;
    }
    const struct cells x = g->cells;
    struct cells t = {wave_occupied(x.a), wave_occupied(x.b)};
    struct cells runs = wave_row_runs((struct cells){wave_whole(t.a), wave_whole(t.b)});
    struct lengths l = {.run = {runs.a - t.a, runs.b - t.b},
                        .height = {wave_heights(t.a), wave_heights(t.b)},
                        .closed = {wave_occupied(g->turned.a), wave_occupied(g->turned.b)}};
    lanes miss_a = wave_differ(x.a, l.run.a) & wave_differ(x.a, l.height.a);
    lanes miss_b = wave_differ(x.b, l.run.b) & wave_differ(x.b, l.height.b);
    g->hit = (struct cells){~(miss_a | x.a) >> 3 & t.a, ~(miss_b | x.b) >> 3 & t.b};
    unsigned leaving = matching_strata(g, &l);
    if (leaving) {
        part(g, &l, leaving, w);
    }
}

/* The revealed cells stay closed, each with its draw. */
LANES_FN void reveal(struct group *g, struct cells revealed, uint32_t seed)
{
    for (uint64_t left = cells_rows(revealed); left; left &= left - 1) {
        unsigned rotation = chance_rotation(seed, CHANCE_FAIR_REVEAL, g->events++);
        g->turned = cells_put(g->turned, (unsigned)__builtin_ctzll(left), rotation + 1);
    }
    g->closed = true;
    if (!(g->strata & (g->strata - 1u))) {
        open_cells(g);
    }
}

/* One wave: what is in hit goes. */
LANES_FN void clear(struct group *g, uint32_t seed)
{
    struct cells cracked;
    struct cells revealed;
    g->waves++;
    g->points += (int32_t)cells_count(g->hit) * (int32_t)turn_wave_points(g->waves);
    wave_hits(g->cells, g->hit, &cracked, &revealed);
    if (g->closed) {
        lanes a = wave_occupied(g->turned.a);
        lanes b = wave_occupied(g->turned.b);
        cracked = (struct cells){cracked.a & ~a, cracked.b & ~b};
        revealed = (struct cells){revealed.a & ~a, revealed.b & ~b};
    }
    g->cells.a += cracked.a; /* solid is 8, cracked 9 */
    g->cells.b += cracked.b;
    if (cells_any(revealed)) {
        reveal(g, revealed, seed);
    }
    wave_settle(&g->cells, g->closed ? &g->turned : NULL, g->hit);
    g->closed = g->closed && cells_any(g->turned);
}

/* One outcome with a hole, where there is one closed cell and its number has no say in which way
 * round the board is canonical. It has none if 1 and 7 agree: the larger a cell, the sooner its
 * side is the larger one. */
LANES_FN bool leave_hole(const struct group *g, struct flat x, struct flat turned,
                         struct fair_outcome *ret)
{
    struct cells flags = {wave_occupied(g->turned.a), wave_occupied(g->turned.b)};
    uint64_t cell = cells_rows(flags);
    if (cell & (cell - 1)) {
        return false;
    }
    lanes one_lo = wave_occupied(turned.lo);
    lanes one_hi = wave_occupied(turned.hi);
    lanes turn = mirror_turn((struct flat){x.lo | one_lo, x.hi | one_hi});
    lanes turn7 = mirror_turn((struct flat){x.lo | one_lo * 7, x.hi | one_hi * 7});
    if (lanes_any(turn ^ turn7)) {
        return false;
    }
    struct flat board = {x.lo | wave_whole(one_lo), x.hi | wave_whole(one_hi)};
    flat_store(&ret->board, mirror_turned(board, turn));
    unsigned bit = (unsigned)__builtin_ctzll(cell) - 8; /* of grid.h */
    unsigned column = bit % 8;
    lanes word = turned.lo | turned.hi;
    word |= __builtin_shufflevector(word, word, 2, 3, 0, 1);
    ret->rotation = (uint8_t)(((word[0] | word[1]) >> (4 * (6 - bit / 8)) & 15u) - 1);
    ret->hole = (uint8_t)(lanes_any(turn) ? bit + 6 - 2 * column : bit);
    return true;
}

/* The move is done. */
static void write_outcomes(const struct group *g, bool over, bool holes, struct fair_move *ret)
{
    struct fair_outcome *to = &ret->outcome[ret->count];
    struct flat x = cells_unfold(g->cells);
    to->points = g->points;
    to->strata = g->strata;
    to->rise = g->rise;
    to->over = over;
    to->hole = FAIR_WHOLE;
    if (!g->closed || over) {
        flat_store(&to->board, mirror_canonical(x));
        ret->count++;
        return;
    }
    struct flat turned = cells_unfold(g->turned);
    x.lo &= ~wave_whole(wave_occupied(turned.lo));
    x.hi &= ~wave_whole(wave_occupied(turned.hi));
    if (holes && leave_hole(g, x, turned, to)) {
        ret->count++;
        return;
    }
    const struct fair_outcome common = *to;
    for (unsigned left = g->strata; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        struct flat open = {x.lo | numbers_in(turned.lo, s), x.hi | numbers_in(turned.hi, s)};
        to = &ret->outcome[ret->count++];
        *to = common;
        to->strata = (uint8_t)(1u << s);
        flat_store(&to->board, mirror_canonical(open));
    }
}

/* Nothing clears: the clock goes on. True when a rise set the board moving again. */
LANES_FN bool come_to_rest(struct group *g, bool holes, struct fair_move *ret)
{
    if (g->waves > 0 && !cells_any(g->cells)) { /* the disc dropped last is there otherwise */
        g->points += TURN_CLEAR_BONUS;
    }
    if (!g->rose && --g->rise == 0) {
        if (cascade_top(g->cells)) {
            write_outcomes(g, true, holes, ret);
            return false;
        }
        cascade_raise(&g->cells);
        g->turned.a <<= 4;
        g->turned.b <<= 4;
        g->points += TURN_RISE_BONUS;
        g->rise = TURN_RISE_EVERY;
        g->rose = true;
        return true;
    }
    write_outcomes(g, flat_tops(cells_unfold(g->cells)) == 127, holes, ret);
    return false;
}

/* Plays groups until none is left. */
static void play_on(struct waiting *w, uint32_t seed, bool holes, struct fair_move *ret)
{
    while (w->count > 0) {
        struct group g = w->group[--w->count];
        for (;;) {
            if (cells_any(g.hit)) {
                clear(&g, seed);
            } else if (!come_to_rest(&g, holes, ret)) {
                break;
            }
            find_matches(&g, w);
        }
    }
}

/* The disc lies where it fell and the clock goes on: half of all moves. */
LANES_FN void rest_at_once(const struct flat f, unsigned rise, struct fair_outcome *ret)
{
    flat_store(&ret->board, mirror_canonical(f));
    ret->points = 0;
    ret->strata = ALL_STRATA;
    ret->rise = (uint8_t)(rise - 1);
    ret->over = flat_tops(f) == 127;
    ret->hole = FAIR_WHOLE;
}

void fair_play(const struct fair_node *n, unsigned column, bool holes, struct fair_move *ret)
{
    unsigned height = board_height(&n->board, column);
    struct flat f = flat_drop(flat_load(&n->board), column, (uint32_t)n->next << (4 * height));
    struct cells hit;
    ret->count = 0;
    if (n->settled) {
        struct flat flat_hit = wave_drop_matches(f, column, height);
        if (n->rise > 1 && !flat_any(flat_hit)) {
            rest_at_once(f, n->rise, &ret->outcome[0]);
            ret->count = 1;
            return;
        }
        hit = cells_fold(flat_hit);
    } else {
        hit = wave_matches(cells_fold(f));
    }
    struct waiting w;
    w.count = 1;
    w.group[0] =
        (struct group){.cells = cells_fold(f), .hit = hit, .strata = ALL_STRATA, .rise = n->rise};
    play_on(&w, n->seed, holes, ret);
}
