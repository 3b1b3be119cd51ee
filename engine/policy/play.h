/*
 * play.h - one move of a search on the packed board: up to the numbers it wants, then on with them.
 *
 * Source  ../shared/spec/policies.md, 1.1 and 1.2, but for the next disc, which the caller draws.
 * Why     a move is the same for every sample up to its first reveal, so play_column plays it once
 * and splits only there. Most moves reveal nothing: one board, one evaluation, however many
 * samples.
 * Use     a source of numbers is a function that is inlined where it is passed: the text defines
 * one for each policy, subtly different from the others.
 * Threads none: plain values.
 */
#ifndef ENGINE_POLICY_PLAY_H
#define ENGINE_POLICY_PLAY_H

#include "engine/policy/cascade.h"
#include "engine/rules/turn.h"

/* A move under way, or done. */
struct play {
    struct cells cells;       /* while it is under way */
    struct cascade_wave wave; /* the one that waits for numbers */
    struct turn turn;         /* what the move did so far */
    struct position after;    /* once it is done; `next` is not set */
};

/* The number under a revealed disc: draw number `event` of the move, in sample `sample`. */
typedef unsigned (*play_draw)(void *ctx, unsigned sample, unsigned event);

/* Plays on from a wave's clearing discs until numbers are wanted (true) or the move is done. */
bool play_waves(struct play *p, struct cells hit);
/* The first cascade is over and the clock ran out: rises, if there is room, and plays on. */
bool play_rise(struct play *p, struct flat f);

/* The cascade came to rest as f. True: numbers are wanted. */
LANES_FN bool play_rest(struct play *p, struct flat f)
{
    if (!p->turn.rose && --p->after.rise == 0) {
        return play_rise(p, f);
    }
    p->turn.over = flat_tops(f) == 127;
    flat_store(&p->after.board, f);
    return false;
}

/* Begins a legal move. settled: the board holds no match, as every board that a move left; only a
 * board from outside may. True: numbers are wanted. */
LANES_FN bool play_start(struct play *p, const struct position *at, unsigned column, bool settled)
{
    unsigned height = board_height(&at->board, column);
    struct flat f = flat_drop(flat_load(&at->board), column, (uint32_t)at->next << (4 * height));
    struct flat hit =
        settled ? wave_drop_matches(f, column, height) : cells_unfold(wave_matches(cells_fold(f)));
    p->turn = (struct turn){0};
    p->after.rise = at->rise;
    if (!flat_any(hit)) {
        return play_rest(p, f);
    }
    p->cells = cells_fold(f);
    return play_waves(p, cells_fold(hit));
}

/* Answers each demand for numbers until the move is done. */
LANES_FN void play_finish(struct play *p, play_draw draw, void *ctx, unsigned sample)
{
    unsigned event = 0;
    do {
        struct cells numbers = CASCADE_NO_NUMBERS;
        for (uint64_t left = p->wave.reveals; left; left &= left - 1) {
            unsigned number = draw(ctx, sample, event++);
            numbers = cells_put(numbers, (unsigned)__builtin_ctzll(left), number);
        }
        cascade_settle(&p->cells, &p->wave, numbers);
    } while (play_waves(p, wave_matches(p->cells)));
}

/* A whole move with one sample's numbers. */
LANES_FN void play_move(struct play *p, const struct position *at, unsigned column, bool settled,
                        play_draw draw, void *ctx)
{
    if (play_start(p, at, column, settled)) {
        play_finish(p, draw, ctx, 0);
    }
}

/* A whole move in `samples` samples. Returns how many of them there are to tell apart: all, each in
 * ret[sample], or 1, when nothing was drawn and ret[0] is the outcome of each. */
LANES_FN unsigned play_column(struct play *ret, const struct position *at, unsigned column,
                              bool settled, unsigned samples, play_draw draw, void *ctx)
{
    if (!play_start(&ret[0], at, column, settled)) {
        return 1;
    }
    for (unsigned s = samples; s-- > 0;) { /* 0 last: it is the shared beginning */
        if (s > 0) {
            ret[s] = ret[0];
        }
        play_finish(&ret[s], draw, ctx, s);
    }
    return samples;
}

/* No disc of the board would clear by itself. */
static inline bool play_is_settled(const struct board *b)
{
    return !cells_any(wave_matches(cells_load(b)));
}

#endif
