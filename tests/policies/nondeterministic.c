/* Answers by the clock: another column each time it is asked, where there is another. */
#include <time.h>

#include "player.h"

int main(void)
{
    char line[4096];
    int last = -1;
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            int column = player_legal((int)(now.tv_nsec / 1000 % 7));
            if (column == last) {
                column = player_legal(column + 1);
            }
            last = column;
            player_move(column < 0 ? 0 : column);
        }
        fflush(stdout);
    }
    return 0;
}
