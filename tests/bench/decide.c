/*
 * What a policy's decisions cost, and one number for what they are. tests/bench/run.sh sets the
 * seconds in relation to calibrate's; tests/bench/signatures.sh compares the signatures of builds.
 *   decide ID roots [THREADS [COUNT]]  the first COUNT positions of bench-roots.txt (all), again
 *                                      and again until they have taken half a second
 *   decide ID GAMES [THREADS]          its own games on Gauntlet 01 to GAMES
 * prints: decisions, user seconds, wall seconds, work (registry.h), signature (0 for games).
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/record/roundfile.h"
#include "tests/support/roots.h"

#define ENOUGH_S   0.5 /* user seconds, for a figure that ticks of the clock do not spoil */
#define PASSES_MAX 200

struct cost {
    size_t decisions;
    double user_s;
    double wall_s;
    uint64_t work;
    uint64_t signature;
};

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

static void play_games(struct policy *p, int64_t games, struct cost *c)
{
    for (int64_t k = 1; k <= games; k++) {
        char id[32];
        struct roundfile *r = NULL;
        (void)snprintf(id, sizeof(id), "gauntlet-%02d", (int)k);
        D7_CHECK(roundfile_by_id(span_of(id), &r) == D7_OK);
        struct game g;
        struct turn turn;
        game_start(&g, &r->round);
        for (; !game_is_done(&g); c->decisions++) {
            const struct extended_state at = {game_position(&g, &r->round), g.rises + 1, g.moves};
            struct decision d;
            policy_decide_extended(p, &at, &d);
            c->work += d.work;
            game_play(&g, &r->round, (unsigned)d.column, NULL, &turn);
        }
        roundfile_free(r);
    }
}

/* One pass over the positions, or over the games, by a policy that has seen nothing yet. */
static bool pass(const struct policy_info *info, unsigned threads, int64_t games, size_t count,
                 struct cost *c)
{
    struct policy *p = NULL;
    uint64_t work = 0;
    if (policy_new(info, threads, &p)) {
        return false;
    }
    double user = user_seconds();
    double wall = wall_seconds();
    if (games) {
        play_games(p, games, c);
    } else {
        uint64_t signature = roots_signature(p, count, &work);
        D7_CHECK(c->decisions == 0 || signature == c->signature);
        c->signature = signature;
        c->decisions += count;
        c->work += work;
    }
    c->user_s += user_seconds() - user;
    c->wall_s += wall_seconds() - wall;
    policy_free(p);
    return true;
}

static int usage(void)
{
    (void)fprintf(stderr,
                  "usage: decide POLICY roots [THREADS [COUNT]] | POLICY GAMES [THREADS]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const struct policy_info *info = argc > 2 ? policy_find(span_of(argv[1])) : NULL;
    bool roots = argc > 2 && span_is(span_of(argv[2]), "roots");
    int64_t games = 0;
    int64_t threads = 1;
    int64_t count = roots ? (int64_t)roots_all()->count : 0;
    struct cost cost = {0};
    if (!info || argc > (roots ? 5 : 4) ||
        (!roots && span_parse_i64(span_of(argv[2]), 1, 8, &games)) ||
        (argc > 3 && span_parse_i64(span_of(argv[3]), 1, 64, &threads)) ||
        (argc > 4 && span_parse_i64(span_of(argv[4]), 1, count, &count))) {
        return usage();
    }
    unsigned passes = 0;
    do {
        if (!pass(info, (unsigned)threads, games, (size_t)count, &cost)) {
            return 1;
        }
    } while (roots && argc < 5 && cost.user_s < ENOUGH_S && ++passes < PASSES_MAX);
    (void)printf("%zu %.6f %.6f %llu %016llx\n", cost.decisions, cost.user_s, cost.wall_s,
                 (unsigned long long)cost.work, (unsigned long long)cost.signature);
    return 0;
}
