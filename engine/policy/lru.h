/*
 * lru.h - the expectimax value cache: strictly least recently used, of one fixed capacity.
 *
 * Source  ../shared/spec/policies.md, 4.4. The cache is part of the policy's definition: hits save
 * ticks and ticks decide the depth, so order and capacity must be exact.
 * Owns    lru_new allocates everything; lru_free takes NULL.
 * Threads one cache belongs to one thread.
 * Errors  D7_ERR_NOMEM.
 * Bounds  every call is O(1) but lru_clear, which is linear in the entries held.
 */
#ifndef ENGINE_POLICY_LRU_H
#define ENGINE_POLICY_LRU_H

#include "engine/base/err.h"
#include "engine/rules/board.h"

#define LRU_CAPACITY 40000u

/* A node up to mirroring; the caller canonicalises. */
struct lru_key {
    struct board board;
    uint8_t next;
    uint8_t rise;
    bool over;
    uint8_t depth;
};

struct lru;

D7_MUST_USE enum d7_err lru_new(struct lru **ret);
void lru_free(struct lru *l);
void lru_clear(struct lru *l);
unsigned lru_size(const struct lru *l);
/* A hit makes the entry the most recently used. */
bool lru_get(struct lru *l, const struct lru_key *key, double *ret_value);
/* The key must not be in the cache. A full cache first drops its least recently used entry. */
void lru_put(struct lru *l, const struct lru_key *key, double value);

#endif
