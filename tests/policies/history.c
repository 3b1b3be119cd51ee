/* Keeps history: its n-th question is answered with column n mod 7, or the next legal one. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    char board[64] = "";
    int asked = 0;
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (sscanf(line, "position board %63s", board) == 1) {
            continue;
        } else if (strncmp(line, "go", 2) == 0) {
            int column = asked++ % 7;
            for (int i = 0; i < 7 && board[column] != '0'; i++) {
                column = (column + 1) % 7;
            }
            printf("bestmove %d\n", column);
        }
        fflush(stdout);
    }
    return 0;
}
