/* Thinks for the given milliseconds before each answer (always column 3). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    char line[4096];
    long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            nanosleep(&nap, NULL);
            puts("bestmove 3");
        }
        fflush(stdout);
    }
    return 0;
}
