/* A correct player: always the first legal column. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    char board[64] = "";
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("id name Good player\nid family tests\nid public-information true\nd7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (sscanf(line, "position board %63s", board) == 1) {
            continue;
        } else if (strncmp(line, "go", 2) == 0) {
            printf("bestmove %d\n", (int)strspn(board, "123456789"));
        } else if (strncmp(line, "quit", 4) == 0) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
