/*
 * verify: a game is its columns, so every recorded figure can be computed again. Games come in
 * pages and the last rounds used are kept, so memory does not grow with the store.
 */
#include "server/verify.h"

#define PAGE       200
#define ROUND_KEEP 32

struct rounds {
    struct roundfile *kept[ROUND_KEEP]; /* owned */
    size_t next;                        /* whose turn it is to make room */
};

static enum d7_err find_round(struct rounds *rounds, struct store *st, const char *id,
                              const struct roundfile **ret)
{
    for (size_t i = 0; i < ROUND_KEEP; i++) {
        if (rounds->kept[i] && strcmp(rounds->kept[i]->id, id) == 0) {
            *ret = rounds->kept[i];
            return D7_OK;
        }
    }
    struct roundfile *fresh = NULL;
    enum d7_err err = round_get(st, id, &fresh);
    if (err) {
        return err;
    }
    struct roundfile **place = &rounds->kept[rounds->next];
    rounds->next = (rounds->next + 1) % ROUND_KEEP;
    roundfile_free(*place);
    *place = fresh;
    *ret = fresh;
    return D7_OK;
}

/* The first recorded figure that the columns contradict, or NULL. */
const char *verify_difference(const struct game_row *game, const struct summary *again)
{
    const struct summary *kept = &game->summary;
    if (kept->score != again->score) {
        return "score";
    }
    if (strcmp(kept->checksum, again->checksum) != 0) {
        return "checksum";
    }
    if (kept->moves != again->moves) {
        return "moves";
    }
    if (kept->max_chain != again->max_chain) {
        return "maxChain";
    }
    if (kept->discs_cleared != again->discs_cleared) {
        return "discsCleared";
    }
    if (kept->covered_revealed != again->covered_revealed) {
        return "coveredRevealed";
    }
    if (kept->censored != again->censored) {
        return "censored";
    }
    /* a forfeit may have come after any move, the other two ends are the rules' */
    if (game->outcome == OUTCOME_FORFEIT
            ? again->over || again->censored
            : (game->outcome == OUTCOME_OVER) != again->over || again->over == again->censored) {
        return "outcome";
    }
    return NULL;
}

static enum d7_err verify_game(struct store *st, struct rounds *rounds, const struct game_row *game,
                               struct verify_report *report, struct buf *to)
{
    const struct roundfile *round = NULL;
    uint8_t *columns = NULL;
    size_t count = 0;
    struct summary again;
    struct d7_why why = {0};
    const char *differs = NULL;
    enum d7_err err = find_round(rounds, st, game->round_id, &round);
    if (!err) {
        err = game_columns(st, game->id, &columns, &count);
    }
    if (err == D7_ERR_CORRUPT || err == D7_ERR_NOT_FOUND) {
        differs = "cannot be read: its round or its columns are damaged";
        err = D7_OK;
    } else if (!err) {
        err = replay_run(&round->round, columns, count, NULL, &again, &why);
        if (err == D7_ERR_INVALID) {
            differs = why.text;
            err = D7_OK;
        } else if (!err) {
            differs = verify_difference(game, &again);
        }
    }
    if (!err) {
        report->games++;
        if (differs) {
            report->different++;
            buf_printf(to, "game %s (%s on %s) differs: %s\n", game->id, game->policy_id,
                       game->round_id, differs);
        }
    }
    free(columns);
    return err;
}

enum d7_err verify_store(struct store *st, struct verify_report *ret, struct buf *to)
{
    struct verify_report report = {0};
    struct rounds rounds = {0};
    char after[STORE_KEY_SIZE] = "";
    enum d7_err err = D7_OK;
    for (bool more = true; more && !err;) {
        struct game_row *rows = NULL;
        size_t count = 0;
        err = game_scan(st, after, PAGE, &rows, &count);
        for (size_t i = 0; i < count && !err; i++) {
            err = verify_game(st, &rounds, &rows[i], &report, to);
            memcpy(after, rows[i].id, sizeof(after));
        }
        more = count > 0;
        free(rows);
    }
    for (size_t i = 0; i < ROUND_KEEP; i++) {
        roundfile_free(rounds.kept[i]);
    }
    if (!err) {
        err = to->err;
    }
    if (!err) {
        *ret = report;
    }
    return err;
}
