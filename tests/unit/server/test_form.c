/* server/http/form: boundaries as RFC 2046 has them, and forms cut anywhere. */
#include "tests/support/support.h"

#include "engine/base/buf.h"
#include "server/http/form.h"

static void boundaries_are_read_in_every_legal_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *type, *boundary; /* NULL: refused */
    } rows[] = {
        {"multipart/form-data; boundary=B", "B"},
        {"multipart/form-data;boundary=BB", "BB"},
        {"Multipart/Form-Data; charset=utf-8; Boundary=BB", "BB"},
        {"multipart/form-data; BOUNDARY=\"a b:c\" ; x=1", "a b:c"},
        {"multipart/form-data; x-boundary=no; boundary=yes", "yes"},
        {"multipart/form-data; x=\"; boundary=no\"; boundary=yes", "yes"},
        {"multipart/form-data; x=\"\\\"; boundary=no\"; boundary=yes", "yes"},
        {"multipart/form-data; flag; boundary=yes", "yes"},
        {"multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
         "----WebKitFormBoundary7MA4YWxkTrZu0gW"},
        {"multipart/form-data; boundary="
         "1234567890123456789012345678901234567890123456789012345678901234567890",
         "1234567890123456789012345678901234567890123456789012345678901234567890"},
        {"multipart/form-data; boundary="
         "12345678901234567890123456789012345678901234567890123456789012345678901",
         NULL},
        {"multipart/form-data", NULL},
        {"multipart/form-data; boundary=", NULL},
        {"multipart/form-data; boundary=\"\"", NULL},
        {"multipart/form-data; boundary=\"b \"", NULL},
        {"multipart/form-data; boundary=a\"b", NULL},
        {"multipart/form-data; boundary=\"a", NULL},
        {"multipart/form-data; boundary=a@b", NULL},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char boundary[FORM_BOUNDARY_MAX + 1] = "?";
        enum d7_err err = form_boundary(span_of(rows[i].type), boundary);
        if ((err == D7_OK) != (rows[i].boundary != NULL) ||
            (!err && strcmp(boundary, rows[i].boundary) != 0)) {
            fail_msg("%s: %d '%s'", rows[i].type, err, boundary);
        }
    }
}

/* Parts as "[name]content" one after the other. */
static bool begin(void *ctx, struct span name)
{
    buf_printf(ctx, "[%.*s]", (int)name.len, name.ptr);
    return true;
}

static bool data(void *ctx, struct span piece)
{
    buf_append(ctx, piece.ptr, piece.len);
    return true;
}

/* Takes text in pieces of that size; NULL when it is malformed. Static buffer. */
static const char *parts_of(const char *boundary, const char *text, size_t piece, bool *ret_whole)
{
    static char result[1000];
    struct buf seen;
    struct form form;
    buf_init(&seen, sizeof(result) - 1);
    form_init(&form, boundary, &(struct form_receiver){begin, data, &seen});
    struct span rest = span_of(text);
    enum form_step step = FORM_MORE;
    while (rest.len && step == FORM_MORE) {
        size_t len = rest.len < piece ? rest.len : piece;
        step = form_feed(&form, span_make(rest.ptr, len));
        rest.ptr += len;
        rest.len -= len;
    }
    *ret_whole = form_is_whole(&form);
    (void)snprintf(result, sizeof(result), "%s", seen.len ? seen.data : "");
    buf_release(&seen);
    return step == FORM_MORE ? result : NULL;
}

#define HEAD(name) "Content-Disposition: form-data; name=\"" name "\"\r\n\r\n"

static const struct {
    const char *boundary, *text, *parts; /* NULL: malformed */
    bool whole;
} forms[] = {
    {"B", "--B\r\n" HEAD("a") "one\r\n--B\r\n" HEAD("b") "two\r\n--B--\r\n", "[a]one[b]two", true},
    {"xyz", "--xyz\r\n" HEAD("a") "1\r\n--xyz--", "[a]1", true},
    {"xyz", "--xyz\r\n" HEAD("a") "1\r\n--xyz--\r\nepilogue\r\n--xyz\r\nmore", "[a]1", true},
    {"xyz", "preamble\r\n\r\n--xyz\r\n" HEAD("a") "1\r\n--xyz--", "[a]1", true},
    {"xyz", "--xyz \t\r\n" HEAD("a") "1\r\n--xyz--", "[a]1", true},
    {"xyz", "--xyz\r\n" HEAD("a") "\r\n--xyz--", "[a]", true},
    {"xyz", "--xyz\r\n" HEAD("a") "--xyz--", "[a]", true},
    {"xyz", "--xyz\r\n" HEAD("a") "\r\n\r\n--xyz--", "[a]\r\n", true},
    {"xyz", "--xyz\r\n" HEAD("a") "\n\r-\r\r\n-\r\n--xy\r\n--xyz--", "[a]\n\r-\r\r\n-\r\n--xy",
     true},
    {"xyz", "--xyz\r\n" HEAD("a") "--xyy\r\n--xyz--", "[a]--xyy", true},
    {"x",
     "--x\r\ncontent-disposition:FORM-DATA ; filename=\"a;name=no\"; NAME=plain\r\n\r\n1\r\n"
     "--x--",
     "[plain]1", true},
    {"x", "--x\r\nContent-Type: a/b\r\n" HEAD("q\\\"\\\\r") "1\r\n--x--", "[q\"\\r]1", true},
    {"x", "--x\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n--x--", "[]1", true},
    {"x", "--x\r\n\r\n1\r\n--x--", "[]1", true},
    {"x", "--x--", "", true},
    {"x", "", "", false},
    {"x", "nonsense", "", false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--x", "[a]1", false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--x-", "[a]1", false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--x\r\n", "[a]1", false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--xy", NULL, false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--x-y", NULL, false},
    {"x", "--x\r\n" HEAD("a") "1\r\n--x--\r", "[a]1", true},
    {"x", "--x\rx", NULL, false},
};

static void forms_come_apart_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(forms); i++) {
        size_t len = strlen(forms[i].text);
        for (size_t piece = 1; piece <= len + 1; piece++) {
            bool whole = false;
            const char *parts = parts_of(forms[i].boundary, forms[i].text, piece, &whole);
            if (!parts != !forms[i].parts || (parts && strcmp(parts, forms[i].parts) != 0) ||
                whole != forms[i].whole) {
                fail_msg("%s in pieces of %zu: %s whole %d", forms[i].text, piece, parts, whole);
            }
        }
    }
}

static void a_part_header_has_its_limit(void **state)
{
    (void)state;
    char text[FORM_HEAD_MAX + 100] = "--x\r\nA: ";
    bool whole = false;
    memset(text + strlen(text), 'a', FORM_HEAD_MAX);
    assert_null(parts_of("x", text, 100, &whole));
    assert_false(whole);
}

static bool stop(void *ctx, struct span piece)
{
    (void)ctx;
    (void)piece;
    return false;
}

static void the_receiver_can_stop_it(void **state)
{
    (void)state;
    struct form form;
    struct buf seen;
    static const char text[] = "--x\r\n" HEAD("a") "1\r\n--x--";
    buf_init(&seen, 100);
    form_init(&form, "x", &(struct form_receiver){begin, stop, &seen});
    assert_int_equal(form_feed(&form, span_of(text)), FORM_STOPPED);
    form_init(&form, "x", &(struct form_receiver){stop, data, &seen});
    assert_int_equal(form_feed(&form, span_of(text)), FORM_STOPPED);
    buf_release(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundaries_are_read_in_every_legal_spelling),
        cmocka_unit_test(forms_come_apart_however_they_are_cut),
        cmocka_unit_test(a_part_header_has_its_limit),
        cmocka_unit_test(the_receiver_can_stop_it),
    };
    return cmocka_run_group_tests_name("unit/server/form", tests, NULL, NULL);
}
