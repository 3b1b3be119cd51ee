#include "server/work/plays.h"

#include "engine/harness/play.h"

#define FORFEIT_REASON "the play was abandoned"

enum play_status play_status_at(const struct play_row *p, int64_t now)
{
    bool is_running = p->status == PLAY_OPEN || p->status == PLAY_FINISHED;
    return is_running && now >= p->expires_at ? PLAY_EXPIRED : p->status;
}

enum d7_err plays_result(const struct round *round, const struct play_row *p,
                         struct game_result *ret)
{
    struct game_result r = {
        .columns = p->columns, .think_us = p->think_us, .moves = p->moves, .reason = ""};
    struct move_times times;
    enum d7_err err = replay_run(round, p->columns, p->moves, NULL, &r.summary, NULL);
    if (!err) {
        err = move_times_of(p->think_us, p->moves, &times);
    }
    if (err) {
        return err == D7_ERR_INVALID ? D7_ERR_CORRUPT : err;
    }
    r.outcome = r.summary.over       ? OUTCOME_OVER
                : r.summary.censored ? OUTCOME_CENSORED
                                     : OUTCOME_FORFEIT;
    if (r.outcome == OUTCOME_FORFEIT) {
        r.reason = FORFEIT_REASON;
    }
    r.elapsed_ms = p->moved_at > p->created_at ? p->moved_at - p->created_at : 0;
    r.ms_p50 = times.p50;
    r.ms_p95 = times.p95;
    r.ms_p99 = times.p99;
    r.ms_max = times.max;
    *ret = r;
    return D7_OK;
}

static enum d7_err expire_committed(struct store *st, const struct play_row *p, int64_t now)
{
    struct roundfile *round = NULL;
    struct game_result result;
    enum d7_err err = round_get(st, p->round_id, &round);
    if (!err) {
        err = plays_result(&round->round, p, &result);
    }
    if (!err) {
        err = play_expire(st, p, &result, now);
    }
    roundfile_free(round);
    return err;
}

static enum d7_err expire(struct store *st, const char *sha256, int64_t now,
                          struct plays_report *report)
{
    struct play_row p = {.columns = NULL};
    enum d7_err err = play_get(st, sha256, &p);
    if (err) {
        return err;
    }
    bool is_committed = p.policy_id[0] && p.moves > 0;
    err = is_committed ? expire_committed(st, &p, now) : play_expire(st, &p, NULL, now);
    report->recorded += !err && is_committed;
    if (err == D7_ERR_CORRUPT) { /* it would be the next one for ever */
        err = play_expire(st, &p, NULL, now);
        report->damaged += !err;
    }
    report->expired += !err;
    play_release(&p);
    return err == D7_ERR_CONFLICT ? D7_OK : err; /* a move came in at the last moment */
}

enum d7_err plays_look(struct plays_keeper *k, struct store *st, int64_t expiry_ms,
                       int64_t now_mono_ms, int64_t now, struct plays_report *ret)
{
    struct plays_report report = {0};
    enum d7_err err = D7_OK;
    for (int i = 0; i < PLAYS_EXPIRE_MAX && !err; i++) {
        char sha256[SHA_HEX_SIZE];
        err = play_next_due(st, now, sha256);
        if (!err) {
            err = expire(st, sha256, now, &report);
        }
    }
    err = err == D7_ERR_NOT_FOUND ? D7_OK : err;
    if (!err && now_mono_ms >= k->next_forget_ms) {
        err = play_forget(st, now - expiry_ms);
        k->next_forget_ms = now_mono_ms + PLAYS_FORGET_MS;
    }
    *ret = report;
    return err;
}
