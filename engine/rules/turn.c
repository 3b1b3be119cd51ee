#include "engine/rules/turn.h"

#include "engine/rules/wave.h"

int64_t turn_wave_points(unsigned depth)
{
    if (depth <= WAVE_POINTS_DEPTH) {
        return wave_points[depth];
    }
    uint64_t d = depth;
    uint64_t square = 49 * d * d * d * d * d;
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return (int64_t)root;
}

/* Where the numbers under gray discs come from; ask is NULL where a hidden board has them. */
struct source {
    turn_reveal ask;
    void *ctx;
};

static uint64_t index_mask(struct cells flags)
{
    uint64_t mask = 0;
    for (uint64_t rows = cells_rows(flags); rows; rows &= rows - 1) {
        mask |= (uint64_t)1 << cells_index((unsigned)__builtin_ctzll(rows));
    }
    return mask;
}

static void show(const struct turn_watch *watch, struct flat f, struct turn_step step)
{
    flat_store(&step.board, f);
    watch->on_step(watch->ctx, &step);
}

static struct cells without(struct cells x, struct cells flags)
{
    return (struct cells){x.a & ~wave_whole(flags.a), x.b & ~wave_whole(flags.b)};
}

static void show_burst(const struct turn_watch *watch, struct cells x, struct cells hit,
                       uint32_t wave)
{
    show(watch, cells_unfold(without(x, hit)),
         (struct turn_step){.kind = STEP_BURST,
                            .wave = wave,
                            .cells = index_mask(hit),
                            .points_each = (uint32_t)turn_wave_points(wave)});
}

static void show_impact(const struct turn_watch *watch, struct cells x, struct cells hit,
                        struct cells cracked, struct cells revealed, uint32_t wave)
{
    uint64_t c = index_mask(cracked);
    uint64_t v = index_mask(revealed);
    if (c | v) {
        show(watch, cells_unfold(without(x, hit)),
             (struct turn_step){
                 .kind = STEP_IMPACT, .wave = wave, .cells = c | v, .cracked = c, .revealed = v});
    }
}

/* x is the settled board: whatever lies at or above the lowest gone cell of a column has moved. */
static void show_settle(const struct turn_watch *watch, struct cells x, struct cells gone,
                        uint32_t wave)
{
    struct cells moved = {
        wave_occupied(x.a) & ~((gone.a - 1) & ~gone.a),
        wave_occupied(x.b) & ~((gone.b - 1) & ~gone.b),
    };
    if (cells_any(moved)) {
        show(watch, cells_unfold(x),
             (struct turn_step){.kind = STEP_SETTLE, .wave = wave, .cells = index_mask(moved)});
    }
}

/* Asks for the number under each revealed cell, in index order, and puts it there. */
static struct cells ask_all(struct cells x, struct cells revealed, struct source from)
{
    x = without(x, revealed);
    for (uint64_t rows = cells_rows(revealed); rows; rows &= rows - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(rows);
        x = cells_put(x, bit, from.ask(from.ctx, cells_index(bit)));
    }
    return x;
}

/*
 * Waves until nothing matches, beginning with `hit`, which is not empty. hidden, from and watch are
 * constants where this is inlined: the plain game carries no trace of the other two.
 */
LANES_FN void cascade(struct cells *x, struct cells *hidden, struct cells hit, struct source from,
                      const struct turn_watch *watch, struct turn *t)
{
    struct cells full = wave_full(*x); /* kept up beside x: the next scan need not wait for it */
    do {
        struct cells cracked;
        struct cells revealed;
        uint32_t count = cells_count(hit);
        t->waves++;
        t->cleared += count;
        t->points += (int64_t)count * wave_points[t->waves];
        if (watch) {
            show_burst(watch, *x, hit, t->waves);
        }
        wave_hits(*x, hit, &cracked, &revealed);
        t->cracks += cells_count(cracked);
        t->revealed += cells_count(revealed);
        x->a += cracked.a;
        x->b += cracked.b;
        if (hidden) {
            wave_uncover(x, hidden, revealed);
        } else if (cells_any(revealed)) {
            *x = ask_all(*x, revealed, from);
        }
        if (watch) {
            show_impact(watch, *x, hit, cracked, revealed, t->waves);
        }
        wave_settle_all(x, hidden, &full, hit);
        if (watch) {
            show_settle(watch, *x, hit, t->waves);
        }
        hit = wave_matches_of(*x, full);
    } while (cells_any(hit));
    if (!cells_any(*x)) {
        t->points += TURN_CLEAR_BONUS;
    }
}

/* cascade() between flat boards. */
LANES_FN struct flat cascade_flat(struct flat f, struct board *hidden, struct flat first,
                                  struct source from, const struct turn_watch *watch,
                                  struct turn *t)
{
    struct cells x = cells_fold(f);
    struct cells hit = cells_fold(first);
    if (hidden) {
        struct cells h = cells_load(hidden);
        cascade(&x, &h, hit, from, watch, t);
        cells_store(hidden, h);
    } else {
        cascade(&x, NULL, hit, from, watch, t);
    }
    return cells_unfold(x);
}

LANES_FN struct flat rise_board(struct flat f, struct board *hidden, const uint8_t *row)
{
    if (hidden) {
        struct flat h = flat_load(hidden);
        h.lo = h.lo << 4 | (lanes){row[0], row[1], row[2], row[3]};
        h.hi = h.hi << 4 | (lanes){row[4], row[5], row[6], 0};
        flat_store(hidden, h);
    }
    return (struct flat){f.lo << 4 | CELL_SOLID,
                         f.hi << 4 | (lanes){CELL_SOLID, CELL_SOLID, CELL_SOLID, 0}};
}

/* The whole turn; see cascade() for what is constant. `settled`: the board holds no match. */
LANES_FN void play(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                   uint8_t *rise, const uint8_t *row, struct source from,
                   const struct turn_watch *watch, bool settled, struct turn *ret)
{
    struct turn t = {0};
    struct flat hit;
    WAVE_CHECK(column < BOARD_COLUMNS && b->col[column] >> 24 == 0);
    WAVE_CHECK(disc - 1 <= 6 && *rise - 1u <= 4);
    unsigned height = board_height(b, column);
    struct flat f = flat_drop(flat_load(b), column, disc << (4 * height));
    if (watch) {
        show(watch, f,
             (struct turn_step){.kind = STEP_DROP,
                                .cells = (uint64_t)1 << (7 * (6 - height) + column)});
    }
    if (settled) {
        hit = wave_drop_matches(f, column, height);
    } else {
        hit = cells_unfold(wave_matches(cells_fold(f)));
    }
    if (flat_any(hit)) {
        f = cascade_flat(f, hidden, hit, from, watch, &t);
    }
    if (--*rise == 0) {
        if (flat_tops(f)) {
            t.over = true;
            goto out;
        }
        f = rise_board(f, hidden, row);
        *rise = TURN_RISE_EVERY;
        t.rose = true;
        t.points += TURN_RISE_BONUS;
        if (watch) {
            show(watch, f, (struct turn_step){.kind = STEP_RISE, .cells = (uint64_t)127 << 42});
        }
        hit = wave_rise_matches(f);
        if (flat_any(hit)) {
            f = cascade_flat(f, hidden, hit, from, watch, &t);
        }
    }
    t.over = flat_tops(f) == 127;
out:
    flat_store(b, f);
    *ret = t;
}

void turn_hidden(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                 uint8_t *rise, const uint8_t row[BOARD_COLUMNS], const struct turn_watch *watch,
                 struct turn *ret)
{
    const struct source none = {NULL, NULL};
    if (watch) {
        play(b, hidden, column, disc, rise, row, none, watch, false, ret);
    } else {
        play(b, hidden, column, disc, rise, row, none, NULL, false, ret);
    }
}

void turn_hidden_settled(struct board *b, struct board *hidden, unsigned column, unsigned disc,
                         uint8_t *rise, const uint8_t row[BOARD_COLUMNS], struct turn *ret)
{
    const struct source none = {NULL, NULL};
    play(b, hidden, column, disc, rise, row, none, NULL, true, ret);
}

void turn_sampled(struct board *b, unsigned column, unsigned disc, uint8_t *rise,
                  turn_reveal reveal, void *ctx, const struct turn_watch *watch, struct turn *ret)
{
    const struct source from = {reveal, ctx};
    if (watch) {
        play(b, NULL, column, disc, rise, NULL, from, watch, false, ret);
    } else {
        play(b, NULL, column, disc, rise, NULL, from, NULL, false, ret);
    }
}
