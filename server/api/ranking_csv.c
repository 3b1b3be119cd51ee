/* ranking_csv.c - the board as CSV: the scalar fields of a summary and its intervals, then a score
 * a round. The comparison with the reference is in the JSON form only. */
#include "server/api/csv.h"
#include "server/api/ranking.h"

#include "engine/rank/stats.h"

static void write_summary(struct csv *c, const struct rank_row *r)
{
    csv_text(c, r->policy_id);
    csv_int(c, r->games);
    csv_double(c, r->mean_score);
    csv_double(c, r->median_score);
    csv_double(c, r->lower_quartile_score);
    csv_int(c, r->minimum_score);
    csv_int(c, r->maximum_score);
    r->has_sd ? csv_double(c, r->sd_score) : csv_null(c);
    csv_double(c, r->mean_moves);
    csv_int(c, r->censored_games);
    csv_int(c, r->forfeits);
    csv_int(c, r->illegal_moves);
    csv_int(c, r->timeouts);
    csv_int(c, r->crashes);
    csv_double(c, r->mean_clears_per_move);
    csv_double(c, r->mean_reveals_per_move);
    csv_int(c, r->max_chain);
    csv_int(c, r->elapsed_ms);
    r->has_mean_ci ? csv_double(c, r->mean_ci.low) : csv_null(c);
    r->has_mean_ci ? csv_double(c, r->mean_ci.high) : csv_null(c);
    r->rank > 0 ? csv_int(c, r->rank) : csv_null(c);
    r->has_mean_ci ? csv_int(c, r->rank_ci.best) : csv_null(c);
    r->has_mean_ci ? csv_int(c, r->rank_ci.worst) : csv_null(c);
    csv_text(c, r->provisional ? "true" : "false");
}

void ranking_write_csv(const struct ranking *b, struct buf *to)
{
    static const char *const names[] = {"policyId",
                                        "games",
                                        "meanScore",
                                        "medianScore",
                                        "lowerQuartileScore",
                                        "minimumScore",
                                        "maximumScore",
                                        "sdScore",
                                        "meanMoves",
                                        "censoredGames",
                                        "forfeits",
                                        "illegalMoves",
                                        "timeouts",
                                        "crashes",
                                        "meanClearsPerMove",
                                        "meanRevealsPerMove",
                                        "maxChain",
                                        "elapsedMs",
                                        "meanScoreCi95_lo",
                                        "meanScoreCi95_hi",
                                        "rank",
                                        "rankCi95_lo",
                                        "rankCi95_hi",
                                        "provisional"};
    struct csv c = {.to = to};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        csv_text(&c, names[i]);
    }
    for (size_t k = 0; k < b->round_count; k++) {
        csv_text(&c, b->suite->round_ids[ranking_round(b, k)]);
    }
    csv_end(&c);
    for (size_t i = 0; i < b->result.row_count; i++) {
        if (!ranking_shows(b, i)) {
            continue;
        }
        write_summary(&c, &b->result.rows[i]);
        const int64_t *scores = rank_scores(&b->result, i);
        for (size_t k = 0; k < b->round_count; k++) {
            scores[k] == STATS_UNPLAYED ? csv_null(&c) : csv_int(&c, scores[k]);
        }
        csv_end(&c);
    }
}
