/*
 * Harness cost of one question through a pipe against a bare ping-pong of the same bytes, on one
 * core, in turn.
 *
 * The same player answers both. Bare: write the question, read one line, nothing else. Harness:
 * whole games through harness_play (isready, parsing, rules, record, deadlines, and the determinism
 * check's questions, which are counted).
 */
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/harness/play.h"

#define GAMES 600
#define TURNS 5

extern char **environ;

static const char *player;

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench pipe: %s failed\n", what);
    exit(1);
}

static void pin_to_one_core(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) {
        (void)fprintf(stderr, "bench pipe: not pinned; figures are noisier\n");
    }
}

/* keep_going is asked before every move: the time between its first and last call of a game is
 * moves and nothing else. */
struct span_of_moves {
    int64_t first_us, last_us;
    uint32_t first_move, last_move;
};

static bool note_move(void *ctx, uint32_t moves_played)
{
    struct span_of_moves *s = ctx;
    if (moves_played == 1) {
        s->first_us = clock_mono_us();
        s->first_move = moves_played;
    }
    if (moves_played > s->last_move) {
        s->last_us = clock_mono_us();
        s->last_move = moves_played;
    }
    return true;
}

/* Microseconds a question through the harness; start-up and the determinism check are left out. */
static double harness_us(const struct round *round, uint64_t *ret_questions)
{
    const char *const argv[] = {player, NULL};
    const struct child_spec spec = {.argv = argv};
    const struct harness_limits limits = harness_limits_default();
    uint64_t questions = 0;
    int64_t us = 0;
    for (int i = 0; i < GAMES; i++) {
        struct peer *peer = NULL;
        struct played played;
        struct span_of_moves moves = {0};
        const struct harness_watch watch = {note_move, &moves};
        if (peer_child_new(&spec, &limits, &peer)) {
            fail("start");
        }
        if (harness_play(peer, round, &limits, &watch, &played)) {
            fail("harness_play");
        }
        if (played.outcome != OUTCOME_OVER || played.fault_count || played.nondeterministic) {
            fail("a clean game");
        }
        questions += moves.last_move - moves.first_move;
        us += moves.last_us - moves.first_us;
        played_release(&played);
        peer_free(peer);
    }
    *ret_questions = questions;
    return (double)us / (double)questions;
}

struct bare {
    pid_t pid;
    int to;
    int from;
};

static void bare_start(struct bare *b)
{
    int in[2];
    int out[2];
    if (pipe(in) || pipe(out)) {
        fail("pipe");
    }
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    (void)posix_spawn_file_actions_addclose(&actions, in[1]);
    (void)posix_spawn_file_actions_addclose(&actions, out[0]);
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s", player);
    char *argv[] = {path, NULL};
    if (posix_spawn(&b->pid, path, &actions, NULL, argv, environ)) {
        fail("spawn");
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    b->to = in[1];
    b->from = out[0];
}

static void bare_exchange(const struct bare *b, const char *question, size_t len)
{
    char answer[64];
    if (fd_write_all(b->to, question, len)) {
        fail("write");
    }
    ssize_t got = read(b->from, answer, sizeof(answer));
    if (got <= 0 || answer[got - 1] != '\n') {
        fail("read");
    }
}

static double bare_us(uint64_t questions)
{
    struct bare b;
    bare_start(&b);
    struct position at = {.board = board_opening(), .next = 3, .rise = 5};
    char question[D7P_QUESTION_SIZE];
    size_t len = d7p_write_question(&at, question);
    int64_t from = clock_mono_us();
    for (uint64_t i = 0; i < questions; i++) {
        bare_exchange(&b, question, len);
    }
    double us = (double)(clock_mono_us() - from) / (double)questions;
    (void)close(b.to);
    (void)close(b.from);
    (void)waitpid(b.pid, NULL, 0);
    return us;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: pipe PLAYER\n");
        return 2;
    }
    player = argv[1];
    pin_to_one_core();
    struct roundfile *round = NULL;
    if (roundfile_gauntlet(1, &round)) {
        fail("round");
    }
    double best = 1e9;
    double worst = 0;
    double sum = 0;
    for (int i = 0; i < TURNS; i++) {
        uint64_t questions = 0;
        double ours = harness_us(&round->round, &questions);
        double bare = bare_us(questions);
        double ratio = ours / bare;
        best = ratio < best ? ratio : best;
        worst = ratio > worst ? ratio : worst;
        sum += ratio;
        (void)printf("  harness %.2f us a question, bare ping-pong %.2f us, ratio %.2f\n", ours,
                     bare, ratio);
    }
    (void)printf(
        "pipe move: %.2f times a bare ping-pong (%.2f to %.2f over %d turns; goal at most 1.5)\n",
        sum / TURNS, best, worst, TURNS);
    roundfile_free(round);
    return 0;
}
