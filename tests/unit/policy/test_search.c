/* The searches' inner figures: the worked examples of policies.md, 13.2, and the value cache. */
#include "tests/support/support.h"

#include "engine/policy/expectimax.h"
#include "engine/policy/lru.h"

struct example {
    const char *board;
    uint8_t next;
    uint8_t rise;
};

static const struct example A = {"0000000000000000000000000000000000000000008888888", 2, 5};
static const struct example B = {"0000000000000000727001188200888930088883008888900", 6, 1};
static const struct example C = {"1220000988100088920008889100888881088888968889889", 5, 3};
static const struct example D = {"0000000400000091600609161641836198888988888888888", 4, 1};
static const struct example E = {"0000000000000006004000660600982669988898888888888", 5, 1};

struct counted {
    const struct example *at;
    uint64_t bound;
    uint64_t work;
    uint64_t nodes;
    uint64_t hits;
    unsigned depth;
    int column;
    uint32_t completed;
    unsigned entries;
    double value; /* of the chosen column */
};

static struct position position_of(const struct example *e)
{
    struct position at = {.next = e->next, .rise = e->rise};
    assert_int_equal(board_parse(e->board, strlen(e->board), &at.board), BOARD_FINE);
    return at;
}

static double value_of(const struct decision *d, int column)
{
    for (unsigned i = 0; i < d->value_count; i++) {
        if (d->values[i].column == column) {
            return d->values[i].value;
        }
    }
    fail_msg("no value for column %d", column);
    return 0.0;
}

static void check_counts(const struct counted *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct counted *want = &rows[i];
        struct expectimax *e = NULL;
        struct decision d;
        assert_int_equal(expectimax_new(want->depth, want->bound, &e), D7_OK);
        struct position at = position_of(want->at);
        expectimax_decide(e, &at, &d);
        struct expectimax_counts got = expectimax_counts(e);
        expectimax_free(e);
        assert_int_equal(d.column, want->column);
        assert_int_equal(d.depth, want->completed);
        assert_int_equal(got.work, want->work);
        assert_int_equal(got.nodes, want->nodes);
        assert_int_equal(got.hits, want->hits);
        assert_int_equal(got.entries, want->entries);
        double value = value_of(&d, d.column);
        assert_memory_equal(&value, &want->value, sizeof(value));
    }
}

static void greedy_counts_work_nodes_hits_and_entries_exactly(void **state)
{
    (void)state;
    static const struct counted rows[] = {
        {&A, 100000, 77, 49, 45, 1, 3, 1, 4, -2742.9999999999995},
        {&B, 100000, 157, 91, 82, 1, 5, 1, 9, 1505.8392857142862},
        {&C, 100000, 38, 28, 24, 1, 4, 1, 4, -21224.499999999996},
        {&D, 100000, 31483, 21967, 21438, 1, 5, 1, 529, 978.67971678467131},
        {&E, 100000, 100000, 66710, 65993, 1, 1, 0, 717, 8603.75},
    };
    check_counts(rows, D7_COUNT(rows));
}

static void deeper_expectimax_counts_exactly_too(void **state)
{
    (void)state;
    static const struct counted rows[] = {
        {&A, 100000, 2550, 1806, 1613, 2, 3, 2, 193, -2563.8450255102034},
        {&B, 100000, 14420, 9275, 8639, 2, 5, 2, 636, 2495.9595368188097},
        {&D, 100000, 100000, 64723, 63315, 2, 5, 1, 1406, 978.67971678467131},
        {&A, 400000, 110060, 77770, 72343, 3, 3, 3, 5427, -2323.0128253649195},
        {&C, 3200000, 16771, 5943, 4072, 4, 5, 4, 1871, -249968.04081632651},
    };
    check_counts(rows, D7_COUNT(rows));
}

/* 3.2 million ticks: the one example in which entries leave the cache. */
static void a_full_cache_forgets_and_still_counts_exactly(void **state)
{
    (void)state;
    static const struct counted rows[] = {
        {&A, 3200000, 3200000, 2213151, 2106646, 4, 3, 3, 40000, -2323.0128253649195},
    };
    check_counts(rows, D7_COUNT(rows));
}

static void a_depth_that_ends_on_the_last_tick_counts(void **state)
{
    (void)state;
    static const struct counted rows[] = {
        {&A, 77, 77, 49, 45, 2, 3, 1, 4, -2742.9999999999995},
        {&A, 2550, 2550, 1806, 1613, 2, 3, 2, 193, -2563.8450255102034},
    };
    check_counts(rows, D7_COUNT(rows));
    struct expectimax *e = NULL;
    struct decision d;
    struct position at = position_of(&A);
    assert_int_equal(expectimax_new(2, 2549, &e), D7_OK);
    expectimax_decide(e, &at, &d);
    expectimax_free(e);
    assert_int_equal(d.depth, 1);
    assert_int_equal(d.work, 2549);
}

static struct lru_key key_of(unsigned i)
{
    struct lru_key key = {.rise = 1, .depth = 1};
    key.board.col[0] = i;
    return key;
}

static void the_cache_drops_the_least_recently_used(void **state)
{
    (void)state;
    struct lru *l = NULL;
    double value = 0.0;
    assert_int_equal(lru_new(&l), D7_OK);
    for (unsigned i = 0; i < LRU_CAPACITY; i++) {
        struct lru_key key = key_of(i);
        lru_put(l, &key, i);
    }
    struct lru_key first = key_of(0);
    struct lru_key second = key_of(1);
    struct lru_key more = key_of(LRU_CAPACITY);
    assert_true(lru_get(l, &first, &value)); /* a hit: now the second is the oldest */
    lru_put(l, &more, 7.0);
    assert_int_equal(lru_size(l), LRU_CAPACITY);
    assert_false(lru_get(l, &second, &value));
    assert_true(lru_get(l, &first, &value));
    assert_true(lru_get(l, &more, &value));
    assert_true(value > 6.5);
    lru_free(l);
}

static void a_cleared_cache_knows_nothing(void **state)
{
    (void)state;
    struct lru *l = NULL;
    double value = 0.0;
    assert_int_equal(lru_new(&l), D7_OK);
    for (unsigned i = 0; i < 2 * LRU_CAPACITY; i++) {
        struct lru_key key = key_of(i);
        lru_put(l, &key, i);
    }
    lru_clear(l);
    assert_int_equal(lru_size(l), 0);
    for (unsigned i = 0; i < 2 * LRU_CAPACITY; i++) {
        struct lru_key key = key_of(i);
        assert_false(lru_get(l, &key, &value));
    }
    lru_free(l);
}

static void every_field_of_a_key_tells_nodes_apart(void **state)
{
    (void)state;
    struct lru *l = NULL;
    double value = 0.0;
    assert_int_equal(lru_new(&l), D7_OK);
    struct lru_key key = key_of(8);
    lru_put(l, &key, 1.0);
    struct lru_key other[5] = {key, key, key, key, key};
    other[0].board.col[6] = 8;
    other[1].next = 3;
    other[2].rise = 2;
    other[3].over = true;
    other[4].depth = 2;
    for (size_t i = 0; i < D7_COUNT(other); i++) {
        assert_false(lru_get(l, &other[i], &value));
    }
    assert_true(lru_get(l, &key, &value));
    lru_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_counts_work_nodes_hits_and_entries_exactly),
        cmocka_unit_test(deeper_expectimax_counts_exactly_too),
        cmocka_unit_test(a_full_cache_forgets_and_still_counts_exactly),
        cmocka_unit_test(a_depth_that_ends_on_the_last_tick_counts),
        cmocka_unit_test(the_cache_drops_the_least_recently_used),
        cmocka_unit_test(a_cleared_cache_knows_nothing),
        cmocka_unit_test(every_field_of_a_key_tells_nodes_apart),
    };
    return cmocka_run_group_tests_name("unit/policy/search", tests, NULL, NULL);
}
