/*
 * suite.h - adding a suite inside somebody else's transaction, for store/ only.
 */
#ifndef STORE_SUITE_H
#define STORE_SUITE_H

#include "store/round.h"

/* suite_add inside a transaction. */
D7_MUST_USE enum d7_err suite_insert(struct store *st, const char *id, const char *name,
                                     bool is_default, const char *const *round_ids,
                                     size_t round_count, int64_t now);
/* D7_ERR_INVALID: none, too many, or one twice. */
D7_MUST_USE enum d7_err suite_check_rounds(const char *const *round_ids, size_t round_count);

#endif
