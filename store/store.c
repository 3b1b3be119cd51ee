#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "engine/base/clock.h"
#include "store/migrate.h"
#include "store/round.h"
#include "store/row.h"
#include "store/tx.h"

#define BUSY_TIMEOUT_MS    5000
#define WAL_PASSIVE_PAGES  1000
#define WAL_RESTART_PAGES  4096 /* 16 MiB */
#define WAL_RESTART_MS     100
#define FREE_SPACE_MINIMUM (4 << 20)

static const char *const statement_texts[] = {
#define X(name, text) text,
    STORE_SQL(X)
#undef X
};

/*
 * Design note: a bounded WAL. A passive checkpoint cannot start the log over while any reader is at
 * work, so under steady reading it would grow for ever. Past a limit the writer that just committed
 * waits for the readers (new ones do not disturb it), but briefly and not after every commit: it
 * holds the write lock meanwhile, and a reader may be stuck.
 */
static int after_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct store *st = ctx;
    if (pages < WAL_PASSIVE_PAGES) {
        st->restart_pages = WAL_RESTART_PAGES;
        return SQLITE_OK;
    }
    /* A checkpoint that did not get through is tried again by a later commit. */
    if (pages < st->restart_pages) {
        (void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        return SQLITE_OK;
    }
    st->restart_pages = pages + WAL_PASSIVE_PAGES;
    (void)sqlite3_busy_timeout(db, WAL_RESTART_MS);
    (void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
    (void)sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
    return SQLITE_OK;
}

static enum d7_err refuse_open(const struct store *st, enum d7_err err, struct d7_why *why)
{
    return d7_refuse(why, err, NULL, "cannot open %s/drop7.db: %s", st->dir, st->message);
}

/* The connection, not yet looking into the file. Descriptors of the file itself are never opened
 * here: closing one would drop the locks other connections of this process hold (fcntl). */
static enum d7_err connect(struct store *st, enum store_mode mode, struct d7_why *why)
{
    char path[PATH_MAX];
    int used = snprintf(path, sizeof(path), "%s/drop7.db", st->dir);
    if (used < 0 || (size_t)used >= sizeof(path)) {
        return d7_refuse(why, D7_ERR_TOO_LARGE, NULL, "the name of the data folder is too long");
    }
    struct stat at;
    bool is_new = lstat(path, &at) < 0 && errno == ENOENT;
    if (is_new && mode == STORE_OPEN) {
        return d7_refuse(why, D7_ERR_NOT_FOUND, NULL, "there is no store in %s", st->dir);
    }
    char partial[PATH_MAX + 16];
    (void)snprintf(partial, sizeof(partial), "%s.partial", path); /* fits */
    if (is_new && lstat(partial, &at) == 0) {
        return d7_refuse(why, D7_ERR_CONFLICT, NULL, "%s holds a backup that was not finished",
                         st->dir);
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                (mode == STORE_OPEN ? 0 : SQLITE_OPEN_CREATE);
    int rc = sqlite3_open_v2(path, &st->db, flags, NULL);
    if (rc != SQLITE_OK) {
        return refuse_open(st, store_fail(st, rc), why);
    }
    /* Before the first byte is in it; -wal and -shm take over its mode. */
    if (is_new && chmod(path, 0600) < 0) {
        enum d7_err err = d7_err_from_errno(errno);
        return d7_refuse(why, err, NULL, "cannot protect %s: %s", path, d7_err_text(err));
    }
    (void)sqlite3_busy_timeout(st->db, BUSY_TIMEOUT_MS);
    /* One plan a statement, whatever is bound: without this, SQLite prepares a statement again each
     * time its parameters change (it looks at them for its statistics). */
    (void)sqlite3_db_config(st->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    return D7_OK;
}

static int is_wal(void *to, int columns, char **values, char **names)
{
    (void)names;
    *(bool *)to = columns == 1 && values[0] && strcmp(values[0], "wal") == 0;
    return 0;
}

static enum d7_err configure(struct store *st, struct d7_why *why)
{
    int version = 0;
    enum d7_err err = migrate_version(st, &version, why); /* before anything is changed in it */
    if (err) {
        return err;
    }
    bool wal = false;
    int rc = sqlite3_exec(st->db, STORE_SQL_WAL, is_wal, &wal, NULL);
    if (rc == SQLITE_OK && !wal) {
        return d7_refuse(why, D7_ERR_UNSUPPORTED, NULL,
                         "%s is on a file system SQLite cannot share between processes", st->dir);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(st->db, STORE_PRAGMAS, NULL, NULL, NULL);
    }
    if (rc != SQLITE_OK) {
        return refuse_open(st, store_fail(st, rc), why);
    }
    st->restart_pages = WAL_RESTART_PAGES;
    (void)sqlite3_wal_hook(st->db, after_commit, st); /* returns the hook before: none */
    return D7_OK;
}

static enum d7_err prepare(struct store *st, struct d7_why *why)
{
    for (size_t i = 0; i < STORE_SQL_COUNT; i++) {
        int rc = sqlite3_prepare_v3(st->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &st->stmts[i], NULL);
        if (rc != SQLITE_OK) {
            return refuse_open(st, store_fail(st, rc), why);
        }
    }
    return D7_OK;
}

static enum d7_err furnish(struct store *st, enum store_mode mode, struct d7_why *why)
{
    enum d7_err err = round_install_gauntlet(st, clock_utc_ms());
    if (!err && mode == STORE_SERVE) {
        err = folder_sweep(st->dir);
    }
    if (!err && mode == STORE_SERVE) {
        err = folder_sweep_artifacts(st);
    }
    return err ? d7_refuse(why, err, NULL, "cannot set up %s: %s", st->dir,
                           st->message[0] ? st->message : d7_err_text(err))
               : D7_OK;
}

static enum d7_err set_up(struct store *st, enum store_mode mode, struct d7_why *why)
{
    enum d7_err err = connect(st, mode, why);
    if (!err) {
        err = configure(st, why);
    }
    if (!err) {
        err = mode == STORE_OPEN ? migrate_check(st, why) : migrate_run(st, why);
    }
    if (!err) {
        err = prepare(st, why);
    }
    if (!err && mode != STORE_OPEN) {
        err = furnish(st, mode, why);
    }
    return err;
}

/* One at a time: a new file is switched to WAL, and SQLite does not wait for its turn there. */
static enum d7_err set_up_alone(struct store *st, enum store_mode mode, struct d7_why *why)
{
    int turn = -1;
    enum d7_err err = folder_prepare(st->dir, why);
    if (!err && mode == STORE_SERVE) {
        err = folder_lock(st->dir, &st->lock_fd, why);
    }
    if (!err) {
        err = folder_take_turn(st->dir, &turn);
    }
    if (!err) {
        err = set_up(st, mode, why);
    }
    if (turn >= 0) {
        (void)close(turn); /* gives the turn to the next; nothing was written through it */
    }
    return err;
}

enum d7_err store_open(const char *dir, enum store_mode mode, struct store **ret,
                       struct d7_why *why)
{
    struct store *st = calloc(1, sizeof(*st));
    if (!st) {
        return D7_ERR_NOMEM;
    }
    st->lock_fd = -1;
    st->dir = strdup(dir);
    enum d7_err err = D7_ERR_NOMEM;
    if (st->dir) {
        err = mode == STORE_OPEN ? set_up(st, mode, why) : set_up_alone(st, mode, why);
    }
    if (err) {
        store_close(st);
        return why && why->text[0]
                   ? err
                   : d7_refuse(why, err, NULL, "cannot open %s: %s", dir, d7_err_text(err));
    }
    *ret = st;
    return D7_OK;
}

void store_close(struct store *st)
{
    if (!st) {
        return;
    }
    for (size_t i = 0; i < STORE_SQL_COUNT; i++) {
        (void)sqlite3_finalize(st->stmts[i]); /* repeats the last step's error, handled then */
    }
    (void)sqlite3_close(st->db); /* cannot be busy: all statements are gone */
    if (st->lock_fd >= 0) {
        (void)close(st->lock_fd); /* lets go of the lock; nothing was written */
    }
    free(st->dir);
    free(st);
}

const char *store_dir(const struct store *st)
{
    return st->dir;
}

const char *store_message(const struct store *st)
{
    return st->message;
}

enum d7_err store_check(struct store *st)
{
    struct statvfs fs;
    if (statvfs(st->dir, &fs) < 0) {
        (void)snprintf(st->message, sizeof(st->message), "the data folder cannot be looked at");
        return d7_err_from_errno(errno);
    }
    /* A commit may still fit into the log as it stands when the disk is full: look at both. */
    if ((uint64_t)fs.f_bavail * fs.f_frsize < FREE_SPACE_MINIMUM) {
        (void)snprintf(st->message, sizeof(st->message), "under %llu MiB are free where it lies",
                       (unsigned long long)(FREE_SPACE_MINIMUM >> 20));
        return D7_ERR_FULL;
    }
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_CHANGE_PROBE);
    return tx_end(st, query_run(&q));
}
