/* ranking_csv.c - the board as RFC 4180 text: CRLF, empty for null, and no cell a spreadsheet would
 * take for a formula. */
#include "server/api/ranking.h"

static void cell_text(struct buf *to, const char *text)
{
    bool formula = text[0] && strchr("=+-@", text[0]);
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    if (quote) {
        buf_char(to, '"');
    }
    if (formula) {
        buf_char(to, '\'');
    }
    for (const char *c = text; *c; c++) {
        if (*c == '"') {
            buf_char(to, '"');
        }
        buf_char(to, *c);
    }
    if (quote) {
        buf_char(to, '"');
    }
}

static void cell_int(struct buf *to, int64_t value)
{
    buf_printf(to, ",%lld", (long long)value);
}

static void cell_double(struct buf *to, double value)
{
    char text[32];
    double_format(value, text, sizeof(text));
    buf_printf(to, ",%s", text);
}

static void write_row(const struct ranking *b, size_t i, struct buf *to)
{
    const struct rank_row *r = &b->result.rows[i];
    cell_text(to, r->policy_id);
    cell_int(to, r->games);
    cell_double(to, r->mean_score);
    cell_double(to, r->median_score);
    cell_double(to, r->lower_quartile_score);
    cell_int(to, r->minimum_score);
    cell_int(to, r->maximum_score);
    if (r->has_sd) {
        cell_double(to, r->sd_score);
    } else {
        buf_char(to, ',');
    }
    cell_double(to, r->mean_moves);
    cell_int(to, r->censored_games);
    cell_int(to, r->forfeits);
    cell_int(to, r->illegal_moves);
    cell_int(to, r->timeouts);
    cell_int(to, r->crashes);
    cell_double(to, r->mean_clears_per_move);
    cell_double(to, r->mean_reveals_per_move);
    cell_int(to, r->max_chain);
    cell_int(to, r->elapsed_ms);
    buf_text(to, ",,"); /* meanScoreCi95 */
    if (r->rank > 0) {
        cell_int(to, r->rank);
    } else {
        buf_char(to, ',');
    }
    buf_text(to, ",,"); /* rankCi95 */
    buf_text(to, r->provisional ? ",true" : ",false");
}

/* The score on a round; an empty cell without a game. */
static void write_score(const struct ranking *b, size_t i, const char *round_id, struct buf *to)
{
    for (size_t k = 0; k < b->input.game_count; k++) {
        const struct game_row *g = &b->input.games[k];
        if (strcmp(g->policy_id, b->rows[i]->id) == 0 && strcmp(g->round_id, round_id) == 0) {
            cell_int(to, g->summary.score);
            return;
        }
    }
    buf_char(to, ',');
}

void ranking_write_csv(const struct ranking *b, struct buf *to)
{
    buf_text(to, "policyId,games,meanScore,medianScore,lowerQuartileScore,minimumScore,"
                 "maximumScore,sdScore,meanMoves,censoredGames,forfeits,illegalMoves,timeouts,"
                 "crashes,meanClearsPerMove,meanRevealsPerMove,maxChain,elapsedMs,"
                 "meanScoreCi95_lo,meanScoreCi95_hi,rank,rankCi95_lo,rankCi95_hi,provisional");
    for (size_t k = 0; k < b->round_count; k++) {
        buf_char(to, ',');
        cell_text(to, b->suite->round_ids[ranking_round(b, k)]);
    }
    buf_text(to, "\r\n");
    for (size_t i = 0; i < b->result.row_count; i++) {
        if (!ranking_shows(b, i)) {
            continue;
        }
        write_row(b, i, to);
        for (size_t k = 0; k < b->round_count; k++) {
            write_score(b, i, b->suite->round_ids[ranking_round(b, k)], to);
        }
        buf_text(to, "\r\n");
    }
}
