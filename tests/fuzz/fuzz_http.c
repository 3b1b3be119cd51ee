/*
 * What a stranger can put into a request: forms cut anywhere, paths, queries, header values,
 * addresses and endpoints.
 *
 * Format  a line (a content type, path, query, header or address, by its reader), then the body of
 * a form.
 */
#include "server/cidr.h"
#include "server/http/form.h"
#include "server/http/headers.h"
#include "server/http/route.h"
#include "server/work/endpoint_policy.h"
#include "tests/fuzz/target.h"

#define SEEN_MAX (1u << 20)

static bool on_begin(void *ctx, struct span name)
{
    buf_printf(ctx, "[%zu:", name.len);
    buf_append(ctx, name.ptr, name.len);
    buf_char(ctx, ']');
    return true;
}

static bool on_data(void *ctx, struct span piece)
{
    D7_CHECK(piece.len > 0);
    buf_append(ctx, piece.ptr, piece.len);
    return true;
}

static enum form_step feed(const char *boundary, struct span body, size_t piece, struct buf *seen,
                           bool *ret_whole)
{
    static struct form form;
    enum form_step step = FORM_MORE;
    const struct form_receiver to = {on_begin, on_data, seen};
    form_init(&form, boundary, &to);
    while (body.len && step == FORM_MORE) {
        size_t len = body.len < piece ? body.len : piece;
        step = form_feed(&form, span_make(body.ptr, len));
        body.ptr += len;
        body.len -= len;
    }
    *ret_whole = form_is_whole(&form);
    return step;
}

static void read_form(struct span type, struct span body)
{
    char boundary[FORM_BOUNDARY_MAX + 1] = "xyz";
    if (form_boundary(type, boundary) == D7_OK) {
        D7_CHECK(strlen(boundary) >= 1 && strlen(boundary) <= FORM_BOUNDARY_MAX);
    }
    static const size_t pieces[] = {1, 7, 64};
    struct buf want;
    bool whole = false;
    buf_init(&want, SEEN_MAX);
    enum form_step step = feed(boundary, body, body.len + 1, &want, &whole);
    for (size_t i = 0; i < D7_COUNT(pieces); i++) {
        struct buf seen;
        bool also = false;
        buf_init(&seen, SEEN_MAX);
        D7_CHECK(feed(boundary, body, pieces[i], &seen, &also) == step && also == whole);
        D7_CHECK(span_equal(buf_span(&seen), buf_span(&want)));
        buf_release(&seen);
    }
    buf_release(&want);
}

static enum d7_err no_handler(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    (void)reply;
    return D7_OK;
}

static const struct route routes[] = {
    {HTTP_GET, "/api/v1/games/{id}/replay", no_handler, AUTH_NONE, BODY_NONE, "a"},
    {HTTP_GET, "/api/v1/policies", no_handler, AUTH_NONE, BODY_NONE, "b"},
    {HTTP_POST, "/api/v1/policies", no_handler, AUTH_TOKEN, BODY_JSON_OR_FORM, "c"},
    {HTTP_GET, "/api/v1/policies/{id}", no_handler, AUTH_NONE, BODY_NONE, "d"},
    {HTTP_GET, "/api/v1/policies/new", no_handler, AUTH_NONE, BODY_NONE, "e"},
    {HTTP_DELETE, "/{a}/{b}/{c}", no_handler, AUTH_TOKEN, BODY_NONE, "f"},
    {HTTP_GET, "/", no_handler, AUTH_NONE, BODY_NONE, "g"},
};

static void check_decoded(struct span text)
{
    D7_CHECK(span_utf8(text, NULL));
    D7_CHECK(text.len == 0 || !memchr(text.ptr, '\0', text.len));
}

static void read_target(struct span line)
{
    static struct request req;
    static const enum http_method methods[] = {HTTP_GET,   HTTP_HEAD,   HTTP_POST,
                                               HTTP_PATCH, HTTP_DELETE, HTTP_OPTIONS};
    for (size_t m = 0; m < D7_COUNT(methods); m++) {
        const struct route *route = NULL;
        unsigned allowed = 0;
        struct buf scratch;
        memset(&req, 0, sizeof(req));
        buf_init(&scratch, 8192);
        enum route_match match = route_find(routes, D7_COUNT(routes), methods[m], line, &scratch,
                                            &req, &route, &allowed);
        D7_CHECK((match == ROUTE_FOUND) == (route != NULL) || match == ROUTE_BAD_PATH);
        for (size_t i = 0; match == ROUTE_FOUND && i < REQUEST_PARAM_MAX; i++) {
            check_decoded(req.params[i]);
            D7_CHECK(req.params[i].len == 0 || !memchr(req.params[i].ptr, '/', req.params[i].len));
            D7_CHECK(!span_is(req.params[i], ".."));
        }
        buf_release(&scratch);
    }
    struct buf scratch;
    buf_init(&scratch, 8192);
    if (query_parse(line, &scratch, &req) == D7_OK) {
        D7_CHECK(req.query_count <= REQUEST_QUERY_MAX);
        for (size_t i = 0; i < req.query_count; i++) {
            check_decoded(req.query[i].key);
            check_decoded(req.query[i].value);
        }
    }
    buf_release(&scratch);
}

static void read_headers(struct span line)
{
    struct span text = {NULL, 0};
    int64_t length = 0;
    struct ip_address peer = {.bytes = {127, 0, 0, 1}};
    static const struct cidr trusted[] = {{.bytes = {127}, .bits = 8}, {.bytes = {10}, .bits = 8}};
    char client[IP_TEXT_SIZE];
    if (bearer_parse(line, &text) == D7_OK) {
        D7_CHECK(text.len >= 1 && text.len <= BEARER_MAX);
    }
    if (content_length_parse(line, &length) == D7_OK) {
        D7_CHECK(length >= 0 && length < 1000000000000000000);
    }
    (void)media_is(line, "application/json");
    if (media_parameter(line, "charset", &text)) {
        D7_CHECK(text.len <= line.len);
    }
    (void)accepts_gzip(line);
    (void)etag_listed(line, "\"a,b\"");
    D7_CHECK(!request_id_is_sane(line) || (line.len >= 1 && line.len <= 32));
    struct ip_address from = client_of(&peer, line, trusted, D7_COUNT(trusted));
    ip_format(&from, client);
    D7_CHECK(client[0]);
}

static void read_address(struct span line)
{
    struct cidr range;
    struct ip_address at;
    struct ip_address again;
    char text[IP_TEXT_SIZE];
    if (cidr_parse(line, &range) == D7_OK) {
        struct ip_address first = {.v6 = range.v6};
        memcpy(first.bytes, range.bytes, sizeof(first.bytes));
        D7_CHECK(range.bits <= (range.v6 ? 128u : 32u));
        D7_CHECK(cidr_contains(&range, &first));
    }
    if (ip_parse(line, &at) == D7_OK) {
        ip_format(&at, text);
        D7_CHECK(ip_parse(span_of(text), &again) == D7_OK);
        D7_CHECK(at.v6 == again.v6 && memcmp(at.bytes, again.bytes, sizeof(at.bytes)) == 0);
    }
}

static void read_endpoint(struct span line)
{
    static const struct config none;
    struct host_port at;
    struct d7_why why = {{0}, {0}};
    if (host_port_parse(line, 0, &at, &why) == D7_OK) {
        D7_CHECK(at.host[0]);
    }
    if (host_port_parse_endpoint(line, &at, &why)) {
        D7_CHECK(why.text[0]);
        return;
    }
    D7_CHECK(at.host[0] && at.port >= 1 && span_starts(line, "tcp://"));
    struct ip_address literal;
    if (endpoint_literal_allowed(&at, &none, &why) == D7_OK && at.is_literal) {
        D7_CHECK(ip_parse(span_of(at.host), &literal) == D7_OK);
        D7_CHECK(!ip_is_loopback(&literal));
    }
}

void fuzz_http(const uint8_t *bytes, size_t len)
{
    struct span rest = {(const char *)bytes, len};
    struct span line = span_cut(&rest, '\n');
    read_form(line, rest);
    read_target(line);
    read_headers(line);
    read_address(line);
    read_endpoint(line);
}
