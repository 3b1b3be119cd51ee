/* The ends of a job: a game, a check, given back, expired. Each is one transaction that begins with
 * the lease: who no longer holds it changes nothing. */
#include "store/game_add.h"
#include "store/job.h"
#include "store/queue.h"
#include "store/tx.h"

#define LOG_MAX     (64 << 10)
#define CODE_MAX    47
#define MESSAGE_MAX 200
#define LOST_REASON "the worker that played it was lost"

/* Reads what the lease holds; D7_ERR_CONFLICT when it is lost. beat -1: any. */
static enum d7_err read_held(struct store *st, int64_t job, const char *lease, int64_t beat,
                             struct held *ret)
{
    struct held h = {.job = job};
    struct query q;
    query_begin(&q, st, SQL_JOB_HELD);
    query_int(&q, ":id", job);
    query_text(&q, ":lease", lease);
    if (beat >= 0) {
        query_int(&q, ":beat", beat);
    }
    if (query_one(&q)) {
        h.is_game = span_is(row_blob(&q, 0), "game");
        row_text(&q, 1, h.policy, sizeof(h.policy));
        h.revision = row_int(&q, 2);
        h.run = row_int(&q, 3);
        h.position = row_int(&q, 4);
        row_text(&q, 5, h.round, sizeof(h.round));
        h.attempts = row_u32(&q, 6);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = h;
    }
    return err == D7_ERR_NOT_FOUND ? D7_ERR_CONFLICT : err;
}

static enum d7_err close_job(struct store *st, const struct held *h, const char *lease,
                             const char *state, int64_t moves)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_CLOSE);
    query_int(&q, ":id", h->job);
    query_text(&q, ":lease", lease);
    query_text(&q, ":state", state);
    query_int(&q, ":moves", moves);
    query_int(&q, ":attempts", h->attempts);
    return query_run_hit(&q);
}

static enum d7_err count_of(struct store *st, enum store_sql name, int64_t run, int64_t *ret)
{
    struct query q;
    query_begin(&q, st, name);
    query_int(&q, ":run", run);
    if (name == SQL_JOB_FIRST_FORFEITS) {
        query_int(&q, ":first", RUN_FIRST_ROUNDS);
    }
    int64_t count = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = count;
    }
    return err;
}

enum d7_err job_open_waiting(struct store *st, int64_t run, int64_t below)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_OPEN_WAITING);
    query_int(&q, ":run", run);
    query_int(&q, ":below", below);
    return query_run(&q);
}

/* --- a game --------------------------------------------------------------------------------- */

/* After one of the first rounds: open the others, or stop the run when all three were forfeits. */
static enum d7_err decide_first(struct store *st, int64_t run, enum outcome outcome, int64_t now)
{
    if (outcome != OUTCOME_FORFEIT) {
        return job_open_waiting(st, run, INT64_MAX);
    }
    int64_t forfeits = 0;
    enum d7_err err = count_of(st, SQL_JOB_FIRST_FORFEITS, run, &forfeits);
    if (!err && forfeits == RUN_FIRST_ROUNDS) {
        err = run_close(st, run, RUN_STOPPED, "the first three games were forfeits", now);
    }
    return err;
}

static enum d7_err advance_run(struct store *st, const struct held *h, enum outcome outcome,
                               int64_t now)
{
    enum d7_err err = D7_OK;
    if (h->position < RUN_FIRST_ROUNDS) {
        err = decide_first(st, h->run, outcome, now);
    }
    int64_t open = 0;
    if (!err) {
        err = count_of(st, SQL_JOB_OPEN_COUNT, h->run, &open);
    }
    if (!err && open == 0) {
        err = run_close(st, h->run, RUN_DONE, "", now); /* no change if it was stopped just now */
    }
    return err;
}

static enum d7_err finish_game(struct store *st, const struct job *job,
                               const struct game_result *result, int64_t now, char *ret_id)
{
    struct held h;
    enum d7_err err = read_held(st, job->id, job->lease, -1, &h);
    if (!err && !h.is_game) {
        err = D7_ERR_INVALID;
    }
    if (!err) {
        err = close_job(st, &h, job->lease, "done", (int64_t)result->moves);
    }
    if (!err) {
        err = game_add(st, &h, result, now, ret_id);
    }
    if (!err) {
        err = advance_run(st, &h, result->outcome, now);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err job_finish_game(struct store *st, const struct job *job,
                            const struct game_result *result, int64_t now,
                            char ret_game_id[STORE_KEY_SIZE])
{
    char id[STORE_KEY_SIZE] = "";
    enum d7_err err = game_check(result);
    if (!err) {
        err = tx_begin(st);
    }
    if (err) {
        return err;
    }
    err = tx_end(st, finish_game(st, job, result, now, id));
    if (!err) {
        memcpy(ret_game_id, id, sizeof(id));
    }
    return err;
}

/* --- a check -------------------------------------------------------------------------------- */

static enum d7_err set_revision(struct store *st, const struct held *h,
                                const struct check_outcome *outcome)
{
    struct span log = outcome->log;
    struct query q;
    query_begin(&q, st, SQL_REVISION_CHECKED);
    query_text(&q, ":policy", h->policy);
    query_int(&q, ":number", h->revision);
    query_text(&q, ":status", policy_status_text(outcome->passed ? POLICY_READY : POLICY_REJECTED));
    query_text(&q, ":code", outcome->passed ? "" : outcome->reason_code);
    query_text(&q, ":message", outcome->passed ? "" : outcome->reason_message);
    query_blob(&q, ":log", log.len > LOG_MAX ? log.ptr + (log.len - LOG_MAX) : log.ptr,
               log.len > LOG_MAX ? LOG_MAX : log.len);
    return query_run_hit(&q);
}

static enum d7_err policy_passed(struct store *st, const struct held *h, bool public_information)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_PASSED);
    query_text(&q, ":id", h->policy);
    query_int(&q, ":revision", h->revision);
    query_int(&q, ":public", public_information);
    return query_run(&q);
}

/* Only where no revision has passed yet, none came after it, and nobody retired the policy. */
static enum d7_err policy_reason(struct store *st, const struct held *h, const char *code,
                                 const char *message, enum policy_status status)
{
    struct query q;
    query_begin(&q, st, SQL_POLICY_REASON);
    query_text(&q, ":id", h->policy);
    query_int(&q, ":revision", h->revision);
    query_text(&q, ":code", code);
    query_text(&q, ":message", message);
    query_text(&q, ":status", policy_status_text(status));
    return query_run(&q);
}

/* The revision's waiting run becomes claimable, or ends. None: D7_OK. */
static enum d7_err settle_run(struct store *st, const struct held *h, enum run_status end,
                              const char *reason, int64_t now)
{
    char id[STORE_KEY_SIZE];
    int64_t run = 0;
    enum d7_err err = run_unfinished(st, h->policy, h->revision, id, &run);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? D7_OK : err;
    }
    return end == RUN_QUEUED ? job_open_waiting(st, run, RUN_FIRST_ROUNDS)
                             : run_close(st, run, end, reason, now);
}

static enum d7_err finish_check(struct store *st, const struct job *job,
                                const struct check_outcome *outcome, int64_t now)
{
    struct held h;
    enum d7_err err = read_held(st, job->id, job->lease, -1, &h);
    if (!err && h.is_game) {
        err = D7_ERR_INVALID;
    }
    if (!err) {
        err = close_job(st, &h, job->lease, "done", 0);
    }
    if (!err) {
        err = set_revision(st, &h, outcome);
    }
    if (err) {
        return err;
    }
    if (outcome->passed) {
        err = policy_passed(st, &h, outcome->public_information);
        if (!err) {
            err = settle_run(st, &h, RUN_QUEUED, "", now);
        }
    } else {
        err = policy_reason(st, &h, outcome->reason_code, outcome->reason_message, POLICY_REJECTED);
        if (!err) {
            err = settle_run(st, &h, RUN_CANCELLED, outcome->reason_message, now);
        }
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

static bool is_reason(const struct check_outcome *outcome)
{
    return outcome->reason_code && strlen(outcome->reason_code) <= CODE_MAX &&
           outcome->reason_message && strlen(outcome->reason_message) <= MESSAGE_MAX;
}

enum d7_err job_finish_check(struct store *st, const struct job *job,
                             const struct check_outcome *outcome, int64_t now)
{
    if (!outcome->passed && !is_reason(outcome)) {
        return D7_ERR_INVALID;
    }
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, finish_check(st, job, outcome, now));
}

/* --- given back ----------------------------------------------------------------------------- */

/* The last allowed try failed by our fault. */
static enum d7_err give_up(struct store *st, const struct held *h, const char *reason, int64_t now)
{
    if (h->is_game) {
        return run_close(st, h->run, RUN_FAILED, reason, now);
    }
    /* The revision is still unchecked: the next run_add() asks for another check. */
    enum d7_err err = policy_reason(st, h, "check-failed", reason, POLICY_CHECKING);
    return err ? err : settle_run(st, h, RUN_FAILED, reason, now);
}

static enum d7_err give_back(struct store *st, struct held *h, const char *lease,
                             const char *our_reason, int64_t now)
{
    h->attempts += our_reason ? 1 : 0;
    bool is_last = h->attempts >= JOB_ATTEMPTS_MAX;
    enum d7_err err = close_job(st, h, lease, is_last ? "failed" : "queued", 0);
    if (!err && is_last) {
        char reason[MESSAGE_MAX + 1];
        (void)snprintf(reason, sizeof(reason), "%s", our_reason ? our_reason : LOST_REASON);
        err = give_up(st, h, reason, now);
    }
    return err ? err : tx_changed(st, CHANGE_PROGRESS);
}

enum d7_err job_release(struct store *st, const struct job *job, const char *our_reason,
                        int64_t now)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct held h;
    err = read_held(st, job->id, job->lease, -1, &h);
    if (!err) {
        err = give_back(st, &h, job->lease, our_reason, now);
    }
    return tx_end(st, err);
}

enum d7_err job_expire(struct store *st, const struct lease_row *seen, int64_t now)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct held h;
    err = read_held(st, seen->job_id, seen->lease, seen->beat, &h);
    if (!err) {
        err = give_back(st, &h, seen->lease, LOST_REASON, now);
    }
    return tx_end(st, err);
}
