/*
 * span.h - text from outside: a pointer and a length, borrowed, never NUL-terminated.
 *
 * Owns    nothing; a span lives as long as what it points into.
 * Threads none.
 */
#ifndef ENGINE_BASE_SPAN_H
#define ENGINE_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/err.h"

struct span {
    const char *ptr;
    size_t len;
};

static inline struct span span_of(const char *text)
{
    return (struct span){text, text ? strlen(text) : 0};
}

static inline struct span span_make(const char *ptr, size_t len)
{
    return (struct span){ptr, len};
}

bool span_equal(struct span a, struct span b);
bool span_is(struct span a, const char *text);
bool span_starts(struct span a, const char *prefix);
/* Without blanks (space, tab, CR, LF) at both ends. */
struct span span_trim(struct span a);
/* The next token between blanks (space, tab, CR), cut from *rest; empty at the end. */
struct span span_token(struct span *rest);
/* The part before the first `mark`, cut from *rest together with the mark; the whole rest where
 * there is none. */
struct span span_cut(struct span *rest, char mark);

/* A plain decimal integer (optional '-', no '+', no leading zeros, no blanks) within lo..hi, else
 * D7_ERR_INVALID. */
D7_MUST_USE enum d7_err span_parse_i64(struct span text, int64_t lo, int64_t hi,
                                       int64_t *ret_value);
/* A 32-bit number as 0x hex digits (1-8) or plain decimal; D7_ERR_INVALID otherwise. */
D7_MUST_USE enum d7_err span_parse_seed(struct span text, uint32_t *ret_value);

/* Copies into a NUL-terminated array; D7_ERR_TOO_LARGE (nothing written) if it does not fit,
 * D7_ERR_INVALID for NUL inside. */
D7_MUST_USE enum d7_err span_copy(struct span text, char *ret_to, size_t size);

/* Well-formed UTF-8 (no surrogates, no overlong forms)? Counts code points. */
bool span_utf8(struct span text, size_t *ret_points);
/* UTF-8 of lo..hi code points without control characters (C0, DEL, C1), line or bidi controls
 * (U+061C, U+2028-2029, U+202A-202E, U+2066-2069), byte-order marks. `lines` allows LF and TAB. */
bool span_is_label(struct span text, size_t lo, size_t hi, bool lines);
/* Has it a character that leaves something to see? Blanks of every width, joiners, fillers,
 * selectors and tags do not; text that is not UTF-8 has none. */
bool span_shows(struct span text);
/* A name of whatever people give one: a label of 1-80 code points on one line that shows. */
bool span_is_name(struct span text);
/* ^[a-z][a-z0-9-]{lo-1,hi-1}$ when first_letter, ^[a-z0-9][a-z0-9-]*$ of lo..hi otherwise. */
bool span_is_slug(struct span text, size_t lo, size_t hi, bool first_letter);

/* For logs and error texts: the text in printable ASCII, others as \xHH, cut with "..." to fit;
 * always terminated. size is at least 8. Returns to. */
char *span_escape(struct span text, char *to, size_t size);

#endif
