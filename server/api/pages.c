/* pages.c - which asset answers which page address. The pages fetch their data from the API. */
#include "server/api/handlers.h"
#include "server/http/asset.h"

enum d7_err page_leaderboard(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    return asset_reply(span_of("leaderboard.html"), reply);
}

enum d7_err page_docs(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    return asset_reply(span_of("docs.html"), reply);
}

enum d7_err page_play(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    return asset_reply(span_of("play.html"), reply);
}

/* A page about something that is not there is a 404 for people. */
static enum d7_err page_reply(const char *name, enum d7_err found, struct reply *reply)
{
    if (found && found != D7_ERR_NOT_FOUND) {
        return found;
    }
    enum d7_err err = asset_reply(span_of(found ? "404.html" : name), reply);
    if (!err && found) {
        reply->status = 404;
        reply->cache = CACHE_NONE; /* it may be there tomorrow */
    }
    return err;
}

enum d7_err page_game(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_KEY_SIZE];
    struct game_row game;
    enum d7_err found = D7_ERR_NOT_FOUND;
    if (!span_copy(req->params[0], id, sizeof(id))) {
        found = game_get(api->store, id, &game);
    }
    return page_reply("game.html", found, reply);
}

enum d7_err page_policy(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_ID_SIZE];
    enum d7_err found = D7_ERR_NOT_FOUND;
    struct policy_row *policy = calloc(1, sizeof(*policy));
    if (!policy) {
        return D7_ERR_NOMEM;
    }
    if (!span_copy(req->params[0], id, sizeof(id))) {
        found = policy_get(api->store, id, policy);
    }
    free(policy);
    return page_reply("policy.html", found, reply);
}

enum d7_err page_run(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_KEY_SIZE];
    struct run_row run;
    enum d7_err found = D7_ERR_NOT_FOUND;
    if (!span_copy(req->params[0], id, sizeof(id))) {
        found = run_get(api->store, id, &run);
    }
    return page_reply("run.html", found, reply);
}

/* A side that is not named yet is chosen on the page; one that is named must be there. */
static enum d7_err find_side(struct api *api, const struct request *req, const char *name)
{
    struct span text;
    char id[STORE_ID_SIZE];
    if (!request_query(req, name, &text) || text.len == 0) {
        return D7_OK;
    }
    if (span_copy(text, id, sizeof(id))) {
        return D7_ERR_NOT_FOUND;
    }
    struct policy_row *policy = calloc(1, sizeof(*policy));
    if (!policy) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, id, policy);
    free(policy);
    return err;
}

enum d7_err page_compare(struct api *api, const struct request *req, struct reply *reply)
{
    enum d7_err found = find_side(api, req, "a");
    if (!found) {
        found = find_side(api, req, "b");
    }
    return page_reply("compare.html", found, reply);
}

enum d7_err page_submit(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    return asset_reply(span_of("submit.html"), reply);
}

enum d7_err page_rules(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    (void)req;
    return asset_reply(span_of("rules.html"), reply);
}

static enum d7_err asset_in(const char *folder, struct span file, struct reply *reply)
{
    char name[200];
    char at[160];
    /* names of ours only: no dot first, so no way out of the folder */
    if (file.len == 0 || file.ptr[0] == '.' || span_copy(file, at, sizeof(at))) {
        return D7_ERR_NOT_FOUND;
    }
    (void)snprintf(name, sizeof(name), "%s%s", folder, at); /* fits: both are bounded */
    return asset_reply(span_of(name), reply);
}

enum d7_err page_static(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    return asset_in("", req->params[0], reply);
}

enum d7_err page_static_js(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    return asset_in("js/", req->params[0], reply);
}

/* A page of an older server asks by its version: it gets what there is now, but not to keep. */
static enum d7_err asset_by_version(const char *folder, const struct request *req,
                                    struct reply *reply)
{
    enum d7_err err = asset_in(folder, req->params[1], reply);
    if (!err && asset_is_current(req->params[0])) {
        reply->cache = CACHE_IMMUTABLE;
    }
    return err;
}

enum d7_err page_asset(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    return asset_by_version("", req, reply);
}

enum d7_err page_asset_js(struct api *api, const struct request *req, struct reply *reply)
{
    (void)api;
    return asset_by_version("js/", req, reply);
}
