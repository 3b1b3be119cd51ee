#include "server/work/claim.h"

#include <poll.h>

#include "engine/base/clock.h"
#include "engine/base/jsonout.h"
#include "server/log.h"

#define AGAIN_FIRST_MS   20
#define AGAIN_LAST_MS    1000
#define FAULTS_JSON_MAX  (1u << 20)
#define RELEASE_TRIES_MS 2000
#define REASON_SIZE      201

struct job_skills claim_skills(const char *tier)
{
    bool confined = strcmp(tier, "A") == 0 || strcmp(tier, "B") == 0;
    bool chosen = strcmp(tier, "off") == 0; /* the operator's decision, not ours */
    return (struct job_skills){.uploads = confined || chosen, .endpoints = true, .builtins = true};
}

int64_t claim_idle_ms(int64_t previous_ms)
{
    if (previous_ms < CLAIM_IDLE_FIRST_MS) {
        return CLAIM_IDLE_FIRST_MS;
    }
    int64_t next_ms = previous_ms + previous_ms / 2;
    return next_ms < CLAIM_IDLE_LAST_MS ? next_ms : CLAIM_IDLE_LAST_MS;
}

void claim_begin(struct claim *c, int64_t now_mono_ms)
{
    c->tried_ms = now_mono_ms;
    c->held_ms = now_mono_ms;
    c->lost = false;
}

bool claim_keep_going(void *ctx, uint32_t moves_played)
{
    struct claim *c = ctx;
    if (*c->stop || c->lost) {
        return false;
    }
    int64_t now_ms = clock_mono_ms();
    if (now_ms - c->tried_ms < c->beat_ms) {
        return true;
    }
    c->tried_ms = now_ms;
    enum d7_err err = job_beat(c->store, c->job->id, c->job->lease, moves_played);
    if (err == D7_ERR_CONFLICT) {
        c->lost = true;
        return false;
    }
    if (!err) {
        c->held_ms = now_ms;
        c->self->beat++;
        err = worker_beat(c->store, c->self, clock_utc_ms());
    }
    if (err) {
        /* not the policy's business: the game goes on, and the next beat may get through */
        log_line(LOG_WARN, "job %lld: no beat: %s", (long long)c->job->id, d7_err_text(err));
    }
    return true;
}

const char *claim_check_code(enum check_result result)
{
    switch (result) {
    case CHECK_PASSED:
        return NULL;
    case CHECK_NO_START:
        return "no-start";
    case CHECK_NO_HANDSHAKE:
        return "handshake";
    case CHECK_CRASHED:
        return "crashed";
    }
    return "handshake";
}

void claim_faults_json(const struct played *p, struct buf *to)
{
    struct jout j;
    jout_init(&j, to);
    jout_array(&j);
    for (size_t i = 0; i < p->fault_count; i++) {
        const struct fault *f = &p->faults[i];
        jout_object(&j);
        jout_kv_int(&j, "move", f->move);
        jout_kv_text(&j, "kind", fault_kind_text(f->kind));
        jout_kv_text(&j, "seen", f->seen);
        jout_object_end(&j);
    }
    jout_array_end(&j);
}

/* Whether a write that failed so is worth another try now; waits a little first. Past the dead time
 * the lease may be another's: then the job is left to run out. */
static bool try_again(const struct claim *c, enum d7_err err, int64_t limit_ms, int64_t *wait_ms)
{
    bool may_pass = err == D7_ERR_BUSY || err == D7_ERR_FULL || err == D7_ERR_IO;
    if (!may_pass || clock_mono_ms() - c->held_ms >= limit_ms) {
        return false;
    }
    (void)poll(NULL, 0, (int)*wait_ms); /* an early wake by a signal only means an early try */
    *wait_ms = 2 * *wait_ms < AGAIN_LAST_MS ? 2 * *wait_ms : AGAIN_LAST_MS;
    return true;
}

static struct game_result result_of(const struct played *p, const struct buf *faults,
                                    struct span stderr_tail)
{
    return (struct game_result){
        .columns = p->columns,
        .think_us = p->think_us,
        .moves = p->moves,
        .summary = p->summary,
        .outcome = p->outcome,
        .reason = p->outcome == OUTCOME_FORFEIT ? p->reason : "",
        .illegal_moves = p->illegal_moves,
        .timeouts = p->timeouts,
        .crashes = p->crashes,
        .nondeterministic = p->nondeterministic,
        .elapsed_ms = p->elapsed_ms,
        .ms_p50 = p->times.p50,
        .ms_p95 = p->times.p95,
        .ms_p99 = p->times.p99,
        .ms_max = p->times.max,
        .faults_json = buf_span(faults),
        .stderr_tail = stderr_tail,
    };
}

enum d7_err claim_record_game(struct claim *c, const struct played *p, struct span stderr_tail)
{
    struct buf faults;
    buf_init(&faults, FAULTS_JSON_MAX);
    claim_faults_json(p, &faults);
    enum d7_err err = faults.err;
    if (!err) {
        struct game_result result = result_of(p, &faults, stderr_tail);
        int64_t wait_ms = AGAIN_FIRST_MS;
        char game_id[STORE_KEY_SIZE];
        do {
            err = job_finish_game(c->store, c->job, &result, clock_utc_ms(), game_id);
        } while (err && !*c->stop && try_again(c, err, c->dead_ms, &wait_ms));
    }
    buf_release(&faults);
    return err;
}

enum d7_err claim_record_check(struct claim *c, const struct check_outcome *outcome)
{
    int64_t wait_ms = AGAIN_FIRST_MS;
    enum d7_err err;
    do {
        err = job_finish_check(c->store, c->job, outcome, clock_utc_ms());
    } while (err && !*c->stop && try_again(c, err, c->dead_ms, &wait_ms));
    return err;
}

void claim_give_back(struct claim *c, const char *our_reason)
{
    if (our_reason) {
        log_line(LOG_ERROR, "job %lld of '%s' goes back: %s", (long long)c->job->id,
                 c->job->policy_id, our_reason);
    }
    claim_begin(c, clock_mono_ms());
    char reason[REASON_SIZE];
    (void)span_escape(span_of(our_reason), reason, sizeof(reason)); /* cut to what is kept */
    int64_t wait_ms = AGAIN_FIRST_MS;
    enum d7_err err;
    do {
        err = job_release(c->store, c->job, our_reason ? reason : NULL, clock_utc_ms());
    } while (err && try_again(c, err, RELEASE_TRIES_MS, &wait_ms));
    if (err && err != D7_ERR_CONFLICT) {
        log_line(LOG_ERROR, "job %lld: not given back: %s", (long long)c->job->id,
                 d7_err_text(err));
    }
}
