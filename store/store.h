/*
 * store.h - one connection to the store: opening, migrating, and what everybody needs.
 *
 * Why     the only folder that knows SQL. No SQLite type or idiom crosses these headers: later the
 * store may be another database on another host. Owns    struct store owns its connection and
 * prepared statements; rows it returns are plain values the caller owns (arrays are freed with
 * free()). Threads one store, one thread; never used across fork. Several stores may be open on the
 * same data folder, in this and in other processes. Errors  D7_ERR_BUSY (locked past the timeout),
 * D7_ERR_FULL (disk), D7_ERR_CORRUPT, D7_ERR_VERSION (schema newer than this program),
 * D7_ERR_CONFLICT (a constraint), D7_ERR_IO, D7_ERR_NOMEM. Time    all times are UTC ms, given by
 * the caller.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "engine/record/replay.h"

#define STORE_ID_SIZE   65   /* slugs (policies, rounds, suites) */
#define STORE_KEY_SIZE  33   /* opaque ids (runs, games, jobs, tokens): up to 32 characters */
#define STORE_NAME_SIZE 321  /* 80 code points */
#define STORE_TEXT_SIZE 8001 /* 2,000 code points */
#define STORE_LIST_MAX  500

struct store;

enum store_mode {
    STORE_OPEN,    /* an existing, current store; D7_ERR_NOT_FOUND, D7_ERR_VERSION */
    STORE_MIGRATE, /* created if missing, brought up to date */
    STORE_SERVE    /* as MIGRATE, and held exclusively against a second serve on the same folder:
                      D7_ERR_BUSY */
};

/* dir holds drop7.db and artifacts/; created (mode 0700) unless STORE_OPEN. why names what is wrong
 * in one line. */
D7_MUST_USE enum d7_err store_open(const char *dir, enum store_mode mode, struct store **ret,
                                   struct d7_why *why);
void store_close(struct store *st);
const char *store_dir(const struct store *st);
/* The last database message, for logs; never shown to users. */
const char *store_message(const struct store *st);

/* Grows with every write that a reader could see (policies, runs, games, rounds). Cheap: for caches
 * and event streams. */
D7_MUST_USE enum d7_err store_version(struct store *st, int64_t *ret);
/* Grows only with writes that may change a leaderboard (games recorded or voided, policies,
 * suites), not with the progress of runs. */
D7_MUST_USE enum d7_err store_board_version(struct store *st, int64_t *ret);
/* D7_OK when a write goes through now (for readyz): one is committed, so callers keep the answer
 * for a second. D7_ERR_FULL also when under 4 MiB are left. */
D7_MUST_USE enum d7_err store_check(struct store *st);
/* Schema version of this program. */
int store_schema_version(void);

/* Where an artifact of that SHA-256 lies: DIR/artifacts/ab/abcdef.... */
void store_artifact_path(const struct store *st, const char *sha256, char *ret_path, size_t size);
/* Moves a finished file (same file system) to its place, fsynced, read-only; an equal one already
 * there is fine. */
D7_MUST_USE enum d7_err store_artifact_adopt(struct store *st, const char *temporary,
                                             const char *sha256);
/* Removes an adopted artifact unless a revision refers to it: for a registration that failed after
 * adopting. Not there: D7_OK. */
D7_MUST_USE enum d7_err store_artifact_drop(struct store *st, const char *sha256);
/* Where uploads are written before they are adopted: DIR/tmp (emptied at STORE_SERVE). */
void store_tmp_dir(const struct store *st, char *ret_path, size_t size);

/* A page of a list: keyset cursors. Opaque to callers; the text is for URLs. */
#define STORE_CURSOR_SIZE 97
struct store_page {
    uint32_t limit;                 /* 1..STORE_LIST_MAX */
    char cursor[STORE_CURSOR_SIZE]; /* empty: from the start */
    char next[STORE_CURSOR_SIZE];   /* out: empty when this was the last page */
};

#endif
