#include "engine/tool/replayfile.h"

#include <inttypes.h>

void game_facts_write(struct jout *j, const struct replay_facts *f, const char *round_id)
{
    jout_kv_text(j, "policyId", f->policy_id);
    jout_kv_text(j, "roundId", round_id);
    summary_write(j, &f->summary);
    jout_kv_text(j, "outcome", outcome_text(f->outcome));
    jout_key(j, "reason");
    if (f->reason[0]) {
        jout_text(j, f->reason);
    } else {
        jout_null(j);
    }
    jout_kv_int(j, "illegalMoves", f->illegal_moves);
    jout_kv_int(j, "timeouts", f->timeouts);
    jout_kv_int(j, "crashes", f->crashes);
    jout_kv_bool(j, "nondeterministic", f->nondeterministic);
    jout_kv_int(j, "elapsedMs", f->elapsed_ms);
    jout_key(j, "moveMs");
    jout_object(j);
    jout_kv_double(j, "p50", f->times.p50);
    jout_kv_double(j, "p95", f->times.p95);
    jout_kv_double(j, "p99", f->times.p99);
    jout_kv_double(j, "max", f->times.max);
    jout_object_end(j);
}

static enum d7_err write_frame(void *ctx, const struct frame *frame)
{
    struct jout *j = ctx;
    frame_write(j, frame);
    return j->to->err;
}

enum d7_err replayfile_write(struct jout *j, const struct replay_facts *f,
                             const struct roundfile *round, const struct played *played)
{
    jout_object(j);
    jout_kv_text(j, "format", REPLAY_FORMAT);
    game_facts_write(j, f, round->id);
    jout_key(j, "round");
    jout_object(j);
    jout_kv_text(j, "id", round->id);
    jout_kv_text(j, "name", round->name);
    jout_kv_text(j, "generatorSeedHex", round->seed_hex);
    jout_object_end(j);
    jout_key(j, "faults");
    jout_array(j);
    for (size_t i = 0; i < played->fault_count; i++) {
        jout_object(j);
        jout_kv_int(j, "move", played->faults[i].move);
        jout_kv_text(j, "kind", fault_kind_text(played->faults[i].kind));
        jout_object_end(j);
    }
    jout_array_end(j);
    jout_key(j, "frames");
    jout_array(j);
    const struct replay_watch watch = {.on_frame = write_frame, .ctx = j};
    struct summary again;
    struct d7_why why;
    enum d7_err err =
        replay_run(&round->round, played->columns, played->moves, &watch, &again, &why);
    jout_array_end(j);
    jout_object_end(j);
    return err ? err : j->to->err;
}

enum d7_err replayfile_parse(struct span text, struct replayfile *ret, struct d7_why *why)
{
    struct replayfile r = {0};
    struct span format = {0};
    const struct jval *round = NULL;
    const struct jval *frames = NULL;
    enum d7_err err = jval_parse(text, &r.root, why);
    if (err) {
        return err;
    }
    if (!jval_text(jval_get(r.root, "format"), &format) || !span_is(format, REPLAY_FORMAT)) {
        err = d7_refuse(why, D7_ERR_INVALID, "format", "format must be \"%s\"", REPLAY_FORMAT);
        goto out;
    }
    round = jval_get(r.root, "round");
    frames = jval_get(r.root, "frames");
    if (!jval_text(jval_get(round, "id"), &r.round_id)) {
        err = d7_refuse(why, D7_ERR_INVALID, "round.id", "round.id must be text");
        goto out;
    }
    (void)jval_text(jval_get(round, "generatorSeedHex"), &r.seed_hex); /* optional */
    r.count = jval_length(frames);
    if (r.count > ROUND_MOVES_MAX) {
        err =
            d7_refuse(why, D7_ERR_INVALID, "frames", "frames must be at most %d", ROUND_MOVES_MAX);
        goto out;
    }
    r.columns = calloc(r.count + 1, 1);
    if (!r.columns) {
        err = D7_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < r.count; i++) {
        int64_t column = -1;
        if (!jval_integer(jval_get(jval_at(frames, i), "column"), &column) || column < 0 ||
            column > 6) {
            err = d7_refuse(why, D7_ERR_INVALID, "frames", "move %zu: column must be 0-6", i + 1);
            goto out;
        }
        r.columns[i] = (uint8_t)column;
    }
    *ret = r;
    r = (struct replayfile){0};
out:
    replayfile_release(&r);
    return err;
}

void replayfile_release(struct replayfile *r)
{
    if (r->root) {
        jval_free(r->root);
    }
    free(r->columns);
    *r = (struct replayfile){0};
}

struct comparison {
    const struct jval *frames;
    struct d7_why *why;
};

static bool same_integer(const struct jval *object, const char *key, int64_t want)
{
    int64_t have = 0;
    return jval_integer(jval_get(object, key), &have) && have == want;
}

static enum d7_err compare_frame(void *ctx, const struct frame *f)
{
    struct comparison *c = ctx;
    const struct jval *have = jval_at(c->frames, f->move - 1);
    struct span board = {0};
    const char *field = NULL;
    if (!same_integer(have, "move", f->move)) {
        field = "move";
    } else if (!same_integer(have, "disc", f->disc)) {
        field = "disc";
    } else if (!same_integer(have, "scoreDelta", f->score_delta)) {
        field = "scoreDelta";
    } else if (!same_integer(have, "score", f->score)) {
        field = "score";
    } else if (!jval_text(jval_get(have, "board"), &board) || !span_is(board, f->board)) {
        field = "board";
    }
    if (field) {
        return d7_refuse(c->why, D7_ERR_INVALID, field,
                         "move %" PRIu32 ": %s differs from the game replayed", f->move, field);
    }
    return D7_OK;
}

static enum d7_err compare_summary(const struct replayfile *r, const struct summary *s,
                                   struct d7_why *why)
{
    struct span checksum = {0};
    if (!same_integer(r->root, "score", s->score) || !same_integer(r->root, "moves", s->moves)) {
        return d7_refuse(why, D7_ERR_INVALID, "score",
                         "score or moves differ from the game replayed");
    }
    if (!jval_text(jval_get(r->root, "checksum"), &checksum) || !span_is(checksum, s->checksum)) {
        return d7_refuse(why, D7_ERR_INVALID, "checksum",
                         "checksum differs: the game replayed has %s", s->checksum);
    }
    return D7_OK;
}

static uint32_t read_count(const struct jval *root, const char *key)
{
    int64_t value = 0;
    return jval_integer(jval_get(root, key), &value) && value >= 0 && value <= UINT32_MAX
               ? (uint32_t)value
               : 0;
}

/* Missing or too long: stays empty. */
static void read_text(const struct jval *root, const char *key, char *to, size_t size)
{
    struct span text = {0};
    if (!jval_text(jval_get(root, key), &text) || span_copy(text, to, size)) {
        to[0] = '\0';
    }
}

static void read_facts(const struct jval *root, struct replay_facts *f)
{
    int64_t elapsed = 0;
    read_text(root, "policyId", f->policy_id, sizeof(f->policy_id));
    read_text(root, "reason", f->reason, sizeof(f->reason));
    f->outcome = f->summary.over       ? OUTCOME_OVER
                 : f->summary.censored ? OUTCOME_CENSORED
                                       : OUTCOME_FORFEIT;
    f->illegal_moves = read_count(root, "illegalMoves");
    f->timeouts = read_count(root, "timeouts");
    f->crashes = read_count(root, "crashes");
    (void)jval_bool(jval_get(root, "nondeterministic"), &f->nondeterministic);
    f->elapsed_ms = jval_integer(jval_get(root, "elapsedMs"), &elapsed) ? elapsed : 0;
    const struct jval *ms = jval_get(root, "moveMs");
    (void)jval_number(jval_get(ms, "p50"), &f->times.p50);
    (void)jval_number(jval_get(ms, "p95"), &f->times.p95);
    (void)jval_number(jval_get(ms, "p99"), &f->times.p99);
    (void)jval_number(jval_get(ms, "max"), &f->times.max);
}

enum d7_err replayfile_verify(const struct replayfile *r, const struct round *round,
                              struct replay_facts *ret, struct d7_why *why)
{
    struct replay_facts facts = {0};
    struct comparison c = {jval_get(r->root, "frames"), why};
    const struct replay_watch watch = {.on_frame = compare_frame, .ctx = &c};
    enum d7_err err = replay_run(round, r->columns, r->count, &watch, &facts.summary, why);
    if (!err) {
        err = compare_summary(r, &facts.summary, why);
    }
    if (err) {
        return err;
    }
    read_facts(r->root, &facts);
    *ret = facts;
    return D7_OK;
}
