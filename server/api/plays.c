/*
 * plays.c - a round played move by move over HTTP: beginning, and looking at it.
 *
 * Design  of the round nothing leaves but the public state; it is computed from the columns each
 * time it is asked for.
 */
#include "server/work/plays.h"
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/play_table.h"
#include "server/api/wire.h"

/* --- the Play object ------------------------------------------------------------------------- */

/* The state behind the last move. */
static enum d7_err replay_state(const struct table *t, struct game *ret)
{
    const struct round *round = &t->round->round;
    struct turn turn;
    game_start(ret, round);
    for (size_t i = 0; i < t->row.moves; i++) {
        unsigned column = t->row.columns[i];
        if (game_is_done(ret) || column >= BOARD_COLUMNS ||
            !(board_legal(&ret->board) >> column & 1)) {
            return D7_ERR_CORRUPT;
        }
        game_play(ret, round, column, NULL, &turn);
    }
    return D7_OK;
}

static void write_legal(struct jout *j, const struct game *g)
{
    unsigned legal = game_is_done(g) ? 0 : board_legal(&g->board);
    jout_key(j, "legal");
    jout_array(j);
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1) {
            jout_int(j, c);
        }
    }
    jout_array_end(j);
}

static void text_or_null(struct jout *j, const char *key, const char *text)
{
    jout_key(j, key);
    jout_span(j, text[0] ? span_of(text) : span_make(NULL, 0));
}

static void write_play(struct jout *j, const struct table *t, const struct game *g)
{
    char board[BOARD_TEXT_SIZE];
    uint8_t disc = game_next_disc(g, &t->round->round);
    board_format(&g->board, board);
    jout_object(j);
    jout_kv_text(j, "id", t->id);
    jout_kv_text(j, "round", t->row.round_id);
    text_or_null(j, "policyId", t->row.policy_id);
    jout_kv_text(j, "status", play_status_text(play_status_at(&t->row, clock_utc_ms())));
    jout_kv_int(j, "move", g->moves);
    jout_kv_text(j, "board", board);
    jout_key(j, "nextDisc");
    if (disc) {
        jout_int(j, disc);
    } else {
        jout_null(j);
    }
    jout_kv_int(j, "movesRemaining", g->rise);
    jout_kv_int(j, "score", g->score);
    write_legal(j, g);
    jout_kv_time(j, "expiresAt", t->row.expires_at);
    text_or_null(j, "gameId", t->row.game_id);
    jout_object_end(j);
}

static enum d7_err reply_play(const struct table *t, int status, struct reply *reply)
{
    struct game game;
    enum d7_err err = replay_state(t, &game);
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, status, status == 200 ? CACHE_REVALIDATE : CACHE_NONE);
    write_play(&j, t, &game);
    return reply->body.err;
}

enum d7_err api_play_get(struct api *api, const struct request *req, struct reply *reply)
{
    struct table t = {.round = NULL};
    enum d7_err err = table_find(api, req, reply, &t);
    if (!err) {
        err = reply_play(&t, 200, reply);
    }
    table_release(&t);
    return err;
}

/* --- beginning ------------------------------------------------------------------------------ */

struct wish {
    char round[STORE_ID_SIZE];
    char policy[STORE_ID_SIZE]; /* empty: a person plays */
    int64_t revision;
};

static enum d7_err decode_wish(const struct request *req, struct reply *reply, struct wish *w)
{
    static const char *const known[] = {"round", "policy", NULL};
    struct jval *root = NULL;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = body_object(req, reply, known, &root);
    }
    if (err) {
        return err;
    }
    body_slug(root, reply, "round", true, w->round);
    const struct jval *policy = jval_get(root, "policy");
    if (policy && jval_kind_of(policy) != JVAL_NULL) { /* null, as in the answer: a person plays */
        body_slug(root, reply, "policy", false, w->policy);
    }
    jval_free(root);
    return body_verdict(reply);
}

/* May this account play this round for the policy? */
static enum d7_err judge_policy(const struct request *req, const struct policy_row *policy,
                                struct reply *reply)
{
    enum d7_err err = play_owner(req, policy, reply);
    if (err) {
        return err;
    }
    if (policy->kind != KIND_REMOTE) {
        (void)reply_field_error(reply, "policy",
                                "only a policy registered with \"remote\": true is played here");
        return body_verdict(reply);
    }
    if (policy->status != POLICY_READY || policy->current.number == 0) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "policy",
                         "a suspended or retired policy plays no more");
    }
    return D7_OK;
}

static enum d7_err check_policy(struct api *api, const struct request *req, struct reply *reply,
                                struct wish *w)
{
    if (!w->policy[0]) {
        return D7_OK;
    }
    enum d7_err err = play_owner(req, NULL, reply);
    if (err) {
        return err;
    }
    struct policy_row *policy = calloc(1, sizeof(*policy));
    err = policy ? policy_get(api->store, w->policy, policy) : D7_ERR_NOMEM;
    if (err == D7_ERR_NOT_FOUND) {
        err = wire_no_such(reply, "policy", span_of(w->policy));
    } else if (!err) {
        err = judge_policy(req, policy, reply);
    }
    w->revision = err ? 0 : policy->current.number;
    free(policy);
    return err;
}

static enum d7_err begin(struct api *api, struct reply *reply, const struct wish *w,
                         struct table *t)
{
    int64_t now = clock_utc_ms();
    char sha256[SHA_HEX_SIZE];
    enum d7_err err = random_hex(t->id, PLAY_SECRET_BYTES);
    if (err) {
        return err;
    }
    sha_of(span_of(t->id), sha256);
    err = play_add(api->store, sha256, w->round, w->policy, w->revision, now,
                   now + api->site->config->play_expiry_ms);
    if (err == D7_ERR_NOT_FOUND) {
        return wire_no_such(reply, "round", span_of(w->round));
    }
    if (err == D7_ERR_CONFLICT) {
        return play_committed(api, reply, w->policy, w->round);
    }
    if (!err) {
        err = table_read(api, t, reply);
    }
    if (!err) {
        err = round_get(api->store, w->round, &t->round);
    }
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/plays/%s", t->id);
        err = reply_play(t, 201, reply);
    }
    return err;
}

enum d7_err api_play_add(struct api *api, const struct request *req, struct reply *reply)
{
    struct wish w = {.revision = 0};
    struct table t = {.round = NULL};
    enum d7_err err = play_pace(api, req, reply);
    if (!err) {
        err = decode_wish(req, reply, &w);
    }
    if (!err) {
        err = check_policy(api, req, reply, &w);
    }
    if (!err) {
        err = begin(api, reply, &w, &t);
    }
    table_release(&t);
    return err;
}
