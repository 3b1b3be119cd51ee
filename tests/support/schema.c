#include "tests/support/schema.h"

#include <jansson.h>
#include <regex.h>

#define DEPTH_MAX 64
#define PLACE_MAX 512

struct check {
    const json_t *document;
    struct buf *why;       /* NULL: nobody wants to know */
    char place[PLACE_MAX]; /* in the value, as in "/items/0/id" */
    size_t place_len;
    unsigned depth;
};

static bool fits(struct check *c, const json_t *schema, const json_t *v);

static bool refuse(struct check *c, const char *format, ...) D7_PRINTF(2, 3);
static bool refuse(struct check *c, const char *format, ...)
{
    if (c->why) {
        char text[400];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(text, sizeof(text), format, args); /* may be cut */
        va_end(args);
        buf_printf(c->why, "%s: %s\n", c->place_len ? c->place : "/", text);
    }
    return false;
}

/* Goes down to a member or an element, and comes back. */
static bool fits_below(struct check *c, const char *step, const json_t *schema, const json_t *v)
{
    size_t len = c->place_len;
    int put = snprintf(c->place + len, sizeof(c->place) - len, "/%s", step);
    c->place_len = put > 0 && (size_t)put < sizeof(c->place) - len ? len + (size_t)put : len;
    bool ok = fits(c, schema, v);
    c->place_len = len;
    c->place[len] = '\0';
    return ok;
}

/* --- keywords: rule is the keyword's value, whole the schema it is in --------------------------
 */

static bool is_a(const char *type, const json_t *v)
{
    const struct {
        const char *name;
        bool is;
    } types[] = {
        {"object", json_is_object(v)}, {"array", json_is_array(v)},
        {"string", json_is_string(v)}, {"integer", json_is_integer(v)},
        {"number", json_is_number(v)}, {"boolean", json_is_boolean(v)},
        {"null", json_is_null(v)},
    };
    for (size_t i = 0; i < D7_COUNT(types); i++) {
        if (strcmp(types[i].name, type) == 0) {
            return types[i].is;
        }
    }
    return false;
}

static bool check_type(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    if (json_is_string(rule)) {
        return is_a(json_string_value(rule), v) || refuse(c, "is no %s", json_string_value(rule));
    }
    for (size_t i = 0; i < json_array_size(rule); i++) {
        if (is_a(json_string_value(json_array_get(rule, i)), v)) {
            return true;
        }
    }
    return refuse(c, "is of none of the types");
}

static bool check_properties(struct check *c, const json_t *rule, const json_t *whole,
                             const json_t *v)
{
    if (!json_is_object(v)) {
        return true;
    }
    const json_t *others = json_object_get(whole, "additionalProperties");
    void *at = json_object_iter((json_t *)(uintptr_t)v); /* jansson's iterators know no const */
    for (; at; at = json_object_iter_next((json_t *)(uintptr_t)v, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *schema = json_object_get(rule, key);
        if (schema && !fits_below(c, key, schema, json_object_iter_value(at))) {
            return false;
        }
        if (!schema && !others) {
            return refuse(c, "has '%s', which its schema does not name", key);
        }
    }
    return true;
}

static bool check_additional(struct check *c, const json_t *rule, const json_t *whole,
                             const json_t *v)
{
    const json_t *named = json_object_get(whole, "properties");
    void *at = json_object_iter((json_t *)(uintptr_t)v);
    for (; at; at = json_object_iter_next((json_t *)(uintptr_t)v, at)) {
        const char *key = json_object_iter_key(at);
        if (json_object_get(named, key) || json_is_true(rule)) {
            continue;
        }
        if (json_is_false(rule)) {
            return refuse(c, "has '%s', which is not allowed", key);
        }
        if (!fits_below(c, key, rule, json_object_iter_value(at))) {
            return false;
        }
    }
    return true;
}

static bool check_required(struct check *c, const json_t *rule, const json_t *whole,
                           const json_t *v)
{
    (void)whole;
    for (size_t i = 0; json_is_object(v) && i < json_array_size(rule); i++) {
        const char *key = json_string_value(json_array_get(rule, i));
        if (!json_object_get(v, key)) {
            return refuse(c, "lacks '%s'", key);
        }
    }
    return true;
}

static bool check_items(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    for (size_t i = 0; json_is_array(v) && i < json_array_size(v); i++) {
        char step[24];
        (void)snprintf(step, sizeof(step), "%zu", i); /* fits */
        if (!fits_below(c, step, rule, json_array_get(v, i))) {
            return false;
        }
    }
    return true;
}

static bool check_enum(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    for (size_t i = 0; i < json_array_size(rule); i++) {
        if (json_equal(json_array_get(rule, i), v)) {
            return true;
        }
    }
    return refuse(c, "is none of the values");
}

static bool check_const(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    return json_equal(rule, v) || refuse(c, "is not the value");
}

static bool check_pattern(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    regex_t pattern;
    if (!json_is_string(v)) {
        return true;
    }
    if (regcomp(&pattern, json_string_value(rule), REG_EXTENDED | REG_NOSUB) != 0) {
        return refuse(c, "the pattern %s is none", json_string_value(rule));
    }
    bool hit = regexec(&pattern, json_string_value(v), 0, NULL, 0) == 0;
    regfree(&pattern);
    return hit || refuse(c, "'%s' is not of %s", json_string_value(v), json_string_value(rule));
}

static size_t points_of(const json_t *v)
{
    size_t points = 0;
    (void)span_utf8(span_make(json_string_value(v), json_string_length(v)), &points);
    return points; /* what jansson holds is UTF-8 */
}

/* least: not fewer than the rule says; else not more. */
static bool count_fits(struct check *c, const json_t *rule, size_t count, bool least)
{
    size_t bound = (size_t)json_integer_value(rule);
    return (least ? count >= bound : count <= bound) ||
           refuse(c, "%zu, and %s %zu", count, least ? "at least" : "at most", bound);
}

static bool check_min_length(struct check *c, const json_t *rule, const json_t *whole,
                             const json_t *v)
{
    (void)whole;
    return !json_is_string(v) || count_fits(c, rule, points_of(v), true);
}

static bool check_max_length(struct check *c, const json_t *rule, const json_t *whole,
                             const json_t *v)
{
    (void)whole;
    return !json_is_string(v) || count_fits(c, rule, points_of(v), false);
}

static bool check_min_items(struct check *c, const json_t *rule, const json_t *whole,
                            const json_t *v)
{
    (void)whole;
    return !json_is_array(v) || count_fits(c, rule, json_array_size(v), true);
}

static bool check_max_items(struct check *c, const json_t *rule, const json_t *whole,
                            const json_t *v)
{
    (void)whole;
    return !json_is_array(v) || count_fits(c, rule, json_array_size(v), false);
}

static bool check_minimum(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    return !json_is_number(v) || json_number_value(v) >= json_number_value(rule) ||
           refuse(c, "%g is under %g", json_number_value(v), json_number_value(rule));
}

static bool check_maximum(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    return !json_is_number(v) || json_number_value(v) <= json_number_value(rule) ||
           refuse(c, "%g is over %g", json_number_value(v), json_number_value(rule));
}

static bool check_ref(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    const json_t *target = schema_resolve(c->document, json_string_value(rule));
    return target ? fits(c, target, v)
                  : refuse(c, "the reference %s leads nowhere", json_string_value(rule));
}

/* How many of the schemas it fits; what the others say is of no interest. */
static size_t fitting(struct check *c, const json_t *schemas, const json_t *v)
{
    struct buf *why = c->why;
    size_t hits = 0;
    c->why = NULL;
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        hits += fits(c, json_array_get(schemas, i), v);
    }
    c->why = why;
    return hits;
}

static bool check_one_of(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    size_t hits = fitting(c, rule, v);
    if (hits == 0 && json_array_size(rule) && !json_is_null(v)) {
        (void)fits(c, json_array_get(rule, 0), v); /* for what it says */
    }
    return hits == 1 || refuse(c, "fits %zu schemas where one is to fit", hits);
}

static bool check_any_of(struct check *c, const json_t *rule, const json_t *whole, const json_t *v)
{
    (void)whole;
    return fitting(c, rule, v) > 0 || refuse(c, "fits none of the schemas");
}

static const struct {
    const char *name;
    /* NULL: words */
    bool (*check)(struct check *c, const json_t *rule, const json_t *whole, const json_t *v);
} keywords[] = {
    {"type", check_type},
    {"properties", check_properties},
    {"additionalProperties", check_additional},
    {"required", check_required},
    {"items", check_items},
    {"minItems", check_min_items},
    {"maxItems", check_max_items},
    {"enum", check_enum},
    {"const", check_const},
    {"pattern", check_pattern},
    {"minLength", check_min_length},
    {"maxLength", check_max_length},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"$ref", check_ref},
    {"oneOf", check_one_of},
    {"anyOf", check_any_of},
    {"title", NULL},
    {"description", NULL},
    {"format", NULL},
    {"default", NULL},
    {"examples", NULL},
};

static bool apply(struct check *c, const char *name, const json_t *rule, const json_t *whole,
                  const json_t *v)
{
    for (size_t i = 0; i < D7_COUNT(keywords); i++) {
        if (strcmp(keywords[i].name, name) == 0) {
            return !keywords[i].check || keywords[i].check(c, rule, whole, v);
        }
    }
    return refuse(c, "its schema uses '%s', which is not checked here", name);
}

static bool fits(struct check *c, const json_t *schema, const json_t *v)
{
    if (!json_is_object(schema)) {
        return refuse(c, "its schema is no object");
    }
    if (c->depth == DEPTH_MAX) {
        return refuse(c, "too deep");
    }
    c->depth++;
    bool ok = true;
    void *at = json_object_iter((json_t *)(uintptr_t)schema);
    for (; at && ok; at = json_object_iter_next((json_t *)(uintptr_t)schema, at)) {
        ok = apply(c, json_object_iter_key(at), json_object_iter_value(at), schema, v);
    }
    c->depth--;
    return ok;
}

/* --- from outside ----------------------------------------------------------------------------- */

json_t *schema_load(struct span text, struct buf *why)
{
    json_error_t error;
    json_t *v = json_loadb(text.ptr ? text.ptr : "", text.len,
                           JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!v && why) {
        buf_printf(why, "line %d: %s\n", error.line, error.text);
    }
    return v;
}

void schema_free(json_t *document)
{
    json_decref(document);
}

/* One step of a pointer: ~1 is a slash, ~0 a tilde. */
static bool unescape(struct span step, char *to, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < step.len; i++) {
        char ch = step.ptr[i];
        if (ch == '~' && i + 1 < step.len) {
            ch = step.ptr[++i] == '1' ? '/' : '~';
        }
        if (len + 1 >= size) {
            return false;
        }
        to[len++] = ch;
    }
    to[len] = '\0';
    return true;
}

const json_t *schema_resolve(const json_t *document, const char *reference)
{
    struct span rest = span_of(reference);
    if (!span_is(span_cut(&rest, '/'), "#")) {
        return NULL; /* another document's */
    }
    const json_t *at = document;
    while (at && rest.len) {
        char key[200];
        if (!unescape(span_cut(&rest, '/'), key, sizeof(key))) {
            return NULL;
        }
        at = json_object_get(at, key);
    }
    return at;
}

const json_t *schema_deref(const json_t *document, const json_t *v)
{
    const json_t *reference = json_object_get(v, "$ref");
    return reference ? schema_resolve(document, json_string_value(reference)) : v;
}

size_t schema_length(const json_t *v)
{
    return json_array_size(v);
}

bool schema_fits(const json_t *document, const json_t *schema, const json_t *value, struct buf *why)
{
    struct check *c = calloc(1, sizeof(*c));
    if (!c) {
        return false;
    }
    c->document = document;
    c->why = why;
    bool ok = fits(c, schema, value);
    free(c);
    return ok;
}

bool schema_fits_text(const json_t *document, const json_t *schema, struct span value,
                      struct buf *why)
{
    json_t *v = schema_load(value, why);
    bool ok = v && schema_fits(document, schema, v, why);
    json_decref(v);
    return ok;
}
