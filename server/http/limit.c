/*
 * Design note. A bucket is one number: the moment from which it is full again. Taking one moves it
 * on by the time one needs to come back (period / count); there is none left while it would lie
 * further off than a period. This is the token bucket without a clock tick or a fraction in it
 * (known as GCRA, ITU-T I.371).
 */
#include "server/http/limit.h"

#include <pthread.h>
#include <stdlib.h>

#include "engine/base/hash.h"

struct bucket {
    struct limit_key key;
    int64_t full_us; /* when it is full again; in the past: full */
};

struct limiter {
    struct limit_rate rates[LIMIT_KINDS];
    uint64_t seed;
    pthread_mutex_t lock;
    struct bucket buckets[LIMIT_KINDS][LIMIT_SLOTS]; /* guarded by lock */
};

struct limit_key limit_key_account(int64_t id)
{
    struct limit_key key = {{'a'}};
    memcpy(key.bytes + 1, &id, sizeof(id));
    return key;
}

struct limit_key limit_key_address(const struct ip_address *address)
{
    struct limit_key key = {{address->v6 ? '6' : '4'}};
    memcpy(key.bytes + 1, address->bytes, address->v6 ? 8 : 4);
    return key;
}

enum d7_err limiter_new(const struct limit_rate rates[LIMIT_KINDS], struct limiter **ret)
{
    char hex[17];
    enum d7_err err = random_hex(hex, 8);
    if (err) {
        return err;
    }
    struct limiter *l = calloc(1, sizeof(*l));
    if (!l) {
        return D7_ERR_NOMEM;
    }
    memcpy(l->rates, rates, sizeof(l->rates));
    memcpy(&l->seed, hex, sizeof(l->seed));
    D7_CHECK(pthread_mutex_init(&l->lock, NULL) == 0);
    *ret = l;
    return D7_OK;
}

void limiter_free(struct limiter *l)
{
    if (l) {
        (void)pthread_mutex_destroy(&l->lock); /* nobody holds it: the caller's promise */
        free(l);
    }
}

/* FNV-1a over the seed and the key: spread is all that is wanted. */
static size_t row_of(const struct limiter *l, struct limit_key key)
{
    uint64_t hash = l->seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof(key.bytes); i++) {
        hash = (hash ^ key.bytes[i]) * 0x100000001b3u;
    }
    return (size_t)((hash ^ hash >> 32) % (LIMIT_SLOTS / LIMIT_ROW)) * LIMIT_ROW;
}

/* The key's bucket; else, with `make`, a full one in place of the fullest of the row. */
static struct bucket *find(struct limiter *l, enum limit_kind kind, struct limit_key key, bool make)
{
    struct bucket *row = &l->buckets[kind][row_of(l, key)];
    struct bucket *fullest = row;
    for (size_t i = 0; i < LIMIT_ROW; i++) {
        if (memcmp(row[i].key.bytes, key.bytes, sizeof(key.bytes)) == 0) {
            return &row[i];
        }
        if (row[i].full_us < fullest->full_us) {
            fullest = &row[i];
        }
    }
    if (!make) {
        return NULL;
    }
    *fullest = (struct bucket){.key = key};
    return fullest;
}

static int64_t one_us(const struct limit_rate *rate)
{
    return rate->period_ms * 1000 / rate->count;
}

enum d7_err limit_take(struct limiter *l, enum limit_kind kind, struct limit_key key,
                       int64_t now_us, int *ret_retry_s)
{
    if (!l || l->rates[kind].count == 0) {
        return D7_OK;
    }
    const struct limit_rate *rate = &l->rates[kind];
    enum d7_err err = D7_OK;
    D7_CHECK(pthread_mutex_lock(&l->lock) == 0);
    struct bucket *b = find(l, kind, key, true);
    int64_t full_us = (b->full_us > now_us ? b->full_us : now_us) + one_us(rate);
    int64_t over_us = full_us - now_us - one_us(rate) * rate->count;
    if (over_us > 0) {
        err = D7_ERR_RATE;
    } else {
        b->full_us = full_us;
    }
    D7_CHECK(pthread_mutex_unlock(&l->lock) == 0);
    if (err) {
        *ret_retry_s = (int)((over_us + 999999) / 1000000);
    }
    return err;
}

void limit_give_back(struct limiter *l, enum limit_kind kind, struct limit_key key)
{
    if (!l || l->rates[kind].count == 0) {
        return;
    }
    D7_CHECK(pthread_mutex_lock(&l->lock) == 0);
    struct bucket *b = find(l, kind, key, false);
    if (b) {
        b->full_us -= one_us(&l->rates[kind]);
    }
    D7_CHECK(pthread_mutex_unlock(&l->lock) == 0);
}
