#include "engine/tool/remote.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "engine/base/fdio.h"

#define TOKEN_FILE_MAX 4096
#define ID_MAX         64

/* --- which server, which token ---------------------------------------------------------------- */

static const char *from_environment(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

/* The first line of the file, into `text`. */
static int read_token(const char *path, struct buf *text)
{
    char shown[200];
    enum d7_err err = file_read(path, text);
    if (err) {
        return tool_fail(2, "--token-file '%s': %s",
                         span_escape(span_of(path), shown, sizeof(shown)), d7_err_text(err));
    }
    struct span rest = buf_span(text);
    struct span line = span_trim(span_cut(&rest, '\n'));
    if (line.len == 0) {
        return tool_fail(2, "--token-file '%s': its first line is empty",
                         span_escape(span_of(path), shown, sizeof(shown)));
    }
    memmove(text->data, line.ptr, line.len);
    text->data[line.len] = '\0';
    text->len = line.len;
    return 0;
}

/* A descriptor that becomes readable at SIGINT or SIGTERM; -1 if there is none to be had: then they
 * end the program, as ever. */
static int stop_descriptor(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd >= 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static int connect_to(const struct remote_options *o, const char *token, bool needs_token,
                      struct remote *ret)
{
    struct d7_why why = {{0}, {0}};
    const char *server = o->server ? o->server : from_environment("DROP7_SERVER");
    if (needs_token && !token) {
        return tool_fail(2, "a token is needed: --token-file FILE, or DROP7_TOKEN (POST /tokens "
                            "or the server's operator has one)");
    }
    ret->stop_fd = stop_descriptor();
    enum d7_err err =
        client_new(server ? server : REMOTE_SERVER, token, ret->stop_fd, &ret->client, &why);
    if (err) {
        d7_auto_close(&ret->stop_fd);
        return tool_fail(err == D7_ERR_INVALID ? 2 : 1, "%s",
                         why.text[0] ? why.text : d7_err_text(err));
    }
    return 0;
}

int remote_begin(const struct remote_options *o, bool needs_token, struct remote *ret)
{
    struct buf text;
    int status = 0;
    const char *token = o->token;
    buf_init(&text, TOKEN_FILE_MAX);
    if (token && o->token_file) {
        status = tool_fail(2, "--token and --token-file exclude each other");
    } else if (o->token_file) {
        status = read_token(o->token_file, &text);
        token = text.data;
    } else if (!token) {
        token = from_environment("DROP7_TOKEN");
    }
    if (!status) {
        status = connect_to(o, token, needs_token, ret);
    }
    buf_release(&text);
    return status;
}

void remote_end(struct remote *r)
{
    client_free(r->client);
    d7_auto_close(&r->stop_fd);
}

bool remote_is_id(const char *what, const char *id)
{
    size_t len = strlen(id);
    bool plain = len > 0 && len <= ID_MAX;
    for (size_t i = 0; i < len && plain; i++) {
        plain = isalnum((unsigned char)id[i]) || (id[i] == '-' && i > 0);
    }
    if (!plain) {
        char shown[80];
        (void)tool_fail(2, "%s '%s' is no id (1 to %d letters, digits and '-')", what,
                        span_escape(span_of(id), shown, sizeof(shown)), ID_MAX);
    }
    return plain;
}

/* --- answers ---------------------------------------------------------------------------------- */

int remote_lost(enum d7_err err, const struct d7_why *why)
{
    if (err == D7_ERR_CANCELLED) {
        return tool_fail(REMOTE_INTERRUPTED, "interrupted");
    }
    return tool_fail(1, "%s", why->text[0] ? why->text : d7_err_text(err));
}

int remote_refused(const struct client_answer *a)
{
    struct buf text;
    buf_init(&text, 64u << 10);
    client_problem(a, &text);
    struct span line = buf_span(&text);
    if (line.len) {
        line.len--; /* tool_fail ends lines itself */
    }
    (void)tool_fail(1, "the server answers %.*s", (int)line.len, line.len ? line.ptr : "");
    buf_release(&text);
    return 1;
}

int remote_get(struct remote *r, const char *path, bool as_json, struct client_answer *ret)
{
    struct d7_why why = {{0}, {0}};
    enum d7_err err = client_get(r->client, path, ret, &why);
    if (err) {
        return remote_lost(err, &why);
    }
    if (ret->status != 200 || (as_json && !ret->json)) {
        int status = remote_refused(ret);
        client_answer_release(ret);
        return status;
    }
    return 0;
}

const char *remote_text(const struct jval *v, const char *key, char to[REMOTE_TEXT_SIZE])
{
    struct span text;
    to[0] = '\0';
    if (jval_text(jval_get(v, key), &text) && text.len > 0 &&
        (!span_is_label(text, 1, REMOTE_TEXT_SIZE, false) ||
         span_copy(text, to, REMOTE_TEXT_SIZE))) {
        (void)span_escape(text, to, REMOTE_TEXT_SIZE);
    }
    return to;
}

int64_t remote_int(const struct jval *v, const char *key, int64_t fallback)
{
    int64_t value = fallback;
    return jval_integer(jval_get(v, key), &value) ? value : fallback;
}

static void write_body(struct jout *j, const char *key, const struct client_answer *a)
{
    jout_key(j, key);
    if (a && a->json) {
        jout_raw(j, span_trim(buf_span(&a->body)));
    } else {
        jout_null(j);
    }
}

int remote_print_json(const struct client_answer *policy, const struct client_answer *run)
{
    struct buf text;
    struct jout j;
    buf_init(&text, 2 * CLIENT_BODY_MAX);
    jout_init(&j, &text);
    jout_object(&j);
    write_body(&j, "policy", policy);
    write_body(&j, "run", run);
    jout_object_end(&j);
    return tool_print(&text);
}
