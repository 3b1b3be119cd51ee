#include "server/work/leases.h"

void leases_init(struct leases *l, int64_t dead_ms)
{
    *l = (struct leases){.dead_ms = dead_ms, .last_look_ms = -1};
}

void leases_release(struct leases *l)
{
    free(l->jobs.rows);
    free(l->workers.rows);
    *l = (struct leases){.last_look_ms = -1};
}

void leases_look(struct leases *l, int64_t now_mono_ms)
{
    if (l->last_look_ms >= 0) {
        int64_t passed = now_mono_ms - l->last_look_ms;
        l->watched_ms += passed < LEASES_LOOK_MAX_MS ? passed : LEASES_LOOK_MAX_MS;
    }
    l->last_look_ms = now_mono_ms;
}

static struct pulse *find(struct pulses *p, const char *key)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->rows[i].key, key) == 0) {
            return &p->rows[i];
        }
    }
    return NULL;
}

static enum d7_err add(struct pulses *p, const char *key, struct pulse **ret)
{
    if (p->count == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 16;
        struct pulse *rows = reallocarray(p->rows, cap, sizeof(*rows));
        if (!rows) {
            return D7_ERR_NOMEM;
        }
        p->rows = rows;
        p->cap = cap;
    }
    struct pulse *one = &p->rows[p->count];
    *one = (struct pulse){.beat = -1};
    enum d7_err err = span_copy(span_of(key), one->key, sizeof(one->key));
    if (err) {
        return err;
    }
    p->count++;
    *ret = one;
    return D7_OK;
}

enum d7_err pulses_see(struct pulses *p, const struct leases *l, const char *key, int64_t beat,
                       bool *ret_dead)
{
    struct pulse *one = find(p, key);
    bool is_new = !one;
    if (is_new) {
        enum d7_err err = add(p, key, &one);
        if (err) {
            return err;
        }
    }
    one->present = true;
    if (is_new || one->beat != beat) {
        one->beat = beat;
        one->since_ms = l->watched_ms;
    }
    *ret_dead = l->watched_ms - one->since_ms >= l->dead_ms;
    return D7_OK;
}

void pulses_forget_absent(struct pulses *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows[i].present) {
            p->rows[kept] = p->rows[i];
            p->rows[kept++].present = false;
        }
    }
    p->count = kept;
}

static enum d7_err tick_jobs(struct leases *l, struct store *st, int64_t now_utc_ms,
                             struct leases_report *report)
{
    struct lease_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = job_leases(st, &rows, &count);
    for (size_t i = 0; i < count && !err; i++) {
        bool dead = false;
        err = pulses_see(&l->jobs, l, rows[i].lease, rows[i].beat, &dead);
        if (!err && dead) {
            err = job_expire(st, &rows[i], now_utc_ms);
            report->expired += err == D7_OK;
            if (err == D7_ERR_CONFLICT) {
                err = D7_OK; /* it beat or finished since the listing: that is what the check is for
                              */
            }
        }
    }
    free(rows);
    if (!err) {
        pulses_forget_absent(&l->jobs);
    }
    return err;
}

static enum d7_err tick_workers(struct leases *l, struct store *st, struct leases_report *report)
{
    struct worker_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = worker_list(st, &rows, &count);
    for (size_t i = 0; i < count && !err; i++) {
        bool dead = false;
        err = pulses_see(&l->workers, l, rows[i].id, rows[i].beat, &dead);
        if (!err && dead) {
            /* one that was only slow comes back by itself with its next beat */
            err = worker_remove(st, rows[i].id);
            report->gone += err == D7_OK;
            if (err == D7_ERR_NOT_FOUND) {
                err = D7_OK;
            }
        }
    }
    free(rows);
    if (!err) {
        pulses_forget_absent(&l->workers);
    }
    return err;
}

enum d7_err leases_tick(struct leases *l, struct store *st, int64_t now_mono_ms, int64_t now_utc_ms,
                        struct leases_report *ret)
{
    struct leases_report report = {0};
    leases_look(l, now_mono_ms);
    enum d7_err err = tick_jobs(l, st, now_utc_ms, &report);
    enum d7_err workers_err = tick_workers(l, st, &report);
    if (!err) {
        err = workers_err;
    }
    *ret = report;
    return err;
}
