#include "store/play.h"

#include "store/game_add.h"
#include "store/game_row.h"
#include "store/rows.h"
#include "store/tx.h"

static const char *const status_names[] = {"open", "finished", "submitted", "expired"};

const char *play_status_text(enum play_status s)
{
    return (size_t)s < D7_COUNT(status_names) ? status_names[s] : "unknown";
}

void play_release(struct play_row *p)
{
    free(p->columns);
    free(p->think_us);
    *p = (struct play_row){.columns = NULL};
}

/* --- reading -------------------------------------------------------------------------------- */

/* One more than there are: the caller of play_move() may put its move there. */
static enum d7_err read_moves(struct span columns, struct span think, struct play_row *p)
{
    if (think.len != 4 * columns.len) {
        return D7_ERR_CORRUPT;
    }
    p->columns = calloc(columns.len + 1, sizeof(*p->columns));
    p->think_us = calloc(columns.len + 1, sizeof(*p->think_us));
    if (!p->columns || !p->think_us) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < columns.len; i++) {
        p->columns[i] = (uint8_t)columns.ptr[i];
        think_load(think.ptr + 4 * i, &p->think_us[i]);
    }
    p->moves = columns.len;
    return D7_OK;
}

enum d7_err play_get(struct store *st, const char *sha256, struct play_row *ret)
{
    struct play_row p = {.columns = NULL};
    struct query q;
    query_begin(&q, st, SQL_PLAY_GET);
    query_text(&q, ":sha256", sha256);
    if (query_one(&q)) {
        row_text(&q, 0, p.sha256, sizeof(p.sha256));
        row_text(&q, 1, p.round_id, sizeof(p.round_id));
        row_text(&q, 2, p.policy_id, sizeof(p.policy_id));
        p.revision = row_int(&q, 3);
        p.status = (enum play_status)row_enum(&q, 4, status_names, D7_COUNT(status_names));
        enum d7_err err = read_moves(row_blob(&q, 5), row_blob(&q, 6), &p);
        q.err = q.err ? q.err : err;
        p.created_at = row_int(&q, 7);
        p.moved_at = row_int(&q, 8);
        p.expires_at = row_int(&q, 9);
        row_text(&q, 10, p.game_id, sizeof(p.game_id));
    }
    enum d7_err err = query_end(&q);
    if (err) {
        play_release(&p);
        return err;
    }
    *ret = p;
    return D7_OK;
}

enum d7_err play_next_due(struct store *st, int64_t now, char ret[SHA_HEX_SIZE])
{
    char sha256[SHA_HEX_SIZE] = "";
    struct query q;
    query_begin(&q, st, SQL_PLAY_NEXT_DUE);
    query_int(&q, ":now", now);
    if (query_one(&q)) {
        row_text(&q, 0, sha256, sizeof(sha256));
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        memcpy(ret, sha256, sizeof(sha256));
    }
    return err;
}

/* --- beginning and going on ------------------------------------------------------------------ */

static enum d7_err check_room(struct store *st)
{
    struct query q;
    query_begin(&q, st, SQL_PLAY_OPEN_COUNT);
    query_int(&q, ":after", 0);
    int64_t count = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    return err || count < PLAY_OPEN_MAX ? err : D7_ERR_BUSY;
}

static enum d7_err check_round(struct store *st, const char *round_id)
{
    struct query q;
    query_begin(&q, st, SQL_PLAY_ROUND);
    query_text(&q, ":round", round_id);
    (void)query_one(&q);
    return query_end(&q);
}

static enum d7_err check_uncommitted(struct store *st, const char *round_id, const char *policy,
                                     int64_t revision)
{
    struct query q;
    query_begin(&q, st, SQL_PLAY_COMMITTED);
    query_text(&q, ":round", round_id);
    query_text(&q, ":policy", policy);
    query_int(&q, ":revision", revision);
    bool committed = query_row(&q);
    enum d7_err err = query_end(&q);
    return err || !committed ? err : D7_ERR_CONFLICT;
}

static enum d7_err insert_play(struct store *st, const char *sha256, const char *round_id,
                               const char *policy_id, int64_t revision, int64_t now,
                               int64_t expires_at)
{
    struct query q;
    query_begin(&q, st, SQL_PLAY_ADD);
    query_text(&q, ":sha256", sha256);
    query_text(&q, ":round", round_id);
    query_text(&q, ":policy", policy_id);
    if (policy_id) {
        query_int(&q, ":revision", revision);
    }
    query_int(&q, ":now", now);
    query_int(&q, ":expires", expires_at);
    return query_run(&q);
}

enum d7_err play_add(struct store *st, const char *sha256, const char *round_id,
                     const char *policy_id, int64_t revision, int64_t now, int64_t expires_at)
{
    const char *policy = policy_id && policy_id[0] ? policy_id : NULL;
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    err = check_room(st);
    if (!err) {
        err = check_round(st, round_id);
    }
    if (!err && policy) {
        err = check_uncommitted(st, round_id, policy, revision);
    }
    if (!err) {
        err = insert_play(st, sha256, round_id, policy, revision, now, expires_at);
    }
    return tx_end(st, err);
}

static void think_blob(const struct play_row *p, uint32_t last, uint8_t *to)
{
    for (size_t i = 0; i < p->moves; i++) {
        think_store(p->think_us[i], to + 4 * i);
    }
    think_store(last, to + 4 * p->moves);
}

static enum d7_err write_move(struct store *st, const struct play_row *p, const uint8_t *columns,
                              const uint8_t *think, bool ends, int64_t now, int64_t expires_at)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_PLAY_MOVE);
    query_text(&q, ":sha256", p->sha256);
    query_int(&q, ":moves", (int64_t)p->moves);
    query_blob(&q, ":columns", columns, p->moves + 1);
    query_blob(&q, ":think", think, 4 * (p->moves + 1));
    query_text(&q, ":status", play_status_text(ends ? PLAY_FINISHED : PLAY_OPEN));
    query_int(&q, ":now", now);
    query_int(&q, ":expires", expires_at);
    return tx_end(st, query_run_hit(&q));
}

enum d7_err play_move(struct store *st, const struct play_row *as_read, unsigned column,
                      uint32_t think_us, bool ends, int64_t now, int64_t expires_at)
{
    if (column >= BOARD_COLUMNS || as_read->moves >= ROUND_MOVES_MAX) {
        return D7_ERR_INVALID;
    }
    size_t moves = as_read->moves + 1;
    uint8_t *columns = malloc(moves + 4 * moves);
    if (!columns) {
        return D7_ERR_NOMEM;
    }
    uint8_t *think = columns + moves;
    memcpy(columns, as_read->columns, as_read->moves);
    columns[as_read->moves] = (uint8_t)column;
    think_blob(as_read, think_us, think);
    enum d7_err err = write_move(st, as_read, columns, think, ends, now, expires_at);
    free(columns);
    return err;
}

/* --- ending --------------------------------------------------------------------------------- */

/* game_id NULL: no game. */
static enum d7_err end_play(struct store *st, const struct play_row *p, enum play_status to,
                            const char *game_id)
{
    struct query q;
    query_begin(&q, st, SQL_PLAY_END);
    query_text(&q, ":sha256", p->sha256);
    query_text(&q, ":before", play_status_text(p->status));
    query_int(&q, ":moves", (int64_t)p->moves);
    query_text(&q, ":status", play_status_text(to));
    query_text(&q, ":game", game_id);
    return query_run_hit(&q);
}

static enum d7_err record(struct store *st, const struct play_row *p, const char *player,
                          const struct game_result *result, enum play_status to, int64_t now,
                          char *ret_id)
{
    struct held held = {.is_game = true, .revision = p->revision, .player = player};
    memcpy(held.policy, p->policy_id, sizeof(held.policy));
    memcpy(held.round, p->round_id, sizeof(held.round));
    enum d7_err err = game_add(st, &held, result, now, ret_id);
    if (!err) {
        err = end_play(st, p, to, ret_id);
    }
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err play_submit(struct store *st, const struct play_row *as_read, const char *player,
                        const struct game_result *result, int64_t now,
                        char ret_game_id[STORE_KEY_SIZE])
{
    bool is_policy = as_read->policy_id[0] != '\0';
    bool is_named = player && player[0];
    if (as_read->status != PLAY_FINISHED || is_policy == is_named) {
        return D7_ERR_INVALID;
    }
    char id[STORE_KEY_SIZE] = "";
    enum d7_err err = game_check(result);
    if (!err) {
        err = tx_begin(st);
    }
    if (err) {
        return err;
    }
    err = tx_end(st, record(st, as_read, player, result, PLAY_SUBMITTED, now, id));
    if (!err) {
        memcpy(ret_game_id, id, sizeof(id));
    }
    return err;
}

enum d7_err play_expire(struct store *st, const struct play_row *as_read,
                        const struct game_result *result, int64_t now)
{
    char id[STORE_KEY_SIZE] = "";
    bool is_policy = as_read->policy_id[0] != '\0';
    if (result && !is_policy) {
        return D7_ERR_INVALID;
    }
    enum d7_err err = result ? game_check(result) : D7_OK;
    if (!err) {
        err = tx_begin(st);
    }
    if (err) {
        return err;
    }
    err = result ? record(st, as_read, NULL, result, PLAY_EXPIRED, now, id)
                 : end_play(st, as_read, PLAY_EXPIRED, NULL);
    return tx_end(st, err);
}

enum d7_err play_forget(struct store *st, int64_t before)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_PLAY_FORGET);
    query_int(&q, ":before", before);
    return tx_end(st, query_run(&q));
}

/* --- people's games -------------------------------------------------------------------------- */

struct key {
    char id[STORE_KEY_SIZE];
};

static enum d7_err best_ids(struct store *st, const char *round_id, uint32_t limit,
                            struct key **ret, size_t *ret_count)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct key));
    struct query q;
    query_begin(&q, st, SQL_GAME_PEOPLE);
    query_text(&q, ":round", round_id);
    query_int(&q, ":limit", limit);
    while (query_row(&q)) {
        struct key *key = rows_add(&rows, &q.err);
        if (key) {
            row_text(&q, 0, key->id, sizeof(key->id));
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret, ret_count);
}

enum d7_err play_best_games(struct store *st, const char *round_id, uint32_t limit,
                            struct game_row **ret_rows, size_t *ret_count)
{
    if (limit < 1 || limit > STORE_LIST_MAX) {
        return D7_ERR_INVALID;
    }
    struct key *keys = NULL;
    size_t count = 0;
    enum d7_err err = best_ids(st, round_id, limit, &keys, &count);
    if (err) {
        return err;
    }
    struct game_row *games = calloc(count + 1, sizeof(*games));
    err = games ? D7_OK : D7_ERR_NOMEM;
    for (size_t i = 0; i < count && !err; i++) {
        err = game_get(st, keys[i].id, &games[i]);
    }
    free(keys);
    if (err) {
        free(games);
        return err;
    }
    *ret_rows = games;
    *ret_count = count;
    return D7_OK;
}
