/*
 * target.h - what is fuzzed: each target takes any bytes, and aborts (D7_CHECK, a trap, a
 * sanitizer) where something is wrong.
 *
 * Why     the same functions run under libFuzzer (`make fuzz`) and, on the inputs kept in
 * tests/fuzz/found and on seeds, in tests/unit/fuzz.
 * Owns    nothing stays allocated after a call.
 * Threads one at a time.
 * Determinism a target reads its bytes and nothing else: no clock, no random source.
 */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include "engine/base/check.h"
#include "engine/base/span.h"

/* What they take apart, in the order of tests/fuzz/run.sh. */
#define FUZZ_TARGETS(X) X(position) X(rules) X(choice) X(record) X(lines) X(http)

#define X(name) void fuzz_##name(const uint8_t *bytes, size_t len);
FUZZ_TARGETS(X)
#undef X

/* The bytes not yet used; 0 once they are all gone. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_input *in)
{
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->at++;
}

/* What is left, as text. */
static inline struct span fuzz_rest(const struct fuzz_input *in)
{
    return span_make((const char *)in->at, in->left);
}

#endif
