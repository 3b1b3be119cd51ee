/* Answers with the token given as argument, whatever is asked; "" leaves it out. */
#include "player.h"

int main(int argc, char **argv)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            printf("bestmove %s\n", argc > 1 ? argv[1] : "9");
        }
        fflush(stdout);
    }
    return 0;
}
