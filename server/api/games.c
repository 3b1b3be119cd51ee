/* games.c - recorded games, their replays and logs. */
#include "server/api/handlers.h"
#include "server/api/named.h"
#include "server/api/objects.h"
#include "server/api/replay_json.h"
#include "server/api/wire.h"
#include "store/game_verify.h"

static const struct {
    const char *text;
    enum game_sort sort;
} sorts[] = {
    {"-createdAt", GAME_SORT_NEWEST},
    {"createdAt", GAME_SORT_OLDEST},
    {"-score", GAME_SORT_BEST},
    {"score", GAME_SORT_WORST},
};

static enum d7_err decode_sort(const struct request *req, struct reply *reply, enum game_sort *ret)
{
    struct span text;
    *ret = GAME_SORT_NEWEST;
    if (!request_query(req, "sort", &text)) {
        return D7_OK;
    }
    for (size_t i = 0; i < D7_COUNT(sorts); i++) {
        if (span_is(text, sorts[i].text)) {
            *ret = sorts[i].sort;
            return D7_OK;
        }
    }
    return wire_bad_query(reply, "sort", "sort must be score, -score, createdAt or -createdAt");
}

static enum d7_err decode_filter(const struct request *req, struct reply *reply,
                                 struct game_filter *ret)
{
    *ret = (struct game_filter){0};
    const struct {
        const char *name;
        char *to;
        size_t size;
    } ids[] = {
        {"policy", ret->policy_id, sizeof(ret->policy_id)},
        {"round", ret->round_id, sizeof(ret->round_id)},
        {"suite", ret->suite_id, sizeof(ret->suite_id)},
    };
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < D7_COUNT(ids) && !err; i++) {
        err = wire_query_id(req, reply, ids[i].name, ids[i].to, ids[i].size);
    }
    if (!err) {
        err = wire_query_key(req, reply, "run", ret->run_id, sizeof(ret->run_id));
    }
    struct span text;
    if (!err && request_query(req, "player", &text) &&
        (!span_is_label(text, 1, 80, false) || span_copy(text, ret->player, sizeof(ret->player)))) {
        return wire_bad_query(reply, "player",
                              "player must have 1 to 80 characters, no control characters");
    }
    if (!err && request_query(req, "outcome", &text)) {
        ret->has_outcome = true;
        if (!outcome_parse(text, &ret->outcome)) {
            return wire_bad_query(reply, "outcome", "outcome must be over, censored or forfeit");
        }
    }
    if (!err) {
        err = decode_sort(req, reply, &ret->sort);
    }
    if (!err) {
        err = wire_query_time(req, reply, "since", &ret->since);
    }
    return err ? err : wire_query_time(req, reply, "until", &ret->until);
}

static enum d7_err check_filter(struct api *api, struct reply *reply, const struct game_filter *f)
{
    enum d7_err err = named_policy(api, reply, f->policy_id);
    if (!err) {
        err = named_round(api, reply, f->round_id);
    }
    if (!err) {
        err = named_suite(api, reply, f->suite_id);
    }
    return err ? err : named_run(api, reply, f->run_id);
}

enum d7_err api_game_list(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"policy", "round", "suite", "run",   "player", "outcome",
                                        "sort",   "since", "until", "limit", "cursor", NULL};
    struct game_filter filter;
    struct store_page page;
    struct game_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = decode_filter(req, reply, &filter);
    }
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = check_filter(api, reply, &filter);
    }
    if (!err) {
        err = wire_list_error(reply, game_list(api->store, &filter, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count; i++) {
        game_write(&j, &rows[i]);
    }
    free(rows);
    return wire_list_end(&j, req, reply, &page);
}

static enum d7_err find_game(struct api *api, const struct request *req, struct reply *reply,
                             struct game_row *ret)
{
    char id[STORE_KEY_SIZE];
    enum d7_err err = wire_param(req, reply, 0, "game", id, sizeof(id));
    if (!err) {
        err = game_get(api->store, id, ret);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "game", span_of(id));
        }
    }
    return err;
}

enum d7_err api_game_get(struct api *api, const struct request *req, struct reply *reply)
{
    struct game_row game;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = find_game(api, req, reply, &game);
    }
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE); /* it may be voided one day */
    game_write(&j, &game);
    return reply->body.err;
}

enum d7_err api_game_replay(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"steps", NULL};
    struct game_row game;
    char id[STORE_KEY_SIZE];
    bool steps = false;
    int64_t version = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_query_flag(req, reply, "steps", &steps);
    }
    if (!err) {
        err = wire_param(req, reply, 0, "game", id, sizeof(id));
    }
    if (!err && replay_kept(api, req, id, steps, reply)) {
        return D7_OK;
    }
    if (!err) {
        err = store_board_version(api->store, &version);
    }
    if (!err) {
        err = find_game(api, req, reply, &game);
    }
    return err ? err : replay_reply(api, req, &game, steps, version, CACHE_IMMUTABLE, reply);
}

static enum d7_err may_read_log(struct api *api, const struct request *req, struct reply *reply,
                                const char *policy_id)
{
    if (!policy_id[0]) { /* a person's: nobody owns it, and there is nothing in it */
        return req->account.admin ? D7_OK
                                  : d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                                              "the log of a person's game is for admins");
    }
    struct policy_row *policy = calloc(1, sizeof(*policy));
    if (!policy) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, policy_id, policy);
    if (!err && !may_manage(req, policy)) {
        err = d7_refuse(&reply->why, D7_ERR_FORBIDDEN, NULL,
                        "a game's log is for the policy's owner and admins");
    }
    free(policy);
    return err;
}

enum d7_err api_game_log(struct api *api, const struct request *req, struct reply *reply)
{
    struct game_row game;
    char *faults = NULL;
    char *tail = NULL;
    struct jval *list = NULL; /* only to see that it is one: the text goes out as it is kept */
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = find_game(api, req, reply, &game);
    }
    if (!err) {
        err = may_read_log(api, req, reply, game.policy_id);
    }
    if (!err) {
        err = game_log(api->store, game.id, &faults, &tail);
    }
    if (!err) {
        err = game_faults(faults, &list, &reply->why);
    }
    if (!err) {
        struct jout j = reply_json(reply, 200, CACHE_NONE);
        jout_object(&j);
        jout_kv_text(&j, "gameId", game.id);
        jout_key(&j, "faults");
        jout_raw(&j, span_of(faults));
        jout_kv_text(&j, "stderr", tail);
        jout_object_end(&j);
        err = reply->body.err;
    }
    jval_free(list);
    free(faults);
    free(tail);
    return err;
}
