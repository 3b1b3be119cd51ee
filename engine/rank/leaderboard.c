#include "engine/rank/leaderboard.h"

#include "engine/rank/stats.h"

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

static void fill_scores(struct rank_row *row, const struct rank_game *games, size_t n,
                        int64_t *scores)
{
    for (size_t i = 0; i < n; i++) {
        scores[i] = games[i].summary.score;
    }
    struct stats s = stats_of(scores, n);
    row->mean_score = s.mean;
    row->median_score = s.median;
    row->lower_quartile_score = s.lower_quartile;
    row->minimum_score = s.minimum;
    row->maximum_score = s.maximum;
    row->has_sd = s.has_sd;
    row->sd_score = s.sd;
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
    row->guest = t->policy->guest;
}

/* A row with what decides its place; the row goes along so that one sort does it. */
struct placed {
    struct rank_row row;
    int64_t seniority;
    size_t first; /* its games in the sorted array */
};

static bool is_ranked(const struct rank_row *row)
{
    return !row->provisional && !row->guest;
}

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    if (is_ranked(&x->row) != is_ranked(&y->row)) {
        return is_ranked(&x->row) ? -1 : 1;
    }
    if (x->row.mean_score > y->row.mean_score || x->row.mean_score < y->row.mean_score) {
        return x->row.mean_score > y->row.mean_score ? -1 : 1;
    }
    if (x->seniority != y->seniority) {
        return x->seniority < y->seniority ? -1 : 1;
    }
    return strcmp(x->row.policy_id, y->row.policy_id);
}

/* For ties: ranked rows in front, the earlier revision first. */
static int by_seniority(const void *a, const void *b)
{
    const struct placed *x = *(struct placed *const *)a;
    const struct placed *y = *(struct placed *const *)b;
    if (is_ranked(&x->row) != is_ranked(&y->row)) {
        return is_ranked(&x->row) ? -1 : 1;
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

/* The matrix of scores, in the order of the rows. */
static void fill_matrix(const struct placed *placed, size_t count, const struct rank_game *games,
                        size_t round_count, int64_t *scores)
{
    for (size_t i = 0; i < count * round_count; i++) {
        scores[i] = STATS_UNPLAYED;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = placed[i].first; k < placed[i].first + placed[i].row.games; k++) {
            D7_CHECK(games[k].round_index < round_count);
            scores[i * round_count + games[k].round_index] = games[k].summary.score;
        }
    }
}

/* Intervals of the ranked rows; placed is in the order of the matrix. */
static enum d7_err fill_intervals(struct placed *placed, size_t count, const int64_t *scores,
                                  size_t round_count, struct interval_memo *memo)
{
    if (count == 0 || round_count < BOOTSTRAP_ROUNDS_MIN) {
        return D7_OK;
    }
    enum d7_err err = D7_ERR_NOMEM;
    size_t ranked = 0;
    struct placed **order = calloc(count, sizeof(struct placed *));
    const int64_t **lists = calloc(count, sizeof(*lists));
    struct rank_span *spans = calloc(count, sizeof(*spans));
    if (!order || !lists || !spans) {
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = &placed[i];
        ranked += is_ranked(&placed[i].row);
    }
    qsort(order, count, sizeof(struct placed *), by_seniority);
    for (size_t i = 0; i < ranked; i++) {
        lists[i] = scores + (size_t)(order[i] - placed) * round_count;
    }
    err = bootstrap_ranks(lists, ranked, round_count, spans);
    for (size_t i = 0; i < ranked && !err; i++) {
        struct rank_row *row = &order[i]->row;
        row->has_mean_ci = interval_memo_mean(memo, lists[i], round_count, &row->mean_ci);
        row->rank_ci = spans[i];
    }
out:
    free(order);
    free(lists);
    free(spans);
    return err;
}

/* Ranks, scores and intervals of rows that are in their final order. */
static enum d7_err finish(struct placed *placed, size_t count, const struct rank_game *games,
                          size_t round_count, struct interval_memo *memo, struct rank_result *ret)
{
    struct rank_result r = {.row_count = count, .round_count = round_count};
    r.rows = calloc(count ? count : 1, sizeof(*r.rows));
    r.scores = calloc(count ? count : 1, (round_count ? round_count : 1) * sizeof(*r.scores));
    enum d7_err err = r.rows && r.scores ? D7_OK : D7_ERR_NOMEM;
    if (!err) {
        fill_matrix(placed, count, games, round_count, r.scores);
        err = fill_intervals(placed, count, r.scores, round_count, memo);
    }
    if (err) {
        rank_release(&r);
        return err;
    }
    for (size_t i = 0; i < count; i++) {
        r.rows[i] = placed[i].row;
        r.rows[i].rank = is_ranked(&r.rows[i]) ? (uint32_t)(i + 1) : 0;
    }
    *ret = r;
    return D7_OK;
}

enum d7_err rank_compute(const struct rank_policy *policies, size_t policy_count,
                         const struct rank_game *games, size_t game_count, size_t round_count,
                         struct interval_memo *memo, struct rank_result *ret)
{
    enum d7_err err = D7_ERR_NOMEM;
    size_t count = 0; /* rows so far */
    size_t at = 0;    /* the next sorted game */
    struct rank_policy *who = copy_sorted(policies, policy_count, sizeof(*who), by_id);
    struct rank_game *what = copy_sorted(games, game_count, sizeof(*what), by_policy_and_round);
    struct placed *placed = calloc(policy_count ? policy_count : 1, sizeof(*placed));
    int64_t *scores = calloc(game_count ? game_count : 1, sizeof(*scores));
    if (!who || !what || !placed || !scores) {
        goto out;
    }
    for (size_t i = 0; i < policy_count; i++) {
        struct tally t = tally_of(&who[i], what, game_count, &at);
        if (t.count > 0) {
            fill_row(&placed[count].row, &t, what, round_count, scores);
            placed[count].first = t.first;
            placed[count++].seniority = who[i].seniority;
        }
    }
    qsort(placed, count, sizeof(*placed), by_place);
    err = finish(placed, count, what, round_count, memo, ret);
out:
    free(who);
    free(what);
    free(placed);
    free(scores);
    return err;
}

void rank_release(struct rank_result *r)
{
    free(r->rows);
    free(r->scores);
    *r = (struct rank_result){0};
}

const int64_t *rank_scores(const struct rank_result *r, size_t i)
{
    D7_CHECK(i < r->row_count);
    return r->scores + i * r->round_count;
}

enum d7_err rank_pair(struct rank_result *r, const char *reference, struct interval_memo *memo)
{
    size_t at = 0;
    while (at < r->row_count && strcmp(r->rows[at].policy_id, reference) != 0) {
        at++;
    }
    if (at == r->row_count) {
        return D7_ERR_NOT_FOUND;
    }
    D7_AUTO_FREE struct paired *pairs = calloc(r->row_count, sizeof(*pairs));
    if (!pairs) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < r->row_count; i++) {
        enum d7_err err =
            paired_compute(rank_scores(r, i), rank_scores(r, at), r->round_count, memo, &pairs[i]);
        if (err) {
            return err;
        }
    }
    for (size_t i = 0; i < r->row_count; i++) {
        r->rows[i].has_paired = pairs[i].has_pairs;
        r->rows[i].paired = pairs[i];
    }
    return D7_OK;
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
    jout_key(j, "meanScoreCi95");
    if (row->has_mean_ci) {
        jout_array(j);
        jout_double(j, row->mean_ci.low);
        jout_double(j, row->mean_ci.high);
        jout_array_end(j);
    } else {
        jout_null(j);
    }
    jout_key(j, "rank");
    row->rank ? jout_int(j, row->rank) : jout_null(j);
    jout_key(j, "rankCi95");
    if (row->has_mean_ci) {
        jout_array(j);
        jout_int(j, row->rank_ci.best);
        jout_int(j, row->rank_ci.worst);
        jout_array_end(j);
    } else {
        jout_null(j);
    }
    jout_kv_bool(j, "provisional", row->provisional);
    jout_key(j, "paired");
    row->has_paired ? paired_write(j, &row->paired) : jout_null(j);
    jout_object_end(j);
}

void rank_method_write(struct jout *j, const char *reference)
{
    jout_key(j, "reference");
    jout_text(j, reference);
    jout_key(j, "bootstrap");
    jout_object(j);
    jout_kv_int(j, "resamples", BOOTSTRAP_RESAMPLES);
    jout_kv_int(j, "seed", BOOTSTRAP_SEED);
    jout_object_end(j);
}
