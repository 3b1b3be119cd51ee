/* engine/harness: deadlines: of a move, a barrier, a handshake, a game. */
#include "tests/support/player.h"

#include "engine/base/clock.h"

static void unanswered_question_times_out_and_the_game_goes_on(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = PLAYER_SHORT_MS;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "silent", "go", NULL, 3, &limits, &p);
        assert_columns(&p, "000");
        assert_counts(&p, 0, 3, 0);
        assert_int_equal(p.outcome, OUTCOME_CENSORED);
        assert_true(p.think_us[1] >= PLAYER_SHORT_MS * 1000);
        assert_string_equal(p.faults[0].seen, "no bestmove within 80 ms");
        played_release(&p);
    }
}

static void late_but_legal_answer_is_a_timeout(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = 40;
    struct played p;
    player_game(PLAYER_PIPE, "slow", "150", NULL, 2, &limits, &p);
    assert_columns(&p, "00");
    assert_counts(&p, 0, 2, 0);
    played_release(&p);
}

static void late_answer_is_never_taken_for_the_next_position(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = 150;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "late_once", "300", NULL, 3, &limits, &p);
        assert_columns(&p, "022");
        assert_counts(&p, 0, 1, 0);
        played_release(&p);
        player_game(way, "late_once", "300", "in-pieces", 3, &limits, &p);
        assert_columns(&p, "022");
        assert_counts(&p, 0, 1, 0);
        played_release(&p);
    }
}

static void unanswered_barrier_is_a_stall_and_counts_as_a_crash(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = PLAYER_SHORT_MS;
    limits.ready_ms = 400;
    limits.restarts = 1;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "silent", "barrier", NULL, 4, &limits, &p);
        assert_columns(&p, "00");
        assert_counts(&p, 0, 2, 2);
        assert_int_equal(count_faults(&p, FAULT_STALL), 2);
        assert_int_equal(count_faults(&p, FAULT_CRASH), 0);
        assert_int_equal(count_faults(&p, FAULT_FORFEIT), 1);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        assert_string_equal(p.reason, "crashed 2 times; the last time: no readyok within 400 ms");
        played_release(&p);
    }
}

static void without_a_handshake_no_move_is_played(void **state)
{
    (void)state;
    static const struct {
        const char *stage;
        const char *word;
    } rows[] = {{"handshake", "no d7pok within 80 ms"}, {"ready", "no readyok within 80 ms"}};
    struct harness_limits limits = player_limits();
    limits.restarts = 1;
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct played p;
        limits.handshake_ms = i == 0 ? PLAYER_SHORT_MS : 5000;
        limits.ready_ms = i == 1 ? PLAYER_SHORT_MS : 5000;
        player_game(i ? PLAYER_TCP : PLAYER_PIPE, "silent", rows[i].stage, NULL, 3, &limits, &p);
        assert_int_equal(p.moves, 0);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        assert_counts(&p, 0, 0, 2);
        assert_non_null(strstr(p.reason, rows[i].word));
        assert_true(p.times.max < 0.001);
        played_release(&p);
    }
}

static void talking_does_not_extend_the_move_limit(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = PLAYER_SHORT_MS;
    limits.ready_ms = PLAYER_SHORT_MS;
    limits.restarts = 0;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        int64_t from = clock_mono_ms();
        player_game(way, "chatty", "slowly", NULL, 3, &limits, &p);
        assert_true(clock_mono_ms() - from < 3000);
        assert_columns(&p, "0");
        assert_counts(&p, 0, 1, 1);
        assert_int_equal(p.faults[0].kind, FAULT_TIMEOUT);
        assert_int_equal(p.faults[1].kind, FAULT_STALL);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        played_release(&p);
    }
}

static void policy_that_never_reads_ends_within_the_limits(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.move_ms = PLAYER_SHORT_MS;
    limits.ready_ms = 200;
    limits.restarts = 1;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        int64_t from = clock_mono_ms();
        player_game(way, "never_reads", NULL, NULL, 200, &limits, &p);
        assert_true(clock_mono_ms() - from < 5000);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        assert_counts(&p, 0, p.timeouts, 2);
        played_release(&p);
    }
}

static void game_limit_ends_the_game_during_the_wait(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    limits.game_ms = 300;
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "silent", "go", NULL, 3, &limits, &p);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        assert_string_equal(p.reason, "the game took more than its limit of 300 ms");
        assert_counts(&p, 0, 0, 0);
        assert_true(p.elapsed_ms >= 300 && p.elapsed_ms < 3000);
        played_release(&p);
    }
}

struct asked {
    unsigned times;
    unsigned stop_at;
};

static bool count_and_stop(void *ctx, uint32_t moves)
{
    (void)moves;
    struct asked *a = ctx;
    return ++a->times < a->stop_at;
}

static void watch_is_asked_during_waits_and_cancels(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct roundfile *r = player_round(3);
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct player pl;
        struct played p;
        struct asked asked = {.stop_at = 3};
        struct harness_watch watch = {count_and_stop, &asked};
        int64_t from = clock_mono_ms();
        player_start(&pl, way, NULL, &limits, "silent", "go", NULL);
        assert_int_equal(harness_play(pl.peer, &r->round, &limits, &watch, &p), D7_ERR_CANCELLED);
        assert_true(clock_mono_ms() - from < 4000); /* once a second or more often */
        assert_int_equal(asked.times, 3);
        player_stop(&pl);
    }
    roundfile_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(unanswered_question_times_out_and_the_game_goes_on),
        PLAYER_CASE(late_but_legal_answer_is_a_timeout),
        PLAYER_CASE(late_answer_is_never_taken_for_the_next_position),
        PLAYER_CASE(unanswered_barrier_is_a_stall_and_counts_as_a_crash),
        PLAYER_CASE(without_a_handshake_no_move_is_played),
        PLAYER_CASE(talking_does_not_extend_the_move_limit),
        PLAYER_CASE(policy_that_never_reads_ends_within_the_limits),
        PLAYER_CASE(game_limit_ends_the_game_during_the_wait),
        PLAYER_CASE(watch_is_asked_during_waits_and_cancels),
    };
    return cmocka_run_group_tests_name("unit/harness/waits", tests, NULL, NULL);
}
