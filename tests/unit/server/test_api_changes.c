/* server/api: revisions, changes and ends of policies, cancelled runs, ended tokens, quotas. */
#include "tests/support/call.h"

#include "engine/base/hash.h"
#include "server/http/gzip.h"

#define POLICIES "/api/v1/policies"
#define FAR      "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://engine.example:7007\"}"
#define MINE     POLICIES "/my-policy"

static const char script[] = "#!/bin/sh\nread line\n";
static const char better[] = "#!/bin/sh\nread better\n";
static const char *const good[] = {"id", "my-policy", "name", "My policy", NULL};
static const char *const none[] = {NULL};

static void upload_mine(struct call *c)
{
    call_worker(c, "A");
    assert_int_equal(call_upload(c, good, script, sizeof(script) - 1), 201);
}

static int revise(struct call *c)
{
    return call_upload_to(c, MINE "/revisions", none, better, sizeof(better) - 1);
}

/* --- revisions ------------------------------------------------------------------------------- */

static void a_revision_is_a_candidate_until_its_check_passes(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    assert_int_equal(call_play(c, 8, 0), 8);
    assert_int_equal(revise(c), 201);
    assert_string_equal(call_header(c, "Location"), MINE "/revisions/2");
    assert_string_equal(call_text(c, "status"), "ready");
    assert_int_equal(call_int(c, "revision.number"), 1);
    assert_int_equal(call_int(c, "pending.number"), 2);
    assert_string_equal(call_text(c, "pending.status"), "checking");
    char run[100];
    (void)snprintf(run, sizeof(run), "/api/v1/runs/%s", call_text(c, "latestRunId"));
    assert_int_equal(call_artifacts(c), 2);
    assert_int_equal(call_play(c, 8, 1), 8);
    assert_int_equal(call_get(c, MINE), 200);
    assert_int_equal(call_int(c, "revision.number"), 2);
    assert_true(call_is_null(c, "pending"));
    assert_int_equal(call_get(c, run), 200);
    assert_int_equal(call_int(c, "policyRevision"), 2);
    assert_string_equal(call_text(c, "suite"), "gauntlet");
    assert_string_equal(call_text(c, "status"), "done");
    assert_int_equal(call_get(c, "/api/v1/games?policy=my-policy&sort=createdAt"), 200);
    assert_int_equal(call_length(c, "items"), 16);
    assert_int_equal(call_int(c, "items.0.policyRevision"), 1);
    assert_true(call_bool(c, "items.0.counted"));
    assert_int_equal(call_int(c, "items.15.policyRevision"), 2);
    assert_int_equal(call_get(c, MINE "/rounds/gauntlet-01/replay"), 200);
    assert_int_equal(call_int(c, "policyRevision"), 2);
}

static void revisions_are_listed_for_all_and_their_logs_for_the_owner(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    assert_int_equal(call_play(c, 1, 0), 1);
    assert_int_equal(revise(c), 201);
    c->as = NULL;
    assert_int_equal(call_get(c, MINE "/revisions"), 200);
    assert_int_equal(call_length(c, "items"), 2);
    assert_int_equal(call_int(c, "items.0.number"), 2);
    assert_string_equal(call_text(c, "items.0.status"), "checking");
    assert_false(call_bool(c, "items.0.current"));
    assert_int_equal(call_int(c, "items.1.sizeBytes"), sizeof(script) - 1);
    assert_string_equal(call_text(c, "items.1.format"), "script:sh");
    assert_true(call_bool(c, "items.1.current"));
    assert_int_equal(call_get(c, MINE "/revisions?limit=1"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    char path[300];
    (void)snprintf(path, sizeof(path), MINE "/revisions?limit=1&cursor=%s", call_text(c, "next"));
    assert_int_equal(call_get(c, path), 200);
    assert_int_equal(call_int(c, "items.0.number"), 1);
    assert_true(call_is_null(c, "next"));
    assert_int_equal(call_get(c, MINE "/revisions/1"), 200);
    assert_int_equal(call_int(c, "number"), 1);
    assert_int_equal(call_get(c, MINE "/revisions/3"), 404);
    assert_int_equal(call_get(c, MINE "/revisions/one"), 404);
    assert_int_equal(call_get(c, POLICIES "/nobody/revisions"), 404);
    assert_int_equal(call_get(c, MINE "/revisions/1/log"), 401);
    c->as = &c->other;
    assert_int_equal(call_get(c, MINE "/revisions/1/log"), 403);
    c->as = &c->admin;
    assert_int_equal(call_get(c, MINE "/revisions/1/log"), 200);
    c->as = &c->owner;
    assert_int_equal(call_get(c, MINE "/revisions/1/log"), 200);
    assert_string_equal(call_text(c, "stderr"), "");
    assert_int_equal(call_get(c, MINE "/revisions/9/log"), 404);
}

static void revisions_are_for_owner_and_admin_and_must_fit_the_kind(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    c->as = NULL;
    assert_int_equal(revise(c), 401);
    c->as = &c->other;
    assert_int_equal(revise(c), 403);
    c->as = &c->owner;
    assert_int_equal(call_post(c, MINE "/revisions", "{\"endpoint\":\"tcp://a.example:1\"}"), 400);
    assert_non_null(call_field_error(c, "policy"));
    static const char *const extra[] = {"name", "New name", NULL};
    assert_int_equal(call_upload_to(c, MINE "/revisions", extra, better, sizeof(better) - 1), 400);
    assert_non_null(strstr(call_field_error(c, "name"), "PATCH"));
    assert_int_equal(call_upload_to(c, MINE "/revisions", none, "text", 4), 400);
    assert_non_null(call_field_error(c, "policy"));
    assert_int_equal(call_upload_to(c, POLICIES "/nobody/revisions", none, better, 10), 404);
    assert_int_equal(call_artifacts(c), 1); /* nothing of these stays */
    assert_int_equal(call_post(c, POLICIES, FAR), 201);
    assert_int_equal(call_upload_to(c, POLICIES "/far/revisions", none, better, 10), 400);
    assert_non_null(call_field_error(c, "policy"));
    assert_int_equal(call_post(c, POLICIES "/far/revisions", "{}"), 400);
    assert_non_null(call_field_error(c, "endpoint"));
    assert_int_equal(call_post(c, POLICIES "/far/revisions", "{\"endpoint\":\"tcp://10.0.0.1:1\"}"),
                     400);
    assert_int_equal(
        call_post(c, POLICIES "/far/revisions", "{\"endpoint\":\"tcp://two.example:7008\"}"), 201);
    assert_string_equal(call_text(c, "pending.endpoint"), "tcp://two.example:7008");
    c->as = NULL;
    assert_int_equal(call_get(c, POLICIES "/far/revisions"), 200);
    assert_null(strstr(c->body, "example"));
    c->as = &c->admin;
    assert_int_equal(call_get(c, POLICIES "/far/revisions"), 200);
    assert_string_equal(call_text(c, "items.0.endpoint"), "tcp://two.example:7008");
    call_builtin(c, "alpha");
    assert_int_equal(call_post(c, POLICIES "/alpha/revisions", "{}"), 409);
}

static void a_revision_of_an_upload_needs_a_sandbox(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    assert_int_equal(worker_remove(c->api.store, "worker-a"), D7_OK);
    call_worker(c, "C");
    assert_int_equal(revise(c), 503);
    assert_string_equal(call_text(c, "code"), "sandbox-unavailable");
    assert_int_equal(call_artifacts(c), 1);
}

static void a_remote_policy_is_ready_at_once_and_runs_are_not_for_it(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_post(c, POLICIES, "{\"id\":\"away\",\"name\":\"Away\",\"remote\":true}"),
                     201);
    assert_string_equal(call_text(c, "kind"), "remote");
    assert_string_equal(call_text(c, "status"), "ready");
    assert_string_equal(call_text(c, "badges.0"), "remote");
    assert_int_equal(call_int(c, "revision.number"), 1);
    assert_true(call_is_null(c, "latestRunId"));
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"away\"}"), 409);
    assert_string_equal(call_text(c, "code"), "conflict");
    assert_int_equal(call_post(c, POLICIES "/away/revisions", "{\"remote\":false}"), 400);
    assert_int_equal(call_post(c, POLICIES "/away/revisions", "{\"remote\":true}"), 201);
    assert_int_equal(call_int(c, "revision.number"), 2);
    static const char *const bad[] = {
        "{\"id\":\"b1\",\"name\":\"B\",\"remote\":true,\"endpoint\":\"tcp://a.example:1\"}",
        "{\"id\":\"b1\",\"name\":\"B\",\"remote\":false}",
        "{\"id\":\"b1\",\"name\":\"B\",\"remote\":1}",
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, POLICIES, bad[i]), 400);
        assert_int_equal(call_length(c, "errors"), 1);
    }
}

/* --- changes --------------------------------------------------------------------------------- */

static void texts_are_changed_by_the_owner_and_checked_as_before(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    c->as = NULL;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"X\"}"), 401);
    c->as = &c->other;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"X\"}"), 403);
    c->as = &c->owner;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"Better\",\"family\":\"new\"}"),
                     200);
    assert_string_equal(call_text(c, "name"), "Better");
    assert_string_equal(call_text(c, "family"), "new");
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"description\":\"a\\nb\"}"), 200);
    assert_string_equal(call_text(c, "name"), "Better");
    assert_string_equal(call_text(c, "description"), "a\nb");
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{}"), 200);
    assert_int_equal(
        call_send(c, HTTP_PATCH, MINE,
                  "{\"name\":\"\",\"family\":7,\"description\":\"\\u0007\",\"id\":\"x\"}"),
        400);
    static const char *const fields[] = {"name", "family", "description", "id"};
    for (size_t i = 0; i < D7_COUNT(fields); i++) {
        assert_non_null(call_field_error(c, fields[i]));
    }
    assert_int_equal(call_get(c, MINE), 200);
    assert_string_equal(call_text(c, "name"), "Better");
    assert_int_equal(call_send(c, HTTP_PATCH, POLICIES "/nobody", "{}"), 404);
}

static void only_admins_suspend_and_let_go(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    assert_int_equal(call_play(c, 8, 0), 8);
    const char *suspend = "{\"status\":\"suspended\",\"reason\":\"too loud\"}";
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, suspend), 403);
    c->as = &c->admin;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, suspend), 200);
    assert_string_equal(call_text(c, "status"), "suspended");
    assert_string_equal(call_text(c, "reason.code"), "suspended");
    assert_string_equal(call_text(c, "reason.message"), "too loud");
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "summaries"), 0);
    assert_int_equal(call_get(c, POLICIES "?status=suspended"), 200);
    assert_int_equal(call_length(c, "items"), 1);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"my-policy\"}"), 409);
    assert_int_equal(revise(c), 409);
    assert_int_equal(call_artifacts(c), 1);
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"status\":\"ready\"}"), 200);
    assert_string_equal(call_text(c, "status"), "ready");
    assert_true(call_is_null(c, "reason"));
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "summaries"), 1);
    static const char *const bad[] = {"{\"status\":\"retired\"}", "{\"status\":\"up\"}",
                                      "{\"reason\":\"why\"}",
                                      "{\"status\":\"suspended\",\"reason\":\"\"}"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_send(c, HTTP_PATCH, MINE, bad[i]), 400);
    }
    c->as = &c->owner;
    assert_int_equal(call_post(c, POLICIES, FAR), 201);
    c->as = &c->admin;
    assert_int_equal(call_send(c, HTTP_PATCH, POLICIES "/far", "{\"status\":\"ready\"}"), 409);
    call_builtin(c, "alpha");
    assert_int_equal(call_send(c, HTTP_PATCH, POLICIES "/alpha", "{\"name\":\"Mine now\"}"), 409);
    assert_int_equal(call_send(c, HTTP_PATCH, POLICIES "/alpha", "{\"status\":\"suspended\"}"),
                     200);
    assert_string_equal(call_text(c, "reason.message"), "suspended by an administrator");
}

static void a_retired_policy_stays_retired_with_its_games(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    assert_int_equal(call_play(c, 2, 0), 2);
    char run[100];
    assert_int_equal(call_get(c, MINE), 200);
    (void)snprintf(run, sizeof(run), "/api/v1/runs/%s", call_text(c, "latestRunId"));
    c->as = &c->other;
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 403);
    c->as = NULL;
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 401);
    c->as = &c->owner;
    assert_int_equal(call_send(c, HTTP_DELETE, POLICIES "/nobody", NULL), 404);
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 204);
    assert_string_equal(c->body, "");
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 204);
    assert_int_equal(call_artifacts(c), 0);
    assert_int_equal(call_get(c, MINE), 200);
    assert_string_equal(call_text(c, "status"), "retired");
    assert_int_equal(call_get(c, run), 200);
    assert_string_equal(call_text(c, "status"), "cancelled");
    assert_int_equal(call_get(c, "/api/v1/games?policy=my-policy"), 200);
    assert_int_equal(call_length(c, "items"), 2);
    char replay[100];
    (void)snprintf(replay, sizeof(replay), "/api/v1/games/%s/replay", call_text(c, "items.0.id"));
    assert_int_equal(call_get(c, replay), 200);
    assert_int_equal(call_get(c, POLICIES), 200);
    assert_int_equal(call_length(c, "items"), 0);
    assert_int_equal(call_upload(c, good, script, sizeof(script) - 1), 409);
    assert_int_equal(revise(c), 409);
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"X\"}"), 409);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"my-policy\"}"), 409);
}

static void an_artifact_others_use_outlives_a_retired_policy(void **state)
{
    struct call *c = *state;
    upload_mine(c);
    static const char *const twin[] = {"id", "twin", "name", "Twin", NULL};
    c->as = &c->other;
    assert_int_equal(call_upload(c, twin, script, sizeof(script) - 1), 201);
    c->as = &c->owner;
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 204);
    assert_int_equal(call_artifacts(c), 1);
    c->as = &c->admin;
    assert_int_equal(call_send(c, HTTP_DELETE, POLICIES "/twin", NULL), 204);
    assert_int_equal(call_artifacts(c), 0);
}

/* --- runs ------------------------------------------------------------------------------------ */

static void an_unfinished_run_is_cancelled_once(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_post(c, POLICIES, FAR), 201);
    assert_int_equal(call_play(c, 2, 0), 2);
    assert_int_equal(call_get(c, POLICIES "/far"), 200);
    char run[100];
    (void)snprintf(run, sizeof(run), "/api/v1/runs/%s", call_text(c, "latestRunId"));
    c->as = NULL;
    assert_int_equal(call_send(c, HTTP_DELETE, run, NULL), 401);
    c->as = &c->other;
    assert_int_equal(call_send(c, HTTP_DELETE, run, NULL), 403);
    c->as = &c->owner;
    assert_int_equal(call_send(c, HTTP_DELETE, run, NULL), 200);
    assert_string_equal(call_text(c, "status"), "cancelled");
    assert_string_equal(call_text(c, "reason"), "cancelled by its owner");
    assert_int_equal(call_int(c, "progress.done"), 2);
    assert_int_equal(call_length(c, "games"), 2);
    assert_int_equal(call_send(c, HTTP_DELETE, run, NULL), 409);
    assert_string_equal(call_text(c, "existing"), run);
    assert_int_equal(call_play(c, 9, 0), 0);
    assert_int_equal(call_send(c, HTTP_DELETE, "/api/v1/runs/nothing", NULL), 404);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"far\"}"), 202);
    (void)snprintf(run, sizeof(run), "/api/v1/runs/%s", call_text(c, "id"));
    c->as = &c->admin;
    assert_int_equal(call_send(c, HTTP_DELETE, run, NULL), 200);
    assert_string_equal(call_text(c, "reason"), "cancelled by an administrator");
}

/* --- accounts -------------------------------------------------------------------------------- */

static void quotas_are_refused_with_the_true_numbers_and_shown(void **state)
{
    struct call *c = *state;
    c->site.quota = (struct quota){{2, 4, 20, 1000}};
    upload_mine(c);
    assert_int_equal(call_get(c, "/api/v1/me"), 200);
    assert_int_equal(call_int(c, "quota.policies.used"), 1);
    assert_int_equal(call_int(c, "quota.policies.limit"), 2);
    assert_int_equal(call_int(c, "quota.revisionsPerDay.used"), 1);
    assert_int_equal(call_int(c, "quota.waitingJobs.used"), 9);
    assert_int_equal(call_int(c, "quota.artifactBytes.used"), sizeof(script) - 1);
    assert_int_equal(call_int(c, "quota.artifactBytes.limit"), 1000);
    assert_int_equal(call_post(c, POLICIES, FAR), 201);
    assert_int_equal(call_post(c, POLICIES, "{\"id\":\"c3\",\"name\":\"C\",\"remote\":true}"), 403);
    assert_string_equal(call_text(c, "code"), "quota");
    assert_non_null(strstr(call_text(c, "detail"), "2 of 2 policies"));
    assert_int_equal(call_get(c, POLICIES "/c3"), 404);
    assert_int_equal(revise(c), 403); /* 18 waiting */
    assert_non_null(strstr(call_text(c, "detail"), "18 of 20 waiting"));
    assert_int_equal(call_artifacts(c), 1);
    assert_int_equal(call_play(c, 16, 0), 16);
    c->site.quota.limit[QUOTA_JOBS] = 7;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"far\"}"), 403);
    assert_non_null(strstr(call_text(c, "detail"), "0 of 7 waiting"));
    c->site.quota.limit[QUOTA_JOBS] = 0;
    c->site.quota.limit[QUOTA_ARTIFACTS] = 30;
    assert_int_equal(revise(c), 403);
    assert_non_null(strstr(call_text(c, "detail"), "bytes"));
    assert_int_equal(call_get(c, "/api/v1/me"), 200);
    assert_true(call_is_null(c, "quota.waitingJobs.limit"));
    /* others have their own */
    c->as = &c->other;
    assert_int_equal(call_post(c, POLICIES, "{\"id\":\"c3\",\"name\":\"C\",\"remote\":true}"), 201);
}

static void new_accounts_are_limited_by_address_and_failures_are_free(void **state)
{
    struct call *c = *state;
    const struct limit_rate rates[LIMIT_KINDS] = {[LIMIT_TOKENS] = {2, 3600000}};
    limiter_free(c->site.limiter);
    c->site.limiter = NULL;
    assert_int_equal(limiter_new(rates, &c->site.limiter), D7_OK);
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"one\"}"), 201);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"one\"}"), 409);
        assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"\"}"), 400);
    }
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"two\"}"), 201);
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"three\"}"), 429);
    assert_string_equal(call_text(c, "code"), "rate-limited");
    assert_true(c->reply.retry_after_s > 1700 && c->reply.retry_after_s <= 1800);
}

static void a_token_is_ended_by_its_own_account(void **state)
{
    struct call *c = *state;
    struct account account;
    char sha[SHA_HEX_SIZE];
    char path[100];
    c->as = NULL;
    assert_int_equal(call_post(c, "/api/v1/tokens", "{\"name\":\"someone\"}"), 201);
    sha_of(span_of(call_text(c, "token")), sha);
    (void)snprintf(path, sizeof(path), "/api/v1/tokens/%s", call_text(c, "id"));
    assert_int_equal(account_by_token(c->api.store, sha, &account), D7_OK);
    assert_int_equal(call_send(c, HTTP_DELETE, path, NULL), 401);
    c->as = &c->other;
    assert_int_equal(call_send(c, HTTP_DELETE, path, NULL), 403);
    struct account own = account;
    c->as = &own;
    assert_int_equal(call_send(c, HTTP_DELETE, "/api/v1/tokens/nothing", NULL), 404);
    assert_int_equal(call_send(c, HTTP_DELETE, path, NULL), 204);
    assert_int_equal(account_by_token(c->api.store, sha, &account), D7_ERR_NOT_FOUND);
    assert_int_equal(call_send(c, HTTP_DELETE, path, NULL), 204);
}

static void a_change_may_name_what_it_is_about(void **state)
{
    struct call *c = *state;
    char mine[ETAG_SIZE];
    char public[ETAG_SIZE];
    char list[3 * ETAG_SIZE];
    upload_mine(c);
    assert_int_equal(call_get(c, MINE), 200);
    etag_of(span_of(c->body), mine);
    c->as = NULL;
    assert_int_equal(call_get(c, MINE), 200);
    etag_of(span_of(c->body), public);
    c->as = &c->owner;
    c->if_match = "\"0123456789abcdef0123456789abcdef\"";
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"X\"}"), 412);
    assert_string_equal(call_text(c, "code"), "conflict");
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 412);
    c->if_match = public;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"One\"}"), 200);
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"Two\"}"), 412);
    c->if_match = mine; /* of before, too */
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"Two\"}"), 412);
    assert_int_equal(call_get(c, MINE), 200);
    assert_string_equal(call_text(c, "name"), "One");
    etag_of(span_of(c->body), mine);
    etag_gzip(mine, public);
    (void)snprintf(list, sizeof(list), "\"a\", %s", public);
    c->if_match = list;
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"Two\"}"), 200);
    c->if_match = "*";
    assert_int_equal(call_send(c, HTTP_PATCH, MINE, "{\"name\":\"Three\"}"), 200);
    assert_int_equal(call_send(c, HTTP_DELETE, MINE, NULL), 204);
}

static void a_change_between_look_and_write_is_seen(void **state)
{
    struct call *c = *state;
    struct policy_patch patch = {.name = "First"};
    upload_mine(c);
    assert_int_equal(store_version(c->api.store, &patch.if_version), D7_OK);
    assert_int_equal(policy_patch(c->api.store, "my-policy", &patch), D7_OK);
    patch.name = "Second";
    assert_int_equal(policy_patch(c->api.store, "my-policy", &patch), D7_ERR_CANCELLED);
    assert_int_equal(call_get(c, MINE), 200);
    assert_string_equal(call_text(c, "name"), "First");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_change_may_name_what_it_is_about),
        TEST(a_change_between_look_and_write_is_seen),
        TEST(a_revision_is_a_candidate_until_its_check_passes),
        TEST(revisions_are_listed_for_all_and_their_logs_for_the_owner),
        TEST(revisions_are_for_owner_and_admin_and_must_fit_the_kind),
        TEST(a_revision_of_an_upload_needs_a_sandbox),
        TEST(a_remote_policy_is_ready_at_once_and_runs_are_not_for_it),
        TEST(texts_are_changed_by_the_owner_and_checked_as_before),
        TEST(only_admins_suspend_and_let_go),
        TEST(a_retired_policy_stays_retired_with_its_games),
        TEST(an_artifact_others_use_outlives_a_retired_policy),
        TEST(an_unfinished_run_is_cancelled_once),
        TEST(quotas_are_refused_with_the_true_numbers_and_shown),
        TEST(new_accounts_are_limited_by_address_and_failures_are_free),
        TEST(a_token_is_ended_by_its_own_account),
    };
    return cmocka_run_group_tests_name("server/api_changes", tests, NULL, NULL);
}
