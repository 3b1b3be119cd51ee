/*
 * leaderboard.h - from counted games to rows: pure arithmetic, and the JSON of the board.
 *
 * Source  ../shared/spec/api.md, "Leaderboard" and "Statistics".
 * Why     ranks first, pairs after: which policy is the reference may depend on the ranks.
 * Owns    struct rank_result owns its rows and scores; inputs are borrowed.
 * Errors  D7_ERR_NOMEM, D7_ERR_NOT_FOUND.
 * Determinism: the result depends on the inputs alone; input order does not matter.
 * Threads none.
 */
#ifndef ENGINE_RANK_LEADERBOARD_H
#define ENGINE_RANK_LEADERBOARD_H

#include "engine/rank/paired.h"
#include "engine/record/replay.h"

#define RANK_ID_SIZE 65

struct rank_game {
    char policy_id[RANK_ID_SIZE];
    uint32_t round_index; /* into rounds */
    struct summary summary;
    enum outcome outcome;
    uint32_t illegal_moves, timeouts, crashes;
    int64_t elapsed_ms;
};

struct rank_policy {
    char id[RANK_ID_SIZE];
    bool guest;        /* shown and compared with the reference, but neither ranked nor resampled */
    int64_t seniority; /* smaller: the earlier revision; equal means are listed in this order */
};

/* One summary. Quantiles by linear interpolation at (n-1)q; sd with n-1. */
struct rank_row {
    char policy_id[RANK_ID_SIZE];
    uint32_t games;
    double mean_score, median_score, lower_quartile_score;
    int64_t minimum_score, maximum_score;
    bool has_sd;
    double sd_score;
    double mean_moves;
    uint32_t censored_games, forfeits, illegal_moves, timeouts, crashes;
    double mean_clears_per_move, mean_reveals_per_move; /* totals over totals; 0 without moves */
    uint32_t max_chain;
    int64_t elapsed_ms;
    bool has_mean_ci; /* ranked, and enough rounds; both intervals come together */
    struct interval mean_ci;
    uint32_t rank; /* 0: provisional or a guest, null in JSON */
    struct rank_span rank_ci;
    bool provisional;
    bool guest;
    bool has_paired; /* a reference was set and both have played some round */
    struct paired paired;
};

struct rank_result {
    struct rank_row *rows; /* owned; ranked ones by rank, then the others by mean */
    size_t row_count;
    /* owned; row i has its score on round r at [i * round_count + r], STATS_UNPLAYED without one */
    int64_t *scores;
    size_t round_count;
};

/* One game per (policy, round) at most and round_index under round_count, the caller's promise
 * (CHECK). Policies without games give no row. memo (NULL: none) spares what was worked out for an
 * earlier board; the result is the same to the bit. */
D7_MUST_USE enum d7_err rank_compute(const struct rank_policy *policies, size_t policy_count,
                                     const struct rank_game *games, size_t game_count,
                                     size_t round_count, struct interval_memo *memo,
                                     struct rank_result *ret);
void rank_release(struct rank_result *r);

/* The scores of row i by round. */
const int64_t *rank_scores(const struct rank_result *r, size_t i);

/* Pairs every row, the reference's own too, with the row of that policy. D7_ERR_NOT_FOUND: it has
 * no row; nothing is changed on an error. */
D7_MUST_USE enum d7_err rank_pair(struct rank_result *r, const char *reference,
                                  struct interval_memo *memo);

/* The summary object of api.md. */
void rank_row_write(struct jout *j, const struct rank_row *row);
/* The keys `reference` (NULL writes null) and `bootstrap` into an open object. The latter states
 * the method, also where no row has an interval. */
void rank_method_write(struct jout *j, const char *reference);

#endif
