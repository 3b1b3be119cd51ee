/*
 * form.h - multipart/form-data (RFC 7578, RFC 2046), taken apart as it arrives.
 *
 * Why     libmicrohttpd's parser reads `boundary=` in this one spelling only, refuses a boundary of
 * one character, takes a form that just stops for a whole one, and trips over an epilogue.
 * Owns    a struct form is a plain value; the receiver's pieces are borrowed until it returns.
 * Threads none.
 * Errors  FORM_MALFORMED, or the receiver's wish to stop.
 * Bounds  a part's header has up to FORM_HEAD_MAX bytes; nothing of the content is kept.
 */
#ifndef SERVER_HTTP_FORM_H
#define SERVER_HTTP_FORM_H

#include "engine/base/span.h"

#define FORM_BOUNDARY_MAX 70 /* RFC 2046, 5.1.1 */
#define FORM_HEAD_MAX     2048

/* What the content type says of the boundary; D7_ERR_INVALID where it is missing, not 1 to 70
 * characters, or not made of those RFC 2046 allows. */
D7_MUST_USE enum d7_err form_boundary(struct span content_type,
                                      char ret_boundary[FORM_BOUNDARY_MAX + 1]);

/* Each answers whether to go on. name is unescaped; empty when the part has none. */
struct form_receiver {
    bool (*begin)(void *ctx, struct span name);
    bool (*data)(void *ctx, struct span piece);
    void *ctx;
};

enum form_state { FORM_PREAMBLE, FORM_DELIMITER, FORM_HEAD, FORM_DATA, FORM_EPILOGUE };

struct form {
    struct form_receiver to;
    enum form_state state;
    char delimiter[FORM_BOUNDARY_MAX + 4]; /* CR LF - - BOUNDARY */
    size_t delimiter_len;
    size_t matched;           /* bytes of the delimiter just seen, not handed on yet */
    size_t borrowed;          /* of these, the ones before the content: never handed on */
    char head[FORM_HEAD_MAX]; /* of the part, or what follows a delimiter on its line */
    size_t head_len;
};

enum form_step { FORM_MORE, FORM_MALFORMED, FORM_STOPPED };

void form_init(struct form *f, const char *boundary, const struct form_receiver *to);
enum form_step form_feed(struct form *f, struct span bytes);
/* Was the closing delimiter seen? What follows it is ignored. */
bool form_is_whole(const struct form *f);

#endif
