/* tokens.c - who this token is, what its account holds, self-registration, and the end of a token.
 */
#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/wire.h"

#define TOKEN_PREFIX "d7_"
#define TOKEN_BYTES  32
#define TOKEN_SIZE   (sizeof(TOKEN_PREFIX) + 2 * TOKEN_BYTES)

static void quota_write(struct jout *j, const struct quota *quota, const int64_t used[QUOTA_THINGS])
{
    jout_key(j, "quota");
    jout_object(j);
    for (size_t i = 0; i < QUOTA_THINGS; i++) {
        jout_key(j, quota_thing_text((enum quota_thing)i));
        jout_object(j);
        jout_kv_int(j, "used", used[i]);
        jout_key(j, "limit");
        if (quota->limit[i] > 0) {
            jout_int(j, quota->limit[i]);
        } else {
            jout_null(j);
        }
        jout_object_end(j);
    }
    jout_object_end(j);
}

enum d7_err api_me(struct api *api, const struct request *req, struct reply *reply)
{
    int64_t used[QUOTA_THINGS];
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = quota_used(api->store, req->account.id, clock_utc_ms(), used);
    }
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, 200, CACHE_NONE);
    jout_object(&j);
    jout_kv_text(&j, "name", req->account.name);
    jout_kv_bool(&j, "admin", req->account.admin);
    quota_write(&j, &api->site->quota, used);
    jout_object_end(&j);
    return reply->body.err;
}

/* The secret is shown once, in this answer; the store only ever sees its hash. */
static enum d7_err add_and_tell(struct api *api, const char *name, struct reply *reply)
{
    char token[TOKEN_SIZE] = TOKEN_PREFIX;
    char hash[SHA_HEX_SIZE];
    char id[STORE_KEY_SIZE];
    enum d7_err err = random_hex(token + sizeof(TOKEN_PREFIX) - 1, TOKEN_BYTES);
    if (err) {
        return err;
    }
    sha_of(span_of(token), hash);
    err = account_token_add(api->store, name, false, true, hash, clock_utc_ms(), id);
    if (!err) {
        struct jout j = reply_json(reply, 201, CACHE_NONE);
        jout_object(&j);
        jout_kv_text(&j, "id", id);
        jout_kv_text(&j, "name", name);
        jout_kv_text(&j, "token", token);
        jout_object_end(&j);
        err = reply->body.err;
    } else if (err == D7_ERR_CONFLICT) {
        err = d7_refuse(&reply->why, err, "name", "this name is taken");
    }
    explicit_bzero(token, sizeof(token));
    return err;
}

/* Only accounts that came to be count. */
static enum d7_err add_in_time(struct api *api, const struct request *req, const char *name,
                               struct reply *reply)
{
    struct limiter *limiter = api->site->limiter;
    struct limit_key key = limit_key_address(&req->address);
    int retry_s = 0;
    if (limit_take(limiter, LIMIT_TOKENS, key, clock_mono_us(), &retry_s)) {
        reply->retry_after_s = retry_s;
        return d7_refuse(&reply->why, D7_ERR_RATE, NULL,
                         "too many new accounts from this address: again in %d s", retry_s);
    }
    enum d7_err err = add_and_tell(api, name, reply);
    if (err) {
        limit_give_back(limiter, LIMIT_TOKENS, key);
    }
    return err;
}

enum d7_err api_token_add(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"name", NULL};
    struct jval *root = NULL;
    char name[STORE_NAME_SIZE];
    if (!api->site->config->registration_open) {
        return d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                         "registration is closed here: ask the operator for a token");
    }
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = body_object(req, reply, known, &root);
    }
    if (err) {
        return err;
    }
    struct span text = body_text(root, reply, "name");
    if (!text.ptr && reply->field_count == 0) {
        (void)reply_field_error(reply, "name", "name is required");
    } else if (text.ptr && (!span_is_name(text) || span_trim(text).len != text.len ||
                            span_copy(text, name, sizeof(name)))) {
        (void)reply_field_error(reply, "name",
                                "name must have 1 to 80 characters, one of them visible, no "
                                "control characters, no blanks at its ends");
    }
    err = body_verdict(reply);
    if (!err) {
        err = add_in_time(api, req, name, reply);
    }
    jval_free(root);
    return err;
}

enum d7_err api_token_end(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_KEY_SIZE];
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "token", id, sizeof(id));
    }
    if (!err) {
        err = token_revoke_own(api->store, req->account.id, id, clock_utc_ms());
    }
    if (err == D7_ERR_NOT_FOUND) {
        return wire_no_such(reply, "token", req->params[0]);
    }
    if (err == D7_ERR_FORBIDDEN) {
        return d7_refuse(&reply->why, err, NULL, "a token is ended by its own account");
    }
    if (!err) {
        reply->status = 204;
    }
    return err;
}
