/*
 * revision.h - new revisions of a policy, and reading all of them.
 *
 * Why     an author improves a program under its name: games stay with the revision that played
 * them, and the old revision stays current until the new one has passed its check.
 * Errors  as in store.h; D7_ERR_NOT_FOUND: no such policy or revision.
 */
#ifndef STORE_REVISION_H
#define STORE_REVISION_H

#include "store/policy.h"

/* Strings are validated by the caller. */
struct revision_new_row {
    const char *policy_id;
    const char *sha256; /* uploads; NULL or empty otherwise */
    int64_t size_bytes;
    const char *format;
    const char *endpoint;        /* endpoints */
    const char *suite_id;        /* the run to queue; NULL: none */
    const struct quota *quota;   /* NULL: not looked at */
    struct quota_excess *excess; /* written on D7_ERR_QUOTA; may be NULL */
};

/* The revision, its check job and a queued run, in one transaction. A remote policy's is current at
 * once and has no run. D7_ERR_FORBIDDEN: the policy is suspended or retired; D7_ERR_UNSUPPORTED: a
 * built-in. ret_run_id is "" where none was queued. */
D7_MUST_USE enum d7_err revision_add(struct store *st, const struct revision_new_row *row,
                                     int64_t now, int64_t *ret_number,
                                     char ret_run_id[STORE_KEY_SIZE]);
D7_MUST_USE enum d7_err revision_get(struct store *st, const char *policy_id, int64_t number,
                                     struct revision *ret);
/* Newest first. */
D7_MUST_USE enum d7_err revision_list(struct store *st, const char *policy_id,
                                      struct store_page *page, struct revision **ret_rows,
                                      size_t *ret_count);
/* What its check saw on stderr, NUL bytes and all; the caller frees (never NULL on D7_OK). */
D7_MUST_USE enum d7_err revision_log(struct store *st, const char *policy_id, int64_t number,
                                     char **ret_bytes, size_t *ret_len);
/* The first artifact after `after` (in the order of the names; "" at the start) that revisions of
 * this policy refer to; D7_ERR_NOT_FOUND: no more. */
D7_MUST_USE enum d7_err revision_next_artifact(struct store *st, const char *policy_id,
                                               const char *after, char ret_sha256[SHA_HEX_SIZE]);

#endif
