/*
 * config.c - one table of options; the command line, the environment and --help all walk it.
 *
 * Design  lists given on the command line replace the environment's and add up among themselves;
 * for everything else the last one wins.
 */
#include "server/config.h"

#include "server/config_option.h"

#define THREADS_MAX 64
#define HOUR_MS     3600000
#define WEEK_MS     ((int64_t)168 * HOUR_MS)
#define UPLOAD_MAX  ((int64_t)1 << 30)
#define STORED_MAX  ((int64_t)1 << 40)
#define RATE_MAX    1000000
#define QUOTA_MAX   1000000

#define FIELD(f) offsetof(struct config, f)
#define SIZE(f)  sizeof(((struct config *)NULL)->f)

#define TEXT(name, f, value, fallback, help)                                                       \
    {                                                                                              \
        name, OPTION_TEXT, FIELD(f), SIZE(f), 0, 0, {NULL, NULL}, value, fallback, help            \
    }
#define LISTEN(name, f, fallback, help)                                                            \
    {                                                                                              \
        name, OPTION_LISTEN, FIELD(f), SIZE(f), 0, 0, {NULL, NULL}, "HOST:PORT", fallback, help    \
    }
#define COUNT(name, f, lo, hi, fallback, help)                                                     \
    {                                                                                              \
        name, OPTION_COUNT, FIELD(f), 0, lo, hi, {NULL, NULL}, "N", fallback, help                 \
    }
#define SECONDS(name, f, lo, hi, fallback, help)                                                   \
    {                                                                                              \
        name, OPTION_SECONDS, FIELD(f), 0, lo, hi, {NULL, NULL}, "SECONDS", fallback, help         \
    }
#define BYTES(name, f, lo, hi, fallback, help)                                                     \
    {                                                                                              \
        name, OPTION_BYTES, FIELD(f), 0, lo, hi, {NULL, NULL}, "BYTES", fallback, help             \
    }
#define CHOICE(name, f, no, yes, fallback, help)                                                   \
    {                                                                                              \
        name, OPTION_CHOICE, FIELD(f), 0, 0, 0, {no, yes}, no "|" yes, fallback, help              \
    }
#define CIDRS(name, f, count, help)                                                                \
    {                                                                                              \
        name, OPTION_CIDRS, FIELD(f), FIELD(count), 0, 0, {NULL, NULL}, "CIDR", "none", help       \
    }
#define NAMES(name, f, count, fallback, help)                                                      \
    {                                                                                              \
        name, OPTION_NAMES, FIELD(f), FIELD(count), 0, 0, {NULL, NULL}, "LIST", fallback, help     \
    }
#define FLAG(name, f, help)                                                                        \
    {                                                                                              \
        name, OPTION_FLAG, FIELD(f), 0, 0, 0, {NULL, NULL}, NULL, "off", help                      \
    }

static const struct option options[] = {
    LISTEN("listen", listen, "127.0.0.1:8080", "where to serve; [V6]:PORT too; port 0: a free one"),
    TEXT("data", data, "DIR", "./var", "drop7.db and artifacts/ live here"),
    TEXT("user", user, "NAME", "the data folder's owner, or drop7",
         "whose rights serve takes when root starts it; root: stays root"),
    COUNT("workers", workers, 0, THREADS_MAX, "the online cores", "worker processes, 0 to 64"),
    COUNT("http-threads", http_threads, 1, THREADS_MAX, "4", "answer requests, 1 to 64"),
    CHOICE("registration", registration_open, "closed", "open", "closed",
           "may anybody make an account"),
    CIDRS("allow-endpoint", allow_endpoint, allow_endpoint_count,
          "private addresses that endpoints may have; repeatable"),
    CIDRS("trusted-proxy", trusted_proxy, trusted_proxy_count,
          "proxies whose X-Forwarded-For is believed; repeatable"),
    SECONDS("connect-timeout", limits.connect_ms, 100, 60000, "5",
            "connecting to an endpoint, 0.1 to 60"),
    SECONDS("handshake-timeout", limits.handshake_ms, 100, 600000, "10",
            "a policy's handshake, 0.1 to 600"),
    SECONDS("move-timeout", limits.move_ms, 10, HOUR_MS, "10", "one move, 0.01 to 3600"),
    SECONDS("game-timeout", limits.game_ms, 1000, WEEK_MS, "1800", "one game, 1 to 604800"),
    BYTES("max-upload", max_upload, 1024, UPLOAD_MAX, "16M", "largest policy file, 1K to 1024M"),
    CHOICE("sandbox", sandbox_off, "auto", "off", "auto",
           "off runs uploads unconfined: only for your own"),
    NAMES("interpreters", interpreters, interpreter_count, "python3,node,perl,sh",
          "whose #! scripts may be uploaded, where installed"),
    TEXT("tls-cert", tls_cert, "FILE", "none", "PEM certificate chain; with --tls-key: HTTPS"),
    TEXT("tls-key", tls_key, "FILE", "none", "its PEM key"),
    CHOICE("log-format", log_json, "text", "json", "text", "lines on stderr"),
    FLAG("demo", demo, "bench the default built-in policies on first start"),
    TEXT("static", static_dir, "DIR", "built in", "read the pages from here on each request"),
    SECONDS("lease-beat", lease_beat_ms, 100, HOUR_MS, "5",
            "a worker renews its lease this often, 0.1 to 3600"),
    SECONDS("lease-dead", lease_dead_ms, 200, HOUR_MS, "30",
            "a lease unchanged this long has ended, 0.2 to 3600"),
    COUNT("rate-writes", rate_writes, 0, RATE_MAX, "60", "writes a minute by one account; 0: any"),
    COUNT("rate-tokens", rate_tokens, 0, RATE_MAX, "5",
          "accounts made in an hour from one address; 0: any"),
    COUNT("rate-auth-failures", rate_failures, 0, RATE_MAX, "20",
          "wrong tokens a minute from one address; 0: any"),
    COUNT("quota-policies", quota_policies, 0, QUOTA_MAX, "20", "policies of one account; 0: any"),
    COUNT("quota-revisions", quota_revisions, 0, QUOTA_MAX, "50",
          "revisions a day by one account; 0: any"),
    COUNT("quota-jobs", quota_jobs, 0, QUOTA_MAX, "64",
          "checks and games an account may have waiting; 0: any"),
    BYTES("quota-artifacts", quota_artifacts, 0, STORED_MAX, "256M",
          "programs an account may have stored; 0: any"),
    SECONDS("play-expiry", play_expiry_ms, 1000, 4 * WEEK_MS, "86400",
            "a play without a move for this long ends, 1 to 2419200"),
    COUNT("rate-plays", rate_plays, 0, RATE_MAX, "20",
          "moves of plays a second from one address; 0: any"),
};

static void set_defaults(struct config *c)
{
    memset(c, 0, sizeof(*c));
    c->limits = harness_limits_default();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    c->workers = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
    c->http_threads = 4;
    c->max_upload = 16 << 20;
    c->lease_beat_ms = 5000;
    c->lease_dead_ms = 30000;
    c->rate_writes = 60;
    c->rate_tokens = 5;
    c->rate_failures = 20;
    c->quota_policies = 20;
    c->quota_revisions = 50;
    c->quota_jobs = 64;
    c->quota_artifacts = (int64_t)256 << 20;
    c->play_expiry_ms = 24 * HOUR_MS;
    c->rate_plays = 20;
    (void)snprintf(c->listen, sizeof(c->listen), "127.0.0.1:8080");
    (void)snprintf(c->data, sizeof(c->data), "./var");
    static const char *const names[] = {"python3", "node", "perl", "sh"};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        (void)snprintf(c->interpreters[i], sizeof(c->interpreters[i]), "%s", names[i]);
    }
    c->interpreter_count = D7_COUNT(names);
    ssize_t len = readlink("/proc/self/exe", c->program_dir, sizeof(c->program_dir) - 1);
    c->program_dir[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(c->program_dir, '/');
    if (slash) {
        *slash = '\0';
    } else {
        c->program_dir[0] = '.';
        c->program_dir[1] = '\0';
    }
}

static void environment_name(const struct option *o, char ret[64])
{
    int used = snprintf(ret, 64, "DROP7_%s", o->name);
    D7_CHECK(used > 0 && used < 64);
    for (char *c = ret; *c; c++) {
        *c = (char)(*c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
}

static enum d7_err set_from_environment(struct config *c, struct d7_why *why)
{
    for (size_t i = 0; i < D7_COUNT(options); i++) {
        char name[64];
        environment_name(&options[i], name);
        const char *value = getenv(name);
        /* an empty variable counts as unset, except for the one list that may be empty */
        if (!value || (!*value && options[i].kind != OPTION_NAMES)) {
            continue;
        }
        struct setting s = {&options[i], name, span_of(value), c, why};
        enum d7_err err = option_set(&s);
        if (err) {
            return err;
        }
    }
    return D7_OK;
}

static const struct option *find_option(struct span name)
{
    for (size_t i = 0; i < D7_COUNT(options); i++) {
        if (span_is(name, options[i].name)) {
            return &options[i];
        }
    }
    return NULL;
}

/* argv[*at] and its value, which may be the next word. */
static enum d7_err set_argument(int argc, char **argv, int *at, bool *seen, struct config *c,
                                struct d7_why *why)
{
    struct span value = span_of(argv[*at]);
    char quoted[64];
    if (!span_starts(value, "--") || value.len == 2) {
        return d7_refuse(why, D7_ERR_INVALID, span_escape(value, quoted, sizeof(quoted)),
                         "is not an option; see --help");
    }
    struct span name = span_cut(&value, '=');
    bool has_value = name.ptr[name.len] == '=';
    const struct option *o = find_option(span_make(name.ptr + 2, name.len - 2));
    (void)span_escape(name, quoted, sizeof(quoted));
    if (!o) {
        return d7_refuse(why, D7_ERR_INVALID, quoted, "unknown option; see --help");
    }
    struct setting s = {o, quoted, value, c, why};
    if (!has_value && o->kind != OPTION_FLAG) {
        if (*at + 1 >= argc) {
            return d7_refuse(why, D7_ERR_INVALID, quoted, "its value is missing: %s", o->value);
        }
        s.value = span_of(argv[++*at]);
    }
    if (o->kind == OPTION_CIDRS && !seen[o - options]) {
        option_clear(&s);
    }
    seen[o - options] = true;
    return option_set(&s);
}

enum d7_err config_parse(int argc, char **argv, struct config *ret, struct d7_why *why)
{
    struct config *c = malloc(sizeof(*c)); /* written out on success only */
    if (!c) {
        return D7_ERR_NOMEM;
    }
    bool seen[D7_COUNT(options)] = {false};
    set_defaults(c);
    enum d7_err err = set_from_environment(c, why);
    for (int at = 0; !err && at < argc; at++) {
        err = set_argument(argc, argv, &at, seen, c, why);
    }
    if (!err && (c->tls_cert[0] == '\0') != (c->tls_key[0] == '\0')) {
        err = d7_refuse(why, D7_ERR_INVALID, c->tls_cert[0] ? "--tls-cert" : "--tls-key",
                        "--tls-cert and --tls-key go together only");
    }
    if (!err && c->lease_dead_ms < 2 * c->lease_beat_ms) {
        err = d7_refuse(why, D7_ERR_INVALID, "--lease-dead",
                        "must be at least twice --lease-beat (%g s)",
                        (double)c->lease_beat_ms / 1000);
    }
    if (!err) {
        *ret = *c;
    }
    free(c);
    return err;
}

void config_help(struct buf *to)
{
    for (size_t i = 0; i < D7_COUNT(options); i++) {
        const struct option *o = &options[i];
        char left[64];
        (void)snprintf(left, sizeof(left), "--%s%s%s", o->name, o->value ? " " : "",
                       o->value ? o->value : "");
        buf_printf(to, "  %-30s %s [%s]\n", left, o->help, o->fallback);
    }
}
