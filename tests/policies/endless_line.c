/* Writes bytes without a newline, for ever, as soon as it hears the word given as argument
 * (default: go). */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[4096];
    const char *when = argc > 1 ? argv[1] : "go";
    while (fgets(line, sizeof(line), stdin)) {
        while (strncmp(line, when, strlen(when)) == 0) {
            if (putchar('x') < 0) {
                return 1;
            }
        }
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        }
        fflush(stdout);
    }
    return 0;
}
