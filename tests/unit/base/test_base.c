/* engine/base: spans, buffers, clocks, JSON both ways, hashes. */
#include "tests/support/support.h"

#include <errno.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "engine/base/rng.h"

static void integers_are_plain_decimals_within_limits(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "-", "+3", "03", "3.0", " 3", "3 ", "-0", "0x3", "99999999999999999999", "8"};
    int64_t value = -1;
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(span_parse_i64(span_of(bad[i]), 0, 7, &value), D7_ERR_INVALID);
    }
    assert_int_equal(value, -1); /* written on success only */
    assert_int_equal(span_parse_i64(span_of("7"), 0, 7, &value), D7_OK);
    assert_int_equal(value, 7);
    assert_int_equal(span_parse_i64(span_of("-12"), -12, 7, &value), D7_OK);
    assert_int_equal(value, -12);
    assert_int_equal(span_parse_i64(span_of("9223372036854775807"), 0, INT64_MAX, &value), D7_OK);
    assert_int_equal(span_parse_i64(span_of("9223372036854775808"), 0, INT64_MAX, &value),
                     D7_ERR_INVALID);
}

static void labels_refuse_controls_and_malformed_utf8(void **state)
{
    (void)state;
    assert_true(span_is_label(span_of("Gr\xc3\xbc\xc3\x9f Gott"), 1, 80, false));
    static const char *const bad[] = {"",
                                      "a\nb",
                                      "a\x1b[31m",
                                      "\xc0\xaf",
                                      "\xed\xa0\x80",
                                      "\xe2\x80\xae"
                                      "x",
                                      "\xf5\x80\x80\x80",
                                      "\xc3"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_false(span_is_label(span_of(bad[i]), 1, 80, false));
    }
    assert_true(span_is_label(span_of("two\nlines"), 0, 80, true));
}

static void escape_is_bounded_and_printable(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(span_escape(span_of("a\n\x80"), text, sizeof(text)), "a\\x0a\\x80");
    assert_string_equal(span_escape(span_of("0123456789abcdefgh"), text, sizeof(text)),
                        "0123456789ab...");
    assert_string_equal(span_escape(span_of("\x01\x02\x03\x04\x05"), text, sizeof(text)),
                        "\\x01\\x02\\x03...");
}

static void buffer_refuses_growth_over_its_limit_and_keeps_its_bytes(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 8);
    buf_text(&b, "12345678");
    assert_int_equal(b.err, D7_OK);
    buf_char(&b, '9');
    assert_int_equal(b.err, D7_ERR_TOO_LARGE);
    assert_string_equal(b.data, "12345678");
    buf_release(&b);
}

static void printing_into_a_buffer_fits_grows_or_leaves_it_alone(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 200);
    buf_printf(&b, "%s", "");
    assert_int_equal(b.len, 0);
    buf_printf(&b, "%063d", 1); /* what the first 64 bytes hold */
    assert_int_equal(b.len, 63);
    buf_printf(&b, "%d%0100d", 2, 3); /* does not fit: grows */
    assert_int_equal(b.len, 164);
    assert_int_equal(strlen(b.data), 164);
    assert_int_equal(b.data[63], '2');
    assert_int_equal(b.data[163], '3');
    buf_printf(&b, "%036d", 4); /* to the limit */
    assert_int_equal(b.len, 200);
    assert_int_equal(b.err, D7_OK);
    buf_printf(&b, "%d", 5);
    assert_int_equal(b.err, D7_ERR_TOO_LARGE);
    assert_int_equal(strlen(b.data), 200);
    buf_release(&b);
    buf_init(&b, 4); /* the memory is larger than the limit */
    buf_printf(&b, "%d", 12345);
    assert_int_equal(b.err, D7_ERR_TOO_LARGE);
    assert_string_equal(b.data, "");
    buf_release(&b);
}

static void times_round_trip_and_false_dates_are_refused(void **state)
{
    (void)state;
    char text[CLOCK_TEXT_SIZE];
    int64_t back = 0;
    clock_format(1796016331123, text);
    assert_int_equal(clock_parse(span_of(text), &back), D7_OK);
    assert_int_equal(back, 1796016331123);
    clock_format(-1, text);
    assert_string_equal(text, "1970-01-01T00:00:00.000Z");
    clock_format(951825600007, text);
    assert_string_equal(text, "2000-02-29T12:00:00.007Z");
    clock_format(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59.999Z");
    static const char *const bad[] = {
        "2026-02-30T00:00:00.000Z",
        "08/31/2026",
        "2026-13-01T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z",
        "2026-01-01T00:00:00.000",
        "2026-01-01T00:00:00.12Z",
        "2026-01-01 00:00:00.000Z",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.0000Z",
        "2026-01-01T00:00:00.000z",
        "2026-01-01T00:00:60.000Z",
        "2026-01-01T00:00:00,000Z",
        "2025-02-29T00:00:00.000Z",
        "1969-12-31T23:59:59.999Z",
        "2026-01-01T00:00:00+00:00",
        "2026-1-1T00:00:00.00000Z",
        "",
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(clock_parse(span_of(bad[i]), &back), D7_ERR_INVALID);
    }
}

/* A time with anything else in the place of any of its signs is none. */
static void every_sign_of_a_time_counts(void **state)
{
    (void)state;
    static const char good[] = "2026-01-01T00:00:00.000Z";
    for (size_t i = 0; i + 1 < sizeof(good); i++) {
        for (const char *c = "/:x"; *c; c++) {
            char text[sizeof(good)];
            int64_t back = 0;
            memcpy(text, good, sizeof(good));
            if (text[i] == *c) {
                continue;
            }
            text[i] = *c;
            assert_int_equal(clock_parse(span_of(text), &back), D7_ERR_INVALID);
        }
    }
}

static void text_is_utf8_and_labels_have_no_tricks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool utf8, label;
    } all[] = {
        {"plain", true, true},
        {"\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", true, true},
        {"\x1b[31m", true, false},
        {"a\x7f", true, false},
        {"\xc2\x9b", true, false},     /* a control of two bytes */
        {"\xe2\x80\x8e", true, false}, /* left-to-right mark */
        {"a\xd8\x9c", true, false},    /* Arabic letter mark */
        {"\xe2\x80\xa8", true, false}, /* line separator */
        {"\xe2\x80\xae", true, false}, /* right-to-left override */
        {"\xe2\x81\xa6", true, false}, /* isolate */
        {"\xe2\x81\xa5", true, true},
        {"\xe2\x80\xaf", true, true},
        {"\xef\xbb\xbf", true, false}, /* byte order mark */
        {"\xef\xbf\xbe", true, false}, /* no character */
        {"\xc0\x80", false, false},    /* overlong */
        {"\xe0\x80\xaf", false, false},
        {"\xf0\x80\x80\xaf", false, false},
        {"\xed\xa0\x80", false, false}, /* half of a pair */
        {"\xed\xbf\xbf", false, false},
        {"\xf4\x90\x80\x80", false, false}, /* after the last */
        {"\x80", false, false},
        {"\xe2\x82", false, false},
        {"\xff", false, false},
    };
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        assert_int_equal(span_utf8(span_of(all[i].text), NULL), all[i].utf8);
        assert_int_equal(span_is_label(span_of(all[i].text), 1, 80, false), all[i].label);
    }
}

static void text_shows_when_one_character_does(void **state)
{
    (void)state;
    static const char *const empty[] = {
        "",
        " \t\r\n",
        "\xc2\xa0",                     /* no-break space */
        "\xc2\xad",                     /* soft hyphen */
        "\xe1\x85\x9f\xe1\x85\xa0",     /* Hangul fillers */
        "\xe2\x80\x8b \xe2\x80\x8d",    /* zero width */
        "\xe2\x81\xa0\xef\xb8\x8f",     /* word joiner, a selector */
        "\xe2\xa0\x80",                 /* Braille without a dot */
        "\xe3\x80\x80\xe3\x85\xa4",     /* as wide as an ideograph */
        "\xef\xbe\xa0\xf3\xa0\x81\x81", /* half a filler, a tag */
        "\xff",
    };
    static const char *const seen[] = {
        "a", " - ", "\xe2\x80\x8bx", "\xcc\x81", "\xe2\xa0\x81", "\xf0\x9f\x98\x80", "\xe5\xad\x97",
    };
    for (size_t i = 0; i < D7_COUNT(empty); i++) {
        assert_false(span_shows(span_of(empty[i])));
    }
    for (size_t i = 0; i < D7_COUNT(seen); i++) {
        assert_true(span_shows(span_of(seen[i])));
    }
}

static void doubles_are_shortest_and_never_nan(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {86235.1, "86235.1"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {0.0 / 1.0, "0"},
                 {1e308 * 10, "null"},
                 {5763.2412109375, "5763.2412109375"},
                 {100.0, "100"},
                 {-0.1, "-0.1"},
                 {-86235.5, "-86235.5"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {0.05, "0.05"},
                 {9999999999999.9, "9999999999999.9"},
                 {12345678901234.5, "12345678901234.5"},
                 {-0.0, "-0"}};
    char text[32];
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        double_format(cases[i].value, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
    for (int tenths = -5000; tenths <= 5000; tenths++) { /* as the long way prints them */
        char want[32];
        (void)snprintf(want, sizeof(want), "%.15g", tenths / 10.0);
        double_format(tenths / 10.0, text, sizeof(text));
        assert_string_equal(text, want);
    }
}

static void json_strings_are_escaped_and_repaired(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1000);
    struct jout j;
    jout_init(&j, &b);
    jout_object(&j);
    jout_key(&j, "a");
    jout_text(&j, "q\"\\\n\x01\x7f\xff</\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa");
    jout_kv_int(&j, "b", INT64_MIN);
    jout_key(&j, "c");
    jout_array(&j);
    jout_bool(&j, true);
    jout_null(&j);
    jout_array_end(&j);
    jout_object_end(&j);
    assert_string_equal(b.data, "{\"a\":\"q\\\"\\\\\\n\\u0001\\u007f\xef\xbf\xbd</"
                                "\\u2028\\u2029\xe2\x80\xaa\",\"b\":-9223372036854775808,"
                                "\"c\":[true,null]}");
    struct jval *root = NULL;
    assert_int_equal(jval_parse(buf_span(&b), &root, NULL), D7_OK);
    jval_free(root);
    buf_release(&b);
}

static void json_refuses_duplicates_depth_and_rubbish(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "{", "{\"a\":1,\"a\":2}", "[1]x", "\"\\u0000\"", "nul"};
    struct jval *root = NULL;
    struct d7_why why;
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(jval_parse(span_of(bad[i]), &root, &why), D7_ERR_SYNTAX);
        assert_true(why.text[0] != '\0');
    }
    char deep[200];
    memset(deep, '[', 33);
    memset(deep + 33, ']', 33);
    assert_int_equal(jval_parse(span_make(deep, 66), &root, &why), D7_ERR_SYNTAX);
    assert_int_equal(jval_parse(span_make(deep + 1, 64), &root, &why), D7_OK);
    jval_free(root);
}

static void json_faults_are_told_in_our_words_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *told;
    } rows[] = {
        {"{\"a\":\n\"a\\u0000b\"}", "not JSON: line 2, column 10: a string holds \\u0000"},
        {"{\"a\\u0000\":1}", "not JSON: line 1, column 10: a key holds \\u0000"},
        {"\"\\ud800\"", "not JSON: line 1, column 8: a string holds half of a surrogate pair"},
        {"\"\\ud800\\u0041\"",
         "not JSON: line 1, column 14: a string holds half of a surrogate pair"},
        {"\"\\x\"", "not JSON: line 1, column 3: a string holds an unknown escape"},
        {"\"\t\"", "not JSON: line 1, column 1: a string holds a control character"},
        {"\"\n\"", "not JSON: line 1, column 1: a string holds a line end"},
        {"\"\xff\"", "not JSON: line 1, column 1: the text is not UTF-8"},
        {"{\"a\":1,\"a\":2}", "not JSON: line 1, column 10: a key comes twice in one object: 'a'"},
        {"1e999", "not JSON: line 1, column 5: a number is too large"},
        {"1 2", "not JSON: line 1, column 3: something follows the value"},
        {"[1", "not JSON: line 1, column 2: the text ends too early"},
        {"[1,]", "not JSON: line 1, column 4: something here does not belong in JSON"},
        {"'a'", "not JSON: line 1, column 1: something here does not belong in JSON"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct jval *root = NULL;
        struct d7_why why = {{0}, {0}};
        assert_int_equal(jval_parse(span_of(rows[i].text), &root, &why), D7_ERR_SYNTAX);
        assert_string_equal(why.text, rows[i].told);
    }
}

static void numbers_of_the_kernel_have_their_own_errors(void **state)
{
    (void)state;
    static const struct {
        int number;
        enum d7_err err;
    } all[] = {
        {0, D7_OK},
        {ENOMEM, D7_ERR_NOMEM},
        {ENOENT, D7_ERR_NOT_FOUND},
        {ENOTDIR, D7_ERR_NOT_FOUND},
        {ENOSPC, D7_ERR_FULL},
        {EDQUOT, D7_ERR_FULL},
        {EFBIG, D7_ERR_FULL},
        {EEXIST, D7_ERR_CONFLICT},
        {EACCES, D7_ERR_FORBIDDEN},
        {EPERM, D7_ERR_FORBIDDEN},
        {EROFS, D7_ERR_FORBIDDEN},
        {EAGAIN, D7_ERR_BUSY},
        {EBUSY, D7_ERR_BUSY},
        {ETIMEDOUT, D7_ERR_TIMEOUT},
        {EPIPE, D7_ERR_CLOSED},
        {ECONNRESET, D7_ERR_CLOSED},
        {EIO, D7_ERR_IO},
        {EMFILE, D7_ERR_IO},
    };
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        assert_int_equal(d7_err_from_errno(all[i].number), all[i].err);
    }
    assert_string_equal(d7_err_text((enum d7_err)9999), "unknown error");
}

static void seeds_are_decimal_or_hexadecimal_in_either_case(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value; /* -1: refused */
    } all[] = {{"0xdeadBEEF", 0xdeadbeef},
               {"0Xaf", 0xaf},
               {"0x0", 0},
               {"7", 7},
               {"4294967295", UINT32_MAX},
               {"0x", -1},
               {"0xg", -1},
               {"0x123456789", -1},
               {"4294967296", -1},
               {"-1", -1},
               {"0x5eed :", -1},
               {"", -1},
               {"0xF/", -1},
               {"0x@", -1},
               {"0x`", -1}};
    for (size_t i = 0; i < D7_COUNT(all); i++) {
        uint32_t value = 1;
        enum d7_err err = span_parse_seed(span_of(all[i].text), &value);
        assert_int_equal(err == D7_OK, all[i].value >= 0);
        if (!err) {
            assert_int_equal(value, all[i].value);
        }
    }
}

/* A document that lacks a member, or has another kind of it, is asked like any other. */
static void json_asked_for_what_it_is_not_says_no(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,2.5,true,\"x\",null,{}],\"b\":false}";
    struct jval *root = NULL;
    struct span s;
    int64_t i;
    double d;
    bool b;
    assert_int_equal(jval_parse(span_of(text), &root, NULL), D7_OK);
    const struct jval *list = jval_get(root, "a");
    assert_int_equal(jval_length(list), 6);
    for (size_t k = 0; k <= 6; k++) { /* the last: none there */
        const struct jval *v = jval_at(list, k);
        assert_int_equal(jval_integer(v, &i), k == 0);
        assert_int_equal(jval_number(v, &d), k <= 1);
        assert_int_equal(jval_bool(v, &b), k == 2);
        assert_int_equal(jval_text(v, &s), k == 3);
        assert_null(jval_get(v, "a"));
        assert_int_equal(jval_length(v), 0);
    }
    assert_true(jval_bool(jval_get(root, "b"), &b) && !b);
    assert_null(jval_at(NULL, 0));
    jval_free(root);
}

static void generator_and_mixers_match_the_published_values(void **state)
{
    (void)state;
    struct rng r = {0};
    assert_int_equal(rng_next(&r), 0x4434b462u);
    assert_int_equal(rng_next(&r), 0x00159c37u);
    assert_int_equal(rng_next(&r), 0x39285b08u);
    r.state = 0xffffffffu;
    assert_int_equal(rng_next(&r), 0xe57bf3d3u);
    assert_int_equal(mix32(0xdeadbeefu), 0xe628c683u);
    uint32_t h = FNV_START;
    for (const char *p = "mcts"; *p; p++) {
        h = fnv_step(h, (uint8_t)*p);
    }
    assert_int_equal(h, 0xc2e36c54u);
}

static void sha256_matches_fips_180(void **state)
{
    (void)state;
    char hex[SHA_HEX_SIZE];
    sha_of(span_of("abc"), hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(secret_equal(span_of("abc"), span_of("abc")));
    assert_false(secret_equal(span_of("abc"), span_of("abd")));
}

static void a_failed_file_write_leaves_nothing(void **state)
{
    (void)state;
    char path[600];
    const char *folder = support_scratch();
    (void)snprintf(path, sizeof(path), "%s/x", folder);
    assert_int_equal(file_write(path, span_of("hello"), 0600), D7_OK);
    struct buf b;
    buf_init(&b, 100);
    assert_int_equal(file_read(path, &b), D7_OK);
    assert_string_equal(b.data, "hello");
    buf_release(&b);
    (void)snprintf(path, sizeof(path), "%s/missing/x", folder);
    assert_int_equal(file_write(path, span_of("hello"), 0600), D7_ERR_NOT_FOUND);
    support_scratch_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_plain_decimals_within_limits),
        cmocka_unit_test(labels_refuse_controls_and_malformed_utf8),
        cmocka_unit_test(escape_is_bounded_and_printable),
        cmocka_unit_test(buffer_refuses_growth_over_its_limit_and_keeps_its_bytes),
        cmocka_unit_test(printing_into_a_buffer_fits_grows_or_leaves_it_alone),
        cmocka_unit_test(times_round_trip_and_false_dates_are_refused),
        cmocka_unit_test(every_sign_of_a_time_counts),
        cmocka_unit_test(text_is_utf8_and_labels_have_no_tricks),
        cmocka_unit_test(text_shows_when_one_character_does),
        cmocka_unit_test(doubles_are_shortest_and_never_nan),
        cmocka_unit_test(json_strings_are_escaped_and_repaired),
        cmocka_unit_test(json_refuses_duplicates_depth_and_rubbish),
        cmocka_unit_test(json_faults_are_told_in_our_words_with_their_place),
        cmocka_unit_test(numbers_of_the_kernel_have_their_own_errors),
        cmocka_unit_test(seeds_are_decimal_or_hexadecimal_in_either_case),
        cmocka_unit_test(json_asked_for_what_it_is_not_says_no),
        cmocka_unit_test(generator_and_mixers_match_the_published_values),
        cmocka_unit_test(sha256_matches_fips_180),
        cmocka_unit_test(a_failed_file_write_leaves_nothing),
    };
    return cmocka_run_group_tests_name("unit/base", tests, NULL, NULL);
}
