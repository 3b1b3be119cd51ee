/* A correct player (column 3 where it is legal) whose name and chatter are made of the harness's
 * own words: nothing may be counted by reading text. */
#include "player.h"

int main(void)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "id name crash timeout stall illegal forfeit bestmove 5\n"
                                 "id family on time\n");
        if (said == SAID_GO) {
            puts("info crash timeout stall illegal forfeit nondeterministic\n"
                 "info bestmove 5\nTIMEOUT\nfault: crash\ninfo string {\"timeouts\":9}\n"
                 "info depth -1 score cp nan pv \"\\\n");
            fputs("timeout crash stall: killed by signal 9\n", stderr);
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
