#include "server/api/replay_json.h"

#include "engine/base/json.h"
#include "server/api/objects.h"
#include "server/log.h"

static enum d7_err write_frame(void *ctx, const struct frame *frame)
{
    struct jout *j = ctx;
    frame_write(j, frame);
    return j->to->err;
}

static bool same_summary(const struct summary *a, const struct summary *b)
{
    return a->score == b->score && a->moves == b->moves && a->max_chain == b->max_chain &&
           a->discs_cleared == b->discs_cleared && a->covered_revealed == b->covered_revealed &&
           a->censored == b->censored && strcmp(a->checksum, b->checksum) == 0;
}

/* The public half of the fault list: which move, what kind; what was seen stays with the owner. */
static enum d7_err faults_write(struct jout *j, const char *faults_json)
{
    struct jval *root = NULL;
    enum d7_err err = jval_parse(span_of(faults_json), &root, NULL);
    if (err) {
        return err == D7_ERR_NOMEM ? err : D7_ERR_CORRUPT;
    }
    jout_key(j, "faults");
    jout_array(j);
    for (size_t i = 0; i < jval_length(root) && !err; i++) {
        const struct jval *fault = jval_at(root, i);
        int64_t move = 0;
        struct span kind;
        if (!jval_integer(jval_get(fault, "move"), &move) ||
            !jval_text(jval_get(fault, "kind"), &kind)) {
            err = D7_ERR_CORRUPT;
            break;
        }
        jout_object(j);
        jout_kv_int(j, "move", move);
        jout_key(j, "kind");
        jout_span(j, kind);
        jout_object_end(j);
    }
    jout_array_end(j);
    jval_free(root);
    return err;
}

static enum d7_err frames_write(struct jout *j, const struct game_row *game,
                                const struct roundfile *round, const uint8_t *columns, size_t count,
                                bool steps, struct d7_why *why)
{
    struct summary found;
    struct replay_watch watch = {.on_frame = write_frame, .ctx = j, .steps = steps};
    jout_key(j, "frames");
    jout_array(j);
    enum d7_err err = replay_run(&round->round, columns, count, &watch, &found, why);
    jout_array_end(j);
    if (err) {
        return err == D7_ERR_INVALID ? D7_ERR_CORRUPT : err;
    }
    if (!same_summary(&found, &game->summary)) {
        return d7_refuse(why, D7_ERR_CORRUPT, NULL,
                         "replayed to score %lld checksum %s, recorded %lld %s",
                         (long long)found.score, found.checksum, (long long)game->summary.score,
                         game->summary.checksum);
    }
    return D7_OK;
}

static enum d7_err write_all(struct jout *j, const struct game_row *game,
                             const struct roundfile *round, const uint8_t *columns, size_t count,
                             const char *faults, bool steps, struct d7_why *why)
{
    jout_object(j);
    jout_kv_text(j, "format", "drop7-replay-v1");
    game_write_keys(j, game);
    jout_key(j, "round");
    jout_object(j);
    jout_kv_text(j, "id", round->id);
    jout_kv_text(j, "name", round->name);
    jout_kv_text(j, "generatorSeedHex", round->seed_hex);
    jout_kv_int(j, "maximumMoves", round->round.maximum_moves);
    jout_object_end(j);
    enum d7_err err = faults_write(j, faults);
    if (!err) {
        err = frames_write(j, game, round, columns, count, steps, why);
    }
    jout_object_end(j);
    return err ? err : j->to->err;
}

enum d7_err replay_reply(struct api *api, const struct game_row *game, bool steps,
                         enum cache_rule cache, struct reply *reply)
{
    struct roundfile *round = NULL;
    uint8_t *columns = NULL;
    size_t count = 0;
    char *faults = NULL;
    char *tail = NULL;
    struct d7_why why = {0};
    enum d7_err err = round_get(api->store, game->round_id, &round);
    if (!err) {
        err = game_columns(api->store, game->id, &columns, &count);
    }
    if (!err) {
        err = game_log(api->store, game->id, &faults, &tail);
    }
    if (!err) {
        struct jout j = reply_json(reply, 200, cache);
        err = write_all(&j, game, round, columns, count, faults, steps, &why);
    } else if (err == D7_ERR_NOT_FOUND) {
        err = D7_ERR_CORRUPT; /* the row was there a moment ago, and rows never go */
    }
    if (err) {
        buf_clear(&reply->body);
    }
    if (err == D7_ERR_CORRUPT) {
        log_line(LOG_ERROR, "game %s does not replay as recorded: %s", game->id, why.text);
    }
    roundfile_free(round);
    free(columns);
    free(faults);
    free(tail);
    return err;
}
