/*
 * buf.h - a growing byte buffer whose size limit is given at birth.
 *
 * Why     every buffer that text from outside can grow needs a cap before it has a byte.
 * Owns    its memory. A failed append leaves the contents as they were and marks the buffer: `err`
 * keeps the first failure, so a writer may append many times and check once. Errors
 * D7_ERR_TOO_LARGE (limit), D7_ERR_NOMEM. Threads one buffer belongs to one thread.
 */
#ifndef ENGINE_BASE_BUF_H
#define ENGINE_BASE_BUF_H

#include "engine/base/span.h"

struct buf {
    char *data; /* owned; data[len] is always NUL once anything was appended */
    size_t len;
    size_t cap;
    size_t limit;
    enum d7_err err;
};

void buf_init(struct buf *b, size_t limit);
void buf_release(struct buf *b);
/* Empty and usable again; keeps the memory. */
void buf_clear(struct buf *b);
void buf_printf(struct buf *b, const char *format, ...) D7_PRINTF(2, 3);
/* Drops the first len bytes. */
void buf_consume(struct buf *b, size_t len);
/* Room for `more` bytes at data + len (for read(2)); the caller then adds to len what it wrote. */
D7_MUST_USE enum d7_err buf_reserve(struct buf *b, size_t more);
/* The contents as a NUL-terminated string the caller frees; the buffer becomes empty. Never NULL
 * unless err is set. */
char *buf_steal(struct buf *b);

/* What appending does where the room is there already: the writer of JSON appends a few bytes at a
 * time. */
static inline bool buf_has_room(const struct buf *b, size_t more)
{
    return !b->err && more < b->cap - b->len && more <= b->limit - b->len;
}

static inline void buf_append(struct buf *b, const void *bytes, size_t len)
{
    if ((!buf_has_room(b, len) && buf_reserve(b, len)) || !b->data) {
        return;
    }
    if (len) {
        memcpy(b->data + b->len, bytes, len);
    }
    b->len += len;
    b->data[b->len] = '\0';
}

static inline void buf_text(struct buf *b, const char *text)
{
    buf_append(b, text, strlen(text));
}

static inline void buf_char(struct buf *b, char c)
{
    buf_append(b, &c, 1);
}

static inline struct span buf_span(const struct buf *b)
{
    return span_make(b->data, b->len);
}

#endif
