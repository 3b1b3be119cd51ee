#include "tests/support/roots.h"

#include "tests/support/support.h"

/* "BOARD NEXT RISE" */
static bool on_line(void *ctx, struct span line)
{
    struct roots *all = ctx;
    struct position *at = &all->at[all->count];
    struct span board = span_token(&line);
    int64_t next = 0;
    int64_t rise = 0;
    if (board_parse(board.ptr, board.len, &at->board) != BOARD_FINE ||
        span_parse_i64(span_token(&line), 1, 7, &next) ||
        span_parse_i64(span_token(&line), 1, 5, &rise)) {
        return false;
    }
    at->next = (uint8_t)next;
    at->rise = (uint8_t)rise;
    return ++all->count < ROOTS_MAX;
}

const struct roots *roots_all(void)
{
    static struct roots all;
    if (all.count == 0) {
        support_vector_lines("bench-roots.txt", on_line, &all);
    }
    return &all;
}

static uint64_t add(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (; count > 0; count--, at++) {
        hash = (hash ^ *at) * 0x100000001b3u;
    }
    return hash;
}

uint64_t roots_signature(struct policy *p, size_t limit, uint64_t *ret_work)
{
    const struct roots *all = roots_all();
    uint64_t work = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < all->count && i < limit; i++) {
        struct decision d;
        policy_decide(p, &all->at[i], &d);
        work += d.work;
        const uint8_t column = (uint8_t)d.column;
        hash = add(hash, &column, 1);
        for (unsigned k = 0; k < d.value_count; k++) {
            hash = add(hash, &d.values[k].column, sizeof(d.values[k].column));
            hash = add(hash, &d.values[k].value, sizeof(d.values[k].value));
        }
    }
    if (ret_work) {
        *ret_work = work;
    }
    return hash;
}
