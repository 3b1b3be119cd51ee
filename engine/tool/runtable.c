#include "engine/tool/runtable.h"

#include <inttypes.h>

#include "engine/tool/remote.h"

const char *runtable_rejection(const struct jval *policy, char *to)
{
    const struct jval *pending = jval_get(policy, "pending");
    const struct jval *const both[] = {pending, policy};
    char status[REMOTE_TEXT_SIZE];
    for (size_t i = 0; i < D7_COUNT(both); i++) {
        if (strcmp(remote_text(both[i], "status", status), "rejected") == 0) {
            (void)remote_text(jval_get(both[i], "reason"), "message", to);
            if (!to[0]) {
                (void)snprintf(to, REMOTE_TEXT_SIZE, "no reason is given");
            }
            return to;
        }
    }
    to[0] = '\0';
    return to;
}

void runtable_policy(const struct jval *policy)
{
    char id[REMOTE_TEXT_SIZE];
    char text[REMOTE_TEXT_SIZE];
    const struct jval *pending = jval_get(policy, "pending");
    (void)printf("policy %s: %s", remote_text(policy, "id", id),
                 remote_text(policy, "status", text));
    if (remote_text(jval_get(policy, "reason"), "message", text)[0]) {
        (void)printf(" (%s)", text);
    }
    (void)printf("\n  name      %s\n", remote_text(policy, "name", text));
    (void)printf("  kind      %s\n", remote_text(policy, "kind", text));
    int64_t number = remote_int(jval_get(policy, "revision"), "number", 0);
    if (number > 0) {
        (void)printf("  revision  %" PRId64 "\n", number);
    }
    number = remote_int(pending, "number", 0);
    if (number > 0) {
        (void)printf("  candidate %" PRId64 ": %s", number, remote_text(pending, "status", text));
        if (remote_text(jval_get(pending, "reason"), "message", text)[0]) {
            (void)printf(" (%s)", text);
        }
        (void)putchar('\n');
    }
}

static void print_game(const struct jval *game)
{
    char text[REMOTE_TEXT_SIZE];
    (void)printf("  %-14s %9" PRId64 " %6" PRId64, remote_text(game, "roundId", text),
                 remote_int(game, "score", 0), remote_int(game, "moves", 0));
    (void)printf(" %5" PRId64 "  %s", remote_int(game, "maxChain", 0),
                 remote_text(game, "outcome", text));
    if (remote_text(game, "reason", text)[0]) {
        (void)printf(": %s", text);
    }
    int64_t illegal = remote_int(game, "illegalMoves", 0);
    int64_t late = remote_int(game, "timeouts", 0);
    int64_t crashes = remote_int(game, "crashes", 0);
    if (illegal || late || crashes) {
        (void)printf("  illegal %" PRId64 ", timeouts %" PRId64 ", crashes %" PRId64, illegal, late,
                     crashes);
    }
    (void)putchar('\n');
}

static void print_games(const struct jval *games)
{
    double sum = 0;
    unsigned count = 0;
    for (size_t i = 0; i < jval_length(games); i++) {
        const struct jval *game = jval_at(games, i);
        if (!jval_get(game, "outcome")) {
            continue; /* a later run's, or an earlier one's: only its id is there */
        }
        if (count == 0) {
            (void)printf("  %-14s %9s %6s %5s\n", "round", "score", "moves", "chain");
        }
        print_game(game);
        sum += (double)remote_int(game, "score", 0);
        count++;
    }
    if (count > 0) {
        (void)printf("  %-14s %9.1f\n", "mean", sum / count);
    }
}

void runtable_run(const struct jval *run)
{
    char id[REMOTE_TEXT_SIZE];
    char text[REMOTE_TEXT_SIZE];
    const struct jval *progress = jval_get(run, "progress");
    (void)printf("run %s", remote_text(run, "id", id));
    (void)printf(" of %s:", remote_text(run, "policyId", text));
    (void)printf(" %s, %" PRId64 " of %" PRId64 " games", remote_text(run, "status", text),
                 remote_int(progress, "done", 0), remote_int(progress, "games", 0));
    int64_t place = remote_int(run, "queuePosition", 0);
    if (place > 0) {
        (void)printf(", %" PRId64 " in the queue", place);
    }
    if (remote_text(run, "reason", text)[0]) {
        (void)printf(" (%s)", text);
    }
    (void)putchar('\n');
    print_games(jval_get(run, "games"));
}

void runtable_runs(const struct jval *items)
{
    char text[REMOTE_TEXT_SIZE];
    if (jval_length(items) == 0) {
        (void)puts("no runs yet");
        return;
    }
    (void)printf("%-32s  %-24s %-9s %9s  %s\n", "run", "policy", "status", "games", "created");
    for (size_t i = 0; i < jval_length(items); i++) {
        const struct jval *run = jval_at(items, i);
        const struct jval *progress = jval_get(run, "progress");
        (void)printf("%-32s", remote_text(run, "id", text));
        (void)printf("  %-24s", remote_text(run, "policyId", text));
        (void)printf(" %-9s", remote_text(run, "status", text));
        (void)printf(" %4" PRId64 "/%-4" PRId64, remote_int(progress, "done", 0),
                     remote_int(progress, "games", 0));
        (void)printf("  %s\n", remote_text(run, "createdAt", text));
    }
}
