/* store: long random sequences of what servers, workers and supervisors do, with invariants. */
#include "tests/support/support.h"

#include "engine/base/hash.h"
#include "engine/base/rng.h"
#include "store/handle.h"
#include "store/revision.h"
#include "tests/support/stores.h"

#define HELD_MAX 24
#define OWNERS   3
#define JOBS_MAX 4096
#define STEPS    1500
#define SEEDS    4
#define LATE_MAX 16

struct world {
    struct store *st;
    struct rng rng;
    int64_t owners[OWNERS];
    struct job held[HELD_MAX]; /* leases that are alive, as far as the model knows */
    size_t held_count;
    struct job late[LATE_MAX]; /* leases that are lost */
    size_t late_count;
    uint8_t games[JOBS_MAX]; /* games recorded for each job */
    size_t recorded;
    unsigned policies;
};

static uint32_t below(struct world *w, uint32_t n)
{
    return rng_below(&w->rng, n);
}

static void forget(struct world *w, size_t at)
{
    w->late[w->late_count++ % LATE_MAX] = w->held[at];
    w->held[at] = w->held[--w->held_count];
}

/* A lease dies in the store too when its run is stopped, cancelled or failed. */
static bool is_alive(struct world *w, const struct job *job)
{
    char sql[160];
    (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM job WHERE id = %lld AND lease = '%s'",
                   (long long)job->id, job->lease);
    return stores_number(w->st, sql) == 1;
}

static void prune(struct world *w)
{
    for (size_t i = w->held_count; i-- > 0;) {
        if (!is_alive(w, &w->held[i])) {
            forget(w, i);
        }
    }
}

static void submit(struct world *w)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    char existing[STORE_KEY_SIZE];
    if (below(w, 3) == 0 && w->policies > 0) {
        (void)snprintf(id, sizeof(id), "p-%u", below(w, w->policies));
        enum d7_err err = run_add(w->st, id, "gauntlet", NULL, 0, 5, run, existing);
        assert_true(err == D7_OK || err == D7_ERR_CONFLICT || err == D7_ERR_FORBIDDEN);
        return;
    }
    (void)snprintf(id, sizeof(id), "p-%u", w->policies++);
    enum d7_err err = below(w, 4) == 0
                          ? stores_builtin(w->st, id, "gauntlet", run)
                          : stores_upload(w->st, id, w->owners[below(w, OWNERS)], "gauntlet", run);
    assert_int_equal(err, D7_OK);
}

static void take(struct world *w)
{
    if (w->held_count == HELD_MAX) {
        return;
    }
    struct job job;
    enum d7_err err = stores_claim(w->st, &job);
    if (err == D7_ERR_NOT_FOUND) {
        return;
    }
    assert_int_equal(err, D7_OK);
    for (size_t i = 0; i < w->held_count; i++) {
        assert_true(w->held[i].id != job.id); /* nobody else holds it */
    }
    assert_true(job.id < JOBS_MAX && w->games[job.id] == 0);
    assert_true(job.attempts < JOB_ATTEMPTS_MAX);
    w->held[w->held_count++] = job;
}

static void finish(struct world *w, size_t at)
{
    struct job job = w->held[at];
    char id[STORE_KEY_SIZE];
    forget(w, at);
    if (job.kind == JOB_GAME) {
        enum outcome outcome = below(w, 2) ? OUTCOME_FORFEIT : (enum outcome)below(w, 2);
        assert_int_equal(stores_finish(w->st, &job, outcome, below(w, 50), id), D7_OK);
        w->games[job.id]++;
        w->recorded++;
        return;
    }
    const struct check_outcome outcome = {.passed = below(w, 4) != 0,
                                          .reason_code = "handshake",
                                          .reason_message = "no d7pok",
                                          .public_information = true};
    assert_int_equal(job_finish_check(w->st, &job, &outcome, 6), D7_OK);
}

static void expire(struct world *w, size_t at)
{
    struct lease_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(job_leases(w->st, &rows, &count), D7_OK);
    assert_int_equal(count, w->held_count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].job_id == w->held[at].id) {
            rows[i].beat -= below(w, 2); /* half the time it was seen before a beat */
            enum d7_err err = job_expire(w->st, &rows[i], 7);
            assert_true(err == D7_OK || err == D7_ERR_CONFLICT);
        }
    }
    free(rows);
}

static void come_late(struct world *w)
{
    if (w->late_count == 0) {
        return;
    }
    size_t kept = w->late_count < LATE_MAX ? w->late_count : LATE_MAX;
    const struct job *job = &w->late[below(w, (uint32_t)kept)];
    char id[STORE_KEY_SIZE];
    assert_int_equal(stores_finish(w->st, job, OUTCOME_OVER, 1, id), D7_ERR_CONFLICT);
    assert_int_equal(job_beat(w->st, job->id, job->lease, 1), D7_ERR_CONFLICT);
    assert_int_equal(job_release(w->st, job, "late", 1), D7_ERR_CONFLICT);
}

static void void_one(struct world *w)
{
    struct game_filter filter = {.sort = below(w, 2) ? GAME_SORT_BEST : GAME_SORT_OLDEST};
    struct store_page page = {.limit = 3};
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_list(w->st, &filter, &page, &rows, &count), D7_OK);
    if (count > 0) {
        assert_int_equal(game_void(w->st, rows[below(w, (uint32_t)count)].id, "", 8), D7_OK);
    }
    free(rows);
}

/* What authors and administrators do to what is there already. */
static void change_one(struct world *w)
{
    char id[32];
    char sha[SHA_HEX_SIZE];
    char run[STORE_KEY_SIZE];
    int64_t number = 0;
    enum d7_err err = D7_OK;
    if (w->policies == 0) {
        return;
    }
    (void)snprintf(id, sizeof(id), "p-%u", below(w, w->policies));
    sha_of(span_of(id), sha);
    struct policy_row p = {0};
    assert_int_equal(policy_get(w->st, id, &p), D7_OK);
    const struct revision_new_row revision = {
        .policy_id = id, .sha256 = sha, .size_bytes = 9, .format = "elf", .suite_id = "gauntlet"};
    const struct policy_patch patch = {.has_status = true,
                                       .status = below(w, 3) ? POLICY_READY : POLICY_SUSPENDED};
    switch (below(w, 16)) {
    case 0:
        assert_int_equal(policy_retire(w->st, id, 11), D7_OK);
        break;
    case 1:
    case 2:
    case 3:
        err = policy_patch(w->st, id, &patch);
        assert_true(err == D7_OK || err == D7_ERR_CONFLICT || err == D7_ERR_FORBIDDEN);
        break;
    case 4:
    case 5:
        err = run_cancel(w->st, p.latest_run_id, "by the test", 12);
        assert_true(err == D7_OK || err == D7_ERR_CONFLICT || err == D7_ERR_NOT_FOUND);
        break;
    default:
        err = revision_add(w->st, &revision, 13, &number, run);
        assert_true(err == D7_OK || err == D7_ERR_FORBIDDEN || err == D7_ERR_UNSUPPORTED);
        break;
    }
    prune(w);
}

static void let_all_go(struct world *w)
{
    const struct policy_patch resume = {.has_status = true, .status = POLICY_READY};
    char id[32];
    for (unsigned i = 0; i < w->policies; i++) {
        (void)snprintf(id, sizeof(id), "p-%u", i);
        enum d7_err err = policy_patch(w->st, id, &resume);
        assert_true(err == D7_OK || err == D7_ERR_CONFLICT || err == D7_ERR_FORBIDDEN);
    }
}

static void act_on_held(struct world *w, uint32_t what)
{
    if (w->held_count == 0) {
        return;
    }
    size_t at = below(w, (uint32_t)w->held_count);
    const struct job job = w->held[at];
    if (what < 6) {
        finish(w, at);
    } else if (what < 8) {
        assert_int_equal(job_beat(w->st, job.id, job.lease, below(w, 100)), D7_OK);
    } else if (what < 9) {
        expire(w, at);
    } else {
        const char *reason = below(w, 3) == 0 ? "our disk" : NULL;
        assert_int_equal(job_release(w->st, &job, reason, 9), D7_OK);
    }
}

static void step(struct world *w)
{
    uint32_t what = below(w, 24);
    if (what < 10) {
        act_on_held(w, what);
        prune(w);
    } else if (what < 20) {
        take(w);
    } else if (what < 21 && w->policies < 200) {
        submit(w);
    } else if (what < 23) {
        come_late(w);
    } else if (below(w, 8) == 0) {
        void_one(w);
    } else if (below(w, 2) == 0) {
        change_one(w);
    }
}

static void nothing_is_lost_or_doubled(uint32_t seed)
{
    static struct world w;
    char name[32];
    (void)snprintf(name, sizeof(name), "random-%u", seed);
    w = (struct world){.st = stores_open(name, STORE_MIGRATE), .rng = {seed}};
    assert_int_equal(sqlite3_exec(w.st->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
                     SQLITE_OK);
    static const char *const names[OWNERS] = {"ann", "bob", "eve"};
    for (size_t i = 0; i < OWNERS; i++) {
        w.owners[i] = stores_account(w.st, names[i]);
    }
    for (int i = 0; i < STEPS; i++) {
        step(&w);
        if (i % 50 == 0) {
            stores_assert_consistent(w.st);
            assert_int_equal(stores_number(w.st, "SELECT count(*) FROM game"), w.recorded);
        }
    }
    while (w.held_count > 0) {
        assert_int_equal(job_release(w.st, &w.held[0], NULL, 10), D7_OK);
        forget(&w, 0);
    }
    let_all_go(&w);
    w.recorded += stores_drain(w.st, OUTCOME_OVER);
    stores_assert_consistent(w.st);
    assert_int_equal(stores_number(w.st, "SELECT count(*) FROM game"), w.recorded);
    assert_int_equal(stores_number(w.st, "SELECT count(*) FROM run WHERE finished_at IS NULL"), 0);
    assert_true(w.recorded > 100);
    print_message("seed %u: %zu games of %u policies\n", seed, w.recorded, w.policies);
    store_close(w.st);
}

static void random_histories_lose_and_double_nothing(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        nothing_is_lost_or_doubled(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_histories_lose_and_double_nothing),
    };
    int failed = cmocka_run_group_tests_name("unit/store/random", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
