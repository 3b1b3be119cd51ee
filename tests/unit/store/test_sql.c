/* store/sql.h: every statement prepares on a fresh schema, and none walks a whole table. */
#include "tests/support/support.h"

#include <ctype.h>

#include "store/handle.h"
#include "tests/support/stores.h"

#define X(name, text) {#name, text},
static const struct {
    const char *name;
    const char *text;
} statements[] = {STORE_SQL(X)};
#undef X

/* Statements that may have a SCAN in their plan, and of what. */
static const struct {
    const char *name;
    const char *plan;
} allowed[] = {
    {"JOB_ADD_CHECK", "SCAN CONSTANT ROW"}, /* no table at all */
    {"JOB_COUNT", "SCAN CONSTANT ROW"},
    {"QUOTA_ARTIFACTS", "SCAN u"}, /* the account's files, each once */
};

static bool is_allowed(const char *name, const char *plan)
{
    for (size_t i = 0; i < D7_COUNT(allowed); i++) {
        if (strcmp(allowed[i].name, name) == 0 && strcmp(allowed[i].plan, plan) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned explain(struct store *st, const char *name, const char *text)
{
    char sql[8192];
    assert_true(snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", text) < (int)sizeof(sql));
    sqlite3_stmt *plan = NULL;
    assert_int_equal(sqlite3_prepare_v2(st->db, sql, -1, &plan, NULL), SQLITE_OK);
    unsigned scans = 0;
    while (sqlite3_step(plan) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(plan, 3);
        if (strncmp(line, "SCAN", 4) == 0 && !is_allowed(name, line)) {
            print_message("%s: %s\n", name, line);
            scans++;
        }
    }
    (void)sqlite3_finalize(plan);
    return scans;
}

static void every_statement_finds_its_rows_by_an_index(void **state)
{
    (void)state;
    struct store *st = stores_open("plans", STORE_MIGRATE);
    assert_true(D7_COUNT(statements) == STORE_SQL_COUNT);
    unsigned scans = 0;
    for (size_t i = 0; i < D7_COUNT(statements); i++) {
        scans += explain(st, statements[i].name, statements[i].text);
    }
    assert_int_equal(scans, 0);
    store_close(st);
}

static void every_allowed_scan_is_still_there(void **state)
{
    (void)state;
    struct store *st = stores_open("allowed", STORE_MIGRATE);
    for (size_t i = 0; i < D7_COUNT(allowed); i++) {
        size_t k = 0;
        while (k < D7_COUNT(statements) && strcmp(statements[k].name, allowed[i].name) != 0) {
            k++;
        }
        assert_true(k < D7_COUNT(statements));
        assert_true(explain(st, "nobody", statements[k].text) > 0);
    }
    store_close(st);
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (starts && !isalnum((unsigned char)at[len])) {
            return true;
        }
    }
    return false;
}

static void parameters_are_named_and_nothing_selects_a_star(void **state)
{
    (void)state;
    struct store *st = stores_open("names", STORE_MIGRATE);
    for (size_t i = 0; i < STORE_SQL_COUNT; i++) {
        assert_false(has_word(statements[i].text, "SELECT *"));
        for (int at = 1; at <= sqlite3_bind_parameter_count(st->stmts[i]); at++) {
            const char *name = sqlite3_bind_parameter_name(st->stmts[i], at);
            assert_non_null(name);
            assert_int_equal(name[0], ':');
        }
        if (strstr(statements[i].name, "_LIST")) {
            assert_true(has_word(statements[i].text, "LIMIT :limit"));
        }
    }
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statement_finds_its_rows_by_an_index),
        cmocka_unit_test(every_allowed_scan_is_still_there),
        cmocka_unit_test(parameters_are_named_and_nothing_selects_a_star),
    };
    int failed = cmocka_run_group_tests_name("unit/store/sql", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
