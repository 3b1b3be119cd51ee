#include "store/game.h"

#include "store/game_row.h"
#include "store/rows.h"
#include "store/tx.h"

#define VOID_REASON_MAX 200

/* The columns of GAME_SELECT, into a zeroed row; returns seq. */
int64_t row_game(struct query *q, struct game_row *g)
{
    row_text(q, 0, g->id, sizeof(g->id));
    row_text(q, 1, g->policy_id, sizeof(g->policy_id));
    g->revision = row_int(q, 2);
    row_text(q, 3, g->run_id, sizeof(g->run_id));
    row_text(q, 4, g->round_id, sizeof(g->round_id));
    if (!outcome_parse(row_blob(q, 5), &g->outcome)) {
        q->err = q->err ? q->err : D7_ERR_CORRUPT;
    }
    row_text(q, 6, g->reason, sizeof(g->reason));
    struct summary *s = &g->summary;
    s->score = row_int(q, 7);
    s->moves = row_u32(q, 8);
    s->max_chain = row_u32(q, 9);
    s->discs_cleared = row_u32(q, 10);
    s->covered_revealed = row_u32(q, 11);
    s->over = g->outcome == OUTCOME_OVER;
    s->censored = g->outcome == OUTCOME_CENSORED;
    row_text(q, 12, s->checksum, sizeof(s->checksum));
    g->illegal_moves = row_u32(q, 13);
    g->timeouts = row_u32(q, 14);
    g->crashes = row_u32(q, 15);
    g->nondeterministic = row_bool(q, 16);
    g->counted = row_bool(q, 17);
    g->voided = row_bool(q, 18);
    g->elapsed_ms = row_int(q, 19);
    g->ms_p50 = row_real(q, 20);
    g->ms_p95 = row_real(q, 21);
    g->ms_p99 = row_real(q, 22);
    g->ms_max = row_real(q, 23);
    g->created_at = row_int(q, 24);
    row_text(q, 26, g->player, sizeof(g->player));
    return row_int(q, 25);
}

static enum d7_err read_one(struct query *q, struct game_row *ret)
{
    struct game_row row = {0};
    if (query_one(q)) {
        (void)row_game(q, &row);
    }
    enum d7_err err = query_end(q);
    if (!err) {
        *ret = row;
    }
    return err;
}

enum d7_err game_get(struct store *st, const char *id, struct game_row *ret)
{
    struct query q;
    query_begin(&q, st, SQL_GAME_GET);
    query_text(&q, ":id", id);
    return read_one(&q, ret);
}

enum d7_err game_counted(struct store *st, const char *policy_id, const char *round_id,
                         struct game_row *ret)
{
    struct query q;
    query_begin(&q, st, SQL_GAME_COUNTED);
    query_text(&q, ":policy", policy_id);
    query_text(&q, ":round", round_id);
    return read_one(&q, ret);
}

/* A column's bytes with a NUL behind them; *err keeps the first failure. */
static char *copy_blob(struct query *q, int column, size_t *ret_len)
{
    struct span bytes = row_blob(q, column);
    char *copy = malloc(bytes.len + 1);
    if (!copy) {
        q->err = q->err ? q->err : D7_ERR_NOMEM;
        return NULL;
    }
    if (bytes.len) {
        memcpy(copy, bytes.ptr, bytes.len);
    }
    copy[bytes.len] = '\0';
    *ret_len = bytes.len;
    return copy;
}

enum d7_err game_columns(struct store *st, const char *id, uint8_t **ret_columns, size_t *ret_count)
{
    char *columns = NULL;
    size_t count = 0;
    struct query q;
    query_begin(&q, st, SQL_GAME_COLUMNS);
    query_text(&q, ":id", id);
    if (query_one(&q)) {
        columns = copy_blob(&q, 0, &count);
    }
    enum d7_err err = query_end(&q);
    if (err) {
        free(columns);
        return err;
    }
    *ret_columns = (uint8_t *)columns;
    *ret_count = count;
    return D7_OK;
}

enum d7_err game_log(struct store *st, const char *id, char **ret_faults_json, char **ret_stderr)
{
    char *faults = NULL;
    char *tail = NULL;
    size_t faults_len = 0;
    size_t tail_len = 0;
    struct query q;
    query_begin(&q, st, SQL_GAME_LOG);
    query_text(&q, ":id", id);
    if (query_one(&q)) {
        faults = copy_blob(&q, 0, &faults_len);
        tail = copy_blob(&q, 1, &tail_len);
    }
    enum d7_err err = query_end(&q);
    if (err || !faults || !tail) { /* without an error there are both */
        free(faults);
        free(tail);
        return err ? err : D7_ERR_INTERNAL;
    }
    if (memchr(faults, '\0', faults_len)) {
        free(faults);
        free(tail);
        return D7_ERR_CORRUPT;
    }
    /* It is handed on as text: a NUL a program wrote would hide what follows. */
    for (size_t i = 0; i < tail_len; i++) {
        tail[i] = tail[i] ? tail[i] : ' ';
    }
    *ret_faults_json = faults;
    *ret_stderr = tail;
    return D7_OK;
}

enum d7_err game_scan(struct store *st, const char *after, uint32_t limit,
                      struct game_row **ret_rows, size_t *ret_count)
{
    if (limit < 1 || limit > STORE_LIST_MAX) {
        return D7_ERR_INVALID;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct game_row));
    struct query q;
    query_begin(&q, st, SQL_GAME_SCAN);
    query_text(&q, ":after", after);
    query_int(&q, ":limit", limit);
    while (query_row(&q)) {
        struct game_row *row = rows_add(&rows, &q.err);
        if (row) {
            (void)row_game(&q, row);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

static enum d7_err exists(struct store *st, const char *id)
{
    struct game_row row;
    return game_get(st, id, &row);
}

static enum d7_err void_game(struct store *st, const char *id, const char *reason, int64_t now)
{
    enum d7_err err = exists(st, id);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_GAME_VOID);
    query_text(&q, ":id", id);
    query_text(&q, ":reason", reason);
    query_int(&q, ":now", now);
    err = query_run_hit(&q);
    if (err) {
        return err == D7_ERR_CONFLICT ? D7_OK : err; /* void already */
    }
    query_begin(&q, st, SQL_GAME_COUNT_NEXT);
    query_text(&q, ":id", id);
    err = query_run(&q);
    return err ? err : tx_changed(st, CHANGE_BOARD);
}

enum d7_err game_void(struct store *st, const char *id, const char *reason, int64_t now)
{
    if (strlen(reason) > VOID_REASON_MAX) {
        return D7_ERR_INVALID;
    }
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, void_game(st, id, reason, now));
}
