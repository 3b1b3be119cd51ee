/*
 * A store worth asking for: `fill DIR` makes one and plays into it, without workers.
 *   gauntlet   20 policies, 8 rounds each: the leaderboard that is timed
 *   long       512 games of exactly 130 moves: replays that no cache of a server holds all of
 *   waiting    a run that nobody plays, for those who follow its events
 * Prints `run ID` and then `game ID` for each of the long ones. Same games every time.
 */
#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/policy/registry.h"
#include "store/job.h"

#define POLICIES      20
#define LONG_MOVES    130
#define LONG_ROUNDS   256
#define LONG_POLICIES 2

static struct store *st;

static void need(enum d7_err err, const char *what)
{
    if (err) {
        (void)fprintf(stderr, "bench fill: %s: %s (%s)\n", what, d7_err_text(err),
                      st ? store_message(st) : "");
        exit(1);
    }
}

static void add_policy(const char *id, const char *name, const char *suite,
                       char ret_run[STORE_KEY_SIZE])
{
    const struct policy_new_row row = {.id = id,
                                       .name = name,
                                       .family = "bench",
                                       .description = "Plays so that there is something to rank.",
                                       .kind = KIND_BUILTIN,
                                       .public_information = true,
                                       .concurrency = 1,
                                       .sha256 = "",
                                       .format = "builtin",
                                       .endpoint = "",
                                       .suite_id = suite};
    need(policy_add(st, &row, clock_utc_ms(), ret_run), "policy");
}

/* The policy's column, or with that chance in a thousand any legal one: policies that differ. */
static unsigned choose(struct policy *p, const struct position *at, unsigned legal, uint32_t chance,
                       struct rng *rng)
{
    struct decision d;
    policy_decide(p, at, &d);
    unsigned column = (unsigned)d.column;
    if (rng_below(rng, 1000) < chance) {
        do {
            column = rng_below(rng, BOARD_COLUMNS);
        } while (!(legal >> column & 1));
    }
    return column;
}

struct played {
    uint8_t columns[ROUND_MOVES_MAX];
    uint32_t think_us[ROUND_MOVES_MAX];
    size_t moves;
};

static void play(struct policy *p, const struct round *round, uint32_t chance, uint32_t seed,
                 struct played *ret)
{
    struct game g;
    struct turn turn;
    struct rng rng = {seed};
    game_start(&g, round);
    while (!game_is_done(&g)) {
        struct position at = game_position(&g, round);
        unsigned column = choose(p, &at, board_legal(&g.board), chance, &rng);
        ret->think_us[g.moves] = 40;
        ret->columns[g.moves] = (uint8_t)column;
        game_play(&g, round, column, NULL, &turn);
    }
    ret->moves = g.moves;
}

static void record(const struct job *job, const struct round *round, const struct played *p,
                   char ret_id[STORE_KEY_SIZE])
{
    struct game_result result = {.columns = p->columns,
                                 .think_us = p->think_us,
                                 .moves = p->moves,
                                 .reason = "",
                                 .elapsed_ms = 12,
                                 .ms_p50 = 0.04,
                                 .ms_p95 = 0.04,
                                 .ms_p99 = 0.04,
                                 .ms_max = 0.04,
                                 .faults_json = span_of("[]"),
                                 .stderr_tail = span_of("")};
    need(replay_run(round, p->columns, p->moves, NULL, &result.summary, NULL), "replay");
    result.outcome = result.summary.censored ? OUTCOME_CENSORED : OUTCOME_OVER;
    need(job_finish_game(st, job, &result, clock_utc_ms(), ret_id), "game");
}

static bool claim(struct job *ret)
{
    const struct job_skills all = {true, true, true};
    enum d7_err err = job_claim(st, &all, "bench", clock_utc_ms(), ret);
    if (err == D7_ERR_NOT_FOUND) {
        return false;
    }
    need(err, "claim");
    return true;
}

static void fill_gauntlet(struct policy *p)
{
    static struct played played;
    char run[STORE_KEY_SIZE];
    char game[STORE_KEY_SIZE];
    for (uint32_t i = 0; i < POLICIES; i++) {
        char id[16];
        char name[16];
        struct job job;
        (void)snprintf(id, sizeof(id), "bench-%02u", i + 1);
        (void)snprintf(name, sizeof(name), "Bench %02u", i + 1);
        add_policy(id, name, "gauntlet", run);
        while (claim(&job)) {
            struct roundfile *round = NULL;
            need(round_get(st, job.round_id, &round), "round");
            play(p, &round->round, i * 40, 1000 + i, &played);
            record(&job, &round->round, &played, game);
            roundfile_free(round);
        }
    }
}

/* The first round on which the policy plays on to the cap. */
static struct roundfile *long_round(struct policy *p, struct played *ret)
{
    for (uint32_t seed = 1;; seed++) {
        struct roundfile *round = NULL;
        need(roundfile_generate(seed, LONG_MOVES, "long", "Long", &round, NULL), "round");
        play(p, &round->round, 0, 1, ret);
        if (ret->moves == LONG_MOVES) {
            return round;
        }
        roundfile_free(round);
    }
}

/* The same game on rounds of other names: what a replay costs does not depend on them. */
static void fill_long(struct policy *p)
{
    static struct played played;
    static char names[LONG_ROUNDS][16];
    const char *ids[LONG_ROUNDS];
    struct roundfile *one = long_round(p, &played);
    for (int k = 0; k < LONG_ROUNDS; k++) {
        (void)snprintf(names[k], sizeof(names[k]), "long-%03d", k + 1);
        ids[k] = names[k];
        (void)snprintf(one->id, sizeof(one->id), "%s", names[k]);
        need(round_add(st, one, clock_utc_ms()), "round");
    }
    need(suite_add(st, "long", "Long games", false, ids, LONG_ROUNDS, clock_utc_ms()), "suite");
    for (int i = 0; i < LONG_POLICIES; i++) {
        char id[16];
        char run[STORE_KEY_SIZE];
        char game[STORE_KEY_SIZE];
        struct job job;
        (void)snprintf(id, sizeof(id), "long-%d", i + 1);
        add_policy(id, id, "long", run);
        while (claim(&job)) {
            record(&job, &one->round, &played, game);
            (void)printf("game %s\n", game);
        }
    }
    roundfile_free(one);
}

int main(int argc, char **argv)
{
    struct d7_why why = {0};
    struct policy *greedy = NULL;
    struct policy *fair = NULL;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: fill DIR\n");
        return 2;
    }
    need(policy_new(policy_find(span_of("greedy")), 1, &greedy), "greedy");
    need(policy_new(policy_find(span_of("fair-d2-s7")), 1, &fair), "fair-d2-s7");
    need(store_open(argv[1], STORE_MIGRATE, &st, &why), why.text);
    char run[STORE_KEY_SIZE];
    fill_gauntlet(greedy);
    fill_long(fair);
    add_policy("waiting", "Waiting", "gauntlet", run);
    (void)printf("run %s\n", run);
    store_close(st);
    policy_free(greedy);
    policy_free(fair);
    return 0;
}
