/*
 * What greedy and the fair search choose on any board that can occur: legal, finite, the best of
 * its values, the same when asked again after something else; the fair values bit for bit those of
 * the text read plainly.
 */
#include <math.h>

#include "engine/policy/fair.h"
#include "tests/fuzz/boards.h"
#include "tests/support/plain_fair.h"

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void check_sound(const struct position *at, const struct decision *d)
{
    unsigned legal = board_legal(&at->board);
    D7_CHECK(d->value_count == (unsigned)__builtin_popcount(legal));
    if (!legal) {
        D7_CHECK(d->column == -1);
        return;
    }
    D7_CHECK(d->column >= 0 && d->column < BOARD_COLUMNS && legal >> d->column & 1u);
    double best = -HUGE_VAL;
    double chosen = -HUGE_VAL;
    for (unsigned i = 0; i < d->value_count; i++) {
        double value = d->values[i].value;
        D7_CHECK(legal >> d->values[i].column & 1u);
        D7_CHECK(i == 0 || d->values[i].column > d->values[i - 1].column);
        D7_CHECK(isfinite(value));
        best = value > best ? value : best;
        chosen = d->values[i].column == d->column ? value : chosen;
    }
    D7_CHECK(same_bits(chosen, best));
}

static void check_same(const struct decision *a, const struct decision *b)
{
    D7_CHECK(a->column == b->column && a->value_count == b->value_count);
    for (unsigned i = 0; i < a->value_count; i++) {
        D7_CHECK(a->values[i].column == b->values[i].column);
        D7_CHECK(same_bits(a->values[i].value, b->values[i].value));
    }
}

static struct position mirrored(const struct position *at)
{
    return (struct position){board_mirrored(&at->board), at->next, at->rise};
}

static void check_greedy(const struct position *at)
{
    static struct policy *greedy; /* kept: what it remembers must not show */
    struct decision d;
    struct decision other;
    struct decision again;
    struct position m = mirrored(at);
    if (!greedy) {
        D7_CHECK(policy_new(policy_find(span_of("greedy")), 1, &greedy) == D7_OK);
    }
    policy_decide(greedy, at, &d);
    check_sound(at, &d);
    policy_decide(greedy, &m, &other);
    check_sound(&m, &other);
    policy_decide(greedy, at, &again);
    check_same(&again, &d);
}

static void check_fair(const struct position *at, unsigned depth)
{
    static struct fair *searches[2];
    struct fair **f = &searches[depth - 1];
    struct decision d;
    struct decision other;
    struct position m = mirrored(at);
    if (!*f) {
        D7_CHECK(fair_new(depth, 1, f) == D7_OK);
    }
    fair_decide(*f, at, &d);
    check_sound(at, &d);
    for (unsigned i = 0; i < d.value_count; i++) {
        double want = plain_fair_value(at, d.values[i].column, depth);
        D7_CHECK(same_bits(d.values[i].value, want));
    }
    fair_decide(*f, &m, &other);
    D7_CHECK(other.value_count == d.value_count);
    if (memcmp(&m.board, &at->board, sizeof(m.board)) != 0) { /* seen through the mirror */
        D7_CHECK(d.column < 0 ? other.column < 0 : other.column == 6 - d.column);
        for (unsigned i = 0; i < d.value_count; i++) {
            D7_CHECK(same_bits(other.values[d.value_count - 1 - i].value, d.values[i].value));
        }
    }
}

void fuzz_choice(const uint8_t *bytes, size_t len)
{
    struct fuzz_input in = {bytes, len};
    struct fuzz_state s;
    fuzz_state_read(&in, &s);
    uint8_t kind = fuzz_byte(&in); /* two moves deep, and greedy, cost much more */
    check_fair(&s.at, kind == '2' ? 2 : 1);
    if (kind == '1') {
        check_greedy(&s.at);
    }
}
