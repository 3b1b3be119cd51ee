/* runs.c - asking for games, and watching them being played. */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/intake.h"
#include "server/api/named.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

/* Appends one run; with its games when whole. */
static enum d7_err write_run(struct api *api, struct jout *j, const struct run_row *run, bool whole)
{
    struct run_round *rounds = NULL;
    struct game_row *games = NULL;
    size_t round_count = 0;
    size_t game_count = 0;
    enum d7_err err = run_rounds(api->store, run->id, &rounds, &round_count);
    if (!err && whole) {
        struct game_filter filter = {.sort = GAME_SORT_OLDEST};
        struct store_page page = {.limit = STORE_LIST_MAX}; /* SUITE_ROUNDS_MAX is less */
        memcpy(filter.run_id, run->id, sizeof(filter.run_id));
        err = game_list(api->store, &filter, &page, &games, &game_count);
    }
    if (!err) {
        run_write(j, run, rounds, round_count, games, game_count);
    }
    free(rounds);
    free(games);
    return err;
}

static enum d7_err reply_run(struct api *api, const char *id, int status, struct reply *reply)
{
    struct run_row run;
    enum d7_err err = run_get(api->store, id, &run);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? wire_no_such(reply, "run", span_of(id)) : err;
    }
    struct jout j = reply_json(reply, status, status == 200 ? CACHE_REVALIDATE : CACHE_NONE);
    err = write_run(api, &j, &run, true);
    return err ? err : reply->body.err;
}

enum d7_err api_run_get(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_KEY_SIZE];
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "run", id, sizeof(id));
    }
    return err ? err : reply_run(api, id, 200, reply);
}

static enum d7_err decode_filter(const struct request *req, struct reply *reply,
                                 struct run_filter *ret)
{
    *ret = (struct run_filter){0};
    struct span text;
    if (request_query(req, "status", &text)) {
        ret->has_status = true;
        if (!run_status_parse(text, &ret->status)) {
            return wire_bad_query(
                reply, "status",
                "status must be queued, playing, done, stopped, cancelled or failed");
        }
    }
    enum d7_err err = wire_query_id(req, reply, "policy", ret->policy_id, sizeof(ret->policy_id));
    if (!err) {
        err = wire_query_id(req, reply, "suite", ret->suite_id, sizeof(ret->suite_id));
    }
    if (!err) {
        err = wire_query_time(req, reply, "since", &ret->since);
    }
    return err ? err : wire_query_time(req, reply, "until", &ret->until);
}

enum d7_err api_run_list(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"policy", "suite", "status", "since",
                                        "until",  "limit", "cursor", NULL};
    struct run_filter filter;
    struct store_page page;
    struct run_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = decode_filter(req, reply, &filter);
    }
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = named_policy(api, reply, filter.policy_id);
    }
    if (!err) {
        err = named_suite(api, reply, filter.suite_id);
    }
    if (!err) {
        err = wire_list_error(reply, run_list(api->store, &filter, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count && !err; i++) {
        err = write_run(api, &j, &rows[i], false);
    }
    free(rows);
    return err ? err : wire_list_end(&j, req, reply, &page);
}

/* What POST /runs asks for; texts are borrowed from the body's tree. */
struct wish {
    char policy[STORE_ID_SIZE];
    char suite[STORE_ID_SIZE];     /* empty: rounds, or the default suite */
    char (*rounds)[STORE_ID_SIZE]; /* owned */
    size_t round_count;
};

/* rounds and suite exclude each other. */
static enum d7_err decode_rounds(const struct jval *root, struct reply *reply, struct wish *w)
{
    if (!jval_get(root, "rounds")) {
        return D7_OK;
    }
    if (jval_get(root, "suite")) {
        (void)reply_field_error(reply, "rounds", "either suite or rounds, not both");
    }
    return body_rounds(root, reply, &w->rounds, &w->round_count);
}

/* Everything named must exist, and the policy must be the account's. */
static enum d7_err check_wish(struct api *api, const struct request *req, struct reply *reply,
                              struct wish *w)
{
    struct policy_row *policy = calloc(1, sizeof(*policy));
    if (!policy) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, w->policy, policy);
    if (err == D7_ERR_NOT_FOUND) {
        err = wire_no_such(reply, "policy", span_of(w->policy));
    } else if (!err && !may_manage(req, policy)) {
        err = d7_refuse(&reply->why, D7_ERR_FORBIDDEN, "policy",
                        "runs are asked for by the policy's owner or an admin");
    }
    free(policy);
    if (!err && w->round_count == 0) {
        struct suite_row suite;
        err = suite_get(api->store, w->suite[0] ? w->suite : NULL, &suite);
        if (!err) {
            memcpy(w->suite, suite.id, sizeof(w->suite));
            suite_release(&suite);
        } else if (err == D7_ERR_NOT_FOUND) {
            err = wire_no_such(reply, "suite", span_of(w->suite));
        }
    }
    for (size_t i = 0; i < w->round_count && !err; i++) {
        err = named_round(api, reply, w->rounds[i]);
    }
    return err;
}

static enum d7_err add_run(struct api *api, const struct wish *w, struct reply *reply)
{
    const char *ids[SUITE_ROUNDS_MAX];
    for (size_t i = 0; i < w->round_count; i++) {
        ids[i] = w->rounds[i];
    }
    char id[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE] = "";
    struct quota_excess excess = {0};
    const struct run_new_row row = {.policy_id = w->policy,
                                    .suite_id = w->round_count ? NULL : w->suite,
                                    .round_ids = ids,
                                    .round_count = w->round_count,
                                    .quota = &api->site->quota,
                                    .excess = &excess};
    enum d7_err err = run_add_row(api->store, &row, clock_utc_ms(), id, existing);
    if (err == D7_ERR_QUOTA) {
        return refuse_quota(reply, &excess);
    }
    if (err == D7_ERR_UNSUPPORTED) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "policy",
                         "a remote policy plays by itself, over POST /plays");
    }
    if (err == D7_ERR_CONFLICT && existing[0]) {
        (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/runs/%s", existing);
        return d7_refuse(&reply->why, err, "policy", "this revision has an unfinished run");
    }
    if (err == D7_ERR_FORBIDDEN) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "policy",
                         "a rejected, suspended or retired policy plays no more");
    }
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/runs/%s", id);
        err = reply_run(api, id, 202, reply);
    }
    return err;
}

enum d7_err api_run_add(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"policy", "suite", "rounds", NULL};
    struct jval *root = NULL;
    struct wish w = {0};
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = body_object(req, reply, known, &root);
    }
    if (err) {
        return err;
    }
    body_slug(root, reply, "policy", true, w.policy);
    body_slug(root, reply, "suite", false, w.suite);
    err = decode_rounds(root, reply, &w);
    if (!err) {
        err = body_verdict(reply);
    }
    if (!err) {
        err = check_wish(api, req, reply, &w);
    }
    if (!err) {
        err = add_run(api, &w, reply);
    }
    free(w.rounds);
    jval_free(root);
    return err;
}

/* --- cancelling ------------------------------------------------------------------------------ */

static enum d7_err may_cancel(struct api *api, const struct request *req, struct reply *reply,
                              const char *policy_id, bool *ret_own)
{
    struct policy_row *policy = calloc(1, sizeof(*policy));
    if (!policy) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, policy_id, policy);
    if (!err && !may_manage(req, policy)) {
        err = d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                        "runs are cancelled by the policy's owner or an admin");
    }
    if (!err) {
        *ret_own = policy->owner_id == req->account.id;
    }
    free(policy);
    return err;
}

enum d7_err api_run_cancel(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_KEY_SIZE];
    struct run_row run;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "run", id, sizeof(id));
    }
    if (!err) {
        err = run_get(api->store, id, &run);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "run", span_of(id));
        }
    }
    bool own = false;
    if (!err) {
        err = may_cancel(api, req, reply, run.policy_id, &own);
    }
    if (!err) {
        err = run_cancel(api->store, id,
                         own ? "cancelled by its owner" : "cancelled by an administrator",
                         clock_utc_ms());
        if (err == D7_ERR_CONFLICT) {
            (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/runs/%s", id);
            return d7_refuse(&reply->why, err, NULL, "this run has ended already");
        }
    }
    return err ? err : reply_run(api, id, 200, reply);
}
