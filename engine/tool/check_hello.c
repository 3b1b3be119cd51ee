/* Steps: from the start to the first move. */
#include "engine/tool/check.h"

#define QUIET_MS 50 /* an answer nobody asked for comes with the one that was asked for */

void check_step_start(struct checker *c)
{
    (void)checker_start(c);
}

void check_step_handshake(struct checker *c)
{
    c->who = (struct identity){.public_information = true};
    (void)(checker_say(c, "d7p\n") && checker_expect(c, D7P_OK) &&
           checker_expect_quiet(c, QUIET_MS));
    c->first_who = c->who;
}

void check_step_identity(struct checker *c)
{
    checker_forget(c);
    if (!checker_say(c, "d7p\n") || !checker_expect(c, D7P_OK)) {
        return;
    }
    static const struct {
        enum d7p_answer answer;
        const char *what;
    } kinds[] = {{D7P_ID_NAME, "name"}, {D7P_ID_FAMILY, "family"}, {D7P_ID_PUBLIC, "flag"}};
    for (size_t i = 0; i < D7_COUNT(kinds); i++) {
        const struct check_heard *heard = &c->heard[kinds[i].answer];
        if (heard->count > 1) {
            checker_fail(c, heard->line, "it gives its %s %u times", kinds[i].what, heard->count);
        }
    }
    if (c->bad_id.count) {
        checker_fail(c, c->bad_id.line,
                     "known are 'id name TEXT' (1-80 characters), 'id family TEXT' and 'id "
                     "public-information true|false'");
    }
}

void check_step_handshake_again(struct checker *c)
{
    c->who = (struct identity){.public_information = true};
    if (checker_say(c, "d7p\n") && checker_expect(c, D7P_OK)) {
        checker_compare_identity(c, "the second time");
    }
}

void check_step_ready(struct checker *c)
{
    (void)checker_barrier(c);
}

void check_step_ready_again(struct checker *c)
{
    checker_forget(c);
    if (checker_say(c, "isready\nisready\nisready\n") && checker_expect(c, D7P_READY) &&
        checker_expect(c, D7P_READY) && checker_expect(c, D7P_READY)) {
        (void)checker_expect_quiet(c, QUIET_MS);
    }
}

void check_step_first_move(struct checker *c)
{
    struct position opening = {.board = board_opening(), .next = 1, .rise = 5};
    (void)snprintf(c->now->asked, sizeof(c->now->asked), "position startpos next 1 rise 5");
    (void)(checker_say(c, "position startpos next 1 rise 5\ngo\n") &&
           checker_answer(c, &opening, &c->opening_column) && checker_barrier(c));
}

void check_step_one_answer(struct checker *c)
{
    uint8_t column = 0;
    for (uint8_t next = 1; next <= 3; next++) {
        struct position at = {.board = board_opening(), .next = next, .rise = 4};
        checker_forget(c);
        if (!checker_ask(c, &at, &column)) {
            return;
        }
        if (c->heard[D7P_BESTMOVE].count != 1) {
            checker_fail(c, c->heard[D7P_BESTMOVE].line, "%u answers to one 'go'",
                         c->heard[D7P_BESTMOVE].count);
        }
    }
}
