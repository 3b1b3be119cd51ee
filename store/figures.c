#include "store/figures.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "store/row.h"

enum d7_err game_totals_add(struct store *st, struct game_totals *totals)
{
    struct game_totals t = *totals;
    struct query q;
    query_begin(&q, st, SQL_GAME_TOTALS);
    query_int(&q, ":seq", t.last_seq);
    if (query_one(&q)) {
        t.last_seq = row_int(&q, 0);
        t.over += row_int(&q, 1);
        t.censored += row_int(&q, 2);
        t.forfeits += row_int(&q, 3);
        t.moves += row_int(&q, 4);
        t.illegal_moves += row_int(&q, 5);
        t.timeouts += row_int(&q, 6);
        t.crashes += row_int(&q, 7);
        t.nondeterministic += row_int(&q, 8);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *totals = t;
    }
    return err;
}

enum d7_err job_figures_get(struct store *st, struct job_figures *ret)
{
    static const char *const kinds[] = {"check", "game"};
    static const char *const states[] = {"waiting", "queued", "playing", "failed"};
    struct job_figures figures = {{0}, {0}};
    struct query q;
    query_begin(&q, st, SQL_JOB_FIGURES);
    while (query_row(&q)) {
        unsigned kind = row_enum(&q, 0, kinds, D7_COUNT(kinds));
        unsigned state = row_enum(&q, 1, states, D7_COUNT(states));
        int64_t *to = kind == 0 ? figures.checks : figures.games;
        to[state] = row_int(&q, 2);
    }
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = figures;
    }
    return err;
}

/* Looked at by name only: opening and closing the file would drop the locks on it. */
static enum d7_err size_of(const struct store *st, const char *name, int64_t *ret)
{
    char path[PATH_MAX];
    struct stat at;
    int used = snprintf(path, sizeof(path), "%s/%s", st->dir, name);
    if (used < 0 || (size_t)used >= sizeof(path)) {
        return D7_ERR_TOO_LARGE;
    }
    if (lstat(path, &at) < 0) {
        return errno == ENOENT ? D7_OK : d7_err_from_errno(errno);
    }
    *ret = at.st_size;
    return D7_OK;
}

enum d7_err store_sizes_get(const struct store *st, struct store_sizes *ret)
{
    struct store_sizes sizes = {0};
    struct statvfs fs;
    if (statvfs(st->dir, &fs) < 0) {
        return d7_err_from_errno(errno);
    }
    sizes.free_bytes = (int64_t)(fs.f_bavail * fs.f_frsize);
    enum d7_err err = size_of(st, "drop7.db", &sizes.db_bytes);
    if (!err) {
        err = size_of(st, "drop7.db-wal", &sizes.wal_bytes);
    }
    if (!err) {
        *ret = sizes;
    }
    return err;
}

void store_count_errors(struct store *st, struct store_errors *errors)
{
    st->errors = errors;
}

void figures_count(struct store_errors *errors, enum d7_err err)
{
    if (!errors || err == D7_ERR_CONFLICT) {
        return;
    }
    atomic_llong *counter = err == D7_ERR_BUSY      ? &errors->busy
                            : err == D7_ERR_FULL    ? &errors->full
                            : err == D7_ERR_CORRUPT ? &errors->corrupt
                            : err == D7_ERR_IO      ? &errors->io
                                                    : &errors->other;
    (void)atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
