/* policies.c - reading policies; register.c takes new ones in. */
#include "server/api/handlers.h"
#include "server/api/objects.h"
#include "server/api/replay_json.h"
#include "server/api/wire.h"

static enum d7_err decode_filter(const struct request *req, struct reply *reply,
                                 struct policy_filter *ret)
{
    *ret = (struct policy_filter){0};
    struct span text;
    if (request_query(req, "kind", &text)) {
        ret->has_kind = true;
        if (!policy_kind_parse(text, &ret->kind)) {
            return wire_bad_query(reply, "kind",
                                  "kind must be builtin, upload, endpoint or remote");
        }
    }
    if (request_query(req, "status", &text)) {
        ret->has_status = true;
        if (!policy_status_parse(text, &ret->status)) {
            return wire_bad_query(reply, "status",
                                  "status must be checking, ready, rejected, suspended or retired");
        }
    }
    if (request_query(req, "family", &text) &&
        (!span_is_label(text, 1, 80, false) || span_copy(text, ret->family, sizeof(ret->family)))) {
        return wire_bad_query(reply, "family",
                              "family must have 1 to 80 characters, no control characters");
    }
    return D7_OK;
}

enum d7_err api_policy_list(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"kind", "status", "family", "limit", "cursor", NULL};
    struct policy_filter filter;
    struct store_page page;
    struct policy_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = decode_filter(req, reply, &filter);
    }
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = wire_list_error(reply, policy_list(api->store, &filter, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count; i++) {
        policy_write(&j, &rows[i], may_manage(req, &rows[i]));
    }
    free(rows);
    reply_header(reply, "Vary", "Authorization"); /* owners see more */
    return wire_list_end(&j, req, reply, &page);
}

enum d7_err api_policy_get(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_ID_SIZE];
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "policy", id, sizeof(id));
    }
    if (err) {
        return err;
    }
    struct policy_row *row = calloc(1, sizeof(*row));
    if (!row) {
        return D7_ERR_NOMEM;
    }
    err = policy_get(api->store, id, row);
    if (!err) {
        struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
        policy_write(&j, row, may_manage(req, row));
        reply_header(reply, "Vary", "Authorization"); /* owners see more */
        err = reply->body.err;
    } else if (err == D7_ERR_NOT_FOUND) {
        err = wire_no_such(reply, "policy", span_of(id));
    }
    free(row);
    return err;
}

enum d7_err api_policy_replay(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"steps", NULL};
    char policy[STORE_ID_SIZE];
    char round[STORE_ID_SIZE];
    bool steps = false;
    struct game_row game;
    int64_t version = 0;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_query_flag(req, reply, "steps", &steps);
    }
    if (!err) {
        err = wire_param(req, reply, 0, "policy", policy, sizeof(policy));
    }
    if (!err) {
        err = wire_param(req, reply, 1, "round", round, sizeof(round));
    }
    if (!err) {
        err = store_board_version(api->store, &version);
    }
    if (!err) {
        err = game_counted(api->store, policy, round, &game);
        if (err == D7_ERR_NOT_FOUND) {
            return d7_refuse(&reply->why, err, NULL,
                             "no counted game of this policy's current revision on this round");
        }
    }
    /* another game may count tomorrow: this address is not immutable, the game's own is */
    return err ? err : replay_reply(api, req, &game, steps, version, CACHE_REVALIDATE, reply);
}
