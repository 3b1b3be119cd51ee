/* drop7 status: a policy and its newest run, one run, or the newest runs of all. */
#include "engine/tool/follow.h"
#include "engine/tool/runtable.h"
#include "engine/tool/tool.h"

#define RUNS_SHOWN "20"

struct question {
    const char *id; /* NULL: the newest runs */
    bool follow, as_json;
    struct remote_options at;
};

static int show_runs(const struct question *q, struct remote *r)
{
    struct client_answer list = {0};
    int status = remote_get(r, "/runs?limit=" RUNS_SHOWN, true, &list);
    if (status) {
        return status;
    }
    if (q->as_json) {
        struct span text = span_trim(buf_span(&list.body));
        (void)printf("%.*s\n", (int)text.len, text.ptr);
    } else {
        runtable_runs(jval_get(list.json, "items"));
    }
    client_answer_release(&list);
    return 0;
}

/* A policy of that id, or, `*ret_found` false, none. */
static int find_policy(const char *id, struct remote *r, struct client_answer *ret, bool *ret_found)
{
    char path[128];
    struct d7_why why = {{0}, {0}};
    (void)snprintf(path, sizeof(path), "/policies/%s", id); /* fits: checked */
    enum d7_err err = client_get(r->client, path, ret, &why);
    if (err) {
        return remote_lost(err, &why);
    }
    int status = 0;
    bool found = ret->status == 200 && ret->json;
    if (!found && ret->status != 404) {
        status = remote_refused(ret);
    }
    if (!found) {
        client_answer_release(ret);
    }
    *ret_found = found;
    return status;
}

static int find_run(const struct question *q, const char *id, struct remote *r,
                    struct client_answer *ret)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "/runs/%s", id);
    return q->follow ? follow_run(r, id, ret) : remote_get(r, path, true, ret);
}

/* With --follow the run's end is the answer, as with submit. */
static int verdict(const struct question *q, const struct client_answer *run)
{
    char text[REMOTE_TEXT_SIZE];
    return !q->follow || strcmp(remote_text(run->json, "status", text), "done") == 0
               ? 0
               : tool_fail(1, "the run is %s", text);
}

static int show(const struct question *q, struct remote *r, const struct client_answer *policy,
                const char *run_id)
{
    struct client_answer run = {0};
    if (policy && !run_id[0]) {
        if (q->as_json) {
            return remote_print_json(policy, NULL);
        }
        runtable_policy(policy->json);
        return 0;
    }
    int status = remote_is_id("run", run_id) ? find_run(q, run_id, r, &run) : 1;
    if (status) {
        return status;
    }
    if (q->as_json) {
        status = remote_print_json(policy, &run);
    } else {
        if (policy) {
            runtable_policy(policy->json);
        }
        runtable_run(run.json);
    }
    if (!status) {
        status = verdict(q, &run);
    }
    client_answer_release(&run);
    return status;
}

static int answer(const struct question *q, struct remote *r)
{
    struct client_answer policy = {0};
    char run_id[REMOTE_TEXT_SIZE];
    bool found = false;
    if (!q->id) {
        return show_runs(q, r);
    }
    int status = find_policy(q->id, r, &policy, &found);
    if (status) {
        return status;
    }
    if (!found) {
        return show(q, r, NULL, q->id); /* then it can only be a run */
    }
    status = show(q, r, &policy, remote_text(policy.json, "latestRunId", run_id));
    client_answer_release(&policy);
    return status;
}

int cmd_status(int argc, char **argv)
{
    struct question q = {0};
    const struct opt table[] = {
        {"--follow", NULL, "until the run is over; exit status as of submit", NULL, &q.follow},
        {"--json", NULL, "policy and run (or the list of runs) as JSON", NULL, &q.as_json},
        REMOTE_OPTS(q.at),
    };
    struct opts o = {.usage = "drop7 status [RUN | POLICY] [options]   (without: the newest runs)",
                     .table = table,
                     .count = D7_COUNT(table),
                     .positional_max = 1};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    q.id = o.positional[0];
    if (q.follow && !q.id) {
        return tool_fail(2, "--follow needs a RUN or POLICY");
    }
    if (q.id && !remote_is_id("the argument", q.id)) {
        return 2;
    }
    struct remote r;
    status = remote_begin(&q.at, false, &r);
    if (!status) {
        status = answer(&q, &r);
        remote_end(&r);
    }
    return status;
}
