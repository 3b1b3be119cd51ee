#include "server/api/play_table.h"

#include "engine/base/clock.h"
#include "server/api/wire.h"

void table_release(struct table *t)
{
    play_release(&t->row);
    roundfile_free(t->round);
    t->round = NULL;
}

static enum d7_err no_such_play(struct reply *reply)
{
    return d7_refuse(&reply->why, D7_ERR_NOT_FOUND, NULL, "there is no such play");
}

enum d7_err table_read(struct api *api, struct table *t, struct reply *reply)
{
    char sha256[SHA_HEX_SIZE];
    sha_of(span_of(t->id), sha256);
    play_release(&t->row);
    enum d7_err err = play_get(api->store, sha256, &t->row);
    return err == D7_ERR_NOT_FOUND ? no_such_play(reply) : err;
}

enum d7_err table_find(struct api *api, const struct request *req, struct reply *reply,
                       struct table *ret)
{
    struct table t = {.round = NULL};
    struct span id = req->params[0];
    enum d7_err err = wire_query_none(req, reply);
    if (err) {
        return err;
    }
    if (id.len != PLAY_ID_SIZE - 1 || span_copy(id, t.id, sizeof(t.id))) {
        return no_such_play(reply);
    }
    err = table_read(api, &t, reply);
    if (!err) {
        err = round_get(api->store, t.row.round_id, &t.round);
        err = err == D7_ERR_NOT_FOUND ? D7_ERR_CORRUPT : err; /* rounds never go */
    }
    if (err) {
        table_release(&t);
        return err;
    }
    *ret = t;
    return D7_OK;
}

enum d7_err play_pace(struct api *api, const struct request *req, struct reply *reply)
{
    enum d7_err err = limit_take(api->site->limiter, LIMIT_PLAYS, limit_key_address(&req->address),
                                 clock_mono_us(), &reply->retry_after_s);
    return err == D7_ERR_RATE
               ? d7_refuse(&reply->why, err, NULL, "at most %u moves a second from one address",
                           api->site->config->rate_plays)
               : err;
}

enum d7_err play_owner(const struct request *req, const struct policy_row *policy,
                       struct reply *reply)
{
    static const char sentence[] = "to play for a policy needs its owner's token";
    if (!req->has_account) {
        return d7_refuse(&reply->why, D7_ERR_UNAUTHORIZED, "policy", "%s", sentence);
    }
    if (policy && (policy->owner_id == 0 || policy->owner_id != req->account.id)) {
        return d7_refuse(&reply->why, D7_ERR_FORBIDDEN, "policy", "%s", sentence);
    }
    return D7_OK;
}

enum d7_err play_committed(struct api *api, struct reply *reply, const char *policy,
                           const char *round)
{
    struct game_row game;
    if (game_counted(api->store, policy, round, &game) == D7_OK) {
        (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/games/%s", game.id);
    }
    return d7_refuse(&reply->why, D7_ERR_CONFLICT, "policy",
                     "a revision plays a round once, and this one has begun");
}
