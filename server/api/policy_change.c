/*
 * policy_change.c - PATCH and DELETE of a policy: other texts, suspended and let go, retired.
 *
 * Design  If-Match names the policy as GET shows it, to its owner or to everybody. So that of two
 * who saw the same state one is refused, a PATCH is written only while nothing at all was committed
 * since the state was compared; what has nothing to do with it just has it compared once more.
 */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/intake.h"
#include "server/api/objects.h"
#include "server/api/wire.h"
#include "server/http/gzip.h"
#include "server/http/headers.h"

#define REASON_MAX     200
#define MATCH_TRIES    8
#define MATCH_TEXT_MAX (64u << 10)

/* A change being put together. */
struct patch {
    struct policy_row policy;
    char name[STORE_NAME_SIZE];
    char family[STORE_NAME_SIZE];
    char description[STORE_TEXT_SIZE];
    char reason[REASON_MAX + 1];
    struct policy_patch to;
};

static enum d7_err find_mine(struct api *api, const struct request *req, struct reply *reply,
                             struct policy_row *ret)
{
    char id[STORE_ID_SIZE];
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "policy", id, sizeof(id));
    }
    if (!err) {
        err = policy_get(api->store, id, ret);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "policy", span_of(id));
        }
    }
    if (!err && !may_manage(req, ret)) {
        err = d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                        "a policy is changed by its owner and admins");
    }
    return err;
}

/* Is this what the client has seen, if it says what that was? */
static enum d7_err check_match(const struct request *req, struct reply *reply,
                               const struct policy_row *row)
{
    struct span listed = req->header(req, "If-Match");
    bool matches = !listed.ptr;
    for (int to_owner = 0; to_owner <= 1 && !matches; to_owner++) {
        char tag[ETAG_SIZE];
        struct buf text;
        struct jout j;
        buf_init(&text, MATCH_TEXT_MAX);
        jout_init(&j, &text);
        policy_write(&j, row, to_owner);
        enum d7_err err = text.err;
        etag_of(buf_span(&text), tag);
        buf_release(&text);
        if (err) {
            return err;
        }
        matches = etag_listed(listed, tag);
        etag_gzip(tag, tag);
        matches = matches || etag_listed(listed, tag);
    }
    if (matches) {
        return D7_OK;
    }
    reply->problem_status = 412;
    return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL,
                     "the policy is not what If-Match names: it was changed since");
}

static void decode_status(const struct jval *root, struct reply *reply, struct patch *p)
{
    struct span status = body_text(root, reply, "status");
    struct span reason = body_text(root, reply, "reason");
    if (status.ptr) {
        p->to.has_status = true;
        if (!policy_status_parse(status, &p->to.status) ||
            (p->to.status != POLICY_SUSPENDED && p->to.status != POLICY_READY)) {
            (void)reply_field_error(reply, "status", "status must be suspended or ready");
        }
    }
    if (!reason.ptr) {
        p->to.reason = "suspended by an administrator";
    } else if (!status.ptr) {
        (void)reply_field_error(reply, "reason", "a reason goes with a status");
    } else if (!span_is_label(reason, 1, REASON_MAX, false) ||
               span_copy(reason, p->reason, sizeof(p->reason))) {
        (void)reply_field_error(
            reply, "reason", "reason must have 1 to %d bytes, no control characters", REASON_MAX);
    } else {
        p->to.reason = p->reason;
    }
}

static enum d7_err decode(const struct request *req, struct reply *reply, struct patch *p)
{
    static const char *const known[] = {"name", "family", "description", "status", "reason", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    struct span name = body_text(root, reply, "name");
    struct span family = body_text(root, reply, "family");
    struct span description = body_text(root, reply, "description");
    check_name(name, reply, p->name);
    check_family(family, reply, p->family);
    check_description(description, reply, p->description);
    decode_status(root, reply, p);
    p->to.name = name.ptr ? p->name : NULL;
    p->to.family = family.ptr ? p->family : NULL;
    p->to.description = description.ptr ? p->description : NULL;
    jval_free(root);
    return body_verdict(reply);
}

static enum d7_err may_patch(const struct request *req, struct reply *reply, const struct patch *p)
{
    bool texts = p->to.name || p->to.family || p->to.description;
    if (p->to.has_status && !req->account.admin) {
        return d7_refuse(&reply->why, D7_ERR_FORBIDDEN, "status",
                         "policies are suspended and let go by admins");
    }
    if (texts && p->policy.kind == KIND_BUILTIN) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL,
                         "the texts of a built-in policy are the program's");
    }
    return D7_OK;
}

static enum d7_err change(struct api *api, const struct request *req, struct reply *reply,
                          struct patch *p)
{
    if (!req->header(req, "If-Match").ptr) {
        return policy_patch(api->store, p->policy.id, &p->to);
    }
    enum d7_err err = D7_ERR_CANCELLED;
    for (int tries = 0; tries < MATCH_TRIES && err == D7_ERR_CANCELLED; tries++) {
        err = store_version(api->store, &p->to.if_version);
        if (!err) {
            err = policy_get(api->store, p->policy.id, &p->policy);
        }
        if (!err) {
            err = check_match(req, reply, &p->policy);
        }
        if (reply->problem_status) {
            return err;
        }
        err = err ? err : policy_patch(api->store, p->policy.id, &p->to);
    }
    return err == D7_ERR_CANCELLED ? D7_ERR_BUSY : err;
}

static enum d7_err write_patch(struct api *api, const struct request *req, struct reply *reply,
                               struct patch *p)
{
    enum d7_err err = change(api, req, reply, p);
    if (reply->problem_status) {
        return err;
    }
    if (err == D7_ERR_FORBIDDEN || err == D7_ERR_CONFLICT) {
        (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/policies/%s",
                       p->policy.id);
    }
    if (err == D7_ERR_FORBIDDEN) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL, "a retired policy stays as it is");
    }
    if (err == D7_ERR_CONFLICT) {
        return d7_refuse(&reply->why, err, "status",
                         "only a suspended policy is made ready: the others by their check");
    }
    if (!err) {
        err = policy_get(api->store, p->policy.id, &p->policy);
    }
    if (!err) {
        struct jout j = reply_json(reply, 200, CACHE_NONE);
        policy_write(&j, &p->policy, true);
        err = reply->body.err;
    }
    return err;
}

enum d7_err api_policy_patch(struct api *api, const struct request *req, struct reply *reply)
{
    struct patch *p = calloc(1, sizeof(*p));
    if (!p) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = find_mine(api, req, reply, &p->policy);
    if (!err) {
        err = decode(req, reply, p);
    }
    if (!err) {
        err = may_patch(req, reply, p);
    }
    if (!err) {
        err = write_patch(api, req, reply, p);
    }
    free(p);
    return err;
}

enum d7_err api_policy_retire(struct api *api, const struct request *req, struct reply *reply)
{
    struct policy_row *row = calloc(1, sizeof(*row));
    if (!row) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = find_mine(api, req, reply, row);
    if (!err) {
        err = check_match(req, reply, row);
    }
    if (!err) {
        err = policy_retire(api->store, row->id, clock_utc_ms());
    }
    if (!err) {
        intake_drop(api, row->id);
        reply->status = 204;
    }
    free(row);
    return err;
}
