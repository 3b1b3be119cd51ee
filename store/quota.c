#include "store/quota.h"

#include "store/queue.h"
#include "store/tx.h"

#define DAY_MS 86400000

static const struct {
    const char *name;
    enum store_sql count;
} things[QUOTA_THINGS] = {
    [QUOTA_POLICIES] = {"policies", SQL_QUOTA_POLICIES},
    [QUOTA_REVISIONS] = {"revisionsPerDay", SQL_QUOTA_REVISIONS},
    [QUOTA_JOBS] = {"waitingJobs", SQL_QUOTA_JOBS},
    [QUOTA_ARTIFACTS] = {"artifactBytes", SQL_QUOTA_ARTIFACTS},
};

const char *quota_thing_text(enum quota_thing t)
{
    return (size_t)t < QUOTA_THINGS ? things[t].name : "unknown";
}

static enum d7_err count(struct store *st, size_t thing, int64_t account, int64_t now, int64_t *ret)
{
    struct query q;
    query_begin(&q, st, things[thing].count);
    query_int(&q, ":owner", account);
    if (thing == QUOTA_REVISIONS) {
        query_int(&q, ":since", now - DAY_MS);
    }
    int64_t used = query_one(&q) ? row_int(&q, 0) : 0;
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret = used;
    }
    return err;
}

enum d7_err quota_used(struct store *st, int64_t account, int64_t now,
                       int64_t ret_used[QUOTA_THINGS])
{
    int64_t used[QUOTA_THINGS] = {0};
    enum d7_err err = tx_begin_read(st);
    if (err) {
        return err;
    }
    for (size_t i = 0; i < QUOTA_THINGS && !err; i++) {
        err = count(st, i, account, now, &used[i]);
    }
    err = tx_end(st, err);
    if (!err) {
        memcpy(ret_used, used, sizeof(used));
    }
    return err;
}

enum d7_err quota_check(struct store *st, const struct quota *quota, int64_t account,
                        const int64_t asked[QUOTA_THINGS], int64_t now,
                        struct quota_excess *ret_excess)
{
    enum d7_err err = D7_OK;
    for (size_t i = 0; quota && i < QUOTA_THINGS && !err; i++) {
        int64_t limit = quota->limit[i];
        int64_t used = 0;
        if (limit == 0 || asked[i] == 0) {
            continue;
        }
        err = count(st, i, account, now, &used);
        if (!err && used + asked[i] > limit) {
            err = D7_ERR_QUOTA;
            if (ret_excess) {
                *ret_excess = (struct quota_excess){(enum quota_thing)i, used, asked[i], limit};
            }
        }
    }
    return err;
}

enum d7_err quota_new_bytes(struct store *st, int64_t account, const char *sha256, int64_t size,
                            int64_t *ret_bytes)
{
    if (!sha256 || !sha256[0]) {
        *ret_bytes = 0;
        return D7_OK;
    }
    struct query q;
    query_begin(&q, st, SQL_REVISION_OWNED);
    query_text(&q, ":sha256", sha256);
    query_int(&q, ":owner", account);
    bool owned = query_row(&q);
    enum d7_err err = query_end(&q);
    if (!err) {
        *ret_bytes = owned ? 0 : size;
    }
    return err;
}
