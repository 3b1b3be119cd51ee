#include "server/work/worker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "server/log.h"
#include "server/work/session.h"

#define STOP_SECONDS   10 /* to finish or give back the job in hand */
#define ORPHAN_SECONDS 2  /* the same, when the server has died */

static volatile sig_atomic_t stop_requested;
static volatile sig_atomic_t supervised_by; /* process id; 0: by hand */

/* Only calls that are allowed in a handler. The alarm's default action ends the process wherever it
 * is then; a sandboxed policy goes with it, a lease runs out. */
static void on_stop(int number)
{
    (void)number;
    if (!stop_requested) {
        stop_requested = 1;
        bool orphan = supervised_by && getppid() != supervised_by;
        (void)alarm(orphan ? ORPHAN_SECONDS : STOP_SECONDS);
    }
}

static enum d7_err take_signals(void)
{
    struct sigaction stop = {.sa_handler = on_stop};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&stop.sa_mask);
    (void)sigemptyset(&ignore.sa_mask);
    if (sigaction(SIGTERM, &stop, NULL) || sigaction(SIGINT, &stop, NULL) ||
        sigaction(SIGPIPE, &ignore, NULL)) {
        return d7_err_from_errno(errno);
    }
    return D7_OK;
}

/* A supervised worker never outlives the server. The comparison closes the gap in which the parent
 * died before the request for a signal. */
static enum d7_err follow_parent(pid_t parent, struct d7_why *why)
{
    supervised_by = (sig_atomic_t)parent;
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        return d7_refuse(why, d7_err_from_errno(errno), NULL, "no parent-death signal: %s",
                         strerrordesc_np(errno));
    }
    if (getppid() != parent) {
        return d7_refuse(why, D7_ERR_CANCELLED, NULL,
                         "the server that started this worker is gone");
    }
    return D7_OK;
}

/* A question and its answer go to and fro some ten times faster on one core than between two, and a
 * policy then thinks while its worker does not, so no game takes another's time. Workers beyond
 * the number of cores share them. */
static void pin(unsigned number)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof(all), &all)) {
        return; /* more cores than fit: the kernel's choice is as good */
    }
    unsigned skip = number % (unsigned)CPU_COUNT(&all);
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            (void)sched_setaffinity(0, sizeof(one), &one); /* slower without, nothing else */
            return;
        }
    }
}

/* Waits, but not past a stop request: the signals are open during the wait only, so one that comes
 * between the look and the wait is not slept through. */
static void idle(int64_t wait_ms)
{
    sigset_t stops, before;
    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGTERM);
    (void)sigaddset(&stops, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &stops, &before);
    if (!stop_requested) {
        struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000};
        (void)ppoll(NULL, 0, &wait, &before); /* EINTR: the caller looks again */
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct worker {
    struct session session;
    struct worker_row row;
    struct isolation iso;
    struct job_skills skills;
    int64_t beat_at_ms;  /* monotonic: when idle */
    enum d7_err failing; /* the last claim's error: logged when it changes */
};

static void beat_when_idle(struct worker *w)
{
    int64_t now_ms = clock_mono_ms();
    if (now_ms - w->beat_at_ms >= w->session.config->lease_beat_ms) {
        w->beat_at_ms = now_ms;
        w->row.beat++;
        enum d7_err err = worker_beat(w->session.store, &w->row, clock_utc_ms());
        if (err) {
            log_line(LOG_WARN, "worker %s: no beat: %s", w->row.id, d7_err_text(err));
        }
    }
}

/* True when there was something to do, and it went well on our side. */
static bool work_once(struct worker *w)
{
    char lease[STORE_KEY_SIZE];
    struct job job;
    enum d7_err err = random_hex(lease, (sizeof(lease) - 1) / 2);
    if (!err) {
        err = job_claim(w->session.store, &w->skills, lease, clock_utc_ms(), &job);
    }
    if (err && err != D7_ERR_NOT_FOUND) {
        if (err != w->failing) {
            log_line(LOG_ERROR, "worker %s: cannot claim: %s (%s)", w->row.id, d7_err_text(err),
                     store_message(w->session.store));
        }
        w->failing = err;
        return false;
    }
    w->failing = D7_OK;
    if (err) {
        return false;
    }
    return session_run(&w->session, &job);
}

static void work(struct worker *w)
{
    int64_t wait_ms = 0;
    while (!stop_requested) {
        beat_when_idle(w);
        if (work_once(w)) {
            wait_ms = 0;
        } else {
            wait_ms = claim_idle_ms(wait_ms);
            idle(wait_ms);
        }
    }
}

/* Without a cgroup nothing but their number keeps policies from taking all memory together: workers
 * with a number beyond what fits leave uploads to the others. */
static void admit(struct worker *w, const struct worker_options *o)
{
    bool with_node = false;
    for (size_t i = 0; i < o->config->interpreter_count; i++) {
        with_node = with_node || strcmp(o->config->interpreters[i], "node") == 0;
    }
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    unsigned places = isolation_places(&w->iso, bytes, with_node);
    if (w->skills.uploads && o->number >= places) {
        w->skills.uploads = false;
        log_line(LOG_WARN,
                 "worker %s leaves uploads to others: no cgroup limits their memory, and %u at "
                 "once are what fits into this machine",
                 w->row.id, places);
    }
}

static enum d7_err introduce(struct worker *w, const struct worker_options *o)
{
    enum d7_err err = random_hex(w->row.id, 8);
    if (err) {
        return err;
    }
    const char *tier = isolation_tier_name(w->iso.tier);
    w->row.pid = getpid();
    (void)snprintf(w->row.tier, sizeof(w->row.tier), "%s", tier);
    (void)snprintf(w->row.tier_reason, sizeof(w->row.tier_reason), "%s", w->iso.reason);
    w->skills = claim_skills(tier);
    log_line(w->skills.uploads && w->iso.tier != ISOLATION_OFF ? LOG_INFO : LOG_WARN,
             "worker %s (process %d): isolation tier %s: %s", w->row.id, (int)getpid(), tier,
             w->iso.reason);
    admit(w, o);
    return worker_register(w->session.store, &w->row, clock_utc_ms());
}

enum d7_err worker_run(const struct worker_options *o, struct d7_why *why)
{
    struct worker w = {.failing = D7_OK};
    struct store *st = NULL;
    enum d7_err err = take_signals();
    if (!err && o->parent) {
        err = follow_parent(o->parent, why);
        pin(o->number);
    }
    if (!err) {
        err = store_open(o->config->data, STORE_OPEN, &st, why);
    }
    if (!err) {
        err = isolation_probe(o->config->program_dir, o->config->sandbox_off, &w.iso);
    }
    if (!err) {
        w.session = (struct session){.config = o->config,
                                     .iso = &w.iso,
                                     .store = st,
                                     .self = &w.row,
                                     .stop = &stop_requested};
        err = introduce(&w, o);
    }
    if (!err) {
        work(&w);
        /* one that cannot say goodbye is removed when its beat has stood still */
        (void)!worker_remove(st, w.row.id);
    }
    store_close(st);
    return err;
}
