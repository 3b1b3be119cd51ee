/*
 * Design note. The order makes the copy consistent and its end visible:
 *   1. the folder is claimed by creating drop7.db.partial exclusively;
 *   2. artifacts in use now are linked: one that is dropped during the copy is in hand already;
 *   3. inside one read transaction the artifacts are listed and the pages copied, so both are of
 *      one moment; writers go on (WAL), only the log cannot start over meanwhile;
 *   4. the copy is settled and checked, and the artifacts of its moment completed;
 *   5. everything is on disk, folders too, before the rename to drop7.db says that it is whole.
 * Artifacts are never changed in place, so a hard link is as good as a copy, and free. Rejected: a
 * write lock during the copy (nobody could play or upload meanwhile) and building in a sibling
 * folder (the target may be a mount point).
 */
#include "store/backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/tx.h"

#define PAGES_EACH 256
#define LIST_PAGE  500
#define BLOCK_SIZE 65536

struct file_name {
    char sha256[SHA_HEX_SIZE];
};

struct file_list {
    struct file_name *rows; /* owned */
    size_t count;
};

struct copy {
    struct store *from;
    const char *dir;
    char partial[PATH_MAX]; /* of the database */
    bool made_dir;
    bool claimed;
    struct file_list before, then; /* artifacts: in use at the start, and in the copy */
    struct backup_report report;
    struct d7_why *why;
};

static D7_PRINTF(3, 4) enum d7_err make_path(char *ret_path, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int used = vsnprintf(ret_path, size, format, args);
    va_end(args);
    return used > 0 && (size_t)used < size ? D7_OK : D7_ERR_TOO_LARGE;
}

static enum d7_err refuse_errno(const struct copy *c, int number, const char *what)
{
    enum d7_err err = d7_err_from_errno(number);
    return d7_refuse(c->why, err, NULL, "%s: %s", what, strerrordesc_np(number));
}

/* A system call on a path failed by us or by the disk: named in why. */
static enum d7_err refuse_path(const struct copy *c, const char *path)
{
    int number = errno;
    return refuse_errno(c, number, path);
}

/* --- the folder ----------------------------------------------------------------------------------
 */

/* Counts entries, but for `except`. */
static enum d7_err count_entries(const struct copy *c, const char *except, size_t *ret)
{
    DIR *folder = opendir(c->dir);
    if (!folder) {
        return refuse_path(c, c->dir);
    }
    size_t count = 0;
    for (struct dirent *e = NULL; (e = readdir(folder));) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                 (!except || strcmp(e->d_name, except) != 0);
    }
    (void)closedir(folder); /* only read */
    *ret = count;
    return D7_OK;
}

static enum d7_err must_be_empty(const struct copy *c, const char *except)
{
    size_t count = 0;
    enum d7_err err = count_entries(c, except, &count);
    return err     ? err
           : count ? d7_refuse(c->why, D7_ERR_CONFLICT, NULL, "%s is not empty", c->dir)
                   : D7_OK;
}

/* A copy in the store's own folder goes with the store, and one in its tmp with the next start. */
static enum d7_err must_be_elsewhere(const struct copy *c)
{
    char to[PATH_MAX];
    char from[PATH_MAX];
    if (!realpath(c->dir, to) || !realpath(c->from->dir, from)) {
        return refuse_path(c, c->dir);
    }
    size_t len = strlen(from);
    bool is_inside = strncmp(to, from, len) == 0 && (to[len] == '/' || to[len] == '\0');
    return is_inside ? d7_refuse(c->why, D7_ERR_INVALID, NULL,
                                 "%s lies in the folder of the store itself", c->dir)
                     : D7_OK;
}

/* Two backups into one folder: the second finds the name taken, and leaves what is there alone. */
static enum d7_err claim_folder(struct copy *c)
{
    if (mkdir(c->dir, 0700) == 0) {
        c->made_dir = true;
    } else if (errno != EEXIST) {
        return refuse_path(c, c->dir);
    }
    enum d7_err err = make_path(c->partial, sizeof(c->partial), "%s/%s", c->dir, BACKUP_PARTIAL);
    if (!err) {
        err = must_be_elsewhere(c);
    }
    if (!err) {
        err = must_be_empty(c, NULL);
    }
    if (err) {
        return err;
    }
    int fd = open(c->partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return errno == EEXIST ? d7_refuse(c->why, D7_ERR_CONFLICT, NULL, "%s is not empty", c->dir)
                               : refuse_path(c, c->partial);
    }
    (void)close(fd); /* nothing was written through it */
    err = must_be_empty(c, BACKUP_PARTIAL);
    if (err) {
        (void)unlink(c->partial); /* what came between is not ours to remove */
        return err;
    }
    c->claimed = true;
    return D7_OK;
}

static int remove_entry(const char *path, const struct stat *at, int type, struct FTW *where)
{
    (void)at;
    (void)type;
    if (where->level > 0) {
        (void)remove(path); /* what cannot go stays, and no drop7.db is among it */
    }
    return 0;
}

/* Everything in the folder is this copy's: it was empty when it was claimed. */
static void remove_copy(const struct copy *c)
{
    if (c->claimed) {
        (void)nftw(c->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
    if (c->made_dir) {
        (void)rmdir(c->dir); /* empty, or somebody else's by now */
    }
}

static enum d7_err sync_path(const struct copy *c, const char *path)
{
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return fd < 0 || fsync(fd) < 0 ? refuse_path(c, path) : D7_OK;
}

/* --- artifacts -----------------------------------------------------------------------------------
 */

static enum d7_err list_page(struct store *st, struct rows *rows, char after[SHA_HEX_SIZE],
                             size_t *ret_found)
{
    size_t found = 0;
    struct query q;
    query_begin(&q, st, SQL_ARTIFACT_LIST);
    query_text(&q, ":after", after);
    query_int(&q, ":limit", LIST_PAGE);
    while (query_row(&q)) {
        struct file_name *row = rows_add(rows, &q.err);
        if (row) {
            row_text(&q, 0, row->sha256, sizeof(row->sha256));
            found++;
        }
    }
    enum d7_err err = query_end(&q);
    const struct file_name *all = rows->items;
    if (!err && found) {
        memcpy(after, all[rows->count - 1].sha256, SHA_HEX_SIZE);
    }
    *ret_found = found;
    return err;
}

static enum d7_err list_artifacts(struct store *st, struct file_list *ret)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct file_name));
    char after[SHA_HEX_SIZE] = "";
    enum d7_err err = D7_OK;
    for (size_t found = LIST_PAGE; found == LIST_PAGE && !err;) {
        err = list_page(st, &rows, after, &found);
    }
    void *items = NULL;
    err = rows_finish(&rows, err, &items, &ret->count);
    ret->rows = items;
    return err;
}

/* D7_ERR_CORRUPT: what was read is not what it is named after. */
static enum d7_err copy_bytes(const struct copy *c, int from, int to, const char *path,
                              const char *sha256)
{
    struct sha sha;
    char hex[SHA_HEX_SIZE];
    char *block = malloc(BLOCK_SIZE);
    enum d7_err err = block ? D7_OK : D7_ERR_NOMEM;
    sha_init(&sha);
    ssize_t got = 1;
    while (!err && got != 0) {
        got = read(from, block, BLOCK_SIZE);
        if (got < 0) {
            err = errno == EINTR ? D7_OK : refuse_path(c, path);
            continue;
        }
        sha_update(&sha, block, (size_t)got);
        err = fd_write_all(to, block, (size_t)got);
        if (err) {
            (void)d7_refuse(c->why, err, NULL, "%s: %s", path, d7_err_text(err));
        }
    }
    free(block);
    sha_final(&sha, hex);
    if (!err && fsync(to) < 0) {
        err = refuse_path(c, path);
    }
    return err ? err : strcmp(hex, sha256) == 0 ? D7_OK : D7_ERR_CORRUPT;
}

static enum d7_err copy_file(const struct copy *c, const char *source, const char *target,
                             const char *sha256)
{
    D7_AUTO_CLOSE int from = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (from < 0) {
        return errno == ENOENT ? D7_ERR_NOT_FOUND : refuse_path(c, source);
    }
    D7_AUTO_CLOSE int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555);
    if (to < 0) {
        return refuse_path(c, target);
    }
    return copy_bytes(c, from, to, target, sha256);
}

/* D7_ERR_NOT_FOUND, D7_ERR_CORRUPT: of the store's own file. Already in the copy: D7_OK. */
static enum d7_err take_artifact(const struct copy *c, const char *sha256)
{
    char source[PATH_MAX], shard[PATH_MAX], target[PATH_MAX];
    store_artifact_path(c->from, sha256, source, sizeof(source));
    enum d7_err err = make_path(shard, sizeof(shard), "%s/artifacts/%.2s", c->dir, sha256);
    if (!err) {
        err = make_path(target, sizeof(target), "%s/%s", shard, sha256);
    }
    if (err || !source[0]) {
        return err ? err : D7_ERR_CORRUPT;
    }
    if (mkdir(shard, 0700) < 0 && errno != EEXIST) {
        return refuse_path(c, shard);
    }
    if (link(source, target) == 0 || errno == EEXIST) {
        return D7_OK;
    }
    if (errno == ENOENT) {
        return D7_ERR_NOT_FOUND;
    }
    if (errno != EXDEV && errno != EPERM && errno != EMLINK && errno != EOPNOTSUPP) {
        return refuse_path(c, target);
    }
    err = copy_file(c, source, target, sha256);
    if (err == D7_ERR_CORRUPT) {
        (void)unlink(target); /* a damaged file is worth less than none */
    }
    return err;
}

static enum d7_err take_artifacts(struct copy *c, const struct file_list *list, bool count)
{
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < list->count && !err; i++) {
        err = take_artifact(c, list->rows[i].sha256);
        bool missing = err == D7_ERR_NOT_FOUND || err == D7_ERR_CORRUPT;
        err = missing ? D7_OK : err;
        c->report.artifacts += count && !missing;
        c->report.missing += count && missing;
    }
    return err;
}

/* Those of the start that the copy does not refer to. Both lists are sorted. */
static void drop_extra(const struct copy *c)
{
    for (size_t i = 0, k = 0; i < c->before.count; i++) {
        const char *sha256 = c->before.rows[i].sha256;
        while (k < c->then.count && strcmp(c->then.rows[k].sha256, sha256) < 0) {
            k++;
        }
        char path[PATH_MAX];
        if ((k == c->then.count || strcmp(c->then.rows[k].sha256, sha256) != 0) &&
            !make_path(path, sizeof(path), "%s/artifacts/%.2s/%s", c->dir, sha256, sha256)) {
            (void)unlink(path); /* one too many does no harm */
        }
    }
}

static enum d7_err sync_artifacts(const struct copy *c)
{
    char path[PATH_MAX];
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < c->then.count && !err; i++) {
        const char *sha256 = c->then.rows[i].sha256;
        if (i == 0 || memcmp(sha256, c->then.rows[i - 1].sha256, 2) != 0) {
            err = make_path(path, sizeof(path), "%s/artifacts/%.2s", c->dir, sha256);
            err = err ? err : sync_path(c, path);
        }
    }
    if (!err) {
        err = make_path(path, sizeof(path), "%s/artifacts", c->dir);
    }
    return err ? err : sync_path(c, path);
}

/* --- the database --------------------------------------------------------------------------------
 */

static enum d7_err refuse_db(const struct copy *c, sqlite3 *to, int rc)
{
    char text[STORE_MESSAGE_SIZE];
    (void)snprintf(text, sizeof(text), "%s", to ? sqlite3_errmsg(to) : sqlite3_errstr(rc));
    return d7_refuse(c->why, store_fail(c->from, rc), NULL, "%s: %s", c->partial, text);
}

static enum d7_err copy_pages(const struct copy *c, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", c->from->db, "main");
    if (!backup) {
        return refuse_db(c, to, sqlite3_errcode(to));
    }
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK) {
        rc = sqlite3_backup_step(backup, PAGES_EACH);
    }
    int finished = sqlite3_backup_finish(backup); /* SQLITE_OK where it ended with SQLITE_DONE */
    rc = rc == SQLITE_DONE ? finished : rc;
    return rc == SQLITE_OK ? D7_OK : refuse_db(c, to, rc);
}

static int is_ok(void *to, int columns, char **values, char **names)
{
    (void)names;
    *(bool *)to = columns == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

static enum d7_err settle(const struct copy *c, sqlite3 *to)
{
    bool sound = false;
    int rc = sqlite3_exec(to, STORE_SQL_SETTLE_COPY, NULL, NULL, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(to, STORE_SQL_CHECK_COPY, is_ok, &sound, NULL);
    }
    if (rc != SQLITE_OK) {
        return refuse_db(c, to, rc);
    }
    return sound ? D7_OK
                 : d7_refuse(c->why, D7_ERR_CORRUPT, NULL,
                             "the copy of %s/drop7.db is damaged, so the store itself may be",
                             c->from->dir);
}

/* The artifacts are listed in the transaction the pages are read in: the read pins its moment. */
static enum d7_err copy_moment(struct copy *c, sqlite3 *to)
{
    enum d7_err err = tx_begin_read(c->from);
    if (err) {
        return err;
    }
    err = list_artifacts(c->from, &c->then);
    if (!err) {
        err = copy_pages(c, to);
    }
    return tx_end(c->from, err);
}

static enum d7_err copy_database(struct copy *c)
{
    sqlite3 *to = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int rc = sqlite3_open_v2(c->partial, &to, flags, NULL);
    enum d7_err err = rc == SQLITE_OK ? copy_moment(c, to) : refuse_db(c, to, rc);
    if (!err) {
        err = settle(c, to);
    }
    rc = sqlite3_close(to);
    if (!err && rc != SQLITE_OK) {
        err = refuse_db(c, NULL, rc);
    }
    return err;
}

/* --- all of it -----------------------------------------------------------------------------------
 */

static enum d7_err make_folders(const struct copy *c)
{
    static const char *const names[] = {"artifacts", "tmp"};
    char path[PATH_MAX];
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < D7_COUNT(names) && !err; i++) {
        err = make_path(path, sizeof(path), "%s/%s", c->dir, names[i]);
        if (!err && mkdir(path, 0700) < 0) {
            err = refuse_path(c, path);
        }
    }
    return err;
}

/* From here on the folder is a store. What the name stands for is on disk before the name is. */
static enum d7_err give_name(const struct copy *c)
{
    char name[PATH_MAX] = "", parent[PATH_MAX] = "";
    enum d7_err err = make_path(name, sizeof(name), "%s/drop7.db", c->dir);
    if (!err) {
        err = make_path(parent, sizeof(parent), "%s/..", c->dir);
    }
    if (!err) {
        err = sync_path(c, c->dir);
    }
    if (!err && rename(c->partial, name) < 0) {
        err = refuse_path(c, name);
    }
    if (!err) {
        err = sync_path(c, c->dir);
    }
    return err || !c->made_dir ? err : sync_path(c, parent);
}

static enum d7_err publish(struct copy *c)
{
    struct stat at = {0};
    enum d7_err err = sync_artifacts(c);
    if (!err) {
        err = sync_path(c, c->partial);
    }
    if (!err && stat(c->partial, &at) < 0) {
        err = refuse_path(c, c->partial);
    }
    if (!err) {
        err = give_name(c);
    }
    if (!err) {
        c->report.db_bytes = at.st_size;
    }
    return err;
}

static enum d7_err run(struct copy *c)
{
    enum d7_err err = claim_folder(c);
    if (!err) {
        err = make_folders(c);
    }
    if (!err) {
        err = list_artifacts(c->from, &c->before);
    }
    if (!err) {
        err = take_artifacts(c, &c->before, false);
    }
    if (!err) {
        err = copy_database(c);
    }
    if (!err) {
        err = take_artifacts(c, &c->then, true);
    }
    if (!err) {
        drop_extra(c);
        err = publish(c);
    }
    return err;
}

enum d7_err store_backup(struct store *st, const char *dir, struct backup_report *ret,
                         struct d7_why *why)
{
    struct d7_why unheard = {{0}, {0}};
    struct copy c = {.from = st, .dir = dir, .why = why ? why : &unheard};
    enum d7_err err = run(&c);
    if (err) {
        remove_copy(&c);
        if (!c.why->text[0]) {
            (void)d7_refuse(c.why, err, NULL, "%s (%s)", d7_err_text(err), st->message);
        }
    } else {
        *ret = c.report;
    }
    free(c.before.rows);
    free(c.then.rows);
    return err;
}
