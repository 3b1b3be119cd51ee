/* drop7 submit: register a program or an endpoint, or a new revision of it, and follow its run. */
#include <errno.h>
#include <sys/stat.h>

#include "engine/tool/follow.h"
#include "engine/tool/runtable.h"
#include "engine/tool/tool.h"

#define JSON_MAX (64u << 10)

struct submission {
    const char *id, *name, *family, *description, *endpoint;
    const char *file; /* NULL: an endpoint */
    bool is_revision, no_wait, as_json;
    struct remote_options at;
};

/* --- what is asked ---------------------------------------------------------------------------- */

static int check_file(const char *file)
{
    struct stat facts;
    char shown[200];
    (void)span_escape(span_of(file), shown, sizeof(shown));
    if (stat(file, &facts) != 0) {
        return tool_fail(2, "'%s': %s", shown, d7_err_text(d7_err_from_errno(errno)));
    }
    if (!S_ISREG(facts.st_mode) || access(file, R_OK) != 0) {
        return tool_fail(2, "'%s' is no file that can be read", shown);
    }
    return facts.st_size > 0 ? 0 : tool_fail(2, "'%s' is empty", shown);
}

static int check(const struct submission *s)
{
    if (!s->file == !s->endpoint) {
        return tool_fail(2, "submit needs one of FILE and --endpoint tcp://HOST:PORT");
    }
    if (!s->id) {
        return tool_fail(2, "submit needs --id ID");
    }
    if (!s->is_revision && !s->name) {
        return tool_fail(2, "submit needs --name NAME (or --revision, for a policy that is there)");
    }
    if (s->is_revision && (s->name || s->family || s->description)) {
        return tool_fail(2, "--revision changes the program alone: no --name, --family or "
                            "--description");
    }
    if (!remote_is_id("--id", s->id)) {
        return 2;
    }
    return s->file ? check_file(s->file) : 0;
}

/* --- sending it ------------------------------------------------------------------------------- */

static void write_optional(struct jout *j, const char *key, const char *text)
{
    if (text) {
        jout_kv_text(j, key, text);
    }
}

static enum d7_err send_endpoint(const struct submission *s, struct remote *r, const char *path,
                                 struct client_answer *ret, struct d7_why *why)
{
    struct buf text;
    struct jout j;
    buf_init(&text, JSON_MAX);
    jout_init(&j, &text);
    jout_object(&j);
    write_optional(&j, "id", s->is_revision ? NULL : s->id);
    write_optional(&j, "name", s->name);
    write_optional(&j, "family", s->family);
    write_optional(&j, "description", s->description);
    jout_kv_text(&j, "endpoint", s->endpoint);
    jout_object_end(&j);
    enum d7_err err = text.err ? d7_refuse(why, text.err, NULL, "%s", d7_err_text(text.err))
                               : client_post_json(r->client, path, buf_span(&text), ret, why);
    buf_release(&text);
    return err;
}

/* The policy as it is registered now. 0, or the exit status. */
static int send(const struct submission *s, struct remote *r, struct client_answer *ret)
{
    char path[128] = "/policies";
    struct d7_why why = {{0}, {0}};
    if (s->is_revision) {
        (void)snprintf(path, sizeof(path), "/policies/%s/revisions", s->id); /* fits: checked */
    }
    const struct client_field fields[] = {{"id", s->is_revision ? NULL : s->id},
                                          {"name", s->name},
                                          {"family", s->family},
                                          {"description", s->description}};
    enum d7_err err =
        s->file ? client_post_form(r->client, path, fields, D7_COUNT(fields), s->file, ret, &why)
                : send_endpoint(s, r, path, ret, &why);
    if (err == D7_ERR_CANCELLED) {
        (void)remote_lost(err, &why);
        (void)fprintf(stderr, "whether it arrived: drop7 status %s --server %s\n", s->id,
                      client_server(r->client));
        return REMOTE_INTERRUPTED;
    }
    if (err) {
        return remote_lost(err, &why);
    }
    if (ret->status != 201 || !ret->json) {
        (void)remote_refused(ret);
        client_answer_release(ret);
        return 1;
    }
    return 0;
}

/* --- and then --------------------------------------------------------------------------------- */

static int report(const struct submission *s, struct remote *r, const struct client_answer *run)
{
    char path[128];
    char text[REMOTE_TEXT_SIZE];
    struct client_answer policy = {0};
    (void)snprintf(path, sizeof(path), "/policies/%s", s->id);
    int status = remote_get(r, path, true, &policy);
    if (status) {
        return status;
    }
    if (s->as_json) {
        status = remote_print_json(&policy, run);
    } else {
        runtable_run(run->json);
    }
    if (!status && strcmp(remote_text(run->json, "status", text), "done") != 0) {
        status = runtable_rejection(policy.json, text)[0]
                     ? tool_fail(1, "rejected: %s", text)
                     : tool_fail(1, "the run is %s", remote_text(run->json, "status", text));
    }
    client_answer_release(&policy);
    return status;
}

static int after(const struct submission *s, struct remote *r, const struct client_answer *policy)
{
    char run_id[REMOTE_TEXT_SIZE];
    struct client_answer run = {0};
    (void)remote_text(policy->json, "latestRunId", run_id);
    if (s->no_wait) {
        if (s->as_json) {
            return remote_print_json(policy, NULL);
        }
        runtable_policy(policy->json);
        (void)printf("run %s\n", run_id);
        return 0;
    }
    if (!run_id[0] || !remote_is_id("run", run_id)) {
        return tool_fail(1, "registered, but the server names no run");
    }
    (void)fprintf(stderr, "registered %s, run %s\n", s->id, run_id);
    int status = follow_run(r, run_id, &run);
    if (!status) {
        status = report(s, r, &run);
        client_answer_release(&run);
    }
    return status;
}

int cmd_submit(int argc, char **argv)
{
    struct submission s = {0};
    const struct opt table[] = {
        {"--id", "ID", "its id, for good: a-z, 0-9 and '-'", &s.id, NULL},
        {"--name", "NAME", "its name", &s.name, NULL},
        {"--family", "F", "what kind of player it is", &s.family, NULL},
        {"--description", "D", "a few sentences about it", &s.description, NULL},
        {"--endpoint", "tcp://HOST:PORT", "where it listens, instead of FILE", &s.endpoint, NULL},
        {"--revision", NULL, "a new revision of ID", NULL, &s.is_revision},
        {"--no-wait", NULL, "do not follow the run", NULL, &s.no_wait},
        {"--json", NULL, "policy and run as JSON on stdout", NULL, &s.as_json},
        REMOTE_OPTS(s.at),
    };
    struct opts o = {.usage =
                         "drop7 submit --id ID --name NAME [options] FILE | --endpoint "
                         "tcp://HOST:PORT\nexit status: 0 done, 1 rejected, stopped, failed or "
                         "cancelled, 2 usage, 130 interrupted (the run goes on)",
                     .table = table,
                     .count = D7_COUNT(table),
                     .positional_max = 1};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    s.file = o.positional[0];
    status = check(&s);
    struct remote r;
    if (!status) {
        status = remote_begin(&s.at, true, &r);
    }
    if (status) {
        return status;
    }
    struct client_answer policy = {0};
    status = send(&s, &r, &policy);
    if (!status) {
        status = after(&s, &r, &policy);
        client_answer_release(&policy);
    }
    remote_end(&r);
    return status;
}
