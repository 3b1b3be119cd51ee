#include "engine/policy/columns.h"

#include <math.h>

const uint8_t columns_centre[BOARD_COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

void columns_list(const double values[BOARD_COLUMNS], unsigned legal, struct decision *ret)
{
    *ret = (struct decision){.column = -1};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            ret->values[ret->value_count].column = (uint8_t)c;
            ret->values[ret->value_count].value = values[c];
            ret->value_count++;
        }
    }
}

void columns_choose(const double values[BOARD_COLUMNS], unsigned legal, bool reversed,
                    struct decision *ret)
{
    double best = -(double)INFINITY;
    columns_list(values, legal, ret);
    for (unsigned i = 0; i < BOARD_COLUMNS; i++) {
        unsigned c = columns_at(i, reversed);
        if ((legal >> c & 1u) && values[c] > best) {
            best = values[c];
            ret->column = (int)c;
        }
    }
}
