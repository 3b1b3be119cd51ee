#include "tests/support/player.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define INETD_CHILDREN_MAX 32

struct inetd {
    pthread_t thread;
    int fd;
    int stop;
    struct sockaddr_in at;
    const char *const *argv;
    pid_t children[INETD_CHILDREN_MAX];
    size_t count;
};

static void spawn_on(struct inetd *d, int fd)
{
    static char *const nothing[] = {NULL};
    posix_spawn_file_actions_t files;
    char *const *argv = NULL;
    memcpy(&argv, &d->argv, sizeof(argv));
    D7_CHECK(posix_spawn_file_actions_init(&files) == 0);
    D7_CHECK(posix_spawn_file_actions_adddup2(&files, fd, 0) == 0);
    D7_CHECK(posix_spawn_file_actions_adddup2(&files, fd, 1) == 0);
    D7_CHECK(posix_spawn_file_actions_addclosefrom_np(&files, 3) == 0);
    for (size_t i = 0; i < d->count;) { /* those that have ended make room */
        if (waitpid(d->children[i], NULL, WNOHANG) == d->children[i]) {
            d->children[i] = d->children[--d->count];
        } else {
            i++;
        }
    }
    D7_CHECK(d->count < INETD_CHILDREN_MAX);
    D7_CHECK(posix_spawn(&d->children[d->count++], argv[0], &files, NULL, argv, nothing) == 0);
    (void)posix_spawn_file_actions_destroy(&files);
}

static void *inetd_run(void *arg)
{
    struct inetd *d = arg;
    for (;;) {
        struct pollfd fds[] = {{.fd = d->fd, .events = POLLIN}, {.fd = d->stop, .events = POLLIN}};
        D7_CHECK(poll(fds, 2, -1) > 0 || errno == EINTR);
        if (fds[1].revents) {
            return NULL;
        }
        int fd = fds[0].revents ? accept4(d->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd >= 0) {
            spawn_on(d, fd);
            (void)close(fd);
        }
    }
}

static struct inetd *inetd_new(const char *const *argv)
{
    struct inetd *d = calloc(1, sizeof(*d));
    assert_non_null(d);
    d->argv = argv;
    d->at.sin_family = AF_INET;
    d->at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t len = sizeof(d->at);
    d->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    d->stop = eventfd(0, EFD_CLOEXEC);
    assert_true(d->fd >= 0 && d->stop >= 0);
    assert_int_equal(bind(d->fd, (struct sockaddr *)&d->at, len), 0);
    assert_int_equal(listen(d->fd, 16), 0);
    assert_int_equal(getsockname(d->fd, (struct sockaddr *)&d->at, &len), 0);
    assert_int_equal(pthread_create(&d->thread, NULL, inetd_run, d), 0);
    return d;
}

static void inetd_free(struct inetd *d)
{
    assert_int_equal(eventfd_write(d->stop, 1), 0);
    assert_int_equal(pthread_join(d->thread, NULL), 0);
    for (size_t i = 0; i < d->count; i++) {
        (void)kill(d->children[i], SIGKILL);
        assert_int_equal(waitpid(d->children[i], NULL, 0), d->children[i]);
    }
    (void)close(d->fd);
    (void)close(d->stop);
    free(d);
}

void player_start(struct player *pl, enum player_way way, const struct child_spec *like,
                  const struct harness_limits *limits, const char *name, const char *a,
                  const char *b)
{
    char relative[256];
    *pl = (struct player){.peer = NULL};
    (void)snprintf(relative, sizeof(relative), "tests/policies/%s", name);
    (void)snprintf(pl->path, sizeof(pl->path), "%s", support_program(relative));
    pl->argv[0] = pl->path;
    pl->argv[1] = a;
    pl->argv[2] = a ? b : NULL;
    if (way == PLAYER_TCP) {
        pl->inetd = inetd_new(pl->argv);
        struct tcp_spec spec = {.address = &pl->inetd->at, .address_len = sizeof(pl->inetd->at)};
        assert_int_equal(peer_tcp_new(&spec, limits, &pl->peer), D7_OK);
        return;
    }
    struct child_spec spec = {.argv = NULL};
    if (like) {
        spec = *like;
    }
    spec.argv = pl->argv;
    assert_int_equal(peer_child_new(&spec, limits, &pl->peer), D7_OK);
}

void player_stop(struct player *pl)
{
    peer_free(pl->peer);
    if (pl->inetd) {
        inetd_free(pl->inetd);
    }
}

void player_address(const struct player *pl, char *ret_text, size_t size)
{
    (void)snprintf(ret_text, size, "127.0.0.1:%d", ntohs(pl->inetd->at.sin_port));
}

struct harness_limits player_limits(void)
{
    struct harness_limits limits = harness_limits_default();
    limits.connect_ms = 2000;
    limits.game_ms = 60000;
    return limits;
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    int count = 0;
    while (readdir(folder)) {
        count++;
    }
    (void)closedir(folder);
    return count;
}

static int descriptors_before;

int player_count_before(void **state)
{
    (void)state;
    descriptors_before = count_descriptors();
    return 0;
}

int player_count_after(void **state)
{
    (void)state;
    pid_t left = waitpid(-1, NULL, WNOHANG);
    if (left != -1 || errno != ECHILD) {
        print_error("a child was left behind (waitpid gives %d)\n", (int)left);
        return -1;
    }
    int now = count_descriptors();
    if (now != descriptors_before) {
        print_error("%d descriptors before, %d after\n", descriptors_before, now);
        return -1;
    }
    return 0;
}

struct roundfile *player_round(uint32_t moves)
{
    struct roundfile *r = NULL;
    assert_int_equal(roundfile_generate(0x5eed0001, moves, NULL, NULL, &r, NULL), D7_OK);
    return r;
}

/* One game of a fresh player; the caller releases what was played. */
void player_game(enum player_way way, const char *name, const char *a, const char *b,
                 uint32_t moves, const struct harness_limits *limits, struct played *ret)
{
    struct player pl;
    struct roundfile *r = player_round(moves);
    player_start(&pl, way, NULL, limits, name, a, b);
    enum d7_err err = harness_play(pl.peer, &r->round, limits, NULL, ret);
    player_stop(&pl);
    roundfile_free(r);
    assert_int_equal(err, D7_OK);
    assert_int_equal(ret->summary.moves, ret->moves);
}

void assert_columns(const struct played *p, const char *digits)
{
    assert_int_equal(p->moves, strlen(digits));
    for (size_t i = 0; i < p->moves; i++) {
        assert_int_equal(p->columns[i], digits[i] - '0');
    }
}

void assert_counts(const struct played *p, unsigned illegal, unsigned timeouts, unsigned crashes)
{
    assert_int_equal(p->illegal_moves, illegal);
    assert_int_equal(p->timeouts, timeouts);
    assert_int_equal(p->crashes, crashes);
}

size_t count_faults(const struct played *p, enum fault_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < p->fault_count; i++) {
        n += p->faults[i].kind == kind;
    }
    return n;
}
