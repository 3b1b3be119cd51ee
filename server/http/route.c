/*
 * route.c - matching raw segments, decoding once.
 *
 * Design  two routes may match one path ("/policies/{id}" and "/policies/new"); the one with a
 * plain segment where the other has a parameter wins, leftmost difference first: a bit per plain
 * segment, compared as numbers. The table is small (dozens), so it is walked.
 */
#include "server/http/route.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Has it the same bytes decoded? What almost every segment is made of. False for what needs a
 * closer look, be it good or bad. */
static bool is_plain(struct span raw, bool plus_is_blank)
{
    for (size_t i = 0; i < raw.len; i++) {
        uint8_t c = (uint8_t)raw.ptr[i];
        if (c < 0x21 || c >= 0x7f || c == '%' || (c == '+' && plus_is_blank)) {
            return false;
        }
    }
    return true;
}

/* The decoded text, appended to scratch where it differs from the raw one; false for a malformed
 * escape, a control character or bad UTF-8. The caller has reserved the room, so earlier spans into
 * scratch stay valid. */
static bool decode(struct span raw, bool plus_is_blank, struct buf *scratch, struct span *ret)
{
    if (is_plain(raw, plus_is_blank)) {
        *ret = raw;
        return true;
    }
    size_t from = scratch->len;
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (c == '%') {
            int high = i + 2 < raw.len ? hex_value(raw.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(raw.ptr[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus_is_blank) {
            c = ' ';
        } else if ((uint8_t)c < 0x21 || c == 0x7f) {
            return false;
        }
        if (c == '\0') {
            return false;
        }
        buf_char(scratch, c);
    }
    *ret = span_make(scratch->data ? scratch->data + from : "", scratch->len - from);
    return !scratch->err && span_utf8(*ret, NULL);
}

static bool segment_decode(struct span raw, struct buf *scratch, struct span *ret)
{
    return decode(raw, false, scratch, ret) && !(ret->len && memchr(ret->ptr, '/', ret->len)) &&
           !span_is(*ret, ".") && !span_is(*ret, "..");
}

/* The next segment of "/a/b": cut from *rest, which keeps its leading slash. */
static struct span next_segment(struct span *rest)
{
    (void)span_cut(rest, '/');
    const char *slash = rest->len ? memchr(rest->ptr, '/', rest->len) : NULL;
    struct span segment = {rest->ptr, slash ? (size_t)(slash - rest->ptr) : rest->len};
    rest->ptr += segment.len;
    rest->len -= segment.len;
    return segment;
}

/* Byte by byte: most patterns part from the path at the first segment that is their own. */
static bool pattern_match(const char *pattern, struct span path, unsigned *ret_plain,
                          struct span ret_raw[REQUEST_PARAM_MAX], size_t *ret_count)
{
    size_t at = 0;
    size_t count = 0;
    unsigned plain = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p == '{') {
            D7_CHECK(count < REQUEST_PARAM_MAX);
            size_t from = at;
            while (at < path.len && path.ptr[at] != '/') {
                at++;
            }
            if (at == from) {
                return false;
            }
            ret_raw[count++] = span_make(path.ptr + from, at - from);
            p += strcspn(p, "}"); /* it ends the segment */
            continue;
        }
        if (at == path.len || path.ptr[at] != *p) {
            return false;
        }
        if (*p == '/') {
            plain = plain << 1 | (p[1] != '{');
        }
        at++;
    }
    *ret_plain = plain;
    *ret_count = count;
    return at == path.len;
}

/* Every segment must be decodable, also where no route would look at it: "%00" is 400 everywhere.
 */
static bool path_is_sound(struct span path, struct buf *scratch)
{
    if (path.len == 0 || path.ptr[0] != '/') {
        return false;
    }
    bool sound = true;
    while (path.len && sound) {
        struct span decoded;
        size_t from = scratch->len;
        sound = segment_decode(next_segment(&path), scratch, &decoded);
        scratch->len = from;
    }
    return sound;
}

enum route_match route_find(const struct route *table, size_t count, enum http_method method,
                            struct span path, struct buf *scratch, struct request *req,
                            const struct route **ret, unsigned *ret_allowed)
{
    *ret = NULL;
    *ret_allowed = 0;
    if (buf_reserve(scratch, path.len) || !path_is_sound(path, scratch)) {
        return ROUTE_BAD_PATH;
    }
    enum http_method wanted = method == HTTP_HEAD ? HTTP_GET : method;
    unsigned best = 0;
    unsigned allowed = 0;
    struct span best_raw[REQUEST_PARAM_MAX];
    size_t best_count = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned plain = 0;
        struct span raw[REQUEST_PARAM_MAX];
        size_t params = 0;
        if (!pattern_match(table[i].pattern, path, &plain, raw, &params)) {
            continue;
        }
        allowed |= (unsigned)table[i].method;
        if (table[i].method == wanted && (!*ret || plain > best)) {
            *ret = &table[i];
            best = plain;
            best_count = params;
            memcpy(best_raw, raw, params * sizeof(raw[0]));
        }
    }
    if (!allowed) {
        return ROUTE_NO_PATH;
    }
    *ret_allowed = allowed | HTTP_OPTIONS | (allowed & HTTP_GET ? (unsigned)HTTP_HEAD : 0u);
    if (!*ret) {
        return ROUTE_NO_METHOD;
    }
    for (size_t i = 0; i < best_count; i++) {
        if (!segment_decode(best_raw[i], scratch, &req->params[i])) {
            return ROUTE_BAD_PATH;
        }
    }
    return ROUTE_FOUND;
}

enum d7_err query_parse(struct span query, struct buf *scratch, struct request *req)
{
    req->query_count = 0;
    enum d7_err err = buf_reserve(scratch, query.len);
    if (err) {
        return err;
    }
    while (query.len) {
        struct span item = span_cut(&query, '&');
        if (item.len == 0) {
            continue;
        }
        struct span raw_key = span_cut(&item, '=');
        struct pair p;
        if (req->query_count == REQUEST_QUERY_MAX || !decode(raw_key, true, scratch, &p.key) ||
            !decode(item, true, scratch, &p.value) || p.key.len == 0) {
            return D7_ERR_INVALID;
        }
        for (size_t i = 0; i < req->query_count; i++) {
            if (span_equal(req->query[i].key, p.key)) {
                return D7_ERR_INVALID;
            }
        }
        req->query[req->query_count++] = p;
    }
    return D7_OK;
}
