#include "server/api/replay_json.h"

#include "server/api/metrics.h"
#include "server/api/objects.h"
#include "server/api/replay_cache.h"
#include "server/http/gzip.h"
#include "server/http/headers.h"
#include "store/game_verify.h"

#define REPLAY_BYTES_MAX (64u << 20)
/* room reserved at first, so that the buffer does not grow step by step; no limits */
#define HEAD_BYTES  2048
#define FRAME_BYTES 260
#define STEPS_BYTES 1024

static enum d7_err write_frame(void *ctx, const struct frame *frame)
{
    struct jout *j = ctx;
    frame_write(j, frame);
    return j->to->err;
}

/* The public half of the fault list: which move, what kind; what was seen stays with the owner. */
static enum d7_err faults_write(struct jout *j, const char *faults_json, struct d7_why *why)
{
    struct jval *list = NULL;
    enum d7_err err = game_faults(faults_json, &list, why);
    if (err) {
        return err;
    }
    jout_key(j, "faults");
    jout_array(j);
    for (size_t i = 0; i < jval_length(list); i++) {
        const struct jval *fault = jval_at(list, i);
        int64_t move = 0;
        struct span kind = {"", 0};
        (void)jval_integer(jval_get(fault, "move"), &move); /* both are there: game_faults */
        (void)jval_text(jval_get(fault, "kind"), &kind);
        jout_object(j);
        jout_kv_int(j, "move", move);
        jout_key(j, "kind");
        jout_span(j, kind);
        jout_object_end(j);
    }
    jout_array_end(j);
    jval_free(list);
    return D7_OK;
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
    const char *differs = game_difference(game, &found);
    return differs ? d7_refuse(why, D7_ERR_CORRUPT, NULL,
                               "%s: replayed to score %lld checksum %s, recorded %lld %s", differs,
                               (long long)found.score, found.checksum,
                               (long long)game->summary.score, game->summary.checksum)
                   : D7_OK;
}

static enum d7_err write_all(struct jout *j, const struct game_row *game,
                             const struct roundfile *round, const uint8_t *columns, size_t count,
                             const char *faults, bool steps, struct d7_why *why)
{
    jout_object(j);
    jout_kv_text(j, "format", "drop7-replay-v1");
    game_write_keys(j, game, game->voided);
    jout_key(j, "round");
    jout_object(j);
    jout_kv_text(j, "id", round->id);
    jout_kv_text(j, "name", round->name);
    jout_kv_text(j, "generatorSeedHex", round->seed_hex);
    jout_kv_int(j, "maximumMoves", round->round.maximum_moves);
    jout_object_end(j);
    enum d7_err err = faults_write(j, faults, why);
    if (!err) {
        err = frames_write(j, game, round, columns, count, steps, why);
    }
    jout_object_end(j);
    return err ? err : j->to->err;
}

/* Replays the game into a fresh buffer. */
static enum d7_err make(struct api *api, const struct game_row *game, bool steps, struct buf *to,
                        struct d7_why *why)
{
    struct roundfile *round = NULL;
    uint8_t *columns = NULL;
    size_t count = 0;
    char *faults = NULL;
    char *tail = NULL;
    *why = (struct d7_why){.text = "its round, columns or faults cannot be read"};
    enum d7_err err = round_get(api->store, game->round_id, &round);
    if (!err) {
        err = game_columns(api->store, game->id, &columns, &count);
    }
    if (!err) {
        err = game_log(api->store, game->id, &faults, &tail);
    }
    if (!err) {
        err = buf_reserve(to, HEAD_BYTES + count * (steps ? STEPS_BYTES : FRAME_BYTES));
    }
    if (!err) {
        struct jout j;
        jout_init(&j, to);
        err = write_all(&j, game, round, columns, count, faults, steps, why);
    } else if (err == D7_ERR_NOT_FOUND) {
        err = D7_ERR_CORRUPT; /* the row was there a moment ago, and rows never go */
    }
    roundfile_free(round);
    free(columns);
    free(faults);
    free(tail);
    return err;
}

/* One that was voided may say so: a copy kept for a year would not. */
static void give(struct kept *bytes, bool voided, enum cache_rule cache, struct reply *reply)
{
    bool may_change = voided && cache == CACHE_IMMUTABLE;
    kept_give(bytes, "application/json", may_change ? CACHE_REVALIDATE : cache, reply);
}

static bool wants_gzip(const struct request *req)
{
    struct span accepted = req->header(req, "Accept-Encoding");
    return accepted.ptr && accepts_gzip(accepted);
}

bool replay_kept(struct api *api, const struct request *req, const char *game_id, bool steps,
                 struct reply *reply)
{
    struct replay_key key = {.steps = steps};
    int64_t version = 0;
    bool voided = false;
    if (span_copy(span_of(game_id), key.game_id, sizeof(key.game_id)) ||
        store_board_version(api->store, &version)) {
        return false;
    }
    struct kept *bytes = replay_cache_at(api->site->replays, &key, version, &voided);
    if (bytes && wants_gzip(req) && !kept_is_packed(bytes)) {
        kept_unref(bytes); /* the long way packs it */
        bytes = NULL;
    }
    if (bytes) {
        give(bytes, voided, CACHE_IMMUTABLE, reply);
    }
    return bytes != NULL;
}

/* Bytes kept without their gzip form, with it. Takes over the reference. */
static enum d7_err pack(struct kept *plain, struct kept **ret)
{
    struct buf copy;
    struct span bytes = kept_plain(plain);
    buf_init(&copy, bytes.len);
    buf_append(&copy, bytes.ptr, bytes.len);
    kept_unref(plain);
    return kept_new(&copy, GZIP_FOR_SEND, ret);
}

enum d7_err replay_reply(struct api *api, const struct request *req, const struct game_row *game,
                         bool steps, int64_t version, enum cache_rule cache, struct reply *reply)
{
    struct replay_key key = {.steps = steps};
    struct d7_why why;
    bool packed = wants_gzip(req);
    memcpy(key.game_id, game->id, sizeof(key.game_id));
    struct kept *bytes = replay_cache_for(api->site->replays, &key, version, game);
    enum d7_err err = D7_OK;
    bool is_new = !bytes || (packed && !kept_is_packed(bytes));
    if (!bytes) {
        struct buf fresh;
        buf_init(&fresh, REPLAY_BYTES_MAX);
        err = make(api, game, steps, &fresh, &why);
        if (err) {
            buf_release(&fresh);
        } else {
            err = kept_new(&fresh, packed ? GZIP_FOR_SEND : 0, &bytes);
        }
    } else if (is_new) {
        err = pack(bytes, &bytes);
    }
    if (err == D7_ERR_CORRUPT) {
        (void)atomic_fetch_add(&api->site->metrics->replay_mismatches, 1);
        return d7_refuse(&reply->why, err, NULL, "game %s does not replay as recorded: %s",
                         game->id, why.text); /* for the log: a 500 tells nobody */
    }
    if (err) {
        return err;
    }
    if (is_new) {
        replay_cache_put(api->site->replays, &key, version, game, bytes);
    }
    give(bytes, game->voided, cache, reply);
    return D7_OK;
}
