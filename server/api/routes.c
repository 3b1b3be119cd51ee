#include "server/api/board_cache.h"
#include "server/api/handlers.h"
#include "server/api/metrics.h"
#include "server/api/replay_cache.h"
#include "server/api/wire.h"

#include "engine/base/clock.h"
#include "engine/rank/interval_memo.h"

#define GET(pattern, handler, name)                                                                \
    {                                                                                              \
        HTTP_GET, pattern, handler, AUTH_NONE, BODY_NONE, name                                     \
    }

static const struct route routes[] = {
    GET("/healthz", api_health, "healthz"),
    GET("/readyz", api_ready, "readyz"),
    GET(API_PREFIX "/openapi.json", api_openapi, "openapi"),
    GET("/metrics", api_metrics, "metrics"),
    GET(API_PREFIX "/policies", api_policy_list, "policies"),
    {HTTP_POST, API_PREFIX "/policies", api_policy_register, AUTH_TOKEN, BODY_JSON_OR_FORM,
     "policy-register"},
    GET(API_PREFIX "/policies/{id}", api_policy_get, "policy"),
    {HTTP_PATCH, API_PREFIX "/policies/{id}", api_policy_patch, AUTH_TOKEN, BODY_JSON,
     "policy-patch"},
    {HTTP_DELETE, API_PREFIX "/policies/{id}", api_policy_retire, AUTH_TOKEN, BODY_NONE,
     "policy-retire"},
    GET(API_PREFIX "/policies/{id}/revisions", api_revision_list, "revisions"),
    {HTTP_POST, API_PREFIX "/policies/{id}/revisions", api_revision_add, AUTH_TOKEN,
     BODY_JSON_OR_FORM, "revision-add"},
    GET(API_PREFIX "/policies/{id}/revisions/{n}", api_revision_get, "revision"),
    {HTTP_GET, API_PREFIX "/policies/{id}/revisions/{n}/log", api_revision_log, AUTH_TOKEN,
     BODY_NONE, "revision-log"},
    GET(API_PREFIX "/policies/{id}/rounds/{round}/replay", api_policy_replay, "policy-replay"),
    GET(API_PREFIX "/runs", api_run_list, "runs"),
    {HTTP_POST, API_PREFIX "/runs", api_run_add, AUTH_TOKEN, BODY_JSON, "run-add"},
    GET(API_PREFIX "/runs/{id}", api_run_get, "run"),
    {HTTP_DELETE, API_PREFIX "/runs/{id}", api_run_cancel, AUTH_TOKEN, BODY_NONE, "run-cancel"},
    GET(API_PREFIX "/runs/{id}/events", api_run_events, "run-events"),
    GET(API_PREFIX "/suites", api_suite_list, "suites"),
    {HTTP_POST, API_PREFIX "/suites", api_suite_add, AUTH_ADMIN, BODY_JSON, "suite-add"},
    GET(API_PREFIX "/suites/{id}", api_suite_get, "suite"),
    GET(API_PREFIX "/rounds", api_round_list, "rounds"),
    {HTTP_POST, API_PREFIX "/rounds", api_round_add, AUTH_ADMIN, BODY_JSON_LARGE, "round-add"},
    GET(API_PREFIX "/rounds/{id}", api_round_get, "round"),
    GET(API_PREFIX "/games", api_game_list, "games"),
    GET(API_PREFIX "/games/{id}", api_game_get, "game"),
    GET(API_PREFIX "/games/{id}/replay", api_game_replay, "replay"),
    {HTTP_GET, API_PREFIX "/games/{id}/log", api_game_log, AUTH_TOKEN, BODY_NONE, "game-log"},
    {HTTP_POST, API_PREFIX "/plays", api_play_add, AUTH_NONE, BODY_JSON, "play-add"},
    GET(API_PREFIX "/plays/{id}", api_play_get, "play"),
    {HTTP_POST, API_PREFIX "/plays/{id}/moves", api_play_move, AUTH_NONE, BODY_JSON, "play-move"},
    {HTTP_POST, API_PREFIX "/plays/{id}/submit", api_play_submit, AUTH_NONE, BODY_JSON,
     "play-submit"},
    GET(API_PREFIX "/leaderboard", api_leaderboard, "leaderboard"),
    GET(API_PREFIX "/compare", api_compare, "compare"),
    {HTTP_GET, API_PREFIX "/me", api_me, AUTH_TOKEN, BODY_NONE, "me"},
    {HTTP_POST, API_PREFIX "/tokens", api_token_add, AUTH_NONE, BODY_JSON, "token-add"},
    {HTTP_DELETE, API_PREFIX "/tokens/{id}", api_token_end, AUTH_TOKEN, BODY_NONE, "token-end"},
    GET("/", page_leaderboard, "page"),
    GET("/leaderboard", page_leaderboard, "page"),
    GET("/docs", page_docs, "page"),
    GET("/play", page_play, "page"),
    GET("/games/{id}", page_game, "page"),
    GET("/policies/{id}", page_policy, "page"),
    GET("/runs/{id}", page_run, "page"),
    GET("/compare", page_compare, "page"),
    GET("/submit", page_submit, "page"),
    GET("/rules", page_rules, "page"),
    GET("/static/{file}", page_static, "static"),
    GET("/static/js/{file}", page_static_js, "static"),
    GET("/assets/{version}/{file}", page_asset, "static"),
    GET("/assets/{version}/js/{file}", page_asset_js, "static"),
};

const struct route *api_routes(size_t *ret_count)
{
    *ret_count = D7_COUNT(routes);
    return routes;
}

static enum d7_err make_limiter(const struct config *config, struct limiter **ret)
{
    const struct limit_rate rates[LIMIT_KINDS] = {
        [LIMIT_WRITES] = {config->rate_writes, 60000},
        [LIMIT_TOKENS] = {config->rate_tokens, 3600000},
        [LIMIT_FAILURES] = {config->rate_failures, 60000},
        [LIMIT_PLAYS] = {config->rate_plays, 1000},
    };
    return limiter_new(rates, ret);
}

static void drop_parts(struct site *s)
{
    board_cache_free(s->boards);
    board_cache_free(s->selections);
    interval_memo_free(s->intervals);
    replay_cache_free(s->replays);
    limiter_free(s->limiter);
    site_metrics_free(s->metrics);
    s->boards = NULL;
    s->selections = NULL;
    s->intervals = NULL;
    s->replays = NULL;
    s->limiter = NULL;
    s->metrics = NULL;
}

enum d7_err site_init(const struct config *config, struct site *ret)
{
    struct site s = {.config = config,
                     .quota = {{[QUOTA_POLICIES] = config->quota_policies,
                                [QUOTA_REVISIONS] = config->quota_revisions,
                                [QUOTA_JOBS] = config->quota_jobs,
                                [QUOTA_ARTIFACTS] = config->quota_artifacts}},
                     .started_mono_ms = clock_mono_ms(),
                     .ready_mono_ms = INT64_MIN / 2};
    enum d7_err err = board_cache_new(&board_limits_suites, &s.boards);
    if (!err) {
        err = board_cache_new(&board_limits_selections, &s.selections);
    }
    if (!err) {
        err = interval_memo_new(INTERVAL_MEMO_SLOTS, &s.intervals);
    }
    if (!err) {
        err = replay_cache_new(&s.replays);
    }
    if (!err) {
        err = make_limiter(config, &s.limiter);
    }
    if (!err) {
        err = site_metrics_new(routes, D7_COUNT(routes), &s.metrics);
    }
    if (err) {
        drop_parts(&s);
        return err;
    }
    *ret = s;
    /* NULL attributes on Linux: nothing to run out of */
    D7_CHECK(pthread_mutex_init(&ret->upload_lock, NULL) == 0);
    D7_CHECK(pthread_mutex_init(&ret->ready_lock, NULL) == 0);
    return D7_OK;
}

void site_release(struct site *site)
{
    drop_parts(site);
    (void)pthread_mutex_destroy(&site->upload_lock); /* nobody holds them: the caller's promise */
    (void)pthread_mutex_destroy(&site->ready_lock);
}
