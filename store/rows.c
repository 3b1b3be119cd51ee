#include "store/rows.h"

void rows_init(struct rows *rows, size_t item_size)
{
    *rows = (struct rows){.item_size = item_size};
}

void rows_release(struct rows *rows)
{
    free(rows->items);
    rows_init(rows, rows->item_size);
}

static bool grow(struct rows *rows)
{
    size_t cap = rows->cap ? rows->cap * 2 : 8;
    void *items = reallocarray(rows->items, cap, rows->item_size);
    if (!items) {
        return false;
    }
    rows->items = items;
    rows->cap = cap;
    return true;
}

void *rows_add(struct rows *rows, enum d7_err *err)
{
    if (rows->count == rows->cap && !grow(rows)) {
        *err = *err ? *err : D7_ERR_NOMEM;
        return NULL;
    }
    char *item = (char *)rows->items + rows->count * rows->item_size;
    memset(item, 0, rows->item_size);
    rows->count++;
    return item;
}

enum d7_err rows_finish(struct rows *rows, enum d7_err err, void **ret_items, size_t *ret_count)
{
    if (!err && !rows->items && !grow(rows)) {
        err = D7_ERR_NOMEM;
    }
    if (err) {
        rows_release(rows);
        return err;
    }
    *ret_items = rows->items;
    *ret_count = rows->count;
    rows_init(rows, rows->item_size);
    return D7_OK;
}
