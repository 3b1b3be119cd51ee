/*
 * named.h - what a request names must exist: 404 saying which of its names does not.
 *
 * Why     a filter on a policy that does not exist is a mistake, and an empty list would hide it.
 * Errors  D7_ERR_NOT_FOUND with the name in the reply, the store's.
 * Threads none.
 */
#ifndef SERVER_API_NAMED_H
#define SERVER_API_NAMED_H

#include "server/api/api.h"

/* An empty id names nothing: D7_OK. */
D7_MUST_USE enum d7_err named_policy(struct api *api, struct reply *reply, const char *id);
D7_MUST_USE enum d7_err named_round(struct api *api, struct reply *reply, const char *id);
D7_MUST_USE enum d7_err named_suite(struct api *api, struct reply *reply, const char *id);
D7_MUST_USE enum d7_err named_run(struct api *api, struct reply *reply, const char *id);

#endif
