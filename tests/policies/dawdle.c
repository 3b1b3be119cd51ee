/* Takes 15 ms over each move, so that a game can be met in the middle: the first legal column. */
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
    char line[4096];
    char board[50] = "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("id name Dawdle\nd7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (sscanf(line, "position board %49[0-9]", board) == 1) {
            continue;
        } else if (strncmp(line, "go", 2) == 0) {
            struct timespec nap = {.tv_nsec = 15000000};
            nanosleep(&nap, NULL);
            const char *open = strchr(board, '0');
            if (!board[0]) {
                puts("bestmove 3");
            } else if (open && open - board < 7) {
                printf("bestmove %d\n", (int)(open - board));
            } else {
                puts("bestmove none");
            }
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
    }
    return 0;
}
