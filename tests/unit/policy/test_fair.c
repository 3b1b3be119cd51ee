/* The fair search's short cuts against plain readings of the text: the leaf, one move, threads. */
#include "tests/support/plain_fair.h"
#include "tests/support/roots.h"
#include "tests/support/support.h"

#include "engine/policy/fair.h"
#include "engine/policy/fair_engine.h"
#include "engine/policy/fair_family.h"
#include "engine/policy/fair_leaf.h"
#include "engine/policy/mirror.h"
#include "engine/rules/turn.h"

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void assert_same_bits(double got, double want)
{
    if (bits_of(got) != bits_of(want)) {
        fail_msg("%.17g is not %.17g", got, want);
    }
}

/* Any packed board; `codes` 2 gives ones and twos only. */
static struct board random_board(struct rng *rng, unsigned codes)
{
    struct board b = {{0}};
    unsigned tallest = rng_below(rng, 7) + 1;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        for (unsigned h = rng_below(rng, tallest + 1); h > 0; h--) {
            b.col[c] = b.col[c] << 4 | (rng_below(rng, codes) + 1);
        }
    }
    return b;
}

static void the_leaf_is_the_plain_sum_on_any_board(void **state)
{
    (void)state;
    static struct fair_leaf leaf;
    struct rng rng = {2024};
    fair_leaf_init(&leaf);
    for (unsigned k = 0; k < 20000; k++) {
        struct board b = random_board(&rng, k % 4 ? 9 : 2);
        unsigned rise = rng_below(&rng, 5) + 1;
        struct fair_value v;
        fair_leaf_read(&leaf, &b, rise, &v);
        assert_same_bits(v.base, plain_fair_leaf(&b, rise));
        for (unsigned next = 1; next <= 7; next++) {
            unsigned options = plain_fair_options(&b, next);
            assert_same_bits(fair_leaf_value(&v, next), v.base + options * 220.0);
        }
    }
}

static void a_family_is_seven_leaves(void **state)
{
    (void)state;
    static struct fair_leaf leaf;
    struct rng rng = {77};
    fair_leaf_init(&leaf);
    for (unsigned k = 0; k < 20000; k++) {
        struct board b = random_board(&rng, k % 3 ? 9 : k % 2 ? 3 : 2);
        unsigned rise = rng_below(&rng, 5) + 1;
        unsigned column = rng_below(&rng, 7);
        unsigned height = board_height(&b, column);
        if (height == 0) {
            continue;
        }
        unsigned elevation = rng_below(&rng, height); /* from 0 */
        unsigned shift = 4 * elevation;
        struct fair_family family;
        b.col[column] |= FAIR_HOLE << shift;
        fair_family_read(&leaf, &b, 8 * (6 - elevation) + column, rise, &family);
        for (unsigned number = 1; number <= 7; number++) {
            struct fair_value v;
            b.col[column] = (b.col[column] & ~(15u << shift)) | number << shift;
            fair_leaf_read(&leaf, &b, rise, &v);
            assert_same_bits(family.base[number - 1], v.base);
            assert_same_bits(fair_family_value(&family, number, 4), fair_leaf_value(&v, 4));
        }
    }
}

/* A stratum's numbers, for the turn that rules every other game. */
struct draws {
    uint32_t seed;
    unsigned stratum;
    unsigned events;
};

static unsigned draw(void *ctx, unsigned index)
{
    struct draws *d = ctx;
    (void)index;
    return chance_disc(chance_rotation(d->seed, CHANCE_FAIR_REVEAL, d->events++), d->stratum);
}

static void check_stratum(const struct fair_node *n, unsigned column, unsigned s,
                          const struct fair_outcome *got)
{
    struct draws draws = {n->seed, s, 0};
    struct board b = n->board;
    uint8_t rise = n->rise;
    struct turn turn;
    turn_sampled(&b, column, n->next, &rise, draw, &draws, NULL, &turn);
    assert_int_equal(got->points, turn.points);
    assert_int_equal(got->over, turn.over);
    if (turn.over) {
        return;
    }
    struct board filled = got->board;
    if (got->hole != FAIR_WHOLE) {
        uint32_t *word = &filled.col[got->hole % 8];
        unsigned shift = 4 * (6 - got->hole / 8u);
        assert_int_equal(*word >> shift & 15u, FAIR_HOLE);
        *word &= ~(15u << shift);
        *word |= (uint32_t)chance_disc(got->rotation, s) << shift;
    }
    (void)mirror_canonicalise(&b);
    assert_memory_equal(&filled, &b, sizeof(b));
    assert_int_equal(got->rise, rise);
}

static void check_move(const struct fair_node *n, unsigned column)
{
    for (unsigned holes = 0; holes < 2; holes++) {
        struct fair_move move;
        unsigned seen = 0;
        fair_play(n, column, holes, &move);
        for (unsigned i = 0; i < move.count; i++) {
            const struct fair_outcome *o = &move.outcome[i];
            assert_int_equal(seen & o->strata, 0);
            seen |= o->strata;
            assert_true(holes || o->hole == FAIR_WHOLE || o->over);
            for (unsigned s = 0; s < CHANCE_STRATA; s++) {
                if ((unsigned)o->strata >> s & 1u) {
                    check_stratum(n, column, s, o);
                }
            }
        }
        assert_int_equal(seen, 127);
    }
}

static void a_move_in_seven_strata_is_seven_sampled_turns(void **state)
{
    (void)state;
    struct rng rng = {99};
    for (unsigned k = 0; k < 4000; k++) {
        struct fair_node n;
        struct board b = random_board(&rng, 9);
        fair_node_init(&n, &b, chance_board_hash(&b), rng_disc(&rng), rng_below(&rng, 5) + 1, 2);
        n.settled = false;
        unsigned column = rng_below(&rng, 7);
        if (board_legal(&b) >> column & 1u) {
            check_move(&n, column);
        }
    }
}

/* Positions from games hold no match: the first wave is found the short way. */
static void a_settled_board_is_played_the_same_way(void **state)
{
    (void)state;
    struct rng rng = {7};
    for (size_t i = 0; i < roots_all()->count; i++) {
        const struct position *at = &roots_all()->at[i];
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            struct fair_node n;
            fair_node_init(&n, &at->board, chance_board_hash(&at->board), rng_disc(&rng), at->rise,
                           1);
            if (board_legal(&at->board) >> c & 1u) {
                check_move(&n, c);
            }
        }
    }
}

static void every_number_of_threads_finds_the_same_values(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 4};
    struct fair *f[4] = {NULL};
    for (size_t t = 0; t < D7_COUNT(threads); t++) {
        assert_int_equal(fair_new(2, threads[t], &f[t]), D7_OK);
    }
    for (size_t i = 0; i < roots_all()->count; i++) {
        struct decision d[4];
        for (size_t t = 0; t < D7_COUNT(threads); t++) {
            fair_decide(f[t], &roots_all()->at[i], &d[t]);
            assert_int_equal(d[t].column, d[0].column);
            assert_int_equal(d[t].value_count, d[0].value_count);
            for (unsigned k = 0; k < d[0].value_count; k++) {
                assert_same_bits(d[t].values[k].value, d[0].values[k].value);
            }
        }
    }
    for (size_t t = 0; t < D7_COUNT(threads); t++) {
        fair_free(f[t]);
    }
}

/* Same columns, same bits: whatever the processor at hand makes of it. */
static void every_engine_finds_the_same_values(void **state)
{
    (void)state;
    struct fair_search *first = NULL;
    const struct fair_engine *best = fair_engine_at(0);
    assert_int_equal(best->search_new(2, &first), D7_OK);
    for (unsigned rank = 1; fair_engine_at(rank); rank++) {
        const struct fair_engine *engine = fair_engine_at(rank);
        struct fair_search *other = NULL;
        assert_int_equal(engine->search_new(2, &other), D7_OK);
        for (size_t i = 0; i < roots_all()->count; i++) {
            const struct position *at = &roots_all()->at[i];
            struct fair_outcome o = {.board = at->board, .rise = at->rise, .hole = FAIR_WHOLE};
            (void)mirror_canonicalise(&o.board);
            for (unsigned depth = 0; depth <= 2; depth++) {
                assert_same_bits(engine->search_value(other, &o, at->next, depth),
                                 best->search_value(first, &o, at->next, depth));
            }
        }
        engine->search_free(other);
    }
    best->search_free(first);
}

static void more_threads_than_outcomes_are_no_harm(void **state)
{
    (void)state;
    struct fair *one = NULL;
    struct fair *many = NULL;
    struct decision a;
    struct decision b;
    assert_int_equal(fair_new(1, 1, &one), D7_OK);
    assert_int_equal(fair_new(1, 1000, &many), D7_OK);
    fair_decide(one, &roots_all()->at[0], &a);
    fair_decide(many, &roots_all()->at[0], &b);
    assert_int_equal(a.column, b.column);
    assert_memory_equal(a.values, b.values, sizeof(a.values[0]) * a.value_count);
    fair_free(one);
    fair_free(many);
}

static void the_board_hash_skips_empty_rows_and_nothing_else(void **state)
{
    (void)state;
    struct rng rng = {31};
    for (unsigned k = 0; k < 500; k++) {
        struct board b = random_board(&rng, 9);
        uint32_t hash = FNV_START;
        for (unsigned i = 0; i < BOARD_CELLS; i++) {
            hash = fnv_step(hash, board_cell(&b, i) + 1);
        }
        assert_int_equal(chance_board_hash(&b), hash);
    }
}

/* The whole search, two moves deep, against the text read plainly. */
static void values_are_those_of_the_text_read_plainly(void **state)
{
    (void)state;
    struct fair *f = NULL;
    assert_int_equal(fair_new(2, 1, &f), D7_OK);
    for (size_t i = 0; i < roots_all()->count; i += 12) {
        const struct position *at = &roots_all()->at[i];
        struct decision d;
        fair_decide(f, at, &d);
        assert_int_equal(d.value_count, __builtin_popcount(board_legal(&at->board)));
        for (unsigned k = 0; k < d.value_count; k++) {
            assert_same_bits(d.values[k].value, plain_fair_value(at, d.values[k].column, 2));
        }
    }
    fair_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_leaf_is_the_plain_sum_on_any_board),
        cmocka_unit_test(a_family_is_seven_leaves),
        cmocka_unit_test(a_move_in_seven_strata_is_seven_sampled_turns),
        cmocka_unit_test(a_settled_board_is_played_the_same_way),
        cmocka_unit_test(every_number_of_threads_finds_the_same_values),
        cmocka_unit_test(every_engine_finds_the_same_values),
        cmocka_unit_test(more_threads_than_outcomes_are_no_harm),
        cmocka_unit_test(the_board_hash_skips_empty_rows_and_nothing_else),
        cmocka_unit_test(values_are_those_of_the_text_read_plainly),
    };
    return cmocka_run_group_tests_name("unit/policy/fair", tests, NULL, NULL);
}
