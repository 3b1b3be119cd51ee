/* Thinks for the given milliseconds before each answer (column 3 where it is legal). */
#include <time.h>

#include "player.h"

int main(int argc, char **argv)
{
    char line[4096];
    long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            nanosleep(&nap, NULL);
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
