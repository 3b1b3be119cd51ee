/*
 * account.h - accounts and their API tokens. Only the hash of a secret is stored.
 */
#ifndef STORE_ACCOUNT_H
#define STORE_ACCOUNT_H

#include "store/store.h"

struct account {
    int64_t id;
    char name[STORE_NAME_SIZE];
    bool admin;
};

struct token_row {
    char id[STORE_KEY_SIZE];
    char account[STORE_NAME_SIZE];
    bool admin;
    bool revoked;
    int64_t created_at;
    int64_t last_used_at; /* -1: never */
};

/* Creates the account or adds a secret to it. must_be_new: D7_ERR_CONFLICT when the name is taken
 * (self-registration). admin is set on creation, and on an existing account only raised. */
D7_MUST_USE enum d7_err account_token_add(struct store *st, const char *name, bool admin,
                                          bool must_be_new, const char *token_sha256, int64_t now,
                                          char ret_token_id[STORE_KEY_SIZE]);
/* The account of a live token; D7_ERR_NOT_FOUND otherwise. */
D7_MUST_USE enum d7_err account_by_token(struct store *st, const char *token_sha256,
                                         struct account *ret);
/* Notes the time of use, for token_list; callers do so at most now and then. */
D7_MUST_USE enum d7_err token_used(struct store *st, const char *token_sha256, int64_t now);
D7_MUST_USE enum d7_err token_list(struct store *st, struct token_row **ret_rows,
                                   size_t *ret_count);
/* One of the account's own; revoked already: D7_OK. D7_ERR_FORBIDDEN: another's. */
D7_MUST_USE enum d7_err token_revoke_own(struct store *st, int64_t account, const char *token_id,
                                         int64_t now);
D7_MUST_USE enum d7_err token_revoke(struct store *st, const char *token_id, int64_t now);

#endif
