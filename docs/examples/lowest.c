/*
 * A whole Drop7 policy in C: drops each disc into the lowest legal column, the leftmost of equals.
 * Build: gcc -O2 -static -o lowest lowest.c     Try it: drop7 bench --command ./lowest
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    char board[50] = "";
    setvbuf(stdout, NULL, _IOLBF, 0); /* every answer leaves at once */
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("id name Lowest column (C)\nid family example\nd7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "position startpos", 17) == 0) {
            memset(board, '0', 42);
            memset(board + 42, '8', 7);
        } else if (sscanf(line, "position board %49[0-9]", board) == 1) {
            continue;
        } else if (strncmp(line, "go", 2) == 0) {
            int best = -1, best_height = 7;
            for (int column = 0; column < 7; column++) {
                int height = 0;
                for (int row = 0; row < 7; row++) {
                    height += board[7 * row + column] != '0';
                }
                if (height < best_height) {
                    best_height = height;
                    best = column;
                }
            }
            best < 0 ? puts("bestmove none") : printf("bestmove %d\n", best);
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
    }
    return 0;
}
