/* store: several processes at once, kill -9, a full disk, a bounded log. */
#include "tests/support/support.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "store/handle.h"
#include "tests/support/stores.h"

static void make_runs(struct store *st, int count)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    int64_t owners[2] = {stores_account(st, "ann"), stores_account(st, "bob")};
    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof(id), "p-%d", i);
        assert_int_equal(stores_upload(st, id, owners[i % 2], "gauntlet", run), D7_OK);
    }
}

/* A child's work: play until nothing is left; a byte to `tell` for each finished game. Any error is
 * its exit status: it uses no assertion. */
static int play_all(const char *name, int tell)
{
    struct store *st = NULL;
    enum d7_err err = store_open(stores_path(name), STORE_OPEN, &st, NULL);
    while (!err) {
        struct job job;
        char lease[STORE_KEY_SIZE];
        char game[STORE_KEY_SIZE];
        err = random_hex(lease, 16);
        if (!err) {
            err = job_claim(st, &stores_all_skills, lease, 10, &job);
        }
        if (!err && job.kind == JOB_CHECK) {
            err = stores_pass(st, &job);
            continue;
        }
        if (!err) {
            err = job_beat(st, job.id, job.lease, 1);
        }
        if (!err) {
            err = stores_finish(st, &job, OUTCOME_OVER, 10, game);
        }
        if (!err) {
            err = fd_write_all(tell, "x", 1);
        }
    }
    store_close(st);
    return (int)err;
}

struct child {
    pid_t pid;
    int games; /* a byte a game */
};

static struct child start(const char *name)
{
    (void)stores_path(name); /* the scratch folder is the parent's */
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(play_all(name, ends[1]));
    }
    (void)close(ends[1]);
    return (struct child){pid, ends[0]};
}

static void processes_that_write_at_once_all_get_through(void **state)
{
    (void)state;
    struct store *st = stores_open("writers", STORE_MIGRATE);
    make_runs(st, 12);
    store_close(st); /* not across the fork */
    struct child children[3];
    for (size_t i = 0; i < D7_COUNT(children); i++) {
        children[i] = start("writers");
    }
    for (size_t i = 0; i < D7_COUNT(children); i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i].pid, &status, 0), children[i].pid);
        assert_true(WIFEXITED(status));
        /* Nothing more to do for it now; never busy. */
        assert_int_equal(WEXITSTATUS(status), D7_ERR_NOT_FOUND);
        (void)close(children[i].games);
    }
    st = stores_open("writers", STORE_OPEN);
    (void)stores_drain(st, OUTCOME_OVER); /* what waited for the last finisher */
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 12 * 8);
    stores_assert_consistent(st);
    store_close(st);
}

/* Waits for a number of finished games; false when the child ended before. */
static bool wait_games(const struct child *c, unsigned count)
{
    char byte;
    while (count > 0 && read(c->games, &byte, 1) == 1) {
        count--;
    }
    return count == 0;
}

/* Gives back what the dead held, as the supervisor would. */
static void expire_all(struct store *st)
{
    struct lease_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(job_leases(st, &rows, &count), D7_OK);
    assert_true(count <= 1); /* one worker was killed */
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(job_expire(st, &rows[i], 11), D7_OK);
    }
    free(rows);
}

static void a_killed_worker_loses_no_game_and_doubles_none(void **state)
{
    (void)state;
    struct store *st = stores_open("killed", STORE_MIGRATE);
    make_runs(st, 12);
    store_close(st);
    for (unsigned round = 0; round < 8; round++) {
        struct child c = start("killed");
        bool alive = wait_games(&c, 1 + round % 4);
        assert_true(alive);
        /* Some microseconds into whatever it does next: mostly inside job_finish_game. */
        int64_t until = clock_mono_us() + 137 * (int64_t)round;
        while (clock_mono_us() < until) {
        }
        assert_int_equal(kill(c.pid, SIGKILL), 0);
        assert_int_equal(waitpid(c.pid, NULL, 0), c.pid);
        (void)close(c.games);
        st = stores_open("killed", STORE_OPEN);
        stores_assert_consistent(st);
        expire_all(st);
        store_close(st);
    }
    st = stores_open("killed", STORE_OPEN);
    (void)stores_drain(st, OUTCOME_OVER);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 12 * 8);
    assert_int_equal(stores_number(st, "SELECT count(*) FROM run WHERE status = 'done'"), 12);
    stores_assert_consistent(st);
    store_close(st);
}

/* --- a full disk ---------------------------------------------------------------------------- */

static void set_page_limit(struct store *st, int64_t pages)
{
    char sql[64];
    (void)snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld", (long long)pages);
    (void)stores_number(st, sql);
}

static void a_full_database_refuses_and_recovers(void **state)
{
    (void)state;
    struct store *st = stores_open("full", STORE_MIGRATE);
    make_runs(st, 1);
    struct job job;
    assert_int_equal(stores_claim(st, &job), D7_OK);
    assert_int_equal(stores_pass(st, &job), D7_OK);
    assert_int_equal(stores_claim(st, &job), D7_OK);
    set_page_limit(st, stores_number(st, "PRAGMA page_count"));
    static uint8_t columns[10000];
    static uint32_t think[10000];
    struct game_result big = {.columns = columns,
                              .think_us = think,
                              .moves = D7_COUNT(columns),
                              .summary = {.moves = D7_COUNT(columns)},
                              .reason = ""};
    char id[STORE_KEY_SIZE] = "untouched";
    assert_int_equal(job_finish_game(st, &job, &big, 5, id), D7_ERR_FULL);
    assert_string_equal(id, "untouched");
    assert_non_null(strstr(store_message(st), "full"));
    assert_int_equal(stores_number(st, "SELECT count(*) FROM game"), 0);
    stores_assert_consistent(st);
    set_page_limit(st, 1000000); /* space returns: the same lease, the same result */
    assert_int_equal(job_finish_game(st, &job, &big, 5, id), D7_OK);
    assert_int_equal(stores_drain(st, OUTCOME_OVER), 7);
    stores_assert_consistent(st);
    store_close(st);
}

/* Fills the file system with a file; its path is static. */
static const char *fill(const char *folder)
{
    static char path[1100];
    static const char zeros[4096];
    (void)snprintf(path, sizeof(path), "%s/filler", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return NULL;
    }
    while (write(fd, zeros, sizeof(zeros)) == (ssize_t)sizeof(zeros)) {
    }
    (void)close(fd);
    return path;
}

#define FULL_DISK_NO_MOUNT 99

/* In a mount namespace of its own, on 8 MiB: the number of the step that went wrong, or 0. */
static int fill_a_real_disk(const char *folder)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", folder, "tmpfs", 0, "size=8m,mode=0700") < 0) {
        return FULL_DISK_NO_MOUNT;
    }
    struct store *st = NULL;
    char run[STORE_KEY_SIZE];
    char game[STORE_KEY_SIZE];
    struct job job;
    if (store_open(folder, STORE_SERVE, &st, NULL) ||
        stores_builtin(st, "greedy", "gauntlet", run) || stores_claim(st, &job)) {
        return 1;
    }
    const char *filler = fill(folder);
    if (!filler || store_check(st) != D7_ERR_FULL) {
        return 2;
    }
    /* The log has room left from before: games go through until it must grow, then FULL. */
    int64_t games = 0;
    enum d7_err err = D7_OK;
    for (int i = 0; i < 5000 && !err; i++) {
        err = stores_finish(st, &job, OUTCOME_OVER, 10, game);
        games += err == D7_OK;
        if (!err) {
            enum d7_err claimed = stores_claim(st, &job);
            char existing[STORE_KEY_SIZE];
            if (claimed == D7_ERR_NOT_FOUND) {
                err = run_add(st, "greedy", "gauntlet", NULL, 0, 9, run, existing);
                claimed = err ? err : stores_claim(st, &job);
            }
            err = err ? err : claimed;
        }
    }
    if (err != D7_ERR_FULL) {
        (void)fprintf(stderr, "%d after %lld games: %s\n", err, (long long)games,
                      store_message(st));
        return 3;
    }
    if (stores_number(st, "SELECT count(*) FROM game") != games) {
        return 4;
    }
    if (unlink(filler) < 0 || store_check(st) != D7_OK) {
        return 5;
    }
    /* Whatever step was refused, the queue goes on. */
    struct lease_row *rows = NULL;
    size_t count = 0;
    if (job_leases(st, &rows, &count) || (count == 1 && job_expire(st, &rows[0], 12))) {
        return 6;
    }
    free(rows);
    (void)stores_drain(st, OUTCOME_OVER);
    int64_t done = stores_number(st, "SELECT count(*) FROM run WHERE status = 'done'");
    int64_t runs = stores_number(st, "SELECT count(*) FROM run");
    stores_assert_consistent(st);
    store_close(st);
    return done == runs ? 0 : 7;
}

static void a_full_disk_refuses_loses_nothing_and_recovers(void **state)
{
    (void)state;
    const char *folder = stores_path("disk");
    assert_int_equal(mkdir(folder, 0700), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(fill_a_real_disk(folder));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == FULL_DISK_NO_MOUNT) {
        support_skip("no right to mount a small tmpfs here");
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- the log -------------------------------------------------------------------------------- */

static int64_t size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

#define READERS 3
/* What store.c may let the log come to, and what it may add where its wait of 100 ms for readers
 * was in vain. A busy machine can hold up a read for longer than the 3 ms it wants; a wait has two
 * parts, so that reads half as long may spoil one. */
#define LOG_BYTES      (24 << 20)
#define LOG_MORE_BYTES (5 << 20)
#define LATE_MS        50

struct reader {
    pthread_t thread;
    const char *path;
    int stop;
    bool failed;
    int64_t spoilt; /* waits its reads may have spoilt */
};

/* Reads all the time, each read some milliseconds long. */
static void *keep_reading(void *ctx)
{
    struct reader *r = ctx;
    struct store *st = NULL;
    if (store_open(r->path, STORE_OPEN, &st, NULL)) {
        r->failed = true;
        return NULL;
    }
    int rc = SQLITE_OK;
    struct pollfd wait = {.fd = r->stop, .events = POLLIN};
    while (rc == SQLITE_OK && poll(&wait, 1, 0) == 0) {
        int64_t from = clock_mono_ms();
        rc = sqlite3_exec(st->db, "BEGIN; SELECT count(*) FROM round", NULL, NULL, NULL);
        if (rc == SQLITE_OK && poll(&wait, 1, 3) >= 0) {
            rc = sqlite3_exec(st->db, "COMMIT", NULL, NULL, NULL);
        }
        r->spoilt += (clock_mono_ms() - from) / LATE_MS;
    }
    store_close(st);
    r->failed = rc != SQLITE_OK;
    return NULL;
}

/* How often the log has started over: a number in its header counts that. SQLite's locks are on the
 * other two files, so this one may be opened beside it. */
static uint32_t log_starts(void)
{
    uint8_t head[16] = {0};
    D7_AUTO_CLOSE int fd = open(stores_path("log/drop7.db-wal"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
    return (uint32_t)head[12] << 24 | (uint32_t)head[13] << 16 | (uint32_t)head[14] << 8 | head[15];
}

static void the_log_stays_bounded_while_there_is_always_a_reader(void **state)
{
    (void)state;
    struct store *st = stores_open("log", STORE_MIGRATE);
    int stop[2];
    assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
    struct reader readers[READERS];
    char path[1024]; /* stores_path is not for several threads */
    (void)snprintf(path, sizeof(path), "%s", stores_path("log"));
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.path = path, .stop = stop[0]};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, keep_reading, &readers[i]), 0);
    }
    assert_int_equal(sqlite3_exec(st->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    int64_t most = 0;
    uint32_t starts = log_starts();
    for (int i = 0; i < 4000; i++) {
        /* Some ten pages a write: over 100 MiB of log if it never starts over. */
        assert_int_equal(stores_change(st, "UPDATE round SET discs = randomblob(2000)"), 8);
        int64_t size = size_of(stores_path("log/drop7.db-wal"));
        most = size > most ? size : most;
    }
    starts = log_starts() - starts;
    (void)close(stop[1]);
    int64_t spoilt = 0;
    for (size_t i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_false(readers[i].failed);
        spoilt += readers[i].spoilt;
    }
    (void)close(stop[0]);
    print_message("largest log: %lld KiB, started over %u times; waits spoilt: up to %lld\n",
                  (long long)most / 1024, starts, (long long)spoilt);
    assert_true(starts > 0);
    assert_true(most < LOG_BYTES + spoilt * LOG_MORE_BYTES);
    store_close(st);
}

static void a_stuck_reader_does_not_hold_up_the_writers(void **state)
{
    (void)state;
    struct store *st = stores_open("stuck", STORE_MIGRATE);
    struct store *reader = stores_open("stuck", STORE_OPEN);
    assert_int_equal(sqlite3_exec(st->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(reader->db, "BEGIN; SELECT count(*) FROM round", NULL, NULL, NULL), SQLITE_OK);
    int64_t from = clock_mono_ms();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(stores_change(st, "UPDATE round SET discs = randomblob(2000)"), 8);
    }
    int64_t took = clock_mono_ms() - from;
    print_message("1000 writes: %lld ms\n", (long long)took);
    assert_true(took < 10000); /* with a wait after each it would be over 50 s */
    assert_int_equal(sqlite3_exec(reader->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    /* S5: once the reader is through the log is cut, under the mapping the reader still has */
    const char *log = stores_path("stuck/drop7.db-wal");
    int64_t grown = size_of(log);
    assert_true(grown > 16 << 20);
    for (int i = 0; i < 2000 && size_of(log) > 8 << 20; i++) {
        assert_int_equal(stores_change(st, "UPDATE round SET discs = randomblob(2000)"), 8);
    }
    assert_true(size_of(log) <= 8 << 20);
    assert_int_equal(stores_number(reader, "SELECT count(*) FROM round"), 8);
    stores_assert_consistent(reader);
    store_close(reader);
    store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_that_write_at_once_all_get_through),
        cmocka_unit_test(a_killed_worker_loses_no_game_and_doubles_none),
        cmocka_unit_test(a_full_database_refuses_and_recovers),
        cmocka_unit_test(a_full_disk_refuses_loses_nothing_and_recovers),
        cmocka_unit_test(the_log_stays_bounded_while_there_is_always_a_reader),
        cmocka_unit_test(a_stuck_reader_does_not_hold_up_the_writers),
    };
    int failed = cmocka_run_group_tests_name("unit/store/crash", tests, NULL, NULL);
    support_scratch_remove();
    return failed;
}
