#include "tests/support/worked.h"

#include "engine/policy/mirror.h"
#include "tests/support/support.h"

const struct worked_position worked_a = {"0000000000000000000000000000000000000000008888888", 2, 5,
                                         1, 0};
const struct worked_position worked_b = {"0000000000000000727001188200888930088883008888900", 6, 1,
                                         9, 44};
const struct worked_position worked_c = {"1220000988100088920008889100888881088888968889889", 5, 3,
                                         7, 32};

struct extended_state worked_state(const struct worked_position *at)
{
    struct extended_state state = {
        .position = {.next = at->next, .rise = at->rise}, .level = at->level, .moves = at->moves};
    assert_int_equal(board_parse(at->board, strlen(at->board), &state.position.board), BOARD_FINE);
    return state;
}

struct extended_state worked_canonical(const struct worked_position *at)
{
    struct extended_state state = worked_state(at);
    (void)mirror_canonicalise(&state.position.board);
    return state;
}

uint64_t worked_bits(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

void worked_assert_bits(double got, double want)
{
    if (worked_bits(got) != worked_bits(want)) {
        fail_msg("%.17g is not %.17g", got, want);
    }
}

void worked_assert_decision(const struct decision *got, int column,
                            const struct worked_values *want)
{
    assert_int_equal(got->column, column);
    assert_int_equal(got->value_count, want->count);
    for (unsigned i = 0; i < want->count; i++) {
        assert_int_equal(got->values[i].column, want->first + i);
        worked_assert_bits(got->values[i].value, want->value[i]);
    }
}

void worked_assert_unit(uint64_t unit, unsigned samples, double want)
{
    worked_assert_bits((double)unit / 4294967296.0 / samples, want);
}
