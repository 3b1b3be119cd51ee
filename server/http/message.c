#include "server/http/message.h"

#include <stdarg.h>

#define REPLY_BODY_LIMIT (64u << 20) /* far over the largest answer; a runaway writer ends here */

static bool pair_find(const struct pair *pairs, size_t count, const char *name, struct span *ret)
{
    for (size_t i = 0; i < count; i++) {
        if (span_is(pairs[i].key, name)) {
            *ret = pairs[i].value;
            return true;
        }
    }
    return false;
}

bool request_query(const struct request *req, const char *name, struct span *ret)
{
    return pair_find(req->query, req->query_count, name, ret);
}

bool request_field(const struct request *req, const char *name, struct span *ret)
{
    return pair_find(req->fields, req->field_count, name, ret);
}

void reply_init(struct reply *r)
{
    memset(r, 0, offsetof(struct reply, headers));
    buf_init(&r->body, REPLY_BODY_LIMIT);
}

void reply_release(struct reply *r)
{
    buf_release(&r->body);
    if (r->shared_release) {
        r->shared_release(r->shared_ctx);
    }
    r->shared = (struct span){NULL, 0};
    r->shared_gzip = (struct span){NULL, 0};
    r->shared_release = NULL;
    r->shared_ctx = NULL;
    reply_drop_stream(r);
}

void reply_drop_stream(struct reply *r)
{
    if (r->stream.release) {
        r->stream.release(r->stream.ctx);
    }
    r->stream = (struct event_source){.next = NULL};
}

void reply_header(struct reply *r, const char *name, const char *format, ...)
{
    D7_CHECK(r->header_count < REPLY_HEADER_MAX && strlen(name) < sizeof(r->headers[0].name));
    char *value = r->headers[r->header_count].value;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(value, sizeof(r->headers[0].value), format, args); /* cut on purpose */
    va_end(args);
    for (const char *c = value; *c; c++) {
        D7_CHECK((uint8_t)*c >= 0x20 && *c != 0x7f); /* a line end here would be a second answer */
    }
    (void)snprintf(r->headers[r->header_count].name, sizeof(r->headers[0].name), "%s", name);
    r->header_count++;
}

struct jout reply_json(struct reply *r, int status, enum cache_rule cache)
{
    r->status = status;
    r->content_type = "application/json";
    r->cache = cache;
    buf_clear(&r->body);
    struct jout j;
    jout_init(&j, &r->body);
    return j;
}

enum d7_err reply_field_error(struct reply *r, const char *field, const char *format, ...)
{
    if (r->field_count < REPLY_FIELD_MAX) {
        struct field_error *e = &r->fields[r->field_count++];
        (void)snprintf(e->field, sizeof(e->field), "%s", field); /* cut on purpose */
        va_list args;
        va_start(args, format);
        (void)vsnprintf(e->message, sizeof(e->message), format, args); /* cut on purpose */
        va_end(args);
    }
    return D7_ERR_INVALID;
}
