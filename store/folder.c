/* The data folder: DIR/drop7.db, DIR/artifacts/ab/abcdef..., DIR/tmp, DIR/serve.lock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "store/row.h"
#include "store/tx.h"

static enum d7_err make_folder(const char *path, struct d7_why *why)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST) {
        struct stat at;
        if (stat(path, &at) == 0 && S_ISDIR(at.st_mode)) {
            return D7_OK;
        }
        return d7_refuse(why, D7_ERR_IO, NULL, "%s is not a folder", path);
    }
    int number = errno;
    return d7_refuse(why, d7_err_from_errno(number), NULL, "cannot create the folder %s: %s", path,
                     d7_err_text(d7_err_from_errno(number)));
}

static D7_PRINTF(3, 4) enum d7_err make_path(char *ret_path, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int used = vsnprintf(ret_path, size, format, args);
    va_end(args);
    return used > 0 && (size_t)used < size ? D7_OK : D7_ERR_TOO_LARGE;
}

static enum d7_err path_in(const char *dir, const char *name, char *ret_path, size_t size)
{
    return make_path(ret_path, size, "%s/%s", dir, name);
}

enum d7_err folder_prepare(const char *dir, struct d7_why *why)
{
    char path[PATH_MAX];
    enum d7_err err = make_folder(dir, why);
    static const char *const parts[] = {"artifacts", "tmp"};
    for (size_t i = 0; i < D7_COUNT(parts) && !err; i++) {
        err = path_in(dir, parts[i], path, sizeof(path));
        if (!err) {
            err = make_folder(path, why);
        }
    }
    return err;
}

enum d7_err folder_lock(const char *dir, int *ret_fd, struct d7_why *why)
{
    char path[PATH_MAX];
    enum d7_err err = path_in(dir, "serve.lock", path, sizeof(path));
    if (err) {
        return err;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        err = d7_err_from_errno(errno);
        return d7_refuse(why, err, NULL, "cannot open %s: %s", path, d7_err_text(err));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        err = errno == EWOULDBLOCK ? D7_ERR_BUSY : d7_err_from_errno(errno);
        (void)close(fd); /* nothing was written through it */
        return err == D7_ERR_BUSY
                   ? d7_refuse(why, err, NULL, "another drop7d serve is using %s", dir)
                   : d7_refuse(why, err, NULL, "cannot lock %s: %s", path, d7_err_text(err));
    }
    *ret_fd = fd;
    return D7_OK;
}

enum d7_err folder_take_turn(const char *dir, int *ret_fd)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return d7_err_from_errno(errno);
    }
    while (flock(fd, LOCK_EX) < 0) {
        if (errno != EINTR) {
            enum d7_err err = d7_err_from_errno(errno);
            (void)close(fd); /* nothing was written through it */
            return err;
        }
    }
    *ret_fd = fd;
    return D7_OK;
}

/* Calls fn for the entries of a folder; one level. A missing folder has none. */
static enum d7_err each_entry(const char *path, enum d7_err (*fn)(void *ctx, const char *path),
                              void *ctx)
{
    DIR *folder = opendir(path);
    if (!folder) {
        return errno == ENOENT ? D7_OK : d7_err_from_errno(errno);
    }
    enum d7_err err = D7_OK;
    for (struct dirent *e = NULL; !err && (e = readdir(folder));) {
        char entry[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        err = path_in(path, e->d_name, entry, sizeof(entry));
        if (!err) {
            err = fn(ctx, entry);
        }
    }
    (void)closedir(folder); /* only read */
    return err;
}

static enum d7_err remove_one(void *ctx, const char *path)
{
    (void)ctx;
    if (remove(path) == 0 || errno == ENOENT || errno == ENOTEMPTY) {
        return D7_OK; /* uploads are plain files; a folder somebody put there is not ours */
    }
    return d7_err_from_errno(errno);
}

enum d7_err folder_sweep(const char *dir)
{
    char path[PATH_MAX];
    enum d7_err err = path_in(dir, "tmp", path, sizeof(path));
    return err ? err : each_entry(path, remove_one, NULL);
}

/* --- artifacts ------------------------------------------------------------------------------ */

static bool is_sha256(const char *text)
{
    size_t len = strspn(text, "0123456789abcdef");
    return len == SHA_HEX_SIZE - 1 && text[len] == '\0';
}

void store_artifact_path(const struct store *st, const char *sha256, char *ret_path, size_t size)
{
    D7_CHECK(size > 0);
    if (!is_sha256(sha256) ||
        make_path(ret_path, size, "%s/artifacts/%.2s/%s", st->dir, sha256, sha256)) {
        ret_path[0] = '\0'; /* opens nothing */
    }
}

void store_tmp_dir(const struct store *st, char *ret_path, size_t size)
{
    D7_CHECK(size > 0);
    if (path_in(st->dir, "tmp", ret_path, size)) {
        ret_path[0] = '\0';
    }
}

static enum d7_err sync_path(const char *path, int flags)
{
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags);
    if (fd < 0 || fsync(fd) < 0) {
        return d7_err_from_errno(errno);
    }
    return D7_OK;
}

/* The folder an artifact lies in, made if missing; its own entry is on disk before a file is. */
static enum d7_err shard_folder(const struct store *st, const char *sha256, char *ret_path,
                                size_t size)
{
    enum d7_err err = make_path(ret_path, size, "%s/artifacts/%.2s", st->dir, sha256);
    if (err) {
        return err;
    }
    if (mkdir(ret_path, 0700) < 0) {
        return errno == EEXIST ? D7_OK : d7_err_from_errno(errno);
    }
    char parent[PATH_MAX];
    err = path_in(st->dir, "artifacts", parent, sizeof(parent));
    return err ? err : sync_path(parent, O_DIRECTORY);
}

enum d7_err store_artifact_adopt(struct store *st, const char *temporary, const char *sha256)
{
    char target[PATH_MAX];
    char shard[PATH_MAX];
    store_artifact_path(st, sha256, target, sizeof(target));
    if (!target[0]) {
        return D7_ERR_INVALID;
    }
    /* Contents before name: after a crash there is no file, or a whole one. */
    enum d7_err err = sync_path(temporary, 0);
    if (!err) {
        err = shard_folder(st, sha256, shard, sizeof(shard));
    }
    /* Executable for everybody: so the sandbox can show the file itself to a slot's uid, uncopied.
     * The folder is closed to others. */
    if (!err && (chmod(temporary, 0555) < 0 || rename(temporary, target) < 0)) {
        err = d7_err_from_errno(errno);
    }
    return err ? err : sync_path(shard, O_DIRECTORY);
}

static enum d7_err drop_unused(struct store *st, const char *sha256, const char *path)
{
    struct query q;
    query_begin(&q, st, SQL_REVISION_USES);
    query_text(&q, ":sha256", sha256);
    bool used = query_row(&q);
    enum d7_err err = query_end(&q);
    if (!err && !used && unlink(path) < 0 && errno != ENOENT) {
        err = d7_err_from_errno(errno);
    }
    return err;
}

enum d7_err store_artifact_drop(struct store *st, const char *sha256)
{
    char path[PATH_MAX];
    store_artifact_path(st, sha256, path, sizeof(path));
    if (!path[0]) {
        return D7_ERR_INVALID;
    }
    /* Nobody can register a revision between the look and the unlink. */
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, drop_unused(st, sha256, path));
}

static enum d7_err sweep_file(void *ctx, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return is_sha256(name) ? drop_unused(ctx, name, path) : D7_OK;
}

static enum d7_err sweep_shard(void *ctx, const char *path)
{
    struct stat at;
    if (lstat(path, &at) < 0 || !S_ISDIR(at.st_mode)) {
        return D7_OK; /* not ours: left alone */
    }
    return each_entry(path, sweep_file, ctx);
}

enum d7_err folder_sweep_artifacts(struct store *st)
{
    char path[PATH_MAX];
    enum d7_err err = path_in(st->dir, "artifacts", path, sizeof(path));
    return err ? err : each_entry(path, sweep_shard, st);
}
