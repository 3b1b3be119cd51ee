/* Ends right after each answer (always column 3): data and end of file arrive together. */
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
        } else if (strncmp(line, "go", 2) == 0) {
            puts("bestmove 3");
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
