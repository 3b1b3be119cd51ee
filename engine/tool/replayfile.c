#include "engine/tool/replayfile.h"

#include <inttypes.h>

void game_facts_write(struct jout *j, const struct replay_facts *f, const char *round_id)
{
    jout_key(j, "policyId");
    jout_span(j, f->policy_id[0] ? span_of(f->policy_id) : span_make(NULL, 0)); /* null: unknown */
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
                             const struct roundfile *round, const struct played *played,
                             const char *fingerprint)
{
    jout_object(j);
    jout_kv_text(j, "format", REPLAY_FORMAT);
    if (fingerprint[0]) {
        jout_kv_text(j, "fingerprint", fingerprint);
    }
    game_facts_write(j, f, round->id);
    jout_key(j, "round");
    jout_object(j);
    jout_kv_text(j, "id", round->id);
    jout_kv_text(j, "name", round->name);
    jout_kv_text(j, "generatorSeedHex", round->seed_hex);
    jout_kv_int(j, "maximumMoves", round->round.maximum_moves);
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
    (void)jval_text(jval_get(round, "generatorSeedHex"), &r.seed_hex);     /* optional */
    (void)jval_integer(jval_get(round, "maximumMoves"), &r.maximum_moves); /* optional */
    (void)jval_text(jval_get(r.root, "fingerprint"), &r.fingerprint);      /* optional */
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
    struct buf text; /* what should stand there, written by the one writer and read back */
    struct d7_why *why;
};

/* The first key in which `have` differs from the object written into c->text; NULL in ret: none. */
static enum d7_err first_difference(struct comparison *c, const struct jval *have, char *ret_key,
                                    size_t size)
{
    struct jval *want = NULL;
    enum d7_err err = c->text.err ? c->text.err : jval_parse(buf_span(&c->text), &want, NULL);
    ret_key[0] = '\0';
    if (!err) {
        const char *key = jval_difference(want, have);
        err = key ? span_copy(span_of(key), ret_key, size) : D7_OK;
    }
    if (want) {
        jval_free(want);
    }
    return err;
}

static enum d7_err compare_frame(void *ctx, const struct frame *f)
{
    struct comparison *c = ctx;
    struct jout j;
    char key[32];
    buf_clear(&c->text);
    jout_init(&j, &c->text);
    frame_write(&j, f);
    enum d7_err err = first_difference(c, jval_at(c->frames, f->move - 1), key, sizeof(key));
    if (!err && key[0]) {
        err = d7_refuse(c->why, D7_ERR_INVALID, key,
                        "move %" PRIu32 ": %s differs from the game replayed", f->move, key);
    }
    return err;
}

static enum d7_err compare_summary(struct comparison *c, const struct replayfile *r,
                                   const struct summary *s)
{
    struct jout j;
    char key[32];
    buf_clear(&c->text);
    jout_init(&j, &c->text);
    jout_object(&j);
    jout_key(&j, "roundId");
    jout_span(&j, r->round_id);
    summary_write(&j, s);
    if (s->over || s->censored) { /* columns that stop early may be a forfeit or a broken file */
        jout_kv_text(&j, "outcome", outcome_text(s->over ? OUTCOME_OVER : OUTCOME_CENSORED));
    }
    jout_object_end(&j);
    enum d7_err err = first_difference(c, r->root, key, sizeof(key));
    if (!err && key[0]) {
        err = d7_refuse(c->why, D7_ERR_INVALID, key, "%s differs from the game replayed", key);
    }
    return err;
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
    struct comparison c = {.frames = jval_get(r->root, "frames"), .why = why};
    const struct replay_watch watch = {.on_frame = compare_frame, .ctx = &c};
    buf_init(&c.text, 1 << 16);
    enum d7_err err = replay_run(round, r->columns, r->count, &watch, &facts.summary, why);
    if (!err) {
        err = compare_summary(&c, r, &facts.summary);
    }
    buf_release(&c.text);
    if (err) {
        return err;
    }
    read_facts(r->root, &facts);
    *ret = facts;
    return D7_OK;
}
