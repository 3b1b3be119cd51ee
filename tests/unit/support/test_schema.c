/* The schema validator itself: each keyword must be able to say no. */
#include "tests/support/schema.h"
#include "tests/support/support.h"

struct row {
    const char *schema, *value;
    bool fits;
};

/* `part` is what references in the rows mean. */
#define PARTS                                                                                      \
    "\"part\":{\"type\":\"integer\",\"minimum\":3},\"a/b\":{\"type\":\"null\"},"                   \
    "\"round\":{\"type\":\"object\",\"properties\":{\"next\":{\"oneOf\":[{\"$ref\":\"#/"           \
    "round\"},{\"type\":\"null\"}]}}}"

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buf text, why;
        buf_init(&text, 4096);
        buf_init(&why, 4096);
        buf_printf(&text, "{" PARTS ",\"s\":%s}", rows[i].schema);
        struct json_t *document = schema_load(buf_span(&text), &why);
        if (!document) {
            fail_msg("row %zu: %s", i, why.data);
        }
        bool fits = schema_fits_text(document, schema_resolve(document, "#/s"),
                                     span_of(rows[i].value), &why);
        if (fits != rows[i].fits || fits != (why.len == 0)) {
            fail_msg("row %zu: %s of %s: %s", i, rows[i].value, rows[i].schema,
                     why.len ? why.data : "fits");
        }
        schema_free(document);
        buf_release(&text);
        buf_release(&why);
    }
}

static void types_are_told_apart(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"type\":\"integer\"}", "1", true},
        {"{\"type\":\"integer\"}", "1.5", false},
        {"{\"type\":\"number\"}", "1", true},
        {"{\"type\":\"number\"}", "\"1\"", false},
        {"{\"type\":\"string\"}", "\"\"", true},
        {"{\"type\":\"string\"}", "null", false},
        {"{\"type\":\"boolean\"}", "false", true},
        {"{\"type\":\"boolean\"}", "0", false},
        {"{\"type\":\"array\"}", "{}", false},
        {"{\"type\":\"object\"}", "[]", false},
        {"{\"type\":[\"string\",\"null\"]}", "null", true},
        {"{\"type\":[\"string\",\"null\"]}", "7", false},
        {"{\"type\":\"text\"}", "\"\"", false},
    };
    check(rows, D7_COUNT(rows));
}

static void bounds_and_patterns_hold(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"minimum\":1,\"maximum\":7}", "1", true},
        {"{\"minimum\":1,\"maximum\":7}", "0", false},
        {"{\"minimum\":1,\"maximum\":7}", "7.5", false},
        {"{\"minLength\":1,\"maxLength\":2}", "\"\xc3\xa4\xc3\xa4\"", true},
        {"{\"minLength\":1,\"maxLength\":2}", "\"\"", false},
        {"{\"minLength\":1,\"maxLength\":2}", "\"abc\"", false},
        {"{\"pattern\":\"^[0-9]{3}$\"}", "\"123\"", true},
        {"{\"pattern\":\"^[0-9]{3}$\"}", "\"1234\"", false},
        {"{\"pattern\":\"(\"}", "\"1\"", false},
        {"{\"enum\":[\"a\",null]}", "null", true},
        {"{\"enum\":[\"a\",null]}", "\"b\"", false},
        {"{\"const\":true}", "true", true},
        {"{\"const\":true}", "1", false},
    };
    check(rows, D7_COUNT(rows));
}

static void members_and_elements_are_looked_into(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":null}", true},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":1}", false},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":null,\"b\":1}", false},
        {"{\"properties\":{},\"additionalProperties\":true}", "{\"b\":1}", true},
        {"{\"properties\":{},\"additionalProperties\":false}", "{\"b\":1}", false},
        {"{\"additionalProperties\":{\"minimum\":1}}", "{\"b\":1}", true},
        {"{\"additionalProperties\":{\"minimum\":1}}", "{\"b\":0}", false},
        {"{\"required\":[\"a\"]}", "{\"a\":1}", true},
        {"{\"required\":[\"a\"]}", "{}", false},
        {"{\"items\":{\"minimum\":1}}", "[1,2]", true},
        {"{\"items\":{\"minimum\":1}}", "[1,0]", false},
        {"{\"minItems\":1,\"maxItems\":2}", "[1]", true},
        {"{\"minItems\":1,\"maxItems\":2}", "[]", false},
        {"{\"minItems\":1,\"maxItems\":2}", "[1,2,3]", false},
    };
    check(rows, D7_COUNT(rows));
}

static void references_and_choices_are_followed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"$ref\":\"#/part\"}", "3", true},
        {"{\"$ref\":\"#/part\"}", "2", false},
        {"{\"$ref\":\"#/a~1b\"}", "null", true},
        {"{\"$ref\":\"#/none\"}", "3", false},
        {"{\"$ref\":\"other.json#/part\"}", "3", false},
        {"{\"$ref\":\"#/round\"}", "{\"next\":{\"next\":null}}", true},
        {"{\"$ref\":\"#/round\"}", "{\"next\":{\"next\":1}}", false},
        {"{\"$ref\":\"#/s\"}", "1", false},
        {"{\"oneOf\":[{\"minimum\":3},{\"maximum\":5}]}", "2", true},
        {"{\"oneOf\":[{\"minimum\":3},{\"maximum\":5}]}", "4", false},
        {"{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}", "4", false},
        {"{\"anyOf\":[{\"minimum\":3},{\"maximum\":5}]}", "4", true},
        {"{\"anyOf\":[{\"minimum\":5},{\"maximum\":3}]}", "4", false},
    };
    check(rows, D7_COUNT(rows));
}

static void what_is_not_understood_fails(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"multipleOf\":2}", "4", false},
        {"true", "4", false},
        {"{\"description\":\"words\",\"format\":\"uri\"}", "4", true},
        {"{}", "{\"a\":1,\"a\":2}", false},
        {"{}", "nothing", false},
    };
    check(rows, D7_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_told_apart),
        cmocka_unit_test(bounds_and_patterns_hold),
        cmocka_unit_test(members_and_elements_are_looked_into),
        cmocka_unit_test(references_and_choices_are_followed),
        cmocka_unit_test(what_is_not_understood_fails),
    };
    return cmocka_run_group_tests_name("support/schema", tests, NULL, NULL);
}
