/* A correct player (column 3 where it is legal) that first takes what is not its own at every
 * question: "daemon" (double fork, away from its session, holding the pipes), "forks" (a hundred
 * children that stay), "memory" (touches 8 GiB), "disk" (a file that grows until it may not),
 * "busy" (a thread that never rests). What is refused it takes calmly; a lack of memory ends it. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "player.h"

static void stay(void)
{
    for (;;) {
        pause();
    }
}

static void make_daemon(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() == 0) {
            stay();
        }
        _exit(0);
    }
    if (pid > 0) {
        waitpid(pid, NULL, 0);
    }
}

static void make_children(void)
{
    for (int i = 0; i < 100; i++) {
        if (fork() == 0) {
            stay();
        }
    }
}

static void take_memory(void)
{
    for (int i = 0; i < 8 << 10; i++) {
        char *block = malloc(1 << 20);
        if (!block) {
            fputs("out of memory\n", stderr);
            _exit(7);
        }
        memset(block, i, 1 << 20);
    }
}

static void take_disk(void)
{
    static char block[1 << 16];
    static const char *const where[] = {"/tmp/hog", "hog", "/dev/shm/hog"};
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        int fd = open(where[i], O_WRONLY | O_CREAT, 0600);
        for (int n = 0; fd >= 0 && n < 1 << 14 && write(fd, block, sizeof(block)) > 0; n++) {
        }
        close(fd);
    }
}

static void *spin(void *arg)
{
    for (volatile unsigned n = 0;; n++) {
    }
    return arg;
}

static void be_busy(void)
{
    static int busy;
    pthread_t thread;
    if (!busy++) {
        pthread_create(&thread, NULL, spin, NULL);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*take)(void);
    } ways[] = {{"daemon", make_daemon},
                {"forks", make_children},
                {"memory", take_memory},
                {"disk", take_disk},
                {"busy", be_busy}};
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        for (int i = 0; said == SAID_GO && argc > 1 && i < 5; i++) {
            if (strcmp(argv[1], ways[i].name) == 0) {
                ways[i].take();
            }
        }
        if (said == SAID_GO) {
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
