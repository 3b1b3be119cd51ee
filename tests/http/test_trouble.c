/* What goes wrong under a server: a disk that fills up (S7), a database file that is damaged. What
 * it answers, and that nothing committed is lost. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/base/rng.h"
#include "tests/support/command.h"
#include "tests/support/games.h"

static struct test_server server;
static const char *const one_worker[] = {"--workers", "1", "--rate-plays", "0", "--rate-writes",
                                         "0",         NULL};
static const char *const no_worker[] = {"--workers", "0", NULL};

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

/* --- a full disk ---------------------------------------------------------------------------- */

static char disk[300];

/* 24 MiB for the server's data, seen by this process and its children only. */
static void small_disk(void)
{
    (void)snprintf(disk, sizeof(disk), "%s/disk", support_scratch());
    if (mkdir(disk, 0700) < 0 || unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", disk, "tmpfs", 0, "size=24m,mode=0700") < 0) {
        support_skip("no right to mount a small tmpfs here");
    }
    assert_int_equal(setenv("TMPDIR", disk, 1), 0);
}

static void filler_path(char *to, size_t size)
{
    (void)snprintf(to, size, "%s/filler", server.data);
}

static void fill_disk(void)
{
    static const char zeros[4096];
    char path[PATH_MAX + 10];
    filler_path(path, sizeof(path));
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    while (write(fd, zeros, sizeof(zeros)) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    (void)close(fd);
}

static void free_disk(void)
{
    char path[PATH_MAX + 10];
    filler_path(path, sizeof(path));
    assert_int_equal(unlink(path), 0);
}

static void assert_full(const struct answer *a, const char *what)
{
    if (a->status != 507 || strcmp(answer_text(a, "code"), "insufficient-storage") != 0) {
        fail_msg("%s: %ld %s", what, a->status, a->body);
    }
}

static struct answer start_play(void)
{
    return http_send(&server, "POST", "/api/v1/plays", NULL, "{\"round\":\"gauntlet-01\"}");
}

enum { PLAYS_MAX = 4000 };
static char plays[PLAYS_MAX][64];

/* Plays started until the disk refuses one: the log has room left from before, so some go through.
 */
static size_t play_until_full(void)
{
    for (size_t count = 0; count < PLAYS_MAX; count++) {
        struct answer a = start_play();
        if (a.status != 201) {
            assert_full(&a, "POST /plays");
            answer_free(&a);
            return count;
        }
        assert_int_equal(span_copy(span_of(answer_text(&a, "id")), plays[count], sizeof(plays[0])),
                         D7_OK);
        answer_free(&a);
    }
    fail_msg("%d plays on a full disk", PLAYS_MAX);
    return 0;
}

/* Everything answered 201 is there. */
static void assert_plays(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[100];
        (void)snprintf(path, sizeof(path), "/api/v1/plays/%s", plays[i]);
        struct answer a = http_get(&server, path);
        if (a.status != 200) {
            fail_msg("play %zu of %zu: %ld %s", i, count, a.status, a.body);
        }
        answer_free(&a);
    }
}

static void assert_status(const char *path, long status)
{
    struct answer a = http_get(&server, path);
    if (a.status != status) {
        fail_msg("%s: %ld %s", path, a.status, a.body);
    }
    answer_free(&a);
}

static void wait_status(const char *path, long status)
{
    long seen = 0;
    for (int64_t until = clock_mono_ms() + TEST_WAIT_MS; seen != status; (void)usleep(20000)) {
        struct answer a = http_get(&server, path);
        seen = a.status;
        if (seen != status && clock_mono_ms() > until) {
            fail_msg("%s: %ld %s", path, a.status, a.body);
        }
        answer_free(&a);
    }
}

static void run_greedy(const char *token)
{
    struct answer a = http_send(&server, "POST", "/api/v1/runs", token, "{\"policy\":\"greedy\"}");
    if (a.status != 202) {
        fail_msg("POST /runs: %ld %s", a.status, a.body);
    }
    answer_free(&a);
}

static void upload_is_full(const char *token)
{
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s", support_program("tests/policies/good"));
    static const char *const fields[] = {"id",   "mine",        "name", "Mine", "family",
                                         "test", "description", "",     NULL};
    struct answer a = http_upload(&server, "/api/v1/policies", token, fields, program);
    assert_full(&a, "upload");
    answer_free(&a);
    char folder[PATH_MAX + 10];
    (void)snprintf(folder, sizeof(folder), "%s/tmp", server.data);
    assert_int_equal(rmdir(folder), 0); /* empty: nothing of the upload is left */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_full_disk_is_507_and_costs_nothing_that_was_answered(void **state)
{
    (void)state;
    char token[100];
    small_disk();
    server_start(&server, one_worker);
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "boss", true));
    (void)server_wait_ready(&server, TEST_WAIT_MS);
    run_greedy(token);
    games_finish(&server, "greedy");

    fill_disk();
    upload_is_full(token);
    size_t count = play_until_full();
    struct answer a = start_play(); /* and again: it is a state, not an accident */
    assert_full(&a, "POST /plays");
    answer_free(&a);
    wait_status("/readyz", 503);
    assert_status("/healthz", 200);
    assert_status("/api/v1/leaderboard", 200);
    assert_status("/api/v1/games?policy=greedy", 200);
    assert_status("/api/v1/policies/greedy/rounds/gauntlet-01/replay", 200);
    assert_plays(count);
    games_assert_bench(&server, "greedy", "greedy");

    free_disk(); /* space returns, and nothing has to be started anew */
    a = start_play();
    assert_int_equal(a.status, 201);
    answer_free(&a);
    wait_status("/readyz", 200);
    run_greedy(token);
    games_finish(&server, "greedy");
    assert_plays(count);
    assert_int_equal(server_stop(&server), 0);
    games_assert_verified(&server, 2 * ROUND_GAUNTLET_COUNT);
    server_run(&server, no_worker);
    assert_plays(count);
}

/* --- a damaged database file ---------------------------------------------------------------- */

static void database_path(char *to, size_t size)
{
    (void)snprintf(to, size, "%s/drop7.db", server.data);
}

static void read_database(struct buf *to)
{
    char path[PATH_MAX + 20];
    database_path(path, sizeof(path));
    buf_init(to, 64u << 20);
    assert_int_equal(file_read(path, to), D7_OK);
}

static void write_database(const char *bytes, size_t len)
{
    char path[PATH_MAX + 20];
    database_path(path, sizeof(path));
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, bytes, len), D7_OK);
    (void)close(fd);
}

/* A store with a finished run, and nobody at work on it. */
static void finished_store(struct buf *whole)
{
    server_start(&server, one_worker);
    char token[100];
    (void)snprintf(token, sizeof(token), "%s", server_token(&server, "boss", true));
    run_greedy(token);
    games_finish(&server, "greedy");
    assert_int_equal(server_stop(&server), 0);
    read_database(whole);
}

/* Serve's exit status and what it said, for a store it must refuse. */
static void assert_refused(const char *what, const char *word)
{
    char drop7d[PATH_MAX];
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    const char *argv[] = {drop7d, "serve", "--listen", "127.0.0.1:0", "--data", server.data, NULL};
    char *text = NULL;
    int code = command_text(argv, &text);
    size_t lines = 0;
    for (const char *p = text; *p; p++) {
        lines += *p == '\n';
    }
    if (code != 1 || lines != 1 || !strstr(text, "drop7.db") || !strstr(text, word)) {
        fail_msg("%s: exit %d: %s", what, code, text);
    }
    free(text);
}

static void what_is_no_database_is_refused_in_one_line(void **state)
{
    (void)state;
    struct buf whole;
    finished_store(&whole);
    char *spoilt = malloc(whole.len);
    assert_non_null(spoilt);
    memcpy(spoilt, whole.data, whole.len);
    memset(spoilt, 'x', 64); /* its header */
    write_database(spoilt, whole.len);
    assert_refused("a header overwritten", "not a database");
    write_database(whole.data, whole.len / 2 + 100); /* cut in the middle of a page */
    assert_refused("a file cut in half", "malformed");
    free(spoilt);
    write_database(whole.data, whole.len); /* neither run has touched it: the copy is good again */
    server_run(&server, no_worker);
    games_assert_bench(&server, "greedy", "greedy");
    buf_release(&whole);
}

/* Damage inside, where no header shows it: whatever cannot be read is a 500 or a refusal to start,
 * never a crash, a hang or a wrong answer. */
static void judge_damaged(const char *what)
{
    static const char *const paths[] = {"/api/v1/leaderboard",
                                        "/api/v1/policies?limit=500",
                                        "/api/v1/games?policy=greedy&limit=500",
                                        "/api/v1/runs",
                                        "/api/v1/rounds",
                                        "/api/v1/policies/greedy/rounds/gauntlet-01/replay",
                                        "/readyz",
                                        "/metrics"};
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        struct answer a = http_get(&server, paths[i]);
        bool sound = a.status == 200 || a.status == 404 || a.status == 500 || a.status == 503;
        if (!sound) {
            fail_msg("%s: %s: %ld %s", what, paths[i], a.status, a.body);
        }
        if (a.status == 500) {
            assert_string_equal(answer_text(&a, "code"), "internal");
            assert_null(strstr(a.body, "malformed")); /* for the log, not for visitors */
        }
        answer_free(&a);
    }
    assert_status("/healthz", 200);
    int code = server_stop(&server);
    if (code != 0) {
        fail_msg("%s: exit %d", what, code);
    }
}

static bool try_start(const char *what)
{
    char drop7d[PATH_MAX];
    (void)snprintf(drop7d, sizeof(drop7d), "%s", support_program("drop7d"));
    const char *argv[] = {drop7d, "migrate", "--data", server.data, NULL};
    char *text = NULL;
    int code = command_text(argv, &text);
    if (code != 0 && (code != 1 || !strstr(text, "malformed"))) {
        fail_msg("%s: migrate: exit %d: %s", what, code, text);
    }
    free(text);
    return code == 0;
}

static void damaged_pages_are_refused_or_answered_500(void **state)
{
    (void)state;
    struct buf whole;
    struct rng rng = {5};
    finished_store(&whole);
    size_t page = (size_t)(uint8_t)whole.data[16] << 8 | (uint8_t)whole.data[17];
    size_t pages = whole.len / page;
    char *spoilt = malloc(whole.len);
    assert_non_null(spoilt);
    unsigned started = 0, refused = 0;
    for (size_t at = 1; at < pages; at += 1 + pages / 12) {
        char what[64];
        (void)snprintf(what, sizeof(what), "page %zu of %zu spoilt", at + 1, pages);
        memcpy(spoilt, whole.data, whole.len);
        for (size_t i = 0; i < page; i++) {
            spoilt[at * page + i] = (char)rng_below(&rng, 256);
        }
        write_database(spoilt, whole.len);
        if (try_start(what)) {
            server_run(&server, no_worker);
            judge_damaged(what);
            started++;
        } else {
            assert_refused(what, "malformed");
            refused++;
        }
        char verify[PATH_MAX];
        (void)snprintf(verify, sizeof(verify), "%s", support_program("drop7d"));
        const char *argv[] = {verify, "verify", "--data", server.data, NULL};
        int code = command_text(argv, NULL);
        assert_in_range(code, 0, 1); /* 0: the page was none of a game's */
    }
    print_message("%u started, %u refused\n", started, refused);
    write_database(whole.data, whole.len);
    server_run(&server, no_worker);
    games_assert_bench(&server, "greedy", "greedy");
    free(spoilt);
    buf_release(&whole);
}

/* --- a database that goes away --------------------------------------------------------------- */

static long register_account(const char *name)
{
    char body[64];
    (void)snprintf(body, sizeof(body), "{\"name\":\"%s\"}", name);
    struct answer a = http_send(&server, "POST", "/api/v1/tokens", NULL, body);
    long status = a.status;
    answer_free(&a);
    return status;
}

static void what_cannot_last_is_answered_500_with_the_reason_in_the_log(void **state)
{
    (void)state;
    static const char *const options[] = {
        "--workers", "0", "--http-threads", "1", "--registration", "open", "--rate-tokens",
        "0",         NULL};
    server_start(&server, options);
    char path[PATH_MAX + 10];
    char away[PATH_MAX + 20];
    (void)snprintf(path, sizeof(path), "%s/drop7.db", server.data);
    (void)snprintf(away, sizeof(away), "%s/drop7.db.away", server.data);
    assert_int_equal(register_account("one"), 201); /* the thread has opened the store */
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(register_account("two"), 500);
    assert_true(server_wait_log(&server, "the database file was deleted or moved away", 5000));
    assert_int_equal(rename(away, path), 0);
    assert_int_equal(register_account("two"), 201);
    assert_int_equal(register_account("one"), 409);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

static int remove_scratch(void **state)
{
    (void)state;
    if (disk[0]) {
        (void)umount2(disk, MNT_DETACH); /* not mounted: fine */
    }
    support_scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_no_database_is_refused_in_one_line),
        CASE(damaged_pages_are_refused_or_answered_500),
        CASE(what_cannot_last_is_answered_500_with_the_reason_in_the_log),
        CASE(a_full_disk_is_507_and_costs_nothing_that_was_answered), /* last: changes $TMPDIR */
    };
    return cmocka_run_group_tests_name("http/trouble", tests, NULL, remove_scratch);
}
