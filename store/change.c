#include "store/change.h"

#include "store/row.h"

#define WAL_INDEX_PAGE 32768 /* the unit in which SQLite maps the WAL index */

/* SQLite's mapping of the WAL index; NULL where there is none, which only costs the shortcut. */
static volatile const uint8_t *map_header(struct store *st)
{
    sqlite3_file *file = NULL;
    void volatile *page = NULL;
    if (sqlite3_file_control(st->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods || file->pMethods->iVersion < 2 ||
        file->pMethods->xShmMap(file, 0, WAL_INDEX_PAGE, 0, &page) != SQLITE_OK) {
        return NULL;
    }
    return page;
}

static void copy(uint8_t *to, volatile const uint8_t *from)
{
    for (size_t i = 0; i < WAL_HEADER_SIZE; i++) {
        to[i] = from[i];
    }
}

/* False while somebody is writing it. */
static bool read_header(struct store *st, uint8_t ret[WAL_HEADER_SIZE])
{
    uint8_t second[WAL_HEADER_SIZE];
    if (!st->change.header) {
        return false;
    }
    copy(ret, st->change.header); /* the first copy is written last, so it is read first */
    __sync_synchronize();         /* ThreadSanitizer knows no atomic_thread_fence */
    copy(second, st->change.header + WAL_HEADER_SIZE);
    return memcmp(ret, second, WAL_HEADER_SIZE) == 0;
}

static enum d7_err read_counters(struct store *st, int64_t *ret_version, int64_t *ret_board)
{
    struct query q;
    query_begin(&q, st, SQL_CHANGE_GET);
    bool found = query_one(&q);
    int64_t version = found ? row_int(&q, 0) : 0;
    int64_t board = found ? row_int(&q, 1) : 0;
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret_version = version;
        *ret_board = board;
    }
    return err;
}

static enum d7_err look(struct store *st)
{
    struct change_view *c = &st->change;
    uint8_t header[WAL_HEADER_SIZE];
    /* inside a transaction our own changes count, and the header does not show them */
    bool whole = !st->in_tx && read_header(st, header);
    if (whole && c->known && memcmp(header, c->seen, sizeof(header)) == 0) {
        return D7_OK;
    }
    c->known = false;
    enum d7_err err = read_counters(st, &c->version, &c->board);
    if (!err && whole) { /* the counters are those of this header, or newer ones */
        memcpy(c->seen, header, sizeof(header));
        c->known = true;
    }
    if (!err && !c->header) {
        c->header = map_header(st);
    }
    return err;
}

enum d7_err store_version(struct store *st, int64_t *ret)
{
    enum d7_err err = look(st);
    if (!err) {
        *ret = st->change.version;
    }
    return err;
}

enum d7_err store_board_version(struct store *st, int64_t *ret)
{
    enum d7_err err = look(st);
    if (!err) {
        *ret = st->change.board;
    }
    return err;
}
