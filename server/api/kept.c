#include "server/api/kept.h"

#include <stdatomic.h>

#include "server/http/gzip.h"

_Static_assert(ETAG_SIZE == sizeof(((struct reply *)0)->etag), "tags fit replies");

struct kept {
    atomic_uint refs;
    struct buf plain;
    struct buf gzip; /* empty where there is none, or compressing does not pay */
    bool packed;
    char etag[ETAG_SIZE];
};

/* What growing left over would be kept for long. */
static void trim(struct buf *b)
{
    if (b->data && b->len + 1 < b->cap) {
        char *less = realloc(b->data, b->len + 1);
        if (less) {
            b->data = less;
            b->cap = b->len + 1;
        }
    }
}

enum d7_err kept_new(struct buf *plain, int gzip_level, struct kept **ret)
{
    struct kept *k = calloc(1, sizeof(*k));
    if (!k) {
        buf_release(plain);
        return D7_ERR_NOMEM;
    }
    atomic_init(&k->refs, 1);
    k->plain = *plain;
    buf_init(plain, plain->limit);
    buf_init(&k->gzip, k->plain.len + 4096);
    enum d7_err err = k->plain.err;
    bool short_one = k->plain.len < GZIP_LEAST;
    if (!err && gzip_level > 0 && !short_one) {
        err = gzip_append(buf_span(&k->plain), gzip_level, &k->gzip);
    }
    if (err) {
        kept_unref(k);
        return err;
    }
    k->packed = gzip_level > 0 || short_one;
    trim(&k->plain);
    trim(&k->gzip);
    etag_of(buf_span(&k->plain), k->etag);
    *ret = k;
    return D7_OK;
}

struct kept *kept_ref(struct kept *k)
{
    (void)atomic_fetch_add(&k->refs, 1);
    return k;
}

void kept_unref(void *ctx)
{
    struct kept *k = ctx;
    if (k && atomic_fetch_sub(&k->refs, 1) == 1) {
        buf_release(&k->plain);
        buf_release(&k->gzip);
        free(k);
    }
}

size_t kept_size(const struct kept *k)
{
    return sizeof(*k) + k->plain.cap + k->gzip.cap;
}

size_t kept_length(const struct kept *k)
{
    return k->plain.len + k->gzip.len;
}

bool kept_is_packed(const struct kept *k)
{
    return k->packed;
}

struct span kept_plain(const struct kept *k)
{
    return buf_span(&k->plain);
}

void kept_give(struct kept *k, const char *content_type, enum cache_rule cache, struct reply *reply)
{
    reply->status = 200;
    reply->content_type = content_type;
    reply->cache = cache;
    memcpy(reply->etag, k->etag, sizeof(reply->etag));
    reply->shared = buf_span(&k->plain);
    reply->shared_gzip = k->gzip.len ? buf_span(&k->gzip) : (struct span){NULL, 0};
    reply->shared_release = kept_unref;
    reply->shared_ctx = k;
}
