/* Writes bytes without a newline, for ever, as soon as it is asked. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        }
        fflush(stdout);
        while (strncmp(line, "go", 2) == 0) {
            if (putchar('x') < 0) {
                return 1;
            }
        }
    }
    return 0;
}
