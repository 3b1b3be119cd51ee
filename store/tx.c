#include "store/tx.h"

#include "store/row.h"

static enum d7_err run_plain(struct store *st, enum store_sql name)
{
    struct query q;
    query_begin(&q, st, name);
    return query_run(&q);
}

static enum d7_err begin(struct store *st, enum store_sql name)
{
    D7_CHECK(!st->in_tx);
    enum d7_err err = run_plain(st, name);
    st->in_tx = !err;
    return err;
}

/* With its log open, SQLite goes on writing to a file that was deleted or moved away: what is
 * answered would be gone with the process. */
static bool is_gone(struct store *st)
{
    int moved = 0;
    return sqlite3_file_control(st->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

enum d7_err tx_begin(struct store *st)
{
    if (is_gone(st)) {
        (void)snprintf(st->message, sizeof(st->message),
                       "the database file was deleted or moved away");
        figures_count(st->errors, D7_ERR_IO);
        return D7_ERR_IO;
    }
    return begin(st, SQL_TX_BEGIN);
}

enum d7_err tx_begin_read(struct store *st)
{
    return begin(st, SQL_TX_BEGIN_READ);
}

enum d7_err tx_end(struct store *st, enum d7_err err)
{
    D7_CHECK(st->in_tx);
    st->in_tx = false;
    if (!err) {
        err = run_plain(st, SQL_TX_COMMIT);
    }
    /* SQLite may have rolled back by itself (full disk, I/O error). */
    if (err && !sqlite3_get_autocommit(st->db)) {
        char message[STORE_MESSAGE_SIZE];
        memcpy(message, st->message, sizeof(message));
        if (run_plain(st, SQL_TX_ROLLBACK) == D7_OK) {
            memcpy(st->message, message, sizeof(message)); /* why it failed, not how it ended */
        }
    }
    return err;
}

enum d7_err tx_changed(struct store *st, enum change what)
{
    D7_CHECK(st->in_tx);
    struct query q;
    query_begin(&q, st, SQL_CHANGE_BUMP);
    query_int(&q, ":board", what == CHANGE_BOARD ? 1 : 0);
    return query_run(&q);
}

static void base32(uint64_t value, char *to, size_t digits)
{
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (size_t i = digits; i-- > 0; value >>= 5) {
        to[i] = alphabet[value & 31];
    }
}

enum d7_err tx_key(struct store *st, int64_t now, char ret_key[STORE_KEY_SIZE])
{
    D7_CHECK(st->in_tx);
    char hex[11];
    enum d7_err err = random_hex(hex, 5);
    if (err) {
        return err;
    }
    uint64_t random = 0;
    for (size_t i = 0; hex[i]; i++) {
        random = random << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    }
    struct query q;
    query_begin(&q, st, SQL_CHANGE_SERIAL); /* the later of now and the last id's: never back */
    query_int(&q, ":now", now);
    char key[STORE_KEY_SIZE] = {0};
    if (query_one(&q)) {
        base32((uint64_t)row_int(&q, 1), key, 10);
        base32((uint64_t)row_int(&q, 0), key + 10, 8);
        base32(random, key + 18, 8);
    }
    err = query_end(&q);
    if (!err) {
        memcpy(ret_key, key, sizeof(key));
    }
    return err;
}
