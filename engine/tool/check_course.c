/* Steps: a long course of moves, the ends of a session, and the determinism check. */
#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/harness/again.h"
#include "engine/tool/check.h"

#define RNG_START   7u
#define STRANGE_MAX 100 /* lines; a word or two of a library's are nobody's harm */

void check_step_quick(struct checker *c)
{
    struct rng rng = {RNG_START};
    struct check_games games = {.rng = NULL};
    int64_t slowest_us = 0;
    int64_t end_us = clock_mono_us() + c->quick_ms * 1000;
    check_games_init(&games, &rng);
    c->asked_count = 0;
    while (c->asked_count < CHECK_QUICK_MOVES && clock_mono_us() < end_us) {
        struct check_asked *one = &c->asked[c->asked_count];
        int64_t from = clock_mono_us();
        one->at = check_games_next(&games);
        if (!checker_question(c, &one->at, &one->column)) {
            break;
        }
        int64_t took = clock_mono_us() - from;
        slowest_us = took > slowest_us ? took : slowest_us;
        c->asked_count++;
    }
    if (c->failed && !c->err) {
        char why[CHECK_DETAIL_SIZE];
        memcpy(why, c->now->detail, sizeof(why));
        (void)snprintf(c->now->detail, sizeof(c->now->detail), "at move %u: %.280s",
                       c->asked_count + 1, why);
    }
    if (checker_barrier(c)) {
        (void)snprintf(c->now->detail, sizeof(c->now->detail), "%u moves, the slowest %lld us",
                       c->asked_count, (long long)slowest_us);
    }
}

void check_step_output(struct checker *c)
{
    if (c->unreadable) {
        checker_fail(c, c->unreadable_line, "%u lines that are no UTF-8 text, this one first",
                     c->unreadable);
    } else if (c->strange > STRANGE_MAX) {
        checker_fail(c, c->strange_line,
                     "%u lines that are no D7P, this one first: 'info TEXT' or standard error are "
                     "the places",
                     c->strange);
    } else if (c->strange) {
        (void)snprintf(c->now->detail, sizeof(c->now->detail), "%u other lines, passed over",
                       c->strange);
        (void)snprintf(c->now->line, sizeof(c->now->line), "%s", c->strange_line);
    }
}

static bool say_quit(struct checker *c)
{
    checker_forget(c);
    return checker_say(c, "quit\n");
}

void check_step_quit(struct checker *c)
{
    if (say_quit(c) && checker_expect_end(c, c->end_ms)) {
        peer_stop(c->peer, false);
    }
}

void check_step_quit_quiet(struct checker *c)
{
    struct position opening = {.board = board_opening(), .next = 2, .rise = 5};
    uint8_t column = 0;
    if (!checker_ask(c, &opening, &column) || !say_quit(c) || !checker_expect_end(c, c->end_ms)) {
        return;
    }
    for (enum d7p_answer a = D7P_ID_NAME; a <= D7P_BESTMOVE; a++) {
        if (c->heard[a].count) {
            checker_fail(c, c->heard[a].line, "it answers after 'quit'");
        }
    }
    peer_stop(c->peer, false);
}

void check_step_quit_thinking(struct checker *c)
{
    checker_forget(c);
    if (checker_say(c, "position startpos next 3 rise 5\ngo\nquit\n") &&
        checker_expect_end(c, c->limits.move_ms + c->end_ms)) {
        peer_stop(c->peer, false);
    }
}

void check_step_end_of_input(struct checker *c)
{
    if (!checker_barrier(c)) {
        return;
    }
    link_end_input(&c->peer->link);
    if (checker_expect_end(c, c->end_ms)) {
        peer_stop(c->peer, false);
    }
}

void check_step_restart(struct checker *c)
{
    struct position at = check_only_legal(4);
    checker_compare_identity(c, "after a restart");
    (void)checker_ask_for(c, &at, 4);
}

/* Asks once more; false when there is no answer (no difference) or another one. */
static bool is_same(struct checker *c, const struct position *at, uint8_t wanted)
{
    uint8_t got = 0;
    if (checker_ask(c, at, &got) && got != wanted) {
        checker_fail(c, c->heard[D7P_BESTMOVE].line,
                     "the same position was answered by %u before: a policy is a function of the "
                     "position alone",
                     wanted);
    }
    return !c->failed && !c->err;
}

void check_step_determinism(struct checker *c)
{
    struct rng rng = {RNG_START};
    unsigned order[AGAIN_POSITIONS];
    unsigned count = c->asked_count < AGAIN_POSITIONS ? c->asked_count : AGAIN_POSITIONS;
    for (unsigned i = 0; i < count; i++) {
        order[i] = i * c->asked_count / count;
    }
    for (unsigned i = count; i > 1; i--) {
        unsigned j = rng_below(&rng, i);
        unsigned kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct check_asked *one = &c->asked[order[i]];
        /* the first one twice in a row: what is cached counts too */
        if (!is_same(c, &one->at, one->column) || (i == 0 && !is_same(c, &one->at, one->column))) {
            return;
        }
    }
    struct position opening = {.board = board_opening(), .next = 1, .rise = 5};
    if (is_same(c, &opening, c->opening_column)) {
        (void)snprintf(c->now->detail, sizeof(c->now->detail), "%u positions asked again",
                       count + 1);
    }
}
