/* A correct player: always the first legal column. */
#include "player.h"

int main(void)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said =
            player_line(line, "id name Good player\nid family tests\nid public-information true\n");
        if (said == SAID_GO) {
            player_move(0);
        }
        fflush(stdout);
    }
    return 0;
}
