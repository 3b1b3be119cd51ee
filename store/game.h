/*
 * game.h - recorded games. Frames are never stored: a replay is the round replayed from the
 * columns.
 */
#ifndef STORE_GAME_H
#define STORE_GAME_H

#include "store/run.h"

struct game_row {
    char id[STORE_KEY_SIZE];
    char policy_id[STORE_ID_SIZE]; /* empty: a person's */
    int64_t revision;
    char player[STORE_NAME_SIZE]; /* empty: a policy's */
    char run_id[STORE_KEY_SIZE];
    char round_id[STORE_ID_SIZE];
    struct summary summary;
    enum outcome outcome;
    char reason[161];
    uint32_t illegal_moves, timeouts, crashes;
    bool nondeterministic;
    bool counted;
    bool voided;
    int64_t elapsed_ms;
    double ms_p50, ms_p95, ms_p99, ms_max;
    int64_t created_at;
};

D7_MUST_USE enum d7_err game_get(struct store *st, const char *id, struct game_row *ret);
/* One byte a move, 0-6; the caller frees. */
D7_MUST_USE enum d7_err game_columns(struct store *st, const char *id, uint8_t **ret_columns,
                                     size_t *ret_count);
/* faults JSON and stderr tail; the caller frees both (never NULL on D7_OK). */
D7_MUST_USE enum d7_err game_log(struct store *st, const char *id, char **ret_faults_json,
                                 char **ret_stderr);

enum game_sort { GAME_SORT_NEWEST, GAME_SORT_OLDEST, GAME_SORT_BEST, GAME_SORT_WORST };
struct game_filter {
    char policy_id[STORE_ID_SIZE];
    char round_id[STORE_ID_SIZE];
    char suite_id[STORE_ID_SIZE];
    char run_id[STORE_KEY_SIZE];
    char player[STORE_NAME_SIZE];
    bool has_outcome;
    enum outcome outcome;
    int64_t since, until; /* created_at: from since, before until; 0: open */
    enum game_sort sort;
};
D7_MUST_USE enum d7_err game_list(struct store *st, const struct game_filter *filter,
                                  struct store_page *page, struct game_row **ret_rows,
                                  size_t *ret_count);
/* The counted game of the current revision on that round. */
D7_MUST_USE enum d7_err game_counted(struct store *st, const char *policy_id, const char *round_id,
                                     struct game_row *ret);

/* Input of a leaderboard: counted, not voided games of current revisions of `ready` policies, and
 * of those with one more status (POLICY_READY: none), on the suite's rounds. */
struct board_input {
    struct game_row *games; /* owned */
    size_t game_count;
    struct policy_row *policies; /* owned; those with games */
    size_t policy_count;
    int64_t newest; /* created_at of the newest input: generatedAt; 0 without any */
};
D7_MUST_USE enum d7_err game_board_input(struct store *st, const struct suite_row *suite,
                                         enum policy_status also, struct board_input *ret);
void board_input_release(struct board_input *in);

/* For `drop7d verify`: all games in id order, in pages; *after is the last id seen ("" at the
 * start). */
D7_MUST_USE enum d7_err game_scan(struct store *st, const char *after, uint32_t limit,
                                  struct game_row **ret_rows, size_t *ret_count);
/* An admin's void: the game stays, never counts again; the next one of that revision and round
 * counts. */
D7_MUST_USE enum d7_err game_void(struct store *st, const char *id, const char *reason,
                                  int64_t now);

#endif
