/*
 * Handing out jobs.
 *
 * Design note: checks before games, then fair share over owners. Each owner's row keeps the turn at
 * which a job of theirs was last handed out; the smallest turn is served next. A turn counter, not
 * a time: clocks jump. Owners are found by jumping through the index and sorted here; one statement
 * doing both made temporary tables each time. What is not claimable yet is kept in another state
 * (waiting), so the pick only walks what could be played.
 */
#include "store/job.h"
#include "store/queue.h"
#include "store/rows.h"
#include "store/tx.h"

static const char *const job_kinds[] = {"check", "game"};

struct waiting {
    int64_t owner; /* 0: built-ins */
    int64_t served;
};

static int compare_waiting(const void *a, const void *b)
{
    const struct waiting *x = a;
    const struct waiting *y = b;
    if ((x->owner == 0) != (y->owner == 0)) {
        return x->owner == 0 ? 1 : -1;
    }
    if (x->served != y->served) {
        return x->served < y->served ? -1 : 1;
    }
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* The owners with claimable jobs of a kind. Each costs a jump through the index, however many jobs
 * it has waiting. */
static enum d7_err read_waiting(struct store *st, enum job_kind kind, struct rows *owners)
{
    enum d7_err err = D7_OK;
    int64_t last = -1;
    while (!err) {
        struct query q;
        query_begin(&q, st, SQL_JOB_NEXT_OWNER);
        query_text(&q, ":kind", job_kinds[kind]);
        query_int(&q, ":owner", last);
        bool more = query_row(&q);
        struct waiting *w = more ? rows_add(owners, &q.err) : NULL;
        if (w) {
            *w = (struct waiting){row_int(&q, 0), row_int(&q, 1)};
            last = w->owner;
        }
        err = query_end(&q);
        if (!more) {
            break;
        }
    }
    return err;
}

/* The oldest job of an owner that this worker can do. */
static enum d7_err pick_of_owner(struct store *st, const struct job_skills *skills,
                                 enum job_kind kind, int64_t owner, int64_t *ret_id)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_OF_OWNER);
    query_text(&q, ":kind", job_kinds[kind]);
    query_int(&q, ":owner", owner);
    query_int(&q, ":uploads", skills->uploads);
    query_int(&q, ":endpoints", skills->endpoints);
    query_int(&q, ":builtins", skills->builtins);
    int64_t id = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret_id = id;
    }
    return err;
}

static enum d7_err pick_kind(struct store *st, const struct job_skills *skills, enum job_kind kind,
                             int64_t *ret_id)
{
    struct rows owners;
    rows_init(&owners, sizeof(struct waiting));
    enum d7_err err = read_waiting(st, kind, &owners);
    if (!err) {
        const struct waiting *w = owners.items;
        err = D7_ERR_NOT_FOUND;
        if (owners.count > 1) {
            qsort(owners.items, owners.count, owners.item_size, compare_waiting);
        }
        for (size_t i = 0; i < owners.count && err == D7_ERR_NOT_FOUND; i++) {
            err = pick_of_owner(st, skills, kind, w[i].owner, ret_id);
        }
    }
    rows_release(&owners);
    return err;
}

static enum d7_err pick(struct store *st, const struct job_skills *skills, int64_t *ret_id)
{
    enum d7_err err = pick_kind(st, skills, JOB_CHECK, ret_id);
    return err == D7_ERR_NOT_FOUND ? pick_kind(st, skills, JOB_GAME, ret_id) : err;
}

/* What JOB_INFO says beyond struct job. */
struct job_place {
    int64_t run;
    int64_t owner;
};

static enum d7_err read_job(struct store *st, int64_t id, struct job *ret, struct job_place *ret_at)
{
    struct job job = {.id = id};
    struct query q;
    query_begin(&q, st, SQL_JOB_INFO);
    query_int(&q, ":id", id);
    if (query_one(&q)) {
        job.kind = (enum job_kind)row_enum(&q, 0, job_kinds, D7_COUNT(job_kinds));
        row_text(&q, 1, job.lease, sizeof(job.lease));
        row_text(&q, 2, job.policy_id, sizeof(job.policy_id));
        job.policy_kind = row_policy_kind(&q, 3);
        job.revision = row_int(&q, 4);
        row_text(&q, 5, job.sha256, sizeof(job.sha256));
        row_text(&q, 6, job.format, sizeof(job.format));
        row_text(&q, 7, job.endpoint, sizeof(job.endpoint));
        row_text(&q, 8, job.run_id, sizeof(job.run_id));
        row_text(&q, 9, job.round_id, sizeof(job.round_id));
        job.attempts = row_u32(&q, 10);
        *ret_at = (struct job_place){row_int(&q, 11), row_int(&q, 12)};
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = job;
    }
    return err;
}

static enum d7_err take_lease(struct store *st, int64_t id, const char *lease)
{
    struct query q;
    query_begin(&q, st, SQL_JOB_CLAIM);
    query_int(&q, ":id", id);
    query_text(&q, ":lease", lease);
    return query_run_hit(&q);
}

static enum d7_err note_served(struct store *st, int64_t owner)
{
    if (owner == 0) {
        return D7_OK;
    }
    struct query q;
    query_begin(&q, st, SQL_CHANGE_TURN);
    int64_t turn = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (err) {
        return err;
    }
    query_begin(&q, st, SQL_ACCOUNT_SERVED);
    query_int(&q, ":turn", turn);
    query_int(&q, ":id", owner);
    return query_run(&q);
}

static enum d7_err start_run(struct store *st, int64_t run, int64_t now)
{
    if (run == 0) {
        return D7_OK;
    }
    struct query q;
    query_begin(&q, st, SQL_RUN_START);
    query_int(&q, ":run", run);
    query_int(&q, ":now", now);
    enum d7_err err = query_run(&q);
    return err ? err : tx_changed(st, CHANGE_PROGRESS);
}

static enum d7_err claim(struct store *st, const struct job_skills *skills, const char *lease,
                         int64_t now, struct job *ret)
{
    int64_t id = 0;
    struct job_place at = {0};
    enum d7_err err = pick(st, skills, &id);
    if (!err) {
        err = take_lease(st, id, lease);
    }
    if (!err) {
        err = read_job(st, id, ret, &at);
    }
    if (!err) {
        err = note_served(st, at.owner);
    }
    return err ? err : start_run(st, at.run, now);
}

enum d7_err job_claim(struct store *st, const struct job_skills *skills, const char *lease,
                      int64_t now, struct job *ret)
{
    /* Idle workers ask all the time: they look first, without the write lock. */
    int64_t id = 0;
    enum d7_err err = tx_begin_read(st);
    if (!err) {
        err = tx_end(st, pick(st, skills, &id));
    }
    if (!err) {
        err = tx_begin(st);
    }
    if (err) {
        return err;
    }
    struct job job = {0};
    err = tx_end(st, claim(st, skills, lease, now, &job));
    if (!err) {
        *ret = job;
    }
    return err;
}
