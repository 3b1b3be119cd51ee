/*
 * problem.c - errors as application/problem+json (RFC 9457).
 *
 * Design  the `code` decides the status and the title, an error decides the code unless the handler
 * names another. The one exception is too-large, which is 413 for a body, 414 for a target and 431
 * for a header; head and body say the same status always. What went wrong inside (status 500) is
 * for the log; the client gets a fixed sentence and the request id to ask about.
 */
#include "server/http/message.h"

struct problem {
    const char *code;
    int status;
    const char *title;
};

static const struct problem problems[] = {
    {"bad-request", 400, "The request is malformed"},
    {"bad-json", 400, "The body is not acceptable JSON"},
    {"validation", 400, "A value is not acceptable"},
    {"unauthorized", 401, "A valid token is needed"},
    {"forbidden", 403, "Not allowed"},
    {"quota", 403, "The quota is used up"},
    {"not-found", 404, "Not found"},
    {"method-not-allowed", 405, "The method is not allowed here"},
    {"conflict", 409, "Conflict with what exists"},
    {"too-large", 413, "The request is too large"},
    {"unsupported-media-type", 415, "The content type is not supported"},
    {"rate-limited", 429, "Too many requests"},
    {"busy", 503, "The server is busy"},
    {"sandbox-unavailable", 503, "Uploads cannot be run here now"},
    {"insufficient-storage", 507, "The server's disk is full"},
};

static const char *const code_of[D7_ERR_COUNT] = {
    [D7_OK] = "internal", /* an error reply without an error: a bug of ours */
    [D7_ERR_NOMEM] = "busy",
    [D7_ERR_INVALID] = "validation",
    [D7_ERR_SYNTAX] = "bad-json",
    [D7_ERR_NOT_FOUND] = "not-found",
    [D7_ERR_CONFLICT] = "conflict",
    [D7_ERR_TOO_LARGE] = "too-large",
    [D7_ERR_UNAUTHORIZED] = "unauthorized",
    [D7_ERR_FORBIDDEN] = "forbidden",
    [D7_ERR_QUOTA] = "quota",
    [D7_ERR_RATE] = "rate-limited",
    [D7_ERR_BUSY] = "busy",
    [D7_ERR_FULL] = "insufficient-storage",
    [D7_ERR_IO] = "internal",
    [D7_ERR_TIMEOUT] = "busy",
    [D7_ERR_CLOSED] = "internal",
    [D7_ERR_CANCELLED] = "busy",
    [D7_ERR_CORRUPT] = "internal",
    [D7_ERR_VERSION] = "internal",
    [D7_ERR_UNSUPPORTED] = "unsupported-media-type",
    [D7_ERR_UNAVAILABLE] = "sandbox-unavailable",
    [D7_ERR_INTERNAL] = "internal",
};

const char *reply_code_of(enum d7_err err)
{
    return (unsigned)err < D7_COUNT(code_of) && code_of[err] ? code_of[err] : "internal";
}

/* What goes out for a code outside the table, which only a bug of ours can name. */
static const struct problem internal = {"internal", 500, "The server failed"};

static const struct problem *problem_of(const char *code)
{
    for (size_t i = 0; i < D7_COUNT(problems); i++) {
        if (strcmp(problems[i].code, code) == 0) {
            return &problems[i];
        }
    }
    return &internal;
}

int reply_status_of(enum d7_err err)
{
    return problem_of(reply_code_of(err))->status;
}

static void write_errors(struct jout *j, const struct reply *r)
{
    bool from_why = r->field_count == 0 && r->why.field[0];
    if (r->field_count == 0 && !from_why) {
        return;
    }
    jout_key(j, "errors");
    jout_array(j);
    for (size_t i = 0; i < r->field_count || (from_why && i == 0); i++) {
        jout_object(j);
        jout_kv_text(j, "field", from_why ? r->why.field : r->fields[i].field);
        jout_kv_text(j, "message", from_why ? r->why.text : r->fields[i].message);
        jout_object_end(j);
    }
    jout_array_end(j);
}

void reply_problem(struct reply *r, enum d7_err err, const char *request_id)
{
    const struct problem *p = problem_of(r->code ? r->code : reply_code_of(err));
    const char *detail = r->why.text[0]     ? r->why.text
                         : r->field_count   ? r->fields[0].message
                         : p->status == 503 ? "try again a little later"
                                            : d7_err_text(err);
    if (p->status == 500) {
        detail = "it is in the server's log under this request id";
        r->field_count = 0;
        r->why.field[0] = '\0';
    }
    reply_drop_stream(r);
    if (p->status == 503 && r->retry_after_s == 0) {
        r->retry_after_s = 2;
    }
    size_t limit = r->body.limit;
    reply_release(r); /* whatever the handler had begun */
    buf_init(&r->body, limit);
    r->etag[0] = '\0';
    r->status = r->problem_status ? r->problem_status : p->status;
    r->code = p->code;
    r->content_type = "application/problem+json";
    r->cache = CACHE_NONE;
    struct jout j;
    jout_init(&j, &r->body);
    jout_object(&j);
    jout_key(&j, "type");
    char type[64];
    (void)snprintf(type, sizeof(type), "/docs#error-%s", p->code); /* fits: codes are short */
    jout_text(&j, type);
    jout_kv_text(&j, "title", p->title);
    jout_kv_int(&j, "status", r->status);
    jout_kv_text(&j, "detail", detail);
    jout_kv_text(&j, "code", p->code);
    write_errors(&j, r);
    if (r->existing[0]) {
        jout_kv_text(&j, "existing", r->existing);
    }
    jout_kv_text(&j, "requestId", request_id);
    jout_object_end(&j);
}
