/* Answers by the clock: another column each time it is asked. */
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
    char line[4096];
    char board[64] = "";
    int last = -1;
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (sscanf(line, "position board %63s", board) == 1) {
            continue;
        } else if (strncmp(line, "go", 2) == 0) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            int column = (int)(now.tv_nsec / 1000 % 7);
            for (int i = 0; i < 8 && (board[column] != '0' || column == last); i++) {
                column = (column + 1) % 7;
            }
            last = column;
            printf("bestmove %d\n", column);
        }
        fflush(stdout);
    }
    return 0;
}
