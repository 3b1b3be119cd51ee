#include "server/api/objects.h"

bool may_manage(const struct request *req, const struct policy_row *p)
{
    return req->has_account &&
           (req->account.admin || (p->owner_id != 0 && p->owner_id == req->account.id));
}

static void text_or_null(struct jout *j, const char *key, const char *text)
{
    jout_key(j, key);
    jout_span(j, text[0] ? span_of(text) : span_make(NULL, 0));
}

static void reason_write(struct jout *j, const char *code, const char *message)
{
    jout_key(j, "reason");
    if (!code[0]) {
        jout_null(j);
        return;
    }
    jout_object(j);
    jout_kv_text(j, "code", code);
    jout_kv_text(j, "message", message);
    jout_object_end(j);
}

static void badges_write(struct jout *j, const struct policy_row *p)
{
    jout_key(j, "badges");
    jout_array(j);
    if (!p->public_information) {
        jout_text(j, "extended-state");
    }
    if (p->nondeterministic) {
        jout_text(j, "nondeterministic");
    }
    if (p->kind == KIND_REMOTE) {
        jout_text(j, "remote");
    }
    if (p->kind == KIND_ENDPOINT) {
        jout_text(j, "endpoint");
    }
    jout_array_end(j);
}

static void revisions_write(struct jout *j, const struct policy_row *p, bool private_too)
{
    const struct revision *now = &p->current;
    jout_key(j, "revision");
    if (now->number == 0) {
        jout_null(j);
    } else {
        jout_object(j);
        jout_kv_int(j, "number", now->number);
        text_or_null(j, "sha256", now->sha256);
        jout_kv_int(j, "sizeBytes", now->size_bytes);
        jout_kv_text(j, "format", now->format);
        jout_kv_time(j, "createdAt", now->created_at);
        jout_object_end(j);
    }
    const struct revision *next = &p->pending;
    jout_key(j, "pending");
    if (next->number == 0) {
        jout_null(j);
    } else {
        jout_object(j);
        jout_kv_int(j, "number", next->number);
        jout_kv_text(j, "status", policy_status_text(next->status));
        reason_write(j, next->reason_code, next->reason_message);
        if (private_too && next->endpoint[0]) {
            jout_kv_text(j, "endpoint", next->endpoint);
        }
        jout_object_end(j);
    }
    if (private_too && p->kind == KIND_ENDPOINT) {
        text_or_null(j, "endpoint", now->number ? now->endpoint : next->endpoint);
    }
}

void policy_write(struct jout *j, const struct policy_row *p, bool private_too)
{
    jout_object(j);
    jout_kv_text(j, "id", p->id);
    jout_kv_text(j, "name", p->name);
    jout_kv_text(j, "family", p->family);
    jout_kv_text(j, "description", p->description);
    jout_kv_text(j, "kind", policy_kind_text(p->kind));
    jout_kv_bool(j, "publicInformation", p->public_information);
    jout_kv_bool(j, "slow", p->slow);
    jout_kv_text(j, "status", policy_status_text(p->status));
    reason_write(j, p->reason_code, p->reason_message);
    text_or_null(j, "owner", p->owner);
    badges_write(j, p);
    revisions_write(j, p, private_too);
    text_or_null(j, "latestRunId", p->latest_run_id);
    jout_kv_time(j, "createdAt", p->created_at);
    jout_object_end(j);
}

void revision_write_keys(struct jout *j, const struct revision *r, const struct policy_row *p,
                         bool private_too)
{
    jout_kv_int(j, "number", r->number);
    text_or_null(j, "sha256", r->sha256);
    jout_kv_int(j, "sizeBytes", r->size_bytes);
    jout_kv_text(j, "format", r->format);
    jout_kv_text(j, "status", policy_status_text(r->status));
    reason_write(j, r->reason_code, r->reason_message);
    jout_kv_bool(j, "current", r->number == p->current.number);
    if (private_too && p->kind == KIND_ENDPOINT) {
        text_or_null(j, "endpoint", r->endpoint);
    }
    jout_kv_time(j, "createdAt", r->created_at);
}

void revision_write(struct jout *j, const struct revision *r, const struct policy_row *p,
                    bool private_too)
{
    jout_object(j);
    revision_write_keys(j, r, p, private_too);
    jout_object_end(j);
}

void suite_write(struct jout *j, const struct suite_row *s)
{
    jout_object(j);
    jout_kv_text(j, "id", s->id);
    jout_kv_text(j, "name", s->name);
    jout_key(j, "rounds");
    jout_array(j);
    for (size_t i = 0; i < s->round_count; i++) {
        jout_text(j, s->round_ids[i]);
    }
    jout_array_end(j);
    jout_kv_bool(j, "default", s->is_default);
    jout_object_end(j);
}

void game_write_keys(struct jout *j, const struct game_row *g, bool with_voided)
{
    jout_kv_text(j, "id", g->id);
    text_or_null(j, "policyId", g->policy_id);
    jout_key(j, "policyRevision");
    if (g->revision > 0) {
        jout_int(j, g->revision);
    } else {
        jout_null(j); /* a person's */
    }
    text_or_null(j, "runId", g->run_id);
    jout_kv_text(j, "roundId", g->round_id);
    text_or_null(j, "player", g->player);
    summary_write(j, &g->summary);
    jout_kv_text(j, "outcome", outcome_text(g->outcome));
    text_or_null(j, "reason", g->reason);
    jout_kv_int(j, "illegalMoves", g->illegal_moves);
    jout_kv_int(j, "timeouts", g->timeouts);
    jout_kv_int(j, "crashes", g->crashes);
    jout_kv_bool(j, "nondeterministic", g->nondeterministic);
    jout_kv_bool(j, "counted", g->counted);
    if (with_voided) {
        jout_kv_bool(j, "voided", g->voided);
    }
    jout_kv_int(j, "elapsedMs", g->elapsed_ms);
    jout_key(j, "moveMs");
    jout_object(j);
    jout_kv_double(j, "p50", g->ms_p50);
    jout_kv_double(j, "p95", g->ms_p95);
    jout_kv_double(j, "p99", g->ms_p99);
    jout_kv_double(j, "max", g->ms_max);
    jout_object_end(j);
    jout_kv_time(j, "createdAt", g->created_at);
}

void game_write(struct jout *j, const struct game_row *g)
{
    jout_object(j);
    game_write_keys(j, g, true);
    jout_object_end(j);
}

static const struct game_row *game_of_round(const struct game_row *games, size_t count,
                                            const char *game_id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(games[i].id, game_id) == 0) {
            return &games[i];
        }
    }
    return NULL;
}

/* The rounds in order, the games there are, and where each round stands. */
static void run_rounds_write(struct jout *j, const struct run_round *rounds, size_t round_count,
                             const struct game_row *games, size_t game_count)
{
    jout_key(j, "rounds");
    jout_array(j);
    for (size_t i = 0; i < round_count; i++) {
        jout_text(j, rounds[i].round_id);
    }
    jout_array_end(j);
    jout_key(j, "games");
    jout_array(j);
    for (size_t i = 0; i < round_count; i++) {
        const struct game_row *g = game_of_round(games, game_count, rounds[i].game_id);
        if (g) {
            game_write(j, g);
        } else if (rounds[i].game_id[0]) {
            jout_object(j);
            jout_kv_text(j, "id", rounds[i].game_id);
            jout_kv_text(j, "roundId", rounds[i].round_id);
            jout_object_end(j);
        }
    }
    jout_array_end(j);
    jout_key(j, "states");
    jout_array(j);
    for (size_t i = 0; i < round_count; i++) {
        jout_object(j);
        jout_kv_text(j, "roundId", rounds[i].round_id);
        jout_kv_text(j, "state", rounds[i].job_state);
        text_or_null(j, "gameId", rounds[i].game_id);
        jout_object_end(j);
    }
    jout_array_end(j);
}

void run_progress_write(struct jout *j, const struct run_row *run)
{
    jout_key(j, "progress");
    jout_object(j);
    jout_kv_int(j, "games", run->games);
    jout_kv_int(j, "done", run->done);
    jout_kv_int(j, "playing", run->playing);
    jout_kv_int(j, "moves", run->moves);
    jout_object_end(j);
    jout_key(j, "queuePosition");
    if (run->queue_position > 0) {
        jout_int(j, run->queue_position);
    } else {
        jout_null(j);
    }
}

void run_write(struct jout *j, const struct run_row *run, const struct run_round *rounds,
               size_t round_count, const struct game_row *games, size_t game_count)
{
    jout_object(j);
    jout_kv_text(j, "id", run->id);
    jout_kv_text(j, "policyId", run->policy_id);
    jout_kv_int(j, "policyRevision", run->revision);
    text_or_null(j, "suite", run->suite_id);
    jout_kv_text(j, "status", run_status_text(run->status));
    text_or_null(j, "reason", run->reason);
    jout_kv_time(j, "createdAt", run->created_at);
    jout_kv_time(j, "startedAt", run->started_at);
    jout_kv_time(j, "finishedAt", run->finished_at);
    run_progress_write(j, run);
    run_rounds_write(j, rounds, round_count, games, game_count);
    jout_object_end(j);
}
