/* drop7 where memory, the disk or the kernel fails it: each command, with each of its calls failing
 * in turn, ends by itself, with a word about it or with the answer it always gives. */
#include "tests/support/faulty.h"

#define BOARD "0000000000000000000000000000000000000000001234567"
#define GRAYS "0000000000000000000000000000009000000800004588889"

static const struct faulty quiet[] = {
    {.args = "policies"},
    {.args = "policies --json"},
    {.args = "move --board " BOARD " --next 1 --rise 2 --column 0"},
    {.args = "move --board " BOARD " --next 1 --rise 1 --column 0 --json --seed 7"},
    {.args = "move --board " GRAYS " --next 1 --rise 2 --column 6 --seed 9"},
    {.args = "round --seed 0x7 --moves 30"},
    {.args = "replay --seed 0x7 --moves 7 --columns 0123456"},
    {.args = "replay --seed 0x7 --moves 7 --columns 0123456 --json"},
    {.args = "decide --policy greedy --values", .input = BOARD " 3 4\n"},
    {.args = "decide --policy fair-d2-s7 --json", .input = GRAYS " 3 4\n"},
    {.args = "policy --policy greedy",
     .input = "d7p\nisready\nposition board " BOARD " next 3 rise 5\ngo\nquit\n",
     .varies = true}, /* the other side's going away is an end like any other */
    {.args = "check --list"},
};

static const struct faulty working[] = {
    {.args = "bench --policies greedy --rounds gauntlet-01,gauntlet-02 --jobs 1 --out @/b",
     .varies = true},
    {.args = "bench --command python3~docs/examples/match.py --rounds gauntlet-03 --out @/b",
     .varies = true},
};

/* Hundreds of moves; what differs from call to call is in the first. */
static const struct faulty checks[] = {
    {.args = "check --command python3~docs/examples/match.py --quick 1 --json",
     .varies = true,
     .most = 10},
    {.args = "bench --policies greedy --rounds nonsense --out @/b", .clean = 2},
};

static void try(const struct faulty *f, size_t count, const char *kind, unsigned least)
{
    unsigned faults = 0;
    for (size_t i = 0; i < count; i++) {
        faults += faulty_run(&f[i], kind);
    }
    assert_true(faults >= least); /* or there was nothing to see */
}

static void no_memory_ends_a_command_with_a_word(void **state)
{
    (void)state;
    try(quiet, D7_COUNT(quiet), "memory", 30);
    try(working, 1, "memory", 10);
    try(checks, D7_COUNT(checks), "memory", 3);
}

static void no_descriptor_no_disk_ends_a_command_with_a_word(void **state)
{
    (void)state;
    try(quiet, D7_COUNT(quiet), "disk", 1);
    try(working, D7_COUNT(working), "disk", 15);
    try(working, 1, "lasting", 5);
    try(checks, D7_COUNT(checks), "disk", 10);
}

static void interrupted_calls_are_made_again(void **state)
{
    (void)state;
    try(quiet, D7_COUNT(quiet), "interrupt", 1);
    try(working, 1, "interrupt", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_ends_a_command_with_a_word),
        cmocka_unit_test(no_descriptor_no_disk_ends_a_command_with_a_word),
        cmocka_unit_test(interrupted_calls_are_made_again),
    };
    return cmocka_run_group_tests_name("tool/faults", tests, NULL, NULL);
}
