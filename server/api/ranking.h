/*
 * ranking.h - one leaderboard: its inputs, its rows, and both forms it is written in.
 *
 * Source  ../shared/spec/api.md, "Leaderboard" and "Statistics".
 * Why     rank and reference come from all ready policies on the chosen rounds; kind, family and
 * status only select which rows are shown. So choosing and showing are two steps.
 * Owns    struct ranking owns what it read; the suite and the choice are borrowed.
 * Threads none.
 * Errors  the store's; D7_ERR_NOT_FOUND: the reference has no games here; D7_ERR_NOMEM.
 */
#ifndef SERVER_API_RANKING_H
#define SERVER_API_RANKING_H

#include "engine/rank/leaderboard.h"
#include "store/game.h"

struct ranking_choice {
    bool has_kind;
    enum policy_kind kind;
    enum policy_status status;     /* rows shown; others than ready ones are guests of the board */
    char family[STORE_NAME_SIZE];  /* empty: any */
    char reference[STORE_ID_SIZE]; /* empty: the best ready built-in */
    size_t *rounds;                /* owned; indexes into the suite's rounds; NULL: all */
    size_t round_count;
};

struct ranking {
    const struct suite_row *suite;
    const struct ranking_choice *choice;
    struct board_input input;
    struct rank_result result;
    size_t round_count;             /* of the chosen rounds */
    const struct policy_row **rows; /* owned; the policy of each result row */
    const char *reference;          /* NULL: there is none */
};

D7_MUST_USE enum d7_err ranking_read(struct store *st, const struct suite_row *suite,
                                     const struct ranking_choice *choice,
                                     struct interval_memo *memo, struct ranking *ret);
void ranking_release(struct ranking *b);

/* The suite's index of the i-th chosen round. */
size_t ranking_round(const struct ranking *b, size_t i);
/* Is row i shown under the choice? */
bool ranking_shows(const struct ranking *b, size_t i);

/* The store is asked for the names of the rounds and the games of people. */
D7_MUST_USE enum d7_err ranking_write_json(const struct ranking *b, struct store *st,
                                           struct buf *to);
void ranking_write_csv(const struct ranking *b, struct buf *to);

#endif
