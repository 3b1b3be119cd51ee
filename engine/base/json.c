#include "engine/base/json.h"

#include <jansson.h>

static const json_t *in(const struct jval *v)
{
    return (const json_t *)(const void *)v;
}

static const struct jval *out(const json_t *v)
{
    return (const struct jval *)(const void *)v;
}

/* Brackets are counted before jansson recurses: its own limit (2048) is no protection for us. */
static bool too_deep(struct span text)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (quoted) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > JVAL_DEPTH_MAX) {
                return true;
            }
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return false;
}

/* Our sentence for what jansson found: its own words name its own flags, and quote text that it has
 * escaped already. The prefix tells apart what it gives one code; a sentence for all of that code
 * comes behind. */
static const char *fault_of(const json_error_t *error)
{
    static const struct {
        enum json_error_code code;
        const char *prefix, *sentence;
    } faults[] = {
        {json_error_null_character, "", "a string holds \\u0000"},
        {json_error_null_byte_in_key, "", "a key holds \\u0000"},
        {json_error_invalid_utf8, "", "the text is not UTF-8"},
        {json_error_premature_end_of_input, "", "the text ends too early"},
        {json_error_end_of_input_expected, "", "something follows the value"},
        {json_error_duplicate_key, "", "a key comes twice in one object"},
        {json_error_numeric_overflow, "", "a number is too large"},
        {json_error_stack_overflow, "", "too many levels"},
        {json_error_invalid_syntax, "invalid Unicode", "a string holds half of a surrogate pair"},
        {json_error_invalid_syntax, "invalid escape", "a string holds an unknown escape"},
        {json_error_invalid_syntax, "control character", "a string holds a control character"},
        {json_error_invalid_syntax, "unexpected newline", "a string holds a line end"},
    };
    enum json_error_code code = json_error_code(error);
    for (size_t i = 0; i < D7_COUNT(faults); i++) {
        if (faults[i].code == code &&
            strncmp(error->text, faults[i].prefix, strlen(faults[i].prefix)) == 0) {
            return faults[i].sentence;
        }
    }
    return "something here does not belong in JSON";
}

/* The key that came twice: what jansson quotes behind "near '", its own quotes taken off. Empty
 * when it quotes nothing. */
static struct span doubled_key(const json_error_t *error)
{
    const char *near = strstr(error->text, "near '\"");
    if (json_error_code(error) != json_error_duplicate_key || !near) {
        return span_make(NULL, 0);
    }
    struct span rest = span_of(near + strlen("near '\""));
    return span_cut(&rest, '"');
}

enum d7_err jval_parse(struct span text, struct jval **ret_root, struct d7_why *why)
{
    if (too_deep(text)) {
        return d7_refuse(why, D7_ERR_SYNTAX, NULL, "JSON nested deeper than %d levels",
                         JVAL_DEPTH_MAX);
    }
    json_error_t error;
    json_t *root = json_loadb(text.len ? text.ptr : "", text.len,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root) {
        if (json_error_code(&error) == json_error_out_of_memory) {
            return D7_ERR_NOMEM;
        }
        struct span key = doubled_key(&error);
        char quoted[64] = "";
        return d7_refuse(why, D7_ERR_SYNTAX, NULL, "not JSON: line %d, column %d: %s%s%s%s",
                         error.line, error.column, fault_of(&error), key.len ? ": '" : "",
                         span_escape(key, quoted, sizeof(quoted)), key.len ? "'" : "");
    }
    *ret_root = (struct jval *)(void *)root;
    return D7_OK;
}

void jval_free(struct jval *root)
{
    json_decref((json_t *)(void *)root);
}

enum jval_kind jval_kind_of(const struct jval *v)
{
    switch (json_typeof(in(v))) {
    case JSON_OBJECT:
        return JVAL_OBJECT;
    case JSON_ARRAY:
        return JVAL_ARRAY;
    case JSON_STRING:
        return JVAL_TEXT;
    case JSON_INTEGER:
        return JVAL_INTEGER;
    case JSON_REAL:
        return JVAL_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return JVAL_BOOL;
    case JSON_NULL:
        break;
    }
    return JVAL_NULL;
}

const struct jval *jval_get(const struct jval *v, const char *key)
{
    return v ? out(json_object_get(in(v), key)) : NULL;
}

size_t jval_length(const struct jval *v)
{
    return v ? json_array_size(in(v)) : 0;
}

const struct jval *jval_at(const struct jval *v, size_t index)
{
    return v ? out(json_array_get(in(v), index)) : NULL;
}

bool jval_text(const struct jval *v, struct span *ret_text)
{
    if (!v || !json_is_string(in(v))) {
        return false;
    }
    *ret_text = span_make(json_string_value(in(v)), json_string_length(in(v)));
    return true;
}

bool jval_integer(const struct jval *v, int64_t *ret_value)
{
    if (!v || !json_is_integer(in(v))) {
        return false;
    }
    *ret_value = json_integer_value(in(v));
    return true;
}

bool jval_number(const struct jval *v, double *ret_value)
{
    if (!v || !json_is_number(in(v))) {
        return false;
    }
    *ret_value = json_number_value(in(v));
    return true;
}

bool jval_bool(const struct jval *v, bool *ret_value)
{
    if (!v || !json_is_boolean(in(v))) {
        return false;
    }
    *ret_value = json_is_true(in(v));
    return true;
}

const char *jval_unknown_key(const struct jval *v, const char *const *known)
{
    /* jansson's iterators want a mutable object, but do not change it */
    json_t *object = (json_t *)(uintptr_t)in(v);
    for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it)) {
        const char *key = json_object_iter_key(it);
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) {
            i++;
        }
        if (!known[i]) {
            return key;
        }
    }
    return NULL;
}

const char *jval_difference(const struct jval *want, const struct jval *have)
{
    json_t *object = (json_t *)(uintptr_t)in(want); /* iterators want it mutable, see above */
    for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it)) {
        const char *key = json_object_iter_key(it);
        const struct jval *other = jval_get(have, key);
        if (!other || !json_equal(json_object_iter_value(it), in(other))) {
            return key;
        }
    }
    return NULL;
}
