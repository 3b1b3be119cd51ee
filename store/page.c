#include "store/page.h"

#include <stdarg.h>

#define HASH_DIGITS 16

static void cursor_hash(const char *scope, struct span key, char ret_hex[SHA_HEX_SIZE])
{
    struct sha sha;
    sha_init(&sha);
    sha_update(&sha, scope, strlen(scope));
    sha_update(&sha, "\n", 1);
    sha_update(&sha, key.ptr, key.len);
    sha_final(&sha, ret_hex);
}

static enum d7_err read_cursor(struct page *p)
{
    struct span key = span_of(p->out->cursor);
    struct span hash = span_cut(&key, '.');
    char want[SHA_HEX_SIZE];
    cursor_hash(p->scope, key, want);
    if (!span_equal(hash, span_make(want, HASH_DIGITS))) {
        return D7_ERR_INVALID;
    }
    return span_copy(key, p->after, sizeof(p->after));
}

enum d7_err page_init(struct page *p, struct store_page *out, const char *scope, ...)
{
    *p = (struct page){.out = out};
    out->next[0] = '\0';
    if (out->limit < 1 || out->limit > STORE_LIST_MAX) {
        return D7_ERR_INVALID;
    }
    va_list args;
    va_start(args, scope);
    int used = vsnprintf(p->scope, sizeof(p->scope), scope, args);
    va_end(args);
    if (used < 0 || (size_t)used >= sizeof(p->scope)) {
        return D7_ERR_INVALID;
    }
    return out->cursor[0] ? read_cursor(p) : D7_OK;
}

enum d7_err page_numbers(const struct page *p, int64_t *ret_first, int64_t *ret_second)
{
    if (!p->after[0]) {
        return D7_OK;
    }
    struct span rest = span_of(p->after);
    struct span first = span_cut(&rest, '.');
    enum d7_err err = span_parse_i64(first, INT64_MIN, INT64_MAX, ret_first);
    if (!err && ret_second) {
        err = span_parse_i64(rest, INT64_MIN, INT64_MAX, ret_second);
    }
    return err;
}

void page_set_next(struct page *p, const char *key)
{
    char hex[SHA_HEX_SIZE];
    cursor_hash(p->scope, span_of(key), hex);
    int used = snprintf(p->out->next, sizeof(p->out->next), "%.*s.%s", HASH_DIGITS, hex, key);
    D7_CHECK(used > 0 && (size_t)used < sizeof(p->out->next)); /* keys are slugs or two numbers */
}
