/*
 * test_board.c - boards as text, and what can be read off a packed board.
 */
#include "tests/support/support.h"

#include "engine/rules/board.h"

#define OPENING "0000000000000000000000000000000000000000008888888"

static enum board_fault fault_of(const char *text)
{
    struct board b;
    return board_parse(text, strlen(text), &b);
}

static struct board board_of(const char *text)
{
    struct board b = {{0}};
    assert_int_equal(board_parse(text, strlen(text), &b), BOARD_FINE);
    return b;
}

static void a_board_survives_parsing_and_formatting(void **state)
{
    (void)state;
    static const char *const texts[] = {
        OPENING,
        "0000000000000000000000000000000000000000000000000",
        "7654321123456789898981234567765432112345678989898",
        "1000000200000030000004000000500000060000007000000",
    };
    for (size_t i = 0; i < D7_COUNT(texts); i++) {
        char out[BOARD_TEXT_SIZE];
        struct board b = board_of(texts[i]);
        board_format(&b, out);
        assert_string_equal(out, texts[i]);
        for (unsigned at = 0; at < BOARD_CELLS; at++) {
            assert_int_equal(board_cell(&b, at), texts[i][at] - '0');
        }
        assert_int_equal(b.col[7], 0);
    }
}

static void a_text_that_is_no_board_is_refused_by_its_kind(void **state)
{
    (void)state;
    char text[BOARD_TEXT_SIZE] = OPENING;
    assert_int_equal(fault_of(""), BOARD_BAD_LENGTH);
    assert_int_equal(board_parse(text, 48, &(struct board){{0}}), BOARD_BAD_LENGTH);
    assert_int_equal(fault_of(OPENING "0"), BOARD_BAD_LENGTH);
    text[48] = ':';
    assert_int_equal(fault_of(text), BOARD_BAD_CELL);
    text[48] = '/';
    assert_int_equal(fault_of(text), BOARD_BAD_CELL);
    text[48] = (char)0xb5;
    assert_int_equal(fault_of(text), BOARD_BAD_CELL);
    text[48] = '0';
    assert_int_equal(fault_of(text), BOARD_FINE);
    text[41] = '1';
    assert_int_equal(fault_of(text), BOARD_FLOATING);
    for (int fault = BOARD_FINE; fault <= BOARD_FLOATING; fault++) {
        assert_true(strlen(board_fault_text((enum board_fault)fault)) > 5);
    }
    assert_non_null(strstr(board_fault_text(BOARD_BAD_LENGTH), "49"));
}

static void a_refused_text_leaves_the_result_alone(void **state)
{
    (void)state;
    struct board b = board_of(OPENING);
    struct board before = b;
    assert_int_equal(board_parse("1", 1, &b), BOARD_BAD_LENGTH);
    assert_int_equal(
        board_parse("1000000000000000000000000000000000000000000000000", BOARD_CELLS, &b),
        BOARD_FLOATING);
    assert_memory_equal(&b, &before, sizeof(b));
}

static void heights_legal_columns_and_emptiness_are_read_off(void **state)
{
    (void)state;
    static const unsigned heights[] = {7, 0, 0, 0, 1, 3, 4};
    struct board b = board_of("1000000"
                              "2000000"
                              "3000000"
                              "4000003"
                              "5000026"
                              "6000012"
                              "7000312");
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        unsigned want = 0;
        for (unsigned row = 0; row < BOARD_ROWS; row++) {
            want += board_cell(&b, 7 * row + c) != 0;
        }
        assert_int_equal(board_height(&b, c), want);
        assert_int_equal(heights[c], want);
    }
    assert_int_equal(board_legal(&b), 0x7e);
    assert_false(board_is_empty(&b));
    struct board none = {{0}};
    assert_int_equal(board_legal(&none), 127);
    assert_true(board_is_empty(&none));
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        struct board one = {{0}};
        one.col[c] = 0x1111111u;
        assert_int_equal(board_legal(&one), 127 ^ (1u << c));
        assert_false(board_is_empty(&one));
        assert_int_equal(board_height(&one, c), 7);
    }
}

static void the_opening_is_one_row_of_solid_discs(void **state)
{
    (void)state;
    char out[BOARD_TEXT_SIZE];
    struct board b = board_opening();
    board_format(&b, out);
    assert_string_equal(out, OPENING);
}

static void mirroring_swaps_the_columns_and_undoes_itself(void **state)
{
    (void)state;
    char out[BOARD_TEXT_SIZE];
    struct board b = board_of("0000000000000000000000000000000000000000120001234");
    struct board m = board_mirrored(&b);
    board_format(&m, out);
    assert_string_equal(out, "0000000000000000000000000000000000021000004321000");
    m = board_mirrored(&m);
    assert_memory_equal(&m, &b, sizeof(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_survives_parsing_and_formatting),
        cmocka_unit_test(a_text_that_is_no_board_is_refused_by_its_kind),
        cmocka_unit_test(a_refused_text_leaves_the_result_alone),
        cmocka_unit_test(heights_legal_columns_and_emptiness_are_read_off),
        cmocka_unit_test(the_opening_is_one_row_of_solid_discs),
        cmocka_unit_test(mirroring_swaps_the_columns_and_undoes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
