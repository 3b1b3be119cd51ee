/*
 * `drop7 policy` as a tournament would see it: a process of its own, asked over pipes by the
 * harness, answers each public row of decisions.jsonl with the published column. The slow policies
 * only where all vectors are wanted (D7_ALL_VECTORS=1).
 */
#include <limits.h>

#include "tests/support/support.h"

#include "engine/base/json.h"
#include "engine/harness/talk.h"

struct session {
    const char *policy;
    struct peer *peer;
    struct patience patience;
    unsigned rows;
};

static uint8_t small_of(const struct jval *row, const char *key)
{
    int64_t value = -1;
    assert_true(jval_integer(jval_get(row, key), &value) && value >= 0 && value <= 7);
    return (uint8_t)value;
}

static void ask(struct session *s, const struct jval *row)
{
    struct span board;
    struct position at = {.next = small_of(row, "next"), .rise = small_of(row, "rise")};
    struct answer answer;
    struct talk talk;
    assert_true(jval_text(jval_get(row, "board"), &board));
    assert_int_equal(board_parse(board.ptr, board.len, &at.board), BOARD_FINE);
    assert_int_equal(talk_ask(s->peer, &s->patience, &at, &answer, &talk), D7_OK);
    assert_int_equal(talk.event, PEER_DONE);
    assert_int_equal(answer.move, D7P_MOVE_COLUMN);
    if (answer.column != small_of(row, "column")) {
        fail_msg("%s: %.*s next %u rise %u: it answers %u, published is %u", s->policy,
                 (int)board.len, board.ptr, at.next, at.rise, answer.column,
                 small_of(row, "column"));
    }
    s->rows++;
}

static bool on_line(void *ctx, struct span line)
{
    struct session *s = ctx;
    struct jval *row = NULL;
    struct span policy;
    assert_int_equal(jval_parse(line, &row, NULL), D7_OK);
    if (jval_text(jval_get(row, "policy"), &policy) && span_is(policy, s->policy)) {
        ask(s, row);
    }
    jval_free(row);
    return true;
}

/* How many rows it answered. */
static unsigned run_session(const struct policy_info *info)
{
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7"));
    const char *const argv[] = {program, "policy", "--policy", info->id, NULL};
    const struct child_spec spec = {.argv = argv};
    struct harness_limits limits = harness_limits_default();
    struct identity who;
    struct talk talk;
    limits.move_ms = 60000; /* the machine may be busy, or the build full of checks */
    struct session s = {.policy = info->id, .patience = {.final_us = INT64_MAX}};
    assert_int_equal(peer_child_new(&spec, &limits, &s.peer), D7_OK);
    assert_int_equal(talk_open(s.peer, &s.patience, &who, &talk), D7_OK);
    assert_int_equal(talk.event, PEER_DONE);
    assert_string_equal(who.name, info->name);
    assert_string_equal(who.family, info->family);
    support_vector_lines("decisions.jsonl", on_line, &s);
    peer_free(s.peer);
    return s.rows;
}

static void every_public_row_is_answered_over_pipes(void **state)
{
    (void)state;
    size_t count = 0;
    unsigned rows = 0;
    unsigned answering = 0;
    const struct policy_info *all = policy_registry(&count);
    for (size_t i = 0; i < count; i++) {
        bool costly = span_is(span_of(all[i].id), "expectimax-d4") ||
                      span_is(span_of(all[i].id), "fair-d4-s7");
        if (all[i].public_information && (!costly || getenv("D7_ALL_VECTORS"))) {
            unsigned mine = run_session(&all[i]);
            rows += mine;
            answering += mine > 0;
        }
    }
    /* puct and mcts-fair have no rows */
    assert_int_equal(answering, getenv("D7_ALL_VECTORS") ? 12 : 10);
    assert_int_equal(rows, getenv("D7_ALL_VECTORS") ? 912 : 868);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_public_row_is_answered_over_pipes)};
    return cmocka_run_group_tests_name("unit/tool/session", tests, NULL, NULL);
}
