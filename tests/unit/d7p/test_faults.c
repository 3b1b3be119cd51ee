/* engine/d7p/listen where memory or descriptors fail it: it listens or says why not. */
#include "tests/support/support.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "engine/d7p/listen.h"
#include "tests/support/faults.h"

static void a_listener_listens_or_says_why_not(void **state)
{
    (void)state;
    static const enum faults_kind kinds[] = {FAULTS_MEMORY, FAULTS_DISK};
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        bool over = false;
        for (long n = 1; !over; n++) {
            struct listener *l = NULL;
            struct d7_why why = {0};
            faults_arm(kinds[k], n);
            enum d7_err err = listener_new(&at, sizeof(at), &l, &why);
            over = !faults_disarm();
            assert_int_equal(err == D7_OK, l != NULL);
            assert_true(!err || (!over && (why.text[0] || err == D7_ERR_NOMEM)));
            listener_free(l);
        }
    }
}

static void an_address_that_is_not_ours_is_refused(void **state)
{
    (void)state;
    struct sockaddr_in at = {.sin_family = AF_INET};
    struct listener *l = NULL;
    struct d7_why why = {0};
    assert_int_equal(inet_pton(AF_INET, "192.0.2.1", &at.sin_addr), 1);
    assert_int_equal(listener_new(&at, sizeof(at), &l, &why), D7_ERR_UNAVAILABLE);
    assert_true(why.text[0]);
    assert_int_not_equal(listener_new(&at, 3, &l, &why), D7_OK);
    assert_null(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listener_listens_or_says_why_not),
        cmocka_unit_test(an_address_that_is_not_ours_is_refused),
    };
    return cmocka_run_group_tests_name("d7p/faults", tests, NULL, NULL);
}
