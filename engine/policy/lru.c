/*
 * Design note
 *
 * Entries sit in one array and are chained twice by index: in their hash bucket, and in order of
 * use. Chains, not open addressing, because entries leave one by one. Clearing unhooks the entries
 * held and nothing else: most decisions use a few hundred of them.
 */
#include "engine/policy/lru.h"

#include <string.h>

#define NONE    UINT32_MAX
#define BUCKETS 65536u

struct entry {
    struct lru_key key;
    double value;
    uint32_t bucket;
    uint32_t chain; /* next in the bucket */
    uint32_t older;
    uint32_t newer;
};

struct lru {
    uint32_t used;
    uint32_t newest;
    uint32_t oldest;
    uint32_t bucket[BUCKETS];
    struct entry entry[LRU_CAPACITY];
};

enum d7_err lru_new(struct lru **ret)
{
    struct lru *l = calloc(1, sizeof(*l));
    if (!l) {
        return D7_ERR_NOMEM;
    }
    memset(l->bucket, 0xff, sizeof(l->bucket));
    l->newest = l->oldest = NONE;
    *ret = l;
    return D7_OK;
}

void lru_free(struct lru *l)
{
    free(l);
}

void lru_clear(struct lru *l)
{
    for (uint32_t i = 0; i < l->used; i++) {
        l->bucket[l->entry[i].bucket] = NONE;
    }
    l->used = 0;
    l->newest = l->oldest = NONE;
}

unsigned lru_size(const struct lru *l)
{
    return l->used;
}

static uint32_t bucket_of(const struct lru_key *key)
{
    uint64_t hash = (uint64_t)key->next | (uint64_t)key->rise << 8 | (uint64_t)key->depth << 16 |
                    (uint64_t)key->over << 24;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        hash = (hash ^ key->board.col[c]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 40) % BUCKETS;
}

static bool same_key(const struct lru_key *a, const struct lru_key *b)
{
    return memcmp(&a->board, &b->board, sizeof(a->board)) == 0 && a->next == b->next &&
           a->rise == b->rise && a->depth == b->depth && a->over == b->over;
}

static void use_unlink(struct lru *l, uint32_t i)
{
    struct entry *e = &l->entry[i];
    if (e->newer == NONE) {
        l->newest = e->older;
    } else {
        l->entry[e->newer].older = e->older;
    }
    if (e->older == NONE) {
        l->oldest = e->newer;
    } else {
        l->entry[e->older].newer = e->newer;
    }
}

static void use_push(struct lru *l, uint32_t i)
{
    struct entry *e = &l->entry[i];
    e->newer = NONE;
    e->older = l->newest;
    if (l->newest == NONE) {
        l->oldest = i;
    } else {
        l->entry[l->newest].newer = i;
    }
    l->newest = i;
}

bool lru_get(struct lru *l, const struct lru_key *key, double *ret_value)
{
    for (uint32_t i = l->bucket[bucket_of(key)]; i != NONE; i = l->entry[i].chain) {
        if (same_key(&l->entry[i].key, key)) {
            if (l->newest != i) {
                use_unlink(l, i);
                use_push(l, i);
            }
            *ret_value = l->entry[i].value;
            return true;
        }
    }
    return false;
}

/* Takes the least recently used entry out of everything and returns its place. */
static uint32_t drop_oldest(struct lru *l)
{
    uint32_t i = l->oldest;
    uint32_t *link = &l->bucket[l->entry[i].bucket];
    while (*link != i) {
        link = &l->entry[*link].chain;
    }
    *link = l->entry[i].chain;
    use_unlink(l, i);
    return i;
}

void lru_put(struct lru *l, const struct lru_key *key, double value)
{
    uint32_t i = l->used < LRU_CAPACITY ? l->used++ : drop_oldest(l);
    struct entry *e = &l->entry[i];
    e->key = *key;
    e->value = value;
    e->bucket = bucket_of(key);
    e->chain = l->bucket[e->bucket];
    l->bucket[e->bucket] = i;
    use_push(l, i);
}
