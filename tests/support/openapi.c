#include "tests/support/openapi.h"

#include <ctype.h>
#include <jansson.h>
#include <strings.h>

#include "tests/support/support.h"

#define OPERATIONS_MAX 128

struct openapi {
    json_t *root;
    struct operation operations[OPERATIONS_MAX];
    char methods[OPERATIONS_MAX][12];
    size_t count;
};

static bool refuse(struct buf *why, const char *format, ...) D7_PRINTF(2, 3);
static bool refuse(struct buf *why, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args); /* may be cut */
    va_end(args);
    buf_printf(why, "%s\n", text);
    return false;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* jansson's iterators know no const, though they change nothing. */
static json_t *plain(const json_t *v)
{
    return (json_t *)(uintptr_t)v;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* An empty object among the alternatives is "no token". */
static bool needs_token(const json_t *operation)
{
    const json_t *list = json_object_get(operation, "security");
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_object_size(json_array_get(list, i)) == 0) {
            return false;
        }
    }
    return json_array_size(list) > 0;
}

static void add_operation(struct openapi *o, const char *path, const char *method,
                          const json_t *value)
{
    assert_true(o->count < OPERATIONS_MAX);
    struct operation *op = &o->operations[o->count];
    char *to = o->methods[o->count++];
    size_t len = strlen(method);
    assert_true(len < sizeof(o->methods[0]));
    for (size_t i = 0; i <= len; i++) {
        to[i] = (char)toupper((unsigned char)method[i]);
    }
    const json_t *content = json_object_get(json_object_get(value, "requestBody"), "content");
    *op = (struct operation){
        .method = to,
        .path = path,
        .needs_token = needs_token(value),
        .takes_json = json_object_get(content, "application/json") != NULL,
        .takes_form = json_object_get(content, "multipart/form-data") != NULL,
        .is_tagged = json_object_get(json_object_get(value, "responses"), "304") != NULL,
        .value = value};
}

struct openapi *openapi_open(struct span text)
{
    struct buf why;
    buf_init(&why, 4096);
    struct openapi *o = calloc(1, sizeof(*o));
    assert_non_null(o);
    o->root = schema_load(text, &why);
    if (!o->root) {
        fail_msg("the document is no JSON: %s", why.data);
    }
    const char *path = NULL;
    json_t *methods = NULL;
    json_object_foreach(json_object_get(o->root, "paths"), path, methods)
    {
        const char *method = NULL;
        json_t *value = NULL;
        json_object_foreach(methods, method, value)
        {
            add_operation(o, path, method, value);
        }
    }
    buf_release(&why);
    return o;
}

void openapi_close(struct openapi *o)
{
    if (o) {
        schema_free(o->root);
        free(o);
    }
}

const json_t *openapi_root(const struct openapi *o)
{
    return o->root;
}

size_t openapi_count(const struct openapi *o)
{
    return o->count;
}

const struct operation *openapi_at(const struct openapi *o, size_t index)
{
    assert_true(index < o->count);
    return &o->operations[index];
}

const struct operation *openapi_find(const struct openapi *o, const char *method, const char *path)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct operation *op = &o->operations[i];
        if (strcmp(op->method, method) == 0 && strcmp(op->path, path) == 0) {
            return op;
        }
    }
    return NULL;
}

/* --- the document itself ---------------------------------------------------------------------- */

static bool check_references(const struct openapi *o, const json_t *v, struct buf *why)
{
    bool ok = true;
    const char *key = NULL;
    json_t *member = NULL;
    json_object_foreach(plain(v), key, member)
    {
        if (strcmp(key, "$ref") == 0 && !schema_resolve(o->root, json_string_value(member))) {
            ok = refuse(why, "%s leads nowhere", json_string_value(member));
        }
        ok = check_references(o, member, why) && ok;
    }
    for (size_t i = 0; i < json_array_size(v); i++) {
        ok = check_references(o, json_array_get(v, i), why) && ok;
    }
    return ok;
}

bool openapi_check_references(const struct openapi *o, struct buf *why)
{
    return check_references(o, o->root, why);
}

/* `example` or each value of `examples`; one there must be. */
static bool check_examples(const struct openapi *o, const json_t *of, const char *what,
                           struct buf *why)
{
    const json_t *schema = json_object_get(of, "schema");
    const json_t *one = json_object_get(of, "example");
    json_t *more = json_object_get(of, "examples");
    bool ok = schema != NULL && (one || json_object_size(more));
    if (!ok) {
        return refuse(why, "%s: no schema, or no example", what);
    }
    if (one && !schema_fits(o->root, schema, one, why)) {
        ok = refuse(why, "... in the example of %s", what);
    }
    const char *name = NULL;
    json_t *example = NULL;
    json_object_foreach(more, name, example)
    {
        if (!schema_fits(o->root, schema, json_object_get(example, "value"), why)) {
            ok = refuse(why, "... in the example '%s' of %s", name, what);
        }
    }
    return ok;
}

static bool check_content(const struct openapi *o, const json_t *of, const char *what,
                          struct buf *why)
{
    bool ok = true;
    const char *type = NULL;
    json_t *media = NULL;
    json_object_foreach(json_object_get(of, "content"), type, media)
    {
        char name[300];
        (void)snprintf(name, sizeof(name), "%s, %s", what, type); /* may be cut */
        ok = check_examples(o, media, name, why) && ok;
    }
    return ok;
}

/* `in` path, and in the pattern. */
static bool is_of_path(const json_t *parameter, const char *path)
{
    char name[80];
    (void)snprintf(name, sizeof(name), "{%s}",
                   json_string_value(json_object_get(parameter, "name"))); /* may be cut */
    return strstr(path, name) && json_is_true(json_object_get(parameter, "required"));
}

static size_t count_braces(const char *path)
{
    size_t count = 0;
    for (; *path; path++) {
        count += *path == '{';
    }
    return count;
}

static bool check_parameters(const struct openapi *o, const struct operation *op, const char *what,
                             struct buf *why)
{
    bool ok = true;
    size_t of_path = 0;
    const json_t *list = json_object_get(op->value, "parameters");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = schema_deref(o->root, json_array_get(list, i));
        const char *in = json_string_value(json_object_get(p, "in"));
        if (in && strcmp(in, "path") == 0) {
            of_path++;
            ok = (is_of_path(p, op->path) || refuse(why, "%s: a parameter is not in it", what)) &&
                 ok;
        }
        ok = check_examples(o, p, what, why) && ok;
    }
    return (of_path == count_braces(op->path) ||
            refuse(why, "%s: %zu parameters of the path", what, of_path)) &&
           ok;
}

bool openapi_check_operation(const struct openapi *o, const struct operation *op, struct buf *why)
{
    char what[300];
    (void)snprintf(what, sizeof(what), "%s %s", op->method, op->path); /* may be cut */
    bool ok = check_parameters(o, op, what, why);
    const json_t *request = json_object_get(op->value, "requestBody");
    ok = (!request || check_content(o, request, what, why)) && ok;
    json_t *responses = json_object_get(op->value, "responses");
    bool succeeds = false;
    const char *status = NULL;
    json_t *response = NULL;
    json_object_foreach(responses, status, response)
    {
        const json_t *r = schema_deref(o->root, response);
        (void)snprintf(what, sizeof(what), "%s %s %s", op->method, op->path, status);
        bool has_body = status[0] != '3' && strcmp(status, "204") != 0;
        if (has_body != (json_object_get(r, "content") != NULL)) {
            ok = refuse(why, "%s: a body where none is, or none where one is", what);
        }
        ok = check_content(o, r, what, why) && ok;
        succeeds = succeeds || status[0] == '2';
    }
    return (succeeds || refuse(why, "%s never succeeds", what)) && ok;
}

static const json_t *shared_response(const struct openapi *o, const char *name)
{
    char reference[120];
    (void)snprintf(reference, sizeof(reference), "#/components/responses/%s", name);
    const json_t *r = schema_resolve(o->root, reference);
    if (!r) {
        fail_msg("no %s", reference);
    }
    return r;
}

bool openapi_check_shared(const struct openapi *o, const char *name, struct buf *why)
{
    return check_content(o, shared_response(o, name), name, why);
}

/* --- what went over the wire ------------------------------------------------------------------ */

static const json_t *json_request(const struct operation *op)
{
    return json_object_get(json_object_get(json_object_get(op->value, "requestBody"), "content"),
                           "application/json");
}

bool openapi_check_request(const struct openapi *o, const struct operation *op, struct span body,
                           struct buf *why)
{
    const json_t *schema = json_object_get(json_request(op), "schema");
    return schema ? schema_fits_text(o->root, schema, body, why)
                  : refuse(why, "%s %s takes no JSON", op->method, op->path);
}

char *openapi_example_request(const struct operation *op)
{
    const json_t *media = json_request(op);
    const json_t *example = json_object_get(media, "example");
    json_t *more = json_object_get(media, "examples");
    void *first = more ? json_object_iter(more) : NULL;
    if (!example && first) {
        example = json_object_get(json_object_iter_value(first), "value");
    }
    return example ? json_dumps(example, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}

/* The value of a header line in a static buffer; NULL when absent. */
static const char *header_of(const char *headers, const char *name)
{
    static char value[700];
    size_t len = strlen(name);
    for (const char *line = headers; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            const char *from = line + len + 1 + strspn(line + len + 1, " ");
            struct span text = span_make(from, strcspn(from, "\r\n"));
            return span_copy(text, value, sizeof(value)) ? NULL : value;
        }
    }
    return NULL;
}

/* Link is there only where there is a next page. */
static bool check_headers(const json_t *response, const char *headers, struct buf *why)
{
    bool ok = true;
    const char *name = NULL;
    json_t *header = NULL;
    json_object_foreach(json_object_get(response, "headers"), name, header)
    {
        if (strcmp(name, "Link") != 0 && !header_of(headers, name)) {
            ok = refuse(why, "the header %s is missing", name);
        }
    }
    return ok;
}

static bool check_body(const struct openapi *o, const json_t *response,
                       const struct openapi_answer *a, struct buf *why)
{
    json_t *content = json_object_get(response, "content");
    if (!content) {
        return a->body.len == 0 || refuse(why, "a body where none is documented");
    }
    const char *said = header_of(a->headers, "Content-Type");
    const char *type = NULL;
    json_t *media = NULL;
    json_object_foreach(content, type, media)
    {
        if (!said || !begins(said, type)) {
            continue;
        }
        const json_t *schema = json_object_get(media, "schema");
        if (strstr(type, "json")) {
            return schema_fits_text(o->root, schema, a->body, why);
        }
        json_t *text = json_stringn(a->body.ptr, a->body.len);
        bool ok = text && schema_fits(o->root, schema, text, why);
        json_decref(text);
        return ok;
    }
    return refuse(why, "the content type %s is not documented", said ? said : "(none)");
}

bool openapi_check_answer(const struct openapi *o, const struct operation *op,
                          const struct openapi_answer *a, struct buf *why)
{
    char status[24];
    (void)snprintf(status, sizeof(status), "%ld", a->status); /* fits */
    const json_t *response =
        schema_deref(o->root, json_object_get(json_object_get(op->value, "responses"), status));
    if (!response) {
        return refuse(why, "%s %s: %s is not documented", op->method, op->path, status);
    }
    bool ok = check_headers(response, a->headers, why);
    ok = check_body(o, response, a, why) && ok;
    return ok || refuse(why, "... in %s %s, %s", op->method, op->path, status);
}

bool openapi_check_shared_answer(const struct openapi *o, const char *name,
                                 const struct openapi_answer *a, struct buf *why)
{
    const json_t *response = shared_response(o, name);
    bool ok = check_headers(response, a->headers, why);
    return check_body(o, response, a, why) && ok;
}
