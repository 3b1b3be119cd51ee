/*
 * page.h - keyset cursors: a place in a list, bound to the list's filters and sort.
 *
 * Format  HASH16 "." KEY: the first 16 hex digits of SHA-256(scope LF KEY), and the key to continue
 * after. A cursor of another list, other filters or a changed key does not hash: D7_ERR_INVALID.
 */
#ifndef STORE_PAGE_H
#define STORE_PAGE_H

#include "store/store.h"

#define PAGE_SCOPE_SIZE 768

struct page {
    struct store_page *out;        /* borrowed */
    char scope[PAGE_SCOPE_SIZE];   /* which list, filters and sort */
    char after[STORE_CURSOR_SIZE]; /* the key to continue after; empty: from the start */
};

/* Takes the scope as printf text. D7_ERR_INVALID: limit out of 1..STORE_LIST_MAX, or not a cursor
 * of this scope. */
D7_MUST_USE enum d7_err page_init(struct page *p, struct store_page *out, const char *scope, ...)
    D7_PRINTF(3, 4);
/* The key as one number or two ("a.b"); *ret as they were when the page starts at the start. */
D7_MUST_USE enum d7_err page_numbers(const struct page *p, int64_t *ret_first, int64_t *ret_second);
/* There is more after this key. */
void page_set_next(struct page *p, const char *key);

#endif
