/*
 * handle.h - the inside of struct store, for store/ (and its tests) only.
 *
 * Why     the public headers show no SQLite type; the files of this folder share one connection and
 * its statements. Owns    the connection, the statements and the serve lock, from store_open to
 * store_close. Threads one store, one thread.
 */
#ifndef STORE_HANDLE_H
#define STORE_HANDLE_H

#include <sqlite3.h>

#include "store/change.h"
#include "store/figures.h"
#include "store/sql.h"
#include "store/store.h"

#define STORE_MESSAGE_SIZE 256

struct store {
    sqlite3 *db;                          /* owned */
    sqlite3_stmt *stmts[STORE_SQL_COUNT]; /* owned */
    char *dir;                            /* owned */
    int lock_fd;                          /* serve.lock; -1: not held */
    bool in_tx;
    int restart_pages;                /* length of the log at which to try to start it over */
    char message[STORE_MESSAGE_SIZE]; /* the last database message */
    struct store_errors *errors;      /* borrowed; NULL: nobody counts */
    struct change_view change;
};

/* The error an SQLite result code stands for; keeps the database's message for store_message(). */
enum d7_err store_fail(struct store *st, int rc);

/* Counts a failure (store/figures.c); errors may be NULL. */
void figures_count(struct store_errors *errors, enum d7_err err);

/* Folders and files (store/folder.c). */
D7_MUST_USE enum d7_err folder_prepare(const char *dir, struct d7_why *why);
/* flock on DIR/serve.lock: the kernel lets go of it with the process, however that ends. */
D7_MUST_USE enum d7_err folder_lock(const char *dir, int *ret_fd, struct d7_why *why);
/* Waits until nobody else is setting up the store in the folder; close *ret_fd to go on. */
D7_MUST_USE enum d7_err folder_take_turn(const char *dir, int *ret_fd);
/* Empties DIR/tmp. */
D7_MUST_USE enum d7_err folder_sweep(const char *dir);
/* Removes artifacts no revision refers to: a server killed between adopting and registering. Only
 * under the serve lock, when nobody uploads. */
D7_MUST_USE enum d7_err folder_sweep_artifacts(struct store *st);

#endif
