/*
 * policy.h - policies and their revisions.
 *
 * A policy's status is that of api.md; its current revision is the newest that passed its check,
 * its pending one the candidate. Built-ins have no owner, one revision, and are ready at once.
 */
#ifndef STORE_POLICY_H
#define STORE_POLICY_H

#include "store/account.h"
#include "store/quota.h"

enum policy_kind { KIND_BUILTIN, KIND_UPLOAD, KIND_ENDPOINT, KIND_REMOTE };
enum policy_status {
    POLICY_CHECKING,
    POLICY_READY,
    POLICY_REJECTED,
    POLICY_SUSPENDED,
    POLICY_RETIRED
};
const char *policy_kind_text(enum policy_kind k);
bool policy_kind_parse(struct span text, enum policy_kind *ret);
const char *policy_status_text(enum policy_status s);
bool policy_status_parse(struct span text, enum policy_status *ret);

struct revision {
    int64_t number;            /* 1-based; 0: none */
    char sha256[SHA_HEX_SIZE]; /* uploads; empty otherwise */
    int64_t size_bytes;
    char format[32];    /* "elf", "script:python3", "builtin", "endpoint" */
    char endpoint[300]; /* "tcp://HOST:PORT"; owner and admins only */
    int64_t created_at;
    enum policy_status status; /* checking, ready or rejected */
    char reason_code[48];      /* rejected: "handshake", "no-start", ... */
    char reason_message[201];
};

struct policy_row {
    char id[STORE_ID_SIZE];
    char name[STORE_NAME_SIZE];
    char family[STORE_NAME_SIZE];
    char description[STORE_TEXT_SIZE];
    enum policy_kind kind;
    bool public_information;
    bool slow;
    bool nondeterministic;
    uint32_t concurrency; /* games at once against an endpoint */
    enum policy_status status;
    char reason_code[48];
    char reason_message[201];
    int64_t owner_id; /* 0: built-in */
    char owner[STORE_NAME_SIZE];
    struct revision current; /* number 0: none yet */
    struct revision pending; /* number 0: none */
    char latest_run_id[STORE_KEY_SIZE];
    int64_t created_at;
};

/* What a registration brings. Strings are validated by the caller. */
struct policy_new_row {
    const char *id, *name, *family, *description;
    enum policy_kind kind;
    int64_t owner_id;
    bool public_information, slow; /* built-ins; true/false otherwise */
    uint32_t concurrency;
    const char *sha256; /* uploads */
    int64_t size_bytes;
    const char *format;
    const char *endpoint;
    const char *suite_id;        /* the run to queue; NULL: none */
    const struct quota *quota;   /* NULL: not looked at */
    struct quota_excess *excess; /* written on D7_ERR_QUOTA; may be NULL */
};

/* Policy, revision 1, check job and queued run on suite_id, all in one transaction.
 * D7_ERR_CONFLICT: the id was ever taken; D7_ERR_QUOTA. Remote ones are ready at once, without a
 * run: they play by themselves. Built-ins: ready at once, no check job; an existing
 * built-in of that id is updated (name, texts) and D7_OK. */
D7_MUST_USE enum d7_err policy_add(struct store *st, const struct policy_new_row *row, int64_t now,
                                   char ret_run_id[STORE_KEY_SIZE]);
D7_MUST_USE enum d7_err policy_get(struct store *st, const char *id, struct policy_row *ret);

/* Changes; NULL: as it is. */
struct policy_patch {
    const char *name, *family, *description;
    bool has_status;
    enum policy_status status; /* suspended, or ready: as it was before it was suspended */
    const char *reason;        /* of a suspension, up to 200 bytes; public */
    int64_t if_version; /* only while the store's version is still this one; 0: whatever it is */
};
/* D7_ERR_CANCELLED: not that version any more; D7_ERR_FORBIDDEN: retired; D7_ERR_CONFLICT: ready is
 * asked of one that is neither suspended nor ready. Nothing is changed then. */
D7_MUST_USE enum d7_err policy_patch(struct store *st, const char *id,
                                     const struct policy_patch *patch);
/* For good: unfinished runs and checks are cancelled, games stay, the id is never free again. Its
 * artifacts are no longer counted as used (store_artifact_drop). Retired already: D7_OK. */
D7_MUST_USE enum d7_err policy_retire(struct store *st, const char *id, int64_t now);

struct policy_filter {
    bool has_kind, has_status;
    enum policy_kind kind;
    enum policy_status status;    /* without: retired hidden */
    char family[STORE_NAME_SIZE]; /* empty: any */
};
/* By id. */
D7_MUST_USE enum d7_err policy_list(struct store *st, const struct policy_filter *filter,
                                    struct store_page *page, struct policy_row **ret_rows,
                                    size_t *ret_count);

#endif
