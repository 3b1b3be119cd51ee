/* Stops itself when asked, before it answers: who waits for its end waits in vain. */
#include <signal.h>

#include "player.h"

int main(void)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            raise(SIGSTOP);
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
