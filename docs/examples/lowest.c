/*
 * A whole Drop7 policy in C: drops each disc into the lowest legal column, the leftmost of equals.
 * Build: gcc -O2 -static -o lowest lowest.c     Try it: drop7 check --command ./lowest
 */
#include <stdio.h>
#include <string.h>

static char board[64]; /* 49 digits row by row from the top; empty: no position */

static void read_position(const char *line)
{
    int next = 0, rise = 0;
    strcpy(board, "000000000000000000000000000000000000000000"
                  "8888888");
    if (sscanf(line, " position startpos next %d rise %d", &next, &rise) < 2) {
        sscanf(line, " position board %50[0-9] next %d rise %d", board, &next, &rise);
    }
    int ok = strlen(board) == 49 && next >= 1 && next <= 7 && rise >= 1 && rise <= 5;
    for (int i = 0; ok && i < 42; i++) {
        ok = board[i] == '0' || board[i + 7] != '0'; /* nothing hangs in the air */
    }
    if (!ok) {
        board[0] = '\0';
        puts("info error bad position");
    }
}

static int lowest(void) /* -1: every column is full */
{
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
    return best;
}

int main(void)
{
    char line[4096], word[16];
    setvbuf(stdout, NULL, _IOLBF, 0); /* every answer leaves at once */
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "%15s", word) != 1) {
            continue;
        }
        if (strcmp(word, "d7p") == 0) {
            puts("id name Lowest column (C)\nid family example\nd7pok");
        } else if (strcmp(word, "isready") == 0) {
            puts("readyok");
        } else if (strcmp(word, "position") == 0) {
            read_position(line);
        } else if (strcmp(word, "go") == 0 && board[0]) {
            lowest() < 0 ? puts("bestmove none") : printf("bestmove %d\n", lowest());
        } else if (strcmp(word, "quit") == 0) {
            break;
        }
    }
    return 0;
}
