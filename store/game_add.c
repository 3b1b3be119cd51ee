#include "store/game_add.h"

#include "store/row.h"
#include "store/tx.h"

#define FAULTS_MAX (2 << 20) /* one entry a move, ROUND_MOVES_MAX of them */
#define STDERR_MAX (64 << 10)
#define REASON_MAX 160

enum d7_err game_check(const struct game_result *result)
{
    if (result->faults_json.len > FAULTS_MAX || result->stderr_tail.len > STDERR_MAX) {
        return D7_ERR_TOO_LARGE;
    }
    if (result->moves > ROUND_MOVES_MAX || result->summary.moves != result->moves ||
        result->elapsed_ms < 0 || strlen(result->reason) > REASON_MAX) {
        return D7_ERR_INVALID;
    }
    for (size_t i = 0; i < result->moves; i++) {
        if (result->columns[i] >= BOARD_COLUMNS) {
            return D7_ERR_INVALID;
        }
    }
    return D7_OK;
}

static enum d7_err add_game(struct store *st, const struct held *held,
                            const struct game_result *result, int64_t now, const char *id)
{
    const struct summary *s = &result->summary;
    struct query q;
    query_begin(&q, st, SQL_GAME_ADD);
    query_text(&q, ":id", id);
    if (held->job) {
        query_int(&q, ":job", held->job);
    }
    if (held->policy[0]) {
        query_text(&q, ":policy", held->policy);
        query_int(&q, ":revision", held->revision);
    }
    query_text(&q, ":player", held->player);
    if (held->run) {
        query_int(&q, ":run", held->run);
    }
    query_text(&q, ":round", held->round);
    query_text(&q, ":outcome", outcome_text(result->outcome));
    query_text(&q, ":reason", result->reason);
    query_int(&q, ":score", s->score);
    query_int(&q, ":moves", s->moves);
    query_int(&q, ":chain", s->max_chain);
    query_int(&q, ":cleared", s->discs_cleared);
    query_int(&q, ":revealed", s->covered_revealed);
    query_text(&q, ":checksum", s->checksum);
    query_int(&q, ":illegal", result->illegal_moves);
    query_int(&q, ":timeouts", result->timeouts);
    query_int(&q, ":crashes", result->crashes);
    query_int(&q, ":nondeterministic", result->nondeterministic);
    query_int(&q, ":elapsed", result->elapsed_ms);
    query_real(&q, ":p50", result->ms_p50);
    query_real(&q, ":p95", result->ms_p95);
    query_real(&q, ":p99", result->ms_p99);
    query_real(&q, ":max", result->ms_max);
    query_int(&q, ":now", now);
    return query_run(&q);
}

static enum d7_err add_record(struct store *st, const struct game_result *result,
                              const uint8_t *think, const char *id)
{
    struct span faults = result->faults_json.len ? result->faults_json : span_of("[]");
    struct query q;
    query_begin(&q, st, SQL_GAME_RECORD_ADD);
    query_text(&q, ":id", id);
    query_blob(&q, ":columns", result->columns, result->moves);
    query_blob(&q, ":think", think, result->moves * 4);
    query_text_of(&q, ":faults", faults);
    query_blob(&q, ":stderr", result->stderr_tail.ptr, result->stderr_tail.len);
    return query_run_hit(&q);
}

static enum d7_err mark_revision(struct store *st, const struct held *held)
{
    struct query q;
    query_begin(&q, st, SQL_REVISION_NONDETERMINISTIC);
    query_text(&q, ":policy", held->policy);
    query_int(&q, ":number", held->revision);
    return query_run(&q);
}

static enum d7_err add_both(struct store *st, const struct held *held,
                            const struct game_result *result, const uint8_t *think, int64_t now,
                            const char *id)
{
    enum d7_err err = add_game(st, held, result, now, id);
    if (!err) {
        err = add_record(st, result, think, id);
    }
    if (!err && result->nondeterministic) {
        err = mark_revision(st, held);
    }
    return err;
}

enum d7_err game_add(struct store *st, const struct held *held, const struct game_result *result,
                     int64_t now, char ret_id[STORE_KEY_SIZE])
{
    char id[STORE_KEY_SIZE];
    enum d7_err err = tx_key(st, now, id);
    if (err) {
        return err;
    }
    uint8_t *think = calloc(result->moves + 1, 4);
    if (!think) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < result->moves; i++) {
        think_store(result->think_us[i], think + 4 * i);
    }
    err = add_both(st, held, result, think, now, id);
    free(think);
    if (!err) {
        memcpy(ret_id, id, sizeof(id));
    }
    return err;
}
