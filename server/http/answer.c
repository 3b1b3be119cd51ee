/*
 * answer.c - a filled reply becomes bytes: representation, validators, headers.
 *
 * Design  a 304 is queued on the very object its 200 would have used, so its Content-Length is the
 * true one and no body goes out. The gzip form is another representation and has another tag.
 */
#include "server/http/mhd.h"

#include <sys/socket.h>

#include "server/http/asset.h"
#include "server/http/gzip.h"
#include "server/http/headers.h"
#include "server/http/sse.h"

/* wasm-unsafe-eval: the pages compile the rules to WebAssembly; no other script is ever inline. */
#define PAGE_POLICY                                                                                \
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; "                \
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

#define NOT_FOUND_PAGE                                                                             \
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>"            \
    "<h1>Not found</h1><p>There is nothing here. <a href=\"/\">To the leaderboard</a></p></html>"

#define HEADER_LINES 24

struct lines {
    struct {
        const char *name;
        const char *value;
    } line[HEADER_LINES];
    size_t count;
    char allow[64], retry[16], cache[64], tag[ETAG_SIZE];
};

/* A header without a value is left out: MHD refuses to add one, and the whole answer would be lost.
 */
static void add(struct lines *l, const char *name, const char *value)
{
    if (value[0] == '\0') {
        return;
    }
    D7_CHECK(l->count < HEADER_LINES);
    l->line[l->count].name = name;
    l->line[l->count].value = value;
    l->count++;
}

static bool type_is(const struct reply *r, const char *type)
{
    return r->content_type && media_is(span_of(r->content_type), type);
}

static bool is_compressible(const struct reply *r)
{
    static const char *const types[] = {"application/json", "application/problem+json",
                                        "application/javascript", "application/wasm",
                                        "image/svg+xml"};
    for (size_t i = 0; i < D7_COUNT(types); i++) {
        if (type_is(r, types[i])) {
            return true;
        }
    }
    /* events are not to wait in a compressor */
    return r->content_type && strncmp(r->content_type, "text/", 5) == 0 &&
           !type_is(r, "text/event-stream");
}

static void allow_text(unsigned allowed, char *to, size_t size)
{
    static const struct {
        enum http_method method;
        const char *text;
    } names[] = {{HTTP_GET, "GET"},     {HTTP_HEAD, "HEAD"},     {HTTP_POST, "POST"},
                 {HTTP_PATCH, "PATCH"}, {HTTP_DELETE, "DELETE"}, {HTTP_OPTIONS, "OPTIONS"}};
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        if (allowed & (unsigned)names[i].method) {
            int put = snprintf(to + used, size - used, "%s%s", used ? ", " : "", names[i].text);
            D7_CHECK(put > 0 && (size_t)put < size - used);
            used += (size_t)put;
        }
    }
}

static void add_cors(const struct exchange *ex, struct lines *l)
{
    add(l, "Access-Control-Allow-Origin", "*");
    add(l, "Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After, X-Request-Id");
    if (ex->req.method == HTTP_OPTIONS) {
        add(l, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
        add(l, "Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match");
        add(l, "Access-Control-Max-Age", "600");
    }
}

static void add_cache(const struct exchange *ex, struct lines *l)
{
    const struct reply *r = &ex->reply;
    const char *who = ex->req.has_account ? "private, " : "";
    const char *rule = "no-store";
    switch (r->cache) {
    case CACHE_NONE:
        who = "";
        break;
    case CACHE_REVALIDATE:
        rule = "no-cache";
        break;
    case CACHE_IMMUTABLE:
        who = ex->req.has_account ? "private, " : "public, ";
        rule = "max-age=31536000, immutable";
        break;
    }
    (void)snprintf(l->cache, sizeof(l->cache), "%s%s", who, rule); /* fits */
    add(l, MHD_HTTP_HEADER_CACHE_CONTROL, l->cache);
}

/* What the status and the method ask for. */
static void add_for_status(const struct exchange *ex, struct lines *l)
{
    const struct reply *r = &ex->reply;
    if (r->status == MHD_HTTP_METHOD_NOT_ALLOWED || ex->req.method == HTTP_OPTIONS) {
        allow_text(ex->allowed, l->allow, sizeof(l->allow));
        add(l, MHD_HTTP_HEADER_ALLOW, l->allow);
    }
    if (r->status == MHD_HTTP_UNAUTHORIZED) {
        add(l, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"drop7d\"");
    }
    if (r->retry_after_s > 0) {
        (void)snprintf(l->retry, sizeof(l->retry), "%d", r->retry_after_s);
        add(l, MHD_HTTP_HEADER_RETRY_AFTER, l->retry);
    }
}

/* What the body is; a 304 has none, and who kept it kept these too (RFC 9110, 15.4.5). */
static void add_for_body(const struct reply *r, bool has_type, bool gzipped, struct lines *l)
{
    if (has_type) {
        add(l, MHD_HTTP_HEADER_CONTENT_TYPE, r->content_type);
    }
    add(l, "X-Content-Type-Options", "nosniff");
    if (gzipped) {
        add(l, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    }
}

static void collect(const struct exchange *ex, bool gzipped, bool unchanged, struct lines *l)
{
    const struct reply *r = &ex->reply;
    bool has_type = r->status != MHD_HTTP_NO_CONTENT && r->content_type;
    add(l, "X-Request-Id", ex->req.id);
    if (!unchanged) {
        add_for_body(r, has_type, gzipped, l);
    }
    add_cache(ex, l);
    add_cors(ex, l);
    if (has_type && is_compressible(r)) {
        add(l, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    }
    if (l->tag[0]) {
        add(l, MHD_HTTP_HEADER_ETAG, l->tag);
    }
    if (type_is(r, "text/html") || type_is(r, "image/svg+xml")) {
        add(l, "Content-Security-Policy", PAGE_POLICY);
        add(l, "Referrer-Policy", "strict-origin-when-cross-origin");
    }
    add_for_status(ex, l);
    for (size_t i = 0; i < r->header_count; i++) {
        add(l, r->headers[i].name, r->headers[i].value);
    }
    if (ex->must_close || atomic_load(&ex->d->stopping)) {
        add(l, MHD_HTTP_HEADER_CONNECTION, "close");
    }
}

/* Under the pages nobody reads problem+json. */
static void make_page_of_404(struct exchange *ex)
{
    struct reply *r = &ex->reply;
    bool is_api = span_starts(ex->req.path, "/api/") || span_is(ex->req.path, "/api");
    bool is_read = ex->req.method == HTTP_GET || ex->req.method == HTTP_HEAD;
    if (r->status != MHD_HTTP_NOT_FOUND || is_api || !is_read ||
        !type_is(r, "application/problem+json")) {
        return;
    }
    struct reply page;
    reply_init(&page);
    if (asset_reply(span_of("404.html"), &page)) {
        reply_release(&page);
        reply_init(&page);
        page.content_type = "text/html; charset=utf-8";
        buf_text(&page.body, NOT_FOUND_PAGE);
    }
    reply_release(r);
    r->body = page.body;
    r->shared = page.shared;
    r->shared_gzip = page.shared_gzip;
    r->shared_release = page.shared_release;
    r->shared_ctx = page.shared_ctx;
    r->content_type = page.content_type;
}

/* The bytes of one answer on their way out: freed by MHD's callback when the last byte is sent. */
struct outgoing {
    struct buf bytes; /* owned */
    void (*release)(void *ctx);
    void *ctx;
};

static void outgoing_free(void *cls)
{
    struct outgoing *o = cls;
    buf_release(&o->bytes);
    if (o->release) {
        o->release(o->ctx);
    }
    free(o);
}

/* Replaces the body by its gzip form where that is wanted; true when it did. Without memory the
 * plain form goes out. */
static bool compress(struct exchange *ex, struct span *bytes)
{
    struct reply *r = &ex->reply;
    if (bytes->len < GZIP_LEAST || !is_compressible(r) ||
        !accepts_gzip(exchange_header(ex, MHD_HTTP_HEADER_ACCEPT_ENCODING))) {
        return false;
    }
    if (r->shared.ptr && r->shared_gzip.ptr) {
        *bytes = r->shared_gzip;
        return true;
    }
    struct buf packed;
    buf_init(&packed, bytes->len + 4096);
    if (gzip_append(*bytes, GZIP_FOR_SEND, &packed) || packed.len >= bytes->len) {
        buf_release(&packed);
        return false;
    }
    buf_release(&r->body);
    r->body = packed;
    *bytes = buf_span(&r->body);
    return true;
}

static struct MHD_Response *make_response(struct exchange *ex, struct span bytes)
{
    struct reply *r = &ex->reply;
    if (bytes.len == 0) {
        static char nothing[1];
        return MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
    }
    struct outgoing *o = calloc(1, sizeof(*o));
    if (!o) {
        return NULL;
    }
    o->bytes = r->body;
    o->release = r->shared_release;
    o->ctx = r->shared_ctx;
    buf_init(&r->body, 0);
    r->shared_release = NULL;
    union {
        const char *in;
        void *out;
    } data = {bytes.ptr}; /* MHD only reads it, but its parameter is not const */
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        bytes.len, data.out, outgoing_free, o);
    if (!response) {
        outgoing_free(o);
    }
    return response;
}

static bool add_lines(struct MHD_Response *response, const struct lines *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (MHD_add_response_header(response, l->line[i].name, l->line[i].value) != MHD_YES) {
            return false;
        }
    }
    return true;
}

/* The tag of the plain bytes, for answers that have one; else it stays empty. */
static void make_tag(const struct exchange *ex, struct span plain, char tag[ETAG_SIZE])
{
    const struct reply *r = &ex->reply;
    bool reads = ex->req.method == HTTP_GET || ex->req.method == HTTP_HEAD;
    if (!reads || r->status != MHD_HTTP_OK || r->cache == CACHE_NONE) {
        return;
    }
    if (r->etag[0]) {
        (void)snprintf(tag, ETAG_SIZE, "%s", r->etag); /* of the same size */
    } else {
        etag_of(plain, tag);
    }
}

static bool client_has_it(struct exchange *ex, const char *tag)
{
    struct span listed = exchange_header(ex, MHD_HTTP_HEADER_IF_NONE_MATCH);
    return tag[0] && listed.ptr && etag_listed(listed, tag);
}

enum MHD_Result answer_queue(struct exchange *ex)
{
    struct reply *r = &ex->reply;
    struct lines l = {.count = 0};
    if (r->status == 0) {
        r->status = MHD_HTTP_OK;
    }
    make_page_of_404(ex);
    struct span bytes = r->shared.ptr ? r->shared : buf_span(&r->body);
    make_tag(ex, bytes, l.tag);
    bool gzipped = compress(ex, &bytes);
    if (gzipped && l.tag[0]) {
        etag_gzip(l.tag, l.tag);
    }
    bool unchanged = client_has_it(ex, l.tag);
    collect(ex, gzipped, unchanged, &l);
    struct MHD_Response *response = r->stream.next ? sse_response(ex) : make_response(ex, bytes);
    if (!response) {
        return MHD_NO; /* out of memory: the connection ends */
    }
    enum MHD_Result queued = MHD_NO;
    if (add_lines(response, &l)) {
        r->status = unchanged ? MHD_HTTP_NOT_MODIFIED : r->status;
        queued = MHD_queue_response(ex->mhd, (unsigned)r->status, response);
    }
    MHD_destroy_response(response);
    ex->answered = queued == MHD_YES;
    ex->sent_bytes = unchanged || ex->req.method == HTTP_HEAD ? 0 : bytes.len;
    return queued;
}

void answer_raw(struct exchange *ex)
{
    if (ex->d->o.tls_cert) {
        return; /* the session is MHD's; the close has to speak for itself */
    }
    struct lines l = {.count = 0};
    struct buf text;
    buf_init(&text, 65536);
    ex->must_close = true;
    collect(ex, false, false, &l);
    buf_printf(&text, "HTTP/1.1 %d %s\r\n", ex->reply.status,
               MHD_get_reason_phrase_for((unsigned)ex->reply.status));
    for (size_t i = 0; i < l.count; i++) {
        buf_printf(&text, "%s: %s\r\n", l.line[i].name, l.line[i].value);
    }
    buf_printf(&text, "Content-Length: %zu\r\n\r\n", ex->reply.body.len);
    if (ex->req.method != HTTP_HEAD) {
        buf_append(&text, ex->reply.body.data, ex->reply.body.len);
    }
    if (!text.err) {
        /* a small first answer fits an empty send buffer; where it does not, the client misses it
         */
        ssize_t sent = send(ex->conn->fd, text.data, text.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        ex->answered = sent == (ssize_t)text.len;
        ex->sent_bytes = ex->answered ? ex->reply.body.len : 0;
    }
    buf_release(&text);
}
