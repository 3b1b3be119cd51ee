#include "tests/support/http_fixture.h"

#include <dirent.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t slow_begun, slow_go;

static atomic_uint emitted, ended, sources;

struct api {
    int unused;
};

static enum d7_err small(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    jout_object(&j);
    jout_kv_int(&j, "a", 1);
    jout_object_end(&j);
    (void)snprintf(reply->etag, sizeof(reply->etag), "\"small,tag\"");
    return D7_OK;
}

static enum d7_err big(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    jout_array(&j);
    for (int i = 0; i < 8000; i++) {
        jout_int(&j, i);
    }
    jout_array_end(&j);
    return D7_OK;
}

static enum d7_err huge(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    reply->content_type = "application/octet-stream";
    char chunk[4096]; /* in few pieces: under a sanitizer each append takes its time */
    for (size_t i = 0; i < sizeof(chunk); i++) {
        chunk[i] = "0123456789abcdef"[i % 16];
    }
    for (int i = 0; i < 1 << 11; i++) {
        buf_append(&reply->body, chunk, sizeof(chunk));
    }
    return D7_OK;
}

static enum d7_err thing(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    if (span_is(req->params[0], "missing")) {
        return D7_ERR_NOT_FOUND;
    }
    if (span_is(req->params[0], "broken")) {
        return d7_refuse(&reply->why, D7_ERR_CORRUPT, "row", "secret detail");
    }
    struct jout j = reply_json(reply, 200, CACHE_IMMUTABLE);
    jout_object(&j);
    jout_key(&j, "id");
    jout_span(&j, req->params[0]);
    jout_kv_text(&j, "client", req->client);
    jout_key(&j, "q");
    struct span q = {NULL, 0};
    (void)request_query(req, "q", &q);
    jout_span(&j, q);
    jout_object_end(&j);
    return D7_OK;
}

static enum d7_err slow(struct api *api, const struct request *req, struct reply *reply)
{
    (void)sem_post(&slow_begun);
    (void)sem_wait(&slow_go);
    return small(api, req, reply);
}

static enum d7_err echo(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    if (!req->is_json) {
        return D7_ERR_SYNTAX;
    }
    reply->content_type = "application/json";
    buf_append(&reply->body, req->body.ptr, req->body.len);
    return D7_OK;
}

static enum d7_err size_of(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    struct jout j = reply_json(reply, 201, CACHE_NONE);
    jout_object(&j);
    jout_kv_int(&j, "size", (int64_t)req->body.len);
    jout_object_end(&j);
    return D7_OK;
}

static enum d7_err upload(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    struct jout j = reply_json(reply, 201, CACHE_NONE);
    jout_object(&j);
    jout_kv_bool(&j, "isForm", req->is_form);
    jout_kv_int(&j, "fields", (int64_t)req->field_count);
    struct span name = {NULL, 0};
    (void)request_field(req, "name", &name);
    jout_key(&j, "name");
    jout_span(&j, name);
    jout_kv_bool(&j, "present", req->file.present);
    jout_kv_text(&j, "sha256", req->file.sha256);
    jout_kv_int(&j, "size", req->file.size_bytes);
    jout_key(&j, "head");
    jout_span(&j, span_make(req->file.head, req->file.head_len < 4 ? req->file.head_len : 4));
    jout_kv_text(&j, "path", req->file.path);
    jout_kv_bool(&j, "exists", req->file.present && access(req->file.path, R_OK) == 0);
    jout_object_end(&j);
    return D7_OK;
}

struct counter {
    unsigned sent;
};

static enum d7_err count_up(void *ctx, struct api *api, int64_t version, struct buf *to,
                            bool *ret_more, bool *ret_ended)
{
    struct counter *c = ctx;
    assert_non_null(api);
    (void)version;
    (void)ret_more;
    for (unsigned all = atomic_load(&emitted); c->sent < all;) {
        c->sent++;
        buf_printf(to, "id: %u\ndata: %u\n\n", c->sent, c->sent);
    }
    if (atomic_load(&ended)) {
        buf_text(to, "event: end\ndata: done\n\n");
        *ret_ended = true;
    }
    return D7_OK;
}

static void say_bye(void *ctx, struct buf *to)
{
    (void)ctx;
    buf_text(to, "event: end\ndata: bye\n\n");
}

static void release_counter(void *ctx)
{
    free(ctx);
    atomic_fetch_sub(&sources, 1);
}

static enum d7_err events(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    struct counter *c = calloc(1, sizeof(*c));
    if (!c) {
        return D7_ERR_NOMEM;
    }
    atomic_fetch_add(&sources, 1);
    reply->content_type = "text/event-stream";
    buf_text(&reply->body, "retry: 100\n\n");
    reply->stream = (struct event_source){
        .next = count_up, .goodbye = say_bye, .release = release_counter, .ctx = c};
    return D7_OK;
}

static enum d7_err nothing(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    reply->status = 204;
    return D7_OK;
}

static enum d7_err page(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    reply->content_type = "text/html; charset=utf-8";
    reply->cache = CACHE_REVALIDATE;
    buf_text(&reply->body, "<!doctype html><title>home</title>");
    return D7_OK;
}

const struct route http_fixture_routes[] = {
    {HTTP_GET, "/", page, AUTH_NONE, BODY_NONE, "home"},
    {HTTP_GET, "/api/v1/small", small, AUTH_NONE, BODY_NONE, "small"},
    {HTTP_GET, "/api/v1/big", big, AUTH_NONE, BODY_NONE, "big"},
    {HTTP_GET, "/api/v1/huge", huge, AUTH_NONE, BODY_NONE, "huge"},
    {HTTP_GET, "/api/v1/things/{id}", thing, AUTH_NONE, BODY_NONE, "thing"},
    {HTTP_GET, "/api/v1/slow", slow, AUTH_NONE, BODY_NONE, "slow"},
    {HTTP_GET, "/api/v1/mine", small, AUTH_TOKEN, BODY_NONE, "mine"},
    {HTTP_GET, "/api/v1/admin", small, AUTH_ADMIN, BODY_NONE, "admin"},
    {HTTP_POST, "/api/v1/echo", echo, AUTH_NONE, BODY_JSON, "echo"},
    {HTTP_PATCH, "/api/v1/echo", echo, AUTH_NONE, BODY_JSON, "echo_patch"},
    {HTTP_DELETE, "/api/v1/echo", nothing, AUTH_NONE, BODY_NONE, "echo_delete"},
    {HTTP_POST, "/api/v1/rounds", size_of, AUTH_NONE, BODY_JSON_LARGE, "rounds"},
    {HTTP_GET, "/api/v1/events", events, AUTH_NONE, BODY_NONE, "events"},
    {HTTP_POST, "/api/v1/upload", upload, AUTH_NONE, BODY_JSON_OR_FORM, "upload"},
};
const size_t http_fixture_route_count = D7_COUNT(http_fixture_routes);

static struct api *make_api(void *ctx)
{
    (void)ctx;
    return calloc(1, sizeof(struct api));
}

static void free_api(struct api *api)
{
    free(api);
}

static enum d7_err authenticate(struct api *api, struct span token, struct account *ret)
{
    (void)api;
    if (!span_is(token, "user-token") && !span_is(token, "admin-token")) {
        return D7_ERR_NOT_FOUND;
    }
    memset(ret, 0, sizeof(*ret));
    ret->id = 1;
    ret->admin = span_is(token, "admin-token");
    return D7_OK;
}

static enum d7_err change(struct api *api, int64_t *ret)
{
    (void)api;
    *ret = (int64_t)atomic_load(&emitted) * 2 + atomic_load(&ended);
    return D7_OK;
}

void http_fixture_init(struct http_fixture *f)
{
    atomic_store(&emitted, 0);
    atomic_store(&ended, 0);
    memset(f, 0, sizeof(*f));
    assert_int_equal(span_copy(span_of(support_scratch()), f->folder, sizeof(f->folder)), D7_OK);
    f->options = (struct daemon_options){
        .listen = "127.0.0.1:0",
        .threads = 2,
        .upload_dir = f->folder,
        .routes = http_fixture_routes,
        .route_count = http_fixture_route_count,
        .make_api = make_api,
        .free_api = free_api,
        .authenticate = authenticate,
        .change = change,
    };
    assert_int_equal(sem_init(&slow_begun, 0, 0), 0);
    assert_int_equal(sem_init(&slow_go, 0, 0), 0);
}

void http_fixture_start(struct http_fixture *f)
{
    struct d7_why why = {{0}, {0}};
    if (daemon_open(&f->options, &f->daemon, &why) || daemon_start(f->daemon, &why)) {
        fail_msg("daemon_start: %s %s", why.field, why.text);
    }
    f->port = daemon_port(f->daemon);
}

void http_fixture_stop(struct http_fixture *f)
{
    daemon_stop(f->daemon, 2000);
    f->daemon = NULL;
    support_scratch_remove();
}

size_t http_fixture_uploads(const struct http_fixture *f)
{
    DIR *dir = opendir(f->folder);
    assert_non_null(dir);
    size_t count = 0;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        count += e->d_name[0] != '.';
    }
    (void)closedir(dir);
    return count;
}

void http_fixture_wait_slow(void)
{
    (void)sem_wait(&slow_begun);
}

void http_fixture_go(void)
{
    (void)sem_post(&slow_go);
}

void http_fixture_emit(void)
{
    atomic_fetch_add(&emitted, 1);
}

void http_fixture_end(void)
{
    atomic_store(&ended, 1);
}

unsigned http_fixture_sources(void)
{
    return atomic_load(&sources);
}
