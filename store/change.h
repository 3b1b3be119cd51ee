/*
 * change.h - has anybody committed since this connection last looked? Inside store/ only.
 *
 * Why     caches ask before every answer whether they are still right. A query says it, at the cost
 * of a read transaction (four system calls); the header of the WAL index says that nothing was
 * committed at all, at the cost of reading 96 bytes of shared memory.
 * Source  sqlite.org/walformat.html, 2.1: two copies of a 48-byte header, changed by every commit
 * before a reader can see it. The memory is SQLite's own mapping, asked for through its VFS: no
 * descriptor of ours is involved (closing one would drop SQLite's locks).
 * Threads as the store's.
 */
#ifndef STORE_CHANGE_H
#define STORE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#define WAL_HEADER_SIZE 48

struct store;

struct change_view {
    volatile const uint8_t
        *header; /* SQLite's, while the connection is open; NULL: not yet, or none */
    bool known;
    uint8_t seen[WAL_HEADER_SIZE]; /* the header before the counters were read */
    int64_t version, board;
};

#endif
