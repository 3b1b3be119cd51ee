/*
 * intake.h - what goes into a policy, judged: its texts, its file, its endpoint. For a new policy,
 * a new revision, and changes.
 *
 * Use     the check_ functions add field errors and go on, so that every wrong field is named at
 * once; body_verdict() ends them. Only our own failures are returned.
 * Owns    an upload stays the request's until intake_keep() moved it to its place.
 * Threads none; intake_keep() takes site.upload_lock.
 */
#ifndef SERVER_API_INTAKE_H
#define SERVER_API_INTAKE_H

#include "server/api/api.h"
#include "server/work/artifact.h"

#define INTAKE_ENDPOINT_SIZE sizeof(((struct revision *)0)->endpoint)

/* True (and said so, unless the field has an error already) when a required text is not there. */
bool check_missing(struct span text, struct reply *reply, const char *name, const char *hint);
/* A text that is not there (ptr NULL) is left alone. */
void check_name(struct span text, struct reply *reply, char ret[STORE_NAME_SIZE]);
void check_family(struct span text, struct reply *reply, char ret[STORE_NAME_SIZE]);
void check_description(struct span text, struct reply *reply, char ret[STORE_TEXT_SIZE]);
/* Required. */
void check_endpoint(struct api *api, struct span text, struct reply *reply,
                    char ret[INTAKE_ENDPOINT_SIZE]);
/* The file part: required; its format. */
D7_MUST_USE enum d7_err check_file(struct api *api, const struct request *req, struct reply *reply,
                                   char ret_format[ARTIFACT_FORMAT_SIZE]);
/* Is there a worker that may run strangers' programs? D7_ERR_UNAVAILABLE with the reason. */
D7_MUST_USE enum d7_err check_sandbox(struct api *api, struct reply *reply);

/* Writes what refers to the upload (NULL: there is none). What no revision came to refer to is
 * removed again, under the lock that keeps an equal upload from losing it. */
D7_MUST_USE enum d7_err intake_keep(struct api *api, const struct form_file *upload,
                                    enum d7_err (*write)(struct store *st, void *ctx), void *ctx);
/* Removes the artifacts only this retired policy referred to. What fails is logged: a start of the
 * server sweeps. */
void intake_drop(struct api *api, const char *policy_id);

/* 403 `quota` with the true numbers; returns D7_ERR_QUOTA. */
enum d7_err refuse_quota(struct reply *reply, const struct quota_excess *excess);

#endif
