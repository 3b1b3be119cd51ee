/*
 * What hundreds of games with crashing players leave behind in a real server and its workers:
 * nothing. D7_LEAK_GAMES says how many (default 96; `make test-hostile` plays 1,000).
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/confined.h"
#include "tests/support/games.h"
#include "tests/support/player.h"

#define WORKERS   2
#define PROCESSES (WORKERS + 2) /* with serve and its keeper */
#define BATCH     48            /* games of one run */
#define MOVES     6 /* crash_at_move dies at its third question: twice in a game, never thrice */
#define CRASHES   2
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GROWTH_KIB 1048576 /* a sanitizer keeps what is freed */
#else
#define GROWTH_KIB 2048 /* of one process: SQLite's page cache is still filling */
#endif

static struct test_server server;
static char admin[80];

static int teardown(void **state)
{
    (void)state;
    server_remove(&server);
    return 0;
}

/* --- what there is -----------------------------------------------------------------------------
 */

struct holdings {
    size_t descriptors, processes, files, zombies;
    int64_t memory_kib;
};

static size_t entries(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        count += e->d_name[0] != '.';
    }
    if (dir) {
        (void)closedir(dir);
    }
    return count;
}

/* VmRSS of /proc/PID/status; a zombie has none. */
static int64_t memory_kib(pid_t pid, bool *ret_zombie)
{
    char path[64], line[256];
    long kib = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        (void)sscanf(line, "VmRSS: %ld", &kib);
        *ret_zombie = *ret_zombie || strncmp(line, "State:\tZ", 8) == 0;
    }
    if (f) {
        (void)fclose(f);
    }
    return kib;
}

static void add_process(struct holdings *h, pid_t pid)
{
    char path[64];
    bool zombie = false;
    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    h->descriptors += entries(path);
    h->memory_kib += memory_kib(pid, &zombie);
    h->zombies += zombie;
    h->processes++;
}

static struct holdings count_all(void)
{
    struct holdings h = {0};
    char tmp[PATH_MAX + 8];
    pid_t all[256];
    size_t count = process_descendants(server.pid, all, D7_COUNT(all));
    add_process(&h, server.pid);
    for (size_t i = 0; i < count; i++) {
        add_process(&h, all[i]);
    }
    (void)snprintf(tmp, sizeof(tmp), "%s/tmp", server.data);
    h.files = entries(tmp);
    return h;
}

/* Of the server, its keeper, its workers and whatever is below them, when nothing is being played.
 * The last policy's launcher may still be tidying up, our last request's connection closing. */
static struct holdings take_stock(size_t descriptors)
{
    struct holdings h = count_all();
    for (int i = 0; i < 300 && (h.processes != PROCESSES || h.descriptors > descriptors); i++) {
        (void)usleep(10000);
        h = count_all();
    }
    return h;
}

/* --- games -------------------------------------------------------------------------------------
 */

static void post(const char *path, const char *json, long wanted, char *ret_id, size_t size)
{
    struct answer a = http_send(&server, "POST", path, admin, json);
    if (a.status != wanted) {
        fail_msg("POST %s: %ld %s", path, a.status, a.body);
    }
    if (ret_id) {
        (void)snprintf(ret_id, size, "%s", answer_text(&a, "id"));
    }
    answer_free(&a);
}

/* BATCH short rounds, and a suite of them that is the default. */
static void add_rounds(void)
{
    struct buf suite;
    buf_init(&suite, 1 << 16);
    buf_text(&suite, "{\"id\":\"short\",\"name\":\"Short\",\"default\":true,\"rounds\":[");
    for (unsigned i = 0; i < BATCH; i++) {
        char id[32];
        struct roundfile *round = NULL;
        struct buf text;
        struct jout j;
        (void)snprintf(id, sizeof(id), "short-%u", i);
        buf_init(&text, ROUND_FILE_MAX);
        assert_int_equal(roundfile_generate(i, MOVES, id, "Short", &round, NULL), D7_OK);
        jout_init(&j, &text);
        roundfile_write(&j, round);
        roundfile_free(round);
        buf_char(&text, '\0');
        post("/api/v1/rounds", text.data, 201, NULL, 0);
        buf_release(&text);
        buf_printf(&suite, "%s\"%s\"", i ? "," : "", id);
    }
    buf_text(&suite, "]}");
    buf_char(&suite, '\0');
    post("/api/v1/suites", suite.data, 201, NULL, 0);
    buf_release(&suite);
}

/* All of a run's games came to an end of their own, with the crashes a game must have. */
static void assert_run(const char *run)
{
    struct answer a = http_wait_run(&server, run, TEST_WAIT_MS * 3);
    assert_string_equal(answer_text(&a, "status"), "done");
    const struct jval *games = jval_get(a.json, "games");
    assert_int_equal(jval_length(games), BATCH);
    for (size_t i = 0; i < BATCH; i++) {
        assert_int_equal(games_number(jval_at(games, i), "crashes"), CRASHES);
        assert_int_equal(games_number(jval_at(games, i), "moves"), MOVES);
    }
    answer_free(&a);
}

static void play_batch(const char *policy)
{
    char json[128], run[64];
    (void)snprintf(json, sizeof(json), "{\"policy\":\"%s\",\"suite\":\"short\"}", policy);
    post("/api/v1/runs", json, 202, run, sizeof(run));
    assert_run(run);
}

static void upload_crasher(void)
{
    const char *fields[] = {"id", "crasher", "name", "Crasher", "family", "tests", NULL};
    struct answer a = http_upload(&server, "/api/v1/policies", admin, fields,
                                  support_program("tests/policies/crash_at_move"));
    assert_int_equal(a.status, 201);
    answer_free(&a);
    assert_run(games_latest_run(&server, "crasher"));
}

static void register_crasher(const struct player *pl)
{
    char address[64], json[256];
    player_address(pl, address, sizeof(address));
    (void)snprintf(json, sizeof(json),
                   "{\"id\":\"far\",\"name\":\"Far\",\"family\":\"tests\","
                   "\"endpoint\":\"tcp://%s\"}",
                   address);
    post("/api/v1/policies", json, 201, NULL, 0);
    assert_run(games_latest_run(&server, "far"));
}

static unsigned games_wanted(void)
{
    const char *text = getenv("D7_LEAK_GAMES");
    int64_t games = 2 * BATCH;
    if (text && span_parse_i64(span_of(text), 1, 1000000, &games)) {
        fail_msg("D7_LEAK_GAMES is no number");
    }
    return (unsigned)games;
}

static void crashing_players_leave_nothing(void **state)
{
    (void)state;
    const char *options[] = {"--workers",   "2", "--rate-writes", "0", "--allow-endpoint",
                             "127.0.0.0/8", NULL};
    struct harness_limits limits = player_limits();
    struct player far;
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, 40000), "C") == 0) {
        support_skip("uploads cannot be confined here (tier C)");
    }
    (void)snprintf(admin, sizeof(admin), "%s", server_token(&server, "admin", true));
    player_start(&far, PLAYER_TCP, NULL, &limits, "crash_at_move", NULL, NULL);
    add_rounds();
    upload_crasher();
    register_crasher(&far);
    struct holdings before = take_stock(SIZE_MAX);
    for (int i = 0; i < 20; i++) { /* the least of a second: a request's connection may linger */
        (void)usleep(50000);
        struct holdings now = take_stock(SIZE_MAX);
        before = now.descriptors < before.descriptors ? now : before;
    }
    unsigned games = 0;
    for (; games < games_wanted(); games += 2 * BATCH) {
        play_batch("crasher");
        play_batch("far");
    }
    struct holdings after = take_stock(before.descriptors);
    player_stop(&far);
    print_message("%u games, %u crashes: processes left %zu, zombies %zu, descriptors %+d, files "
                  "%+d, memory %+lld KiB in %d processes\n",
                  games, games * CRASHES, after.processes - WORKERS - 1, after.zombies,
                  (int)after.descriptors - (int)before.descriptors,
                  (int)after.files - (int)before.files,
                  (long long)(after.memory_kib - before.memory_kib), PROCESSES);
    assert_int_equal(after.processes, PROCESSES);
    assert_int_equal(after.zombies, 0);
    assert_true(after.descriptors <= before.descriptors);
    assert_int_equal(after.files, before.files);
    assert_true(after.memory_kib - before.memory_kib < PROCESSES * GROWTH_KIB);
    for (size_t i = 0; i < WORKERS; i++) {
        pid_t workers[WORKERS];
        assert_int_equal(server_workers(&server, workers, WORKERS), WORKERS);
        assert_false(confined_cgroup((unsigned)workers[i]));
    }
    assert_int_equal(server_stop(&server), 0);
}

/* A worker killed in mid-game takes its policy along, and the policy's cgroup goes too. */
static void killed_worker_leaves_no_cgroup(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "1", NULL};
    const char *fields[] = {"id", "dawdle", "name", "Dawdle", "family", "tests", NULL};
    pid_t worker = 0, below[8];
    server_start(&server, options);
    if (strcmp(server_wait_ready(&server, 40000), "A") != 0) {
        support_skip("no full sandbox here");
    }
    (void)snprintf(admin, sizeof(admin), "%s", server_token(&server, "admin", true));
    struct answer a = http_upload(&server, "/api/v1/policies", admin, fields,
                                  support_program("tests/policies/dawdle"));
    assert_int_equal(a.status, 201);
    answer_free(&a);
    assert_int_equal(server_workers(&server, &worker, 1), 1);
    size_t count = 0;
    for (int i = 0; i < 12000 && count < 3; i++) { /* launcher, init, policy */
        count = process_descendants(worker, below, D7_COUNT(below));
        (void)usleep(5000);
    }
    assert_true(count >= 3);
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_true(server_wait_log(&server, "ended by signal 9", 5000));
    for (int i = 0; i < 1000 && confined_cgroup((unsigned)worker); i++) {
        (void)usleep(5000);
    }
    assert_false(confined_cgroup((unsigned)worker));
    assert_true(process_wait_gone(below, count, 5000));
}

/* Each worker, and so each policy, has one core to itself where there are enough. */
static void workers_are_pinned_each_to_a_core(void **state)
{
    (void)state;
    const char *options[] = {"--workers", "2", NULL};
    pid_t workers[2];
    cpu_set_t all, one, other;
    server_start(&server, options);
    (void)server_wait_ready(&server, 40000);
    assert_int_equal(server_workers(&server, workers, 2), 2);
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int i = 0; i < 400; i++) { /* the second one may still be starting */
        assert_int_equal(sched_getaffinity(workers[0], sizeof(one), &one), 0);
        assert_int_equal(sched_getaffinity(workers[1], sizeof(other), &other), 0);
        if (CPU_COUNT(&one) == 1 && CPU_COUNT(&other) == 1) {
            break;
        }
        (void)usleep(10000);
    }
    assert_int_equal(CPU_COUNT(&one), 1);
    assert_int_equal(CPU_COUNT(&other), 1);
    assert_int_equal(CPU_EQUAL(&one, &other) != 0, CPU_COUNT(&all) == 1);
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(crashing_players_leave_nothing),
        CASE(killed_worker_leaves_no_cgroup),
        CASE(workers_are_pinned_each_to_a_core),
    };
    return cmocka_run_group_tests_name("http/leaks", tests, NULL, NULL);
}
