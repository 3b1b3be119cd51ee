/* Always column 3 where it is legal, and dies by SIGSEGV when asked for the n-th time (argument;
 * counted in one process). */
#include <signal.h>

#include "player.h"

int main(int argc, char **argv)
{
    char line[4096];
    long left = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            if (--left == 0) {
                signal(SIGSEGV, SIG_DFL);
                raise(SIGSEGV);
            }
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
