/* engine/harness: endpoints that use TCP as nobody should. Each has one outcome, in bounded time.
 */
#include "tests/support/player.h"

static const struct {
    const char *how;
    int handshake_ms, ready_ms; /* 0: as always; for what never comes */
    enum outcome outcome;
    const char *columns; /* NULL: a reset may overtake the answer, or not */
    unsigned crashes;
    const char *seen; /* of the first fault */
} rows[] = {
    {"reset", 0, 0, OUTCOME_FORFEIT, "", 3, "closed the connection before its bestmove"},
    {"reset-after", 0, 0, OUTCOME_FORFEIT, NULL, 3, "closed the connection before its bestmove"},
    {"half", 0, 0, OUTCOME_FORFEIT, "333", 3, "closed the connection before its bestmove"},
    {"bytewise", 0, 0, OUTCOME_CENSORED, "3333", 0, NULL},
    {"several", 0, 0, OUTCOME_CENSORED, "3333", 0, NULL},
    {"urgent", 0, 0, OUTCOME_CENSORED, "3333", 0, NULL},
    {"early", 0, PLAYER_SHORT_MS, OUTCOME_FORFEIT, "", 3, "no readyok within"},
    {"mute", PLAYER_SHORT_MS, 0, OUTCOME_FORFEIT, "", 3, "no d7pok within"},
    {"loris", PLAYER_SHORT_MS, 0, OUTCOME_FORFEIT, "", 3, "no d7pok within"},
    {"loris-lines", PLAYER_SHORT_MS, 0, OUTCOME_FORFEIT, "", 3, "no d7pok within"},
    {"http", 0, 0, OUTCOME_FORFEIT, "", 3, "closed the connection before its d7pok"},
};

static void each_has_one_outcome_and_is_not_waited_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct harness_limits limits = player_limits();
        struct played p;
        limits.handshake_ms = rows[i].handshake_ms ? rows[i].handshake_ms : limits.handshake_ms;
        limits.ready_ms = rows[i].ready_ms ? rows[i].ready_ms : limits.ready_ms;
        player_game(PLAYER_TCP, "rude", rows[i].how, NULL, 4, &limits, &p);
        print_message("%s: %s\n", rows[i].how, p.fault_count ? p.faults[0].seen : "no fault");
        assert_int_equal(p.outcome, rows[i].outcome);
        if (rows[i].columns) {
            assert_columns(&p, rows[i].columns);
        }
        assert_counts(&p, 0, 0, rows[i].crashes);
        if (rows[i].seen) {
            assert_non_null(strstr(p.faults[0].seen, rows[i].seen));
        }
        played_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {PLAYER_CASE(each_has_one_outcome_and_is_not_waited_for)};
    return cmocka_run_group_tests_name("harness/rude", tests, NULL, NULL);
}
