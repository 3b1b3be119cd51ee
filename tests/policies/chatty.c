/* Talks without end instead of answering. Argument: "slowly" (a line each 5 ms), "flood" (as fast
 * as it goes), "empty" (empty lines, as fast as it goes). */
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    char line[4096];
    const char *how = argc > 1 ? argv[1] : "slowly";
    struct timespec nap = {0, 5000000};
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        }
        while (strncmp(line, "go", 2) == 0) {
            if (puts(strcmp(how, "empty") == 0 ? "" : "info still thinking") < 0) {
                return 1;
            }
            if (strcmp(how, "slowly") == 0) {
                fflush(stdout);
                nanosleep(&nap, NULL);
            }
        }
        fflush(stdout);
    }
    return 0;
}
