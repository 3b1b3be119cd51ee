#include "engine/base/hash.h"

#include <errno.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <sys/random.h>

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sha), "struct sha is too small");

static void to_hex(const uint8_t *bytes, size_t count, char *ret_hex)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        ret_hex[2 * i] = digits[bytes[i] >> 4];
        ret_hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_hex[2 * count] = '\0';
}

static struct sha256_ctx *context(struct sha *s)
{
    return (struct sha256_ctx *)(void *)s->state;
}

void sha_init(struct sha *s)
{
    sha256_init(context(s));
}

void sha_update(struct sha *s, const void *bytes, size_t len)
{
    sha256_update(context(s), len, bytes);
}

void sha_final(struct sha *s, char ret_hex[SHA_HEX_SIZE])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(context(s), sizeof(digest), digest);
    to_hex(digest, sizeof(digest), ret_hex);
}

void sha_of(struct span text, char ret_hex[SHA_HEX_SIZE])
{
    struct sha s;
    sha_init(&s);
    sha_update(&s, text.ptr, text.len);
    sha_final(&s, ret_hex);
}

bool secret_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memeql_sec(a.ptr, b.ptr, a.len));
}

enum d7_err random_hex(char *ret_hex, size_t bytes)
{
    uint8_t raw[64];
    D7_CHECK(bytes <= sizeof(raw));
    size_t have = 0;
    while (have < bytes) {
        ssize_t got = getrandom(raw + have, bytes - have, 0);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return D7_ERR_IO;
        }
        have += (size_t)got;
    }
    to_hex(raw, bytes, ret_hex);
    return D7_OK;
}
