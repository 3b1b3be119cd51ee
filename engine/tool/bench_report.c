/* leaderboard.json and the table of a benchmark. */
#include <inttypes.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/rank/leaderboard.h"
#include "engine/tool/bench.h"

static enum d7_err rank(const struct bench *b, struct rank_result *ret)
{
    struct rank_policy policies[BENCH_POLICY_MAX] = {0};
    struct rank_game *games = calloc(b->game_count ? b->game_count : 1, sizeof(*games));
    if (!games) {
        return D7_ERR_NOMEM;
    }
    for (unsigned i = 0; i < b->policy_count; i++) {
        memcpy(policies[i].id, b->policies[i].id, sizeof(policies[i].id));
        policies[i].seniority = i;
    }
    size_t count = 0;
    for (size_t i = 0; i < b->game_count; i++) {
        const struct bench_game *g = &b->games[i];
        if (g->state != BENCH_DONE) {
            continue;
        }
        struct rank_game *to = &games[count++];
        memcpy(to->policy_id, b->policies[g->policy].id, sizeof(to->policy_id));
        to->round_index = g->round;
        to->summary = g->facts.summary;
        to->outcome = g->facts.outcome;
        to->illegal_moves = g->facts.illegal_moves;
        to->timeouts = g->facts.timeouts;
        to->crashes = g->facts.crashes;
        to->elapsed_ms = g->facts.elapsed_ms;
    }
    enum d7_err err =
        rank_compute(policies, b->policy_count, games, count, b->round_count, NULL, ret);
    free(games);
    return err;
}

/* The best built-in with all its games, or NULL. */
static const char *reference_of(const struct bench *b, const struct rank_result *r)
{
    for (size_t i = 0; i < r->row_count && r->rows[i].rank > 0; i++) {
        for (unsigned k = 0; k < b->policy_count; k++) {
            if (b->policies[k].info && strcmp(b->policies[k].id, r->rows[i].policy_id) == 0) {
                return r->rows[i].policy_id;
            }
        }
    }
    return NULL;
}

static void write_board(const struct bench *b, const struct rank_result *r, struct jout *j)
{
    jout_object(j);
    jout_kv_text(j, "format", "drop7-leaderboard-v1");
    jout_kv_time(j, "generatedAt", clock_utc_ms());
    uint32_t cap = 0;
    for (unsigned i = 0; i < b->round_count; i++) {
        cap = b->rounds[i]->round.maximum_moves > cap ? b->rounds[i]->round.maximum_moves : cap;
    }
    jout_kv_int(j, "moveCap", cap);
    jout_key(j, "rounds");
    jout_array(j);
    for (unsigned i = 0; i < b->round_count; i++) {
        jout_object(j);
        jout_kv_text(j, "id", b->rounds[i]->id);
        jout_kv_text(j, "name", b->rounds[i]->name);
        jout_kv_text(j, "generatorSeedHex", b->rounds[i]->seed_hex);
        jout_object_end(j);
    }
    jout_array_end(j);
    jout_key(j, "policies");
    jout_array(j);
    for (unsigned i = 0; i < b->policy_count; i++) {
        const struct bench_policy *p = &b->policies[i];
        jout_object(j);
        jout_kv_text(j, "id", p->id);
        jout_kv_text(j, "name", p->info ? p->info->name : p->id);
        jout_kv_text(j, "family", p->info ? p->info->family : "command");
        jout_kv_bool(j, "publicInformation", p->info ? p->info->public_information : true);
        jout_object_end(j);
    }
    jout_array_end(j);
    jout_key(j, "games");
    jout_array(j);
    for (size_t i = 0; i < b->game_count; i++) {
        const struct bench_game *g = &b->games[i];
        if (g->state == BENCH_DONE) {
            jout_object(j);
            game_facts_write(j, &g->facts, b->rounds[g->round]->id);
            jout_object_end(j);
        }
    }
    jout_array_end(j);
    rank_method_write(j, reference_of(b, r));
    jout_key(j, "summaries");
    jout_array(j);
    for (size_t i = 0; i < r->row_count; i++) {
        rank_row_write(j, &r->rows[i]);
    }
    jout_array_end(j);
    jout_object_end(j);
}

static void print_games(const struct bench *b)
{
    (void)printf("%-18s %-14s %9s %6s %5s %-16s\n", "policy", "round", "score", "moves", "chain",
                 "checksum");
    for (size_t i = 0; i < b->game_count; i++) {
        const struct bench_game *g = &b->games[i];
        if (g->state != BENCH_DONE) {
            continue;
        }
        const struct replay_facts *f = &g->facts;
        (void)printf("%-18s %-14s %9" PRId64 " %6" PRIu32 " %5" PRIu32 " %-16s", f->policy_id,
                     b->rounds[g->round]->id, f->summary.score, f->summary.moves,
                     f->summary.max_chain, f->summary.checksum);
        if (f->outcome != OUTCOME_OVER) {
            (void)printf(" %s%s%s", outcome_text(f->outcome), f->reason[0] ? ": " : "", f->reason);
        }
        if (f->illegal_moves || f->timeouts || f->crashes) {
            (void)printf(" illegal %" PRIu32 ", timeouts %" PRIu32 ", crashes %" PRIu32,
                         f->illegal_moves, f->timeouts, f->crashes);
        }
        (void)printf("%s\n", f->nondeterministic ? " NONDETERMINISTIC" : "");
    }
}

static void print_summaries(const struct rank_result *r)
{
    (void)printf("\n%4s %-18s %5s %11s %11s %9s %9s %7s\n", "rank", "policy", "games", "mean",
                 "median", "min", "max", "moves");
    for (size_t i = 0; i < r->row_count; i++) {
        const struct rank_row *row = &r->rows[i];
        char place[12] = "-";
        if (row->rank) {
            (void)snprintf(place, sizeof(place), "%" PRIu32, row->rank);
        }
        (void)printf("%4s %-18s %5" PRIu32 " %11.1f %11.1f %9" PRId64 " %9" PRId64 " %7.1f\n",
                     place, row->policy_id, row->games, row->mean_score, row->median_score,
                     row->minimum_score, row->maximum_score, row->mean_moves);
    }
}

static void print_missing(const struct bench *b)
{
    size_t missing = b->game_count - b->done;
    if (missing == 0) {
        return;
    }
    (void)fprintf(stderr, "not played: %zu of %zu games:", missing, b->game_count);
    size_t named = 0;
    for (size_t i = 0; i < b->game_count && named < 20; i++) {
        if (b->games[i].state != BENCH_DONE) {
            (void)fprintf(stderr, " %s--%s", b->policies[b->games[i].policy].id,
                          b->rounds[b->games[i].round]->id);
            named++;
        }
    }
    (void)fprintf(stderr, "%s\nthe same command with --resume plays the rest\n",
                  missing > named ? " ..." : "");
}

enum d7_err bench_report(const struct bench *b, struct d7_why *why)
{
    struct rank_result ranks;
    enum d7_err err = rank(b, &ranks);
    if (err) {
        return err;
    }
    const char *reference = reference_of(b, &ranks);
    if (reference) {
        err = rank_pair(&ranks, reference, NULL);
    }
    if (err) {
        rank_release(&ranks);
        return err;
    }
    struct buf text;
    buf_init(&text, 64u << 20);
    struct jout j;
    jout_init(&j, &text);
    write_board(b, &ranks, &j);
    buf_char(&text, '\n');
    char path[4096];
    int used = snprintf(path, sizeof(path), "%s/leaderboard.json", b->out);
    err = text.err;
    if (!err) {
        err = used < 0 || (size_t)used >= sizeof(path) ? D7_ERR_TOO_LARGE
                                                       : file_write(path, buf_span(&text), 0644);
    }
    if (err) {
        (void)d7_refuse(why, err, "out", "%s: %s", path, d7_err_text(err));
    } else {
        print_games(b);
        print_summaries(&ranks);
    }
    print_missing(b);
    buf_release(&text);
    rank_release(&ranks);
    return err;
}
