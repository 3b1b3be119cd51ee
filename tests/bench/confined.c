/*
 * What confinement costs: a start (from spawn to the first byte of the policy's answer) against a
 * bare fork+exec of the same program, and a move (stopping between moves included) against a bare
 * ping-pong on the same core. Both in turn, medians; as root also the same as an ordinary user.
 *
 * The command is the worker's own (isolation_command), the moves go through harness_play.
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/harness/play.h"
#include "server/work/isolation.h"

#define STARTS  301
#define TURNS   301
#define NOBODY  65534
#define HIGH_FD 10

static char folder[] = "/tmp/drop7-bench-XXXXXX";
static char player[PATH_MAX];

static _Noreturn void fail(const char *what)
{
    (void)fprintf(stderr, "bench confined: %s failed\n", what);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *list, size_t count)
{
    qsort(list, count, sizeof(*list), compare);
    return list[count / 2];
}

/* What a machine with nothing else to do would show: the tenth part that was disturbed least. */
static double calm(const double *sorted, size_t count)
{
    return sorted[count / 10];
}

static void copy_program(const char *from, const char *name)
{
    char to[PATH_MAX];
    struct buf bytes;
    buf_init(&bytes, 64u << 20);
    (void)snprintf(to, sizeof(to), "%s/%s", folder, name);
    if (file_read(from, &bytes) || file_write(to, buf_span(&bytes), 0755) || chmod(to, 0755)) {
        fail(from);
    }
    buf_release(&bytes);
}

static void remove_programs(void)
{
    static const char *const names[] = {"drop7-sandbox", "player"};
    char path[PATH_MAX];
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* --- starts ------------------------------------------------------------------------------------
 */

struct started {
    pid_t pid;
    int to, from;
};

static void open_pipe(int fds[2])
{
    if (pipe2(fds, O_CLOEXEC)) {
        fail("pipe");
    }
    for (int i = 0; i < 2; i++) {
        int high = fcntl(fds[i], F_DUPFD_CLOEXEC, HIGH_FD);
        (void)close(fds[i]);
        fds[i] = high;
    }
}

/* The same descriptors for both: what differs is the command. */
static struct started start(const char *const *words)
{
    int in[2], out[2], errors[2], report[2];
    struct started s = {0};
    char *none[] = {NULL}, *const *argv = NULL;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    memcpy(&argv, &words, sizeof(argv));
    open_pipe(in);
    open_pipe(out);
    open_pipe(errors);
    open_pipe(report);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawn_file_actions_adddup2(&files, in[0], 0);
    (void)posix_spawn_file_actions_adddup2(&files, out[1], 1);
    (void)posix_spawn_file_actions_adddup2(&files, errors[1], 2);
    (void)posix_spawn_file_actions_adddup2(&files, report[1], 3);
    (void)posix_spawn_file_actions_addclosefrom_np(&files, 4);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (posix_spawn(&s.pid, argv[0], &files, &attributes, argv, none)) {
        fail("spawn");
    }
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attributes);
    const int gone[] = {in[0], out[1], errors[0], errors[1], report[0], report[1]};
    for (size_t i = 0; i < D7_COUNT(gone); i++) {
        (void)close(gone[i]);
    }
    s.to = in[1];
    s.from = out[0];
    return s;
}

static void end(const struct started *s)
{
    (void)kill(-s->pid, SIGKILL);
    (void)waitpid(s->pid, NULL, 0);
    (void)close(s->to);
    (void)close(s->from);
}

/* Microseconds from the spawn to the first byte of the answer to `d7p`. */
static double start_us(const char *const *words)
{
    char byte = 0;
    int64_t from = clock_mono_us();
    struct started s = start(words);
    if (fd_write_all(s.to, "d7p\n", 4) || read(s.from, &byte, 1) != 1) {
        fail("an answer");
    }
    double us = (double)(clock_mono_us() - from);
    end(&s);
    while (waitpid(-1, NULL, 0) > 0) { /* init, whose launcher was killed with it */
    }
    return us;
}

static void compare_starts(const char *who, const struct isolation_command *c)
{
    static double bare[STARTS], confined[STARTS];
    const char *const plain[] = {player, NULL};
    for (size_t i = 0; i < STARTS; i++) {
        bare[i] = start_us(plain);
        confined[i] = start_us(c->argv);
    }
    double one = median(bare, STARTS), other = median(confined, STARTS);
    (void)printf("sandbox start, %s: %.0f us against %.0f us bare, %.2f times (median of %d in "
                 "turn; goal at most 5); calm: %.0f against %.0f, %.2f times\n",
                 who, other, one, other / one, STARTS, calm(confined, STARTS), calm(bare, STARTS),
                 calm(confined, STARTS) / calm(bare, STARTS));
}

/* --- moves -------------------------------------------------------------------------------------
 */

/* keep_going is asked before every move: between its first and last call there are moves only. */
struct moves {
    int64_t first_us, last_us;
    uint32_t first, last;
};

static bool note_move(void *ctx, uint32_t played)
{
    struct moves *m = ctx;
    if (played == 1) {
        m->first_us = clock_mono_us();
        m->first = played;
    }
    if (played > m->last) {
        m->last_us = clock_mono_us();
        m->last = played;
    }
    return true;
}

static double game_us(const struct child_spec *spec, const struct round *round,
                      uint64_t *ret_questions)
{
    const struct harness_limits limits = harness_limits_default();
    struct peer *peer = NULL;
    struct played played;
    struct moves moves = {0};
    const struct harness_watch watch = {note_move, &moves};
    if (peer_child_new(spec, &limits, &peer) ||
        harness_play(peer, round, &limits, &watch, &played)) {
        fail("harness_play");
    }
    if (played.outcome == OUTCOME_FORFEIT || played.fault_count) {
        fail("a clean game");
    }
    played_release(&played);
    peer_free(peer);
    *ret_questions = moves.last - moves.first;
    return (double)(moves.last_us - moves.first_us) / (double)*ret_questions;
}

static double bare_us(uint64_t questions)
{
    const char *const plain[] = {player, NULL};
    struct started s = start(plain);
    struct position at = {.board = board_opening(), .next = 3, .rise = 5};
    char question[D7P_QUESTION_SIZE], answer[64];
    size_t len = d7p_write_question(&at, question);
    int64_t from = 0;
    for (uint64_t i = 0; i <= questions; i++) {
        from = i == 1 ? clock_mono_us() : from; /* the first one waits for the start */
        if (fd_write_all(s.to, question, len) || read(s.from, answer, sizeof(answer)) <= 0) {
            fail("ping-pong");
        }
    }
    double us = (double)(clock_mono_us() - from) / (double)questions;
    end(&s);
    return us;
}

static void compare_moves(const char *who, const struct isolation_command *c,
                          const struct round *round)
{
    static double bare[TURNS], confined[TURNS], free_running[TURNS];
    struct child_spec unstopped = c->spec;
    unstopped.stop_between_moves = false;
    for (size_t i = 0; i < TURNS; i++) {
        uint64_t questions = 0;
        confined[i] = game_us(&c->spec, round, &questions);
        bare[i] = bare_us(questions);
        free_running[i] = game_us(&unstopped, round, &questions);
    }
    double one = median(bare, TURNS), other = median(confined, TURNS);
    double loose = median(free_running, TURNS);
    (void)printf("sandbox move, %s: %.2f us against %.2f us bare, %+.2f us (unstopped %+.2f us; "
                 "median of %d games in turn; goal at most +5); calm: %.2f against %.2f, %+.2f us "
                 "(unstopped %+.2f us)\n",
                 who, other, one, other - one, loose - one, TURNS, calm(confined, TURNS),
                 calm(bare, TURNS), calm(confined, TURNS) - calm(bare, TURNS),
                 calm(free_running, TURNS) - calm(bare, TURNS));
}

/* -----------------------------------------------------------------------------------------------
 */

static void pin_to_one_core(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) {
        (void)fprintf(stderr, "bench confined: not pinned; figures are noisier\n");
    }
}

static int compare_all(const char *who)
{
    static struct isolation iso;
    static struct isolation_command command;
    struct roundfile *round = NULL;
    if (isolation_probe(folder, false, &iso) || roundfile_gauntlet(1, &round)) {
        fail("the probe");
    }
    (void)printf("%s: tier %s (%s)\n", who, isolation_tier_name(iso.tier), iso.reason);
    if (!isolation_admits(&iso)) {
        return 0;
    }
    if (isolation_command(&iso, player, "elf", isolation_slot(), &command)) {
        fail("the command");
    }
    compare_starts(who, &command);
    compare_moves(who, &command, &round->round);
    roundfile_free(round);
    return fflush(stdout);
}

static void compare_as_nobody(void)
{
    pid_t pid = fork();
    if (pid < 0) {
        fail("fork");
    }
    if (pid == 0) {
        if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)) {
            fail("becoming an ordinary user");
        }
        _exit(compare_all("ordinary user"));
    }
    (void)waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: confined LAUNCHER PLAYER\n");
        return 2;
    }
    if (!mkdtemp(folder) || chmod(folder, 0755)) {
        fail("a folder");
    }
    copy_program(argv[1], "drop7-sandbox");
    copy_program(argv[2], "player");
    (void)snprintf(player, sizeof(player), "%s/player", folder);
    pin_to_one_core();
    bool root = geteuid() == 0;
    int status = 0;
    if (root) {
        compare_as_nobody();
    }
    status = compare_all(root ? "root" : "ordinary user");
    remove_programs();
    return status;
}
