/* When asked, closes its "stdout" without an answer, or its "stdin" and then answers; then sleeps
 * for ever. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char line[4096];
    const char *which = argc > 1 ? argv[1] : "stdout";
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            if (strcmp(which, "stdout") == 0) {
                close(STDOUT_FILENO);
            } else {
                close(STDIN_FILENO);
                puts("bestmove 3");
                fflush(stdout);
            }
            for (;;) {
                pause();
            }
        }
        fflush(stdout);
    }
    return 0;
}
