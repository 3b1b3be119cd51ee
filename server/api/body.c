#include "server/api/body.h"

enum d7_err body_object(const struct request *req, struct reply *reply, const char *const *known,
                        struct jval **ret)
{
    struct jval *root = NULL;
    enum d7_err err = jval_parse(req->body, &root, &reply->why);
    if (err) {
        reply->code = err == D7_ERR_SYNTAX ? "bad-json" : NULL;
        return err;
    }
    if (jval_kind_of(root) != JVAL_OBJECT) {
        jval_free(root);
        reply->code = "validation";
        return d7_refuse(&reply->why, D7_ERR_INVALID, NULL, "the body must be a JSON object");
    }
    const char *unknown = jval_unknown_key(root, known);
    if (unknown) {
        char shown[64];
        (void)reply_field_error(reply, span_escape(span_of(unknown), shown, sizeof(shown)),
                                "unknown field");
    }
    *ret = root;
    return D7_OK;
}

struct span body_text(const struct jval *root, struct reply *reply, const char *name)
{
    const struct jval *v = jval_get(root, name);
    struct span text = {NULL, 0};
    if (v && !jval_text(v, &text)) {
        (void)reply_field_error(reply, name, "%s must be a text", name);
    }
    return text;
}

void body_slug(const struct jval *root, struct reply *reply, const char *name, bool required,
               char ret[STORE_ID_SIZE])
{
    struct span text = body_text(root, reply, name);
    ret[0] = '\0';
    if (!text.ptr) {
        if (required && !jval_get(root, name)) {
            (void)reply_field_error(reply, name, "%s is required", name);
        }
    } else if (!span_is_slug(text, 1, STORE_ID_SIZE - 1, false) ||
               span_copy(text, ret, STORE_ID_SIZE)) {
        (void)reply_field_error(reply, name, "%s must be an id: 1 to %d of a-z, 0-9 and '-'", name,
                                STORE_ID_SIZE - 1);
    }
}

static bool repeated(char (*ids)[STORE_ID_SIZE], size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ids[i], id) == 0) {
            return true;
        }
    }
    return false;
}

enum d7_err body_rounds(const struct jval *root, struct reply *reply,
                        char (**ret_ids)[STORE_ID_SIZE], size_t *ret_count)
{
    const struct jval *list = jval_get(root, "rounds");
    size_t count = jval_length(list);
    if (!list || jval_kind_of(list) != JVAL_ARRAY || count == 0 || count > SUITE_ROUNDS_MAX) {
        (void)reply_field_error(reply, "rounds", "rounds must be a list of 1 to %d round ids",
                                SUITE_ROUNDS_MAX);
        return D7_OK;
    }
    char(*ids)[STORE_ID_SIZE] = calloc(count, sizeof(*ids));
    if (!ids) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        struct span text;
        if (!jval_text(jval_at(list, i), &text) ||
            !span_is_slug(text, 1, STORE_ID_SIZE - 1, false) ||
            span_copy(text, ids[i], STORE_ID_SIZE)) {
            (void)reply_field_error(reply, "rounds", "rounds[%zu] must be a round id", i);
        } else if (repeated(ids, i, ids[i])) {
            (void)reply_field_error(reply, "rounds", "rounds[%zu] repeats '%s'", i, ids[i]);
        }
    }
    *ret_ids = ids;
    *ret_count = count;
    return D7_OK;
}

enum d7_err body_verdict(struct reply *reply)
{
    if (reply->field_count == 0) {
        return D7_OK;
    }
    reply->code = "validation";
    return d7_refuse(&reply->why, D7_ERR_INVALID, NULL, "%zu field%s refused: see errors",
                     reply->field_count, reply->field_count == 1 ? "" : "s");
}
