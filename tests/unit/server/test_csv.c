/* server/api: cells of CSV against RFC 4180 and the rule for formulas. */
#include "tests/support/support.h"

#include "server/api/csv.h"

static void text_is_quoted_where_rfc_4180_says_and_never_a_formula(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cell;
    } cases[] = {
        {"plain", "plain"},
        {"", ""},
        {"two words", "two words"},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"\"", "\"\"\"\""},
        {"line\nbreak", "\"line\nbreak\""},
        {"line\r\nbreak", "\"line\r\nbreak\""},
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@cell", "'@cell"},
        {"=A1,B1", "\"'=A1,B1\""},
        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"a=b", "a=b"},
        {"'quoted", "'quoted"},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        struct buf text;
        buf_init(&text, 200);
        struct csv c = {.to = &text};
        csv_text(&c, cases[i].text);
        csv_end(&c);
        char line[60];
        (void)snprintf(line, sizeof(line), "%s\r\n", cases[i].cell);
        assert_string_equal(text.data, line);
        buf_release(&text);
    }
}

static void lines_have_commas_between_cells_and_end_in_crlf(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 200);
    struct csv c = {.to = &text};
    csv_text(&c, "a");
    csv_int(&c, -5); /* a number is no text */
    csv_null(&c);
    csv_double(&c, 86235.1);
    csv_null(&c);
    csv_end(&c);
    csv_null(&c);
    csv_null(&c);
    csv_end(&c);
    assert_string_equal(text.data, "a,-5,,86235.1,\r\n,\r\n");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_quoted_where_rfc_4180_says_and_never_a_formula),
        cmocka_unit_test(lines_have_commas_between_cells_and_end_in_crlf),
    };
    return cmocka_run_group_tests_name("unit/server/csv", tests, NULL, NULL);
}
