/*
 * What a policy's decisions cost. tests/bench/run.sh sets the seconds in relation to calibrate's.
 *   decide ID roots [THREADS]   all positions of bench-roots.txt
 *   decide ID GAMES [THREADS]   its own games on Gauntlet 01 to GAMES
 * prints: decisions, user seconds, wall seconds, work (0 where it counts none), signature (0 for
 * games).
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/record/roundfile.h"
#include "tests/support/roots.h"

static double user_seconds(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static double wall_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t play_games(struct policy *p, int64_t games, uint64_t *work)
{
    size_t decisions = 0;
    for (int64_t k = 1; k <= games; k++) {
        char id[32];
        struct roundfile *r = NULL;
        (void)snprintf(id, sizeof(id), "gauntlet-%02d", (int)k);
        D7_CHECK(roundfile_by_id(span_of(id), &r) == D7_OK);
        struct game g;
        struct turn turn;
        game_start(&g, &r->round);
        for (; !game_is_done(&g); decisions++) {
            const struct extended_state at = {game_position(&g, &r->round), g.rises + 1, g.moves};
            struct decision d;
            policy_decide_extended(p, &at, &d);
            *work += d.work;
            game_play(&g, &r->round, (unsigned)d.column, NULL, &turn);
        }
        roundfile_free(r);
    }
    return decisions;
}

int main(int argc, char **argv)
{
    int64_t games = 0;
    int64_t threads = 1;
    const struct policy_info *info = argc > 2 ? policy_find(span_of(argv[1])) : NULL;
    bool roots = argc > 2 && span_is(span_of(argv[2]), "roots");
    struct policy *p = NULL;
    if (!info || (!roots && span_parse_i64(span_of(argv[2]), 1, 8, &games)) ||
        (argc > 3 && span_parse_i64(span_of(argv[3]), 1, 64, &threads))) {
        (void)fprintf(stderr, "usage: decide POLICY (roots | GAMES) [THREADS]\n");
        return 2;
    }
    if (policy_new(info, (unsigned)threads, &p)) {
        return 1;
    }
    size_t decisions = roots ? roots_all()->count : 0;
    uint64_t work = 0;
    uint64_t signature = 0;
    double user = user_seconds();
    double wall = wall_seconds();
    if (roots) {
        signature = roots_signature(p, ROOTS_MAX, &work);
    } else {
        decisions = play_games(p, games, &work);
    }
    user = user_seconds() - user;
    wall = wall_seconds() - wall;
    (void)printf("%zu %.6f %.6f %llu %016llx\n", decisions, user, wall, (unsigned long long)work,
                 (unsigned long long)signature);
    policy_free(p);
    return 0;
}
