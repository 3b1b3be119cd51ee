/* The built-in policies without memory: each allocation of each fails once, and all of it is given
 * back. */
#include "tests/support/support.h"

#include "engine/policy/registry.h"
#include "tests/support/faults.h"

static void a_policy_is_made_whole_or_not_at_all(void **state)
{
    (void)state;
    size_t count = 0, refused = 0;
    const struct policy_info *all = policy_registry(&count);
    for (size_t i = 0; i < count; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            bool over = false;
            for (long n = 1; !over; n++) {
                struct policy *p = NULL;
                faults_arm(FAULTS_MEMORY, n);
                enum d7_err err = policy_new(&all[i], threads, &p);
                over = !faults_disarm();
                assert_true(over ? err == D7_OK : err == D7_ERR_NOMEM || err == D7_OK);
                assert_int_equal(err == D7_OK, p != NULL);
                refused += err != D7_OK;
                policy_free(p);
            }
        }
    }
    assert_true(refused > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_made_whole_or_not_at_all),
    };
    return cmocka_run_group_tests_name("policy/faults", tests, NULL, NULL);
}
