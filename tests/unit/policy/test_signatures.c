/*
 * One number for all a policy does on the bench's positions (tests/golden/signatures.tsv): a change
 * of any bit shows. With one and with two threads.
 */
#include "tests/support/roots.h"
#include "tests/support/support.h"

#include "engine/base/fdio.h"

struct seen {
    unsigned rows;
    uint64_t policies; /* bit i: number i of the registry has a row */
};

static void check_row(const struct policy_info *info, size_t positions, struct span want)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        char got[20];
        struct policy *p = NULL;
        assert_int_equal(policy_new(info, threads, &p), D7_OK);
        (void)snprintf(got, sizeof(got), "%016llx",
                       (unsigned long long)roots_signature(p, positions, NULL));
        policy_free(p);
        if (!span_is(want, got)) {
            fail_msg("%s on %zu positions with %u threads: %s is not %.*s", info->id, positions,
                     threads, got, (int)want.len, want.ptr);
        }
    }
}

static void on_line(struct seen *s, struct span line)
{
    struct span id = span_cut(&line, '\t');
    struct span count = span_cut(&line, '\t');
    struct span want = span_cut(&line, '\t');
    const struct policy_info *info = policy_find(id);
    int64_t positions = 0;
    assert_non_null(info);
    assert_int_equal(span_parse_i64(count, 1, (int64_t)roots_all()->count, &positions), D7_OK);
    assert_int_equal(want.len, 16);
    bool slow = span_is(line, "slow");
    assert_true(slow || span_is(line, "always"));
    if (slow && !getenv("D7_ALL_VECTORS")) {
        return;
    }
    check_row(info, (size_t)positions, want);
    s->rows++;
    s->policies |= (uint64_t)1 << (info - policy_registry(&(size_t){0}));
}

static void signatures_are_the_recorded_ones(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct buf text;
    size_t count = 0;
    buf_init(&text, 1u << 16);
    assert_int_equal(file_read("tests/golden/signatures.tsv", &text), D7_OK);
    struct span rest = buf_span(&text);
    while (rest.len) {
        struct span line = span_cut(&rest, '\n');
        if (line.len && line.ptr[0] != '#') {
            on_line(&seen, line);
        }
    }
    buf_release(&text);
    (void)policy_registry(&count);
    assert_true(seen.rows >= count);
    assert_int_equal(seen.policies, ((uint64_t)1 << count) - 1); /* nobody is left out */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signatures_are_the_recorded_ones)};
    return cmocka_run_group_tests_name("unit/policy/signatures", tests, NULL, NULL);
}
