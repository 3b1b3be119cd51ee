/*
 * judge.c - what the header alone decides: framing, target, route, token, kind and size of the
 * body.
 *
 * Design  libmicrohttpd 0.9.75 believes the first of two Content-Lengths, takes Content-Length with
 * chunked, and waits for ever on codings it does not know. Any message whose end could be seen in
 * two ways is refused here and its connection closed, before a byte of its body is read. It also
 * hangs a folded line on the header's name, takes a line without a name for the end of the header
 * and cuts a value at a NUL byte; all of them leave a hole in the buffer that the header was read
 * into, so what it hands over is held against the places it was found at.
 */
#include "server/http/mhd.h"

#include <strings.h>

#include "engine/base/clock.h"
#include "server/http/headers.h"
#include "server/http/limit.h"

struct census {
    unsigned headers, lengths, codings, hosts, tokens;
    bool is_bad;   /* a name or a value that can be none */
    uintptr_t end; /* where the text of the last line ended */
    struct span length, coding, token, host;
};

static bool name_is(const char *name, size_t size, const char *want)
{
    return size == strlen(want) && strncasecmp(name, want, size) == 0;
}

/* RFC 9110 token characters; "Transfer-Encoding " is not a name. */
static bool is_token(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)name[i];
        if (c <= 0x20 || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c)) {
            return false;
        }
    }
    return size > 0;
}

/* A line of visible characters, blanks and tabs, and bytes of other alphabets. */
static bool is_line(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

/* What MHD takes for the end of a line: LF or CR LF, which it overwrites. */
#define LINE_END_MAX 2

static bool is_gap(uintptr_t from, uintptr_t to, size_t lines)
{
    return to >= from + lines && to <= from + lines * LINE_END_MAX;
}

static enum MHD_Result count_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                    size_t name_size, const char *value, size_t value_size)
{
    (void)kind;
    struct census *c = cls;
    struct span text = {value ? value : "", value ? value_size : 0};
    c->headers++;
    c->is_bad = c->is_bad || !is_token(name, name_size) || !is_line(text) ||
                !is_gap(c->end, (uintptr_t)name, 1);
    c->end = (uintptr_t)text.ptr + text.len;
    if (name_is(name, name_size, MHD_HTTP_HEADER_CONTENT_LENGTH)) {
        c->lengths++;
        c->length = text;
    } else if (name_is(name, name_size, MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
        c->codings++;
        c->coding = text;
    } else if (name_is(name, name_size, MHD_HTTP_HEADER_HOST)) {
        c->hosts++;
        c->host = text;
    } else if (name_is(name, name_size, MHD_HTTP_HEADER_AUTHORIZATION)) {
        c->tokens++;
        c->token = text;
    }
    return MHD_YES;
}

static enum d7_err bad(struct exchange *ex, const char *why)
{
    ex->must_close = true;
    return exchange_refuse(ex, D7_ERR_INVALID, "bad-request", "%s", why);
}

static enum d7_err judge_host(struct exchange *ex, const struct census *c, const char *version)
{
    if (c->hosts > 1) {
        return bad(ex, "more than one Host");
    }
    if (c->hosts == 0) {
        return strcmp(version, MHD_HTTP_VERSION_1_0) == 0 ? D7_OK
                                                          : bad(ex, "a Host header is missing");
    }
    return host_is_sound(c->host) ? D7_OK : bad(ex, "the Host header is malformed");
}

static enum d7_err judge_framing(struct exchange *ex, const struct census *c, const char *version)
{
    if (c->headers > HEADERS_MAX) {
        ex->must_close = true;
        ex->reply.problem_status = MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
        return exchange_refuse(ex, D7_ERR_TOO_LARGE, NULL,
                               "too many header lines; at most %d are taken", HEADERS_MAX);
    }
    if (c->is_bad) {
        return bad(ex, "a header line is malformed");
    }
    if (judge_host(ex, c, version)) {
        return ex->err;
    }
    if (c->lengths > 1) {
        return bad(ex, "more than one Content-Length");
    }
    if (c->codings) {
        if (c->lengths) {
            return bad(ex, "Content-Length together with Transfer-Encoding");
        }
        if (c->codings > 1 || !name_is(c->coding.ptr, c->coding.len, "chunked") ||
            strcmp(version, MHD_HTTP_VERSION_1_1) != 0) {
            return bad(ex, "the only Transfer-Encoding taken is 'chunked', in HTTP/1.1");
        }
        ex->is_chunked = true;
    }
    enum d7_err err = c->lengths ? content_length_parse(c->length, &ex->body_declared) : D7_OK;
    if (err == D7_ERR_TOO_LARGE) {
        ex->must_close = true;
        return exchange_refuse(ex, err, NULL, "the body is too large");
    }
    if (err) {
        return bad(ex, "Content-Length is not a plain number");
    }
    ex->has_body = ex->is_chunked || ex->body_declared > 0;
    return D7_OK;
}

static enum http_method method_of(const char *method)
{
    static const struct {
        const char *text;
        enum http_method method;
    } known[] = {{"GET", HTTP_GET},     {"HEAD", HTTP_HEAD},     {"POST", HTTP_POST},
                 {"PATCH", HTTP_PATCH}, {"DELETE", HTTP_DELETE}, {"OPTIONS", HTTP_OPTIONS}};
    for (size_t i = 0; i < D7_COUNT(known); i++) {
        if (strcmp(known[i].text, method) == 0) {
            return known[i].method;
        }
    }
    return (enum http_method)0;
}

static enum d7_err judge_route(struct exchange *ex, struct span path)
{
    const struct daemon_options *o = &ex->d->o;
    switch (route_find(o->routes, o->route_count, ex->req.method, path, &ex->path_scratch, &ex->req,
                       &ex->route, &ex->allowed)) {
    case ROUTE_FOUND:
        return D7_OK;
    case ROUTE_NO_PATH:
        return exchange_refuse(ex, D7_ERR_NOT_FOUND, NULL, "there is nothing at this path");
    case ROUTE_NO_METHOD:
        if (ex->req.method == HTTP_OPTIONS) {
            return D7_OK;
        }
        return exchange_refuse(ex, D7_ERR_INVALID, "method-not-allowed",
                               "the methods of this path are in the Allow header");
    case ROUTE_BAD_PATH:
        break;
    }
    return exchange_refuse(ex, D7_ERR_INVALID, "bad-request",
                           "the path has a malformed or forbidden segment");
}

static enum d7_err judge_target(struct exchange *ex)
{
    size_t len = strlen(ex->target);
    if (len > TARGET_MAX) {
        ex->must_close = true;
        ex->reply.problem_status = MHD_HTTP_URI_TOO_LONG;
        return exchange_refuse(ex, D7_ERR_TOO_LARGE, NULL,
                               "the request target is too long; at most %d bytes are taken",
                               TARGET_MAX);
    }
    if (ex->target_is_cut) {
        return bad(ex, "the request target has a NUL byte in it");
    }
    if (ex->req.method == HTTP_OPTIONS && strcmp(ex->target, "*") == 0) {
        ex->req.path = span_of(ex->target);
        ex->allowed = HTTP_GET | HTTP_HEAD | HTTP_POST | HTTP_PATCH | HTTP_DELETE | HTTP_OPTIONS;
        return D7_OK; /* RFC 9110, 9.3.7: about the server as a whole */
    }
    if (ex->target[0] != '/') {
        return bad(ex, "the request target must start with '/'");
    }
    struct span query = {ex->target, len};
    if (!is_line(query) || memchr(query.ptr, ' ', len) || memchr(query.ptr, '\t', len)) {
        return bad(ex, "the request line is malformed");
    }
    ex->req.path = span_cut(&query, '?');
    enum d7_err err = judge_route(ex, ex->req.path);
    if (!err && query_parse(query, &ex->query_scratch, &ex->req)) {
        err = exchange_refuse(ex, D7_ERR_INVALID, "bad-request",
                              "the query is malformed: escapes, UTF-8, a name twice or over %d "
                              "names",
                              REQUEST_QUERY_MAX);
    }
    return err;
}

static enum d7_err too_often(struct exchange *ex, enum limit_kind kind, struct limit_key key,
                             const char *what)
{
    int retry_s = 0;
    if (limit_take(ex->d->o.limiter, kind, key, clock_mono_us(), &retry_s) == D7_OK) {
        return D7_OK;
    }
    ex->reply.retry_after_s = retry_s;
    return exchange_refuse(ex, D7_ERR_RATE, NULL, "too many %s: again in %d s", what, retry_s);
}

/* A good token is never refused for what others behind the same address did: with 256 bits there is
 * nothing to guess, so the limit is about load and noise. */
static enum d7_err bad_token(struct exchange *ex, const char *why)
{
    enum d7_err err = too_often(ex, LIMIT_FAILURES, limit_key_address(&ex->req.address),
                                "failed authentications from this address");
    return err ? err : exchange_refuse(ex, D7_ERR_UNAUTHORIZED, NULL, "%s", why);
}

static enum d7_err judge_token(struct exchange *ex, const struct census *c)
{
    enum route_auth need = ex->route ? ex->route->auth : AUTH_NONE;
    if (c->tokens) {
        struct span token = {NULL, 0};
        struct api *api = NULL;
        enum d7_err err = c->tokens > 1 ? D7_ERR_UNAUTHORIZED : bearer_parse(c->token, &token);
        if (err) {
            return bad_token(ex, "the Authorization header is not 'Bearer TOKEN'");
        }
        err = daemon_api(ex->d, &api);
        if (!err) {
            err = ex->d->o.authenticate(api, token, &ex->req.account);
        }
        if (err == D7_ERR_NOT_FOUND) {
            return bad_token(ex, "the token is not a valid one");
        }
        if (err) {
            return exchange_refuse(ex, err, NULL, "tokens cannot be checked now");
        }
        ex->req.has_account = true;
    }
    if (need != AUTH_NONE && !ex->req.has_account) {
        return exchange_refuse(ex, D7_ERR_UNAUTHORIZED, NULL,
                               "this needs an Authorization header with a token");
    }
    if (need == AUTH_ADMIN && !ex->req.account.admin) {
        return exchange_refuse(ex, D7_ERR_FORBIDDEN, NULL, "this needs an administrator's token");
    }
    return D7_OK;
}

/* Routes that need no token count by themselves what has to be counted. */
static enum d7_err judge_rate(struct exchange *ex)
{
    bool writes = ex->req.method & (HTTP_POST | HTTP_PATCH | HTTP_DELETE);
    if (!writes || !ex->route || ex->route->auth == AUTH_NONE) {
        return D7_OK;
    }
    return too_often(ex, LIMIT_WRITES, limit_key_account(ex->req.account.id),
                     "writes by this account");
}

static struct census take_census(struct exchange *ex, const char *method, const char *version)
{
    struct census c = {.end = (uintptr_t)version + strlen(version)};
    (void)MHD_get_connection_values_n(ex->mhd, MHD_HEADER_KIND, count_header, &c);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(ex->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (info) { /* from the method on, with the empty line */
        c.is_bad = c.is_bad || !is_gap(c.end, (uintptr_t)method + info->header_size, 2);
    }
    return c;
}

enum d7_err exchange_judge(struct exchange *ex, const char *method, const char *version)
{
    struct census c = take_census(ex, method, version);
    ex->req.method = method_of(method);
    enum d7_err err = judge_framing(ex, &c, version);
    if (err) {
        ex->has_body = true; /* whatever follows is not to be read as a request */
        return err;
    }
    struct span expect = exchange_header(ex, MHD_HTTP_HEADER_EXPECT);
    size_t first = strlen("100-continue"); /* of two such headers MHD looks at one */
    ex->expects_continue =
        name_is(expect.ptr, expect.len < first ? expect.len : first, "100-continue");
    if (ex->conn->refused) {
        ex->must_close = true;
        return exchange_refuse(ex, D7_ERR_BUSY, NULL,
                               atomic_load(&ex->d->stopping) ? "the server is stopping"
                                                             : "too many connections are open");
    }
    err = judge_target(ex);
    if (!err && ex->req.method != HTTP_OPTIONS) {
        err = judge_token(ex, &c);
        err = err ? err : judge_rate(ex);
    }
    return err ? err : body_begin(ex);
}
