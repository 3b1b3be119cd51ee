/*
 * Design note. Order at start: signals are blocked before the first thread exists (threads inherit
 * the mask); the keeper of the workers is forked while there is nothing to inherit; the store is
 * opened exclusively before the port, so of two servers on one folder the second says so and
 * touches nothing; root is given up once the port is there, before the first thread that hears a
 * stranger; and workers come last, when there is a store to open. Order at the end: workers are
 * told to stop and waited for, while requests are still answered and readyz says 503, so that
 * whoever spreads requests sends no more; then the HTTP layer ends with what is left of the ten
 * seconds, and the store is closed last.
 */
#include "server/serve.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "server/api/api.h"
#include "server/api/events.h"
#include "server/api/metrics.h"
#include "server/http/asset.h"
#include "server/http/daemon.h"
#include "server/log.h"
#include "server/privilege.h"
#include "server/work/artifact.h"
#include "server/work/supervisor.h"

#define STOP_MS       SUPERVISOR_GRACE_MS
#define HTTP_LEAST_MS 1000
#define LARGE_BLOCK   (256 * 1024) /* from here on memory is given back when it is freed */

struct server {
    const struct config *config;
    struct store *store; /* the main thread's */
    struct site site;
    struct http_daemon *http;
    struct keeper *keeper;
    struct supervisor *supervisor;
    struct privilege privilege;
    char uploads[PATH_MAX]; /* borrowed by the daemon for its life, as is config */
};

/* --- what the HTTP threads need ------------------------------------------------------------------
 */

static struct api *make_api(void *ctx)
{
    struct server *server = ctx;
    struct api *api = calloc(1, sizeof(*api));
    struct d7_why why = {0};
    if (!api) {
        return NULL;
    }
    api->site = &server->site;
    enum d7_err err = store_open(server->config->data, STORE_OPEN, &api->store, &why);
    if (err) {
        log_line(LOG_ERROR, "a request thread cannot open the store: %s", why.text);
        free(api);
        return NULL;
    }
    store_count_errors(api->store, &server->site.metrics->store);
    return api;
}

static void free_api(struct api *api)
{
    if (api) {
        event_view_free(api->view);
        store_close(api->store);
        free(api);
    }
}

static enum d7_err authenticate(struct api *api, struct span token, struct account *ret)
{
    char sha[SHA_HEX_SIZE];
    sha_of(token, sha);
    enum d7_err err = account_by_token(api->store, sha, ret);
    if (!err && token_use_is_due(&api->token_uses, sha, clock_mono_ms())) {
        /* for `token list` only: a request is not worth less because it could not be noted */
        (void)!token_used(api->store, sha, clock_utc_ms());
    }
    return err;
}

static const char *complaint(struct api *api)
{
    return store_message(api->store);
}

static enum d7_err change(struct api *api, int64_t *ret)
{
    return store_version(api->store, ret);
}

/* --- built-in policies ---------------------------------------------------------------------------
 */

static enum d7_err register_builtin(struct store *st, const struct policy_info *info)
{
    struct policy_new_row row = {.id = info->id,
                                 .name = info->name,
                                 .family = info->family,
                                 .description = info->description,
                                 .kind = KIND_BUILTIN,
                                 .public_information = info->public_information,
                                 .slow = info->slow,
                                 .concurrency = 1,
                                 .sha256 = "",
                                 .format = "builtin",
                                 .endpoint = ""};
    char run_id[STORE_KEY_SIZE];
    return policy_add(st, &row, clock_utc_ms(), run_id);
}

/* Queues the first run of a built-in that never had one. */
static enum d7_err bench_builtin(struct store *st, const struct policy_info *info,
                                 const char *suite_id)
{
    struct policy_row row;
    enum d7_err err = policy_get(st, info->id, &row);
    if (err || row.latest_run_id[0] || row.status != POLICY_READY) {
        return err;
    }
    char run_id[STORE_KEY_SIZE], existing[STORE_KEY_SIZE];
    return run_add(st, info->id, suite_id, NULL, 0, clock_utc_ms(), run_id, existing);
}

static enum d7_err install_builtins(struct store *st, bool demo)
{
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    struct suite_row suite = {0};
    enum d7_err err = suite_get(st, NULL, &suite);
    for (size_t i = 0; i < count && !err; i++) {
        err = register_builtin(st, &all[i]);
        if (!err && demo && !all[i].slow) {
            err = bench_builtin(st, &all[i], suite.id);
        }
    }
    suite_release(&suite);
    return err;
}

/* --- start and end -------------------------------------------------------------------------------
 */

static void take_signals(void)
{
    sigset_t set;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    supervisor_signals(&set);
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigemptyset(&usual.sa_mask);
    D7_CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    D7_CHECK(sigaction(SIGPIPE, &ignore, NULL) == 0);
    /* whoever started us may have ignored it, and then children could not be waited for */
    D7_CHECK(sigaction(SIGCHLD, &usual, NULL) == 0);
}

static enum d7_err open_http(struct server *server, struct d7_why *why)
{
    const struct config *config = server->config;
    store_tmp_dir(server->store, server->uploads, sizeof(server->uploads));
    struct daemon_options o = {.listen = config->listen,
                               .threads = config->http_threads,
                               .upload_max = (size_t)config->max_upload,
                               .trusted_proxies = config->trusted_proxy,
                               .trusted_proxy_count = config->trusted_proxy_count,
                               .upload_dir = server->uploads,
                               .tls_cert = config->tls_cert[0] ? config->tls_cert : NULL,
                               .tls_key = config->tls_key[0] ? config->tls_key : NULL,
                               .make_api = make_api,
                               .free_api = free_api,
                               .authenticate = authenticate,
                               .limiter = server->site.limiter,
                               .change = change,
                               .complaint = complaint,
                               .metrics = server->site.metrics->http,
                               .ctx = server};
    o.routes = api_routes(&o.route_count);
    return daemon_open(&o, &server->http, why);
}

/* Where this very program lies, whatever it was called as. */
static enum d7_err program_path(char *ret_path, size_t size, struct d7_why *why)
{
    ssize_t len = readlink("/proc/self/exe", ret_path, size);
    if (len < 0 || (size_t)len >= size) {
        return d7_refuse(why, D7_ERR_IO, NULL, "cannot find the own program: %s",
                         len < 0 ? strerrordesc_np(errno) : "path too long");
    }
    ret_path[len] = '\0';
    return D7_OK;
}

static enum d7_err start_keeper(struct server *server, int option_count, char *const *options,
                                struct d7_why *why)
{
    char program[PATH_MAX];
    enum d7_err err = program_path(program, sizeof(program), why);
    struct keeper_options o = {.program = program, .argc = option_count, .argv = options};
    return err ? err : keeper_start(&o, &server->keeper, why);
}

/* Store, pages and supervisor: nothing that wants root. */
static enum d7_err open_all(struct server *server, struct d7_why *why)
{
    const struct config *config = server->config;
    enum d7_err err = store_open(config->data, STORE_SERVE, &server->store, why);
    if (err) {
        return err;
    }
    store_count_errors(server->store, &server->site.metrics->store);
    err = install_builtins(server->store, config->demo);
    if (err) {
        return d7_refuse(why, err, NULL, "built-in policies cannot be registered: %s (%s)",
                         d7_err_text(err), store_message(server->store));
    }
    err = asset_init(config->static_dir[0] ? config->static_dir : NULL);
    if (err) {
        return err;
    }
    struct supervisor_options o = {.keeper = server->keeper,
                                   .workers = config->workers,
                                   .lease_dead_ms = config->lease_dead_ms,
                                   .play_expiry_ms = config->play_expiry_ms,
                                   .store = server->store};
    return supervisor_new(&o, &server->supervisor);
}

static enum d7_err start(struct server *server, int option_count, char *const *options,
                         struct d7_why *why)
{
    struct privilege *p = &server->privilege;
    enum d7_err err = start_keeper(server, option_count, options, why);
    if (!err) {
        err = privilege_choose(server->config, p, why);
    }
    if (!err) {
        err = privilege_borrow(p, why);
    }
    if (err) {
        return err;
    }
    err = open_all(server, why);
    privilege_regain(p);
    if (!err) {
        err = open_http(server, why);
    }
    if (!err) {
        err = privilege_drop(p, why);
    }
    return err ? err : daemon_start(server->http, why);
}

/* One that is listed and not installed is simply not offered: said here, or nobody would know. */
static void warn_of_interpreters(const struct config *config)
{
    for (size_t i = 0; i < config->interpreter_count; i++) {
        char path[ARTIFACT_PATH_SIZE];
        if (interpreter_find(config->interpreters[i], path)) {
            log_line(LOG_WARN, "scripts for %s cannot be uploaded: it is not installed below /usr",
                     config->interpreters[i]);
        }
    }
}

/* What was listened on, with the port the kernel chose. */
static void announce(const struct server *server)
{
    const struct config *config = server->config;
    const char *colon = strrchr(config->listen, ':');
    int host_len = (int)(colon ? (size_t)(colon - config->listen) : strlen(config->listen));
    log_line(LOG_INFO, "listening on %s://%.*s:%u", config->tls_cert[0] ? "https" : "http",
             host_len, config->listen, daemon_port(server->http));
    if (config->sandbox_off) {
        log_line(LOG_WARN, "uploads run WITHOUT a sandbox (--sandbox off): only for policies you "
                           "would run yourself");
    }
    if (server->privilege.drops) {
        log_line(LOG_INFO, "serving with the rights of %s; only workers keep root",
                 server->privilege.name);
    } else if (server->privilege.stays.text[0]) {
        log_line(LOG_WARN, "serving as root: %s", server->privilege.stays.text);
    }
}

/* What is left for the HTTP layer. */
static int64_t stop_workers(struct server *server)
{
    int64_t since_ms = clock_mono_ms();
    atomic_store(&server->site.stopping, true);
    log_line(LOG_INFO, "stopping");
    supervisor_end(server->supervisor);
    int64_t left_ms = STOP_MS - (clock_mono_ms() - since_ms);
    return left_ms > HTTP_LEAST_MS ? left_ms : HTTP_LEAST_MS;
}

enum d7_err serve_run(const struct config *config, int option_count, char *const *options,
                      struct d7_why *ret_why)
{
    /* glibc raises this by itself to the size of what was freed last; then boards of hundreds of
     * policies, made anew after each game by any of the threads, stay in an arena of each. */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    struct server server = {.config = config};
    int64_t stop_within_ms = HTTP_LEAST_MS;
    enum d7_err err = site_init(config, &server.site);
    if (err) {
        return err;
    }
    take_signals();
    err = start(&server, option_count, options, ret_why);
    if (!err) {
        announce(&server);
        warn_of_interpreters(config);
        err = supervisor_run(server.supervisor);
        if (err) {
            (void)d7_refuse(ret_why, err, NULL, "the process that keeps the workers is gone");
        }
        stop_within_ms = stop_workers(&server);
    }
    if (server.http) {
        daemon_stop(server.http, stop_within_ms);
    }
    supervisor_free(server.supervisor);
    keeper_free(server.keeper);
    site_release(&server.site);
    asset_release();
    store_close(server.store);
    return err;
}
