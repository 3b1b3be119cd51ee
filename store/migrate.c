#include "store/migrate.h"

#define APPLICATION_ID 0x64377064 /* "d7pd": set by migration 1 */

/* As server/embed.sh lays them out; the byte at end is a NUL. */
struct migration {
    const char *name;
    const char *start;
    const char *end;
};
extern const struct migration embed_migrations[];

int store_schema_version(void)
{
    int count = 0;
    while (embed_migrations[count].name) {
        count++;
    }
    return count;
}

static int keep_integer(void *to, int columns, char **values, char **names)
{
    (void)names;
    int64_t value = 0;
    if (columns != 1 || !values[0] ||
        span_parse_i64(span_of(values[0]), INT32_MIN, INT32_MAX, &value)) {
        return 1;
    }
    *(int64_t *)to = value;
    return 0;
}

static enum d7_err read_integer(struct store *st, const char *sql, int64_t *ret)
{
    int rc = sqlite3_exec(st->db, sql, keep_integer, ret, NULL);
    return rc == SQLITE_OK ? D7_OK : store_fail(st, rc);
}

enum d7_err migrate_version(struct store *st, int *ret_version, struct d7_why *why)
{
    int64_t version = 0;
    int64_t application = 0;
    int64_t objects = 0;
    /* In this order: another program may be migrating right now, in one transaction, and its mark
     * must be seen where anything else of it is. */
    enum d7_err err = read_integer(st, STORE_SQL_SCHEMA_SIZE, &objects);
    if (!err) {
        err = read_integer(st, STORE_SQL_VERSION, &version);
    }
    if (!err) {
        err = read_integer(st, STORE_SQL_APPLICATION, &application);
    }
    if (err == D7_ERR_CORRUPT) {
        return d7_refuse(why, err, NULL, "%s/drop7.db is not a database, or is damaged: %s",
                         st->dir, st->message);
    }
    if (err) {
        return d7_refuse(why, err, NULL, "cannot read %s/drop7.db: %s", st->dir, st->message);
    }
    /* An empty file becomes ours; anything else must say that it is. */
    if (application != APPLICATION_ID && (application || version || objects)) {
        return d7_refuse(why, D7_ERR_CORRUPT, NULL, "%s/drop7.db is a database of another program",
                         st->dir);
    }
    *ret_version = (int)version;
    return D7_OK;
}

static enum d7_err run_script(struct store *st, const char *sql)
{
    int rc = sqlite3_exec(st->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? D7_OK : store_fail(st, rc);
}

static enum d7_err apply(struct store *st, int number, struct d7_why *why)
{
    const struct migration *m = &embed_migrations[number - 1];
    D7_CHECK(*m->end == '\0');
    char set_version[64];
    (void)snprintf(set_version, sizeof(set_version), STORE_SQL_SET_VERSION, number);
    int version = 0;
    enum d7_err err = run_script(st, STORE_SQL_BEGIN);
    if (err) {
        goto out;
    }
    err = migrate_version(st, &version, NULL);
    if (!err && version < number) { /* else another program was faster */
        err = run_script(st, m->start);
        if (!err) {
            err = run_script(st, set_version);
        }
    }
    if (!err) {
        err = run_script(st, STORE_SQL_COMMIT);
    }
    if (err && !sqlite3_get_autocommit(st->db)) {
        (void)sqlite3_exec(st->db, STORE_SQL_ROLLBACK, NULL, NULL, NULL); /* err says why */
    }
out:
    return err ? d7_refuse(why, err, NULL, "migration %s: %s", m->name, st->message) : D7_OK;
}

static enum d7_err refuse_newer(const struct store *st, int version, struct d7_why *why)
{
    return d7_refuse(why, D7_ERR_VERSION, NULL,
                     "%s/drop7.db has schema %d, this program knows up to %d", st->dir, version,
                     store_schema_version());
}

enum d7_err migrate_run(struct store *st, struct d7_why *why)
{
    int version = 0;
    enum d7_err err = migrate_version(st, &version, why);
    if (!err && version > store_schema_version()) {
        err = refuse_newer(st, version, why);
    }
    for (int number = version + 1; !err && number <= store_schema_version(); number++) {
        err = apply(st, number, why);
    }
    return err;
}

enum d7_err migrate_check(struct store *st, struct d7_why *why)
{
    int version = 0;
    enum d7_err err = migrate_version(st, &version, why);
    if (!err && version > store_schema_version()) {
        return refuse_newer(st, version, why);
    }
    if (!err && version < store_schema_version()) {
        return d7_refuse(why, D7_ERR_VERSION, NULL,
                         "%s/drop7.db has schema %d, this program needs %d: run drop7d migrate",
                         st->dir, version, store_schema_version());
    }
    return err;
}
