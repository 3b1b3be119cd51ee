#include "server/api/replay_cache.h"

#include <pthread.h>

#include "engine/base/rng.h"

#define BUCKETS 1024
#define NONE    UINT32_MAX

/* Entries are numbers into one array: a chain a bucket, and one ring by last use. */
struct entry {
    struct replay_key key;
    struct kept *bytes; /* NULL: free */
    int64_t version;
    struct summary summary;
    bool counted, voided;
    uint32_t chain;        /* the next in its bucket, or the next free one */
    uint32_t newer, older; /* the ring */
};

struct replay_cache {
    pthread_mutex_t lock;
    /* guarded by lock */
    size_t bytes;
    uint32_t newest, oldest, unused;
    uint32_t buckets[BUCKETS];
    struct entry entries[REPLAY_CACHE_ENTRIES];
};

enum d7_err replay_cache_new(struct replay_cache **ret)
{
    struct replay_cache *c = calloc(1, sizeof(*c));
    if (!c) {
        return D7_ERR_NOMEM;
    }
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return D7_ERR_NOMEM;
    }
    c->newest = NONE;
    c->oldest = NONE;
    for (size_t i = 0; i < BUCKETS; i++) {
        c->buckets[i] = NONE;
    }
    for (uint32_t i = 0; i < REPLAY_CACHE_ENTRIES; i++) {
        c->entries[i].chain = i + 1 < REPLAY_CACHE_ENTRIES ? i + 1 : NONE;
    }
    *ret = c;
    return D7_OK;
}

void replay_cache_free(struct replay_cache *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < REPLAY_CACHE_ENTRIES; i++) {
        kept_unref(c->entries[i].bytes);
    }
    (void)pthread_mutex_destroy(&c->lock); /* nobody uses it any more: the caller's promise */
    free(c);
}

static uint32_t *bucket_of(struct replay_cache *c, const struct replay_key *key)
{
    uint32_t h = key->steps;
    for (const char *p = key->game_id; *p; p++) {
        h = fnv_step(h, (uint8_t)*p);
    }
    return &c->buckets[mix32(h) % BUCKETS];
}

static uint32_t find(struct replay_cache *c, const struct replay_key *key)
{
    uint32_t at = *bucket_of(c, key);
    while (at != NONE && (c->entries[at].key.steps != key->steps ||
                          strcmp(c->entries[at].key.game_id, key->game_id) != 0)) {
        at = c->entries[at].chain;
    }
    return at;
}

static void ring_remove(struct replay_cache *c, uint32_t at)
{
    struct entry *e = &c->entries[at];
    *(e->newer == NONE ? &c->newest : &c->entries[e->newer].older) = e->older;
    *(e->older == NONE ? &c->oldest : &c->entries[e->older].newer) = e->newer;
}

static void ring_add(struct replay_cache *c, uint32_t at)
{
    struct entry *e = &c->entries[at];
    e->newer = NONE;
    e->older = c->newest;
    *(c->newest == NONE ? &c->oldest : &c->entries[c->newest].newer) = at;
    c->newest = at;
}

/* The entry is free afterwards; its bytes are the caller's to let go of. */
static struct kept *take_out(struct replay_cache *c, uint32_t at)
{
    struct entry *e = &c->entries[at];
    uint32_t *link = bucket_of(c, &e->key);
    while (*link != at) {
        link = &c->entries[*link].chain;
    }
    *link = e->chain;
    ring_remove(c, at);
    struct kept *bytes = e->bytes;
    c->bytes -= kept_size(bytes);
    e->bytes = NULL;
    e->chain = c->unused;
    c->unused = at;
    return bytes;
}

static struct kept *use(struct replay_cache *c, uint32_t at)
{
    ring_remove(c, at);
    ring_add(c, at);
    return kept_ref(c->entries[at].bytes);
}

struct kept *replay_cache_at(struct replay_cache *c, const struct replay_key *key, int64_t version,
                             bool *ret_voided)
{
    struct kept *result = NULL;
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    uint32_t at = find(c, key);
    if (at != NONE && c->entries[at].version == version) {
        *ret_voided = c->entries[at].voided;
        result = use(c, at);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return result;
}

/* A row that somebody changed behind our back is to be seen as the damage it is. */
static bool same_summary(const struct summary *a, const struct summary *b)
{
    return a->score == b->score && a->moves == b->moves && a->max_chain == b->max_chain &&
           a->discs_cleared == b->discs_cleared && a->covered_revealed == b->covered_revealed &&
           a->censored == b->censored && strcmp(a->checksum, b->checksum) == 0;
}

struct kept *replay_cache_for(struct replay_cache *c, const struct replay_key *key, int64_t version,
                              const struct game_row *game)
{
    struct kept *result = NULL;
    (void)pthread_mutex_lock(&c->lock);
    uint32_t at = find(c, key);
    if (at != NONE) {
        struct entry *e = &c->entries[at];
        if (e->counted == game->counted && e->voided == game->voided &&
            same_summary(&e->summary, &game->summary)) {
            e->version = version > e->version ? version : e->version;
            result = use(c, at);
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return result;
}

/* Room for so many bytes and one entry; one old one at a time into *ret_out, false when there is
 * room. */
static bool make_room(struct replay_cache *c, size_t size, struct kept **ret_out)
{
    if (c->unused != NONE && c->bytes + size <= REPLAY_CACHE_BYTES) {
        return false;
    }
    *ret_out = take_out(c, c->oldest);
    return true;
}

void replay_cache_put(struct replay_cache *c, const struct replay_key *key, int64_t version,
                      const struct game_row *game, struct kept *bytes)
{
    size_t size = kept_size(bytes);
    if (size > REPLAY_CACHE_BYTES / 8) {
        return; /* one giant is not worth what it would push out */
    }
    (void)pthread_mutex_lock(&c->lock);
    uint32_t at = find(c, key);
    if (at != NONE) {
        kept_unref(take_out(c, at));
    }
    struct kept *old = NULL;
    while (make_room(c, size, &old)) {
        kept_unref(old);
    }
    at = c->unused;
    struct entry *e = &c->entries[at];
    c->unused = e->chain;
    uint32_t *bucket = bucket_of(c, key);
    *e = (struct entry){.key = *key,
                        .bytes = kept_ref(bytes),
                        .version = version,
                        .summary = game->summary,
                        .counted = game->counted,
                        .voided = game->voided,
                        .chain = *bucket};
    *bucket = at;
    ring_add(c, at);
    c->bytes += size;
    (void)pthread_mutex_unlock(&c->lock);
}

size_t replay_cache_bytes(struct replay_cache *c)
{
    (void)pthread_mutex_lock(&c->lock);
    size_t result = c->bytes;
    (void)pthread_mutex_unlock(&c->lock);
    return result;
}
