/*
 * round.h - stored rounds and suites. The gauntlet is put there by the first migration run of a
 * program.
 */
#ifndef STORE_ROUND_H
#define STORE_ROUND_H

#include "store/store.h"

#define SUITE_ROUNDS_MAX 256

struct suite_row {
    char id[STORE_ID_SIZE];
    char name[STORE_NAME_SIZE];
    bool is_default;
    size_t round_count;
    char (*round_ids)[STORE_ID_SIZE]; /* owned by the row: suite_release */
};
void suite_release(struct suite_row *s);

/* The whole round; free with roundfile_free. */
D7_MUST_USE enum d7_err round_get(struct store *st, const char *id, struct roundfile **ret);
/* D7_ERR_CONFLICT when the id is taken by another round; an equal one is D7_OK. */
D7_MUST_USE enum d7_err round_add(struct store *st, const struct roundfile *r, int64_t now);

struct round_row {
    char id[STORE_ID_SIZE];
    char name[STORE_NAME_SIZE];
    char seed_hex[ROUND_SEED_SIZE];
    uint32_t maximum_moves;
};
D7_MUST_USE enum d7_err round_list(struct store *st, struct store_page *page,
                                   struct round_row **ret_rows, size_t *ret_count);

D7_MUST_USE enum d7_err suite_add(struct store *st, const char *id, const char *name,
                                  bool is_default, const char *const *round_ids, size_t round_count,
                                  int64_t now);
/* id NULL: the default suite. */
D7_MUST_USE enum d7_err suite_get(struct store *st, const char *id, struct suite_row *ret);
/* Rows are released one by one with suite_release, the array with free. */
D7_MUST_USE enum d7_err suite_list(struct store *st, struct store_page *page,
                                   struct suite_row **ret_rows, size_t *ret_count);

/* Gauntlet 01-08 and the default suite `gauntlet`, if missing. Called by store_open(MIGRATE,
 * SERVE). */
D7_MUST_USE enum d7_err round_install_gauntlet(struct store *st, int64_t now);

#endif
