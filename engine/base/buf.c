#include "engine/base/buf.h"

#include <stdarg.h>

void buf_init(struct buf *b, size_t limit)
{
    *b = (struct buf){.limit = limit};
}

void buf_release(struct buf *b)
{
    free(b->data);
    *b = (struct buf){.limit = b->limit};
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->err = D7_OK;
    if (b->data) {
        b->data[0] = '\0';
    }
}

enum d7_err buf_reserve(struct buf *b, size_t more)
{
    if (b->err) {
        return b->err;
    }
    if (more > b->limit - b->len) {
        b->err = D7_ERR_TOO_LARGE;
        return b->err;
    }
    size_t need = b->len + more + 1;
    if (need <= b->cap) {
        return D7_OK;
    }
    size_t cap = b->cap ? b->cap : 64;
    while (cap < need) {
        cap *= 2; /* limit + 1 bounds it; limits are far below SIZE_MAX / 2 */
    }
    char *data = realloc(b->data, cap);
    if (!data) {
        b->err = D7_ERR_NOMEM;
        return b->err;
    }
    b->data = data;
    b->cap = cap;
    return D7_OK;
}

void buf_printf(struct buf *b, const char *format, ...)
{
    if (b->err || buf_reserve(b, 0)) {
        return;
    }
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    size_t room = b->cap - b->len; /* at least one; as a rule there is enough already */
    int size = vsnprintf(b->data + b->len, room, format, args);
    va_end(args);
    bool whole = size >= 0 && (size_t)size < room && (size_t)size <= b->limit - b->len;
    if (!whole) {
        b->data[b->len] = '\0';
    }
    if (size < 0) {
        b->err = D7_ERR_INTERNAL;
    } else if (whole || !buf_reserve(b, (size_t)size)) {
        if (!whole) {
            (void)vsnprintf(b->data + b->len, (size_t)size + 1, format, again);
        }
        b->len += (size_t)size;
    }
    va_end(again);
}

void buf_consume(struct buf *b, size_t len)
{
    D7_CHECK(len <= b->len);
    if (len == 0) {
        return;
    }
    memmove(b->data, b->data + len, b->len - len);
    b->len -= len;
    b->data[b->len] = '\0';
}

char *buf_steal(struct buf *b)
{
    if (b->err || buf_reserve(b, 0)) {
        return NULL;
    }
    b->data[b->len] = '\0';
    char *data = b->data;
    b->data = NULL;
    b->len = 0;
    b->cap = 0;
    return data;
}
