/* What scripted players share: a whole reading of D7P, so that each has exactly the one fault it is
 * about. Plain C, like the players: strangers' programs know nothing of ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum said { SAID_OTHER, SAID_GO, SAID_QUIT };

static char player_board[64]; /* "": no position */

static inline int player_is_legal(int column)
{
    return player_board[0] == '\0' || player_board[column] == '0';
}

/* The wished column, or the first legal one after it; -1 when there is none. */
static inline int player_legal(int wish)
{
    for (int i = 0; i < 7; i++) {
        if (player_is_legal((wish + i) % 7)) {
            return (wish + i) % 7;
        }
    }
    return -1;
}

static inline void player_move(int wish)
{
    int column = player_legal(wish);
    if (column < 0) {
        puts("bestmove none");
    } else {
        printf("bestmove %d\n", column);
    }
}

/* 49 digits, nothing in the air. */
static inline int player_is_board(const char *text)
{
    if (strlen(text) != 49 || strspn(text, "0123456789") != 49) {
        return 0;
    }
    for (int i = 0; i < 42; i++) {
        if (text[i] != '0' && text[i + 7] == '0') {
            return 0;
        }
    }
    return 1;
}

static inline int player_in(const char *word, char high)
{
    return word && word[0] >= '1' && word[0] <= high && word[1] == '\0';
}

static inline void player_position(char *rest)
{
    static const char blanks[] = " \t\r\n";
    char board[64] = "000000000000000000000000000000000000000000"
                     "8888888";
    const char *kind = strtok(rest, blanks);
    const char *text = kind && strcmp(kind, "board") == 0 ? strtok(NULL, blanks) : board;
    const char *next = strtok(NULL, blanks) ? strtok(NULL, blanks) : NULL;
    const char *rise = strtok(NULL, blanks) ? strtok(NULL, blanks) : NULL;
    if (kind && text && player_is_board(text) && player_in(next, '7') && player_in(rise, '5')) {
        strcpy(player_board, text);
    } else {
        strcpy(player_board, "x"); /* no column of it is legal, and go is not answered */
        puts("info error bad position");
    }
}

/* Deals with everything but go and quit. `ids`: what is said before d7pok. */
static inline enum said player_line(char *line, const char *ids)
{
    char copy[4096];
    strncpy(copy, line, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    char *at = copy + strspn(copy, " \t\r\n");
    size_t len = strcspn(at, " \t\r\n");
    char *rest = at + len + (at[len] != '\0');
    at[len] = '\0';
    if (strcmp(at, "d7p") == 0) {
        printf("%sd7pok\n", ids);
    } else if (strcmp(at, "isready") == 0) {
        puts("readyok");
    } else if (strcmp(at, "position") == 0) {
        player_position(rest);
    } else if (strcmp(at, "go") == 0) {
        if (player_board[0] == 'x') {
            puts("info error no position");
        } else {
            return SAID_GO;
        }
    } else if (strcmp(at, "quit") == 0) {
        return SAID_QUIT;
    }
    return SAID_OTHER;
}
