/*
 * worked.h - the worked examples of policies.md, section 13: three positions, and what a decision
 * on them must be to the last bit.
 *
 * Errors  whatever differs fails the test.
 */
#ifndef TESTS_SUPPORT_WORKED_H
#define TESTS_SUPPORT_WORKED_H

#include "engine/policy/registry.h"

struct worked_position {
    const char *board;
    uint8_t next;
    uint8_t rise;
    uint32_t level;
    uint32_t moves;
};

/* A, B and C of 13.0. */
extern const struct worked_position worked_a;
extern const struct worked_position worked_b;
extern const struct worked_position worked_c;

/* Of the legal columns, which lie side by side in all three. */
struct worked_values {
    unsigned first;
    unsigned count;
    double value[BOARD_COLUMNS];
};

struct extended_state worked_state(const struct worked_position *at);
/* The same on the canonical board. */
struct extended_state worked_canonical(const struct worked_position *at);

uint64_t worked_bits(double value);
void worked_assert_bits(double got, double want);
void worked_assert_decision(const struct decision *got, int column,
                            const struct worked_values *want);
/* A unit of chance.h as the examples print it. */
void worked_assert_unit(uint64_t unit, unsigned samples, double want);

#endif
