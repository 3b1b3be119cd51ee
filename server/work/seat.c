#include "server/work/seat.h"

#include <errno.h>

#include "server/log.h"
#include "server/sandbox/sandbox.h"
#include "server/work/endpoint_policy.h"

static enum d7_err refuse(struct seat *s, const char *code, const char *text)
{
    s->code = code;
    (void)span_escape(span_of(text), s->message, sizeof(s->message));
    return D7_OK;
}

static enum d7_err open_builtin(const struct job *job, struct seat *s, struct d7_why *why)
{
    const struct policy_info *info = policy_find(span_of(job->policy_id));
    if (!info) {
        return d7_refuse(why, D7_ERR_UNSUPPORTED, NULL, "no built-in policy of that name here");
    }
    return peer_builtin_new(info, 1, &s->peer);
}

static enum d7_err open_upload(const struct isolation *iso, const struct store *st,
                               const struct job *job, struct seat *s, struct d7_why *why)
{
    char path[sizeof(s->command.path)];
    store_artifact_path(st, job->sha256, path, sizeof(path));
    enum d7_err err = artifact_verify(path, job->sha256, why);
    if (err) {
        log_line(LOG_ERROR, "'%s' cannot be played: %s: %s", job->policy_id, path, why->text);
        return err;
    }
    s->confined = true;
    err = isolation_command(iso, path, job->format, isolation_slot(), &s->command);
    if (err) {
        return d7_refuse(why, err, NULL, "no sandbox for a policy of format %s: %s", job->format,
                         d7_err_text(err));
    }
    return peer_child_new(&s->command.spec, &s->limits, &s->peer);
}

/* Keeps the addresses we may connect to, in the resolver's order. */
static void keep_allowed(const struct config *config, struct address_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (endpoint_allowed((const struct sockaddr *)&list->items[i].at, config)) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* For a game its check has passed, so somebody listens there, now and then excepted; of several
 * addresses the others are tried before one is waited for. */
static enum d7_err connect_next(struct seat *s, struct peer **ret)
{
    const struct address *to = &s->addresses.items[s->address_next++];
    struct tcp_spec spec = {.address = &to->at,
                            .address_len = to->len,
                            .has_stood = s->was_met && s->addresses.count == 1};
    return peer_tcp_new(&spec, &s->limits, ret);
}

static enum d7_err open_endpoint(const struct config *config, const struct job *job, struct seat *s,
                                 struct d7_why *why)
{
    struct host_port to;
    enum d7_err err = host_port_parse_endpoint(span_of(job->endpoint), &to, why);
    if (!err) {
        err = address_resolve(&to, &s->addresses, why);
    }
    if (err == D7_ERR_INVALID || err == D7_ERR_NOT_FOUND) {
        return refuse(s, "endpoint-unreachable", "the endpoint's name has no address");
    }
    if (err) {
        return err;
    }
    keep_allowed(config, &s->addresses);
    s->was_met = job->kind != JOB_CHECK;
    if (!s->addresses.count) {
        return refuse(s, "endpoint-refused",
                      "the endpoint's address is not one this server may connect to");
    }
    return connect_next(s, &s->peer);
}

enum d7_err seat_open(const struct config *config, const struct isolation *iso,
                      const struct store *st, const struct job *job, struct seat *ret,
                      struct d7_why *why)
{
    memset(ret, 0, sizeof(*ret));
    ret->limits = config->limits;
    switch (job->policy_kind) {
    case KIND_BUILTIN:
        return open_builtin(job, ret, why);
    case KIND_UPLOAD:
        return open_upload(iso, st, job, ret, why);
    case KIND_ENDPOINT:
        return open_endpoint(config, job, ret, why);
    case KIND_REMOTE:
        break; /* plays by itself over HTTP: never a job */
    }
    return d7_refuse(why, D7_ERR_UNSUPPORTED, NULL, "a policy of this kind is not played here");
}

bool seat_try_next(struct seat *s)
{
    struct peer *next = NULL;
    if (s->address_next == 0 || s->address_next >= s->addresses.count || connect_next(s, &next)) {
        return false;
    }
    peer_free(s->peer);
    s->peer = next;
    return true;
}

void seat_close(struct seat *s)
{
    peer_free(s->peer);
    s->peer = NULL;
}

/* The file itself cannot be executed, whoever tries. EACCES and the like are about the loader that
 * a program names: whatever else is executed is ours, and the probe has executed such. */
static bool is_bad_file(const struct sandbox_report *r)
{
    static const int list[] = {ENOEXEC, ENOENT,  ELIBBAD, EINVAL,
                               EACCES,  ENOTDIR, ELOOP,   ENAMETOOLONG};
    for (size_t i = 0; i < D7_COUNT(list) && r->step == SANDBOX_STEP_EXEC; i++) {
        if (r->error == list[i]) {
            return true;
        }
    }
    return false;
}

enum seat_report seat_reported(struct seat *s, char *ret_text, size_t size)
{
    ret_text[0] = '\0';
    struct span bytes = s->confined && s->peer ? peer_report(s->peer) : span_make(NULL, 0);
    if (!bytes.len) {
        return SEAT_FINE;
    }
    if (!isolation_report_text(bytes, ret_text, size)) {
        (void)snprintf(ret_text, size, "sandbox: malformed report");
        return SEAT_OUR_FAULT;
    }
    struct sandbox_report report;
    D7_CHECK(bytes.len >= sizeof(report)); /* or it would not have been understood */
    memcpy(&report, bytes.ptr, sizeof(report));
    return is_bad_file(&report) ? SEAT_NO_EXEC : SEAT_OUR_FAULT;
}
