/*
 * register.c - POST /policies: a program, an endpoint, or one that plays by itself goes in.
 *
 * Design  everything is judged before anything is kept: fields (all at once), then whether the id
 * is free, then whether uploads can run here at all. Only then the file moves to its place and the
 * policy, its revision and its first run are written in one transaction.
 */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/intake.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

#define CONCURRENCY_MAX 8

/* A registration being put together. */
struct registration {
    char id[STORE_ID_SIZE];
    char name[STORE_NAME_SIZE];
    char family[STORE_NAME_SIZE];
    char description[STORE_TEXT_SIZE];
    char endpoint[sizeof(((struct revision *)0)->endpoint)];
    char format[ARTIFACT_FORMAT_SIZE];
    int64_t concurrency;
    bool remote;
};

/* What the request says, before it is judged; ptr NULL: not there. */
struct texts {
    struct span id, name, family, description;
};

static void check_texts(const struct texts *t, struct reply *reply, struct registration *r)
{
    if (!check_missing(t->id, reply, "id", "") &&
        (!span_is_slug(t->id, 2, 63, true) || span_copy(t->id, r->id, sizeof(r->id)))) {
        (void)reply_field_error(reply, "id",
                                "id must be 2 to 63 characters of a-z, 0-9 and '-', beginning with "
                                "a letter");
    }
    if (!check_missing(t->name, reply, "name", "")) {
        check_name(t->name, reply, r->name);
    }
    check_family(t->family, reply, r->family);
    check_description(t->description, reply, r->description);
}

static enum d7_err decode_form(struct api *api, const struct request *req, struct reply *reply,
                               struct registration *r)
{
    static const char *const known[] = {"id", "name", "family", "description"};
    struct texts t = {0};
    struct span *const to[] = {&t.id, &t.name, &t.family, &t.description};
    for (size_t i = 0; i < req->field_count; i++) {
        struct span key = req->fields[i].key;
        size_t k = 0;
        while (k < D7_COUNT(known) && !span_is(key, known[k])) {
            k++;
        }
        char shown[64];
        (void)span_escape(key, shown, sizeof(shown));
        if (k == D7_COUNT(known)) {
            (void)reply_field_error(reply, shown, "unknown field");
        } else if (to[k]->ptr) {
            (void)reply_field_error(reply, shown, "%s is given twice", shown);
        } else {
            *to[k] = req->fields[i].value;
        }
    }
    check_texts(&t, reply, r);
    return check_file(api, req, reply, r->format);
}

/* How it is reached: its address, or not at all (it comes by itself). */
static void check_way(struct api *api, const struct jval *root, struct reply *reply,
                      struct registration *r)
{
    struct span endpoint = body_text(root, reply, "endpoint");
    const struct jval *remote = jval_get(root, "remote");
    if (remote && !jval_bool(remote, &r->remote)) {
        (void)reply_field_error(reply, "remote", "remote must be true or false");
        return;
    }
    if (!r->remote) {
        check_endpoint(api, endpoint, reply, r->endpoint);
    } else if (endpoint.ptr) {
        (void)reply_field_error(reply, "endpoint",
                                "a remote policy has no endpoint: it plays over "
                                "HTTP by itself");
    }
    const struct jval *games = jval_get(root, "concurrency");
    if (games && r->remote) {
        (void)reply_field_error(reply, "concurrency",
                                "a remote policy plays as many games at once as it begins");
    } else if (games && (!jval_integer(games, &r->concurrency) || r->concurrency < 1 ||
                         r->concurrency > CONCURRENCY_MAX)) {
        (void)reply_field_error(reply, "concurrency",
                                "concurrency must be a whole number from 1 to %d", CONCURRENCY_MAX);
    }
}

static enum d7_err decode_json(struct api *api, const struct request *req, struct reply *reply,
                               struct registration *r)
{
    static const char *const known[] = {"id",       "name",        "family", "description",
                                        "endpoint", "concurrency", "remote", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    struct texts t = {.id = body_text(root, reply, "id"),
                      .name = body_text(root, reply, "name"),
                      .family = body_text(root, reply, "family"),
                      .description = body_text(root, reply, "description")};
    check_texts(&t, reply, r);
    check_way(api, root, reply, r);
    jval_free(root);
    return D7_OK;
}

/* --- taking it in ---------------------------------------------------------------------------- */

static enum d7_err taken(struct reply *reply, const char *id)
{
    (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/policies/%s", id);
    return d7_refuse(&reply->why, D7_ERR_CONFLICT, "id", "this id is taken");
}

static enum d7_err check_free(struct api *api, struct reply *reply, const char *id)
{
    struct policy_row *row = calloc(1, sizeof(*row));
    if (!row) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, id, row);
    free(row);
    return err == D7_ERR_NOT_FOUND ? D7_OK : err ? err : taken(reply, id);
}

static enum d7_err add_policy(struct store *st, void *ctx)
{
    char run_id[STORE_KEY_SIZE];
    return policy_add(st, ctx, clock_utc_ms(), run_id);
}

static enum d7_err take_in(struct api *api, const struct request *req, struct reply *reply,
                           const struct registration *r)
{
    struct suite_row suite;
    enum d7_err err = suite_get(api->store, NULL, &suite);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_INTERNAL : err; /* every store has one */
    }
    struct quota_excess excess = {0};
    enum policy_kind kind = req->is_form ? KIND_UPLOAD : r->remote ? KIND_REMOTE : KIND_ENDPOINT;
    struct policy_new_row row = {.id = r->id,
                                 .name = r->name,
                                 .family = r->family,
                                 .description = r->description,
                                 .kind = kind,
                                 .owner_id = req->account.id,
                                 .public_information = true,
                                 .concurrency = (uint32_t)r->concurrency,
                                 .sha256 = req->is_form ? req->file.sha256 : "",
                                 .size_bytes = req->is_form ? req->file.size_bytes : 0,
                                 .format = req->is_form ? r->format : policy_kind_text(kind),
                                 .endpoint = r->endpoint,
                                 .suite_id = suite.id,
                                 .quota = &api->site->quota,
                                 .excess = &excess};
    err = intake_keep(api, req->is_form ? &req->file : NULL, add_policy, &row);
    suite_release(&suite);
    if (err == D7_ERR_QUOTA) {
        return refuse_quota(reply, &excess);
    }
    return err == D7_ERR_CONFLICT ? taken(reply, r->id) : err; /* somebody was quicker */
}

static enum d7_err reply_created(struct api *api, struct reply *reply, const char *id)
{
    struct policy_row *row = calloc(1, sizeof(*row));
    enum d7_err err = row ? policy_get(api->store, id, row) : D7_ERR_NOMEM;
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/policies/%s", id);
        struct jout j = reply_json(reply, 201, CACHE_NONE);
        policy_write(&j, row, true);
        err = reply->body.err;
    }
    free(row);
    return err;
}

enum d7_err api_policy_register(struct api *api, const struct request *req, struct reply *reply)
{
    struct registration *r = calloc(1, sizeof(*r));
    if (!r) {
        return D7_ERR_NOMEM;
    }
    r->concurrency = 1;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = req->is_form ? decode_form(api, req, reply, r) : decode_json(api, req, reply, r);
    }
    if (!err) {
        err = body_verdict(reply);
    }
    if (!err) {
        err = check_free(api, reply, r->id);
    }
    if (!err && req->is_form) {
        err = check_sandbox(api, reply);
    }
    if (!err) {
        err = take_in(api, req, reply, r);
    }
    if (!err) {
        err = reply_created(api, reply, r->id);
    }
    free(r);
    return err;
}
