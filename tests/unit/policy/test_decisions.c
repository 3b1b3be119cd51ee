/* Every decision of decisions.jsonl: column, values bit for bit, and what else a row tells: depth
 * and work, visits. Of the slow policies every n-th row; D7_ALL_VECTORS=1 takes all. */
#include "tests/support/support.h"

#include "engine/base/json.h"
#include "engine/policy/registry.h"

struct asked {
    struct policy *policy;
    unsigned stride;
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

static void check_visits(const struct jval *visits, const struct decision *got)
{
    assert_int_equal(jval_length(visits), got->value_count);
    for (size_t i = 0; i < got->value_count; i++) {
        int64_t column = -1;
        int64_t count = -1;
        assert_true(jval_integer(jval_at(jval_at(visits, i), 0), &column));
        assert_true(jval_integer(jval_at(jval_at(visits, i), 1), &count));
        assert_int_equal(column, got->values[i].column);
        assert_int_equal(count, got->values[i].visits);
    }
}

static void check_row(struct asked *a, const struct jval *row)
{
    struct span board;
    struct extended_state at = {.level = 1};
    struct decision got;
    assert_true(jval_text(jval_get(row, "board"), &board));
    assert_int_equal(board_parse(board.ptr, board.len, &at.position.board), BOARD_FINE);
    at.position.next = (uint8_t)integer_of(row, "next");
    at.position.rise = (uint8_t)integer_of(row, "rise");
    if (jval_get(row, "level")) {
        at.level = (uint32_t)integer_of(row, "level");
        at.moves = (uint32_t)integer_of(row, "moves");
    }
    policy_decide_extended(a->policy, &at, &got);
    assert_int_equal(got.column, integer_of(row, "column"));
    if (jval_get(row, "values")) {
        check_values(jval_get(row, "values"), &got);
    }
    if (jval_get(row, "visits")) {
        check_visits(jval_get(row, "visits"), &got);
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
    if (jval_text(jval_get(row, "policy"), &policy) &&
        span_is(policy, policy_info_of(a->policy)->id) && a->rows++ % a->stride == 0) {
        check_row(a, row);
    }
    jval_free(row);
    return true;
}

static void check_policy(const char *id, unsigned rows, unsigned stride)
{
    struct asked a = {.stride = getenv("D7_ALL_VECTORS") ? 1 : stride};
    assert_non_null(policy_find(span_of(id)));
    assert_int_equal(policy_new(policy_find(span_of(id)), 1, &a.policy), D7_OK);
    support_vector_lines("decisions.jsonl", on_line, &a);
    policy_free(a.policy);
    assert_int_equal(a.rows, rows);
}

/* X(case, id, rows in the file, stride) */
#define POLICIES(X)                                                                                \
    X(greedy_decides_bit_for_bit, "greedy", 108, 1)                                                \
    X(expectimax_depth_2_decides_bit_for_bit, "expectimax-d2", 108, 1)                             \
    X(expectimax_depth_3_decides_bit_for_bit, "expectimax-d3", 26, 1)                              \
    X(expectimax_depth_4_decides_bit_for_bit, "expectimax-d4", 8, 3)                               \
    X(gray_throughput_decides_bit_for_bit, "gray-throughput", 108, 1)                              \
    X(rollout_decides_bit_for_bit, "rollout-h8", 108, 1)                                           \
    X(mcts_decides_bit_for_bit, "mcts", 108, 1)                                                    \
    X(sparse_decides_bit_for_bit, "sparse-d2", 108, 1)                                             \
    X(risk_decides_bit_for_bit, "risk-d2", 26, 1)                                                  \
    X(beam_decides_bit_for_bit, "open-loop-beam", 108, 1)                                          \
    X(fair_depth_2_decides_bit_for_bit, "fair-d2-s7", 108, 1)                                      \
    X(fair_depth_3_decides_bit_for_bit, "fair-d3-s7", 60, 6)                                       \
    X(fair_depth_4_decides_bit_for_bit, "fair-d4-s7", 36, 18)

#define X(name, id, rows, stride)                                                                  \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_policy(id, rows, stride);                                                            \
    }
POLICIES(X)
#undef X

int main(void)
{
    const struct CMUnitTest tests[] = {
#define X(name, id, rows, stride) cmocka_unit_test(name),
        POLICIES(X)
#undef X
    };
    return cmocka_run_group_tests_name("unit/policy/decisions", tests, NULL, NULL);
}
