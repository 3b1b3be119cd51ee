#include "server/api/wire.h"

#include <ctype.h>
#include <stdarg.h>

#include "engine/base/clock.h"

enum d7_err wire_bad_query(struct reply *reply, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reply->why.text, sizeof(reply->why.text), format, args); /* may be cut */
    va_end(args);
    (void)snprintf(reply->why.field, sizeof(reply->why.field), "%s", name);
    reply->code = "bad-request";
    return D7_ERR_INVALID;
}

enum d7_err wire_no_such(struct reply *reply, const char *what, struct span id)
{
    char shown[100];
    return d7_refuse(&reply->why, D7_ERR_NOT_FOUND, NULL, "no %s '%s'", what,
                     span_escape(id, shown, sizeof(shown)));
}

enum d7_err wire_query_only(const struct request *req, struct reply *reply,
                            const char *const *known)
{
    for (size_t i = 0; i < req->query_count; i++) {
        size_t k = 0;
        while (known[k] && !span_is(req->query[i].key, known[k])) {
            k++;
        }
        if (!known[k]) {
            char shown[64];
            return wire_bad_query(reply, "query", "unknown query parameter '%s'",
                                  span_escape(req->query[i].key, shown, sizeof(shown)));
        }
    }
    return D7_OK;
}

enum d7_err wire_query_none(const struct request *req, struct reply *reply)
{
    static const char *const none[] = {NULL};
    return wire_query_only(req, reply, none);
}

/* A whole number that no 64 bits hold: over any limit, as the others are. */
static bool is_huge(struct span text)
{
    size_t digits = 0;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        digits++;
    }
    return digits == text.len && digits > 18 && text.ptr[0] != '0';
}

enum d7_err wire_page(const struct request *req, struct reply *reply, struct store_page *ret)
{
    *ret = (struct store_page){.limit = WIRE_LIMIT_DEFAULT};
    struct span text;
    if (request_query(req, "limit", &text)) {
        int64_t limit = 0;
        if (is_huge(text)) {
            limit = INT64_MAX;
        } else if (span_parse_i64(text, 1, INT64_MAX, &limit)) {
            return wire_bad_query(reply, "limit",
                                  "limit must be a whole number from 1 (over %d is taken as %d)",
                                  STORE_LIST_MAX, STORE_LIST_MAX);
        }
        ret->limit = limit > STORE_LIST_MAX ? STORE_LIST_MAX : (uint32_t)limit;
    }
    if (request_query(req, "cursor", &text) &&
        (text.len == 0 || span_copy(text, ret->cursor, sizeof(ret->cursor)))) {
        return wire_bad_query(reply, "cursor", "cursor must be a `next` of this list");
    }
    return D7_OK;
}

enum d7_err wire_query_id(const struct request *req, struct reply *reply, const char *name,
                          char *ret_id, size_t size)
{
    struct span text;
    if (!request_query(req, name, &text)) {
        ret_id[0] = '\0';
        return D7_OK;
    }
    if (!span_is_slug(text, 1, size - 1, false)) {
        return wire_bad_query(reply, name,
                              "%s must be an id: 1 to %zu of a-z, 0-9 and '-', not beginning "
                              "with '-'",
                              name, size - 1);
    }
    return span_copy(text, ret_id, size);
}

enum d7_err wire_query_key(const struct request *req, struct reply *reply, const char *name,
                           char *ret_key, size_t size)
{
    struct span text;
    ret_key[0] = '\0';
    if (!request_query(req, name, &text)) {
        return D7_OK;
    }
    bool plain = text.len > 0 && text.len < size;
    for (size_t i = 0; i < text.len && plain; i++) {
        plain = isalnum((unsigned char)text.ptr[i]);
    }
    return plain ? span_copy(text, ret_key, size)
                 : wire_bad_query(reply, name, "%s must be an id: 1 to %zu letters and digits",
                                  name, size - 1);
}

enum d7_err wire_query_time(const struct request *req, struct reply *reply, const char *name,
                            int64_t *ret_utc_ms)
{
    struct span text;
    if (request_query(req, name, &text) && clock_parse(text, ret_utc_ms)) {
        return wire_bad_query(reply, name, "%s must be a time like 2026-01-31T12:00:00.000Z", name);
    }
    return D7_OK;
}

enum d7_err wire_query_flag(const struct request *req, struct reply *reply, const char *name,
                            bool *ret_on)
{
    struct span text;
    *ret_on = false;
    if (!request_query(req, name, &text)) {
        return D7_OK;
    }
    if (!span_is(text, "0") && !span_is(text, "1")) {
        return wire_bad_query(reply, name, "%s must be 0 or 1", name);
    }
    *ret_on = text.ptr[0] == '1';
    return D7_OK;
}

enum d7_err wire_list_error(struct reply *reply, enum d7_err err)
{
    return err == D7_ERR_INVALID
               ? wire_bad_query(reply, "cursor",
                                "cursor must be a `next` of this list with the same filters")
               : err;
}

enum d7_err wire_param(const struct request *req, struct reply *reply, unsigned index,
                       const char *what, char *ret_id, size_t size)
{
    struct span id = req->params[index];
    return id.len == 0 || span_copy(id, ret_id, size) ? wire_no_such(reply, what, id) : D7_OK;
}

struct jout wire_list_start(struct reply *reply)
{
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    jout_object(&j);
    jout_key(&j, "items");
    jout_array(&j);
    return j;
}

static void append_escaped(struct buf *to, struct span text)
{
    static const char plain[] = "-._~";
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.ptr[i];
        bool keep = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c != 0 && strchr(plain, c));
        if (keep) {
            buf_char(to, (char)c);
        } else {
            buf_printf(to, "%%%02X", c);
        }
    }
}

/* The address of the next page: this request's path and query with the other cursor. */
static void add_link(const struct request *req, struct reply *reply, const char *next)
{
    struct buf link;
    buf_init(&link, sizeof(reply->headers[0].value) - 1);
    buf_char(&link, '<');
    buf_append(&link, req->path.ptr, req->path.len);
    buf_char(&link, '?');
    for (size_t i = 0; i < req->query_count; i++) {
        if (!span_is(req->query[i].key, "cursor")) {
            append_escaped(&link, req->query[i].key);
            buf_char(&link, '=');
            append_escaped(&link, req->query[i].value);
            buf_char(&link, '&');
        }
    }
    buf_text(&link, "cursor=");
    append_escaped(&link, span_of(next));
    buf_text(&link, ">; rel=\"next\"");
    /* one that does not fit is left out whole: half an address is worse than `next` alone */
    if (!link.err) {
        reply_header(reply, "Link", "%s", link.data);
    }
    buf_release(&link);
}

enum d7_err wire_list_end(struct jout *j, const struct request *req, struct reply *reply,
                          const struct store_page *page)
{
    jout_array_end(j);
    jout_key(j, "next");
    if (page->next[0]) {
        jout_text(j, page->next);
        add_link(req, reply, page->next);
    } else {
        jout_null(j);
    }
    jout_object_end(j);
    return reply->body.err;
}
