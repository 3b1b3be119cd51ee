/*
 * migrate.h - brings the schema up to the one this program was built with.
 *
 * Source  migrations/NNNN_name.sql, embedded by server/embed.sh in order of their names; migration
 * n makes schema version n. Forward only: a landed file is never edited. Once    each is one
 * transaction, the version number last, so a killed program leaves the schema before or after it;
 * two programs migrating at once take turns. Errors  D7_ERR_VERSION: written by a newer program
 * (or, in migrate_check, an older one).
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/handle.h"

/* The version in the file; refuses a database that is not ours: D7_ERR_CORRUPT. */
D7_MUST_USE enum d7_err migrate_version(struct store *st, int *ret_version, struct d7_why *why);
D7_MUST_USE enum d7_err migrate_run(struct store *st, struct d7_why *why);
D7_MUST_USE enum d7_err migrate_check(struct store *st, struct d7_why *why);

#endif
