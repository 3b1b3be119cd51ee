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
    struct buf json;
    struct buf gzip; /* empty where compressing does not pay */
    char etag[ETAG_SIZE];
};

struct board_slot {
    char suite_id[STORE_ID_SIZE]; /* empty: free */
    int64_t version;
    uint64_t used; /* tick of its last use */
    struct board_bytes *bytes;
};

struct board_cache {
    pthread_mutex_t lock;
    pthread_cond_t made;                         /* signalled when `making` falls */
    bool making;                                 /* guarded by lock */
    uint64_t tick;                               /* guarded by lock */
    struct board_slot slots[BOARD_CACHE_SUITES]; /* guarded by lock */
};

static void bytes_unref(void *ctx)
{
    struct board_bytes *b = ctx;
    if (b && atomic_fetch_sub(&b->refs, 1) == 1) {
        buf_release(&b->json);
        buf_release(&b->gzip);
        free(b);
    }
}

static struct board_bytes *bytes_ref(struct board_bytes *b)
{
    (void)atomic_fetch_add(&b->refs, 1);
    return b;
}

enum d7_err board_cache_new(struct board_cache **ret)
{
    struct board_cache *c = calloc(1, sizeof(*c));
    if (!c) {
        return D7_ERR_NOMEM;
    }
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
    for (size_t i = 0; i < BOARD_CACHE_SUITES; i++) {
        bytes_unref(c->slots[i].bytes);
    }
    (void)pthread_cond_destroy(&c->made); /* nobody waits any more: the caller's promise */
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

/* The suite's slot, or else the one to be used for it. Lock held. */
static struct board_slot *slot_of(struct board_cache *c, const char *suite_id)
{
    struct board_slot *oldest = &c->slots[0];
    for (size_t i = 0; i < BOARD_CACHE_SUITES; i++) {
        if (strcmp(c->slots[i].suite_id, suite_id) == 0) {
            return &c->slots[i];
        }
        if (c->slots[i].used < oldest->used) {
            oldest = &c->slots[i];
        }
    }
    return oldest;
}

/* Waits until the board is there (own reference) or nobody is making one (*ret NULL). Lock held. */
static enum d7_err find_or_wait(struct board_cache *c, const char *suite_id, int64_t version,
                                struct board_bytes **ret)
{
    int64_t until = clock_mono_ms() + BOARD_CACHE_WAIT_MS;
    struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    for (;;) {
        struct board_slot *slot = slot_of(c, suite_id);
        if (slot->bytes && strcmp(slot->suite_id, suite_id) == 0 && slot->version >= version) {
            slot->used = ++c->tick;
            *ret = bytes_ref(slot->bytes);
            return D7_OK;
        }
        if (!c->making) {
            *ret = NULL;
            return D7_OK;
        }
        if (pthread_cond_timedwait(&c->made, &c->lock, &deadline) != 0) {
            return D7_ERR_BUSY;
        }
    }
}

static enum d7_err bytes_make(const char *suite_id, board_make make, void *ctx,
                              struct board_bytes **ret)
{
    struct board_bytes *b = calloc(1, sizeof(*b));
    if (!b) {
        return D7_ERR_NOMEM;
    }
    atomic_init(&b->refs, 1);
    buf_init(&b->json, BOARD_BYTES_MAX);
    buf_init(&b->gzip, BOARD_BYTES_MAX);
    enum d7_err err = make(ctx, suite_id, &b->json);
    if (!err) {
        err = b->json.err;
    }
    if (!err && b->json.len >= GZIP_LEAST) {
        err = gzip_append(buf_span(&b->json), GZIP_FOR_KEEP, &b->gzip);
    }
    if (err) {
        bytes_unref(b);
        return err;
    }
    etag_of(buf_span(&b->json), b->etag);
    *ret = b;
    return D7_OK;
}

/* Takes over the reference. */
static void give(struct board_bytes *b, struct reply *reply)
{
    reply->status = 200;
    reply->content_type = "application/json";
    reply->cache = CACHE_REVALIDATE;
    memcpy(reply->etag, b->etag, sizeof(reply->etag));
    reply->shared = buf_span(&b->json);
    reply->shared_gzip = b->gzip.len ? buf_span(&b->gzip) : (struct span){NULL, 0};
    reply->shared_release = bytes_unref;
    reply->shared_ctx = b;
}

enum d7_err board_cache_serve(struct board_cache *c, const char *suite_id, int64_t version,
                              board_make make, void *ctx, struct reply *reply)
{
    struct board_bytes *bytes = NULL;
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    enum d7_err err = find_or_wait(c, suite_id, version, &bytes);
    bool mine = !err && !bytes;
    if (mine) {
        c->making = true;
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (err) {
        reply->retry_after_s = 1;
        return err;
    }
    if (mine) {
        err = bytes_make(suite_id, make, ctx, &bytes);
        struct board_bytes *old = NULL;
        (void)pthread_mutex_lock(&c->lock);
        c->making = false;
        if (!err) {
            struct board_slot *slot = slot_of(c, suite_id);
            old = slot->bytes;
            (void)snprintf(slot->suite_id, sizeof(slot->suite_id), "%s", suite_id);
            slot->version = version;
            slot->used = ++c->tick;
            slot->bytes = bytes_ref(bytes);
        }
        (void)pthread_cond_broadcast(&c->made);
        (void)pthread_mutex_unlock(&c->lock);
        bytes_unref(old);
        if (err) {
            return err;
        }
    }
    give(bytes, reply);
    return D7_OK;
}
