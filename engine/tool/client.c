#include "engine/tool/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <strings.h>

#include "engine/base/clock.h"
#include "engine/base/version.h"

#define API_PREFIX       "/api/v1"
#define URL_MAX          2048
#define CONNECT_MS       10000L
#define REQUEST_MS       60000L
#define UPLOAD_MS        600000L
#define STREAM_SILENT_MS 45000
#define FIELDS_SHOWN     20

struct client {
    CURLM *multi;
    char *server;            /* owned; no slash at the end */
    struct curl_slist *auth; /* owned; NULL without a token */
    int stop_fd;
};

/* One request under way. */
struct transfer {
    CURL *easy;
    struct curl_slist *headers; /* owned; ends in client.auth, which is copied */
    curl_mime *form;
    char said[CURL_ERROR_SIZE];
    struct client_answer answer;
    /* of a stream */
    struct events_in *events; /* NULL: none */
    events_in_take *take;
    void *ctx;
    bool stopped;
    int64_t heard_ms; /* its last byte, heartbeats too: far too few for curl's speed limit */
    enum d7_err err;  /* of ours, inside a callback */
};

/* --- client ----------------------------------------------------------------------------------- */

static enum d7_err check_server(struct span *server, struct d7_why *why)
{
    bool plain = span_starts(*server, "http://") || span_starts(*server, "https://");
    for (size_t i = 0; i < server->len && plain; i++) {
        plain = server->ptr[i] > ' ' && server->ptr[i] < 0x7f && !strchr("@?#\\", server->ptr[i]);
    }
    while (server->len && server->ptr[server->len - 1] == '/') {
        server->len--;
    }
    size_t prefix = strlen(API_PREFIX);
    if (server->len > prefix &&
        span_is(span_make(server->ptr + server->len - prefix, prefix), API_PREFIX)) {
        server->len -= prefix;
    }
    /* no quote of it: what has an @ may have a password before */
    return plain && server->len > strlen("https:/") && server->len < URL_MAX / 2
               ? D7_OK
               : d7_refuse(
                     why, D7_ERR_INVALID, "server",
                     "the server must be http://HOST:PORT or https://HOST:PORT, without user, "
                     "password or query");
}

static enum d7_err check_token(const char *token, struct d7_why *why)
{
    size_t len = strlen(token);
    bool plain = len > 0 && len <= CLIENT_TOKEN_MAX;
    for (size_t i = 0; i < len && plain; i++) {
        plain = token[i] > ' ' && token[i] < 0x7f;
    }
    return plain ? D7_OK
                 : d7_refuse(why, D7_ERR_INVALID, "token",
                             "a token has 1 to %d printable characters and no blanks",
                             CLIENT_TOKEN_MAX);
}

static enum d7_err add_header(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer) {
        *list = longer;
    }
    return longer ? D7_OK : D7_ERR_NOMEM;
}

static enum d7_err fill(struct client *c, struct span server, const char *token)
{
    c->multi = curl_multi_init();
    c->server = strndup(server.ptr, server.len);
    if (!c->multi || !c->server) {
        return D7_ERR_NOMEM;
    }
    if (!token) {
        return D7_OK;
    }
    char line[CLIENT_TOKEN_MAX + 32];
    (void)snprintf(line, sizeof(line), "Authorization: Bearer %s", token); /* fits: checked */
    return add_header(&c->auth, line);
}

enum d7_err client_new(const char *server, const char *token, int stop_fd, struct client **ret,
                       struct d7_why *why)
{
    struct span address = span_of(server);
    enum d7_err err = check_server(&address, why);
    if (!err && token) {
        err = check_token(token, why);
    }
    if (err) {
        return err;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return D7_ERR_NOMEM;
    }
    struct client *c = calloc(1, sizeof(*c));
    if (!c) {
        curl_global_cleanup();
        return D7_ERR_NOMEM;
    }
    c->stop_fd = stop_fd;
    err = fill(c, address, token);
    if (err) {
        client_free(c);
        return err;
    }
    *ret = c;
    return D7_OK;
}

void client_free(struct client *c)
{
    if (c) {
        curl_slist_free_all(c->auth);
        (void)curl_multi_cleanup(c->multi); /* takes NULL */
        free(c->server);
        free(c);
        curl_global_cleanup();
    }
}

const char *client_server(const struct client *c)
{
    return c->server;
}

enum d7_err client_wait(const struct client *c, int64_t wait_ms)
{
    int64_t end = clock_mono_ms() + wait_ms;
    for (int64_t left = wait_ms; left >= 0; left = end - clock_mono_ms()) {
        struct pollfd stop = {.fd = c->stop_fd, .events = POLLIN}; /* -1 is passed over */
        int ready = poll(&stop, 1, left > 60000 ? 60000 : (int)left);
        if (ready > 0) {
            return D7_ERR_CANCELLED;
        }
        if (ready < 0 && errno != EINTR) {
            return d7_err_from_errno(errno);
        }
        if (left == 0) {
            break;
        }
    }
    return D7_OK;
}

/* --- what comes back -------------------------------------------------------------------------- */

static bool is_event_stream(CURL *easy)
{
    static const char type[] = "text/event-stream";
    const char *said = NULL;
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200 &&
           curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &said) == CURLE_OK && said &&
           strncasecmp(said, type, sizeof(type) - 1) == 0;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
    struct transfer *t = ctx;
    struct span got = span_make(bytes, size * count); /* size is 1 */
    if (t->events && is_event_stream(t->easy)) {
        t->heard_ms = clock_mono_ms();
        t->err = events_in_feed(t->events, got, t->take, t->ctx, &t->stopped);
        return t->err || t->stopped ? 0 : got.len;
    }
    buf_append(&t->answer.body, got.ptr, got.len);
    t->err = t->answer.body.err;
    return t->err ? 0 : got.len;
}

void client_answer_release(struct client_answer *a)
{
    buf_release(&a->body);
    jval_free(a->json);
    a->json = NULL;
}

/* --- one request ------------------------------------------------------------------------------ */

static CURLcode set_target(struct transfer *t, const struct client *c, const char *path)
{
    char url[URL_MAX];
    int used = snprintf(url, sizeof(url), "%s" API_PREFIX "%s", c->server, path);
    if (used < 0 || (size_t)used >= sizeof(url)) {
        return CURLE_URL_MALFORMAT;
    }
    CURLcode code = curl_easy_setopt(t->easy, CURLOPT_URL, url);
    if (!code) {
        code = curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    }
    if (!code) {
        code = curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "drop7/" D7_VERSION);
    }
    return code ? code : curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "");
}

static CURLcode set_limits(struct transfer *t)
{
    CURL *easy = t->easy;
    long whole_ms = t->events ? 0 : t->form ? UPLOAD_MS : REQUEST_MS;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (!code) {
        code = curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    }
    if (!code) {
        code = curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, whole_ms);
    }
    return code;
}

static CURLcode set_sinks(struct transfer *t)
{
    CURLcode code = curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, take_bytes);
    if (!code) {
        code = curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
    }
    if (!code) {
        code = curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->said);
    }
    if (!code && t->headers) {
        code = curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
    }
    if (!code && t->form) {
        code = curl_easy_setopt(t->easy, CURLOPT_MIMEPOST, t->form);
    }
    return code;
}

static enum d7_err transfer_begin(struct transfer *t, const struct client *c)
{
    *t = (struct transfer){.easy = curl_easy_init()};
    buf_init(&t->answer.body, CLIENT_BODY_MAX);
    if (!t->easy) {
        return D7_ERR_NOMEM;
    }
    return c->auth ? add_header(&t->headers, c->auth->data) : D7_OK;
}

static void transfer_end(struct transfer *t)
{
    curl_mime_free(t->form); /* before its handle */
    curl_slist_free_all(t->headers);
    curl_easy_cleanup(t->easy);
    client_answer_release(&t->answer);
}

/* Until it is over one way or the other, or somebody wants to stop. */
static enum d7_err drive(const struct client *c, struct transfer *t, CURLcode *ret_code)
{
    t->heard_ms = clock_mono_ms();
    for (int running = 1;;) {
        if (curl_multi_perform(c->multi, &running) != CURLM_OK) {
            return D7_ERR_INTERNAL;
        }
        if (!running) {
            break;
        }
        struct curl_waitfd stop = {.fd = c->stop_fd, .events = CURL_WAIT_POLLIN};
        unsigned count = c->stop_fd >= 0 ? 1 : 0;
        if (curl_multi_poll(c->multi, &stop, count, 1000, NULL) != CURLM_OK) {
            return D7_ERR_INTERNAL;
        }
        if (stop.revents) {
            return D7_ERR_CANCELLED;
        }
        if (t->events && clock_mono_ms() - t->heard_ms > STREAM_SILENT_MS) {
            return D7_ERR_TIMEOUT;
        }
    }
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(c->multi, &left);
    if (!message || message->msg != CURLMSG_DONE) {
        return D7_ERR_INTERNAL;
    }
    *ret_code = message->data.result;
    return D7_OK;
}

static enum d7_err judge(const struct client *c, const struct transfer *t, CURLcode code,
                         struct d7_why *why)
{
    char said[160];
    if (code == CURLE_OK || t->stopped) {
        return D7_OK;
    }
    if (t->err) {
        return d7_refuse(why, t->err, NULL, "the answer of %.120s: %s", c->server,
                         d7_err_text(t->err));
    }
    const char *text = t->said[0] ? t->said : curl_easy_strerror(code);
    return d7_refuse(why, code == CURLE_OPERATION_TIMEDOUT ? D7_ERR_TIMEOUT : D7_ERR_UNAVAILABLE,
                     NULL, "no answer from %.120s: %s", c->server,
                     span_escape(span_of(text), said, sizeof(said)));
}

static void read_answer(struct transfer *t, struct client_answer *ret)
{
    curl_off_t after = 0;
    (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->answer.status);
    t->answer.is_stream = t->events && is_event_stream(t->easy);
    if (curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after > 0) {
        t->answer.retry_after_s = after;
    }
    if (t->answer.body.len) {
        struct d7_why why;
        (void)!jval_parse(buf_span(&t->answer.body), &t->answer.json, &why); /* stays NULL */
    }
    *ret = t->answer;
    t->answer = (struct client_answer){0};
    buf_init(&t->answer.body, 0);
}

static enum d7_err perform(const struct client *c, struct transfer *t, const char *path,
                           struct client_answer *ret, struct d7_why *why)
{
    CURLcode code = set_target(t, c, path);
    if (!code) {
        code = set_limits(t);
    }
    if (!code) {
        code = set_sinks(t);
    }
    if (code) {
        return judge(c, t, code, why);
    }
    if (curl_multi_add_handle(c->multi, t->easy) != CURLM_OK) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = drive(c, t, &code);
    (void)curl_multi_remove_handle(c->multi, t->easy); /* it is there */
    if (!err) {
        err = judge(c, t, code, why);
    } else {
        (void)d7_refuse(why, err, NULL, "%s", d7_err_text(err));
    }
    if (!err) {
        read_answer(t, ret);
    }
    return err;
}

static enum d7_err out_of_memory(struct d7_why *why)
{
    return d7_refuse(why, D7_ERR_NOMEM, NULL, "%s", d7_err_text(D7_ERR_NOMEM));
}

enum d7_err client_get(struct client *c, const char *path, struct client_answer *ret,
                       struct d7_why *why)
{
    struct transfer t;
    enum d7_err err = transfer_begin(&t, c);
    err = err ? out_of_memory(why) : perform(c, &t, path, ret, why);
    transfer_end(&t);
    return err;
}

enum d7_err client_post_json(struct client *c, const char *path, struct span json,
                             struct client_answer *ret, struct d7_why *why)
{
    struct transfer t;
    enum d7_err err = transfer_begin(&t, c);
    if (!err) {
        err = add_header(&t.headers, "Content-Type: application/json");
    }
    if (!err && (curl_easy_setopt(t.easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)json.len) ||
                 curl_easy_setopt(t.easy, CURLOPT_COPYPOSTFIELDS, json.ptr))) {
        err = D7_ERR_NOMEM;
    }
    err = err ? out_of_memory(why) : perform(c, &t, path, ret, why);
    transfer_end(&t);
    return err;
}

static CURLcode add_field(curl_mime *form, const char *name, const char *value)
{
    curl_mimepart *part = curl_mime_addpart(form);
    CURLcode code = part ? curl_mime_name(part, name) : CURLE_OUT_OF_MEMORY;
    return code ? code : curl_mime_data(part, value, CURL_ZERO_TERMINATED);
}

static CURLcode add_file(curl_mime *form, const char *file)
{
    curl_mimepart *part = curl_mime_addpart(form);
    CURLcode code = part ? curl_mime_name(part, "policy") : CURLE_OUT_OF_MEMORY;
    if (!code) {
        code = curl_mime_filedata(part, file);
    }
    if (!code) {
        code = curl_mime_filename(part, "policy"); /* what it is called here is nobody's business */
    }
    return code ? code : curl_mime_type(part, "application/octet-stream");
}

enum d7_err client_post_form(struct client *c, const char *path, const struct client_field *fields,
                             size_t count, const char *file, struct client_answer *ret,
                             struct d7_why *why)
{
    struct transfer t;
    CURLcode code = CURLE_OK;
    enum d7_err err = transfer_begin(&t, c);
    if (!err) {
        t.form = curl_mime_init(t.easy);
        err = t.form ? D7_OK : D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < count && !err && !code; i++) {
        code = fields[i].value ? add_field(t.form, fields[i].name, fields[i].value) : CURLE_OK;
    }
    if (!err && !code) {
        code = add_file(t.form, file);
    }
    if (err || code == CURLE_OUT_OF_MEMORY) {
        err = out_of_memory(why);
    } else if (code) {
        char shown[160];
        err = d7_refuse(why, D7_ERR_IO, NULL, "'%s' cannot be read",
                        span_escape(span_of(file), shown, sizeof(shown)));
    } else {
        err = perform(c, &t, path, ret, why);
    }
    transfer_end(&t);
    return err;
}

enum d7_err client_follow(struct client *c, const char *path, struct events_in *in,
                          events_in_take *take, void *ctx, struct client_answer *ret,
                          struct d7_why *why)
{
    struct transfer t;
    enum d7_err err = transfer_begin(&t, c);
    t.events = in;
    t.take = take;
    t.ctx = ctx;
    events_in_restart(in);
    if (!err) {
        err = add_header(&t.headers, "Accept: text/event-stream");
    }
    if (!err && in->last_id[0]) {
        char line[sizeof(in->last_id) + 32];
        (void)snprintf(line, sizeof(line), "Last-Event-ID: %s", in->last_id); /* fits; one line */
        err = add_header(&t.headers, line);
    }
    err = err ? out_of_memory(why) : perform(c, &t, path, ret, why);
    transfer_end(&t);
    return err;
}

/* --- problems --------------------------------------------------------------------------------- */

static bool append_text(const struct jval *v, const char *key, const char *before, struct buf *to)
{
    char shown[400];
    struct span text;
    if (!jval_text(jval_get(v, key), &text) || text.len == 0) {
        return false;
    }
    buf_text(to, before);
    if (span_is_label(text, 1, sizeof(shown), false)) {
        buf_append(to, text.ptr, text.len);
    } else {
        buf_text(to, span_escape(text, shown, sizeof(shown)));
    }
    return true;
}

void client_problem(const struct client_answer *a, struct buf *to)
{
    const struct jval *errors = jval_get(a->json, "errors");
    buf_printf(to, "%ld", a->status);
    (void)append_text(a->json, "code", " ", to);
    if (!append_text(a->json, "detail", ": ", to) && !append_text(a->json, "title", ": ", to)) {
        buf_text(to, a->status / 100 == 3
                         ? ": the server is somewhere else (redirections are not followed)"
                         : ": not the answer of a drop7d server");
    }
    (void)append_text(a->json, "existing", "; there is ", to);
    if (a->retry_after_s > 0) {
        buf_printf(to, "; again in %lld s", (long long)a->retry_after_s);
    }
    if (a->status >= 500) {
        (void)append_text(a->json, "requestId", "; request ", to);
    }
    buf_char(to, '\n');
    for (size_t i = 0; i < jval_length(errors) && i < FIELDS_SHOWN; i++) {
        if (append_text(jval_at(errors, i), "field", "  ", to)) {
            (void)append_text(jval_at(errors, i), "message", ": ", to);
            buf_char(to, '\n');
        }
    }
}
