#include "engine/rank/interval_memo.h"

#include <pthread.h>

#include "engine/base/hash.h"
#include "engine/base/rng.h"

#define WAYS 4

struct memo_entry {
    char key[SHA_HEX_SIZE]; /* empty: free */
    struct interval interval;
};

struct memo_set {
    struct memo_entry ways[WAYS];
    size_t next; /* the way that gives place next */
};

struct interval_memo {
    pthread_mutex_t lock;
    uint64_t computed; /* guarded by lock, as are the sets */
    size_t set_count;
    struct memo_set sets[];
};

enum d7_err interval_memo_new(size_t slots, struct interval_memo **ret)
{
    size_t sets = slots / WAYS;
    D7_CHECK(sets > 0 && slots <= INTERVAL_MEMO_SLOTS);
    struct interval_memo *m = calloc(1, sizeof(*m) + sets * sizeof(m->sets[0]));
    if (!m) {
        return D7_ERR_NOMEM;
    }
    m->set_count = sets;
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        free(m);
        return D7_ERR_NOMEM;
    }
    *ret = m;
    return D7_OK;
}

void interval_memo_free(struct interval_memo *m)
{
    if (m) {
        (void)pthread_mutex_destroy(&m->lock); /* nobody uses it any more: the caller's promise */
        free(m);
    }
}

/* The only set a key may be in. */
static struct memo_set *set_of(struct interval_memo *m, const char *key)
{
    uint32_t h = 0;
    for (size_t i = 0; i < 8; i++) { /* a digest's characters are as good as random */
        h = fnv_step(h, (uint8_t)key[i]);
    }
    return &m->sets[mix32(h) % m->set_count];
}

/* Lock held. */
static struct memo_entry *find(struct memo_set *set, const char *key)
{
    for (size_t i = 0; i < WAYS; i++) {
        if (strcmp(set->ways[i].key, key) == 0) {
            return &set->ways[i];
        }
    }
    return NULL;
}

bool interval_memo_mean(struct interval_memo *m, const int64_t *values, size_t n,
                        struct interval *ret)
{
    if (!m || n < BOOTSTRAP_ROUNDS_MIN) {
        return bootstrap_mean(values, n, ret);
    }
    char key[SHA_HEX_SIZE];
    sha_of(span_make((const char *)values, n * sizeof(*values)), key);
    struct memo_set *set = set_of(m, key);
    (void)pthread_mutex_lock(&m->lock); /* fails on misuse only */
    const struct memo_entry *known = find(set, key);
    if (known) {
        *ret = known->interval;
    }
    m->computed += !known;
    (void)pthread_mutex_unlock(&m->lock);
    if (known) {
        return true;
    }
    (void)bootstrap_mean(values, n, ret); /* n is large enough: checked above */
    (void)pthread_mutex_lock(&m->lock);
    if (!find(set, key)) { /* another thread may have been as fast */
        struct memo_entry *to = &set->ways[set->next];
        memcpy(to->key, key, sizeof(key));
        to->interval = *ret;
        set->next = (set->next + 1) % WAYS;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return true;
}

uint64_t interval_memo_computed(struct interval_memo *m)
{
    (void)pthread_mutex_lock(&m->lock);
    uint64_t result = m->computed;
    (void)pthread_mutex_unlock(&m->lock);
    return result;
}
