/*
 * Design note
 *
 * A move is played once for all strata up to its first reveal. There the strata part, but what they
 * share is still worked out once: which cells go, how the rest falls, the lengths of all runs, and
 * which other discs match next (a number under a gray disc changes none of that). What is left per
 * stratum is to write the numbers into their places and to ask whether one of them matches.
 * Proof   gravity moves cells whatever is in them, so settling the gray disc and writing its number
 * afterwards, at the place it fell to, gives the same board. Matches depend on a disc's own number
 * and on which cells are occupied; the revealed cells are occupied either way.
 */
#include "engine/policy/fair_play.h"

#include "engine/policy/cascade.h"
#include "engine/policy/mirror.h"
#include "engine/rules/turn.h"

struct play {
    struct cells cells;
    struct cells hit; /* what clears next; none: the board is at rest */
    int32_t points;
    unsigned waves;
    unsigned events; /* numbers revealed so far */
    uint8_t rise;
    bool rose;
};

/* The board of a play after a wave that reveals, but for the numbers. */
struct split {
    struct play play; /* settled; the revealed cells are 0; hit is what clears whatever they are */
    struct cells revealed; /* flags of the revealed cells, where they fell to */
    struct cells run;      /* per cell: row run */
    struct cells height;   /* per cell: height of its column */
    unsigned count;        /* of the revealed cells */
    uint8_t bit[BOARD_CELLS];
    uint8_t rotation[BOARD_CELLS]; /* of the draw of each, in the order of the draws */
};

void fair_node_init(struct fair_node *n, const struct board *b, uint32_t board_hash, unsigned next,
                    unsigned rise, unsigned depth)
{
    n->board = *b;
    n->next = (uint8_t)next;
    n->rise = (uint8_t)rise;
    n->settled = true;
    n->seed = chance_fair_seed(board_hash, next, rise, depth);
    unsigned rotation = chance_rotation(n->seed, CHANCE_FAIR_NEXT, 0);
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        n->disc[s] = chance_disc(rotation, s);
    }
}

/* Nothing clears: the clock goes on. True when a rise set the board moving again. */
LANES_FN bool come_to_rest(struct play *p, struct fair_outcome *ret)
{
    if (p->waves > 0 && !cells_any(p->cells)) { /* the disc dropped last is there otherwise */
        p->points += TURN_CLEAR_BONUS;
    }
    if (!p->rose && --p->rise == 0) {
        if (cascade_top(p->cells)) {
            ret->over = true;
            ret->points = p->points;
            return false;
        }
        cascade_raise(&p->cells);
        p->points += TURN_RISE_BONUS;
        p->rise = TURN_RISE_EVERY;
        p->rose = true;
        p->hit = (struct cells){wave_column_matches(p->cells.a), wave_column_matches(p->cells.b)};
        return true;
    }
    cells_store(&ret->board, p->cells);
    ret->over = board_legal(&ret->board) == 0;
    ret->points = p->points;
    ret->rise = p->rise;
    (void)mirror_canonicalise(&ret->board);
    return false;
}

/* Where the flagged cells of a column word fall to when those of `gone` go: nibbles down. */
static inline unsigned drop_of(uint32_t gone, unsigned elevation)
{
    uint32_t below = gone & ((1u << (4 * elevation)) - 1);
    return below * WAVE_ONES >> 24 & 15u; /* at most 7 flags in nibbles 0-6 */
}

/* Prepares what follows a wave that clears hit and reveals. */
static void split_at(const struct play *p, struct cells revealed, uint32_t seed, struct split *ret)
{
    struct split *s = ret;
    struct board gone;
    s->play = *p;
    s->revealed = revealed;
    s->count = 0;
    cells_store(&gone, p->hit);
    for (uint64_t left = cells_rows(revealed); left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(left);
        unsigned drop = drop_of(gone.col[bit % 8], 7 - bit / 8);
        s->bit[s->count] = (uint8_t)(bit + 8 * drop);
        s->rotation[s->count++] =
            (uint8_t)chance_rotation(seed, CHANCE_FAIR_REVEAL, s->play.events++);
    }
    struct cells *x = &s->play.cells;
    wave_settle(x, &s->revealed, p->hit); /* still gray: occupied, but matching nothing */
    struct cells t = {wave_occupied(x->a), wave_occupied(x->b)};
    struct cells runs = wave_row_runs((struct cells){wave_whole(t.a), wave_whole(t.b)});
    s->run = (struct cells){runs.a - t.a, runs.b - t.b};
    s->height = (struct cells){wave_heights(t.a), wave_heights(t.b)};
    lanes miss_a = wave_differ(x->a, s->run.a) & wave_differ(x->a, s->height.a);
    lanes miss_b = wave_differ(x->b, s->run.b) & wave_differ(x->b, s->height.b);
    s->play.hit = (struct cells){~(miss_a | x->a) >> 3 & t.a, ~(miss_b | x->b) >> 3 & t.b};
    x->a &= ~wave_whole(s->revealed.a);
    x->b &= ~wave_whole(s->revealed.b);
}

/* The play of one stratum after a split. */
LANES_FN void take_stratum(const struct split *s, unsigned stratum, struct play *ret)
{
    struct cells numbers = CASCADE_NO_NUMBERS;
    for (unsigned i = 0; i < s->count; i++) {
        numbers = cells_put(numbers, s->bit[i], chance_disc(s->rotation[i], stratum));
    }
    lanes miss_a = wave_differ(numbers.a, s->run.a) & wave_differ(numbers.a, s->height.a);
    lanes miss_b = wave_differ(numbers.b, s->run.b) & wave_differ(numbers.b, s->height.b);
    *ret = s->play;
    ret->cells.a |= numbers.a;
    ret->cells.b |= numbers.b;
    ret->hit.a |= ~miss_a >> 3 & s->revealed.a;
    ret->hit.b |= ~miss_b >> 3 & s->revealed.b;
}

/* Plays on until numbers are wanted (true: p is before that wave's clearing) or the move is done
 * (false). */
LANES_FN bool play_on(struct play *p, struct cells *ret_revealed, struct fair_outcome *ret)
{
    for (;;) {
        if (!cells_any(p->hit)) {
            if (!come_to_rest(p, ret)) {
                return false;
            }
            continue;
        }
        struct cells cracked;
        struct cells revealed;
        p->waves++;
        p->points += (int32_t)cells_count(p->hit) * (int32_t)turn_wave_points(p->waves);
        wave_hits(p->cells, p->hit, &cracked, &revealed);
        p->cells.a += cracked.a; /* solid is 8, cracked 9 */
        p->cells.b += cracked.b;
        if (cells_any(revealed)) {
            *ret_revealed = revealed;
            return true;
        }
        wave_settle(&p->cells, NULL, p->hit);
        p->hit = wave_matches(p->cells);
    }
}

/* A stratum to its end, through any further reveals. */
static void finish_stratum(const struct split *first, uint32_t seed, unsigned stratum,
                           struct fair_outcome *ret)
{
    struct play p;
    struct cells revealed;
    take_stratum(first, stratum, &p);
    while (play_on(&p, &revealed, ret)) {
        struct split next;
        split_at(&p, revealed, seed, &next);
        take_stratum(&next, stratum, &p);
    }
}

/* The disc lies where it fell and the clock goes on: half of all moves. */
static void rest_at_once(const struct flat f, unsigned rise, struct fair_outcome *ret)
{
    flat_store(&ret->board, f);
    ret->over = board_legal(&ret->board) == 0;
    ret->points = 0;
    ret->rise = (uint8_t)(rise - 1);
    (void)mirror_canonicalise(&ret->board);
}

unsigned fair_play(const struct fair_node *n, unsigned column,
                   struct fair_outcome ret[CHANCE_STRATA])
{
    struct play p = {.rise = n->rise};
    struct cells revealed;
    unsigned height = board_height(&n->board, column);
    struct flat f = flat_drop(flat_load(&n->board), column, (uint32_t)n->next << (4 * height));
    if (n->settled) {
        struct flat hit = wave_drop_matches(f, column, height);
        if (n->rise > 1 && !lanes_any(hit.lo | hit.hi)) {
            rest_at_once(f, n->rise, &ret[0]);
            return 1;
        }
        p.hit = cells_fold(hit);
        p.cells = cells_fold(f);
    } else {
        p.cells = cells_fold(f);
        p.hit = wave_matches(p.cells);
    }
    if (!play_on(&p, &revealed, &ret[0])) {
        return 1;
    }
    struct split split;
    split_at(&p, revealed, n->seed, &split);
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        finish_stratum(&split, n->seed, s, &ret[s]);
    }
    return CHANCE_STRATA;
}
