/*
 * verify: a game is its columns, so every recorded figure can be computed again. Games come in
 * pages and the last rounds used are kept, so memory does not grow with the store.
 */
#include "server/verify.h"

#include "store/game_verify.h"

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

/* D7_ERR_CORRUPT with what differs in why; other errors are the store's. */
static enum d7_err look(struct store *st, struct rounds *rounds, const struct game_row *game,
                        struct d7_why *why)
{
    const struct roundfile *round = NULL;
    uint8_t *columns = NULL;
    size_t count = 0;
    char *faults = NULL;
    char *tail = NULL;
    struct jval *list = NULL;
    struct summary again;
    enum d7_err err = find_round(rounds, st, game->round_id, &round);
    if (!err) {
        err = game_columns(st, game->id, &columns, &count);
    }
    if (!err) {
        err = game_log(st, game->id, &faults, &tail);
    }
    if (err == D7_ERR_CORRUPT || err == D7_ERR_NOT_FOUND) {
        err = d7_refuse(why, D7_ERR_CORRUPT, NULL,
                        "cannot be read: its round or its record is damaged");
    }
    if (!err) {
        err = replay_run(&round->round, columns, count, NULL, &again, why);
        err = err == D7_ERR_INVALID ? D7_ERR_CORRUPT : err; /* why says at which move */
    }
    const char *differs = err ? NULL : game_difference(game, &again);
    if (differs) {
        err = d7_refuse(why, D7_ERR_CORRUPT, NULL, "%s", differs);
    }
    if (!err) {
        err = game_faults(faults, &list, why);
    }
    jval_free(list);
    free(columns);
    free(faults);
    free(tail);
    return err;
}

static enum d7_err verify_game(struct store *st, struct rounds *rounds, const struct game_row *game,
                               struct verify_report *report, struct buf *to)
{
    struct d7_why why = {{0}, {0}};
    enum d7_err err = look(st, rounds, game, &why);
    if (err && err != D7_ERR_CORRUPT) {
        return err;
    }
    report->games++;
    if (err) {
        report->different++;
        buf_printf(to, "game %s (%s on %s) differs: %s\n", game->id,
                   game->policy_id[0] ? game->policy_id : "a person", game->round_id, why.text);
    }
    return D7_OK;
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
