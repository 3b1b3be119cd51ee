/* engine/harness: what a policy answers: legal, illegal, odd bytes, the same again. */
#include "tests/support/player.h"

static void correct_player_reaches_the_end_without_a_fault(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "good", NULL, NULL, 40, &limits, &p);
        assert_counts(&p, 0, 0, 0);
        assert_int_equal(p.fault_count, 0);
        assert_true(p.outcome == OUTCOME_OVER || p.outcome == OUTCOME_CENSORED);
        assert_true(p.outcome == (p.summary.over ? OUTCOME_OVER : OUTCOME_CENSORED));
        assert_string_equal(p.identity.name, "Good player");
        assert_string_equal(p.identity.family, "tests");
        assert_true(p.identity.public_information);
        assert_false(p.nondeterministic);
        assert_true(p.times.p50 > 0 && p.times.p50 <= p.times.p95 && p.times.p95 <= p.times.p99 &&
                    p.times.p99 <= p.times.max);
        /* told to the microsecond, whatever lies between two of them */
        const double told[] = {p.times.p50, p.times.p95, p.times.p99, p.times.max};
        for (size_t i = 0; i < D7_COUNT(told); i++) {
            int64_t whole_us = (int64_t)(told[i] * 1000 + 0.5);
            assert_float_equal((double)whole_us / 1000, told[i], 0.0);
        }
        played_release(&p);
    }
}

static void illegal_answers_are_counted_and_the_first_legal_column_is_played(void **state)
{
    (void)state;
    static const char *const tokens[] = {"+3", "03", "3.0", "7", "-1", "", "none", "3x", "0x3"};
    struct harness_limits limits = player_limits();
    for (size_t i = 0; i < D7_COUNT(tokens); i++) {
        struct played p;
        player_game(i % 2 ? PLAYER_TCP : PLAYER_PIPE, "illegal", tokens[i], NULL, 3, &limits, &p);
        assert_columns(&p, "000");
        assert_counts(&p, 3, 0, 0);
        assert_int_equal(p.outcome, OUTCOME_CENSORED);
        assert_int_equal(count_faults(&p, FAULT_ILLEGAL), 3);
        assert_int_equal(p.faults[2].move, 3);
        assert_non_null(strstr(p.faults[0].seen, "bestmove"));
        played_release(&p);
    }
}

static void words_after_the_column_are_ignored(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct played p;
    player_game(PLAYER_PIPE, "illegal", "3 anything", NULL, 3, &limits, &p);
    assert_columns(&p, "333");
    assert_counts(&p, 0, 0, 0);
    played_release(&p);
}

static void full_column_is_illegal(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct played p;
    player_game(PLAYER_PIPE, "illegal", "3", NULL, 60, &limits, &p);
    assert_true(p.illegal_moves > 0);
    assert_int_equal(p.outcome, p.summary.over ? OUTCOME_OVER : OUTCOME_CENSORED);
    assert_string_equal(p.faults[0].seen, "bestmove 3: the column is full");
    assert_int_equal(p.columns[p.faults[0].move - 1], 0);
    played_release(&p);
}

static void second_answer_to_one_question_is_dropped(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "double_answer", NULL, NULL, 4, &limits, &p);
        assert_columns(&p, "3333");
        assert_counts(&p, 0, 0, 0);
        played_release(&p);
    }
}

static void bytes_that_are_no_text_are_harmless(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "garbage", "ids", NULL, 3, &limits, &p);
        assert_columns(&p, "333");
        assert_counts(&p, 0, 0, 0);
        assert_string_equal(p.identity.name, "[31mR\xc3\xa9"
                                             "d <b>");
        assert_true(p.identity.public_information);
        played_release(&p);
    }
}

static void names_and_chatter_in_our_own_words_change_no_count(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "misleading", NULL, NULL, 5, &limits, &p);
        assert_columns(&p, "33333");
        assert_counts(&p, 0, 0, 0);
        assert_int_equal(p.fault_count, 0);
        assert_false(p.nondeterministic);
        assert_string_equal(p.identity.name, "crash timeout stall illegal forfeit bestmove 5");
        assert_string_equal(p.identity.family, "on time");
        played_release(&p);
    }
}

static void crlf_tabs_and_blanks_are_accepted(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "crlf", NULL, NULL, 3, &limits, &p);
        assert_columns(&p, "333");
        assert_counts(&p, 0, 0, 0);
        assert_string_equal(p.identity.name, "Carriage  Return");
        assert_string_equal(p.identity.family, "x");
        assert_false(p.identity.public_information);
        played_release(&p);
    }
}

static void answer_that_arrives_with_the_close_counts(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "answers_then_exits", NULL, NULL, 1, &limits, &p);
        assert_columns(&p, "3");
        assert_counts(&p, 0, 0, 0);
        assert_false(p.nondeterministic);
        played_release(&p);
        player_game(way, "answers_then_exits", NULL, NULL, 3, &limits, &p);
        assert_columns(&p, "333");
        assert_counts(&p, 0, 0, 2);
        assert_int_equal(p.outcome, OUTCOME_CENSORED);
        played_release(&p);
        limits.restarts = 1;
        player_game(way, "answers_then_exits", NULL, NULL, 4, &limits, &p);
        limits.restarts = 2;
        assert_columns(&p, "33");
        assert_counts(&p, 0, 0, 2);
        assert_int_equal(p.outcome, OUTCOME_FORFEIT);
        played_release(&p);
    }
}

static void policies_with_memory_or_a_clock_are_found_nondeterministic(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
        struct played p;
        player_game(way, "nondeterministic", NULL, NULL, 20, &limits, &p);
        assert_counts(&p, 0, 0, 0);
        assert_true(p.nondeterministic);
        played_release(&p);
        player_game(way, "history", NULL, NULL, 20, &limits, &p);
        assert_counts(&p, 0, 0, 0);
        assert_true(p.nondeterministic);
        played_release(&p);
    }
}

static void crash_in_the_determinism_check_is_no_difference_and_not_counted(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct played p;
    player_game(PLAYER_PIPE, "crash_at_move", "5", NULL, 4, &limits, &p);
    assert_counts(&p, 0, 0, 0);
    assert_false(p.nondeterministic);
    assert_int_equal(p.outcome, OUTCOME_CENSORED);
    played_release(&p);
}

static void builtin_plays_its_published_game(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct roundfile *r = NULL;
    struct peer *peer = NULL;
    struct played p;
    assert_int_equal(roundfile_gauntlet(1, &r), D7_OK);
    assert_int_equal(peer_builtin_new(policy_find(span_of("greedy")), 1, &peer), D7_OK);
    assert_int_equal(harness_play(peer, &r->round, &limits, NULL, &p), D7_OK);
    assert_string_equal(p.summary.checksum, "11cda30514f06239");
    assert_int_equal(p.summary.score, 207956);
    assert_counts(&p, 0, 0, 0);
    assert_true(p.identity.public_information);
    assert_true(p.identity.name[0] != '\0');
    played_release(&p);
    peer_free(peer);
    roundfile_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(correct_player_reaches_the_end_without_a_fault),
        PLAYER_CASE(illegal_answers_are_counted_and_the_first_legal_column_is_played),
        PLAYER_CASE(words_after_the_column_are_ignored),
        PLAYER_CASE(full_column_is_illegal),
        PLAYER_CASE(second_answer_to_one_question_is_dropped),
        PLAYER_CASE(bytes_that_are_no_text_are_harmless),
        PLAYER_CASE(names_and_chatter_in_our_own_words_change_no_count),
        PLAYER_CASE(crlf_tabs_and_blanks_are_accepted),
        PLAYER_CASE(answer_that_arrives_with_the_close_counts),
        PLAYER_CASE(policies_with_memory_or_a_clock_are_found_nondeterministic),
        PLAYER_CASE(crash_in_the_determinism_check_is_no_difference_and_not_counted),
        PLAYER_CASE(builtin_plays_its_published_game),
    };
    return cmocka_run_group_tests_name("unit/harness/answers", tests, NULL, NULL);
}
