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

enum d7_err body_verdict(struct reply *reply)
{
    if (reply->field_count == 0) {
        return D7_OK;
    }
    reply->code = "validation";
    return d7_refuse(&reply->why, D7_ERR_INVALID, NULL, "%zu field%s refused: see errors",
                     reply->field_count, reply->field_count == 1 ? "" : "s");
}
