/* Every decision of decisions.jsonl that the searches can make: column, values bit for bit, depth
 * and work. */
#include "tests/support/support.h"

#include "engine/base/json.h"
#include "engine/policy/expectimax.h"
#include "engine/policy/fair.h"

/* Asks some search for the column of a position. */
struct asked {
    const char *policy;
    void (*decide)(void *search, const struct position *at, struct decision *ret);
    void *search;
    unsigned limit; /* rows at most */
    unsigned rows;
};

static int64_t integer_of(const struct jval *row, const char *key)
{
    int64_t value = 0;
    assert_true(jval_integer(jval_get(row, key), &value));
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void check_values(const struct jval *values, const struct decision *got)
{
    assert_int_equal(jval_length(values), got->value_count);
    for (size_t i = 0; i < got->value_count; i++) {
        int64_t column = -1;
        double value = 0.0;
        assert_true(jval_integer(jval_at(jval_at(values, i), 0), &column));
        assert_true(jval_number(jval_at(jval_at(values, i), 1), &value));
        assert_int_equal(column, got->values[i].column);
        if (bits_of(value) != bits_of(got->values[i].value)) {
            fail_msg("column %d: %.17g is not %.17g", (int)column, got->values[i].value, value);
        }
    }
}

static void check_row(struct asked *a, const struct jval *row)
{
    struct span board;
    struct position at;
    struct decision got;
    assert_true(jval_text(jval_get(row, "board"), &board));
    assert_int_equal(board_parse(board.ptr, board.len, &at.board), BOARD_FINE);
    at.next = (uint8_t)integer_of(row, "next");
    at.rise = (uint8_t)integer_of(row, "rise");
    a->decide(a->search, &at, &got);
    assert_int_equal(got.column, integer_of(row, "column"));
    if (jval_get(row, "values")) {
        check_values(jval_get(row, "values"), &got);
    }
    if (jval_get(row, "work")) {
        assert_int_equal(got.depth, integer_of(row, "depth"));
        assert_int_equal(got.work, integer_of(row, "work"));
    }
}

static bool on_line(void *ctx, struct span line)
{
    struct asked *a = ctx;
    struct jval *row = NULL;
    struct span policy;
    assert_int_equal(jval_parse(line, &row, NULL), D7_OK);
    if (jval_text(jval_get(row, "policy"), &policy) && span_is(policy, a->policy)) {
        check_row(a, row);
        a->rows++;
    }
    jval_free(row);
    return a->rows < a->limit;
}

static void ask_expectimax(void *search, const struct position *at, struct decision *ret)
{
    expectimax_decide(search, at, ret);
}

static void ask_fair(void *search, const struct position *at, struct decision *ret)
{
    fair_decide(search, at, ret);
}

static void ask_policy(void *search, const struct position *at, struct decision *ret)
{
    policy_decide(search, at, ret);
}

static void check_policy(const char *id, unsigned rows)
{
    struct policy *p = NULL;
    assert_non_null(policy_find(span_of(id)));
    assert_int_equal(policy_new(policy_find(span_of(id)), 1, &p), D7_OK);
    struct asked a = {.policy = id, .decide = ask_policy, .search = p, .limit = UINT32_MAX};
    support_vector_lines("decisions.jsonl", on_line, &a);
    policy_free(p);
    assert_int_equal(a.rows, rows);
}

static void greedy_decides_every_row_bit_for_bit(void **state)
{
    (void)state;
    check_policy("greedy", 108);
}

static void fair_depth_2_decides_every_row_bit_for_bit(void **state)
{
    (void)state;
    check_policy("fair-d2-s7", 108);
}

/* Depth and work bound are parameters: the searches of later policies are the same code. */
static void expectimax_decides_at_other_depths_and_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        unsigned depth;
        uint64_t work;
        unsigned rows;
    } cases[] = {{"expectimax-d2", 2, 100000, 12},
                 {"expectimax-d3", 3, 400000, 5},
                 {"expectimax-d4", 4, 3200000, 1}};
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct expectimax *e = NULL;
        assert_int_equal(expectimax_new(cases[i].depth, cases[i].work, &e), D7_OK);
        struct asked a = {.policy = cases[i].policy,
                          .decide = ask_expectimax,
                          .search = e,
                          .limit = cases[i].rows};
        support_vector_lines("decisions.jsonl", on_line, &a);
        expectimax_free(e);
        assert_int_equal(a.rows, cases[i].rows);
    }
}

static void fair_search_decides_at_depth_3(void **state)
{
    (void)state;
    struct fair *f = NULL;
    assert_int_equal(fair_new(3, &f), D7_OK);
    struct asked a = {.policy = "fair-d3-s7", .decide = ask_fair, .search = f, .limit = 5};
    support_vector_lines("decisions.jsonl", on_line, &a);
    fair_free(f);
    assert_int_equal(a.rows, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_decides_every_row_bit_for_bit),
        cmocka_unit_test(fair_depth_2_decides_every_row_bit_for_bit),
        cmocka_unit_test(expectimax_decides_at_other_depths_and_bounds),
        cmocka_unit_test(fair_search_decides_at_depth_3),
    };
    return cmocka_run_group_tests_name("unit/policy/decisions", tests, NULL, NULL);
}
