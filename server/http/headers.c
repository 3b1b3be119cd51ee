#include "server/http/headers.h"

#include <strings.h>

#define LENGTH_DIGITS_MAX 18 /* fit in an int64_t */

static bool same_word(struct span a, const char *word)
{
    return a.len == strlen(word) && strncasecmp(a.ptr, word, a.len) == 0;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool made_of(struct span text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_alnum(text.ptr[i]) && (text.ptr[i] == '\0' || !strchr(others, text.ptr[i]))) {
            return false;
        }
    }
    return true;
}

enum d7_err bearer_parse(struct span header, struct span *ret_token)
{
    struct span rest = span_trim(header);
    struct span scheme = span_cut(&rest, ' ');
    struct span token = span_trim(rest);
    if (!same_word(scheme, "Bearer") || token.len > BEARER_MAX) {
        return D7_ERR_UNAUTHORIZED;
    }
    struct span body = token;
    while (body.len && body.ptr[body.len - 1] == '=') {
        body.len--;
    }
    if (body.len == 0 || !made_of(body, "-._~+/")) {
        return D7_ERR_UNAUTHORIZED;
    }
    *ret_token = token;
    return D7_OK;
}

enum d7_err content_length_parse(struct span header, int64_t *ret)
{
    struct span text = span_trim(header);
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return D7_ERR_INVALID;
        }
        value = i < LENGTH_DIGITS_MAX ? value * 10 + (text.ptr[i] - '0') : 0;
    }
    if (text.len == 0 || text.len > LENGTH_DIGITS_MAX) {
        return text.len ? D7_ERR_TOO_LARGE : D7_ERR_INVALID;
    }
    *ret = value;
    return D7_OK;
}

/* Nothing, or a colon and perhaps a number. */
static bool is_port(struct span text)
{
    int64_t number = 0;
    return text.len == 0 ||
           (text.ptr[0] == ':' &&
            (text.len == 1 ||
             !span_parse_i64(span_make(text.ptr + 1, text.len - 1), 0, 65535, &number)));
}

bool host_is_sound(struct span header)
{
    struct span rest = span_trim(header);
    bool in_brackets = rest.len && rest.ptr[0] == '[';
    const char *end = rest.len ? memchr(rest.ptr, in_brackets ? ']' : ':', rest.len) : NULL;
    size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
    if (!in_brackets) {
        return made_of(span_make(rest.ptr, len), "-._~%!$&'()*+,;=") &&
               is_port(span_make(rest.ptr + len, rest.len - len));
    }
    struct ip_address address;
    return end && !ip_parse(span_make(rest.ptr + 1, len - 1), &address) && address.v6 &&
           is_port(span_make(end + 1, rest.len - len - 1));
}

bool media_is(struct span content_type, const char *want)
{
    return same_word(span_trim(span_cut(&content_type, ';')), want);
}

/* Up to the next semicolon that is not inside quotes, cut from *rest together with it. */
static struct span cut_parameter(struct span *rest)
{
    bool quoted = false;
    size_t at = 0;
    while (at < rest->len && (quoted || rest->ptr[at] != ';')) {
        if (rest->ptr[at] == '"') {
            quoted = !quoted;
        } else if (quoted && rest->ptr[at] == '\\') {
            at++;
        }
        at++;
    }
    at = at < rest->len ? at : rest->len;
    struct span one = {rest->ptr, at};
    at += at < rest->len ? 1 : 0;
    rest->ptr += at;
    rest->len -= at;
    return one;
}

bool media_parameter(struct span content_type, const char *name, struct span *ret)
{
    (void)span_cut(&content_type, ';');
    while (content_type.len) {
        struct span value = cut_parameter(&content_type);
        struct span key = span_trim(span_cut(&value, '='));
        value = span_trim(value);
        if (!same_word(key, name)) {
            continue;
        }
        if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"') {
            value.ptr++;
            value.len -= 2;
        }
        *ret = value;
        return true;
    }
    return false;
}

/* q of one list member, as "is it more than zero"; a malformed q is none. */
static bool quality_is_positive(struct span parameters)
{
    while (parameters.len) {
        struct span value = span_cut(&parameters, ';');
        struct span key = span_trim(span_cut(&value, '='));
        value = span_trim(value);
        if (!same_word(key, "q")) {
            continue;
        }
        if (value.len == 0 || value.len > 5 || (value.ptr[0] != '0' && value.ptr[0] != '1')) {
            return false;
        }
        bool positive = value.ptr[0] == '1';
        for (size_t i = 1; i < value.len; i++) {
            char c = value.ptr[i];
            if (i == 1 ? c != '.' : (c < '0' || c > '9')) {
                return false;
            }
            positive = positive || (i > 1 && c != '0');
        }
        return positive;
    }
    return true;
}

bool accepts_gzip(struct span header)
{
    bool star = false;
    while (header.len) {
        struct span rest = span_cut(&header, ',');
        struct span coding = span_trim(span_cut(&rest, ';'));
        if (same_word(coding, "gzip") || same_word(coding, "x-gzip")) {
            return quality_is_positive(rest);
        }
        if (same_word(coding, "*")) {
            star = quality_is_positive(rest);
        }
    }
    return star;
}

bool etag_listed(struct span header, const char *etag)
{
    struct span rest = span_trim(header);
    if (span_is(rest, "*")) {
        return true;
    }
    while (rest.len) {
        if (rest.ptr[0] == ',' || rest.ptr[0] == ' ' || rest.ptr[0] == '\t') {
            rest.ptr++;
            rest.len--;
            continue;
        }
        if (span_starts(rest, "W/")) {
            rest.ptr += 2;
            rest.len -= 2;
        }
        if (rest.len < 2 || rest.ptr[0] != '"') {
            return false;
        }
        const char *end = memchr(rest.ptr + 1, '"', rest.len - 1); /* a comma inside is the tag's */
        if (!end) {
            return false;
        }
        struct span tag = {rest.ptr, (size_t)(end - rest.ptr) + 1};
        if (span_is(tag, etag)) {
            return true;
        }
        rest.ptr += tag.len;
        rest.len -= tag.len;
    }
    return false;
}

bool request_id_is_sane(struct span id)
{
    return id.len >= 1 && id.len <= 32 && made_of(id, "-_.");
}

/* "a.b.c.d", "a.b.c.d:port", "v6" or "[v6]:port". */
static enum d7_err forwarded_parse(struct span entry, struct ip_address *ret)
{
    struct span text = span_trim(entry);
    if (text.len && text.ptr[0] == '[') {
        text.ptr++;
        text.len--;
        return ip_parse(span_cut(&text, ']'), ret);
    }
    const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
    if (colon && memchr(text.ptr, '.', (size_t)(colon - text.ptr))) {
        text.len = (size_t)(colon - text.ptr);
    }
    return ip_parse(text, ret);
}

struct ip_address client_of(const struct ip_address *peer, struct span forwarded,
                            const struct cidr *trusted, size_t trusted_count)
{
    struct ip_address client = *peer;
    while (forwarded.len && cidr_any_contains(trusted, trusted_count, &client)) {
        const char *comma = memrchr(forwarded.ptr, ',', forwarded.len);
        size_t from = comma ? (size_t)(comma - forwarded.ptr) + 1 : 0;
        struct ip_address next;
        if (forwarded_parse(span_make(forwarded.ptr + from, forwarded.len - from), &next)) {
            break;
        }
        client = next;
        forwarded.len = comma ? from - 1 : 0;
    }
    return client;
}
