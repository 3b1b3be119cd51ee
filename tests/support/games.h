/*
 * games.h - the games a server recorded, compared with what they must be.
 *
 * Errors  whatever differs fails the test.
 */
#ifndef TESTS_SUPPORT_GAMES_H
#define TESTS_SUPPORT_GAMES_H

#include "engine/harness/play.h"
#include "tests/support/server.h"

#define GAMES_RUN_MS 90000

/* An integer member of a JSON object. */
int64_t games_number(const struct jval *object, const char *key);
/* The id of the policy's newest run; static buffer. */
const char *games_latest_run(const struct test_server *s, const char *policy);
/* Waits until that run is `done`. */
void games_finish(const struct test_server *s, const char *policy);

/* The policy has exactly one game on each of gauntlet 01-08, with the checksums ... */
/* ... that vectors/bench.tsv has for `as`; */
void games_assert_bench(const struct test_server *s, const char *policy, const char *as);
/* ... that the same program plays without any server. */
void games_assert_local(const struct test_server *s, const char *policy, const char *const *argv);

/* `drop7d verify` is content, with at least so many games. */
void games_assert_verified(const struct test_server *s, unsigned at_least);

#endif
