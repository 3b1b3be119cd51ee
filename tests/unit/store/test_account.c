/* store/account.h: accounts, tokens, and what is never stored. */
#include "tests/support/support.h"

#include "tests/support/stores.h"

static struct store *st;

static int open_store(void **state)
{
    (void)state;
    static unsigned number;
    char name[32];
    (void)snprintf(name, sizeof(name), "accounts-%u", number++);
    st = stores_open(name, STORE_MIGRATE);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    store_close(st);
    st = NULL;
    return 0;
}

static enum d7_err add(const char *name, bool admin, bool must_be_new, const char *secret,
                       char ret_id[STORE_KEY_SIZE])
{
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(secret), sha);
    return account_token_add(st, name, admin, must_be_new, sha, 5, ret_id);
}

static enum d7_err find(const char *secret, struct account *ret)
{
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(secret), sha);
    return account_by_token(st, sha, ret);
}

static void a_second_token_belongs_to_the_same_account(void **state)
{
    (void)state;
    char first[STORE_KEY_SIZE];
    char second[STORE_KEY_SIZE];
    struct account a = {0};
    struct account b = {0};
    assert_int_equal(add("ann", false, true, "one", first), D7_OK);
    assert_int_equal(add("ann", false, false, "two", second), D7_OK);
    assert_string_not_equal(first, second);
    assert_int_equal(find("one", &a), D7_OK);
    assert_int_equal(find("two", &b), D7_OK);
    assert_int_equal(a.id, b.id);
    assert_string_equal(a.name, "ann");
    assert_false(a.admin);
    assert_int_equal(find("three", &a), D7_ERR_NOT_FOUND);
}

static void registering_a_taken_name_is_a_conflict_and_adds_nothing(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE] = "untouched";
    struct account a = {0};
    assert_int_equal(add("ann", false, true, "one", id), D7_OK);
    memcpy(id, "untouched", 10);
    assert_int_equal(add("ann", false, true, "two", id), D7_ERR_CONFLICT);
    assert_string_equal(id, "untouched");
    assert_int_equal(find("two", &a), D7_ERR_NOT_FOUND);
    assert_int_equal(add("bob", false, true, "one", id), D7_ERR_CONFLICT); /* the same secret */
    assert_int_equal(stores_number(st, "SELECT count(*) FROM account"), 1);
}

static void admin_is_only_ever_raised(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    struct account a = {0};
    assert_int_equal(add("ann", false, false, "one", id), D7_OK);
    assert_int_equal(add("ann", true, false, "two", id), D7_OK);
    assert_int_equal(find("one", &a), D7_OK);
    assert_true(a.admin);
    assert_int_equal(add("ann", false, false, "three", id), D7_OK);
    assert_int_equal(find("three", &a), D7_OK);
    assert_true(a.admin);
}

static void a_name_over_eighty_characters_is_invalid_not_a_conflict(void **state)
{
    (void)state;
    char name[83];
    char id[STORE_KEY_SIZE];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(add(name, false, false, "one", id), D7_ERR_INVALID);
    assert_int_equal(add("", false, false, "one", id), D7_ERR_INVALID);
}

static void a_revoked_token_is_no_token(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    char other[STORE_KEY_SIZE];
    struct account a = {0};
    assert_int_equal(add("ann", false, false, "one", id), D7_OK);
    assert_int_equal(add("ann", false, false, "two", other), D7_OK);
    assert_int_equal(token_revoke(st, id, 6), D7_OK);
    assert_int_equal(token_revoke(st, id, 7), D7_OK); /* again: the same end */
    assert_int_equal(token_revoke(st, "no-such-token", 7), D7_ERR_NOT_FOUND);
    assert_int_equal(find("one", &a), D7_ERR_NOT_FOUND);
    assert_int_equal(find("two", &a), D7_OK);
    assert_int_equal(stores_number(st, "SELECT revoked_at FROM token WHERE seq = 1"), 6);
}

/* Hashes that begin alike are told apart by what follows. */
static void hashes_of_one_beginning_are_different_tokens(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    struct account a = {0};
    sha_of(span_of("one"), sha);
    static const char *const names[] = {"ann", "bob", "cid"};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        sha[SHA_HEX_SIZE - 2] = (char)('0' + i);
        assert_int_equal(account_token_add(st, names[i], false, false, sha, 5, id), D7_OK);
    }
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        sha[SHA_HEX_SIZE - 2] = (char)('0' + i);
        assert_int_equal(account_by_token(st, sha, &a), D7_OK);
        assert_string_equal(a.name, names[i]);
    }
    sha[SHA_HEX_SIZE - 2] = 'f';
    assert_int_equal(account_by_token(st, sha, &a), D7_ERR_NOT_FOUND);
    sha[8] = '\0'; /* the beginning alone is none */
    assert_int_equal(account_by_token(st, sha, &a), D7_ERR_NOT_FOUND);
    assert_int_equal(account_by_token(st, "", &a), D7_ERR_NOT_FOUND);
}

static void the_list_has_each_token_with_its_use(void **state)
{
    (void)state;
    char id[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    struct token_row *rows = NULL;
    size_t count = 9;
    assert_int_equal(token_list(st, &rows, &count), D7_OK);
    assert_int_equal(count, 0);
    assert_non_null(rows);
    free(rows);
    assert_int_equal(add("ann", true, false, "one", id), D7_OK);
    assert_int_equal(add("bob", false, false, "two", id), D7_OK);
    assert_int_equal(token_revoke(st, id, 6), D7_OK);
    sha_of(span_of("one"), sha);
    assert_int_equal(token_used(st, sha, 77), D7_OK);
    assert_int_equal(token_list(st, &rows, &count), D7_OK);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].account, "ann");
    assert_true(rows[0].admin && !rows[0].revoked);
    assert_int_equal(rows[0].last_used_at, 77);
    assert_int_equal(rows[0].created_at, 5);
    assert_string_equal(rows[1].id, id);
    assert_true(rows[1].revoked && !rows[1].admin);
    assert_int_equal(rows[1].last_used_at, -1);
    free(rows);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
    const struct CMUnitTest tests[] = {
        CASE(a_second_token_belongs_to_the_same_account),
        CASE(registering_a_taken_name_is_a_conflict_and_adds_nothing),
        CASE(admin_is_only_ever_raised),
        CASE(a_name_over_eighty_characters_is_invalid_not_a_conflict),
        CASE(a_revoked_token_is_no_token),
        CASE(hashes_of_one_beginning_are_different_tokens),
        CASE(the_list_has_each_token_with_its_use),
    };
    int failed = cmocka_run_group_tests_name("unit/store/account", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
