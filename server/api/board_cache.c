#include "server/api/board_cache.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/clock.h"
#include "server/api/kept.h"
#include "server/http/gzip.h"

#define BOARD_BYTES_MAX (64u << 20)

struct board_slot {
    char key[BOARD_KEY_SIZE]; /* empty: free */
    int64_t version;
    uint64_t used; /* tick of its last use */
    struct kept *bytes;
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
        kept_unref(c->slots[i].bytes);
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

static bool is_current(const struct board_slot *slot, const struct board_wish *wish)
{
    return slot->bytes && strcmp(slot->key, wish->key) == 0 && slot->version >= wish->version;
}

/* Waits until the board is there (own reference) or it is the caller's to make (*ret NULL,
 * *ret_maker taken). Lock held. */
static enum d7_err find_or_wait(struct board_cache *c, const struct board_wish *wish,
                                struct kept **ret, unsigned *ret_maker)
{
    int64_t until = clock_mono_ms() + BOARD_CACHE_WAIT_MS;
    struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    for (;;) {
        struct board_slot *slot = slot_of(c, wish->key);
        if (is_current(slot, wish)) {
            slot->used = ++c->tick;
            *ret = kept_ref(slot->bytes);
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

static enum d7_err bytes_make(const struct board_wish *wish, struct kept **ret)
{
    struct buf plain;
    buf_init(&plain, BOARD_BYTES_MAX);
    enum d7_err err = wish->make(wish->ctx, &plain);
    if (err) {
        buf_release(&plain);
        return err;
    }
    return kept_new(&plain, GZIP_FOR_KEEP, ret);
}

/* Makes the board and keeps it; the maker is free again whatever comes of it. */
static enum d7_err make_and_keep(struct board_cache *c, const struct board_wish *wish,
                                 unsigned maker, struct kept **ret)
{
    struct kept *bytes = NULL;
    struct kept *old = NULL;
    enum d7_err err = bytes_make(wish, &bytes);
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    c->making[maker][0] = '\0';
    if (bytes && kept_length(bytes) <= c->limits.keep_bytes) {
        struct board_slot *slot = slot_of(c, wish->key);
        old = slot->bytes;
        (void)snprintf(slot->key, sizeof(slot->key), "%s", wish->key);
        slot->version = wish->version;
        slot->used = ++c->tick;
        slot->bytes = kept_ref(bytes);
    }
    (void)pthread_cond_broadcast(&c->made);
    (void)pthread_mutex_unlock(&c->lock);
    kept_unref(old);
    if (!err) {
        *ret = bytes;
    }
    return err;
}

bool board_cache_peek(struct board_cache *c, const struct board_wish *wish, struct reply *reply)
{
    struct kept *bytes = NULL;
    (void)pthread_mutex_lock(&c->lock); /* fails on misuse only */
    struct board_slot *slot = slot_of(c, wish->key);
    if (is_current(slot, wish)) {
        slot->used = ++c->tick;
        bytes = kept_ref(slot->bytes);
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (bytes) {
        kept_give(bytes, wish->content_type, CACHE_REVALIDATE, reply);
    }
    return bytes != NULL;
}

enum d7_err board_cache_serve(struct board_cache *c, const struct board_wish *wish,
                              struct reply *reply)
{
    D7_CHECK(wish->key[0] && strlen(wish->key) < BOARD_KEY_SIZE);
    struct kept *bytes = NULL;
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
    kept_give(bytes, wish->content_type, CACHE_REVALIDATE, reply);
    return D7_OK;
}
