/*
 * body.c - taking a request's body: JSON into memory, forms piecewise with the file to disk.
 *
 * Design  nothing is kept beyond its limit. A declared length over the limit is refused before a
 * byte is read. A chunked body that passes it is read away (up to four times the limit, at most
 * 10 s), because MHD takes an answer only after the body; past that the answer is written straight
 * to the socket and the connection ends. The file goes to a random name, owner-readable, never
 * through a link, and is hashed on its way; it is removed with the request unless a handler moved
 * it.
 */
#include "server/http/mhd.h"

#include <errno.h>
#include <fcntl.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "server/http/headers.h"

#define FORM_TEXT_MAX  65536u
#define FORM_SLACK     131072u /* text fields, boundaries and part headers beside the file */
#define DISCARD_MS     10000
#define DISCARD_FACTOR 4

void body_init(struct exchange *ex)
{
    ex->body.upload_fd = -1;
    ex->body.limit = ex->d->o.json_max; /* for a body that is only read away */
    buf_init(&ex->body.text, FORM_TEXT_MAX);
}

static void upload_close(struct exchange *ex)
{
    if (ex->body.upload_fd >= 0) {
        (void)close(ex->body.upload_fd); /* nothing durable is promised before it is adopted */
        ex->body.upload_fd = -1;
    }
}

static void upload_drop(struct exchange *ex)
{
    upload_close(ex);
    if (ex->req.file.path[0]) {
        (void)unlink(ex->req.file.path); /* a handler that took it has moved it away */
        ex->req.file.path[0] = '\0';
    }
}

void body_release(struct exchange *ex)
{
    upload_drop(ex);
    buf_release(&ex->body.bytes);
    buf_release(&ex->body.text);
}

static enum d7_err upload_open(struct exchange *ex)
{
    struct form_file *file = &ex->req.file;
    char tag[33];
    enum d7_err err = random_hex(tag, 16);
    if (err) {
        return exchange_refuse(ex, err, NULL, "no random name for an upload");
    }
    int used = snprintf(file->path, sizeof(file->path), "%s/upload-%s", ex->d->o.upload_dir, tag);
    if (used < 0 || (size_t)used >= sizeof(file->path)) {
        file->path[0] = '\0';
        return exchange_refuse(ex, D7_ERR_INTERNAL, NULL, "the upload folder's name is too long");
    }
    ex->body.upload_fd =
        open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (ex->body.upload_fd < 0) {
        err = errno == ENOSPC || errno == EDQUOT ? D7_ERR_FULL : D7_ERR_IO;
        file->path[0] = '\0';
        return exchange_refuse(ex, err, NULL, "an upload cannot be written");
    }
    file->present = true;
    sha_init(&ex->body.sha);
    return D7_OK;
}

static enum d7_err upload_write(struct exchange *ex, const char *data, size_t size)
{
    struct form_file *file = &ex->req.file;
    if ((uint64_t)file->size_bytes + size > ex->d->o.upload_max) {
        upload_drop(ex);
        return exchange_refuse(ex, D7_ERR_TOO_LARGE, NULL, "the file may have at most %zu bytes",
                               ex->d->o.upload_max);
    }
    size_t room = sizeof(file->head) - file->head_len;
    size_t keep = size < room ? size : room;
    memcpy(file->head + file->head_len, data, keep);
    file->head_len += keep;
    file->size_bytes += (int64_t)size;
    sha_update(&ex->body.sha, data, size);
    enum d7_err err = fd_write_all(ex->body.upload_fd, data, size);
    if (err) {
        upload_drop(ex);
        return exchange_refuse(ex, err == D7_ERR_FULL ? D7_ERR_FULL : D7_ERR_IO, NULL,
                               "the upload could not be written");
    }
    return D7_OK;
}

static enum d7_err text_begin(struct exchange *ex, struct span key)
{
    struct body *b = &ex->body;
    if (b->part_count == FORM_FIELD_MAX) {
        return exchange_refuse(ex, D7_ERR_TOO_LARGE, NULL, "a form may have at most %d fields",
                               FORM_FIELD_MAX);
    }
    for (size_t i = 0; i < b->part_count; i++) {
        if (span_equal(key, span_make(b->text.data + b->parts[i].key_at, b->parts[i].key_len))) {
            return exchange_refuse(ex, D7_ERR_INVALID, "bad-request", "a form field comes twice");
        }
    }
    struct form_part *part = &b->parts[b->part_count++];
    part->key_at = b->text.len;
    part->key_len = key.len;
    buf_append(&b->text, key.ptr, key.len);
    part->value_at = b->text.len;
    return D7_OK;
}

static enum d7_err text_write(struct exchange *ex, const char *data, size_t size)
{
    struct body *b = &ex->body;
    buf_append(&b->text, data, size);
    b->parts[b->part_count - 1].value_len += size;
    if (b->text.err) {
        return exchange_refuse(
            ex, b->text.err, NULL,
            "the text fields may have at most %u bytes in all (a program goes in "
            "'policy')",
            FORM_TEXT_MAX);
    }
    return D7_OK;
}

static bool part_begin(void *ctx, struct span name)
{
    struct exchange *ex = ctx;
    ex->body.in_file = span_is(name, "policy");
    if (name.len == 0) {
        return !exchange_refuse(ex, D7_ERR_INVALID, "bad-request", "a form part has no name");
    }
    if (!ex->body.in_file) {
        return !text_begin(ex, name);
    }
    return !(ex->req.file.present
                 ? exchange_refuse(ex, D7_ERR_INVALID, "bad-request", "the file part comes twice")
                 : upload_open(ex));
}

static bool part_data(void *ctx, struct span piece)
{
    struct exchange *ex = ctx;
    return !(ex->body.in_file ? upload_write(ex, piece.ptr, piece.len)
                              : text_write(ex, piece.ptr, piece.len));
}

static enum d7_err form_begin(struct exchange *ex, struct span type)
{
    struct body *b = &ex->body;
    char boundary[FORM_BOUNDARY_MAX + 1];
    if (form_boundary(type, boundary)) {
        return exchange_refuse(ex, D7_ERR_INVALID, "bad-request",
                               "multipart/form-data needs a boundary of 1 to %d characters",
                               FORM_BOUNDARY_MAX);
    }
    const struct form_receiver to = {.begin = part_begin, .data = part_data, .ctx = ex};
    form_init(&b->form, boundary, &to);
    b->kind = BODY_IS_FORM;
    b->limit = ex->d->o.upload_max + FORM_SLACK;
    ex->req.is_form = true;
    return D7_OK;
}

static bool charset_is_utf8(struct span content_type)
{
    struct span charset;
    return !media_parameter(content_type, "charset", &charset) ||
           (charset.len == 5 && (charset.ptr[0] | 0x20) == 'u' && (charset.ptr[1] | 0x20) == 't' &&
            (charset.ptr[2] | 0x20) == 'f' && charset.ptr[3] == '-' && charset.ptr[4] == '8');
}

static enum d7_err choose(struct exchange *ex)
{
    enum route_body want = ex->route ? ex->route->body : BODY_NONE;
    struct span coding = exchange_header(ex, MHD_HTTP_HEADER_CONTENT_ENCODING);
    bool is_coded = coding.ptr && !media_is(coding, "identity");
    struct span type = exchange_header(ex, MHD_HTTP_HEADER_CONTENT_TYPE);
    ex->body.kind = BODY_IS_DISCARDED;
    ex->body.limit = ex->d->o.json_max;
    if (want == BODY_NONE) {
        return D7_OK;
    }
    if (is_coded) {
        return exchange_refuse(ex, D7_ERR_UNSUPPORTED, NULL,
                               "the body must come without a Content-Encoding");
    }
    if (want == BODY_JSON_LARGE && ex->body.limit < ROUTE_LARGE_BODY) {
        ex->body.limit = ROUTE_LARGE_BODY;
    }
    if (media_is(type, "application/json") && charset_is_utf8(type)) {
        ex->req.is_json = true;
        ex->body.kind = BODY_IS_JSON;
        buf_init(&ex->body.bytes, ex->body.limit);
        return D7_OK;
    }
    if (want == BODY_JSON_OR_FORM && media_is(type, "multipart/form-data")) {
        return form_begin(ex, type);
    }
    if (!ex->has_body && !type.ptr) {
        return D7_OK; /* nothing sent: the handler says what it misses */
    }
    return exchange_refuse(ex, D7_ERR_UNSUPPORTED, NULL, "the body must be %s",
                           want == BODY_JSON_OR_FORM ? "application/json or multipart/form-data"
                                                     : "application/json in UTF-8");
}

static enum d7_err too_large(struct exchange *ex)
{
    return exchange_refuse(ex, D7_ERR_TOO_LARGE, NULL, "the body may have at most %zu bytes",
                           ex->body.limit);
}

enum d7_err body_begin(struct exchange *ex)
{
    enum d7_err err = choose(ex);
    if (!err && ex->body_declared > 0 && (uint64_t)ex->body_declared > ex->body.limit) {
        err = too_large(ex);
    }
    return err;
}

static void discard(struct exchange *ex)
{
    ex->body.kind = BODY_IS_DISCARDED;
    buf_release(&ex->body.bytes);
    upload_drop(ex);
}

static void over_the_limit(struct exchange *ex)
{
    (void)too_large(ex);
    discard(ex);
    ex->body.discard_until_ms = clock_mono_ms() + DISCARD_MS;
}

enum body_step body_feed(struct exchange *ex, const char *data, size_t size)
{
    struct body *b = &ex->body;
    b->seen += size;
    if (b->seen > b->limit && b->discard_until_ms == 0) {
        over_the_limit(ex);
    }
    if (b->kind == BODY_IS_JSON) {
        buf_append(&b->bytes, data, size);
        if (b->bytes.err) {
            (void)exchange_refuse(ex, b->bytes.err, NULL, "the body could not be kept");
            discard(ex);
        }
    } else if (b->kind == BODY_IS_FORM) {
        if (form_feed(&b->form, span_make(data, size)) != FORM_MORE) {
            /* where the receiver stopped it, it has said why, and the first reason stays */
            (void)exchange_refuse(ex, D7_ERR_INVALID, "bad-request", "the form is malformed");
            discard(ex);
        }
    }
    bool late = b->discard_until_ms && clock_mono_ms() > b->discard_until_ms;
    return late || b->seen / DISCARD_FACTOR > b->limit ? BODY_GIVE_UP : BODY_MORE;
}

static enum d7_err form_finish(struct exchange *ex)
{
    struct body *b = &ex->body;
    bool empty = b->part_count == 0 && !ex->req.file.present;
    if (empty || !form_is_whole(&b->form)) {
        return exchange_refuse(ex, D7_ERR_INVALID, "bad-request",
                               "the form is malformed or cut short");
    }
    for (size_t i = 0; i < b->part_count; i++) {
        const struct form_part *part = &b->parts[i];
        struct pair p = {span_make(b->text.data + part->key_at, part->key_len),
                         span_make(b->text.data + part->value_at, part->value_len)};
        if (!span_utf8(p.key, NULL) || !span_utf8(p.value, NULL) ||
            (p.value.len && memchr(p.value.ptr, '\0', p.value.len))) {
            return exchange_refuse(ex, D7_ERR_INVALID, "bad-request",
                                   "a form field is not UTF-8 text (a program goes in 'policy')");
        }
        ex->req.fields[ex->req.field_count++] = p;
    }
    if (ex->req.file.present) {
        upload_close(ex);
        sha_final(&b->sha, ex->req.file.sha256);
    }
    return D7_OK;
}

enum d7_err body_finish(struct exchange *ex)
{
    if (ex->err) {
        return ex->err;
    }
    if (ex->body.kind == BODY_IS_FORM) {
        return form_finish(ex);
    }
    if (ex->body.kind == BODY_IS_JSON) {
        ex->req.body =
            span_make(ex->body.bytes.data ? ex->body.bytes.data : "", ex->body.bytes.len);
    }
    return D7_OK;
}
