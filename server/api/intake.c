#include "server/api/intake.h"

#include <errno.h>
#include <fcntl.h>

#include "engine/harness/address.h"
#include "server/log.h"
#include "server/work/endpoint_policy.h"

/* --- texts ----------------------------------------------------------------------------------- */

bool check_missing(struct span text, struct reply *reply, const char *name, const char *hint)
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

void check_name(struct span text, struct reply *reply, char ret[STORE_NAME_SIZE])
{
    if (text.ptr && (!span_is_name(text) || span_copy(text, ret, STORE_NAME_SIZE))) {
        (void)reply_field_error(reply, "name",
                                "name must have 1 to 80 characters, one of them visible, no "
                                "control characters");
    }
}

void check_family(struct span text, struct reply *reply, char ret[STORE_NAME_SIZE])
{
    if (text.ptr && ((text.len && !span_is_name(text)) || span_copy(text, ret, STORE_NAME_SIZE))) {
        (void)reply_field_error(reply, "family",
                                "family must be empty or have up to 80 characters, one of them "
                                "visible, no control characters");
    }
}

/* Forms end the lines of a text by CR LF, whatever was typed; kept are line feeds. False where the
 * text does not fit. */
static bool copy_lines(struct span text, char ret[STORE_TEXT_SIZE])
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool ends_line = text.ptr[i] == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n';
        if (!ends_line && len + 1 < STORE_TEXT_SIZE) {
            ret[len] = text.ptr[i];
        }
        len += ends_line ? 0 : 1;
    }
    ret[len < STORE_TEXT_SIZE ? len : 0] = '\0';
    return len < STORE_TEXT_SIZE && span_is_label(span_make(ret, len), 0, 2000, true);
}

void check_description(struct span text, struct reply *reply, char ret[STORE_TEXT_SIZE])
{
    if (text.ptr && !copy_lines(text, ret)) {
        (void)reply_field_error(reply, "description",
                                "description must have up to 2,000 characters, no control "
                                "characters but line feed and tab");
    }
}

/* --- an endpoint ----------------------------------------------------------------------------- */

void check_endpoint(struct api *api, struct span text, struct reply *reply,
                    char ret[INTAKE_ENDPOINT_SIZE])
{
    struct host_port at;
    struct d7_why why = {0};
    if (check_missing(text, reply, "endpoint",
                      ": tcp://HOST:PORT (a program is uploaded as multipart/form-data)")) {
        return;
    }
    if (host_port_parse_endpoint(text, &at, &why) ||
        endpoint_literal_allowed(&at, api->site->config, &why)) {
        (void)reply_field_error(reply, "endpoint", "%s", why.text);
    } else if (span_copy(text, ret, INTAKE_ENDPOINT_SIZE)) {
        (void)reply_field_error(reply, "endpoint", "endpoint must have up to %zu characters",
                                INTAKE_ENDPOINT_SIZE - 1);
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

enum d7_err check_file(struct api *api, const struct request *req, struct reply *reply,
                       char ret_format[ARTIFACT_FORMAT_SIZE])
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
    err = artifact_format(span_make(head, len), (uint64_t)file->size_bytes, &allowed, ret_format,
                          &why);
    if (err == D7_ERR_INVALID || err == D7_ERR_NOT_FOUND) {
        (void)reply_field_error(reply, "policy", "%s", why.text);
        return D7_OK;
    }
    return err;
}

enum d7_err check_sandbox(struct api *api, struct reply *reply)
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

/* --- keeping it ------------------------------------------------------------------------------ */

static void drop(struct api *api, const char *sha256)
{
    enum d7_err err = store_artifact_drop(api->store, sha256);
    if (err) {
        log_line(LOG_ERROR, "artifact %s stays though nothing refers to it: %s", sha256,
                 d7_err_text(err));
    }
}

enum d7_err intake_keep(struct api *api, const struct form_file *upload,
                        enum d7_err (*write)(struct store *st, void *ctx), void *ctx)
{
    if (!upload) {
        return write(api->store, ctx);
    }
    (void)pthread_mutex_lock(&api->site->upload_lock); /* fails on misuse only */
    enum d7_err err = store_artifact_adopt(api->store, upload->path, upload->sha256);
    if (!err) {
        err = write(api->store, ctx);
    }
    if (err) {
        drop(api, upload->sha256); /* also where adopting failed: it may have after the move */
    }
    (void)pthread_mutex_unlock(&api->site->upload_lock);
    return err;
}

void intake_drop(struct api *api, const char *policy_id)
{
    char sha256[SHA_HEX_SIZE] = "";
    enum d7_err err = D7_OK;
    (void)pthread_mutex_lock(&api->site->upload_lock);
    while (!err) {
        err = revision_next_artifact(api->store, policy_id, sha256, sha256);
        if (!err) {
            drop(api, sha256);
        }
    }
    (void)pthread_mutex_unlock(&api->site->upload_lock);
    if (err != D7_ERR_NOT_FOUND) {
        log_line(LOG_ERROR, "artifacts of '%s' stay: %s", policy_id, d7_err_text(err));
    }
}

enum d7_err refuse_quota(struct reply *reply, const struct quota_excess *e)
{
    static const char *const what[QUOTA_THINGS] = {
        [QUOTA_POLICIES] = "policies",
        [QUOTA_REVISIONS] = "revisions within 24 hours",
        [QUOTA_JOBS] = "waiting checks and games",
        [QUOTA_ARTIFACTS] = "bytes of programs",
    };
    return d7_refuse(&reply->why, D7_ERR_QUOTA, NULL,
                     "%lld of %lld %s are used, and this asks for %lld more", (long long)e->used,
                     (long long)e->limit, what[e->thing], (long long)e->asked);
}
