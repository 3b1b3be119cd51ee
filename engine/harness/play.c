#include "engine/harness/play.h"

#include <math.h>

#include "engine/base/clock.h"
#include "engine/harness/again.h"
#include "engine/harness/faults.h"
#include "engine/harness/talk.h"

/* A game being played. */
struct match {
    struct peer *p;
    const struct round *r;
    const struct harness_limits *limits;
    struct patience wait;
    struct game game;
    struct faults faults;
    struct identity who;
    uint8_t *columns;   /* owned */
    uint8_t *own;       /* owned; 1 where the column was the policy's legal answer */
    uint32_t *think_us; /* owned */
    bool must_sync;     /* a question timed out: barrier before the next one */
    bool forfeited;
    char reason[160];
};

/* What one move came to: a column, or the end of the game by forfeit. */
struct choice {
    uint8_t column;
    bool own; /* the policy's answer, not the fallback */
    int64_t think_us;
};

static uint32_t move_number(const struct match *m)
{
    return m->game.moves + 1;
}

static enum d7_err add_fault(struct match *m, enum fault_kind kind, const char *seen)
{
    return faults_add(&m->faults, move_number(m), kind, span_of(seen));
}

static enum d7_err forfeit(struct match *m, const char *why)
{
    m->forfeited = true;
    size_t len = strnlen(why, sizeof(m->reason) - 1); /* cut is fine: a sentence */
    memcpy(m->reason, why, len);
    m->reason[len] = '\0';
    return add_fault(m, FAULT_FORFEIT, m->reason);
}

static enum d7_err forfeit_by_clock(struct match *m)
{
    char why[80];
    (void)snprintf(why, sizeof(why), "the game took more than its limit of %lld ms",
                   (long long)m->limits->game_ms);
    return forfeit(m, why);
}

/* The policy is gone or must go: ended, counted, and out when it was once too often. */
static enum d7_err crash(struct match *m, const struct talk *t)
{
    char why[TALK_WHY_SIZE];
    char seen[TALK_WHY_SIZE + 64];
    talk_explain(m->p, t, why);
    struct span rest = link_pending(&m->p->link);
    if (rest.len > 0 && m->p->running) {
        char text[48];
        (void)snprintf(seen, sizeof(seen), "%s, after '%s'", why,
                       span_escape(rest, text, sizeof(text)));
    } else {
        (void)snprintf(seen, sizeof(seen), "%s", why);
    }
    peer_stop(m->p, false);
    m->must_sync = false; /* a new process owes nothing */
    bool stalled = t->step == TALK_READY && t->event == PEER_LATE;
    enum d7_err err = add_fault(m, stalled ? FAULT_STALL : FAULT_CRASH, seen);
    if (err || !faults_are_too_many(&m->faults, m->limits->restarts)) {
        return err;
    }
    char last[TALK_WHY_SIZE + 48];
    (void)snprintf(last, sizeof(last), "crashed %u times; the last time: %s", m->faults.crashes,
                   why);
    return forfeit(m, last);
}

/* Once through what is needed for an answer; t says how far it came. */
static enum d7_err attempt(struct match *m, const struct position *at, struct answer *a,
                           struct talk *t)
{
    *t = (struct talk){TALK_QUESTION, PEER_DONE};
    enum d7_err err = D7_OK;
    if (!m->p->running) {
        err = talk_open(m->p, &m->wait, &m->who, t);
    } else if (m->must_sync) {
        err = talk_barrier(m->p, &m->wait, t);
    }
    if (err || t->event != PEER_DONE) {
        return err;
    }
    m->must_sync = false;
    return talk_ask(m->p, &m->wait, at, a, t);
}

static enum d7_err judge_answer(struct match *m, const struct answer *a, struct choice *c)
{
    unsigned legal = board_legal(&m->game.board);
    bool is_column = a->move == D7P_MOVE_COLUMN;
    if (is_column && (legal >> a->column & 1u)) {
        c->column = a->column;
        c->own = true;
        return D7_OK;
    }
    if (!is_column) {
        return add_fault(m, FAULT_ILLEGAL, a->seen);
    }
    char seen[40];
    (void)snprintf(seen, sizeof(seen), "bestmove %u: the column is full", a->column);
    return add_fault(m, FAULT_ILLEGAL, seen);
}

/* Asks until there is a column to play, or the game is forfeited. */
static enum d7_err ask_peer(struct match *m, const struct position *at, struct choice *c)
{
    for (;;) {
        struct answer a = {.move = D7P_MOVE_MALFORMED};
        struct talk t;
        enum d7_err err = attempt(m, at, &a, &t);
        if (err) {
            return err;
        }
        c->think_us = a.think_us;
        if (t.event == PEER_DONE) {
            return judge_answer(m, &a, c);
        }
        if (patience_is_spent(&m->wait)) {
            return forfeit_by_clock(m);
        }
        if (t.event == PEER_LATE && t.step == TALK_QUESTION) {
            char why[TALK_WHY_SIZE];
            talk_explain(m->p, &t, why);
            m->must_sync = true;
            return add_fault(m, FAULT_TIMEOUT, why);
        }
        err = crash(m, &t);
        if (err || m->forfeited) {
            return err;
        }
    }
}

static void ask_builtin(struct match *m, const struct position *at, struct choice *c)
{
    struct extended_state state = {
        .position = *at, .level = 1 + m->game.rises, .moves = m->game.moves};
    int64_t from = clock_mono_us();
    c->column = (uint8_t)m->p->kind->decide(m->p, &state);
    c->own = true;
    c->think_us = clock_mono_us() - from;
}

static enum d7_err play_move(struct match *m)
{
    struct position at = game_position(&m->game, m->r);
    struct choice c = {.column = (uint8_t)__builtin_ctz(board_legal(&at.board))};
    m->wait.moves = m->game.moves;
    enum d7_err err = patience_ask(&m->wait);
    if (err) {
        return err;
    }
    if (m->p->kind->decide) {
        ask_builtin(m, &at, &c);
    } else if (m->wait.seen_us >= m->wait.final_us) { /* patience_ask has just looked */
        return forfeit_by_clock(m);
    } else {
        err = ask_peer(m, &at, &c);
    }
    if (err || m->forfeited) {
        return err;
    }
    uint32_t n = m->game.moves;
    struct turn turn;
    m->columns[n] = c.column;
    m->own[n] = c.own;
    m->think_us[n] = c.think_us < UINT32_MAX ? (uint32_t)c.think_us : UINT32_MAX;
    game_play(&m->game, m->r, c.column, NULL, &turn);
    return D7_OK;
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* Linear interpolation between order statistics at (n-1)q, in ms. Nothing is measured finer than a
 * microsecond, so none is told: a whole number of them over 1000 has three decimals at most. */
static double quantile_ms(const uint32_t *sorted, size_t count, double q)
{
    double at = (double)(count - 1) * q;
    size_t low = (size_t)at;
    size_t high = low + 1 < count ? low + 1 : low;
    double part = at - (double)low;
    return round((double)sorted[low] + part * ((double)sorted[high] - (double)sorted[low])) / 1000;
}

enum d7_err move_times_of(const uint32_t *think_us, size_t count, struct move_times *ret)
{
    *ret = (struct move_times){.max = 0};
    if (count == 0) {
        return D7_OK;
    }
    uint32_t *sorted = calloc(count, sizeof(*sorted));
    if (!sorted) {
        return D7_ERR_NOMEM;
    }
    memcpy(sorted, think_us, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_u32);
    ret->p50 = quantile_ms(sorted, count, 0.5);
    ret->p95 = quantile_ms(sorted, count, 0.95);
    ret->p99 = quantile_ms(sorted, count, 0.99);
    ret->max = (double)sorted[count - 1] / 1000;
    free(sorted);
    return D7_OK;
}

/* Everything that follows from the columns, and the check of determinism. */
static enum d7_err conclude(struct match *m, struct played *out)
{
    out->moves = m->game.moves;
    out->outcome = m->forfeited ? OUTCOME_FORFEIT : m->game.over ? OUTCOME_OVER : OUTCOME_CENSORED;
    enum d7_err err = replay_run(m->r, m->columns, out->moves, NULL, &out->summary, NULL);
    if (!err) {
        err = move_times_of(m->think_us, out->moves, &out->times);
    }
    if (err || m->p->kind->decide || m->forfeited) {
        return err;
    }
    struct again again = {.round = m->r,
                          .columns = m->columns,
                          .own = m->own,
                          .moves = out->moves,
                          .checksum = out->summary.checksum,
                          .must_sync = m->must_sync};
    return again_run(m->p, &again, &m->wait, &out->nondeterministic);
}

static enum d7_err match_start(struct match *m)
{
    uint32_t moves = m->r->maximum_moves;
    m->columns = calloc(moves, sizeof(*m->columns));
    m->own = calloc(moves, sizeof(*m->own));
    m->think_us = calloc(moves, sizeof(*m->think_us));
    if (!m->columns || !m->own || !m->think_us) {
        return D7_ERR_NOMEM;
    }
    peer_stop(m->p, false); /* whatever ran before: a game begins with a fresh process */
    peer_set_limits(m->p, m->limits);
    m->who.public_information = true;
    if (m->p->info) {
        m->who.public_information = m->p->info->public_information;
        (void)snprintf(m->who.name, sizeof(m->who.name), "%s", m->p->info->name);
        (void)snprintf(m->who.family, sizeof(m->who.family), "%s", m->p->info->family);
    }
    game_start(&m->game, m->r);
    return D7_OK;
}

enum d7_err harness_play(struct peer *p, const struct round *r, const struct harness_limits *limits,
                         const struct harness_watch *watch, struct played *ret)
{
    int64_t from_us = clock_mono_us();
    struct match m = {.p = p, .r = r, .limits = limits};
    struct played out = {.columns = NULL};
    m.wait = (struct patience){.final_us = from_us + limits->game_ms * 1000, .watch = watch};
    enum d7_err err = match_start(&m);
    while (!err && !m.forfeited && !game_is_done(&m.game)) {
        err = play_move(&m);
    }
    out.elapsed_ms = (clock_mono_us() - from_us) / 1000;
    if (!err) {
        err = conclude(&m, &out);
    }
    peer_stop(p, !err);
    if (!err) {
        out.columns = m.columns;
        out.think_us = m.think_us;
        m.columns = NULL; /* now the caller's, like the list of faults */
        m.think_us = NULL;
        out.faults = m.faults.list;
        out.fault_count = m.faults.count;
        m.faults.list = NULL;
        out.illegal_moves = m.faults.illegal_moves;
        out.timeouts = m.faults.timeouts;
        out.crashes = m.faults.crashes;
        out.identity = m.who;
        memcpy(out.reason, m.reason, sizeof(out.reason));
        *ret = out;
    }
    free(m.columns);
    free(m.own);
    free(m.think_us);
    faults_release(&m.faults);
    return err;
}

void played_release(struct played *p)
{
    free(p->columns);
    free(p->think_us);
    free(p->faults);
    *p = (struct played){.columns = NULL};
}
