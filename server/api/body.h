/*
 * body.h - JSON bodies: read as an object of known fields, with every wrong field named.
 *
 * Errors  D7_ERR_SYNTAX with code `bad-json`; D7_ERR_INVALID with code `validation` and the fields.
 * Threads none.
 */
#ifndef SERVER_API_BODY_H
#define SERVER_API_BODY_H

#include "engine/base/json.h"
#include "server/http/message.h"
#include "store/round.h"

/* The body as an object; an unknown field is a field error already (others may follow). Free with
 * jval_free. */
D7_MUST_USE enum d7_err body_object(const struct request *req, struct reply *reply,
                                    const char *const *known, struct jval **ret);
/* A text field; ptr NULL when absent, and (with a field error) when it is no text. */
struct span body_text(const struct jval *root, struct reply *reply, const char *name);
/* The id of a policy, round or suite; empty when absent or (with a field error) wrong. */
void body_slug(const struct jval *root, struct reply *reply, const char *name, bool required,
               char ret[STORE_ID_SIZE]);
/* `rounds`: a list of different round ids, in an array the caller frees. Wrong ones are field
 * errors; D7_ERR_NOMEM. */
D7_MUST_USE enum d7_err body_rounds(const struct jval *root, struct reply *reply,
                                    char (**ret_ids)[STORE_ID_SIZE], size_t *ret_count);
/* D7_ERR_INVALID with code `validation` when field errors were added, else D7_OK. */
D7_MUST_USE enum d7_err body_verdict(struct reply *reply);

#endif
