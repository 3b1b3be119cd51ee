/* Steps: what a position can hold, field by field, to its limits. */
#include "engine/tool/check.h"

#define ALL_COLUMNS 127u

void check_step_board(struct checker *c)
{
    uint8_t column = 0;
    struct position opening = {.board = board_opening(), .next = 1, .rise = 5};
    (void)checker_ask(c, &opening, &column);
}

void check_step_next(struct checker *c)
{
    uint8_t column = 0;
    for (uint8_t next = 1; next <= 7; next++) {
        struct position at = {.board = board_opening(), .next = next, .rise = 5};
        (void)checker_ask(c, &at, &column);
    }
}

void check_step_rise(struct checker *c)
{
    uint8_t column = 0;
    for (uint8_t rise = 1; rise <= 5; rise++) {
        struct position at = {.board = board_opening(), .next = 4, .rise = rise};
        (void)checker_ask(c, &at, &column);
    }
}

void check_step_digits(struct checker *c)
{
    uint8_t column = 0;
    struct position at = check_position("0000000"
                                        "0000000"
                                        "0000000"
                                        "0000000"
                                        "7000006"
                                        "1902548"
                                        "8398989",
                                        3, 2);
    (void)checker_ask(c, &at, &column);
}

void check_step_empty_board(struct checker *c)
{
    uint8_t column = 0;
    struct position at = check_position("0000000000000000000000000000000000000000000000000", 7, 1);
    (void)checker_ask(c, &at, &column);
}

void check_step_full_column(struct checker *c)
{
    uint8_t column = 0;
    for (unsigned full = 0; full < BOARD_COLUMNS; full++) {
        struct position at = check_full(1u << full);
        (void)checker_ask(c, &at, &column);
    }
}

void check_step_only_legal(struct checker *c)
{
    for (uint8_t column = 0; column < BOARD_COLUMNS; column++) {
        struct position at = check_only_legal(column);
        (void)checker_ask_for(c, &at, column);
    }
}

void check_step_alternating(struct checker *c)
{
    uint8_t column = 0;
    static const unsigned masks[] = {0x55, 0x2a, 0x0f, 0x78, 0x3e};
    for (size_t i = 0; i < D7_COUNT(masks); i++) {
        struct position at = check_full(masks[i]);
        (void)checker_ask(c, &at, &column);
    }
}

/* One drop before the rise that ends the game: still a question like any other. */
void check_step_last_cell(struct checker *c)
{
    struct position at = check_only_legal(6);
    at.rise = 1;
    (void)checker_ask_for(c, &at, 6);
}

void check_step_none(struct checker *c)
{
    uint8_t column = 0;
    struct position at = check_full(ALL_COLUMNS);
    (void)checker_ask(c, &at, &column);
}

void check_step_none_numbers(struct checker *c)
{
    uint8_t column = 0;
    struct position at = check_position("1234567"
                                        "2345671"
                                        "3456712"
                                        "4567123"
                                        "5671234"
                                        "6712345"
                                        "7123456",
                                        5, 5);
    (void)checker_ask(c, &at, &column);
}

void check_step_after_none(struct checker *c)
{
    uint8_t column = 0;
    struct position full = check_full(ALL_COLUMNS);
    struct position at = check_only_legal(2);
    (void)(checker_ask(c, &full, &column) && checker_ask_for(c, &at, 2));
}
