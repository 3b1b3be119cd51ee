#include "store/round.h"

#include "store/page.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/suite.h"
#include "store/tx.h"

/* Discs and hidden numbers are stored a byte each, 1-7. */
static bool are_discs(struct span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] < 1 || bytes.ptr[i] > 7) {
            return false;
        }
    }
    return true;
}

/* Takes over nothing: the blobs are copied. */
static enum d7_err set_round(struct roundfile *r, uint32_t moves, struct span discs,
                             struct span latent)
{
    size_t rows = latent.len / BOARD_COLUMNS;
    if (moves < 1 || moves > ROUND_MOVES_MAX || discs.len < moves || discs.len > UINT32_MAX ||
        latent.len % BOARD_COLUMNS || rows < (moves + 4) / 5 + 1 || rows > UINT32_MAX ||
        !are_discs(discs) || !are_discs(latent)) {
        return D7_ERR_CORRUPT;
    }
    r->memory = malloc(discs.len + latent.len);
    if (!r->memory) {
        return D7_ERR_NOMEM;
    }
    memcpy(r->memory, discs.ptr, discs.len);
    memcpy(r->memory + discs.len, latent.ptr, latent.len);
    r->round = (struct round){
        .maximum_moves = moves,
        .discs = r->memory,
        .disc_count = (uint32_t)discs.len,
        .rows = (const uint8_t(*)[BOARD_COLUMNS])(r->memory + discs.len),
        .row_count = (uint32_t)rows,
    };
    return D7_OK;
}

static enum d7_err read_round(struct query *q, struct roundfile **ret)
{
    struct roundfile *r = calloc(1, sizeof(*r));
    if (!r) {
        return D7_ERR_NOMEM;
    }
    row_text(q, 0, r->id, sizeof(r->id));
    row_text(q, 1, r->name, sizeof(r->name));
    row_text(q, 2, r->seed_hex, sizeof(r->seed_hex));
    enum d7_err err = set_round(r, row_u32(q, 3), row_blob(q, 4), row_blob(q, 5));
    if (err) {
        roundfile_free(r);
        return err;
    }
    *ret = r;
    return D7_OK;
}

enum d7_err round_get(struct store *st, const char *id, struct roundfile **ret)
{
    struct roundfile *r = NULL;
    struct query q;
    query_begin(&q, st, SQL_ROUND_GET);
    query_text(&q, ":id", id);
    if (query_one(&q)) {
        enum d7_err err = read_round(&q, &r);
        q.err = q.err ? q.err : err;
    }
    enum d7_err err = query_end(&q);
    if (err) {
        roundfile_free(r);
        return err;
    }
    *ret = r;
    return D7_OK;
}

static bool is_same_round(const struct roundfile *a, const struct roundfile *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->seed_hex, b->seed_hex) == 0 &&
           a->round.maximum_moves == b->round.maximum_moves &&
           a->round.disc_count == b->round.disc_count && a->round.row_count == b->round.row_count &&
           memcmp(a->round.discs, b->round.discs, a->round.disc_count) == 0 &&
           memcmp(a->round.rows, b->round.rows,
                  (size_t)a->round.row_count * sizeof(a->round.rows[0])) == 0;
}

static enum d7_err insert_round(struct store *st, const struct roundfile *r, int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_ROUND_ADD);
    query_text(&q, ":id", r->id);
    query_text(&q, ":name", r->name);
    query_text(&q, ":seed", r->seed_hex);
    query_int(&q, ":moves", r->round.maximum_moves);
    query_blob(&q, ":discs", r->round.discs, r->round.disc_count);
    query_blob(&q, ":latent", r->round.rows, (size_t)r->round.row_count * sizeof(r->round.rows[0]));
    query_int(&q, ":now", now);
    enum d7_err err = query_run(&q);
    return err ? err : tx_changed(st, CHANGE_PROGRESS);
}

/* Inside a transaction. */
static enum d7_err add_round(struct store *st, const struct roundfile *r, int64_t now)
{
    struct roundfile *old = NULL;
    enum d7_err err = round_get(st, r->id, &old);
    if (err == D7_ERR_NOT_FOUND) {
        return insert_round(st, r, now);
    }
    if (old && !is_same_round(old, r)) {
        err = D7_ERR_CONFLICT;
    }
    roundfile_free(old);
    return err;
}

enum d7_err round_add(struct store *st, const struct roundfile *r, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, add_round(st, r, now));
}

enum d7_err round_list(struct store *st, struct store_page *page, struct round_row **ret_rows,
                       size_t *ret_count)
{
    struct page p;
    enum d7_err err = page_init(&p, page, "rounds");
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct round_row));
    struct query q;
    query_begin(&q, st, SQL_ROUND_LIST);
    query_text(&q, ":after", p.after);
    query_int(&q, ":limit", (int64_t)page->limit + 1);
    struct round_row *row = NULL;
    while (query_row(&q)) {
        if (row && rows.count == page->limit) {
            page_set_next(&p, row->id);
            break;
        }
        row = rows_add(&rows, &q.err);
        if (row) {
            row_text(&q, 0, row->id, sizeof(row->id));
            row_text(&q, 1, row->name, sizeof(row->name));
            row_text(&q, 2, row->seed_hex, sizeof(row->seed_hex));
            row->maximum_moves = row_u32(&q, 3);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

/* --- the gauntlet --------------------------------------------------------------------------- */

static enum d7_err install(struct store *st, int64_t now)
{
    static const char *const ids[ROUND_GAUNTLET_COUNT] = {
        "gauntlet-01", "gauntlet-02", "gauntlet-03", "gauntlet-04",
        "gauntlet-05", "gauntlet-06", "gauntlet-07", "gauntlet-08"};
    enum d7_err err = D7_OK;
    for (unsigned k = 1; k <= ROUND_GAUNTLET_COUNT && !err; k++) {
        struct roundfile *r = NULL;
        err = roundfile_gauntlet(k, &r);
        if (!err) {
            err = add_round(st, r, now);
        }
        roundfile_free(r);
    }
    return err ? err : suite_insert(st, "gauntlet", "Gauntlet", true, ids, D7_COUNT(ids), now);
}

enum d7_err round_install_gauntlet(struct store *st, int64_t now)
{
    /* The suite comes last in the transaction: where it is, all is. */
    struct suite_row suite = {0};
    enum d7_err err = suite_get(st, "gauntlet", &suite);
    suite_release(&suite);
    if (err != D7_ERR_NOT_FOUND) {
        return err;
    }
    err = tx_begin(st);
    if (err) {
        return err;
    }
    err = install(st, now);
    err = tx_end(st, err);
    if (err != D7_ERR_CONFLICT) {
        return err;
    }
    /* Another program may have been faster, between the look and the transaction. */
    err = suite_get(st, "gauntlet", &suite);
    suite_release(&suite);
    return err == D7_ERR_NOT_FOUND ? D7_ERR_CONFLICT : err;
}
