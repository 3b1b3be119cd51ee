#include "engine/base/span.h"

bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool span_is(struct span a, const char *text)
{
    return span_equal(a, span_of(text));
}

bool span_starts(struct span a, const char *prefix)
{
    size_t n = strlen(prefix);
    return a.len >= n && (n == 0 || memcmp(a.ptr, prefix, n) == 0);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span a)
{
    while (a.len && (is_blank(a.ptr[0]) || a.ptr[0] == '\n')) {
        a.ptr++;
        a.len--;
    }
    while (a.len && (is_blank(a.ptr[a.len - 1]) || a.ptr[a.len - 1] == '\n')) {
        a.len--;
    }
    return a;
}

struct span span_token(struct span *rest)
{
    size_t from = 0;
    while (from < rest->len && is_blank(rest->ptr[from])) {
        from++;
    }
    size_t to = from;
    while (to < rest->len && !is_blank(rest->ptr[to])) {
        to++;
    }
    struct span token = {rest->ptr ? rest->ptr + from : NULL, to - from};
    if (rest->ptr) {
        rest->ptr += to;
    }
    rest->len -= to;
    return token;
}

struct span span_cut(struct span *rest, char mark)
{
    const char *at = rest->len ? memchr(rest->ptr, mark, rest->len) : NULL;
    struct span part = {rest->ptr, at ? (size_t)(at - rest->ptr) : rest->len};
    size_t used = at ? part.len + 1 : part.len;
    if (rest->ptr) {
        rest->ptr += used;
    }
    rest->len -= used;
    return part;
}

enum d7_err span_parse_i64(struct span text, int64_t lo, int64_t hi, int64_t *ret_value)
{
    bool minus = text.len > 0 && text.ptr[0] == '-';
    size_t at = minus ? 1 : 0;
    size_t digits = text.len - at;
    if (digits == 0 || digits > 19 || (text.ptr[at] == '0' && (digits > 1 || minus))) {
        return D7_ERR_INVALID;
    }
    uint64_t value = 0; /* 19 digits stay under 10^19 < 2^64 */
    for (; at < text.len; at++) {
        if (text.ptr[at] < '0' || text.ptr[at] > '9') {
            return D7_ERR_INVALID;
        }
        value = value * 10 + (uint64_t)(text.ptr[at] - '0');
    }
    if (value > (uint64_t)INT64_MAX) {
        return D7_ERR_INVALID;
    }
    int64_t number = minus ? -(int64_t)value : (int64_t)value;
    if (number < lo || number > hi) {
        return D7_ERR_INVALID;
    }
    *ret_value = number;
    return D7_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

enum d7_err span_parse_seed(struct span text, uint32_t *ret_value)
{
    if (span_starts(text, "0x") || span_starts(text, "0X")) {
        if (text.len < 3 || text.len > 10) {
            return D7_ERR_INVALID;
        }
        uint32_t value = 0;
        for (size_t i = 2; i < text.len; i++) {
            int digit = hex_digit(text.ptr[i]);
            if (digit < 0) {
                return D7_ERR_INVALID;
            }
            value = value << 4 | (uint32_t)digit;
        }
        *ret_value = value;
        return D7_OK;
    }
    int64_t number = 0;
    enum d7_err err = span_parse_i64(text, 0, UINT32_MAX, &number);
    if (!err) {
        *ret_value = (uint32_t)number;
    }
    return err;
}

enum d7_err span_copy(struct span text, char *ret_to, size_t size)
{
    if (text.len >= size) {
        return D7_ERR_TOO_LARGE;
    }
    if (text.len && memchr(text.ptr, '\0', text.len)) {
        return D7_ERR_INVALID;
    }
    if (text.len) {
        memcpy(ret_to, text.ptr, text.len);
    }
    ret_to[text.len] = '\0';
    return D7_OK;
}

/* Decodes one code point at text.ptr[at]; 0 bytes used means malformed. RFC 3629, table 3-7 of the
 * Unicode standard. */
static size_t utf8_decode(struct span text, size_t at, uint32_t *ret_point)
{
    const uint8_t *p = (const uint8_t *)text.ptr + at;
    size_t left = text.len - at;
    if (p[0] < 0x80) {
        *ret_point = p[0];
        return 1;
    }
    size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < size) {
        return 0;
    }
    uint32_t point = p[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
        point = point << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < least[size] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
        return 0;
    }
    *ret_point = point;
    return size;
}

bool span_utf8(struct span text, size_t *ret_points)
{
    size_t points = 0;
    for (size_t at = 0; at < text.len; points++) {
        uint32_t point = 0;
        size_t used = utf8_decode(text, at, &point);
        if (used == 0) {
            return false;
        }
        at += used;
    }
    if (ret_points) {
        *ret_points = points;
    }
    return true;
}

static bool is_hidden_point(uint32_t p)
{
    return p < 0x20 || (p >= 0x7f && p <= 0x9f) || p == 0x61c || (p >= 0x200e && p <= 0x200f) ||
           (p >= 0x2028 && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069) || p == 0xfeff ||
           (p & 0xfffe) == 0xfffe;
}

bool span_is_label(struct span text, size_t lo, size_t hi, bool lines)
{
    size_t points = 0;
    for (size_t at = 0; at < text.len; points++) {
        uint32_t point = 0;
        size_t used = utf8_decode(text, at, &point);
        if (used == 0) {
            return false;
        }
        if (is_hidden_point(point) && !(lines && (point == '\n' || point == '\t'))) {
            return false;
        }
        at += used;
    }
    return points >= lo && points <= hi;
}

/* Unicode's White_Space and Default_Ignorable_Code_Point, the controls, and the Braille pattern
 * without a dot. */
static bool leaves_no_trace(uint32_t p)
{
    static const uint32_t ranges[][2] = {
        {0x0, 0x20},        {0x7f, 0xa0},       {0xad, 0xad},     {0x34f, 0x34f},
        {0x61c, 0x61c},     {0x115f, 0x1160},   {0x1680, 0x1680}, {0x17b4, 0x17b5},
        {0x180b, 0x180f},   {0x2000, 0x200f},   {0x2028, 0x202f}, {0x205f, 0x206f},
        {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164}, {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < D7_COUNT(ranges); i++) {
        if (p >= ranges[i][0] && p <= ranges[i][1]) {
            return true;
        }
    }
    return (p & 0xfffe) == 0xfffe;
}

bool span_shows(struct span text)
{
    uint32_t point = 0;
    size_t used = 0;
    for (size_t at = 0; at < text.len; at += used) {
        used = utf8_decode(text, at, &point);
        if (used == 0) {
            return false;
        }
        if (!leaves_no_trace(point)) {
            return true;
        }
    }
    return false;
}

bool span_is_name(struct span text)
{
    return span_is_label(text, 1, 80, false) && span_shows(text);
}

bool span_is_slug(struct span text, size_t lo, size_t hi, bool first_letter)
{
    if (text.len < lo || text.len > hi || text.len == 0 || text.ptr[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = c >= 'a' && c <= 'z';
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '-') {
            return false;
        }
        if (i == 0 && first_letter && !letter) {
            return false;
        }
    }
    return true;
}

char *span_escape(struct span text, char *to, size_t size)
{
    D7_CHECK(size >= 8);
    static const char hex[] = "0123456789abcdef";
    size_t out = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.ptr[i];
        bool plain = c >= 0x20 && c < 0x7f && c != '\\';
        size_t need = plain ? 1 : 4;
        size_t spare = i + 1 == text.len ? 1 : 4; /* room for "..." unless this is the last */
        if (out + need + spare > size) {
            memcpy(to + out, "...", 3);
            out += 3;
            break;
        }
        if (plain) {
            to[out] = (char)c;
        } else {
            to[out] = '\\';
            to[out + 1] = 'x';
            to[out + 2] = hex[c >> 4];
            to[out + 3] = hex[c & 15];
        }
        out += need;
    }
    to[out] = '\0';
    return to;
}
