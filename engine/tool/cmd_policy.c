/* drop7 policies, and drop7 policy: a built-in policy speaking D7P over stdin and stdout, or over
 * TCP. */
#include <signal.h>
#include <sys/signalfd.h>

#include "engine/d7p/listen.h"
#include "engine/harness/address.h"
#include "engine/policy/registry.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

int cmd_policies(int argc, char **argv)
{
    bool json = false;
    const struct opt table[] = {{"--json", NULL, "as JSON, with descriptions", NULL, &json}};
    struct opts o = {.usage = "drop7 policies [--json]", .table = table, .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    if (!json) {
        (void)printf("%-18s %-30s %-18s %-5s %s\n", "id", "name", "family", "slow", "reads");
        for (size_t i = 0; i < count; i++) {
            (void)printf("%-18s %-30s %-18s %-5s %s\n", all[i].id, all[i].name, all[i].family,
                         all[i].slow ? "slow" : "-",
                         all[i].public_information ? "public state" : "extended state");
        }
        return 0;
    }
    struct buf text;
    buf_init(&text, 1 << 20);
    struct jout j;
    jout_init(&j, &text);
    jout_array(&j);
    for (size_t i = 0; i < count; i++) {
        jout_object(&j);
        jout_kv_text(&j, "id", all[i].id);
        jout_kv_text(&j, "name", all[i].name);
        jout_kv_text(&j, "family", all[i].family);
        jout_kv_text(&j, "description", all[i].description);
        jout_kv_bool(&j, "slow", all[i].slow);
        jout_kv_bool(&j, "publicInformation", all[i].public_information);
        jout_object_end(&j);
    }
    jout_array_end(&j);
    return tool_print(&text);
}

static unsigned choose(void *ctx, const struct position *at)
{
    struct decision decision;
    policy_decide(ctx, at, &decision);
    D7_CHECK(decision.column >= 0); /* sessions ask only where a column is legal */
    return (unsigned)decision.column;
}

static enum d7_err new_session(void *ctx, struct d7p_session *ret)
{
    const struct policy_info *info = ctx;
    struct policy *policy = NULL;
    enum d7_err err = policy_new(info, 1, &policy);
    if (!err) {
        *ret =
            (struct d7p_session){.identity = {info->name, info->family, info->public_information},
                                 .choose = choose,
                                 .ctx = policy};
    }
    return err;
}

static void end_session(void *ctx, struct d7p_session *s)
{
    (void)ctx;
    policy_free(s->ctx);
}

/* A descriptor that becomes readable when SIGINT or SIGTERM asks us to end; -1 if there is none to
 * be had. */
static int stop_descriptor(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static int listen_on(const char *text, const struct d7p_factory *factory)
{
    struct host_port host;
    struct address_list addresses;
    struct d7_why why = {{0}, {0}};
    struct listener *listener = NULL;
    enum d7_err err = host_port_parse(span_of(text), 0, &host, &why);
    if (err) {
        return tool_fail(2, "--listen: %s", why.text[0] ? why.text : d7_err_text(err));
    }
    err = address_resolve(&host, &addresses, &why);
    if (!err) {
        err = listener_new(&addresses.items[0].at, addresses.items[0].len, &listener, &why);
    }
    if (err) {
        return tool_fail(1, "--listen %s: %s", text, why.text[0] ? why.text : d7_err_text(err));
    }
    D7_AUTO_CLOSE int stop = stop_descriptor();
    (void)fprintf(stderr, "listening on %s\n", listener_address(listener));
    err = listener_run(listener, factory, stop);
    listener_free(listener);
    return err ? tool_fail(1, "%s", d7_err_text(err)) : 0;
}

int tool_unknown_policy(struct span id)
{
    char quoted[80];
    (void)tool_fail(2, "unknown policy '%s'", span_escape(id, quoted, sizeof(quoted)));
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    (void)fputs("drop7: known policies:", stderr);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(stderr, " %s", all[i].id);
    }
    (void)fputc('\n', stderr);
    return 2;
}

int cmd_policy(int argc, char **argv)
{
    const char *id = NULL;
    const char *listen = NULL;
    const struct opt table[] = {
        {"--policy", "ID", "which one (drop7 policies lists them)", &id, NULL},
        {"--listen", "HOST:PORT",
         "over TCP, several clients at a time, instead of stdin and stdout", &listen, NULL},
    };
    struct opts o = {.usage = "drop7 policy --policy ID [--listen HOST:PORT]",
                     .table = table,
                     .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (!id) {
        return tool_fail(2, "policy needs --policy ID");
    }
    const struct policy_info *info = policy_find(span_of(id));
    if (!info) {
        return tool_unknown_policy(span_of(id));
    }
    /* the factory's context is only handed back to new_session, which reads it */
    const struct d7p_factory factory = {new_session, end_session, (void *)(uintptr_t)info};
    if (listen) {
        return listen_on(listen, &factory);
    }
    enum d7_err err = d7p_serve(&factory, STDIN_FILENO, STDOUT_FILENO);
    return err ? tool_fail(1, "%s", d7_err_text(err)) : 0;
}
