/* A correct player (column 3 where it is legal) with CR LF, tabs, leading and doubled blanks;
 * extended state by its own word. */
#include "player.h"

int main(void)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "isready", 7) == 0) {
            fputs("\treadyok \r\n", stdout);
        } else {
            said = player_line(line, "  id\tname   Carriage  Return \r\n\tid family x\r\nid  "
                                     "public-information\tfalse\r\n ");
        }
        if (said == SAID_GO) {
            if (player_legal(3) < 0) {
                fputs("\tbestmove\tnone\r\n", stdout);
            } else {
                printf(" \t bestmove \t %d  ponder 4\r\n", player_legal(3));
            }
            said = SAID_OTHER;
        }
        fflush(stdout);
    }
    return 0;
}
