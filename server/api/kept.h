/*
 * kept.h - the finished bytes of an answer, plain and gzipped, with their tag, for several
 * requests.
 *
 * Owns    counted references: whoever has one may read; a reply keeps its own until it is sent.
 * Threads any; read-only once made. Errors  D7_ERR_NOMEM.
 */
#ifndef SERVER_API_KEPT_H
#define SERVER_API_KEPT_H

#include "server/http/message.h"

struct kept;

/* Takes over the bytes (also on an error). gzip_level 0: no gzip form; shorter ones than gzip.h
 * compresses have none either. */
D7_MUST_USE enum d7_err kept_new(struct buf *plain, int gzip_level, struct kept **ret);
struct kept *kept_ref(struct kept *k);
/* Takes NULL. */
void kept_unref(void *k);
/* Memory: both forms, with what holds them. */
size_t kept_size(const struct kept *k);
/* Bytes of both forms. */
size_t kept_length(const struct kept *k);
/* Is there a gzip form, or no use in one? */
bool kept_is_packed(const struct kept *k);
struct span kept_plain(const struct kept *k);
/* Puts the bytes into the reply: 200 with tag. Takes over the reference. */
void kept_give(struct kept *k, const char *content_type, enum cache_rule cache,
               struct reply *reply);

#endif
