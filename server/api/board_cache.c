#include "server/api/board_cache.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/clock.h"
#include "server/http/gzip.h"

#define BOARD_BYTES_MAX (64u << 20)

_Static_assert(ETAG_SIZE == sizeof(((struct reply *)0)->etag), "tags fit replies");

/* Finished bytes; read-only once made. */
struct board_bytes {
    atomic_uint refs;
    struct buf plain;
    struct buf gzip; /* empty where compressing does not pay */
    char etag[ETAG_SIZE];
};

struct board_slot {
    char key[BOARD_KEY_SIZE]; /* empty: free */
    int64_t version;
    uint64_t used; /* tick of its last use */
    struct board_bytes *bytes;
};

struct board_cache {
    struct board_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t made; /* signalled when a maker is done */
    /* the boards being made, empty where a maker is free; guarded by lock */
    char making[BOARD_CACHE_MAKERS_MAX][BOARD_KEY_SIZE];
    uint64_t tick;                              /* guarded by lock */
    struct board_slot slots[BOARD_CACHE_SLOTS]; /* guarded by lock */
};

const struct board_limits board_limits_suites = {
    .makers = 1, .refuses = false, .keep_bytes = BOARD_BYTES_MAX};
const struct board_limits board_limits_selections = {
    .makers = 2, .refuses = true, .keep_bytes = 512u << 10};

static void bytes_unref(void *ctx)
{
    struct board_bytes *b = ctx;
    if (b && atomic_fetch_sub(&b->refs, 1) == 1) {
        buf_release(&b->plain);
        buf_release(&b->gzip);
        free(b);
    }
}

static struct board_bytes *bytes_ref(struct board_bytes *b)
{
    (void)atomic_fetch_add(&b->refs, 1);
    return b;
}

enum d7_err board_cache_new(const struct board_limits *limits, struct board_cache **ret)
{
    D7_CHECK(limits->makers > 0 && limits->makers <= BOARD_CACHE_MAKERS_MAX);
    struct board_cache *c = calloc(1, sizeof(*c));
    if (!c) {
        return D7_ERR_NOMEM;
    }
    c->limits = *limits;
    pthread_condattr_t attr;
    bool ok = pthread_condattr_init(&attr) == 0;
    if (ok) {
        ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
             pthread_cond_init(&c->made, &attr) == 0;
        (void)pthread_condattr_destroy(&attr); /* cannot fail after init */
    }
    if (!ok || pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return D7_ERR_NOMEM;
    }
    *ret = c;
    return D7_OK;
}

void board_cache_free(struct board_cache *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < BOARD_CACHE_SLOTS; i++) {
        bytes_unref(c->slots[i].bytes);
    }
    (void)pthread_cond_destroy(&c->made); /* nobody waits any more: the caller's promise */
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

/* The board's slot, or else the one to be used for it. Lock held. */
static struct board_slot *slot_of(struct board_cache *c, const char *key)
{
    struct board_slot *oldest = &c->slots[0];
    for (size_t i = 0; i < BOARD_CACHE_SLOTS; i++) {
        if (strcmp(c->slots[i].key, key) == 0) {
            return &c->slots[i];
        }
        if (c->slots[i].used < oldest->used) {
            oldest = &c->slots[i];
        }
    }
    return oldest;
}

/* The maker at work on that board (key "": a free one), or makers when there is none. Lock held. */
static unsigned maker_of(const struct board_cache *c, const char *key)
{
    unsigned i = 0;
    while (i < c->limits.makers && strcmp(c->making[i], key) != 0) {
        i++;
    }
    return i;
}

/* Waits until the board is there (own reference) or it is the caller's to make (*ret NULL,
 * *ret_maker taken). Lock held. */
static enum d7_err find_or_wait(struct board_cache *c, const struct board_wish *wish,
                                struct board_bytes **ret, unsigned *ret_maker)
{
    int64_t until = clock_mono_ms() + BOARD_CACHE_WAIT_MS;
    struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    for (;;) {
        struct board_slot *slot = slot_of(c, wish->key);
        if (slot->bytes && strcmp(slot->key, wish->key) == 0 && slot->version >= wish->version) {
            slot->used = ++c->tick;
            *ret = bytes_ref(slot->bytes);
            return D7_OK;
        }
        if (maker_of(c, wish->key) == c->limits.makers) { /* nobody makes it already */
            unsigned idle = maker_of(c, "");
            if (idle < c->limits.makers) {
                (void)snprintf(c->making[idle], sizeof(c->making[idle]), "%s", wish->key);
                *ret = NULL;
                *ret_maker = idle;
                return D7_OK;
            }
            if (c->limits.refuses) {
                return D7_ERR_BUSY;
            }
        }
        if (pthread_cond_timedwait(&c->made, &c->lock, &deadline) != 0) {
            return D7_ERR_BUSY;
        }
    }
}

static enum d7_err bytes_make(const struct board_wish *wish, struct board_bytes **ret)
{
    struct board_bytes *b = calloc(1, sizeof(*b));
    if (!b) {
        return D7_ERR_NOMEM;
    }
    atomic_init(&b->refs, 1);
    buf_init(&b->plain, BOARD_BYTES_MAX);
    buf_init(&b->gzip, BOARD_BYTES_MAX);
    enum d7_err err = wish->make(wish->ctx, &b->plain);
    if (!err) {
        err = b->plain.err;
    }
    if (!err && b->plain.len >= GZIP_LEAST) {
        err = gzip_append(buf_span(&b->plain), GZIP_FOR_KEEP, &b->gzip);
    }
    if (err) {
        bytes_unref(b);
        return err;
    }
    etag_of(buf_span(&b->plain), b->etag);
    *ret = b;
    return D7_OK;
}

/* Takes over the reference. */
static void give(struct board_bytes *b, const char *content_type, struct reply *reply)
{
    reply->status = 200;
    reply->content_type = content_type;
    reply->cache = CACHE_REVALIDATE;
    memcpy(reply->etag, b->etag, sizeof(reply->etag));
    reply->shared = buf_span(&b->plain);
    reply->shared_gzip = b->gzip.len ? buf_span(&b->gzip) : (struct span){NULL, 0};
    reply->shared_release = bytes_unref;
    reply->shared_ctx = b;
}

/* Makes the board and keeps it; the maker is free again whatever comes of it. */
static enum d7_err make_and_keep(struct board_cache *c, const struct board_wish *wish,
                                 unsigned maker, struct board_bytes **ret)
{
    struct board_bytes *bytes = NULL;
    struct board_bytes *old = NULL;
    enum d7_err err = bytes_make(wish, &bytes);
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    c->making[maker][0] = '\0';
    if (bytes && bytes->plain.len + bytes->gzip.len <= c->limits.keep_bytes) {
        struct board_slot *slot = slot_of(c, wish->key);
        old = slot->bytes;
        (void)snprintf(slot->key, sizeof(slot->key), "%s", wish->key);
        slot->version = wish->version;
        slot->used = ++c->tick;
        slot->bytes = bytes_ref(bytes);
    }
    (void)pthread_cond_broadcast(&c->made);
    (void)pthread_mutex_unlock(&c->lock);
    bytes_unref(old);
    if (!err) {
        *ret = bytes;
    }
    return err;
}

enum d7_err board_cache_serve(struct board_cache *c, const struct board_wish *wish,
                              struct reply *reply)
{
    D7_CHECK(wish->key[0] && strlen(wish->key) < BOARD_KEY_SIZE);
    struct board_bytes *bytes = NULL;
    unsigned maker = 0;
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    enum d7_err err = find_or_wait(c, wish, &bytes, &maker);
    (void)pthread_mutex_unlock(&c->lock);
    if (err) {
        reply->retry_after_s = 1;
        return err;
    }
    if (!bytes) {
        err = make_and_keep(c, wish, maker, &bytes);
        if (err) {
            return err;
        }
    }
    give(bytes, wish->content_type, reply);
    return D7_OK;
}
