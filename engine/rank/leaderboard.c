#include "engine/rank/leaderboard.h"

#include <math.h>

/* What is gathered of one policy before its row is made. */
struct tally {
    const struct rank_policy *policy;
    size_t first, count; /* its games in the sorted array */
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct rank_policy *)a)->id, ((const struct rank_policy *)b)->id);
}

/* Rounds in order within a policy: sums are then the same whatever order the games came in. */
static int by_policy_and_round(const void *a, const void *b)
{
    const struct rank_game *x = a;
    const struct rank_game *y = b;
    int order = strcmp(x->policy_id, y->policy_id);
    return order ? order : (x->round_index > y->round_index) - (x->round_index < y->round_index);
}

static int by_score(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Quantile q of n ascending scores: linear interpolation between order statistics at (n-1)q. */
static double quantile(const int64_t *sorted, size_t n, double q)
{
    double place = (double)(n - 1) * q;
    size_t low = (size_t)place;
    size_t high = low + 1 < n ? low + 1 : low;
    double part = place - (double)low;
    return (double)sorted[low] + part * (double)(sorted[high] - sorted[low]);
}

static void fill_scores(struct rank_row *row, const struct rank_game *games, size_t n,
                        int64_t *scores)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        scores[i] = games[i].summary.score;
        sum += scores[i];
    }
    qsort(scores, n, sizeof(*scores), by_score);
    row->mean_score = (double)sum / (double)n;
    row->median_score = quantile(scores, n, 0.5);
    row->lower_quartile_score = quantile(scores, n, 0.25);
    row->minimum_score = scores[0];
    row->maximum_score = scores[n - 1];
    row->has_sd = n > 1;
    if (row->has_sd) {
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            double off = (double)scores[i] - row->mean_score;
            squares += off * off;
        }
        row->sd_score = sqrt(squares / (double)(n - 1));
    }
}

static void fill_row(struct rank_row *row, const struct tally *t, const struct rank_game *games,
                     size_t round_count, int64_t *scores)
{
    *row = (struct rank_row){.games = (uint32_t)t->count};
    memcpy(row->policy_id, t->policy->id, sizeof(row->policy_id));
    fill_scores(row, games + t->first, t->count, scores);
    int64_t moves = 0;
    int64_t clears = 0;
    int64_t reveals = 0;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        const struct rank_game *g = &games[i];
        moves += g->summary.moves;
        clears += g->summary.discs_cleared;
        reveals += g->summary.covered_revealed;
        row->censored_games += g->summary.censored;
        row->forfeits += g->outcome == OUTCOME_FORFEIT;
        row->illegal_moves += g->illegal_moves;
        row->timeouts += g->timeouts;
        row->crashes += g->crashes;
        row->elapsed_ms += g->elapsed_ms;
        if (g->summary.max_chain > row->max_chain) {
            row->max_chain = g->summary.max_chain;
        }
    }
    row->mean_moves = (double)moves / (double)t->count;
    if (moves > 0) {
        row->mean_clears_per_move = (double)clears / (double)moves;
        row->mean_reveals_per_move = (double)reveals / (double)moves;
    }
    row->provisional = t->count < round_count;
}

/* A row with what decides its place; the row goes along so that one sort does it. */
struct placed {
    struct rank_row row;
    int64_t seniority;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    if (x->row.provisional != y->row.provisional) {
        return x->row.provisional ? 1 : -1;
    }
    if (x->row.mean_score > y->row.mean_score || x->row.mean_score < y->row.mean_score) {
        return x->row.mean_score > y->row.mean_score ? -1 : 1;
    }
    if (x->seniority != y->seniority) {
        return x->seniority < y->seniority ? -1 : 1;
    }
    return strcmp(x->row.policy_id, y->row.policy_id);
}

/* The stretch of sorted games that are this policy's. */
static struct tally tally_of(const struct rank_policy *policy, const struct rank_game *games,
                             size_t game_count, size_t *at)
{
    while (*at < game_count && strcmp(games[*at].policy_id, policy->id) < 0) {
        (*at)++; /* of a policy that is not on this board */
    }
    struct tally t = {policy, *at, 0};
    while (*at < game_count && strcmp(games[*at].policy_id, policy->id) == 0) {
        D7_CHECK(t.count == 0 || games[*at].round_index != games[*at - 1].round_index);
        t.count++;
        (*at)++;
    }
    return t;
}

/* Sorted copies to work on; n may be 0. */
static void *copy_sorted(const void *from, size_t n, size_t size,
                         int (*order)(const void *, const void *))
{
    void *copy = calloc(n ? n : 1, size);
    if (copy && n) {
        memcpy(copy, from, n * size);
        qsort(copy, n, size, order);
    }
    return copy;
}

enum d7_err rank_compute(const struct rank_policy *policies, size_t policy_count,
                         const struct rank_game *games, size_t game_count, size_t round_count,
                         struct rank_result *ret)
{
    enum d7_err err = D7_ERR_NOMEM;
    size_t count = 0; /* rows so far */
    size_t at = 0;    /* the next sorted game */
    struct rank_policy *who = copy_sorted(policies, policy_count, sizeof(*who), by_id);
    struct rank_game *what = copy_sorted(games, game_count, sizeof(*what), by_policy_and_round);
    struct placed *placed = calloc(policy_count ? policy_count : 1, sizeof(*placed));
    struct rank_row *rows = calloc(policy_count ? policy_count : 1, sizeof(*rows));
    int64_t *scores = calloc(game_count ? game_count : 1, sizeof(*scores));
    if (!who || !what || !placed || !rows || !scores) {
        goto out;
    }
    for (size_t i = 0; i < policy_count; i++) {
        struct tally t = tally_of(&who[i], what, game_count, &at);
        if (t.count > 0) {
            fill_row(&placed[count].row, &t, what, round_count, scores);
            placed[count++].seniority = who[i].seniority;
        }
    }
    qsort(placed, count, sizeof(*placed), by_place);
    for (size_t i = 0; i < count; i++) {
        rows[i] = placed[i].row;
        rows[i].rank = rows[i].provisional ? 0 : (uint32_t)(i + 1);
    }
    *ret = (struct rank_result){rows, count};
    rows = NULL; /* now the caller's */
    err = D7_OK;
out:
    free(who);
    free(what);
    free(placed);
    free(rows);
    free(scores);
    return err;
}

void rank_release(struct rank_result *r)
{
    free(r->rows);
    *r = (struct rank_result){0};
}

void rank_row_write(struct jout *j, const struct rank_row *row)
{
    jout_object(j);
    jout_kv_text(j, "policyId", row->policy_id);
    jout_kv_int(j, "games", row->games);
    jout_kv_double(j, "meanScore", row->mean_score);
    jout_kv_double(j, "medianScore", row->median_score);
    jout_kv_double(j, "lowerQuartileScore", row->lower_quartile_score);
    jout_kv_int(j, "minimumScore", row->minimum_score);
    jout_kv_int(j, "maximumScore", row->maximum_score);
    jout_key(j, "sdScore");
    row->has_sd ? jout_double(j, row->sd_score) : jout_null(j);
    jout_kv_double(j, "meanMoves", row->mean_moves);
    jout_kv_int(j, "censoredGames", row->censored_games);
    jout_kv_int(j, "forfeits", row->forfeits);
    jout_kv_int(j, "illegalMoves", row->illegal_moves);
    jout_kv_int(j, "timeouts", row->timeouts);
    jout_kv_int(j, "crashes", row->crashes);
    jout_kv_double(j, "meanClearsPerMove", row->mean_clears_per_move);
    jout_kv_double(j, "meanRevealsPerMove", row->mean_reveals_per_move);
    jout_kv_int(j, "maxChain", row->max_chain);
    jout_kv_int(j, "elapsedMs", row->elapsed_ms);
    jout_kv_null(j, "meanScoreCi95");
    jout_key(j, "rank");
    row->rank ? jout_int(j, row->rank) : jout_null(j);
    jout_kv_null(j, "rankCi95");
    jout_kv_bool(j, "provisional", row->provisional);
    jout_kv_null(j, "paired");
    jout_object_end(j);
}
