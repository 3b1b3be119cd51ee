/*
 * backup.h - a consistent copy of a store in use, that can be used as a data folder itself.
 *
 * Why     copying drop7.db by hand misses the log beside it, and artifacts that come and go.
 * Owns    nothing.
 * Threads the store's thread; others and other processes read and write meanwhile.
 * Errors  with a sentence in why: D7_ERR_CONFLICT (the folder is not empty), D7_ERR_FULL (the disk
 * of the copy), the store's. After an error nothing of the copy is left; after a crash the folder
 * has no drop7.db, and no command takes it for a store.
 * Bounds  one page of the database and one block of a file at a time; the list of artifacts.
 */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include "store/store.h"

/* The copy's name until it is whole. */
#define BACKUP_PARTIAL "drop7.db.partial"

struct backup_report {
    int64_t db_bytes;
    int64_t artifacts; /* linked where the file system can, else copied and compared */
    int64_t missing;   /* not there, or damaged, in the store itself */
};

/* dir: absent (made, mode 0700) or an empty folder. In the copy nobody is at work: jobs that were
 * being played are queued again. */
D7_MUST_USE enum d7_err store_backup(struct store *st, const char *dir, struct backup_report *ret,
                                     struct d7_why *why);

#endif
