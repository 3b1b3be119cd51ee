/*
 * Each scripted player of tests/policies against the verdict it must get: over a pipe, over TCP
 * where its fault is one of the line, and in the sandbox with the worker's own command. The table
 * is printed; `make test-hostile` shows it.
 */
#include <limits.h>
#include <unistd.h>

#include "server/work/isolation.h"
#include "tests/support/confined.h"
#include "tests/support/player.h"

#define PIPE     1u
#define TCP      2u
#define SANDBOX  4u
#define ANYWHERE 7u
#define LOCAL    (PIPE | SANDBOX)

static const struct row {
    const char *player, *argument;
    unsigned ways, moves;
    int64_t move_ms, ready_ms, handshake_ms; /* 0: the default */
    uint32_t restarts;
    const char *verdict; /* up to a '*' */
} rows[] = {
    {"good", NULL, ANYWHERE, 40, 0, 0, 0, 2, "over"},
    {"slow", "700", ANYWHERE, 2, 200, 0, 0, 2, "censored, 2 timeouts"},
    {"silent", "go", ANYWHERE, 3, 80, 0, 0, 2, "censored, 3 timeouts"},
    {"silent", "handshake", ANYWHERE, 3, 0, 0, 80, 1, "forfeit, 2 crashes"},
    {"silent", "barrier", ANYWHERE, 4, 80, 1000, 0, 1, "forfeit, 2 timeouts, 2 crashes"},
    {"late_once", "1500", ANYWHERE, 3, 700, 0, 0, 2, "censored, 1 timeouts"},
    {"chatty", "slowly", ANYWHERE, 3, 80, 1000, 0, 0, "forfeit, 1 timeouts, 1 crashes"},
    {"chatty", "flood", ANYWHERE, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"chatty", "empty", ANYWHERE, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"partial_line", NULL, ANYWHERE, 2, 200, 0, 0, 2, "censored, 2 timeouts"},
    {"partial_line", "ends", ANYWHERE, 2, 0, 0, 0, 2, "forfeit, 3 crashes"},
    {"unended_answer", NULL, ANYWHERE, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"endless_line", NULL, ANYWHERE, 3, 0, 0, 0, 2, "forfeit, 3 crashes"},
    {"garbage", "ids", ANYWHERE, 3, 0, 0, 0, 2, "censored"},
    {"misleading", NULL, ANYWHERE, 5, 0, 0, 0, 2, "censored"},
    {"crlf", NULL, ANYWHERE, 3, 0, 0, 0, 2, "censored"},
    {"double_answer", NULL, ANYWHERE, 4, 0, 0, 0, 2, "censored"},
    {"illegal", "9", ANYWHERE, 3, 0, 0, 0, 2, "censored, 3 illegal"},
    {"answers_then_exits", NULL, ANYWHERE, 3, 0, 0, 0, 2, "censored, 2 crashes"},
    {"exits_at_start", NULL, ANYWHERE, 3, 0, 0, 0, 2, "forfeit, 3 crashes"},
    {"exits_on_sigterm", NULL, LOCAL, 3, 0, 0, 0, 0, "forfeit, 1 crashes"},
    {"crash_at_move", "3", ANYWHERE, 4, 0, 0, 0, 2, "censored, 1 crashes"},
    {"closes_pipes", "stdout", LOCAL, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"closes_pipes", "stdin", LOCAL, 3, 0, 0, 0, 2, "censored, 2 crashes"},
    {"never_reads", NULL, ANYWHERE, 200, 80, 300, 0, 1, "forfeit, *"},
    {"stderr_flood", NULL, LOCAL, 3, 0, 0, 0, 2, "censored"},
    {"ignores_signals", NULL, LOCAL, 3, 80, 300, 0, 0, "forfeit, 1 timeouts, 1 crashes"},
    {"stops_itself", NULL, LOCAL, 3, 80, 300, 0, 0, "forfeit, 1 timeouts, 1 crashes"},
    {"grandchild", NULL, LOCAL, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"grandchild", "away", LOCAL, 3, 0, 0, 0, 1, "forfeit, 2 crashes"},
    {"nondeterministic", NULL, ANYWHERE, 8, 0, 0, 0, 2, "censored, nondeterministic"},
    {"history", NULL, ANYWHERE, 8, 0, 0, 0, 2, "censored, nondeterministic"},
    {"hog", "daemon", LOCAL, 3, 0, 0, 0, 2, "censored"},
    {"hog", "forks", SANDBOX, 3, 0, 0, 0, 2, "censored"},
    {"hog", "memory", SANDBOX, 3, 60000, 0, 0, 1, "forfeit, 2 crashes"},
    {"hog", "disk", SANDBOX, 3, 0, 0, 0, 2, "censored"},
    {"hog", "busy", LOCAL, 3, 0, 0, 0, 2, "censored"},
};

static struct isolation iso;
static int descriptors_before;

/* "forfeit, 1 timeouts, 2 crashes" */
static void verdict_of(const struct played *p, char *to, size_t size)
{
    struct buf text;
    buf_init(&text, size - 1);
    buf_text(&text, outcome_text(p->outcome));
    const struct {
        unsigned count;
        const char *name;
    } counts[] = {
        {p->illegal_moves, "illegal"}, {p->timeouts, "timeouts"}, {p->crashes, "crashes"}};
    for (size_t i = 0; i < D7_COUNT(counts); i++) {
        if (counts[i].count) {
            buf_printf(&text, ", %u %s", counts[i].count, counts[i].name);
        }
    }
    buf_text(&text, p->nondeterministic ? ", nondeterministic" : "");
    (void)snprintf(to, size, "%.*s", (int)text.len, text.len ? text.data : "");
    buf_release(&text);
}

static bool is_expected(const char *verdict, const char *wanted)
{
    size_t len = strcspn(wanted, "*");
    return strncmp(verdict, wanted, len) == 0 && (wanted[len] == '*' || verdict[len] == '\0');
}

static struct harness_limits limits_of(const struct row *r)
{
    struct harness_limits limits = player_limits();
    limits.output_bytes = 65536;
    limits.restarts = r->restarts;
    limits.move_ms = r->move_ms ? r->move_ms : limits.move_ms;
    limits.ready_ms = r->ready_ms ? r->ready_ms : limits.ready_ms;
    limits.handshake_ms = r->handshake_ms ? r->handshake_ms : limits.handshake_ms;
    return limits;
}

/* As a worker plays an upload. */
static void play_confined(const struct row *r, const struct harness_limits *limits,
                          struct played *ret)
{
    static struct isolation_command c;
    char name[128];
    struct peer *peer = NULL;
    struct roundfile *round = player_round(r->moves);
    (void)snprintf(name, sizeof(name), "tests/policies/%s", r->player);
    assert_int_equal(isolation_command(&iso, support_program(name), "elf", isolation_slot(), &c),
                     D7_OK);
    size_t n = 0;
    while (c.argv[n]) {
        n++;
    }
    c.argv[n] = r->argument;
    assert_int_equal(peer_child_new(&c.spec, limits, &peer), D7_OK);
    assert_int_equal(harness_play(peer, &round->round, limits, NULL, ret), D7_OK);
    assert_int_equal(peer_report(peer).len, 0);
    peer_free(peer);
    roundfile_free(round);
}

/* One cell of the table; false when it is not as expected. */
static bool play_row(const struct row *r, unsigned way, const char *way_name)
{
    struct harness_limits limits = limits_of(r);
    struct played played;
    char verdict[128];
    if (way == SANDBOX) {
        play_confined(r, &limits, &played);
    } else {
        player_game(way == TCP ? PLAYER_TCP : PLAYER_PIPE, r->player, r->argument, NULL, r->moves,
                    &limits, &played);
    }
    bool settled = isolation_settle();
    verdict_of(&played, verdict, sizeof(verdict));
    played_release(&played);
    bool right = settled && is_expected(verdict, r->verdict);
    print_message("%-18s %-10s %-8s %-36s %s\n", r->player, r->argument ? r->argument : "",
                  way_name, verdict, right ? "as expected" : r->verdict);
    return right;
}

static void play_all(unsigned way, const char *way_name)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        if (rows[i].ways & way) {
            wrong += !play_row(&rows[i], way, way_name);
        }
    }
    assert_int_equal(wrong, 0);
}

static void every_player_gets_its_verdict_over_a_pipe(void **state)
{
    (void)state;
    play_all(PIPE, "pipe");
}

static void every_player_gets_its_verdict_over_tcp(void **state)
{
    (void)state;
    play_all(TCP, "tcp");
}

static void every_player_gets_its_verdict_in_the_sandbox(void **state)
{
    (void)state;
    if (!isolation_admits(&iso)) {
        support_skip(iso.reason);
        return;
    }
    play_all(SANDBOX, "sandbox");
    assert_false(confined_cgroup((unsigned)getpid()));
}

static void nothing_is_left_of_them(void **state)
{
    (void)state;
    confined_summary(descriptors_before);
}

static int setup(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", support_program("drop7-sandbox"));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(isolation_probe(folder, false, &iso), D7_OK); /* makes us the reaper, too */
    print_message("tier %s: %s\n", isolation_tier_name(iso.tier), iso.reason);
    descriptors_before = confined_descriptors();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_player_gets_its_verdict_over_a_pipe),
        cmocka_unit_test(every_player_gets_its_verdict_over_tcp),
        cmocka_unit_test(every_player_gets_its_verdict_in_the_sandbox),
        cmocka_unit_test(nothing_is_left_of_them),
    };
    return cmocka_run_group_tests_name("sandbox/players", tests, setup, NULL);
}
