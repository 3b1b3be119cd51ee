/* The list of steps, and running it: each starts with a live engine in step, whatever the one
 * before did to it. */
#include "engine/base/clock.h"
#include "engine/tool/check.h"

#define NOTHING   NULL, false, false
#define GATE      NULL, true, false
#define NEEDS(of) of, false, false
#define ADVICE    "only-legal", false, true

static const struct check_step steps[] = {
    {"start", "it can be started, or connected to", check_step_start, GATE},
    {"handshake", "'d7p' is answered by 'd7pok' in time, and by it alone", check_step_handshake,
     GATE},
    {"identity", "'id' lines, where there are any, are well-formed", check_step_identity, NOTHING},
    {"handshake-again", "'d7p' can be said again, with the same answer", check_step_handshake_again,
     NOTHING},
    {"ready", "'isready' is answered by 'readyok' in time", check_step_ready, GATE},
    {"ready-again", "three 'isready' in one write get three 'readyok'", check_step_ready_again,
     GATE},
    {"first-move", "'position startpos' and 'go' get a legal column, and a barrier holds behind it",
     check_step_first_move, GATE},
    {"board", "'position board' is understood", check_step_board, GATE},
    {"one-answer", "each 'go' gets one 'bestmove'", check_step_one_answer, NOTHING},
    {"next", "every visible disc from 1 to 7", check_step_next, NOTHING},
    {"rise", "every number of drops before the rise, 1 to 5", check_step_rise, NOTHING},
    {"digits", "a board with every kind of cell, 0 to 9", check_step_digits, NOTHING},
    {"empty-board", "the empty board", check_step_empty_board, NOTHING},
    {"full-column", "a full column is never chosen", check_step_full_column, NOTHING},
    {"only-legal", "the only legal column is found, each of the seven", check_step_only_legal,
     NEEDS("full-column")},
    {"several-full", "several full columns", check_step_alternating, NEEDS("full-column")},
    {"last-cell", "one empty cell, one drop before the end", check_step_last_cell,
     NEEDS("only-legal")},
    {"none", "'none' when no column is legal", check_step_none, NEEDS("full-column")},
    {"none-numbers", "'none' on a full board of numbers", check_step_none_numbers, NEEDS("none")},
    {"after-none", "the position after 'none' is answered", check_step_after_none, NEEDS("none")},
    {"crlf", "lines ended by CR LF", check_step_crlf, NEEDS("only-legal")},
    {"blank-lines", "blank lines are passed over", check_step_blank_lines, NEEDS("only-legal")},
    {"unknown", "an unknown command is not answered", check_step_unknown, NOTHING},
    {"unknown-between", "an unknown command does not touch the position",
     check_step_unknown_between, NEEDS("only-legal")},
    {"unknown-utf8", "an unknown line in UTF-8 is passed over", check_step_unknown_utf8, NOTHING},
    {"long-line", "an unknown line of 4,000 bytes is passed over", check_step_long_line, NOTHING},
    {"last-position", "of two positions the later one counts", check_step_last_position,
     NEEDS("only-legal")},
    {"ready-between", "'isready' between 'position' and 'go'", check_step_ready_between,
     NEEDS("only-legal")},
    {"one-write", "five commands in one write, answered in their order", check_step_one_write,
     NEEDS("only-legal")},
    {"split-position", "a position that comes in three pieces", check_step_split_position,
     NEEDS("only-legal")},
    {"split-go", "a 'go' that comes byte by byte", check_step_split_go, NEEDS("split-position")},
    {"late-stop", "a 'stop' after the answer gets no second one", check_step_late_stop,
     NEEDS("one-answer")},
    {"blanks", "several blanks and tabs between words", check_step_blanks, ADVICE},
    {"bad-length", "a board of 50 digits is no position", check_step_bad_length, ADVICE},
    {"bad-board", "a board with a disc in the air is no position", check_step_bad_board, ADVICE},
    {"bad-next", "next 0 and next 8 are no position", check_step_bad_next, ADVICE},
    {"bad-rise", "rise 6 and rise 0 are no position", check_step_bad_rise, ADVICE},
    {"quick-moves", "1,000 quick moves", check_step_quick, NEEDS("only-legal")},
    {"output", "standard output carries D7P and little else", check_step_output, NOTHING},
    {"quit", "'quit' ends it in time", check_step_quit, NOTHING},
    {"quit-quiet", "after a move it ends without another word", check_step_quit_quiet,
     NEEDS("quit")},
    {"quit-thinking", "'quit' right behind a question ends it too", check_step_quit_thinking,
     NEEDS("quit")},
    {"end-of-input", "the end of its input ends it in time", check_step_end_of_input, NOTHING},
    {"restart", "started again it is the same one", check_step_restart, NEEDS("only-legal")},
    {"determinism", "the same position, the same column, in whatever order", check_step_determinism,
     NEEDS("quick-moves")},
};

const struct check_step *check_steps(size_t *ret_count)
{
    *ret_count = D7_COUNT(steps);
    return steps;
}

const char *check_verdict_text(enum check_verdict v)
{
    switch (v) {
    case VERDICT_PASS:
        return "pass";
    case VERDICT_NOTE:
        return "note";
    case VERDICT_FAIL:
        return "FAIL";
    case VERDICT_NOT_RUN:
        break;
    }
    return "-";
}

/* The failed step that makes this one pointless; its index, or the count where there is none. A
 * note is no obstacle, a step that was not run is. */
static size_t find_obstacle(const struct checker *c, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        bool failed = c->outcomes[i].verdict == VERDICT_FAIL;
        bool needed = steps[index].needs && strcmp(steps[index].needs, steps[i].name) == 0;
        if ((failed && steps[i].is_gate) ||
            (needed && (failed || c->outcomes[i].verdict == VERDICT_NOT_RUN))) {
            return i;
        }
    }
    return D7_COUNT(steps);
}

static void run_step(struct checker *c, size_t index)
{
    checker_forget(c);
    if (index > 0 && !(c->peer && c->peer->running)) {
        (void)checker_open(c);
    }
    if (index > 1) {
        (void)checker_begin(c); /* before the handshake there is nothing to drop */
    }
    checker_forget(c);
    if (!c->failed && !c->err) {
        steps[index].run(c);
    }
}

static void judge_step(struct checker *c, size_t index)
{
    c->failed = false;
    c->now = &c->outcomes[index];
    size_t obstacle = find_obstacle(c, index);
    int64_t from = clock_mono_ms();
    if (obstacle < D7_COUNT(steps)) {
        c->now->verdict = VERDICT_NOT_RUN;
        (void)snprintf(c->now->detail, sizeof(c->now->detail), "needs step %zu (%s)", obstacle + 1,
                       steps[obstacle].name);
        return;
    }
    if (patience_is_spent(&c->wait)) {
        checker_fail(c, NULL, "all steps together may take %d minutes", CHECK_TOTAL_MS / 60000);
    } else {
        run_step(c, index);
    }
    c->now->elapsed_ms = clock_mono_ms() - from;
    c->now->verdict = !c->failed                                ? VERDICT_PASS
                      : steps[index].is_advice && !c->is_strict ? VERDICT_NOTE
                                                                : VERDICT_FAIL;
    if (c->failed && c->peer) {
        peer_stop(c->peer, false); /* out of step: the next one starts it anew */
    }
}

enum d7_err checker_run(struct checker *c,
                        void (*on_step)(void *ctx, size_t index,
                                        const struct check_outcome *outcome),
                        void *ctx)
{
    _Static_assert(D7_COUNT(steps) <= CHECK_STEPS_MAX, "an outcome for each step");
    c->wait.final_us = clock_mono_us() + (int64_t)CHECK_TOTAL_MS * 1000;
    for (size_t i = 0; i < D7_COUNT(steps) && !c->err; i++) {
        judge_step(c, i);
        if (!c->err && on_step) {
            on_step(ctx, i, &c->outcomes[i]);
        }
    }
    if (c->peer) {
        peer_stop(c->peer, !c->err);
    }
    return c->err;
}

void checker_release(struct checker *c)
{
    for (unsigned i = 0; i < c->peer_count; i++) {
        peer_free(c->peers[i]);
    }
    c->peer_count = 0;
    c->peer = NULL;
}
