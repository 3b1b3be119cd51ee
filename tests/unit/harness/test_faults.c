/* engine/harness where memory, descriptors or processes fail us: the game is played as ever or not
 * at all; no policy is charged with it. */
#include "tests/support/player.h"

#include "tests/support/faults.h"

#define MOVES 6

static enum d7_err play(const struct harness_limits *limits, struct played *ret)
{
    char path[4096];
    struct roundfile *r = NULL;
    struct peer *peer = NULL;
    struct d7_why why;
    (void)snprintf(path, sizeof(path), "%s", support_program("tests/policies/good"));
    const char *argv[] = {path, NULL};
    const struct child_spec spec = {.argv = argv};
    enum d7_err err = roundfile_generate(7, MOVES, "round", NULL, &r, &why);
    err = err ? err : peer_child_new(&spec, limits, &peer);
    err = err ? err : harness_play(peer, &r->round, limits, NULL, ret);
    peer_free(peer);
    roundfile_free(r);
    return err;
}

static void assert_same_game(const struct played *p, const struct played *clean)
{
    assert_int_equal(p->moves, clean->moves);
    assert_memory_equal(p->columns, clean->columns, clean->moves);
    assert_int_equal(p->outcome, clean->outcome);
    assert_counts(p, 0, 0, 0);
}

static void our_failures_cost_no_move(void **state)
{
    (void)state;
    static const enum faults_kind kinds[] = {FAULTS_MEMORY, FAULTS_DISK};
    const struct harness_limits limits = player_limits();
    struct played clean;
    assert_int_equal(play(&limits, &clean), D7_OK);
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        bool over = false;
        unsigned failed = 0;
        for (long n = 1; !over && n < 500; n++) {
            struct played p;
            faults_arm(kinds[k], n);
            enum d7_err err = play(&limits, &p);
            over = !faults_disarm();
            failed += err != D7_OK;
            if (!err) {
                assert_same_game(&p, &clean);
                played_release(&p);
            } else {
                assert_false(over);
            }
        }
        assert_true(over && failed > 3);
    }
    played_release(&clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(our_failures_cost_no_move),
    };
    return cmocka_run_group_tests_name("harness/faults", tests, NULL, NULL);
}
