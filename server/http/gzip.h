/*
 * gzip.h - bytes compressed whole, and the strong tags of both forms. The only user of zlib.
 *
 * Threads none.
 */
#ifndef SERVER_HTTP_GZIP_H
#define SERVER_HTTP_GZIP_H

#include "engine/base/buf.h"

#define ETAG_SIZE  80
#define GZIP_LEAST 1024 /* smaller bodies fit a packet anyway */
#define GZIP_FOR_SEND                                                                              \
    2 /* an answer made for one request: 5 saves a quarter more, at three times the time */
#define GZIP_FOR_KEEP 9 /* made once, served often */

/* Appends the gzip form (no name, no time: equal bytes in, equal bytes out). */
D7_MUST_USE enum d7_err gzip_append(struct span bytes, int level, struct buf *to);
/* The strong tag of these bytes, with quotes. */
void etag_of(struct span bytes, char ret[ETAG_SIZE]);
/* The tag of the gzip form: -gz before the closing quote. ret may be etag itself. */
void etag_gzip(const char *etag, char ret[ETAG_SIZE]);

#endif
