/*
 * Design note
 *
 * A run is announced under the lock and counted by `round`; each worker takes part in every round
 * once, so the caller may leave when none is busy. Inside a round tasks are handed out by an atomic
 * counter: their costs differ by far, and nobody waits for anybody. Searches are private, because
 * one shared table would be hit by every leaf of every thread.
 */
#include "engine/policy/fair_crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/policy/fair_engine.h"

struct worker {
    struct fair_crew *crew;
    struct fair_search *search; /* owned; its thread's alone while it runs */
    pthread_t thread;
};

struct fair_crew {
    const struct fair_engine *engine;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* round or stop has changed */
    pthread_cond_t done; /* busy has become 0 */
    uint64_t round;      /* guarded by lock */
    unsigned busy;       /* workers still in this round; guarded by lock */
    bool stop;           /* guarded by lock */
    /* written before a round, read during it */
    struct fair_task *tasks;
    unsigned count;
    unsigned depth;
    atomic_uint next; /* the first task nobody has taken */
    unsigned started; /* workers with a thread: 1 to started; worker 0 is the caller */
    unsigned workers;
    struct worker worker[];
};

static void take_tasks(struct fair_crew *c, struct fair_search *search)
{
    for (;;) {
        unsigned i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
        if (i >= c->count) {
            return;
        }
        struct fair_task *t = &c->tasks[i];
        t->value = c->engine->search_value(search, &t->outcome, t->next, c->depth);
        t->moves = c->engine->search_moves(search, &t->outcome, t->next, c->depth);
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct fair_crew *c = w->crew;
    uint64_t seen = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->round == seen && !c->stop) {
            (void)pthread_cond_wait(&c->wake, &c->lock);
        }
        if (c->stop) {
            break;
        }
        seen = c->round;
        (void)pthread_mutex_unlock(&c->lock);
        take_tasks(c, w->search);
        (void)pthread_mutex_lock(&c->lock);
        if (--c->busy == 0) {
            (void)pthread_cond_signal(&c->done);
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

void fair_crew_run(struct fair_crew *c, struct fair_task *tasks, unsigned count)
{
    (void)pthread_mutex_lock(&c->lock);
    c->tasks = tasks;
    c->count = count;
    atomic_store_explicit(&c->next, 0, memory_order_relaxed);
    c->busy = c->started;
    c->round++;
    if (c->started > 0) {
        (void)pthread_cond_broadcast(&c->wake);
    }
    (void)pthread_mutex_unlock(&c->lock);
    take_tasks(c, c->worker[0].search);
    (void)pthread_mutex_lock(&c->lock);
    while (c->busy > 0) {
        (void)pthread_cond_wait(&c->done, &c->lock);
    }
    (void)pthread_mutex_unlock(&c->lock);
}

/* Signals are the caller's: the threads block them all. */
static enum d7_err start_threads(struct fair_crew *c)
{
    sigset_t all;
    sigset_t before;
    int failed = 0;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (!failed && c->started + 1 < c->workers) {
        struct worker *w = &c->worker[c->started + 1];
        failed = pthread_create(&w->thread, NULL, work, w);
        c->started += failed ? 0 : 1;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? D7_ERR_UNAVAILABLE : D7_OK;
}

enum d7_err fair_crew_new(unsigned threads, unsigned depth, struct fair_crew **ret)
{
    D7_CHECK(threads >= 1);
    threads = threads > FAIR_CREW_MAX ? FAIR_CREW_MAX : threads;
    struct fair_crew *c = calloc(1, sizeof(*c) + threads * sizeof(c->worker[0]));
    if (!c) {
        return D7_ERR_NOMEM;
    }
    c->engine = fair_engine_at(0);
    c->depth = depth;
    c->workers = threads;
    (void)pthread_mutex_init(&c->lock, NULL); /* cannot fail with default attributes */
    (void)pthread_cond_init(&c->wake, NULL);
    (void)pthread_cond_init(&c->done, NULL);
    enum d7_err err = D7_OK;
    for (unsigned i = 0; i < threads && !err; i++) {
        c->worker[i].crew = c;
        err = c->engine->search_new(depth, &c->worker[i].search);
    }
    if (!err) {
        err = start_threads(c);
    }
    if (err) {
        fair_crew_free(c);
        return err;
    }
    *ret = c;
    return D7_OK;
}

void fair_crew_free(struct fair_crew *c)
{
    if (!c) {
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    c->stop = true;
    (void)pthread_cond_broadcast(&c->wake);
    (void)pthread_mutex_unlock(&c->lock);
    for (unsigned i = 1; i <= c->started; i++) {
        (void)pthread_join(c->worker[i].thread, NULL);
    }
    for (unsigned i = 0; i < c->workers; i++) {
        c->engine->search_free(c->worker[i].search);
    }
    (void)pthread_cond_destroy(&c->done);
    (void)pthread_cond_destroy(&c->wake);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}
