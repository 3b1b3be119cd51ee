/*
 * register.c - POST /policies: a program or an endpoint goes in.
 *
 * Design  everything is judged before anything is kept: fields (all at once), then whether the id
 * is free, then whether uploads can run here at all. Only then the file moves to its place and the
 * policy, its revision and its first run are written in one transaction. A file no revision came to
 * refer to is removed again, under the lock that keeps an equal upload from losing it.
 */
#include <errno.h>
#include <fcntl.h>

#include "engine/base/clock.h"
#include "engine/harness/address.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/objects.h"
#include "server/api/wire.h"
#include "server/log.h"
#include "server/work/artifact.h"
#include "server/work/endpoint_policy.h"

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
};

/* What the request says, before it is judged; ptr NULL: not there. */
struct texts {
    struct span id, name, family, description;
};

static bool is_blank(struct span text)
{
    return span_trim(text).len == 0;
}

/* A required text that is not there is said so, unless its wrong type has been named already. */
static bool is_missing(struct span text, struct reply *reply, const char *name, const char *hint)
{
    bool named = false;
    for (size_t i = 0; i < reply->field_count && !text.ptr; i++) {
        named = named || strcmp(reply->fields[i].field, name) == 0;
    }
    if (!text.ptr && !named) {
        (void)reply_field_error(reply, name, "%s is required%s", name, hint);
    }
    return !text.ptr;
}

static void check_texts(const struct texts *t, struct reply *reply, struct registration *r)
{
    if (!is_missing(t->id, reply, "id", "") &&
        (!span_is_slug(t->id, 2, 63, true) || span_copy(t->id, r->id, sizeof(r->id)))) {
        (void)reply_field_error(reply, "id",
                                "id must be 2 to 63 characters of a-z, 0-9 and '-', beginning with "
                                "a letter");
    }
    if (!is_missing(t->name, reply, "name", "") &&
        (!span_is_label(t->name, 1, 80, false) || is_blank(t->name) ||
         span_copy(t->name, r->name, sizeof(r->name)))) {
        (void)reply_field_error(reply, "name",
                                "name must have 1 to 80 characters, no control characters");
    }
    if (t->family.ptr && (!span_is_label(t->family, 0, 80, false) ||
                          span_copy(t->family, r->family, sizeof(r->family)))) {
        (void)reply_field_error(reply, "family",
                                "family must have up to 80 characters, no control characters");
    }
    if (t->description.ptr && (!span_is_label(t->description, 0, 2000, true) ||
                               span_copy(t->description, r->description, sizeof(r->description)))) {
        (void)reply_field_error(reply, "description",
                                "description must have up to 2,000 characters, no control "
                                "characters but line feed and tab");
    }
}

/* --- a file ---------------------------------------------------------------------------------- */

static enum d7_err read_head(const char *path, char head[ARTIFACT_HEAD_BYTES], size_t *ret_len)
{
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return d7_err_from_errno(errno);
    }
    size_t len = 0;
    while (len < ARTIFACT_HEAD_BYTES) {
        ssize_t got = read(fd, head + len, ARTIFACT_HEAD_BYTES - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return d7_err_from_errno(errno);
        }
        if (got == 0) {
            break;
        }
        len += (size_t)got;
    }
    *ret_len = len;
    return D7_OK;
}

static struct interpreter_list interpreters_of(const struct config *config)
{
    struct interpreter_list list = {.count = 0};
    for (size_t i = 0; i < config->interpreter_count; i++) {
        /* names the operator gave were judged at start; one that does not fit is not offered */
        (void)!interpreter_list_add(&list, span_of(config->interpreters[i]));
    }
    interpreter_list_keep_installed(&list);
    return list;
}

/* Our failures are returned; what is wrong with the file is a field error. */
static enum d7_err check_file(struct api *api, const struct request *req, struct reply *reply,
                              struct registration *r)
{
    const struct config *config = api->site->config;
    const struct form_file *file = &req->file;
    if (!file->present) {
        (void)reply_field_error(reply, "policy", "the program is required, as a file part");
        return D7_OK;
    }
    if (file->size_bytes > config->max_upload) {
        return d7_refuse(&reply->why, D7_ERR_TOO_LARGE, "policy", "the limit is %lld bytes",
                         (long long)config->max_upload);
    }
    if (file->size_bytes <= 0) {
        (void)reply_field_error(reply, "policy", "the file is empty");
        return D7_OK;
    }
    char head[ARTIFACT_HEAD_BYTES];
    size_t len = 0;
    enum d7_err err = read_head(file->path, head, &len);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_IO : err; /* our own temporary file */
    }
    struct interpreter_list allowed = interpreters_of(config);
    struct d7_why why = {0};
    err = artifact_format(span_make(head, len), (uint64_t)file->size_bytes, &allowed, r->format,
                          &why);
    if (err == D7_ERR_INVALID || err == D7_ERR_NOT_FOUND) {
        (void)reply_field_error(reply, "policy", "%s", why.text);
        return D7_OK;
    }
    return err;
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
    return check_file(api, req, reply, r);
}

/* --- an endpoint ----------------------------------------------------------------------------- */

static void check_endpoint(struct api *api, struct span text, struct reply *reply,
                           struct registration *r)
{
    struct host_port at;
    struct d7_why why = {0};
    if (is_missing(text, reply, "endpoint",
                   ": tcp://HOST:PORT (a program is uploaded as multipart/form-data)")) {
        return;
    }
    if (host_port_parse_endpoint(text, &at, &why) ||
        endpoint_literal_allowed(&at, api->site->config, &why)) {
        (void)reply_field_error(reply, "endpoint", "%s", why.text);
    } else if (span_copy(text, r->endpoint, sizeof(r->endpoint))) {
        (void)reply_field_error(reply, "endpoint", "endpoint must have up to %zu characters",
                                sizeof(r->endpoint) - 1);
    }
}

static enum d7_err decode_json(struct api *api, const struct request *req, struct reply *reply,
                               struct registration *r)
{
    static const char *const known[] = {"id",       "name",        "family", "description",
                                        "endpoint", "concurrency", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    struct texts t = {.id = body_text(root, reply, "id"),
                      .name = body_text(root, reply, "name"),
                      .family = body_text(root, reply, "family"),
                      .description = body_text(root, reply, "description")};
    struct span endpoint = body_text(root, reply, "endpoint");
    check_texts(&t, reply, r);
    check_endpoint(api, endpoint, reply, r);
    const struct jval *games = jval_get(root, "concurrency");
    if (games && (!jval_integer(games, &r->concurrency) || r->concurrency < 1 ||
                  r->concurrency > CONCURRENCY_MAX)) {
        (void)reply_field_error(reply, "concurrency",
                                "concurrency must be a whole number from 1 to %d", CONCURRENCY_MAX);
    }
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

/* Is there a worker that may run strangers' programs? */
static enum d7_err check_sandbox(struct api *api, struct reply *reply)
{
    struct worker_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = worker_list(api->store, &rows, &count);
    if (err) {
        return err;
    }
    bool admits = false;
    const char *reason = "no worker is running";
    for (size_t i = 0; i < count; i++) {
        admits = admits || strcmp(rows[i].tier, "C") != 0;
        reason = rows[i].tier_reason;
    }
    if (!admits) {
        reply->code = "sandbox-unavailable";
        err = d7_refuse(&reply->why, D7_ERR_UNAVAILABLE, NULL,
                        "uploads cannot be confined here: %s (endpoints still work)", reason);
    }
    free(rows);
    return err;
}

static enum d7_err keep(struct api *api, const struct form_file *file,
                        const struct policy_new_row *row)
{
    char run_id[STORE_KEY_SIZE];
    if (row->kind != KIND_UPLOAD) {
        return policy_add(api->store, row, clock_utc_ms(), run_id);
    }
    (void)pthread_mutex_lock(&api->site->upload_lock); /* fails on misuse only */
    enum d7_err err = store_artifact_adopt(api->store, file->path, file->sha256);
    if (!err) {
        err = policy_add(api->store, row, clock_utc_ms(), run_id);
    }
    /* also where adopting failed: it may have failed after the move */
    enum d7_err drop = err ? store_artifact_drop(api->store, file->sha256) : D7_OK;
    if (drop) {
        log_line(LOG_ERROR, "artifact %s stays though nothing refers to it: %s", file->sha256,
                 d7_err_text(drop));
    }
    (void)pthread_mutex_unlock(&api->site->upload_lock);
    return err;
}

static enum d7_err take_in(struct api *api, const struct request *req, struct reply *reply,
                           const struct registration *r)
{
    struct suite_row suite;
    enum d7_err err = suite_get(api->store, NULL, &suite);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_INTERNAL : err; /* every store has one */
    }
    struct policy_new_row row = {.id = r->id,
                                 .name = r->name,
                                 .family = r->family,
                                 .description = r->description,
                                 .kind = req->is_form ? KIND_UPLOAD : KIND_ENDPOINT,
                                 .owner_id = req->account.id,
                                 .public_information = true,
                                 .concurrency = (uint32_t)r->concurrency,
                                 .sha256 = req->is_form ? req->file.sha256 : "",
                                 .size_bytes = req->is_form ? req->file.size_bytes : 0,
                                 .format = req->is_form ? r->format : "endpoint",
                                 .endpoint = r->endpoint,
                                 .suite_id = suite.id};
    err = keep(api, &req->file, &row);
    suite_release(&suite);
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
