/*
 * Design note. A job ends in exactly one of three ways: recorded (the policy's faults are part of
 * the record), given back with our reason (a failure of ours: counted, and played again), or given
 * back unharmed (we were asked to stop). A lost lease ends it too, but there is nothing to write:
 * the job is another's by then.
 *
 * A built-in policy thinks on this thread, so no beat is sent during one of its decisions: the
 * dead time of a lease must be longer than the slowest decision.
 */
#include "server/work/session.h"

#include "engine/base/clock.h"
#include "server/log.h"
#include "server/work/seat.h"

/* Gives back, unless the job is no longer ours. why: our reason. True when we did not fail. */
static bool end_badly(struct claim *c, enum d7_err err, const char *why)
{
    if (c->lost || err == D7_ERR_CONFLICT) {
        log_line(LOG_WARN, "job %lld: the lease was lost, or its run cancelled",
                 (long long)c->job->id);
        return true;
    }
    if (*c->stop) {
        claim_give_back(c, NULL);
        return true;
    }
    claim_give_back(c, *why ? why : d7_err_text(err));
    return false;
}

/* --- games --------------------------------------------------------------------------------------
 */

/* A policy we may not meet, or never met: a game of no moves. */
static enum d7_err forfeit_unplayed(const struct round *round, const char *message,
                                    struct played *ret)
{
    *ret = (struct played){.outcome = OUTCOME_FORFEIT};
    (void)snprintf(ret->reason, sizeof(ret->reason), "%s", message);
    return replay_run(round, NULL, 0, NULL, &ret->summary, NULL);
}

static bool never_met(const struct played *p)
{
    return p->outcome == OUTCOME_FORFEIT && p->moves == 0;
}

/* D7_OK: *ret is the policy's game. why: our reason, for other errors. */
static enum d7_err play(struct claim *c, struct seat *seat, const struct round *round,
                        struct played *ret, char *why, size_t why_size)
{
    struct harness_watch watch = {.keep_going = claim_keep_going, .ctx = c};
    if (!seat->peer) {
        return forfeit_unplayed(round, seat->message, ret);
    }
    struct played played = {0};
    enum d7_err err = harness_play(seat->peer, round, &seat->limits, &watch, &played);
    while (!err && never_met(&played) && seat_try_next(seat)) {
        played_release(&played);
        err = harness_play(seat->peer, round, &seat->limits, &watch, &played);
    }
    if (err) {
        return err;
    }
    /* its check ran this very file, so a launcher that fails now fails by us, whatever the step */
    if (seat_reported(seat, why, why_size) != SEAT_FINE) {
        played_release(&played);
        return D7_ERR_UNAVAILABLE;
    }
    *ret = played;
    return D7_OK;
}

static bool run_game(const struct session *s, struct claim *c, struct seat *seat)
{
    const struct job *job = c->job;
    struct roundfile *round = NULL;
    struct played played = {0};
    char why[201] = "";
    enum d7_err err = round_get(s->store, job->round_id, &round);
    if (!err) {
        err = play(c, seat, &round->round, &played, why, sizeof(why));
    }
    if (!err) {
        struct span tail = seat->peer ? peer_stderr(seat->peer) : span_make(NULL, 0);
        err = claim_record_game(c, &played, tail);
        if (!err) {
            log_line(LOG_INFO, "game: '%s' on %s: %s, score %lld, %zu moves, %lld ms",
                     job->policy_id, job->round_id, outcome_text(played.outcome),
                     (long long)played.summary.score, played.moves, (long long)played.elapsed_ms);
        } else {
            (void)snprintf(why, sizeof(why), "the game was not stored: %s", d7_err_text(err));
        }
    }
    bool fine = !err || end_badly(c, err, why);
    played_release(&played);
    roundfile_free(round);
    return fine;
}

/* --- checks -------------------------------------------------------------------------------------
 */

/* Meets the policy. D7_OK: *ret says how it went (its texts live in seat and check). */
static enum d7_err meet(struct claim *c, struct seat *seat, struct check *check,
                        struct check_outcome *ret, char *why, size_t why_size)
{
    struct harness_watch watch = {.keep_going = claim_keep_going, .ctx = c};
    if (!seat->peer) {
        *ret = (struct check_outcome){.reason_code = seat->code, .reason_message = seat->message};
        return D7_OK;
    }
    enum d7_err err = harness_check(seat->peer, &seat->limits, &watch, check);
    while (!err && check->result == CHECK_NO_START && seat_try_next(seat)) {
        err = harness_check(seat->peer, &seat->limits, &watch, check);
    }
    if (err) {
        return err;
    }
    bool is_endpoint = c->job->policy_kind == KIND_ENDPOINT;
    *ret = (struct check_outcome){
        .passed = check->result == CHECK_PASSED,
        .reason_code = claim_check_code(check->result),
        .reason_message = check->reason,
        .public_information = check->identity.public_information,
        .log = peer_stderr(seat->peer),
    };
    if (is_endpoint && check->result == CHECK_NO_START) {
        ret->reason_code = "endpoint-unreachable";
    }
    switch (seat_reported(seat, why, why_size)) {
    case SEAT_FINE:
        break;
    case SEAT_OUR_FAULT:
        return D7_ERR_UNAVAILABLE;
    case SEAT_NO_EXEC:
        *ret = (struct check_outcome){.reason_code = "no-start",
                                      .reason_message =
                                          "the program cannot be executed on this server"};
        break;
    }
    return D7_OK;
}

static bool run_check(struct claim *c, struct seat *seat)
{
    struct check check = {0};
    struct check_outcome outcome = {0};
    char why[201] = "";
    enum d7_err err = meet(c, seat, &check, &outcome, why, sizeof(why));
    if (!err) {
        err = claim_record_check(c, &outcome);
        if (!err) {
            log_line(LOG_INFO, "check: '%s' revision %lld: %s", c->job->policy_id,
                     (long long)c->job->revision, outcome.passed ? "passed" : outcome.reason_code);
        } else {
            (void)snprintf(why, sizeof(why), "the check was not stored: %s", d7_err_text(err));
        }
    }
    return !err || end_badly(c, err, why);
}

bool session_run(const struct session *s, const struct job *job)
{
    struct claim c = {.store = s->store,
                      .job = job,
                      .self = s->self,
                      .stop = s->stop,
                      .beat_ms = s->config->lease_beat_ms,
                      .dead_ms = s->config->lease_dead_ms};
    claim_begin(&c, clock_mono_ms());
    struct seat seat;
    struct d7_why why = {0};
    enum d7_err err = seat_open(s->config, s->iso, s->store, job, &seat, &why);
    bool fine = err                      ? end_badly(&c, err, why.text)
                : job->kind == JOB_CHECK ? run_check(&c, &seat)
                                         : run_game(s, &c, &seat);
    seat_close(&seat);
    if (job->policy_kind == KIND_UPLOAD && !isolation_settle()) {
        log_line(LOG_ERROR, "a process of '%s' could not be ended", job->policy_id);
    }
    return fine;
}
