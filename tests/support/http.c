#include <curl/curl.h>
#include <poll.h>
#include <strings.h>

#include "engine/base/clock.h"
#include "tests/support/server.h"

static size_t take(char *bytes, size_t size, size_t count, void *ctx)
{
    struct buf *to = ctx;
    buf_append(to, bytes, size * count);
    return to->err ? 0 : size * count;
}

struct call {
    CURL *curl;
    struct curl_slist *headers;
    curl_mime *form;
    struct buf head, body;
};

static void call_begin(struct call *c, const struct test_server *s, const char *method,
                       const char *path, const char *token)
{
    memset(c, 0, sizeof(*c));
    buf_init(&c->head, 1 << 20);
    buf_init(&c->body, 64u << 20);
    c->curl = curl_easy_init();
    assert_non_null(c->curl);
    char url[4096];
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", s->port, path);
    (void)curl_easy_setopt(c->curl, CURLOPT_URL, url);
    (void)curl_easy_setopt(c->curl, CURLOPT_PATH_AS_IS, 1L);
    (void)curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, (long)TEST_WAIT_MS);
    (void)curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, method);
    if (strcmp(method, "HEAD") == 0) {
        (void)curl_easy_setopt(c->curl, CURLOPT_NOBODY, 1L);
    }
    (void)curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, take);
    (void)curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &c->body);
    (void)curl_easy_setopt(c->curl, CURLOPT_HEADERFUNCTION, take);
    (void)curl_easy_setopt(c->curl, CURLOPT_HEADERDATA, &c->head);
    if (token) {
        char line[200];
        (void)snprintf(line, sizeof(line), "Authorization: Bearer %s", token);
        c->headers = curl_slist_append(c->headers, line);
    }
}

static struct answer call_end(struct call *c, const char *what)
{
    struct answer a = {0};
    (void)curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->headers);
    CURLcode code = curl_easy_perform(c->curl);
    if (code != CURLE_OK) {
        fail_msg("%s: %s", what, curl_easy_strerror(code));
    }
    (void)curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &a.status);
    curl_mime_free(c->form); /* before its handle, or it leaks */
    curl_slist_free_all(c->headers);
    curl_easy_cleanup(c->curl);
    a.len = c->body.len;
    if (a.len) {
        struct d7_why why;
        (void)!jval_parse(buf_span(&c->body), &a.json, &why); /* no JSON stays NULL */
    }
    buf_char(&c->body, '\0');
    buf_char(&c->head, '\0');
    a.body = buf_steal(&c->body);
    a.headers = buf_steal(&c->head);
    return a;
}

void answer_free(struct answer *a)
{
    free(a->body);
    free(a->headers);
    jval_free(a->json);
    memset(a, 0, sizeof(*a));
}

/* jval gives spans; tests want strings, a few at a time. */
const char *answer_text(const struct answer *a, const char *key)
{
    static char texts[8][512];
    static unsigned next;
    struct span text;
    char *to = texts[next++ % D7_COUNT(texts)];
    if (!jval_text(jval_get(a->json, key), &text) || span_copy(text, to, sizeof(texts[0]))) {
        fail_msg("no text `%s` in %s", key, a->body);
    }
    return to;
}

struct answer http_get(const struct test_server *s, const char *path)
{
    return http_send(s, "GET", path, NULL, NULL);
}

struct answer http_send(const struct test_server *s, const char *method, const char *path,
                        const char *token, const char *json)
{
    struct call c;
    call_begin(&c, s, method, path, token);
    if (json) {
        (void)curl_easy_setopt(c.curl, CURLOPT_POSTFIELDS, json);
        c.headers = curl_slist_append(c.headers, "Content-Type: application/json");
    }
    return call_end(&c, path);
}

struct answer http_upload(const struct test_server *s, const char *path, const char *token,
                          const char *const *fields, const char *file)
{
    struct call c;
    call_begin(&c, s, "POST", path, token);
    c.form = curl_mime_init(c.curl);
    for (size_t i = 0; fields && fields[i]; i += 2) {
        curl_mimepart *part = curl_mime_addpart(c.form);
        (void)curl_mime_name(part, fields[i]);
        (void)curl_mime_data(part, fields[i + 1], CURL_ZERO_TERMINATED);
    }
    if (file) {
        curl_mimepart *part = curl_mime_addpart(c.form);
        (void)curl_mime_name(part, "policy");
        (void)curl_mime_filedata(part, file);
    }
    (void)curl_easy_setopt(c.curl, CURLOPT_MIMEPOST, c.form);
    return call_end(&c, path);
}

struct answer http_wait_status(const struct test_server *s, const char *path,
                               const char *not_status, int64_t wait_ms)
{
    int64_t end = clock_mono_ms() + support_patience(wait_ms);
    for (;;) {
        struct answer a = http_get(s, path);
        assert_int_equal(a.status, 200);
        if (strcmp(answer_text(&a, "status"), not_status) != 0) {
            return a;
        }
        if (clock_mono_ms() >= end) {
            fail_msg("%s stays %s: %s", path, not_status, a.body);
        }
        answer_free(&a);
        (void)poll(NULL, 0, 100);
    }
}

struct answer http_wait_run(const struct test_server *s, const char *run_id, int64_t wait_ms)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/api/v1/runs/%s", run_id);
    int64_t end = clock_mono_ms() + wait_ms;
    struct answer a = http_wait_status(s, path, "queued", wait_ms);
    answer_free(&a);
    return http_wait_status(s, path, "playing", end - clock_mono_ms());
}

const char *server_wait_ready(const struct test_server *s, int64_t wait_ms)
{
    static char tier[16];
    int64_t end = clock_mono_ms() + support_patience(wait_ms);
    for (;;) {
        struct answer a = http_get(s, "/readyz");
        if (a.status == 200) {
            struct span text;
            if (!jval_text(jval_get(jval_get(a.json, "isolation"), "tier"), &text) ||
                span_copy(text, tier, sizeof(tier))) {
                fail_msg("no tier in %s", a.body);
            }
            answer_free(&a);
            return tier;
        }
        if (clock_mono_ms() >= end) {
            fail_msg("not ready: %s", a.body);
        }
        answer_free(&a);
        (void)poll(NULL, 0, 50);
    }
}
