/* Starts a child that holds its pipes and sleeps, then dies when asked. With "away" the child
 * leaves the process group, so only end of file could tell - and never does. Its number goes to
 * stderr. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char line[4096];
    int away = argc > 1 && strcmp(argv[1], "away") == 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (away) {
            setsid();
            alarm(20); /* nobody else ends this one */
        }
        for (;;) {
            pause();
        }
    }
    fprintf(stderr, "child %d\n", (int)pid);
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            return 5;
        }
        fflush(stdout);
    }
    return 0;
}
