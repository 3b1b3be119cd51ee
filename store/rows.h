/*
 * rows.h - the growing array behind every list.
 *
 * Owns    its memory, until rows_finish hands it to the caller as a plain array for free().
 * Bounds  the statements' LIMIT.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "engine/base/span.h"

struct rows {
    void *items; /* owned */
    size_t count;
    size_t cap;
    size_t item_size;
};

void rows_init(struct rows *rows, size_t item_size);
void rows_release(struct rows *rows);
/* A new zeroed item, borrowed until the next one; NULL and *err = D7_ERR_NOMEM without memory. */
void *rows_add(struct rows *rows, enum d7_err *err);
/* Hands the array over when err is D7_OK (never NULL, also when empty), frees it otherwise; returns
 * err. */
D7_MUST_USE enum d7_err rows_finish(struct rows *rows, enum d7_err err, void **ret_items,
                                    size_t *ret_count);

#endif
