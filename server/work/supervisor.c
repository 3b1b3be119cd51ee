#include "server/work/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "server/log.h"
#include "server/work/leases.h"
#include "server/work/plays.h"
#include "store/job.h"

#define TICK_MAX_MS 1000
#define KILLED_MS   5000 /* nothing but the kernel takes a killed process so long */

struct slot {
    pid_t pid;           /* 0: not running */
    int64_t started_ms;  /* monotonic */
    int64_t start_at_ms; /* when pid is 0: not before */
    bool restarting;     /* we asked it to end (SIGHUP): no backoff */
    struct respawn respawn;
};

struct supervisor {
    struct supervisor_options o;
    struct slot *slots; /* owned */
    struct leases leases;
    struct plays_keeper plays;
    int64_t tick_ms;
    int64_t next_tick_ms;
    int64_t grace_end_ms;
    bool keeper_gone;
    bool store_failing; /* so that a broken store is logged once, not once a second */
};

int64_t respawn_delay(struct respawn *r, int64_t lived_ms)
{
    if (r->delay_ms == 0 || lived_ms >= RESPAWN_FORGIVEN_MS) {
        r->delay_ms = RESPAWN_FIRST_MS;
    } else {
        r->delay_ms *= 2;
        if (r->delay_ms > RESPAWN_LAST_MS) {
            r->delay_ms = RESPAWN_LAST_MS;
        }
    }
    return r->delay_ms;
}

void supervisor_signals(sigset_t *ret)
{
    (void)sigemptyset(ret); /* these fail for invalid signal numbers only */
    (void)sigaddset(ret, SIGCHLD);
    (void)sigaddset(ret, SIGTERM);
    (void)sigaddset(ret, SIGINT);
    (void)sigaddset(ret, SIGHUP);
}

enum d7_err supervisor_new(const struct supervisor_options *o, struct supervisor **ret)
{
    D7_CHECK(o->workers <= WORKER_COUNT_MAX);
    struct supervisor *s = calloc(1, sizeof(*s));
    if (!s) {
        return D7_ERR_NOMEM;
    }
    s->o = *o;
    leases_init(&s->leases, o->lease_dead_ms);
    /* often enough that a lease ends within about 1.2 times its dead time */
    s->tick_ms = o->lease_dead_ms / 5 < TICK_MAX_MS ? o->lease_dead_ms / 5 : TICK_MAX_MS;
    if (s->tick_ms < 10) {
        s->tick_ms = 10;
    }
    s->slots = calloc(o->workers + 1, sizeof(*s->slots));
    if (!s->slots) {
        supervisor_free(s);
        return D7_ERR_NOMEM;
    }
    *ret = s;
    return D7_OK;
}

static void start_due(struct supervisor *s, int64_t now_ms)
{
    for (unsigned i = 0; i < s->o.workers; i++) {
        struct slot *slot = &s->slots[i];
        if (slot->pid || now_ms < slot->start_at_ms) {
            continue;
        }
        int failed = keeper_spawn(s->o.keeper, i, &slot->pid);
        slot->started_ms = now_ms;
        slot->restarting = false;
        if (failed) {
            slot->pid = 0;
            int64_t delay_ms = respawn_delay(&slot->respawn, 0);
            slot->start_at_ms = now_ms + delay_ms;
            log_line(LOG_ERROR, "worker %u: cannot be started: %s; again in %lld ms", i,
                     strerrordesc_np(failed), (long long)delay_ms);
        }
    }
}

/* Forgets the workers that were this process, or (0) any that is none any more: left by a server
 * that was killed. One of another host that is met so is back with its next beat. */
static void forget(struct supervisor *s, pid_t pid)
{
    struct worker_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = worker_list(s->o.store, &rows, &count);
    for (size_t i = 0; i < count && !err; i++) {
        pid_t its = (pid_t)rows[i].pid;
        bool is_gone = pid ? its == pid : its <= 0 || (kill(its, 0) < 0 && errno == ESRCH);
        err = is_gone ? worker_remove(s->o.store, rows[i].id) : D7_OK;
    }
    free(rows);
    if (err) { /* no harm: its beat stands still, which the leases' watch sees in its time */
        log_line(LOG_WARN, "a worker that ended stays listed: %s (%s)", d7_err_text(err),
                 store_message(s->o.store));
    }
}

static void worker_ended(struct supervisor *s, unsigned index, int status, int64_t now_ms)
{
    struct slot *slot = &s->slots[index];
    pid_t pid = slot->pid;
    slot->pid = 0;
    forget(s, pid);
    if (s->grace_end_ms || slot->restarting) {
        slot->start_at_ms = now_ms;
        return;
    }
    int64_t delay_ms = respawn_delay(&slot->respawn, now_ms - slot->started_ms);
    slot->start_at_ms = now_ms + delay_ms;
    bool by_signal = WIFSIGNALED(status);
    log_line(LOG_WARN, "worker %u (process %d) ended by %s %d; started again in %lld ms", index,
             (int)pid, by_signal ? "signal" : "exit",
             by_signal ? WTERMSIG(status) : WEXITSTATUS(status), (long long)delay_ms);
}

static void reap(struct supervisor *s)
{
    pid_t pid = 0;
    int status = 0;
    enum keeper_news news = KEEPER_NOTHING;
    while ((news = keeper_next(s->o.keeper, &pid, &status)) == KEEPER_ENDED) {
        for (unsigned i = 0; i < s->o.workers; i++) {
            if (s->slots[i].pid == pid) {
                worker_ended(s, i, status, clock_mono_ms());
                break;
            }
        }
    }
    if (news == KEEPER_GONE) { /* and with it the workers: a parent-death signal follows it */
        s->keeper_gone = true;
        for (unsigned i = 0; i < s->o.workers; i++) {
            s->slots[i].pid = 0;
        }
    }
}

static void signal_workers(struct supervisor *s, int number)
{
    for (unsigned i = 0; i < s->o.workers; i++) {
        if (s->slots[i].pid) {
            keeper_signal(s->o.keeper, s->slots[i].pid, number);
        }
    }
}

static unsigned alive(const struct supervisor *s)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->o.workers; i++) {
        count += s->slots[i].pid != 0;
    }
    return count;
}

static void tick(struct supervisor *s, int64_t now_ms)
{
    struct leases_report report = {0};
    s->next_tick_ms = now_ms + s->tick_ms;
    struct plays_report plays = {0};
    enum d7_err err = leases_tick(&s->leases, s->o.store, now_ms, clock_utc_ms(), &report);
    if (!err) {
        err =
            plays_look(&s->plays, s->o.store, s->o.play_expiry_ms, now_ms, clock_utc_ms(), &plays);
    }
    if (err && !s->store_failing) {
        log_line(LOG_ERROR, "leases and plays cannot be watched: %s (%s)", d7_err_text(err),
                 store_message(s->o.store));
    }
    s->store_failing = err != D7_OK;
    if (plays.damaged) {
        log_line(LOG_ERROR, "%zu play%s ended without a game: the columns do not replay",
                 plays.damaged, plays.damaged == 1 ? "" : "s");
    }
    if (report.expired) {
        log_line(LOG_WARN, "%zu job%s taken back from a worker that stopped beating",
                 report.expired, report.expired == 1 ? "" : "s");
    }
}

/* Waits for one of our signals until the time; 0 when it came. */
static int wait_signal(int64_t until_ms)
{
    sigset_t set;
    supervisor_signals(&set);
    int64_t left_ms = until_ms - clock_mono_ms();
    left_ms = left_ms > 0 ? left_ms : 0;
    struct timespec left = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
    int number = sigtimedwait(&set, NULL, &left);
    return number > 0 ? number : 0; /* EAGAIN: time is up; EINTR: the caller loops anyway */
}

static int64_t next_event(const struct supervisor *s)
{
    int64_t at = s->next_tick_ms;
    for (unsigned i = 0; i < s->o.workers; i++) {
        if (!s->slots[i].pid && s->slots[i].start_at_ms < at) {
            at = s->slots[i].start_at_ms;
        }
    }
    return at;
}

enum d7_err supervisor_run(struct supervisor *s)
{
    forget(s, 0);
    while (!s->keeper_gone) {
        int64_t now_ms = clock_mono_ms();
        start_due(s, now_ms);
        if (now_ms >= s->next_tick_ms) {
            tick(s, now_ms);
        }
        int number = wait_signal(next_event(s));
        if (number == SIGCHLD) {
            reap(s);
        } else if (number == SIGHUP) {
            log_line(LOG_INFO, "SIGHUP: workers start again and probe their isolation anew");
            for (unsigned i = 0; i < s->o.workers; i++) {
                s->slots[i].restarting = s->slots[i].pid != 0;
            }
            signal_workers(s, SIGTERM);
        } else if (number == SIGTERM || number == SIGINT) {
            break;
        }
    }
    s->grace_end_ms = clock_mono_ms() + SUPERVISOR_GRACE_MS;
    if (s->keeper_gone) {
        return D7_ERR_IO;
    }
    signal_workers(s, SIGTERM);
    return D7_OK;
}

/* Until no worker is left, or the time. */
static void wait_ends(struct supervisor *s, int64_t until_ms)
{
    reap(s);
    while (alive(s) && clock_mono_ms() < until_ms) {
        (void)wait_signal(until_ms);
        reap(s);
    }
}

void supervisor_end(struct supervisor *s)
{
    if (s->grace_end_ms) {
        wait_ends(s, s->grace_end_ms);
    }
    if (!alive(s)) {
        return;
    }
    log_line(LOG_WARN, "%u workers did not stop in time and are killed", alive(s));
    signal_workers(s, SIGKILL);
    wait_ends(s, clock_mono_ms() + KILLED_MS);
}

void supervisor_free(struct supervisor *s)
{
    if (!s) {
        return;
    }
    if (s->slots) {
        supervisor_end(s);
    }
    leases_release(&s->leases);
    free(s->slots);
    free(s);
}
