/*
 * play_moves.c - the moves of a play, and its end: the recorded game.
 *
 * Design  every answer replays the columns, so a retry of a move gets the very bytes the first try
 * got. A move is written onto the play as it was read; when somebody else was quicker the request
 * is judged again on what there is now.
 */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/objects.h"
#include "server/api/play_table.h"
#include "server/api/wire.h"
#include "server/work/plays.h"

#define TRIES 4

/* must_have: without a token it is refused too. The play's id alone is good for a move. */
static enum d7_err check_player(struct api *api, const struct request *req, struct reply *reply,
                                const struct play_row *p, bool must_have)
{
    if (!p->policy_id[0] || (!req->has_account && !must_have)) {
        return D7_OK;
    }
    struct policy_row *policy = calloc(1, sizeof(*policy));
    enum d7_err err = policy ? policy_get(api->store, p->policy_id, policy) : D7_ERR_NOMEM;
    if (!err) {
        err = play_owner(req, policy, reply);
    }
    free(policy);
    return err;
}

/* --- moving --------------------------------------------------------------------------------- */

struct step {
    int64_t move; /* 1-based */
    int64_t column;
};

static enum d7_err decode_step(const struct request *req, struct reply *reply, struct step *ret)
{
    static const char *const known[] = {"move", "column", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    if (!jval_integer(jval_get(root, "move"), &ret->move) || ret->move < 1 ||
        ret->move > ROUND_MOVES_MAX) {
        (void)reply_field_error(reply, "move", "move must be a whole number from 1 to %d",
                                ROUND_MOVES_MAX);
    }
    if (!jval_integer(jval_get(root, "column"), &ret->column) || ret->column < 0 ||
        ret->column >= BOARD_COLUMNS) {
        (void)reply_field_error(reply, "column", "column must be a whole number from 0 to %d",
                                BOARD_COLUMNS - 1);
    }
    jval_free(root);
    return body_verdict(reply);
}

static enum d7_err write_frame(void *ctx, const struct frame *frame)
{
    struct jout *j = ctx;
    frame_write(j, frame);
    return j->to->err;
}

/* Replays up to that move, whose frame goes into the reply. */
static enum d7_err show_frame(const struct table *t, size_t moves, struct reply *reply,
                              struct summary *ret, struct d7_why *why)
{
    struct jout j = reply_json(reply, 200, CACHE_NONE);
    const struct replay_watch watch = {
        .on_frame = write_frame, .ctx = &j, .steps = true, .from = (uint32_t)moves};
    return replay_run(&t->round->round, t->row.columns, moves, &watch, ret, why);
}

/* A move that has been played: the same again is a retry. */
static enum d7_err repeat(const struct table *t, const struct step *s, struct reply *reply)
{
    struct summary sum;
    if (t->row.columns[s->move - 1] != s->column) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "move", "move %lld was played in column %u",
                         (long long)s->move, (unsigned)t->row.columns[s->move - 1]);
    }
    enum d7_err err = show_frame(t, (size_t)s->move, reply, &sum, NULL);
    return err == D7_ERR_INVALID ? D7_ERR_CORRUPT : err;
}

static enum d7_err judge_step(const struct table *t, const struct step *s, int64_t now,
                              struct reply *reply)
{
    switch (play_status_at(&t->row, now)) {
    case PLAY_OPEN:
        break;
    case PLAY_EXPIRED:
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL, "the play has expired");
    case PLAY_FINISHED:
    case PLAY_SUBMITTED:
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL, "the game ended with move %zu",
                         t->row.moves);
    }
    if ((uint64_t)s->move != t->row.moves + 1) {
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "move", "the next move is %zu",
                         t->row.moves + 1);
    }
    return D7_OK;
}

/* D7_ERR_CANCELLED: somebody else moved meanwhile; judge again. */
static enum d7_err advance(struct api *api, struct table *t, const struct step *s,
                           struct reply *reply)
{
    int64_t now = clock_utc_ms();
    struct summary sum;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = judge_step(t, s, now, reply);
    if (err) {
        return err;
    }
    t->row.columns[t->row.moves] = (uint8_t)s->column; /* play_get leaves room for it */
    err = show_frame(t, t->row.moves + 1, reply, &sum, &why);
    if (err == D7_ERR_INVALID) {
        (void)reply_field_error(reply, "column", "column %lld is full", (long long)s->column);
        return body_verdict(reply);
    }
    if (err) {
        return err;
    }
    int64_t think_ms = now > t->row.moved_at ? now - t->row.moved_at : 0;
    uint32_t think_us = think_ms < UINT32_MAX / 1000 ? (uint32_t)think_ms * 1000 : UINT32_MAX;
    err = play_move(api->store, &t->row, (unsigned)s->column, think_us, sum.over || sum.censored,
                    now, now + api->site->config->play_expiry_ms);
    if (err != D7_ERR_CONFLICT) {
        return err;
    }
    size_t before = t->row.moves;
    err = table_read(api, t, reply);
    if (!err && t->row.moves == before && t->row.status == PLAY_OPEN && before == 0 &&
        t->row.policy_id[0]) {
        return play_committed(api, reply, t->row.policy_id, t->row.round_id);
    }
    return err ? err : D7_ERR_CANCELLED;
}

enum d7_err api_play_move(struct api *api, const struct request *req, struct reply *reply)
{
    struct step s = {0, 0};
    struct table t = {.round = NULL};
    enum d7_err err = play_pace(api, req, reply);
    if (!err) {
        err = table_find(api, req, reply, &t);
    }
    if (!err) {
        err = check_player(api, req, reply, &t.row, false);
    }
    if (!err) {
        err = decode_step(req, reply, &s);
    }
    if (!err) {
        err = D7_ERR_CANCELLED;
        for (int i = 0; i < TRIES && err == D7_ERR_CANCELLED; i++) {
            err = (uint64_t)s.move <= t.row.moves ? repeat(&t, &s, reply)
                                                  : advance(api, &t, &s, reply);
        }
        err = err == D7_ERR_CANCELLED ? D7_ERR_BUSY : err;
    }
    table_release(&t);
    return err;
}

/* --- submitting ----------------------------------------------------------------------------- */

static enum d7_err decode_name(const struct request *req, struct reply *reply, bool required,
                               char ret[STORE_NAME_SIZE])
{
    static const char *const known[] = {"displayName", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    const struct jval *v = jval_get(root, "displayName");
    bool absent = !v || jval_kind_of(v) == JVAL_NULL;
    struct span text;
    if ((absent && required) || (!absent && (!jval_text(v, &text) || !span_is_name(text) ||
                                             span_copy(text, ret, STORE_NAME_SIZE)))) {
        (void)reply_field_error(reply, "displayName",
                                "displayName must have 1 to 80 characters, one of them visible, no "
                                "control characters");
    }
    jval_free(root);
    return body_verdict(reply);
}

static enum d7_err reply_game(struct api *api, const char *id, int status, struct reply *reply)
{
    struct game_row game;
    enum d7_err err = game_get(api->store, id, &game);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_CORRUPT : err;
    }
    reply_header(reply, "Location", API_PREFIX "/games/%s", id);
    struct jout j = reply_json(reply, status, CACHE_NONE);
    game_write(&j, &game);
    return reply->body.err;
}

/* A retry of what was done gets the same answer; another name comes too late. */
static enum d7_err submit_again(struct api *api, const struct table *t, const char *name,
                                struct reply *reply)
{
    struct game_row game;
    enum d7_err err = game_get(api->store, t->row.game_id, &game);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_ERR_CORRUPT : err;
    }
    if (game.player[0] && strcmp(game.player, name) != 0) {
        (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/games/%s", game.id);
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, "displayName",
                         "this play was submitted under another name");
    }
    return reply_game(api, game.id, 200, reply);
}

static enum d7_err record(struct api *api, struct table *t, const char *name, struct reply *reply)
{
    bool is_policy = t->row.policy_id[0] != '\0';
    struct game_result result;
    char id[STORE_KEY_SIZE];
    enum d7_err err = plays_result(&t->round->round, &t->row, &result);
    if (!err && result.outcome == OUTCOME_FORFEIT) {
        err = D7_ERR_CORRUPT; /* finished, and yet not at its end */
    }
    if (!err) {
        err =
            play_submit(api->store, &t->row, is_policy ? NULL : name, &result, clock_utc_ms(), id);
    }
    if (err != D7_ERR_CONFLICT) {
        return err ? err : reply_game(api, id, 201, reply);
    }
    err = table_read(api, t, reply); /* somebody was quicker: a retry on its way at the same time */
    return !err && t->row.status == PLAY_SUBMITTED ? submit_again(api, t, name, reply)
           : err                                   ? err
                                                   : D7_ERR_BUSY;
}

static enum d7_err submit(struct api *api, struct table *t, const char *name, struct reply *reply)
{
    switch (play_status_at(&t->row, clock_utc_ms())) {
    case PLAY_OPEN:
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL,
                         "the game has not ended; the next move is %zu", t->row.moves + 1);
    case PLAY_EXPIRED:
        return d7_refuse(&reply->why, D7_ERR_CONFLICT, NULL, "the play has expired");
    case PLAY_SUBMITTED:
        return submit_again(api, t, name, reply);
    case PLAY_FINISHED:
        break;
    }
    return record(api, t, name, reply);
}

enum d7_err api_play_submit(struct api *api, const struct request *req, struct reply *reply)
{
    char name[STORE_NAME_SIZE] = "";
    struct table t = {.round = NULL};
    enum d7_err err = play_pace(api, req, reply);
    if (!err) {
        err = table_find(api, req, reply, &t);
    }
    if (!err) {
        err = check_player(api, req, reply, &t.row, true);
    }
    if (!err) {
        err = decode_name(req, reply, !t.row.policy_id[0], name);
    }
    if (!err) {
        err = submit(api, &t, name, reply);
    }
    table_release(&t);
    return err;
}
