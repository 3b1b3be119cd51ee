/* faults_sql.c - the statements of SQLite's for faults.h. */
#include <sqlite3.h>

#include "tests/support/faults_in.h"

#define STATEMENT(type, bad, name, params, args)                                                   \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        return faults_now(FAULTS_SQL) ? (bad) : __real_##name args;                                \
    }

STATEMENT(int, SQLITE_IOERR_READ, sqlite3_step, (sqlite3_stmt * s), (s))
STATEMENT(int, SQLITE_IOERR_READ, sqlite3_exec,
          (sqlite3 * db, const char *sql, int (*fn)(void *, int, char **, char **), void *ctx,
           char **error),
          (db, sql, fn, ctx, error))
STATEMENT(int, SQLITE_IOERR_READ, sqlite3_prepare_v3,
          (sqlite3 * db, const char *sql, int size, unsigned flags, sqlite3_stmt **ret,
           const char **tail),
          (db, sql, size, flags, ret, tail))
STATEMENT(int, SQLITE_IOERR_WRITE, sqlite3_backup_step, (sqlite3_backup * b, int pages), (b, pages))
STATEMENT(sqlite3_backup *, NULL, sqlite3_backup_init,
          (sqlite3 * to, const char *to_name, sqlite3 *from, const char *from_name),
          (to, to_name, from, from_name))
/* Whatever it answers, the backup is gone after it: so it is called first, and then fails. */
int __real_sqlite3_backup_finish(sqlite3_backup *b);
int __wrap_sqlite3_backup_finish(sqlite3_backup *b);
int __wrap_sqlite3_backup_finish(sqlite3_backup *b)
{
    int rc = __real_sqlite3_backup_finish(b);
    return faults_now(FAULTS_SQL) ? SQLITE_IOERR_FSYNC : rc;
}

STATEMENT(int, SQLITE_IOERR_READ, sqlite3_busy_timeout, (sqlite3 * db, int ms), (db, ms))
STATEMENT(int, SQLITE_NOMEM, sqlite3_file_control,
          (sqlite3 * db, const char *name, int operation, void *ctx), (db, name, operation, ctx))
