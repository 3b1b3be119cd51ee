#include "engine/base/jsonout.h"

#include <float.h>
#include <math.h>

#include "engine/base/clock.h"

void jout_init(struct jout *j, struct buf *to)
{
    *j = (struct jout){.to = to};
}

static void before_value(struct jout *j)
{
    if (j->after_key) {
        j->after_key = false;
    } else if (j->need_comma) {
        buf_char(j->to, ',');
    }
    j->need_comma = true;
}

static void open_group(struct jout *j, char mark)
{
    before_value(j);
    buf_char(j->to, mark);
    j->depth++;
    j->need_comma = false;
}

static void close_group(struct jout *j, char mark)
{
    D7_CHECK(j->depth > 0 && !j->after_key);
    buf_char(j->to, mark);
    j->depth--;
    j->need_comma = true;
}

void jout_object(struct jout *j)
{
    open_group(j, '{');
}

void jout_object_end(struct jout *j)
{
    close_group(j, '}');
}

void jout_array(struct jout *j)
{
    open_group(j, '[');
}

void jout_array_end(struct jout *j)
{
    close_group(j, ']');
}

void jout_key(struct jout *j, const char *key)
{
    D7_CHECK(!j->after_key);
    before_value(j);
    buf_char(j->to, '"');
    buf_text(j->to, key);
    buf_append(j->to, "\":", 2);
    j->after_key = true;
}

/* Length of the well-formed UTF-8 sequence at the start of text, 0 if malformed. */
static size_t sequence_len(struct span text)
{
    uint8_t first = (uint8_t)text.ptr[0];
    size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (text.len < size || !span_utf8(span_make(text.ptr, size), NULL)) {
        return 0;
    }
    return size;
}

static bool write_escape(struct buf *to, struct span at, size_t used)
{
    uint8_t c = (uint8_t)at.ptr[0];
    if (used == 0) {
        buf_text(to, "\xef\xbf\xbd");
    } else if (c == '"' || c == '\\') {
        buf_char(to, '\\');
        buf_char(to, (char)c);
    } else if (c == '\n') {
        buf_text(to, "\\n");
    } else if (c < 0x20 || c == 0x7f) {
        buf_printf(to, "\\u%04x", c);
    } else if (used == 3 && memcmp(at.ptr, "\xe2\x80\xa8", 3) == 0) {
        buf_text(to, "\\u2028");
    } else if (used == 3 && memcmp(at.ptr, "\xe2\x80\xa9", 3) == 0) {
        buf_text(to, "\\u2029");
    } else {
        return false;
    }
    return true;
}

void jout_span(struct jout *j, struct span text)
{
    if (!text.ptr) {
        jout_null(j);
        return;
    }
    before_value(j);
    buf_char(j->to, '"');
    size_t plain = 0; /* start of the stretch not yet copied */
    size_t at = 0;
    while (at < text.len) {
        struct span rest = span_make(text.ptr + at, text.len - at);
        uint8_t c = (uint8_t)rest.ptr[0];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            at++;
            continue;
        }
        size_t used = sequence_len(rest);
        buf_append(j->to, text.ptr + plain, at - plain);
        if (!write_escape(j->to, rest, used)) {
            buf_append(j->to, rest.ptr, used);
        }
        at += used ? used : 1;
        plain = at;
    }
    buf_append(j->to, text.ptr + plain, at - plain);
    buf_char(j->to, '"');
}

void jout_text(struct jout *j, const char *text)
{
    jout_span(j, span_of(text));
}

void jout_int(struct jout *j, int64_t value)
{
    before_value(j);
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) {
        digits[--at] = '-';
    }
    buf_append(j->to, digits + at, sizeof(digits) - at);
}

/* One that %.15g prints as an integer; -0 keeps its sign by the long way. */
static bool is_short_integer(double value)
{
    return fabs(value) < 1e15 && !(value < trunc(value)) && !(value > trunc(value)) &&
           !(value <= 0 && signbit(value) && value >= 0);
}

/* One decimal is the most common fraction: the division rounds as strtod(3) would, so that equal
 * means that these digits read back. */
static bool format_tenths(double value, char *ret_text)
{
    if (!(fabs(value) < 1e13)) {
        return false;
    }
    long long tenths = llround(value * 10);
    double back = (double)tenths / 10;
    if (tenths == 0 || back < value || back > value) {
        return false;
    }
    unsigned long long size =
        tenths < 0 ? 0ull - (unsigned long long)tenths : (unsigned long long)tenths;
    (void)snprintf(ret_text, 32, "%s%llu.%llu", tenths < 0 ? "-" : "", size / 10, size % 10);
    return true;
}

void double_format(double value, char *ret_text, size_t size)
{
    D7_CHECK(size >= 32);
    if (is_short_integer(value)) {
        (void)snprintf(ret_text, size, "%lld", (long long)value); /* fits: 15 digits and a sign */
        return;
    }
    if (format_tenths(value, ret_text)) {
        return;
    }
    char text[400] =
        "null"; /* %g needs 24 bytes at most here; the compiler only knows the general bound */
    /* 15 digits always survive text -> double -> text, so a shorter form shows there already (%g
     * drops zeros); 17 always read back. Subnormals carry fewer digits. */
    int precision = fabs(value) < DBL_MIN ? 1 : 15;
    for (bool same = !isfinite(value); !same && precision <= 17; precision++) {
        (void)snprintf(text, sizeof(text), "%.*g", precision, value);
        double back = strtod(text, NULL);
        same = !(back < value) && !(back > value);
    }
    D7_CHECK(!span_copy(span_of(text), ret_text, size));
}

void jout_double(struct jout *j, double value)
{
    char text[32];
    double_format(value, text, sizeof(text));
    before_value(j);
    buf_text(j->to, text);
}

void jout_bool(struct jout *j, bool value)
{
    before_value(j);
    buf_text(j->to, value ? "true" : "false");
}

void jout_null(struct jout *j)
{
    before_value(j);
    buf_text(j->to, "null");
}

void jout_time(struct jout *j, int64_t utc_ms)
{
    if (utc_ms < 0) {
        jout_null(j);
        return;
    }
    char text[CLOCK_TEXT_SIZE];
    clock_format(utc_ms, text);
    jout_text(j, text);
}

void jout_raw(struct jout *j, struct span json)
{
    before_value(j);
    buf_append(j->to, json.ptr, json.len);
}

void jout_kv_text(struct jout *j, const char *key, const char *text)
{
    jout_key(j, key);
    jout_text(j, text);
}

void jout_kv_int(struct jout *j, const char *key, int64_t value)
{
    jout_key(j, key);
    jout_int(j, value);
}

void jout_kv_double(struct jout *j, const char *key, double value)
{
    jout_key(j, key);
    jout_double(j, value);
}

void jout_kv_bool(struct jout *j, const char *key, bool value)
{
    jout_key(j, key);
    jout_bool(j, value);
}

void jout_kv_null(struct jout *j, const char *key)
{
    jout_key(j, key);
    jout_null(j);
}

void jout_kv_time(struct jout *j, const char *key, int64_t utc_ms)
{
    jout_key(j, key);
    jout_time(j, utc_ms);
}
