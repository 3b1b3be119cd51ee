/* Two answers to each question: the first is column 3, the second, 1, must not be taken for the
 * next one's. */
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
            puts("bestmove 3\nbestmove 1");
        }
        fflush(stdout);
    }
    return 0;
}
