#include "store/account.h"

#include "engine/base/hash.h"
#include "store/row.h"
#include "store/rows.h"
#include "store/tx.h"

#define TOKENS_MAX   10000
#define TOKEN_PREFIX 8 /* hex digits of a hash an index may see */

static enum d7_err add_account(struct store *st, const char *name, bool admin, int64_t now,
                               int64_t *ret_id)
{
    struct query q;
    query_begin(&q, st, SQL_ACCOUNT_ADD);
    query_text(&q, ":name", name);
    query_int(&q, ":admin", admin);
    query_int(&q, ":now", now);
    enum d7_err err = query_run(&q);
    if (!err) {
        *ret_id = sqlite3_last_insert_rowid(st->db);
    }
    return err;
}

static enum d7_err raise_account(struct store *st, int64_t id)
{
    struct query q;
    query_begin(&q, st, SQL_ACCOUNT_RAISE);
    query_int(&q, ":id", id);
    return query_run(&q);
}

static enum d7_err find_or_add(struct store *st, const char *name, bool admin, bool must_be_new,
                               int64_t now, int64_t *ret_id)
{
    struct query q;
    query_begin(&q, st, SQL_ACCOUNT_BY_NAME);
    query_text(&q, ":name", name);
    bool found = query_row(&q);
    int64_t id = found ? row_int(&q, 0) : 0;
    bool is_admin = found && row_bool(&q, 1);
    enum d7_err err = query_end(&q);
    if (err) {
        return err;
    }
    if (!found) {
        return add_account(st, name, admin, now, ret_id);
    }
    if (must_be_new) {
        return D7_ERR_CONFLICT;
    }
    *ret_id = id;
    return admin && !is_admin ? raise_account(st, id) : D7_OK;
}

static enum d7_err add_token(struct store *st, int64_t account, const char *sha256, int64_t now,
                             char ret_id[STORE_KEY_SIZE])
{
    enum d7_err err = tx_key(st, now, ret_id);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_TOKEN_ADD);
    query_text(&q, ":id", ret_id);
    query_int(&q, ":account", account);
    query_text(&q, ":sha256", sha256);
    query_int(&q, ":now", now);
    return query_run(&q);
}

enum d7_err account_token_add(struct store *st, const char *name, bool admin, bool must_be_new,
                              const char *token_sha256, int64_t now,
                              char ret_token_id[STORE_KEY_SIZE])
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    int64_t account = 0;
    char id[STORE_KEY_SIZE];
    err = find_or_add(st, name, admin, must_be_new, now, &account);
    if (!err) {
        err = add_token(st, account, token_sha256, now, id);
    }
    err = tx_end(st, err);
    if (!err) {
        memcpy(ret_token_id, id, sizeof(id));
    }
    return err;
}

/* An index compares byte by byte and stops at the first that differs: it gets the beginning of the
 * hash only, and the whole is compared in constant time. */
enum d7_err account_by_token(struct store *st, const char *token_sha256, struct account *ret)
{
    struct account a = {0};
    bool found = false;
    char from[TOKEN_PREFIX + 1];
    char to[TOKEN_PREFIX + 2];
    (void)snprintf(from, sizeof(from), "%.*s", TOKEN_PREFIX, token_sha256);
    (void)snprintf(to, sizeof(to), "%sg", from); /* after every hex digit */
    struct query q;
    query_begin(&q, st, SQL_ACCOUNT_BY_TOKEN);
    query_text(&q, ":from", from);
    query_text(&q, ":to", to);
    while (query_row(&q)) {
        char stored[SHA_HEX_SIZE];
        row_text(&q, 3, stored, sizeof(stored));
        if (secret_equal(span_of(stored), span_of(token_sha256))) {
            found = true;
            a.id = row_int(&q, 0);
            row_text(&q, 1, a.name, sizeof(a.name));
            a.admin = row_bool(&q, 2);
        }
    }
    enum d7_err err = query_end(&q);
    if (err) {
        return err;
    }
    if (!found) {
        return D7_ERR_NOT_FOUND;
    }
    *ret = a;
    return D7_OK;
}

enum d7_err token_used(struct store *st, const char *token_sha256, int64_t now)
{
    enum d7_err err = tx_begin(st);
    if (err) {
        return err;
    }
    struct query q;
    query_begin(&q, st, SQL_TOKEN_USED);
    query_text(&q, ":sha256", token_sha256);
    query_int(&q, ":now", now);
    return tx_end(st, query_run(&q));
}

enum d7_err token_list(struct store *st, struct token_row **ret_rows, size_t *ret_count)
{
    struct rows rows;
    rows_init(&rows, sizeof(struct token_row));
    struct query q;
    query_begin(&q, st, SQL_TOKEN_LIST);
    query_int(&q, ":seq", 0);
    query_int(&q, ":limit", TOKENS_MAX);
    while (query_row(&q)) {
        struct token_row *row = rows_add(&rows, &q.err);
        if (row) {
            row_text(&q, 0, row->id, sizeof(row->id));
            row_text(&q, 1, row->account, sizeof(row->account));
            row->admin = row_bool(&q, 2);
            row->revoked = row_bool(&q, 3);
            row->created_at = row_int(&q, 4);
            row->last_used_at = row_int_or_none(&q, 5);
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

static enum d7_err revoke_it(struct store *st, const char *token_id, int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_TOKEN_REVOKE);
    query_text(&q, ":id", token_id);
    query_int(&q, ":now", now);
    enum d7_err err = query_run_hit(&q);
    return err == D7_ERR_CONFLICT ? D7_ERR_NOT_FOUND : err;
}

enum d7_err token_revoke(struct store *st, const char *token_id, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, revoke_it(st, token_id, now));
}

static enum d7_err revoke_own(struct store *st, int64_t account, const char *token_id, int64_t now)
{
    struct query q;
    query_begin(&q, st, SQL_TOKEN_OWNER);
    query_text(&q, ":id", token_id);
    int64_t owner = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (!err && owner != account) {
        err = D7_ERR_FORBIDDEN;
    }
    return err ? err : revoke_it(st, token_id, now);
}

enum d7_err token_revoke_own(struct store *st, int64_t account, const char *token_id, int64_t now)
{
    enum d7_err err = tx_begin(st);
    return err ? err : tx_end(st, revoke_own(st, account, token_id, now));
}
