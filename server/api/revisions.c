/*
 * revisions.c - new revisions of a policy, and what became of the earlier ones.
 *
 * Design  a revision is what the policy's kind is: a file for an upload, an address for an
 * endpoint, a mere statement ("remote": true) for a program that plays by itself. The old one stays
 * current until the new one has passed its check; games stay with what played them.
 */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/intake.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

struct change {
    struct policy_row policy;
    char endpoint[INTAKE_ENDPOINT_SIZE];
    char format[ARTIFACT_FORMAT_SIZE];
};

static enum d7_err find_policy(struct api *api, const struct request *req, struct reply *reply,
                               struct policy_row *ret)
{
    char id[STORE_ID_SIZE];
    enum d7_err err = wire_param(req, reply, 0, "policy", id, sizeof(id));
    if (!err) {
        err = policy_get(api->store, id, ret);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "policy", span_of(id));
        }
    }
    return err;
}

/* --- a new one ------------------------------------------------------------------------------- */

static enum d7_err refuse_status(struct reply *reply, const struct policy_row *p, const char *text)
{
    (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/policies/%s", p->id);
    return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL, "%s", text);
}

static enum d7_err may_revise(const struct request *req, struct reply *reply,
                              const struct policy_row *p)
{
    if (!may_manage(req, p)) {
        return d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                         "revisions are for the policy's owner and admins");
    }
    if (p->kind == KIND_BUILTIN) {
        return refuse_status(reply, p, "a built-in policy changes with the program only");
    }
    if (p->status == POLICY_SUSPENDED || p->status == POLICY_RETIRED) {
        return refuse_status(reply, p, "a suspended or retired policy takes no revision");
    }
    return D7_OK;
}

static enum d7_err decode_form(struct api *api, const struct request *req, struct reply *reply,
                               struct change *c)
{
    if (c->policy.kind != KIND_UPLOAD) {
        (void)reply_field_error(reply, "policy", "this policy is no uploaded program: send JSON");
        return D7_OK;
    }
    for (size_t i = 0; i < req->field_count; i++) {
        char shown[64];
        (void)span_escape(req->fields[i].key, shown, sizeof(shown));
        (void)reply_field_error(reply, shown, "unknown field (texts are changed by PATCH)");
    }
    return check_file(api, req, reply, c->format);
}

static enum d7_err decode_json(struct api *api, const struct request *req, struct reply *reply,
                               struct change *c)
{
    static const char *const for_endpoint[] = {"endpoint", NULL};
    static const char *const for_remote[] = {"remote", NULL};
    bool is_remote = c->policy.kind == KIND_REMOTE;
    struct jval *root = NULL;
    if (c->policy.kind == KIND_UPLOAD) {
        (void)reply_field_error(reply, "policy",
                                "the program is required, as the file part of a "
                                "multipart/form-data body");
        return D7_OK;
    }
    enum d7_err err = body_object(req, reply, is_remote ? for_remote : for_endpoint, &root);
    if (err) {
        return err;
    }
    bool said = false;
    if (!is_remote) {
        check_endpoint(api, body_text(root, reply, "endpoint"), reply, c->endpoint);
    } else if (!jval_bool(jval_get(root, "remote"), &said) || !said) {
        (void)reply_field_error(reply, "remote",
                                "remote must be true: this policy plays by itself");
    }
    jval_free(root);
    return D7_OK;
}

struct addition {
    struct revision_new_row row;
    int64_t number;
};

static enum d7_err add_revision(struct store *st, void *ctx)
{
    struct addition *a = ctx;
    char run_id[STORE_KEY_SIZE];
    return revision_add(st, &a->row, clock_utc_ms(), &a->number, run_id);
}

static enum d7_err take_in(struct api *api, const struct request *req, struct reply *reply,
                           const struct change *c, int64_t *ret_number)
{
    struct suite_row suite;
    struct quota_excess excess = {0};
    enum d7_err err = suite_get(api->store, NULL, &suite);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_INTERNAL : err; /* every store has one */
    }
    struct addition a = {
        .row = {.policy_id = c->policy.id,
                .sha256 = req->is_form ? req->file.sha256 : "",
                .size_bytes = req->is_form ? req->file.size_bytes : 0,
                .format = req->is_form ? c->format : policy_kind_text(c->policy.kind),
                .endpoint = c->endpoint,
                .suite_id = suite.id,
                .quota = &api->site->quota,
                .excess = &excess}};
    err = intake_keep(api, req->is_form ? &req->file : NULL, add_revision, &a);
    suite_release(&suite);
    if (err == D7_ERR_QUOTA) {
        return refuse_quota(reply, &excess);
    }
    if (err == D7_ERR_FORBIDDEN) { /* suspended or retired a moment ago */
        return refuse_status(reply, &c->policy, "a suspended or retired policy takes no revision");
    }
    if (!err) {
        *ret_number = a.number;
    }
    return err;
}

static enum d7_err reply_added(struct api *api, struct reply *reply, struct change *c,
                               int64_t number)
{
    enum d7_err err = policy_get(api->store, c->policy.id, &c->policy);
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/policies/%s/revisions/%lld", c->policy.id,
                     (long long)number);
        struct jout j = reply_json(reply, 201, CACHE_NONE);
        policy_write(&j, &c->policy, true);
        err = reply->body.err;
    }
    return err;
}

static enum d7_err revise(struct api *api, const struct request *req, struct reply *reply,
                          struct change *c)
{
    int64_t number = 0;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = find_policy(api, req, reply, &c->policy);
    }
    if (!err) {
        err = may_revise(req, reply, &c->policy);
    }
    if (!err) {
        err = req->is_form ? decode_form(api, req, reply, c) : decode_json(api, req, reply, c);
    }
    if (!err) {
        err = body_verdict(reply);
    }
    if (!err && req->is_form) {
        err = check_sandbox(api, reply);
    }
    if (!err) {
        err = take_in(api, req, reply, c, &number);
    }
    return err ? err : reply_added(api, reply, c, number);
}

enum d7_err api_revision_add(struct api *api, const struct request *req, struct reply *reply)
{
    struct change *c = calloc(1, sizeof(*c));
    enum d7_err err = c ? revise(api, req, reply, c) : D7_ERR_NOMEM;
    free(c);
    return err;
}

/* --- reading --------------------------------------------------------------------------------- */

static enum d7_err list(struct api *api, const struct request *req, struct reply *reply,
                        struct policy_row *policy)
{
    static const char *const known[] = {"limit", "cursor", NULL};
    struct store_page page;
    struct revision *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = find_policy(api, req, reply, policy);
    }
    if (!err) {
        err = wire_list_error(reply, revision_list(api->store, policy->id, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count; i++) {
        revision_write(&j, &rows[i], policy, may_manage(req, policy));
    }
    free(rows);
    reply_header(reply, "Vary", "Authorization"); /* owners see more */
    return wire_list_end(&j, req, reply, &page);
}

enum d7_err api_revision_list(struct api *api, const struct request *req, struct reply *reply)
{
    struct policy_row *policy = calloc(1, sizeof(*policy));
    enum d7_err err = policy ? list(api, req, reply, policy) : D7_ERR_NOMEM;
    free(policy);
    return err;
}

static enum d7_err find_revision(struct api *api, const struct request *req, struct reply *reply,
                                 struct policy_row *policy, struct revision *ret)
{
    int64_t number = 0;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = find_policy(api, req, reply, policy);
    }
    if (!err) {
        err = span_parse_i64(req->params[1], 1, INT64_MAX, &number)
                  ? D7_ERR_NOT_FOUND
                  : revision_get(api->store, policy->id, number, ret);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "revision", req->params[1]);
        }
    }
    return err;
}

static enum d7_err get(struct api *api, const struct request *req, struct reply *reply,
                       struct policy_row *policy)
{
    struct revision r = {0};
    enum d7_err err = find_revision(api, req, reply, policy, &r);
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    revision_write(&j, &r, policy, may_manage(req, policy));
    reply_header(reply, "Vary", "Authorization");
    return reply->body.err;
}

enum d7_err api_revision_get(struct api *api, const struct request *req, struct reply *reply)
{
    struct policy_row *policy = calloc(1, sizeof(*policy));
    enum d7_err err = policy ? get(api, req, reply, policy) : D7_ERR_NOMEM;
    free(policy);
    return err;
}

static enum d7_err log_of(struct api *api, const struct request *req, struct reply *reply,
                          struct policy_row *policy)
{
    struct revision r = {0};
    char *bytes = NULL;
    size_t len = 0;
    enum d7_err err = find_revision(api, req, reply, policy, &r);
    if (!err && !may_manage(req, policy)) {
        err = d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                        "a revision's log is for the policy's owner and admins");
    }
    if (!err) {
        err = revision_log(api->store, policy->id, r.number, &bytes, &len);
    }
    if (!err) {
        struct jout j = reply_json(reply, 200, CACHE_NONE);
        jout_object(&j);
        jout_kv_text(&j, "policyId", policy->id);
        revision_write_keys(&j, &r, policy, true);
        jout_key(&j, "stderr");
        jout_span(&j, span_make(bytes, len));
        jout_object_end(&j);
        err = reply->body.err;
    }
    free(bytes);
    return err;
}

enum d7_err api_revision_log(struct api *api, const struct request *req, struct reply *reply)
{
    struct policy_row *policy = calloc(1, sizeof(*policy));
    enum d7_err err = policy ? log_of(api, req, reply, policy) : D7_ERR_NOMEM;
    free(policy);
    return err;
}
