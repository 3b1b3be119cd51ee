/* engine/harness: policies that end, flood, or must be ended; what a child is born with. */
#include "tests/support/player.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/support/process.h"

static void flood_past_the_output_limit_is_a_crash(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.output_bytes = 65536;
    limits.restarts = 1;
    static const char *const how[] = {"flood", "empty"};
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        for (size_t i = 0; i < D7_COUNT(how); i++) {
            struct played p;
            player_game(way, "chatty", how[i], NULL, 3, &limits, &p);
            assert_int_equal(p.moves, 0);
            assert_counts(&p, 0, 0, 2);
            assert_non_null(
                strstr(p.faults[0].seen, "more than 65536 bytes of output without a bestmove"));
            played_release(&p);
        }
    }
}

static void endless_line_is_a_crash(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "endless_line", NULL, NULL, 3, &limits, &p);
        assert_int_equal(p.moves, 0);
        assert_counts(&p, 0, 0, 3);
        assert_non_null(strstr(p.faults[0].seen, "a line of more than 4096 bytes, after 'xxx"));
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        played_release(&p);
    }
}

static void unfinished_line_is_no_answer(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = 200;
    struct played p;
    player_game(PLAYER_PIPE, "partial_line", NULL, NULL, 2, &limits, &p);
    assert_columns(&p, "00");
    assert_counts(&p, 0, 2, 0);
    played_release(&p);
    limits.move_ms = 5000;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        player_game(way, "partial_line", "ends", NULL, 2, &limits, &p);
        assert_counts(&p, 0, 0, 3);
        assert_non_null(strstr(p.faults[0].seen, "after 'bestm'"));
        played_release(&p);
    }
}

static void answer_without_the_end_of_its_line_is_none_when_the_program_ends(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 1;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "unended_answer", NULL, NULL, 3, &limits, &p);
        assert_int_equal(p.moves, 0);
        assert_counts(&p, 0, 0, 2);
        assert_non_null(strstr(p.faults[0].seen, "after 'bestmove 3'"));
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        played_release(&p);
    }
}

static void status_of_a_program_that_cleans_up_before_it_ends_is_recorded(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    struct played p;
    player_game(PLAYER_PIPE, "exits_on_sigterm", NULL, NULL, 3, &limits, &p);
    assert_counts(&p, 0, 0, 1);
    assert_non_null(strstr(p.reason, "exit status 42 before its bestmove"));
    played_release(&p);
    /* told to quit it has a moment for that, and no more */
    int64_t from = clock_mono_ms();
    player_game(PLAYER_PIPE, "exits_on_sigterm", "quit", NULL, 3, &limits, &p);
    assert_true(clock_mono_ms() - from < 3000);
    assert_columns(&p, "333");
    assert_counts(&p, 0, 0, 0);
    played_release(&p);
}

static void crash_restarts_and_the_same_position_is_asked_again(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "crash_at_move", "3", NULL, 4, &limits, &p);
        assert_columns(&p, "3333");
        assert_counts(&p, 0, 0, 1);
        assert_int_equal(p.faults[0].move, 3);
        assert_int_equal(p.faults[0].kind, FAULT_CRASH);
        assert_string_equal(
            p.faults[0].seen,
            way == PLAYER_PIPE
                ? "the program was ended by signal 11 (Segmentation fault) before its bestmove"
                : "the endpoint closed the connection before its bestmove");
        assert_int_equal(p.outcome, OUTCOME_CENSORED);
        played_release(&p);
    }
}

static void forfeit_keeps_the_score_so_far(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    struct played p;
    player_game(PLAYER_PIPE, "crash_at_move", "6", NULL, 20, &limits, &p);
    assert_columns(&p, "33333");
    assert_int_equal(p.outcome, OUTCOME_FORFEIT);
    assert_true(p.summary.score >= 17000); /* the rise after five drops */
    assert_non_null(strstr(p.reason, "signal 11"));
    played_release(&p);
}

static void closed_output_is_a_crash_and_closed_input_is_one_at_the_next_question(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    struct played p;
    player_game(PLAYER_PIPE, "closes_pipes", "stdout", NULL, 3, &limits, &p);
    assert_int_equal(p.moves, 0);
    assert_string_equal(p.faults[0].seen,
                        "the program closed its input or output before its bestmove");
    played_release(&p);
    player_game(PLAYER_PIPE, "closes_pipes", "stdin", NULL, 3, &limits, &p);
    assert_columns(&p, "3");
    assert_counts(&p, 0, 0, 1);
    played_release(&p);
}

static void stderr_is_drained_and_its_tail_kept(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(3);
    struct player pl;
    struct played p;
    player_start(&pl, PLAYER_PIPE, NULL, &limits, "stderr_flood", NULL, NULL);
    assert_int_equal(harness_play(pl.peer, &r->round, &limits, NULL, &p), D7_OK);
    struct span tail = peer_stderr(pl.peer);
    assert_columns(&p, "333");
    assert_counts(&p, 0, 0, 0);
    assert_int_equal(tail.len, limits.stderr_bytes);
    assert_memory_equal(tail.ptr + tail.len - 11, "#last word\n", 11);
    played_release(&p);
    player_stop(&pl);
    roundfile_free(r);
}

static void program_that_ends_at_once_forfeits_with_its_last_words_kept(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(3);
    struct player pl;
    struct played p;
    player_start(&pl, PLAYER_PIPE, NULL, &limits, "exits_at_start", NULL, NULL);
    assert_int_equal(harness_play(pl.peer, &r->round, &limits, NULL, &p), D7_OK);
    assert_int_equal(p.moves, 0);
    assert_int_equal(p.outcome, OUTCOME_FORFEIT);
    assert_counts(&p, 0, 0, 3);
    assert_string_equal(p.reason, "crashed 3 times; the last time: the program ended with exit "
                                  "status 3 before its d7pok");
    struct span tail = peer_stderr(pl.peer);
    assert_int_equal(tail.len, 3 * strlen("no model file\n"));
    played_release(&p);
    player_stop(&pl);
    roundfile_free(r);
}

static void ignoring_signals_does_not_save_a_policy(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = PLAYER_SHORT_MS;
    limits.ready_ms = 300;
    limits.restarts = 0;
    struct played p;
    int64_t from = clock_mono_ms();
    player_game(PLAYER_PIPE, "ignores_signals", NULL, NULL, 3, &limits, &p);
    assert_true(clock_mono_ms() - from < 3000);
    assert_int_equal(p.outcome, OUTCOME_FORFEIT);
    assert_counts(&p, 0, 1, 1);
    played_release(&p);
}

static void grandchild_that_holds_the_pipes_neither_hides_the_crash_nor_hangs_us(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    struct roundfile *r = player_round(3);
    static const char *const how[] = {NULL, "away"};
    for (size_t i = 0; i < D7_COUNT(how); i++) {
        struct player pl;
        struct played p;
        int64_t pid = 0;
        int64_t from = clock_mono_ms();
        player_start(&pl, PLAYER_PIPE, NULL, &limits, "grandchild", how[i], NULL);
        assert_int_equal(harness_play(pl.peer, &r->round, &limits, NULL, &p), D7_OK);
        assert_true(clock_mono_ms() - from < 3000); /* the move limit is ten seconds */
        assert_counts(&p, 0, 0, 1);
        assert_non_null(strstr(p.reason, "exit status 5"));
        struct span words = peer_stderr(pl.peer);
        assert_true(span_is(span_token(&words), "child"));
        assert_int_equal(span_parse_i64(span_trim(words), 2, INT32_MAX, &pid), D7_OK);
        pid_t child = (pid_t)pid;
        if (how[i]) {
            assert_false(process_wait_gone(&child, 1, 0)); /* it left the group: a sandbox's job */
            assert_int_equal(kill(child, SIGKILL), 0);
        }
        assert_true(process_wait_gone(&child, 1, 5000));
        played_release(&p);
        player_stop(&pl);
    }
    roundfile_free(r);
}

static void missing_or_unfit_program_is_the_policys_fault(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nonexistent/program", "/", "/etc/hostname"};
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(3);
    for (size_t i = 0; i < D7_COUNT(paths); i++) {
        const char *argv[] = {paths[i], NULL};
        struct child_spec spec = {.argv = argv};
        struct peer *peer = NULL;
        struct played p;
        assert_int_equal(peer_child_new(&spec, &limits, &peer), D7_OK);
        assert_int_equal(harness_play(peer, &r->round, &limits, NULL, &p), D7_OK);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        assert_int_equal(p.moves, 0);
        assert_counts(&p, 0, 0, 3);
        assert_non_null(strstr(p.reason, "the program cannot be started: "));
        played_release(&p);
        peer_free(peer);
    }
    roundfile_free(r);
}

/* As a harness is born under a supervisor that does not want to hear of its children. */
static void how_a_policy_ended_is_known_though_sigchld_was_ignored(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    for (int flags = 0; flags <= SA_NOCLDWAIT; flags += SA_NOCLDWAIT) {
        struct sigaction deaf = {.sa_handler = flags ? SIG_DFL : SIG_IGN, .sa_flags = flags};
        struct played p;
        assert_int_equal(sigaction(SIGCHLD, &deaf, NULL), 0);
        player_game(PLAYER_PIPE, "crash_at_move", "2", NULL, 4, &limits, &p);
        assert_counts(&p, 0, 0, 1);
        assert_non_null(strstr(p.reason, "ended by signal 11"));
        played_release(&p);
    }
}

static void program_whose_interpreter_is_missing_is_not_said_to_be_missing(void **state)
{
    (void)state;
    char path[] = "/tmp/d7-script-XXXXXX";
    static const char text[] = "#!/nonexistent/interpreter\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    assert_int_equal(fchmod(fd, 0755), 0);
    assert_int_equal(close(fd), 0);
    const char *argv[] = {path, NULL};
    struct child_spec spec = {.argv = argv};
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(3);
    struct peer *peer = NULL;
    struct played p;
    assert_int_equal(peer_child_new(&spec, &limits, &peer), D7_OK);
    assert_int_equal(harness_play(peer, &r->round, &limits, NULL, &p), D7_OK);
    assert_counts(&p, 0, 0, 3);
    assert_non_null(strstr(p.reason, "cannot be started: its interpreter is missing"));
    played_release(&p);
    peer_free(peer);
    roundfile_free(r);
    assert_int_equal(unlink(path), 0);
}

/* The state letter of our only child, '?' without one. */
static char state_of_child(void)
{
    pid_t pid = 0;
    char path[64];
    char text[512];
    if (process_children(getpid(), &pid, 1) != 1) {
        return '?';
    }
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
    text[got > 0 ? got : 0] = '\0';
    const char *mark = strrchr(text, ')');
    return mark ? mark[2] : '?';
}

static bool sees_it_stopped(void *ctx, uint32_t moves)
{
    unsigned *stopped = ctx;
    for (int n = 0; moves > 0 && n < 200; n++) {
        if (state_of_child() == 'T') {
            (*stopped)++;
            break;
        }
        (void)poll(NULL, 0, 5); /* the signal is on its way */
    }
    return true;
}

static void policy_stands_still_between_moves_when_asked_for(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(4);
    struct child_spec like = {.stop_between_moves = true};
    struct player pl;
    struct played p;
    unsigned stopped = 0;
    struct harness_watch watch = {sees_it_stopped, &stopped};
    player_start(&pl, PLAYER_PIPE, &like, &limits, "good", NULL, NULL);
    assert_int_equal(harness_play(pl.peer, &r->round, &limits, &watch, &p), D7_OK);
    assert_columns(&p, "0000");
    assert_counts(&p, 0, 0, 0);
    assert_int_equal(stopped, 3); /* before each move but the first */
    played_release(&p);
    player_stop(&pl);
    roundfile_free(r);
}

static void child_is_born_with_nothing_of_ours_and_its_report_is_kept(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.restarts = 0;
    struct roundfile *r = player_round(3);
    sigset_t some;
    sigset_t before;
    (void)sigemptyset(&some);
    (void)sigaddset(&some, SIGUSR1);
    (void)sigaddset(&some, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &some, &before), 0);
    int leak = open("/dev/null", O_RDONLY); /* not CLOEXEC, as a library might leave one */
    for (unsigned report = 0; report < 2; report++) {
        struct child_spec like = {.report_pipe = report == 1, .cwd = "/usr"};
        struct player pl;
        struct played p;
        player_start(&pl, PLAYER_PIPE, &like, &limits, "surroundings", NULL, NULL);
        assert_int_equal(harness_play(pl.peer, &r->round, &limits, NULL, &p), D7_OK);
        char text[200] = "";
        struct span words = peer_stderr(pl.peer);
        assert_int_equal(span_copy(words, text, sizeof(text)), D7_OK);
        assert_string_equal(text, report ? "fds 0 1 2 3; env 0; signals 0; leader 1; cwd /usr\n"
                                         : "fds 0 1 2; env 0; signals 0; leader 1; cwd /usr\n");
        struct span got = peer_report(pl.peer);
        assert_int_equal(got.len, report ? 8 : 0);
        assert_true(!report || (got.ptr[0] == 7 && got.ptr[4] == 13));
        played_release(&p);
        player_stop(&pl);
    }
    (void)close(leak);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    roundfile_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(flood_past_the_output_limit_is_a_crash),
        PLAYER_CASE(endless_line_is_a_crash),
        PLAYER_CASE(unfinished_line_is_no_answer),
        PLAYER_CASE(answer_without_the_end_of_its_line_is_none_when_the_program_ends),
        PLAYER_CASE(status_of_a_program_that_cleans_up_before_it_ends_is_recorded),
        PLAYER_CASE(crash_restarts_and_the_same_position_is_asked_again),
        PLAYER_CASE(forfeit_keeps_the_score_so_far),
        PLAYER_CASE(closed_output_is_a_crash_and_closed_input_is_one_at_the_next_question),
        PLAYER_CASE(stderr_is_drained_and_its_tail_kept),
        PLAYER_CASE(program_that_ends_at_once_forfeits_with_its_last_words_kept),
        PLAYER_CASE(ignoring_signals_does_not_save_a_policy),
        PLAYER_CASE(grandchild_that_holds_the_pipes_neither_hides_the_crash_nor_hangs_us),
        PLAYER_CASE(missing_or_unfit_program_is_the_policys_fault),
        PLAYER_CASE(how_a_policy_ended_is_known_though_sigchld_was_ignored),
        PLAYER_CASE(program_whose_interpreter_is_missing_is_not_said_to_be_missing),
        PLAYER_CASE(policy_stands_still_between_moves_when_asked_for),
        PLAYER_CASE(child_is_born_with_nothing_of_ours_and_its_report_is_kept),
    };
    return cmocka_run_group_tests_name("unit/harness/crashes", tests, NULL, NULL);
}
