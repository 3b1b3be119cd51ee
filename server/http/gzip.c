#include "server/http/gzip.h"

#include <limits.h>
#include <zlib.h>

#include "engine/base/hash.h"

enum d7_err gzip_append(struct span bytes, int level, struct buf *to)
{
    if (bytes.len > UINT_MAX / 2) {
        return D7_ERR_TOO_LARGE;
    }
    z_stream z;
    memset(&z, 0, sizeof(z));
    if (deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return D7_ERR_NOMEM;
    }
    size_t bound = deflateBound(&z, bytes.len);
    enum d7_err err = buf_reserve(to, bound);
    if (!err) {
        union {
            const char *in;
            Bytef *out;
        } from = {bytes.ptr}; /* zlib only reads it, but its field is not const */
        z.next_in = from.out;
        z.avail_in = (uInt)bytes.len;
        z.next_out = (Bytef *)(to->data + to->len);
        z.avail_out = (uInt)bound;
        D7_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END); /* the bound is a promise of zlib's */
        to->len += z.total_out;
        to->data[to->len] = '\0';
    }
    (void)deflateEnd(&z);
    return err;
}

void etag_of(struct span bytes, char ret[ETAG_SIZE])
{
    char hex[SHA_HEX_SIZE];
    sha_of(bytes, hex);
    (void)snprintf(ret, ETAG_SIZE, "\"%.32s\"", hex);
}

void etag_gzip(const char *etag, char ret[ETAG_SIZE])
{
    size_t len = strlen(etag);
    D7_CHECK(len >= 2 && len + 3 < ETAG_SIZE && etag[len - 1] == '"');
    char made[ETAG_SIZE];                                                  /* ret may be etag */
    (void)snprintf(made, sizeof(made), "%.*s-gz\"", (int)(len - 1), etag); /* fits: checked above */
    memcpy(ret, made, sizeof(made));
}
